// A small deterministic random generator (xoshiro256**, seeded by splitmix64): the only source of
// randomness in core and in the simulator; the seed comes from outside.
// Owner: whoever holds it. Any shard.
#pragma once

#include <cstdint>

#include "schemas/runtime/uuid.h"

namespace hayward {

class Prng {
 public:
  explicit Prng(std::uint64_t seed);
  std::uint64_t next();
  // Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // True with probability numerator / denominator.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) { return below(denominator) < numerator; }
  // A random (version 4) uuid whose text does not start with '-' and is not reserved, as Kafka's randomUuid.
  Uuid uuid();

 private:
  std::uint64_t state_[4];
};

}  // namespace hayward
