#include "schemas/batch/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace hayward {
namespace {

constexpr std::uint32_t reflected_polynomial = 0x82F63B78;

constexpr std::array<std::uint32_t, 256> table = [] {
  std::array<std::uint32_t, 256> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? reflected_polynomial : 0);
    t[i] = crc;
  }
  return t;
}();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(Bytes bytes, std::uint32_t so_far) {
  std::uint64_t crc = ~so_far;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto narrow = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++at, --left) narrow = _mm_crc32_u8(narrow, static_cast<std::uint8_t>(*at));
  return ~narrow;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(Bytes bytes, std::uint32_t so_far) {
  std::uint32_t crc = ~so_far;
  for (const std::byte b : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<std::uint32_t>(b)) & 0xff];
  return ~crc;
}

std::uint32_t crc32c(Bytes bytes, std::uint32_t so_far) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return crc32c_by_instruction(bytes, so_far);
#endif
  return crc32c_by_table(bytes, so_far);
}

}  // namespace hayward
