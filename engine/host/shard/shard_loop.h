// A shard's loop: waits on its port, handles what completed, and then lets the shard do what belongs to
// the end of a round (drain mailboxes, arm timers, push out what has gathered).
// Owner: the shard's thread; stop() apart.
#pragma once

#include <atomic>
#include <functional>

#include "engine/host/ring/ring.h"

namespace hayward::shard {

class ShardLoop {
 public:
  explicit ShardLoop(ring::Port& port) : port_(port) {}
  ShardLoop(const ShardLoop&) = delete;
  ShardLoop& operator=(const ShardLoop&) = delete;

  // Until stop(). after_round runs after each run_once, one that only a wake ended included.
  void run(const std::function<void()>& after_round) {
    while (!stopped()) {
      port_.run_once(true);
      after_round();
    }
  }
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  // Ends run() after the round in progress; from any thread, any number of times, before run() too.
  void stop() {
    stopped_.store(true, std::memory_order_release);
    port_.wake();
  }

 private:
  ring::Port& port_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace hayward::shard
