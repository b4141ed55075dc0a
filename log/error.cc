#include "log/error.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace hayward::log {

std::string LogError::to_line() const {
  std::string line = path + ": expected " + expected + ", found " + found;
  if (!advice.empty()) line += "; " + advice;
  return line;
}

std::string errno_text(std::int64_t number) {
  const int positive = static_cast<int>(std::llabs(number));
  std::string text = ::strerrordesc_np(positive) ? ::strerrordesc_np(positive) : "unknown error";
  const char* name = ::strerrorname_np(positive);
  return text + " (" + (name ? std::string(name) : std::to_string(positive)) + ")";
}

std::unexpected<LogError> io_error(std::string path, std::string what, std::int64_t negative_errno) {
  LogError error{LogError::Kind::io, std::move(path), std::move(what), errno_text(negative_errno), {}};
  if (negative_errno == -ENOSPC || negative_errno == -EDQUOT) error.advice = "free some space and start again";
  if (negative_errno == -EACCES || negative_errno == -EROFS || negative_errno == -EPERM)
    error.advice = "check who owns it and the mount's options";
  return std::unexpected(std::move(error));
}

}  // namespace hayward::log
