// ring::Port on io_uring: what the class holds, and how operations go in and completions come out.
// uring_port.cc has submission and completion, uring_operations.cc one function per operation,
// uring_setup.cc the making of a ring.
// Owner: one shard; its thread only, wake() apart.
#pragma once

#include <liburing.h>
#include <sys/socket.h>

#include <atomic>
#include <deque>
#include <memory>

#include "engine/host/ring/buffer_ring.h"
#include "engine/host/ring/uring.h"

namespace hayward::ring {

class UringPort final : public Port {
 public:
  UringPort() = default;
  UringPort(const UringPort&) = delete;
  UringPort& operator=(const UringPort&) = delete;
  ~UringPort() override;

  // Makes the ring on this thread; what failed, or error == 0.
  RingError open(const RingOptions& options);

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
  std::int64_t now_ns() const override;
  std::int64_t wall_ms() const override;

  unsigned run_once(bool wait) override;
  void wake() override;

  std::vector<std::string> list_directory(const char* path, int& error) override;
  std::int64_t file_size(const char* path) override;
  int try_lock(Fd) override;
  void drop_cache(Fd, std::uint64_t offset, std::uint64_t length) override;

 private:
  // What the kernel reads by pointer while it takes an entry in; one per submission slot, so that it
  // stays in place until then.
  union Argument {
    msghdr message;
    __kernel_timespec time;
  };
  // A completion outside the kernel's queue: made here, or moved here because its queue had to be emptied.
  struct Reaped {
    std::uint64_t tag;
    std::int32_t result;
    std::uint32_t flags;
  };

  // One entry for `operation`: `prepare` fills it by an io_uring_prep_... call. If the queue is full what is
  // there is submitted first.
  template <class Prepare>
  void submit(Operation& operation, Prepare&& prepare) {
    io_uring_sqe& entry = next_entry();
    prepare(&entry);
    entry.user_data = start(operation);
  }
  io_uring_sqe& next_entry();
  Argument& argument_of(const io_uring_sqe* entry);
  // Numbers the operation, marks it in flight, and gives the tag that its completions will carry.
  std::uint64_t start(Operation& operation);
  void arm_wake_read();
  void enter(bool wait);
  void move_completions_aside();
  bool deliver(const Reaped& reaped);
  void drain();

  io_uring uring_{};
  bool opened_ = false;
  BufferRing buffers_;
  std::unique_ptr<Argument[]> arguments_;
  std::deque<Reaped> aside_;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t in_flight_ = 0;  // entries whose terminal completion is still to come, our own included
  int wake_fd_ = -1;
  std::uint64_t wake_count_ = 0;  // the eventfd is read into this
  std::atomic<bool> wake_pending_ = false;
};

}  // namespace hayward::ring
