// The answer that a connection is sending: its pieces, by gather write without a copy, and how far it has got.
// Owner: one connection. Its shard.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/host/driver/ports.h"
#include "schemas/runtime/bytes.h"

namespace hayward::net {

class Output {
 public:
  // A whole answer without its size.
  void set(Buffer bytes);
  // The same for at most small_bytes, which are copied; takes no memory.
  static constexpr std::size_t small_bytes = 60;
  void set_small(Bytes bytes);
  // head, the slice's length in its form, the slice, tail.
  void set(Buffer head, driver::LogSlice slice, Buffer tail, bool compact_length);
  // An answer whose size fits the int32 in front; else the connection must be closed.
  bool fits() const { return total_ <= INT32_MAX; }

  // What is left to send, at most as many pieces as one call takes; in place until advance or clear.
  std::span<const iovec> parts() const;
  // `sent` bytes of parts() are gone.
  void advance(std::size_t sent);
  bool done() const { return next_ == parts_.size(); }
  void clear();

 private:
  void add(Bytes bytes);
  void begin(std::uint64_t total);

  std::array<std::byte, 4 + small_bytes> start_{};  // the size, and a small answer
  std::array<std::byte, 10> length_{};
  Buffer head_;
  Buffer tail_;
  driver::LogSlice slice_;
  std::vector<iovec> parts_;
  std::size_t next_ = 0;     // first part that is not wholly sent
  std::uint64_t total_ = 0;  // what the size field says
};

}  // namespace hayward::net
