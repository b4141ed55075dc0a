// CRC32C: known values, and instruction against table.
#include "schemas/batch/crc32c.h"

#include <gtest/gtest.h>

#include "engine/base/prng.h"

namespace hayward {
namespace {

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c(as_bytes("123456789")), 0xE3069283u);
  EXPECT_EQ(crc32c(Buffer(32)), 0x8A9136AAu);                   // RFC 3720, 32 bytes of zeros
  EXPECT_EQ(crc32c(Buffer(32, std::byte{0xff})), 0x62A8AB43u);  // and of ones
}

TEST(Crc32c, InstructionAndTableAgreeAtEveryLengthAndStart) {
  Prng prng(1);
  Buffer bytes(300);
  for (std::byte& b : bytes) b = static_cast<std::byte>(prng.next());
  for (std::size_t start = 0; start < 9; ++start) {
    for (std::size_t size = 0; start + size <= bytes.size(); ++size) {
      const Bytes part = Bytes(bytes).subspan(start, size);
      ASSERT_EQ(crc32c(part), crc32c_by_table(part)) << start << " " << size;
    }
  }
}

TEST(Crc32c, GoesOnFromWhatItReturned) {
  const Bytes all = as_bytes("the village officer who kept the fences");
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    EXPECT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), crc32c(all));
    EXPECT_EQ(crc32c_by_table(all.subspan(cut), crc32c_by_table(all.first(cut))), crc32c(all));
  }
}

}  // namespace
}  // namespace hayward
