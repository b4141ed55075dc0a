// HMAC and SHA-2 against published vectors: RFC 4231 (HMAC), FIPS 180-4's "abc".
#include <gtest/gtest.h>

#include <string>

#include "engine/base/hmac.h"

namespace hayward {
namespace {

std::string hex(const Buffer& bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[std::to_integer<int>(byte) >> 4];
    text += digits[std::to_integer<int>(byte) & 15];
  }
  return text;
}

Buffer repeated(int byte, std::size_t times) { return Buffer(times, static_cast<std::byte>(byte)); }

struct Vector {
  Buffer key;
  Buffer data;
  const char* sha256;
  const char* sha512;
};

Buffer bytes(std::string_view text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

TEST(Hmac, Rfc4231) {
  const Vector vectors[] = {
      {repeated(0x0b, 20), bytes("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
       "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f170"
       "2e696c203a126854"},
      {bytes("Jefe"), bytes("what do ya want for nothing?"),
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
       "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b"
       "636e070a38bce737"},
      {repeated(0xaa, 20), repeated(0xdd, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
       "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee89426"
       "74278859e13292fb"},
      {repeated(0xaa, 131), bytes("Test Using Larger Than Block-Size Key - Hash Key First"),
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
       "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec"
       "8b915a985d786598"},
  };
  for (const Vector& vector : vectors) {
    EXPECT_EQ(hex(hmac_of(Hash::sha256, vector.key, vector.data)), vector.sha256);
    EXPECT_EQ(hex(hmac_of(Hash::sha512, vector.key, vector.data)), vector.sha512);
  }
}

TEST(Hmac, AnEmptyKeyAndNoData) {
  EXPECT_EQ(hex(hmac_of(Hash::sha256, {}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Hash, Fips180) {
  EXPECT_EQ(hex(hash_of(Hash::sha256, as_bytes("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(hash_of(Hash::sha512, as_bytes("abc"))),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e"
            "2a9ac94fa54ca49f");
}

}  // namespace
}  // namespace hayward
