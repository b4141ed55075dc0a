// What can be wrong with a directory, a file or a write, as a named error with one line for the operator.
// Owner: log. Shard 0 and the tools.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace hayward::log {

struct LogError {
  enum class Kind : std::uint8_t {
    io,                 // the operating system refused (errno in `found`)
    locked,             // another process holds the directory
    format,             // a file's content is not what its format says
    version,            // a file of a version that is not known here
    damaged,            // acknowledged data is gone or broken: not cut in silence
    inconsistent,       // files that are each fine contradict each other
    already_formatted,
    not_formatted,
    invalid_argument,
  };

  Kind kind = Kind::io;
  std::string path;      // file or directory
  std::string expected;
  std::string found;
  std::string advice;    // what to do; may be empty

  // "PATH: expected EXPECTED, found FOUND; ADVICE"
  std::string to_line() const;
};

template <class T>
using Result = std::expected<T, LogError>;

// An error of the operating system: `what` was wanted ("to be read"), `negative_errno` came back.
std::unexpected<LogError> io_error(std::string path, std::string what, std::int64_t negative_errno);

// "Input/output error (EIO)" for the numbers that matter, else strerror's text; takes errno or -errno.
std::string errno_text(std::int64_t number);

}  // namespace hayward::log
