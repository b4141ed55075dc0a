// Bytes for tests: from hex, and in a heap block of exactly their size, so that AddressSanitizer sees
// a read of even one byte past them.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "schemas/runtime/bytes.h"

namespace hayward {

inline Buffer from_hex(std::string_view text) {
  Buffer bytes;
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits += c;
  }
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

class ExactBytes {
 public:
  explicit ExactBytes(Bytes from) : size_(from.size()), block_(new std::byte[from.size()]) {
    if (size_ > 0) std::memcpy(block_.get(), from.data(), size_);
  }
  operator Bytes() const { return {block_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> block_;
};

}  // namespace hayward
