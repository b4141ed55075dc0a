// A broker's fetching of the metadata log, as an observer of the quorum: one fetch after the other, each waiting at the
// controller until there is something new; a snapshot first where the log does not go back far enough.
// Owner: `hayward load`; must outlive its port. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/messages/fetch_response.h"
#include "schemas/messages/fetch_snapshot_response.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"
#include "tools/load/line.h"

namespace hayward::tools {

// What becomes of what was read.
class ObserverSink {
 public:
  // Whole batches of the log or of a snapshot, in order; gone when it returns.
  virtual void on_batches(Bytes batches) = 0;
  struct Answer {
    Offset high_watermark;      // all below it is committed
    std::int64_t asked_ns = 0;  // when the fetch was sent
    std::int64_t arrival_ns = 0;
    bool caught_up = false;  // nothing below the high watermark that had not been read before
  };
  // After each fetch, and after its batches.
  virtual void on_fetched(const Answer& answer) = 0;

 protected:
  ~ObserverSink() = default;
};

// How the log is asked for.
struct FetchTerms {
  std::string cluster_id;
  std::int16_t version = 17;  // of Fetch: 18 where the controller has it, which tells of commits at once; 17 to 18
};

class Observer final : private LineUser {
 public:
  // `sink` may be nullptr.
  Observer(ring::Port& port, Line& line, NodeId id, const FetchTerms& terms, ObserverSink* sink);
  // Fetches from now on, whenever the line is connected, from where it stood.
  void start();
  void stop();
  // The last offset that has been read; no_offset: none.
  Offset read() const { return Offset{next_.value - 1}; }
  std::uint64_t fetches() const { return fetches_; }
  std::uint64_t bytes() const { return bytes_; }
  // Answers that had an error other than a new leader's epoch, or were none.
  std::uint64_t errors() const { return errors_; }

 private:
  void on_ready(Line&) override { ask(); }
  void on_answer(Line& line, Bytes payload) override;
  void on_lost(Line&, int) override {}
  void ask();
  void ask_for_log();
  void ask_for_snapshot();
  void take(const messages::FetchResponse& response);
  void take_records(Bytes records, Offset high_watermark);
  void take_snapshot(const messages::FetchSnapshotResponse& response);
  void begin_snapshot(Offset end, Epoch epoch);
  void pause();

  ring::Port& port_;
  Line& line_;
  NodeId id_;
  std::string cluster_id_;
  std::int16_t version_;
  ObserverSink* sink_;
  bool running_ = false;
  bool in_snapshot_ = false;
  Offset next_{0};
  Epoch last_epoch_{0};    // of the batch before next_
  Epoch leader_epoch_{0};  // as the leader told it
  Offset high_watermark_{0};
  Offset snapshot_end_{0};
  Epoch snapshot_epoch_{0};
  std::int64_t snapshot_position_ = 0;
  std::optional<ObserverSink::Answer> taken_;  // to be told of when the next fetch is on its way
  Bytes taken_batches_;
  Buffer snapshot_rest_;  // of a batch that is not whole yet
  std::int64_t asked_ns_ = 0;
  std::int32_t correlation_id_ = 0;
  std::uint64_t fetches_ = 0, bytes_ = 0, errors_ = 0;
  Arena arena_;
  ring::Operation pause_;
};

}  // namespace hayward::tools
