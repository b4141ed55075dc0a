// ring::Port without a kernel: files on a SimDisk, sockets on a SimNetwork, time on a SimClock, and every
// choice (latency, hence order; faults; what a crash does to what was under way) drawn from one seed.
// sim_port.cc schedules and delivers, sim_port_files.cc and sim_port_sockets.cc say what operations do.
//
// An operation looks its descriptor up when it is submitted and takes effect at the moment of its
// completion. At a crash whatever is still in flight has happened or not, by the seed.
// Owner: one simulated process. The clock, disk and network outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "engine/base/trace.h"
#include "engine/host/ring/ring.h"
#include "tests/sim/ring/sim_clock.h"
#include "tests/sim/ring/sim_disk.h"
#include "tests/sim/ring/sim_faults.h"
#include "tests/sim/ring/sim_network.h"

namespace hayward::sim {

using ring::Completion;
using ring::Fd;
using ring::Operation;
using ring::RingOptions;

class SimPort final : public ring::Port, private SocketUser {
 public:
  static constexpr std::int64_t never = INT64_MAX;

  SimPort(SimClock& clock, SimDisk& disk, std::uint64_t seed, const SimFaults& faults = {});
  SimPort(const SimPort&) = delete;
  SimPort& operator=(const SimPort&) = delete;
  ~SimPort() override;  // as the end of the process: descriptors are closed, nothing more takes effect

  // --- for the simulator
  // Puts the process on a network, as this host; once, before it makes sockets. Without, it has none.
  void attach(SimNetwork& network, Host host, const RingOptions& options = {});
  SimFaults& faults() { return faults_; }
  const FaultCounts& counts() const { return counts_; }
  // The process dies instead of seeing completion `count` + 1 (counted from the port's creation). From then
  // on everything, in flight or new, completes with -ESHUTDOWN and changes nothing.
  void crash_at(std::uint64_t count) { crash_at_ = count; }
  void crash_now();
  bool crashed() const { return crashed_; }
  std::uint64_t completions() const { return completions_; }
  // What reads of files and receives into a given buffer have brought.
  std::uint64_t bytes_received() const { return bytes_received_; }
  // Over every completion: time, operation, result, bytes read.
  std::uint64_t trace() const { return trace_.value(); }
  // When run_once(false) will next have something to deliver; `never` if only others can change that.
  std::int64_t next_due_ns() const;

  // --- ring::Port
  Fd make_socket(int family) override;
  Fd make_listener(const sockaddr* address, socklen_t length, int backlog, bool reuse_port) override;
  int local_address(Fd, sockaddr_storage& out) override;
  int peer_address(Fd, sockaddr_storage& out) override;
  void accept_multishot(Operation&, Fd listener) override;
  void connect(Operation&, Fd, const sockaddr* address, socklen_t length) override;
  void recv_multishot(Operation&, Fd) override;
  void recv(Operation&, Fd, MutableBytes into) override;
  void release_buffer(std::uint16_t buffer_id) override;
  void send(Operation&, Fd, std::span<const iovec> parts) override;
  void shutdown(Operation&, Fd, int how) override;
  void close(Operation&, Fd) override;
  void open(Operation&, const char* path, int flags, unsigned mode) override;
  void read(Operation&, Fd, MutableBytes into, std::uint64_t offset) override;
  void write(Operation&, Fd, std::span<const iovec> parts, std::uint64_t offset, bool durable) override;
  void fsync(Operation&, Fd, bool data_only) override;
  void fallocate(Operation&, Fd, std::uint64_t offset, std::uint64_t length) override;
  void truncate(Operation&, Fd, std::uint64_t length) override;
  void rename(Operation&, const char* from, const char* to) override;
  void unlink(Operation&, const char* path) override;
  void make_directory(Operation&, const char* path, unsigned mode) override;
  void nop(Operation&) override;
  void timeout(Operation&, std::int64_t deadline_ns) override;
  void cancel(Operation&, Operation& target) override;
  std::int64_t now_ns() const override { return clock_.now_ns(); }
  std::int64_t wall_ms() const override { return clock_.wall_ms(); }
  unsigned run_once(bool wait) override;
  void wake() override { woken_ = true; }
  std::vector<std::string> list_directory(const char* path, int& error) override;
  std::int64_t file_size(const char* path) override;
  int try_lock(Fd) override;
  void drop_cache(Fd, std::uint64_t offset, std::uint64_t length) override;

