#include "log/batch_cursor.h"

#include <cerrno>

namespace hayward::log {

Step<std::int32_t> BatchCursor::fill(std::size_t needed) {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  const std::size_t held = buffer_.size();
  const auto left = static_cast<std::size_t>(end_ - position_);
  const std::size_t wanted = std::min(left, std::max(needed, chunk_bytes_));
  if (wanted <= held) co_return 0;
  buffer_.resize(wanted);
  const std::int64_t count = co_await read_fully(port_, fd_, MutableBytes(buffer_).subspan(held),
                                                 static_cast<std::uint64_t>(position_) + held);
  buffer_.resize(held + static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  if (count < 0) co_return static_cast<std::int32_t>(count);
  co_return buffer_.size() < wanted ? -EIO : 0;
}

}  // namespace hayward::log
