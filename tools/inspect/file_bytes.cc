#include "tools/inspect/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace hayward::tools {
namespace {

constexpr std::size_t window_bytes = 1 << 20;

}  // namespace

std::expected<FileBytes, int> FileBytes::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not hold us
  if (fd < 0) return std::unexpected(errno);
  return FileBytes(fd);
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(other.size_), error_(other.error_), window_(std::move(other.window_)),
      window_at_(other.window_at_) {}

FileBytes::~FileBytes() {
  if (fd_ >= 0) ::close(fd_);
}

void FileBytes::look_again() {
  window_.clear();
  struct stat status;
  if (::fstat(fd_, &status) == 0) size_ = status.st_size;
  else error_ = errno;
}

Bytes FileBytes::at(std::int64_t position, std::size_t count) {
  const std::int64_t window_end = window_at_ + static_cast<std::int64_t>(window_.size());
  if (position < window_at_ || position + static_cast<std::int64_t>(count) > window_end) {
    const std::int64_t left = std::max<std::int64_t>(0, size_ - position);
    window_.resize(static_cast<std::size_t>(std::min<std::int64_t>(left, static_cast<std::int64_t>(std::max(count, window_bytes)))));
    window_at_ = position;
    std::size_t held = 0;
    while (held < window_.size()) {
      const ssize_t got = ::pread(fd_, window_.data() + held, window_.size() - held, position + static_cast<std::int64_t>(held));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error_ = errno;
      if (got <= 0) break;
      held += static_cast<std::size_t>(got);
    }
    window_.resize(held);
  }
  const Bytes from = Bytes(window_).subspan(static_cast<std::size_t>(position - window_at_));
  return from.first(std::min(count, from.size()));
}

}  // namespace hayward::tools
