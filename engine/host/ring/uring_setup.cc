// Making a ring, and taking it down with nothing left in the kernel's hands.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "engine/host/ring/uring_port.h"

namespace hayward::ring {
namespace {

// The best flags first. Without SINGLE_ISSUER the kernel is older than 6.0 and has no multishot receive
// either, so there is no third row.
constexpr unsigned setup_flags[] = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,  // 6.1
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,   // 6.0
};

constexpr int drain_rounds = 50;
constexpr long drain_round_ns = 100'000'000;

int set_up(io_uring& uring, const RingOptions& options, unsigned& entries) {
  int error = -EINVAL;
  for (const unsigned flags : setup_flags) {
    io_uring_params params{};
    params.flags = flags | IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL;
    params.cq_entries = options.entries * 4;
    error = io_uring_queue_init_params(options.entries, &uring, &params);
    entries = params.sq_entries;
    if (error != -EINVAL) break;
  }
  return error;
}

}  // namespace

std::expected<std::unique_ptr<Port>, RingError> create_uring(const RingOptions& options) {
  auto port = std::make_unique<UringPort>();
  RingError failed = port->open(options);
  if (failed.error != 0) return std::unexpected(std::move(failed));
  return port;
}

RingError UringPort::open(const RingOptions& options) {
  const auto failed = [](int error, const char* call) {
    return explain_setup_error(-error, call, io_uring_disabled_sysctl());
  };
  unsigned entries = 0;
  if (const int error = set_up(uring_, options, entries); error != 0) return failed(error, "io_uring_setup");
  opened_ = true;
  arguments_ = std::make_unique<Argument[]>(entries);
  io_uring_register_ring_fd(&uring_);  // saves a descriptor look-up per call; works without
  if (const int error = buffers_.open(uring_, options.recv_buffers, options.recv_buffer_bytes); error != 0) {
    return failed(error, "registering the receive buffers");
  }
  wake_fd_ = eventfd(0, EFD_CLOEXEC);
  if (wake_fd_ < 0) return failed(-errno, "eventfd");
  arm_wake_read();
  return {};
}

UringPort::~UringPort() {
  if (opened_) {
    drain();
    io_uring_queue_exit(&uring_);
  }
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

// Owners' buffers are the kernel's until their operations end, so wait for that; but a dead disk must not
// keep the process from ending, hence the bound. Handlers and Operations are not touched: their owners may
// be gone already.
void UringPort::drain() {
  for (int round = 0; round < drain_rounds && in_flight_ > 0; ++round) {
    if (io_uring_sqe* entry = io_uring_get_sqe(&uring_); entry != nullptr) {
      io_uring_prep_cancel64(entry, 0, IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL);
      entry->user_data = 0;
      ++in_flight_;
    }
    __kernel_timespec patience{.tv_sec = 0, .tv_nsec = drain_round_ns};
    io_uring_cqe* completion = nullptr;
    io_uring_submit_and_wait_timeout(&uring_, &completion, static_cast<unsigned>(in_flight_), &patience, nullptr);
    while (io_uring_peek_cqe(&uring_, &completion) == 0) {
      if ((completion->flags & IORING_CQE_F_MORE) == 0) --in_flight_;
      io_uring_cqe_seen(&uring_, completion);
    }
  }
}

}  // namespace hayward::ring
