// What a connection has received and not yet handed on: the part of a frame that straddles receive
// buffers, and the frames that wait behind the one being answered. It grows with what arrives, never on the
// word of a length.
// Owner: one connection. Its shard.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/time.h"
#include "net/frame.h"
#include "schemas/runtime/bytes.h"

namespace hayward::net {

class Input {
 public:
  struct Waiting {
    Bytes payload;     // valid until pop() or append()
    MonoTime arrival;  // when its last byte came
  };

  explicit Input(std::int32_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}

  void append(Bytes bytes);
  // The next frame that is complete and was not announced before, in order; it is stamped with `arrival`.
  // nullopt: no more (or what follows is no frame: see bad()).
  std::optional<Bytes> announce(MonoTime arrival);
  // The oldest announced frame; nullopt: none.
  std::optional<Waiting> front() const;
  void pop();
  // Of the announced frames that wait, oldest first.
  std::vector<MonoTime> arrivals() const {
    return {arrivals_.begin() + static_cast<std::ptrdiff_t>(first_arrival_), arrivals_.end()};
  }
  // No announced frame waits and what is there has a bad size; `next` then tells it.
  bool bad() const;
  Frame next() const { return next_frame(held(), max_frame_bytes_); }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return buffer_.size() - start_; }
  Bytes held() const { return Bytes(buffer_).subspan(start_); }
  void clear();

 private:
  bool has_announced() const { return first_arrival_ < arrivals_.size(); }

  std::int32_t max_frame_bytes_;
  Buffer buffer_;
  std::size_t start_ = 0;           // handed on before it
  std::size_t announced_ = 0;       // announced before it; >= start_
  std::vector<MonoTime> arrivals_;  // of the announced frames
  std::size_t first_arrival_ = 0;   // of those not popped
};

}  // namespace hayward::net
