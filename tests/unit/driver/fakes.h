// A port with nothing but a clock that the test moves, a log and a net that write down what they are told,
// and a controller made of lambdas.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/driver/driver.h"
#include "schemas/runtime/assert.h"
#include "schemas/runtime/writer.h"
#include "tests/sim/core/timer_port.h"

namespace hayward::driver {

class FakePort final : public sim::TimerPort {
 public:
  // Timers that are due; then what the test has queued for this turn.
  unsigned run_once(bool wait) override {
    waits.push_back(wait);
    const Completed due = take_due();
    complete(due);
    auto completions = static_cast<unsigned>(due.size());
    if (!turns.empty()) {
      const std::function<void()> turn = std::move(turns.front());
      turns.pop_front();
      turn();
      ++completions;
    }
    return completions;
  }
  std::int64_t next_timer() const { return earliest_timer_ns(); }

  std::deque<std::function<void()>> turns;  // one per run_once, as if completions of that turn
  std::vector<bool> waits;
};

struct FakeLog final : LogPort {
  void append(BatchPtr batch) override { calls.push_back("append " + std::to_string(batch->base.value)); }
  void persist_quorum_state(const core::QuorumState&, std::uint64_t token) override {
    calls.push_back("persist " + std::to_string(token));
  }
  void truncate(Offset end) override { calls.push_back("truncate " + std::to_string(end.value)); }
  void write_snapshot(core::WriteSnapshot&& s) override {
    calls.push_back("snapshot " + std::to_string(s.id.end.value));
  }
  void write_snapshot_part(core::WriteSnapshotPart&& part) override {
    calls.push_back("snapshot part " + std::to_string(part.position));
  }
  void read(Offset from, Offset to, std::int32_t max_bytes, ReadDone done) override {
    calls.push_back("read " + std::to_string(from.value) + "-" + std::to_string(to.value) + " " +
                    std::to_string(max_bytes));
    reads.push_back(std::move(done));
  }
  void read_snapshot(core::SnapshotId, std::int64_t position, std::int32_t length, ReadDone done) override {
    calls.push_back("read snapshot " + std::to_string(position) + " " + std::to_string(length));
    reads.push_back(std::move(done));
  }
  void close(std::function<void()> done) override {
    calls.push_back("close");
    done();
  }
  std::vector<std::string>& calls;
  std::vector<ReadDone> reads;
  explicit FakeLog(std::vector<std::string>& calls_in) : calls(calls_in) {}
};

struct FakeNet final : NetPort {
  void reply(core::ConnectionId c, Buffer bytes, std::int32_t throttle_ms) override {
    calls.push_back("reply " + std::to_string(c.slot) + " " + std::string(as_text(bytes)) + " " +
                    std::to_string(throttle_ms));
  }
  void reply_small(core::ConnectionId c, Bytes bytes) override { reply(c, Buffer(bytes.begin(), bytes.end()), 0); }
  void reply_with_slice(core::ConnectionId c, Buffer head, LogSlice slice, Buffer tail, bool compact) override {
    std::string text = "slice " + std::to_string(c.slot) + " " + std::string(as_text(head));
    for (const Bytes part : slice.parts) text += std::string("|") + std::string(as_text(part));
    calls.push_back(text + "|" + std::string(as_text(tail)) + (compact ? " compact" : " classic"));
  }
  void close_connection(core::ConnectionId c, const std::string& reason) override {
    calls.push_back("close " + std::to_string(c.slot) + " " + reason);
    if (closed) closed(c);
  }
  void handed_over_ended(const core::ClientAddress&) override { calls.push_back("ended elsewhere"); }
  void adopt(Handover&& handover) override { calls.push_back("adopt " + std::to_string(handover.fd)); }
  void stop(std::function<void()> done) override {
    calls.push_back("stop net");
    stopped = std::move(done);
  }
  std::vector<std::string>& calls;
  std::function<void(core::ConnectionId)> closed;
  std::function<void()> stopped;
  explicit FakeNet(std::vector<std::string>& calls_in) : calls(calls_in) {}
};

}  // namespace hayward::driver
