#include "schemas/runtime/reader.h"

namespace hayward {

std::uint32_t Reader::read_uvarint() {
  std::uint32_t value = 0;
  for (int shift = 0; shift <= 28; shift += 7) {
    const auto byte = fixed<std::uint8_t>();
    value |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  fail();
  return 0;
}

std::int32_t Reader::read_varint() {
  const std::uint32_t v = read_uvarint();
  return static_cast<std::int32_t>(v >> 1) ^ -static_cast<std::int32_t>(v & 1);
}

std::int64_t Reader::read_varlong() {
  std::uint64_t value = 0;
  for (int shift = 0; shift <= 63; shift += 7) {
    const auto byte = fixed<std::uint8_t>();
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  fail();
  return 0;
}

Bytes Reader::read_raw(std::size_t length) {
  if (remaining() < length) {
    fail();
    return {};
  }
  const Bytes bytes{at_, length};
  at_ += length;
  return bytes;
}

std::optional<std::string_view> Reader::read_nullable_string(bool compact) {
  const std::int64_t length = compact ? std::int64_t{read_uvarint()} - 1 : std::int64_t{read_i16()};
  if (!ok_ || length < 0) {
    if (length < -1) fail();
    return std::nullopt;
  }
  if (length > 32767) fail();
  return as_text(read_raw(ok_ ? static_cast<std::size_t>(length) : 0));
}

std::string_view Reader::read_string(bool compact) {
  const auto text = read_nullable_string(compact);
  if (!text) fail();
  return text.value_or(std::string_view{});
}

std::optional<Bytes> Reader::read_nullable_bytes(bool compact) {
  const std::int64_t length = compact ? std::int64_t{read_uvarint()} - 1 : std::int64_t{read_i32()};
  if (!ok_ || length < 0) {
    if (length < -1) fail();
    return std::nullopt;
  }
  return read_raw(static_cast<std::size_t>(length));
}

Bytes Reader::read_bytes(bool compact) {
  const auto bytes = read_nullable_bytes(compact);
  if (!bytes) fail();
  return bytes.value_or(Bytes{});
}

std::int32_t Reader::read_count(bool compact, std::size_t min_element_size) {
  const std::int64_t count = compact ? std::int64_t{read_uvarint()} - 1 : std::int64_t{read_i32()};
  if (!ok_) return 0;
  if (count < -1 || (count > 0 && static_cast<std::uint64_t>(count) > remaining() / (min_element_size ? min_element_size : 1))) {
    fail();
    return 0;
  }
  return static_cast<std::int32_t>(count);
}

}  // namespace hayward
