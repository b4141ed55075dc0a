// SIGTERM and SIGINT as a completion on the ring, so that the stop is an event like any other.
// Owner: tools. Shard 0.
#pragma once

#include <sys/signalfd.h>

#include <functional>

#include "engine/host/ring/ring.h"

namespace hayward::tools {

// Keeps both signals from ending the process; before any other thread starts.
void block_stop_signals();

class StopSignal {
 public:
  // Waits for the first of them on `port`. Goes after the port, which reads into it.
  StopSignal(ring::Port& port, std::function<void()> on_stop);
  ~StopSignal();

 private:
  std::function<void()> on_stop_;
  int fd_;
  signalfd_siginfo info_{};
  ring::Operation read_;
};

}  // namespace hayward::tools
