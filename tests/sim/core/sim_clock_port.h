// A port with nothing but a clock and timers, and what a test queues for the next turn.
// Owner: a simulated shard.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "engine/host/ring/ring.h"
#include "schemas/runtime/assert.h"

namespace hayward::sim {

class ClockPort final : public ring::Port {
 public:
  using Operation = ring::Operation;
  using Fd = ring::Fd;

  // Timers that are due, then everything in `inputs`.
  unsigned run_once(bool) override {
    std::vector<std::pair<Operation*, std::int32_t>> due = std::exchange(completed_, {});
    std::erase_if(timers_, [&](const auto& timer) {
      if (timer.first > now) return false;
      due.emplace_back(timer.second, -ETIME);
      return true;
    });
    const auto completions = static_cast<unsigned>(inputs.size());
    if (begin) std::exchange(begin, nullptr)();
    for (const auto& [operation, result] : due) {
      operation->in_flight = false;
      operation->handler(*operation, {.result = result});
    }
    for (std::deque<std::function<void()>> taken = std::exchange(inputs, {}); !taken.empty(); taken.pop_front()) {
      taken.front()();
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
    if (std::erase_if(timers_, [&](const auto& timer) { return timer.second == &target; }) > 0) {
      completed_.emplace_back(&target, -ECANCELED);
    }
  }
  std::int64_t next_timer_ns() const {
    if (!completed_.empty()) return now;
    const auto least = std::ranges::min_element(timers_, {}, [](const auto& timer) { return timer.first; });
    return least == timers_.end() ? INT64_MAX : least->first;
  }
  std::int64_t now_ns() const override { return now; }
  std::int64_t wall_ms() const override { return now / 1'000'000; }
  void wake() override {}

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

  std::int64_t now = 0;
  std::deque<std::function<void()>> inputs;
  std::function<void()> begin;  // of the next turn's handling; no completion

 private:
  static int none() {
    HAYWARD_ASSERT(false, "only a clock");
    return -1;
  }
  std::vector<std::pair<std::int64_t, Operation*>> timers_;
  std::vector<std::pair<Operation*, std::int32_t>> completed_;
};

}  // namespace hayward::sim
