#include "schemas/runtime/uuid.h"

namespace hayward {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string Uuid::to_string() const {
  // 128 bits, 6 at a time from the top; the last character carries 2 bits.
  std::string text(22, '\0');
  for (int i = 0; i < 22; ++i) {
    const int shift = 122 - 6 * i;
    std::uint64_t six = 0;
    if (shift >= 64) six = hi >> (shift - 64);
    else if (shift >= 0) six = (shift > 58 ? hi << (64 - shift) : 0) | (lo >> shift);
    else six = lo << -shift;
    text[static_cast<std::size_t>(i)] = alphabet[six & 63];
  }
  return text;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 22) return std::nullopt;
  Uuid id;
  for (std::size_t i = 0; i < 22; ++i) {
    const auto six = alphabet.find(text[i]);
    if (six == std::string_view::npos) return std::nullopt;
    if (i == 21) {
      if (six & 15) return std::nullopt;
      id.hi = (id.hi << 2) | (id.lo >> 62);
      id.lo = (id.lo << 2) | (six >> 4);
    } else {
      id.hi = (id.hi << 6) | (id.lo >> 58);
      id.lo = (id.lo << 6) | six;
    }
  }
  return id;
}

}  // namespace hayward
