// What a test of the port runs on: the real ring with a directory of its own, or the simulated one.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/host/ring/uring.h"
#include "engine/host/ring/wait.h"
#include "tests/sim/ring/sim_port.h"

namespace hayward::ring {

struct Machine {
  virtual ~Machine() = default;
  virtual Port& port() = 0;
  virtual std::string directory() const = 0;  // exists and is empty
};

class RealMachine final : public Machine {
 public:
  explicit RealMachine(const RingOptions& options = {});
  ~RealMachine() override;
  Port& port() override { return *port_; }
  std::string directory() const override { return directory_; }

 private:
  std::unique_ptr<Port> port_;
  std::string directory_;
};

class SimMachine final : public Machine {
 public:
  explicit SimMachine(const RingOptions& options = {});
  Port& port() override { return port_; }
  std::string directory() const override { return "/data"; }

 private:
  sim::SimClock clock_;
  sim::SimDisk disk_{1};
  sim::SimNetwork network_{clock_, 3};
  sim::SimPort port_{clock_, disk_, 2};
};

// Tests that run on every back-end: INSTANTIATE them by HAYWARD_ON_EVERY_PORT.
class OnEveryPort : public testing::TestWithParam<const char*> {
 protected:
  explicit OnEveryPort(const RingOptions& options = {});
  Port& port() { return machine_->port(); }
  std::string path(std::string_view name) const { return machine_->directory() + "/" + std::string(name); }

 private:
  std::unique_ptr<Machine> machine_;
};
#define HAYWARD_ON_EVERY_PORT(Suite)                                      \
  INSTANTIATE_TEST_SUITE_P(Ports, Suite, testing::Values("uring", "sim"), \
                           [](const auto& suite) { return std::string(suite.param); })

// An operation that keeps what it was told.
struct Recorder {
  Operation operation;
  std::vector<std::int32_t> results;
  std::string received;             // what provided buffers brought
  std::vector<std::uint16_t> held;  // buffers not given back
  bool release_at_once = true;
  Port* port = nullptr;

  explicit Recorder(Port& p) : port(&p) {
    operation.owner = this;
    operation.handler = [](Operation& self, const Completion& completion) {
      auto& r = *static_cast<Recorder*>(self.owner);
      r.results.push_back(completion.result);
      if (completion.buffer.empty()) return;
      r.received += as_text(completion.buffer);
      if (r.release_at_once) {
        r.port->release_buffer(completion.buffer_id);
      } else {
        r.held.push_back(completion.buffer_id);
      }
    };
  }
  bool done() const { return !operation.in_flight; }
  std::int32_t last() const { return results.back(); }
};

// Runs the port until `ready()`; false after far more completions than any test needs.
template <class Ready>
bool run_until(Port& port, Ready&& ready) {
  for (int i = 0; i < 100'000; ++i) {
    if (ready()) return true;
    port.run_once(true);
  }
  return false;
}

inline iovec part(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

inline Fd must_open(Port& port, const std::string& path, int flags) {
  return wait_for(port, [&](Port& p, Operation& op) { p.open(op, path.c_str(), flags, 0644); });
}

inline std::string read_all(Port& port, const std::string& path, int flags) {
  const Fd fd = must_open(port, path, flags);
  if (fd < 0) return "open: " + std::string(std::strerror(-fd));
  std::string all;
  for (;;) {
    std::byte chunk[100];
    const auto got = wait_for(port, [&](Port& p, Operation& op) { p.read(op, fd, chunk, all.size()); });
    if (got <= 0) break;
    all += as_text(Bytes(chunk, static_cast<std::size_t>(got)));
  }
  wait_for(port, [&](Port& p, Operation& op) { p.close(op, fd); });
  return all;
}

// Writes all of it, going on after short writes. 0 or -errno.
inline std::int32_t write_all(Port& port, Fd fd, std::string_view text, std::uint64_t offset, bool durable) {
  while (!text.empty()) {
    const iovec one = part(text);
    const auto put = wait_for(port, [&](Port& p, Operation& op) { p.write(op, fd, {&one, 1}, offset, durable); });
    if (put < 0) return put;
    text.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return 0;
}

}  // namespace hayward::ring
