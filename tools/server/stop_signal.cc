#include "tools/server/stop_signal.h"

#include <csignal>

#include <unistd.h>

#include "schemas/runtime/assert.h"

namespace hayward::tools {

namespace {

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

void block_stop_signals() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

StopSignal::StopSignal(ring::Port& port, std::function<void()> on_stop) : on_stop_(std::move(on_stop)) {
  const sigset_t signals = stop_signals();
  fd_ = signalfd(-1, &signals, SFD_CLOEXEC);
  HAYWARD_ASSERT(fd_ >= 0, "signalfd");
  read_.owner = this;
  read_.handler = [](ring::Operation& self, const ring::Completion& completion) {
    if (completion.result > 0) static_cast<StopSignal*>(self.owner)->on_stop_();
  };
  port.read(read_, fd_, {reinterpret_cast<std::byte*>(&info_), sizeof info_}, 0);
}

StopSignal::~StopSignal() { close(fd_); }

}  // namespace hayward::tools
