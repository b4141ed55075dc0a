#include "schemas/runtime/assert.h"

#include <cstdio>
#include <cstdlib>

namespace hayward {

void assertion_failed(const char* expression, const char* note, const char* file, int line) {
  std::fprintf(stderr, "assertion failed: %s (%s) at %s:%d\n", expression, note, file, line);
  std::abort();
}

}  // namespace hayward
