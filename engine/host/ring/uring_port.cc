// How operations go into the kernel and how their completions come back.
#include "engine/host/ring/uring_port.h"

#include <unistd.h>

#include <cerrno>

#include "schemas/runtime/assert.h"

namespace hayward::ring {
namespace {

// A completion's tag is the operation's address and, above it, the low bits of its sequence: a cancel that
// comes too late then misses an operation that has since been used again.
constexpr unsigned address_bits = 48;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
constexpr std::uint64_t own_tag = 0;  // the port's own entries

std::uint64_t tag_of(const Operation& operation) {
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&operation));
  HAYWARD_ASSERT((address & ~address_mask) == 0, "a user address has 48 bits");
  return address | operation.sequence << address_bits;
}

bool may_be_tried_again(int error) { return error == -EINTR || error == -EAGAIN || error == -EBUSY; }

}  // namespace

io_uring_sqe& UringPort::next_entry() {
  for (;;) {
    if (io_uring_sqe* entry = io_uring_get_sqe(&uring_); entry != nullptr) return *entry;
    const int submitted = io_uring_submit(&uring_);
    if (submitted >= 0) continue;
    HAYWARD_ASSERT(may_be_tried_again(submitted), "io_uring_enter");
    move_completions_aside();  // what the kernel refuses for is room in its completion queue
  }
}

UringPort::Argument& UringPort::argument_of(const io_uring_sqe* entry) { return arguments_[entry - uring_.sq.sqes]; }

std::uint64_t UringPort::start(Operation& operation) {
  HAYWARD_ASSERT(!operation.in_flight && operation.handler != nullptr, "one use of an operation at a time");
  operation.sequence = ++last_sequence_;
  operation.in_flight = true;
  ++in_flight_;
  return tag_of(operation);
}

void UringPort::cancel(Operation& operation, Operation& target) {
  const std::uint64_t tag = tag_of(target);
  submit(operation, [tag](io_uring_sqe* entry) { io_uring_prep_cancel64(entry, tag, 0); });
}

void UringPort::arm_wake_read() {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_read(&entry, wake_fd_, &wake_count_, sizeof wake_count_, 0);
  entry.user_data = own_tag;
  ++in_flight_;
}

void UringPort::wake() {
  // The read-modify-writes chain: whoever finds true is seen by the exchange that clears it, so what was
  // done before a wake is visible after the run_once that it ends.
  if (wake_pending_.exchange(true, std::memory_order_acq_rel)) return;
  const std::uint64_t one = 1;
  while (::write(wake_fd_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void UringPort::enter(bool wait) {
  const int result = wait ? io_uring_submit_and_wait(&uring_, 1) : io_uring_submit_and_get_events(&uring_);
  HAYWARD_ASSERT(result >= 0 || may_be_tried_again(result), "io_uring_enter");
}

void UringPort::move_completions_aside() {
  io_uring_cqe* completion = nullptr;
  while (io_uring_peek_cqe(&uring_, &completion) == 0) {
    aside_.push_back({completion->user_data, completion->res, completion->flags});
    io_uring_cqe_seen(&uring_, completion);
  }
}

unsigned UringPort::run_once(bool wait) {
  enter(wait && aside_.empty());
  unsigned delivered = 0;
  for (std::size_t left = aside_.size(); left > 0; --left) {
    const Reaped reaped = aside_.front();
    aside_.pop_front();
    delivered += deliver(reaped);
  }
  // A handler may have moved completions aside: these are older and go first, next time.
  for (unsigned ready = io_uring_cq_ready(&uring_); ready > 0 && aside_.empty(); --ready) {
    io_uring_cqe* completion = nullptr;
    if (io_uring_peek_cqe(&uring_, &completion) != 0) break;
    const Reaped reaped{completion->user_data, completion->res, completion->flags};
    io_uring_cqe_seen(&uring_, completion);
    delivered += deliver(reaped);
  }
  return delivered;
}

bool UringPort::deliver(const Reaped& reaped) {
  const bool more = (reaped.flags & IORING_CQE_F_MORE) != 0;
  if (!more) --in_flight_;
  if (reaped.tag == own_tag) {
    wake_pending_.exchange(false, std::memory_order_acq_rel);
    arm_wake_read();
    return false;
  }
  auto& operation = *reinterpret_cast<Operation*>(reaped.tag & address_mask);
  HAYWARD_ASSERT(operation.in_flight && tag_of(operation) == reaped.tag, "an operation stays until it is complete");
  Completion completion{.result = reaped.result, .more = more};
  if ((reaped.flags & IORING_CQE_F_BUFFER) != 0) {
    completion.buffer_id = static_cast<std::uint16_t>(reaped.flags >> IORING_CQE_BUFFER_SHIFT);
    if (reaped.result > 0) {
      completion.buffer = buffers_.bytes(completion.buffer_id, static_cast<std::size_t>(reaped.result));
    } else {
      buffers_.give_back(completion.buffer_id);  // taken, but nothing in it
    }
  }
  if (!more) operation.in_flight = false;
  operation.handler(operation, completion);
  return true;
}

}  // namespace hayward::ring
