// A broker as the controller sees it: it registers, heartbeats, follows the metadata log, asks for ISR changes of
// the partitions it leads, and shuts down in order; or misbehaves. It knows no transport: it gives request
// frames, takes response frames, and is told of lost connections. All times are milliseconds of one clock.
// Owner: the simulator.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "broker_view.h"
#include "engine/base/prng.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::sim {

enum class Channel : std::uint8_t { heartbeat, fetch, alter_partition };
inline constexpr std::size_t channel_count = 3;

// One request to be sent on the `connection`-th connection of its channel; a new number means that the
// broker has given the old connection up.
struct OutFrame {
  Channel channel;
  std::uint32_t connection;
  Buffer bytes;
};

// Chances per thousand heartbeats.
struct Misbehaviour {
  std::uint32_t wrong_epoch = 0;      // an epoch that is not its own
  std::uint32_t lower_offset = 0;     // a metadata offset below what it has reported
  std::uint32_t offset_beyond = 0;    // a metadata offset that nobody has written
  std::uint32_t late_duplicate = 0;   // an old heartbeat once more, on a connection of its own
};

class ModelBroker {
 public:
  enum class State : std::uint8_t {
    registering,    // until BrokerRegistration is accepted
    starting,       // heartbeats every 10 ms until it has read its own registration
    recovering,     // caught up, loading its logs; still wants to be fenced
    running,        // has asked to be unfenced
    shutting_down,  // has asked to shut down
    stopped,        // told so, or killed
  };
  struct Options {
    NodeId id;
    std::string cluster_id;
    std::vector<DirectoryId> dirs;
    std::int64_t heartbeat_interval_ms = 2000;
    std::int64_t request_timeout_ms = 2000;
    std::int64_t recovery_ms = 300;
    Misbehaviour misbehaviour;
  };

  ModelBroker(Options options, std::uint64_t seed);

  // A fresh process with a new incarnation id. `clean`: tells the epoch it had when it last stopped.
  void start(IncarnationId incarnation, bool clean, std::int64_t now_ms);
  void begin_shutdown(std::int64_t now_ms);
  void kill();
  // Sends nothing until then (a pause of its process, or of the network).
  void be_silent(std::int64_t until_ms) { silent_until_ms_ = until_ms; }
  void behave() { options_.misbehaviour = {}; }

  // What is to be sent at `now_ms`; requests without an answer for request_timeout_ms are given up.
  void run(std::int64_t now_ms, std::vector<OutFrame>& out);
  // When run() has something to do; INT64_MAX: never.
  std::int64_t next_wake_ms() const;
  // Answers on connections that it has given up are passed over.
  void receive(Channel channel, std::uint32_t connection, Bytes frame, std::int64_t now_ms);
  void disconnected(Channel channel, std::uint32_t connection, std::int64_t now_ms);

  NodeId id() const { return options_.id; }
  State state() const { return state_; }
  bool alive() const { return state_ != State::stopped; }
  BrokerEpoch epoch() const { return epoch_; }
  IncarnationId incarnation() const { return incarnation_; }
  // What it was told last.
  bool told_unfenced() const { return told_unfenced_; }
  bool wants_unfenced() const { return state_ == State::running; }
  ErrorCode last_registration_error() const { return registration_error_; }
  ErrorCode last_heartbeat_error() const { return heartbeat_error_; }
  const BrokerView& view() const { return view_; }
  // The first impossible thing that it was told or has read; nullopt: none.
  std::optional<std::string> violation() const { return violation_ ? violation_ : view_.violation(); }

 private:
  struct Line {  // one channel's connection
    std::uint32_t connection = 1;
    std::int32_t correlation_id = 0;
    bool in_flight = false;
    std::int16_t api_key = 0;
    std::int64_t sent_ms = 0;
    std::int64_t next_ms = 0;  // when to send again, while nothing is in flight
  };
  struct Snapshot {
    Offset end;
    Epoch epoch;
    std::int64_t position = 0;
    Buffer bytes;
  };

  Line& line(Channel channel) { return lines_[static_cast<std::size_t>(channel)]; }
  template <class Request>
  void send(Channel channel, const Request& request, std::int16_t version, std::int64_t now_ms, std::vector<OutFrame>& out);
  void give_up(Channel channel, std::int64_t next_ms);

  void send_registration(std::int64_t now_ms, std::vector<OutFrame>& out);
  void send_heartbeat(std::int64_t now_ms, std::vector<OutFrame>& out);
  void add_late_duplicate(std::vector<OutFrame>& out);
  void send_fetch(std::int64_t now_ms, std::vector<OutFrame>& out);
  void send_fetch_snapshot(std::int64_t now_ms, std::vector<OutFrame>& out);
  void send_alter_partition(std::int64_t now_ms, std::vector<OutFrame>& out);

  void on_registration(Bytes frame, std::int64_t now_ms);
  void on_heartbeat(Bytes frame, std::int64_t now_ms);
  void on_caught_up(std::int64_t now_ms);
  void on_fetch(Bytes frame, std::int64_t now_ms);
  void on_fetch_snapshot(Bytes frame, std::int64_t now_ms);
  void finish_snapshot();
  void take_records(Bytes records, Epoch asked_in);
  void truncate(Epoch epoch, Offset end);
  void apply_up_to(Offset high_watermark);
  void fail(std::string what);

  Options options_;
  Prng prng_;
  State state_ = State::stopped;
  IncarnationId incarnation_;
  BrokerEpoch epoch_{-1};
  BrokerEpoch previous_epoch_{-1};
  bool told_unfenced_ = false;
  ErrorCode registration_error_ = ErrorCode::none;
  ErrorCode heartbeat_error_ = ErrorCode::none;
  std::int64_t silent_until_ms_ = 0;
  std::int64_t recovered_ms_ = 0;
  std::uint32_t shutdown_requests_ = 0;
  std::array<Line, channel_count> lines_;
  std::int32_t next_correlation_id_ = 1;
  Offset reported_{-1};   // the metadata offset of its last honest heartbeat
  bool honest_ = true;    // its last heartbeat told the truth
  Buffer old_heartbeat_;  // for a late duplicate
  std::uint32_t duplicates_ = 0;

  // The metadata log as fetched: applied batches are gone, the rest waits for the high watermark.
  struct Pending {
    Offset base;
    Offset last;
    Epoch epoch;
    Buffer bytes;
  };
  std::deque<Pending> pending_;
  Offset fetch_offset_{0};
  Epoch last_fetched_epoch_{0};
  Epoch leader_epoch_{0};
  Offset high_watermark_{-1};
  std::optional<Snapshot> snapshot_;
  BrokerView view_;
  std::optional<std::string> violation_;
  Arena arena_;
};

}  // namespace hayward::sim
