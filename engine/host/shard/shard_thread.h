// A shard's thread: makes the shard's ring on itself (the kernel holds a ring to its thread), then runs what
// it is given, which builds the shard's objects there and runs the loop. With one shard there is none of
// these: the main thread makes its ring and runs its loop itself.
// Owner: whoever starts the shards; the main thread.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include "engine/host/ring/ring_error.h"
#include "engine/host/shard/shard_loop.h"

namespace hayward::shard {

struct ShardOptions {
  std::string name = "shard";  // as tools show it; the first 15 bytes count
  int core = -1;               // the one core to run on; -1: any
  ring::RingOptions ring;
};

// Holds the calling thread to one core. 0 or errno (EINVAL: not a core that this process may use).
int pin_to_core(int core);

class ShardThread {
 public:
  using Body = std::function<void(ring::Port& port, ShardLoop& loop)>;

  // Returns once the ring is there, or with why there is none (a core that cannot be pinned to included);
  // `body` runs meanwhile.
  static std::expected<std::unique_ptr<ShardThread>, ring::RingError> start(ShardOptions options, Body body);
  ~ShardThread();  // stops and joins
  ShardThread(const ShardThread&) = delete;
  ShardThread& operator=(const ShardThread&) = delete;

  void stop() { loop_->stop(); }
  // After a push into a mailbox of the shard. Valid as long as this object, body's end notwithstanding.
  void wake() { port_->wake(); }

 private:
  ShardThread() = default;
  void run(const ShardOptions& options, const Body& body);

  // Made and destroyed on the thread.
  std::unique_ptr<ring::Port> port_;
  std::unique_ptr<ShardLoop> loop_;
  ring::RingError error_;
  std::binary_semaphore ready_{0};
  std::binary_semaphore release_{0};  // the owner is done with port_ and loop_
  std::thread thread_;
};

}  // namespace hayward::shard
