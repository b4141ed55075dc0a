// A port with nothing but a clock that a test moves, timers, and their cancelling. Whoever derives from it says what a turn
// of run_once is.
// Owner: tests.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/host/ring/ring.h"
#include "schemas/runtime/assert.h"

namespace hayward::sim {

class TimerPort : public ring::Port {
 public:
  using Operation = ring::Operation;
  using Fd = ring::Fd;

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

  std::int64_t now = 1'000'000'000;

 protected:
  using Completed = std::vector<std::pair<Operation*, std::int32_t>>;

  // What has been completed by a cancel, then the timers that are due.
  Completed take_due() {
    Completed due = std::exchange(completed_, {});
    std::erase_if(timers_, [&](const auto& timer) {
      if (timer.first > now) return false;
      due.emplace_back(timer.second, -ETIME);
      return true;
    });
    return due;
  }
  static void complete(const Completed& due) {
    for (const auto& [operation, result] : due) {
      operation->in_flight = false;
      operation->handler(*operation, {.result = result});
    }
  }
  bool has_completed() const { return !completed_.empty(); }
  // INT64_MAX: no timer.
  std::int64_t earliest_timer_ns() const {
    const auto least = std::ranges::min_element(timers_, {}, [](const auto& timer) { return timer.first; });
    return least == timers_.end() ? INT64_MAX : least->first;
  }

 private:
  static int none() {
    HAYWARD_ASSERT(false, "only a clock");
    return -1;
  }
  std::vector<std::pair<std::int64_t, Operation*>> timers_;
  Completed completed_;
};

}  // namespace hayward::sim
