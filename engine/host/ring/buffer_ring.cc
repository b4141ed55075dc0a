#include "engine/host/ring/buffer_ring.h"

#include <sys/mman.h>

#include <bit>
#include <cerrno>

#include "schemas/runtime/assert.h"

namespace hayward::ring {
namespace {

void* map(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

BufferRing::~BufferRing() {
  if (ring_ != nullptr) munmap(ring_, ring_bytes_);
  if (buffers_ != nullptr) munmap(buffers_, std::size_t{count_} * buffer_bytes_);
}

int BufferRing::open(io_uring& uring, unsigned count, unsigned buffer_bytes) {
  HAYWARD_ASSERT(std::has_single_bit(count) && count <= 32768 && buffer_bytes > 0, "recv_buffers is a power of two");
  count_ = count;
  buffer_bytes_ = buffer_bytes;
  ring_bytes_ = count * sizeof(io_uring_buf);
  ring_ = static_cast<io_uring_buf_ring*>(map(ring_bytes_));
  buffers_ = static_cast<std::byte*>(map(std::size_t{count_} * buffer_bytes_));
  if (ring_ == nullptr || buffers_ == nullptr) return -ENOMEM;
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
  registration.ring_entries = count;
  registration.bgid = group;
  if (const int error = io_uring_register_buf_ring(&uring, &registration, 0); error != 0) return error;
  io_uring_buf_ring_init(ring_);
  for (unsigned id = 0; id < count; ++id) give_back(static_cast<std::uint16_t>(id));
  return 0;
}

MutableBytes BufferRing::bytes(std::uint16_t id, std::size_t length) const {
  HAYWARD_ASSERT(id < count_ && length <= buffer_bytes_, "a buffer of this ring");
  return {buffers_ + std::size_t{id} * buffer_bytes_, length};
}

void BufferRing::give_back(std::uint16_t id) {
  HAYWARD_ASSERT(id < count_, "a buffer of this ring");
  // Not by io_uring_buf_ring_add: its bufs[0] is out of bounds to a sanitizer. Entry 0's last two bytes are the tail.
  auto* entries = reinterpret_cast<io_uring_buf*>(ring_);
  io_uring_buf& entry = entries[ring_->tail & (count_ - 1)];
  entry.addr = reinterpret_cast<std::uintptr_t>(buffers_ + std::size_t{id} * buffer_bytes_);
  entry.len = buffer_bytes_;
  entry.bid = id;
  io_uring_buf_ring_advance(ring_, 1);
}

}  // namespace hayward::ring
