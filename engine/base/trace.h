// A running 64-bit hash of what happened, for the simulator and for tests: the same seed must give the
// same hash. FNV-1a over the bytes that are fed.
// Owner: engine/base. Any shard.
#pragma once

#include <cstdint>

#include "schemas/runtime/bytes.h"

namespace hayward {

class TraceHash {
 public:
  void add(Bytes bytes);
  void add(std::uint64_t value);
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

}  // namespace hayward
