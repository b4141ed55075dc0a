// The port to the operating system: every socket, file and timer operation that Hayward does at run
// time goes through here, so that the real log and net code also runs on a simulated ring
// (tests/sim). Back-ends: io_uring (uring.h), simulated (tests/sim/ring), later epoll.
// Owner: one shard; an instance is used by its own thread only, wake() apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/uio.h>

#include "schemas/runtime/bytes.h"

namespace hayward::ring {

using Fd = int;

// How an operation ended. `result` is what the call would have returned: >= 0, or -errno.
struct Completion {
  std::int32_t result = 0;
  bool more = false;           // a multishot operation goes on: more completions will come
  MutableBytes buffer{};       // recv_multishot: the bytes received, in a ring buffer; give back by release_buffer
  std::uint16_t buffer_id = 0;
};

// One operation in flight. The owner embeds it and keeps it, and every buffer, path and iovec it
// passed, in place until the terminal completion (more == false): until then they are the kernel's.
struct Operation {
  using Handler = void (*)(Operation& self, const Completion& completion);

  Handler handler = nullptr;
  void* owner = nullptr;
  bool in_flight = false;      // set by the port on submit, cleared before the terminal handler call
  std::uint64_t sequence = 0;  // the port's own: order of submission
};

// Sizes, fixed at creation.
struct RingOptions {
  unsigned entries = 256;            // submission queue; completions: 4 x
  unsigned recv_buffers = 128;       // provided buffers, a power of two
  unsigned recv_buffer_bytes = 8192;
};

class Port {
 public:
  virtual ~Port() = default;

  // --- making sockets: at once, without an operation. The descriptor, or -errno. All are close-on-exec,
  // blocking (the ring waits, not the call) and TCP_NODELAY; accepted ones inherit that.
  virtual Fd make_socket(int family) = 0;
  // Bound and listening. reuse_port: one listener per shard on one address (SO_REUSEPORT).
  virtual Fd make_listener(const sockaddr* address, socklen_t length, int backlog, bool reuse_port) = 0;
  // The socket's own and its peer's address; 0 or -errno.
  virtual int local_address(Fd, sockaddr_storage& out) = 0;
  virtual int peer_address(Fd, sockaddr_storage& out) = 0;

  // --- sockets. A multishot operation may end (more == false) after any completion, one with data or a
  // descriptor included: what it carries is valid, and the caller arms again if it still wants more.
  // Each completion's result is a new descriptor.
  virtual void accept_multishot(Operation&, Fd listener) = 0;
  virtual void connect(Operation&, Fd, const sockaddr* address, socklen_t length) = 0;
  // Each completion with a result > 0 carries a provided buffer, to be given back by release_buffer; 0 is
  // the peer's end. -ENOBUFS ends it: re-arm only after a buffer is back.
  virtual void recv_multishot(Operation&, Fd) = 0;
  virtual void recv(Operation&, Fd, MutableBytes into) = 0;
  virtual void release_buffer(std::uint16_t buffer_id) = 0;
  // Gather send. May be partial: the caller continues. No SIGPIPE: -EPIPE.
  virtual void send(Operation&, Fd, std::span<const iovec> parts) = 0;
  virtual void shutdown(Operation&, Fd, int how) = 0;
  virtual void close(Operation&, Fd) = 0;

  // --- files. Paths are absolute or relative to the process.
  virtual void open(Operation&, const char* path, int flags, unsigned mode) = 0;
  virtual void read(Operation&, Fd, MutableBytes into, std::uint64_t offset) = 0;
  // durable: what it wrote (and the size) is on stable storage when it completes (RWF_DSYNC). May be short
  // (always when there are more than IOV_MAX parts): the caller continues.
  virtual void write(Operation&, Fd, std::span<const iovec> parts, std::uint64_t offset, bool durable) = 0;
  virtual void fsync(Operation&, Fd, bool data_only) = 0;  // a directory's descriptor too
  // Reserves space without changing the file's size (FALLOC_FL_KEEP_SIZE).
  virtual void fallocate(Operation&, Fd, std::uint64_t offset, std::uint64_t length) = 0;
  virtual void truncate(Operation&, Fd, std::uint64_t length) = 0;
  virtual void rename(Operation&, const char* from, const char* to) = 0;
  virtual void unlink(Operation&, const char* path) = 0;
  virtual void make_directory(Operation&, const char* path, unsigned mode) = 0;

  // --- time and control
  // Completes with 0 in the next round: what one round of completions set off can be gathered.
  virtual void nop(Operation&) = 0;
  // Fires once at `deadline_ns` of now_ns()'s clock with result -ETIME.
  virtual void timeout(Operation&, std::int64_t deadline_ns) = 0;
  // Asks for an early end of `target` (it completes with -ECANCELED or its own result, in either
  // order with this one's completion). Result: 0 found; -ENOENT already complete; -EALREADY past stopping.
  virtual void cancel(Operation&, Operation& target) = 0;
  // CLOCK_MONOTONIC and CLOCK_REALTIME; simulated in the simulator.
  virtual std::int64_t now_ns() const = 0;
  virtual std::int64_t wall_ms() const = 0;

  // Submits what is queued, waits for at least one completion (or a wake) when `wait`, and calls the
  // handlers of all that is there. Handlers may submit. Returns the number of completions; 0 after a
  // wake or a signal.
  virtual unsigned run_once(bool wait) = 0;
  // Ends a waiting run_once; from any thread.
  virtual void wake() = 0;

  // --- listing and status that have no ring form; used at start-up and by clean-up only.
  // Names in a directory, sorted; -errno in `error` on failure.
  virtual std::vector<std::string> list_directory(const char* path, int& error) = 0;
  // A file's size, or -errno.
  virtual std::int64_t file_size(const char* path) = 0;
  // Takes an exclusive lock on the whole file that also keeps a Java process out (an open file
  // description lock, F_OFD_SETLK); it goes with the descriptor. 0, or -errno (-EAGAIN: held elsewhere).
  virtual int try_lock(Fd) = 0;
  // Drops cached pages of the range so that a read sees what the disk has.
  virtual void drop_cache(Fd, std::uint64_t offset, std::uint64_t length) = 0;
};

}  // namespace hayward::ring
