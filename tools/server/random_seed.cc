#include "tools/server/random_seed.h"

#include <sys/random.h>

#include "schemas/runtime/assert.h"

namespace hayward::tools {

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  HAYWARD_ASSERT(getrandom(&seed, sizeof seed, 0) == sizeof seed, "the kernel gives 8 random bytes at once");
  return seed;
}

}  // namespace hayward::tools
