// One connection to another controller, for one lane of requests: dialled when something is to be sent, its host resolved
// anew each time, the next of its addresses taken when one has failed, then kept for what follows. After the dial it asks once which versions the peer has (ApiVersions).
// One request at a time; each ends in one reply or one failure.
// Owner: Peers. Its shard.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/host/ring/deadline_timer.h"
#include "engine/host/ring/ring.h"
#include "net/resolver.h"
#include "schemas/runtime/bytes.h"

namespace hayward::net {

struct PeersConfig {
  std::string client_id;                    // "raft-client-1"
  std::int64_t request_timeout_ms = 2000;   // controller.quorum.request.timeout.ms: the dial included
  std::int32_t largest_frame = 104857600;   // of an answer; more ends the connection
};

class PeerLink {
 public:
  // A reply's body is valid during the call.
  using Replied = std::function<void(const core::PeerReply& reply)>;

  PeerLink(ring::Port& port, Resolver& resolver, const PeersConfig& config, Replied replied);
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;

  // At most one that is not answered yet.
  void send(core::SendToPeer request);
  // Closes; what is under way fails.
  void stop();
  // Nothing of it is in the port's hands, and no descriptor is open.
  bool quiet() const;

 private:
  enum class State : std::uint8_t { idle, resolving, connecting, asking_versions, open, closing };

  void dial();
  void connect(const Addresses& addresses);
  void connect_failed(bool refused);
  void on_connected(const ring::Completion& completion);
  void ask_versions();
  void transmit();
  void send_frame(std::int16_t api_key, std::int16_t api_version, Bytes body);
  void send_rest();
  void on_sent(const ring::Completion& completion);
  void receive();
  void on_received(const ring::Completion& completion);
  void take_frames();
  void take_frame(Bytes frame);
  void take_versions(Bytes body);
  void timed_out();
  void fail(bool refused);
  void close();
  void cancel_all();
  void on_cancelled(const ring::Completion& completion);
  void wind_down();

  ring::Port& port_;
  Resolver& resolver_;
  const PeersConfig& config_;
  Replied replied_;
  ring::DeadlineTimer timeout_;
  State state_ = State::idle;
  bool stopped_ = false;
  std::uint64_t dials_ = 0;  // an address that comes for an earlier dial is not used
  ring::Fd fd_ = -1;
  core::Endpoint endpoint_;  // that it is connected to
  std::optional<core::SendToPeer> request_;
  bool transmitted_ = false;
  std::int32_t correlation_id_ = 0;
  std::map<std::int16_t, std::int16_t> versions_;  // highest, by API
  ResolvedAddress address_;
  std::size_t addresses_ = 1;  // that the host has
  std::size_t next_address_ = 0;
  bool proven_ = false;        // the next address was connected to last
  std::size_t refusals_ = 0;   // of the dials, one after the other
  Buffer output_;
  std::size_t output_at_ = 0;
  iovec part_{};
  Buffer input_;
  std::vector<std::byte> scratch_;
  ring::Operation connect_;
  ring::Operation send_;
  ring::Operation recv_;
  ring::Operation close_;
  std::array<ring::Operation, 3> cancels_;
};

}  // namespace hayward::net
