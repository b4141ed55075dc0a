// Whether the bytes at some place of a file are a whole, intact batch. Pure, so that recovery, readers,
// `inspect` and the fuzzer share it.
// Owner: log. Any shard.
#pragma once

#include <cstdint>
#include <string>

#include "schemas/batch/format.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::log {

struct BatchCheck {
  enum class Outcome : std::uint8_t {
    valid,
    need_more,  // so many bytes (`needed`) must be available to tell
    bad,        // `expected` and `found` say why
  };
  Outcome outcome = Outcome::bad;
  std::size_t needed = 0;
  BatchHeader header;             // valid; bad: if skippable
  bool skippable = false;         // bad: the header makes sense, so that the next batch may follow at header.size()
  std::string expected;
  std::string found;
};

// Looks at the front of `available`; `remaining` is how much the file holds from there, at least
// available.size().
BatchCheck check_file_batch(Bytes available, std::uint64_t remaining);

inline Offset end_of(const BatchHeader& header) { return Offset{header.last_offset().value + 1}; }

}  // namespace hayward::log
