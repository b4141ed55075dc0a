// Hashes and HMACs of SHA-2, as pure functions over OpenSSL's libcrypto (docs/decisions/0008).
// Owner: engine/base. Any shard.
#pragma once

#include <cstdint>

#include "schemas/runtime/bytes.h"

namespace hayward {

enum class Hash : std::uint8_t { sha256, sha512 };

Buffer hash_of(Hash hash, Bytes data);
// An empty key is a key like any other.
Buffer hmac_of(Hash hash, Bytes key, Bytes data);

}  // namespace hayward
