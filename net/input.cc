// See input.h.
#include "net/input.h"

namespace hayward::net {
namespace {

constexpr std::size_t keep_capacity_bytes = 16384;  // an empty buffer above this is given back

}  // namespace

void Input::append(Bytes bytes) {
  if (start_ > 0 && start_ >= buffer_.size() / 2) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(start_));
    announced_ -= start_;
    start_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());  // doubles
}

std::optional<Bytes> Input::announce(MonoTime arrival) {
  const Frame frame = next_frame(Bytes(buffer_).subspan(announced_), max_frame_bytes_);
  if (frame.status != FrameStatus::complete) return std::nullopt;
  announced_ += frame.consumed;
  arrivals_.push_back(arrival);
  return frame.payload;
}

std::optional<Input::Waiting> Input::front() const {
  if (!has_announced()) return std::nullopt;
  return Waiting{next().payload, arrivals_[first_arrival_]};
}

void Input::pop() {
  start_ += next().consumed;
  if (++first_arrival_ == arrivals_.size()) {
    arrivals_.clear();
    first_arrival_ = 0;
  }
  if (empty()) clear();
}

bool Input::bad() const { return !has_announced() && next().status == FrameStatus::bad_size; }

void Input::clear() {
  if (buffer_.capacity() > keep_capacity_bytes)
    Buffer().swap(buffer_);
  else
    buffer_.clear();
  start_ = 0;
  announced_ = 0;
  arrivals_.clear();
  first_arrival_ = 0;
}

}  // namespace hayward::net
