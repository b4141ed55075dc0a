#include "engine/host/shard/shard_thread.h"

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/host/ring/uring.h"

namespace hayward::shard {

int pin_to_core(int core) {
  if (core < 0 || core >= CPU_SETSIZE) return EINVAL;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  return pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
}

std::expected<std::unique_ptr<ShardThread>, ring::RingError> ShardThread::start(ShardOptions options, Body body) {
  std::unique_ptr<ShardThread> shard(new ShardThread);
  shard->thread_ = std::thread([self = shard.get(), options = std::move(options), body = std::move(body)] {
    pthread_setname_np(pthread_self(), options.name.substr(0, 15).c_str());
    self->run(options, body);
  });
  shard->ready_.acquire();
  if (shard->error_.error != 0) return std::unexpected(shard->error_);
  return shard;
}

void ShardThread::run(const ShardOptions& options, const Body& body) {
  if (options.core >= 0) {
    if (const int error = pin_to_core(options.core); error != 0) {
      error_ = {error, "cannot run on core " + std::to_string(options.core) + ": " + std::strerror(error)};
      return ready_.release();
    }
  }
  std::expected<std::unique_ptr<ring::Port>, ring::RingError> port = ring::create_uring(options.ring);
  if (!port) {
    error_ = std::move(port.error());
    return ready_.release();
  }
  port_ = std::move(*port);
  loop_ = std::make_unique<ShardLoop>(*port_);
  ready_.release();
  body(*port_, *loop_);
  release_.acquire();
  loop_.reset();
  port_.reset();
}

ShardThread::~ShardThread() {
  if (error_.error == 0) {
    stop();
    release_.release();
  }
  thread_.join();
}

}  // namespace hayward::shard
