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
#include "engine/host/ring/ring.h"
#include "schemas/runtime/assert.h"
#include "schemas/runtime/writer.h"

namespace hayward::driver {

class FakePort final : public ring::Port {
 public:
  using Operation = ring::Operation;
  using Fd = ring::Fd;

  // Timers, in order of their deadlines; then what the test has queued for this turn.
  unsigned run_once(bool wait) override {
    waits.push_back(wait);
    unsigned completions = 0;
    std::vector<std::pair<Operation*, std::int32_t>> due = std::exchange(completed_, {});
    for (auto at = timers_.begin(); at != timers_.end();) {
      if (at->first <= now) {
        due.emplace_back(at->second, -ETIME);
        at = timers_.erase(at);
      } else {
        ++at;
      }
    }
    for (const auto& [operation, result] : due) {
      operation->in_flight = false;
      operation->handler(*operation, {.result = result});
      ++completions;
    }
    if (!turns.empty()) {
      const std::function<void()> turn = std::move(turns.front());
      turns.pop_front();
      turn();
      ++completions;
    }
    return completions;
  }
  void timeout(Operation& operation, std::int64_t deadline_ns) override {
    operation.in_flight = true;
    timers_.emplace_back(deadline_ns, &operation);
  }
  void cancel(Operation& operation, Operation& target) override {
    operation.in_flight = true;
    completed_.emplace_back(&operation, 0);
    const auto found = std::ranges::find(timers_, &target, &std::pair<std::int64_t, Operation*>::second);
    if (found == timers_.end()) return;
    timers_.erase(found);
    completed_.emplace_back(&target, -ECANCELED);
  }
  std::int64_t now_ns() const override { return now; }
  std::int64_t wall_ms() const override { return now / 1'000'000; }
  void wake() override {}

  std::int64_t next_timer() const {
    std::int64_t next = INT64_MAX;
    for (const auto& timer : timers_) next = std::min(next, timer.first);
    return next;
  }

  // The driver uses none of these.
  Fd make_socket(int) override { return none(); }
  Fd make_listener(const sockaddr*, socklen_t, int, bool) override { return none(); }
  int local_address(Fd, sockaddr_storage&) override { return none(); }
  int peer_address(Fd, sockaddr_storage&) override { return none(); }
  void accept_multishot(Operation&, Fd) override { none(); }
  void connect(Operation&, Fd, const sockaddr*, socklen_t) override { none(); }
  void recv_multishot(Operation&, Fd) override { none(); }
  void recv(Operation&, Fd, MutableBytes) override { none(); }
  void release_buffer(std::uint16_t) override { none(); }
  void send(Operation&, Fd, std::span<const iovec>) override { none(); }
  void shutdown(Operation&, Fd, int) override { none(); }
  void close(Operation&, Fd) override { none(); }
  void open(Operation&, const char*, int, unsigned) override { none(); }
  void read(Operation&, Fd, MutableBytes, std::uint64_t) override { none(); }
  void write(Operation&, Fd, std::span<const iovec>, std::uint64_t, bool) override { none(); }
  void fsync(Operation&, Fd, bool) override { none(); }
  void fallocate(Operation&, Fd, std::uint64_t, std::uint64_t) override { none(); }
  void truncate(Operation&, Fd, std::uint64_t) override { none(); }
  void rename(Operation&, const char*, const char*) override { none(); }
  void unlink(Operation&, const char*) override { none(); }
  void make_directory(Operation&, const char*, unsigned) override { none(); }
  void nop(Operation&) override { none(); }
  std::vector<std::string> list_directory(const char*, int&) override { return {}; }
  std::int64_t file_size(const char*) override { return none(); }
  int try_lock(Fd) override { return none(); }
  void drop_cache(Fd, std::uint64_t, std::uint64_t) override { none(); }

  std::int64_t now = 1'000'000'000;
  std::deque<std::function<void()>> turns;  // one per run_once, as if completions of that turn
  std::vector<bool> waits;

 private:
  static int none() {
    HAYWARD_ASSERT(false, "not used by the driver");
    return -1;
  }
  std::vector<std::pair<std::int64_t, Operation*>> timers_;
  std::vector<std::pair<Operation*, std::int32_t>> completed_;
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
