// The buffers that the kernel picks from for a multishot receive (a provided buffer ring), and their
// way back to it. A buffer's pages are taken by the kernel only once it has received into them.
// Owner: one UringPort; its shard.
#pragma once

#include <liburing.h>

#include <cstdint>

#include "schemas/runtime/bytes.h"

namespace hayward::ring {

class BufferRing {
 public:
  static constexpr unsigned group = 0;

  BufferRing() = default;
  BufferRing(const BufferRing&) = delete;
  BufferRing& operator=(const BufferRing&) = delete;
  ~BufferRing();  // after the io_uring is closed: till then the kernel may write here

  // Maps the memory and registers it. count: a power of two up to 32768. 0 or -errno.
  int open(io_uring& uring, unsigned count, unsigned buffer_bytes);
  // The first `length` bytes of a buffer that the kernel has handed out.
  MutableBytes bytes(std::uint16_t id, std::size_t length) const;
  // Gives a buffer to the kernel again. Each handed-out buffer exactly once.
  void give_back(std::uint16_t id);

 private:
  io_uring_buf_ring* ring_ = nullptr;
  std::byte* buffers_ = nullptr;
  std::size_t ring_bytes_ = 0;
  unsigned count_ = 0;
  unsigned buffer_bytes_ = 0;
};

}  // namespace hayward::ring
