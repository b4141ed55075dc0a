#include "engine/base/prng.h"

#include <bit>

#include "schemas/runtime/assert.h"

namespace hayward {

Prng::Prng(std::uint64_t seed) {
  for (auto& word : state_) {
    seed += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Prng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Prng::below(std::uint64_t bound) {
  HAYWARD_ASSERT(bound > 0, "Prng::below wants a positive bound");
  // Rejection keeps it uniform; the limit is the largest multiple of bound that fits.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t value = next();
  while (value >= limit) value = next();
  return value % bound;
}

Uuid Prng::uuid() {
  while (true) {
    Uuid id{next(), next()};
    id.hi = (id.hi & ~0xF000ull) | 0x4000ull;
    id.lo = (id.lo & ~(3ull << 62)) | (2ull << 62);
    const bool reserved = id.hi == 0 && id.lo < 100;
    if (!reserved && id.to_string()[0] != '-') return id;
  }
}

}  // namespace hayward
