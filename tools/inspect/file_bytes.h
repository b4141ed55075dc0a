// A file that is only read, a window of it in memory at a time. Plain reads: `inspect` must work where io_uring
// does not, and a mapping would end the program when a live log is truncated.
// Owner: tools/inspect. The main thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "schemas/runtime/bytes.h"

namespace hayward::tools {

class FileBytes {
 public:
  // The error is errno.
  static std::expected<FileBytes, int> open(const std::string& path);
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&&) = delete;
  ~FileBytes();

  // Bytes of the file when it was opened or last looked at again.
  std::int64_t size() const { return size_; }
  // Drops what is in memory and asks for the size again: a live file grows.
  void look_again();
  // `count` bytes from `position` on, fewer at the file's end or at an error; until the next call.
  Bytes at(std::int64_t position, std::size_t count);
  // errno of the first read that failed; 0.
  int error() const { return error_; }

 private:
  explicit FileBytes(int fd) : fd_(fd) { look_again(); }

  int fd_;
  std::int64_t size_ = 0;
  int error_ = 0;
  Buffer window_;
  std::int64_t window_at_ = 0;
};

}  // namespace hayward::tools