 private:
  enum class Kind : std::uint8_t {
    accept,
    connect,
    recv,
    recv_multishot,
    send,
    shutdown,
    close,
    open,
    read,
    write,
    fsync,
    fallocate,
    truncate,
    rename,
    unlink,
    make_directory,
    nop,
    timeout,
    cancel,
  };
  // An open file description, shared by its descriptor and the operations that use it: a socket or a file.
  struct Description {
    SocketPtr socket;
    SimNetwork* network = nullptr;
    SimDisk* disk = nullptr;
    InodeId inode = 0;
    int flags = 0;
    std::uint64_t lock_holder = 0;
    ~Description();
  };
  using DescriptionPtr = std::shared_ptr<Description>;
  struct Pending {
    Operation* operation = nullptr;
    Kind kind = Kind::nop;
    std::int64_t due_ns = never;
    std::optional<std::int32_t> settled;  // the result is known; nothing more takes effect
    DescriptionPtr file;
    MutableBytes into;
    std::span<const iovec> parts;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    const char* path = nullptr;
    const char* to_path = nullptr;
    int flags = 0;
    bool durable = false;
    std::uint64_t target = 0;  // cancel: the sequence of what is to end
    SocketName peer;           // connect: where to, and how long to try
    std::int64_t give_up_ns = 0;
  };
  using Sequence = std::uint64_t;
  static Buffer gathered(std::span<const iovec> parts);

  // Puts it in flight, due after a drawn latency; settled at once when the process is dead.
  Pending& submit(Operation& operation, Kind kind);
  Pending& submit_on_file(Operation& operation, Kind kind, Fd fd);
  Pending& submit_on_socket(Operation& operation, Kind kind, Fd fd);
  void socket_may_go_on(SimSocket& socket, std::int64_t at_ns) override;
  void schedule(Sequence sequence, Pending& pending, std::int64_t due_ns);
  void add_sync_latency(Sequence sequence, Pending& pending);
  std::int64_t latency_ns();
  // Whether this fault happens now; counts it.
  bool strikes(unsigned ppm, std::uint64_t& count);
  // False if it is not complete after all and was put back.
  bool deliver(Sequence sequence);
  void complete(Sequence sequence, Pending& pending, const Completion& completion);
  void let_go();
  void count_overtaken(Sequence sequence, Kind kind);

  // What operations do; the result as of the system call.
  std::int32_t take_effect(Pending& pending);
  std::int32_t do_cancel(Pending& pending);
  std::int32_t do_open(const Pending& pending);
  std::int32_t do_read(const Pending& pending);
  std::int32_t do_write(const Pending& pending);
  std::int32_t do_fsync(const Pending& pending);
  std::int32_t do_on_names(const Pending& pending);
  bool sync_fails(const Pending& pending, std::uint64_t offset, std::uint64_t length);

  // What socket operations do; nothing: they go on waiting.
  using Outcome = std::optional<Completion>;
  Outcome on_socket(Sequence sequence, Pending& pending);
  Outcome try_socket(Pending& pending, SimSocket& socket);
  Outcome try_accept(SimSocket& listener);
  Outcome try_connect(Pending& pending);
  Outcome try_recv(SimSocket& socket, MutableBytes into);
  Outcome try_recv_multishot(SimSocket& socket);
  Outcome try_send(const Pending& pending, SimSocket& socket);
  Fd add_socket(SocketPtr socket);

  DescriptionPtr description_of(Fd fd) const;
  DescriptionPtr file_of(Fd fd) const;
  Fd free_fd() const;

  SimClock& clock_;
  SimDisk& disk_;
  Prng prng_;
  SimFaults faults_;
  FaultCounts counts_;
  TraceHash trace_;
  std::map<Sequence, Pending> pending_;
  std::set<std::pair<std::int64_t, Sequence>> schedule_;
  std::map<Fd, DescriptionPtr> descriptors_;
  SimNetwork* network_ = nullptr;
  Host host_ = 0;
  Buffer buffers_;  // provided buffers, one after the other
  std::size_t buffer_bytes_ = 0;
  std::vector<std::uint16_t> free_buffers_;
  std::set<std::uint16_t> handed_out_;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t completions_ = 0;
  std::uint64_t bytes_received_ = 0;
  std::uint64_t crash_at_ = UINT64_MAX;
  bool crashed_ = false;
  bool woken_ = false;
};

}  // namespace hayward::sim
