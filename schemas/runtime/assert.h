// Programmer errors end the process, in release builds too. Never used on a peer's input.
// Owner: schemas/runtime. Any shard.
#pragma once

namespace hayward {

// Prints "assertion failed: EXPRESSION (NOTE) at FILE:LINE" on stderr and aborts.
[[noreturn]] void assertion_failed(const char* expression, const char* note, const char* file, int line);

}  // namespace hayward

// `note` says which rule is broken: an invariant's id (docs/invariants.md) or a few words.
#define HAYWARD_ASSERT(expression, note)                                                  \
  do {                                                                                    \
    if (!(expression)) [[unlikely]]                                                       \
      ::hayward::assertion_failed(#expression, note, __FILE__, __LINE__);                 \
  } while (false)
