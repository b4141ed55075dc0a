// See hmac.h.
#include "engine/base/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "schemas/runtime/assert.h"

namespace hayward {
namespace {

const EVP_MD* method(Hash hash) { return hash == Hash::sha256 ? EVP_sha256() : EVP_sha512(); }

const unsigned char* raw(Bytes bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

Buffer taken(const unsigned char (&digest)[EVP_MAX_MD_SIZE], unsigned length) {
  const auto* begin = reinterpret_cast<const std::byte*>(digest);
  return Buffer(begin, begin + length);
}

}  // namespace

Buffer hash_of(Hash hash, Bytes data) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  const int done = EVP_Digest(raw(data), data.size(), digest, &length, method(hash), nullptr);
  HAYWARD_ASSERT(done == 1, "libcrypto has SHA-2");
  return taken(digest, length);
}

Buffer hmac_of(Hash hash, Bytes key, Bytes data) {
  static constexpr unsigned char nothing = 0;  // a null key would mean another thing to HMAC()
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  const unsigned char* at = key.empty() ? &nothing : raw(key);
  const auto* done = HMAC(method(hash), at, static_cast<int>(key.size()), raw(data), data.size(), digest, &length);
  HAYWARD_ASSERT(done != nullptr, "libcrypto has SHA-2");
  return taken(digest, length);
}

}  // namespace hayward
