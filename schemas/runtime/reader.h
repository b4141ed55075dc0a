// Reads Kafka's primitive types from bytes that a peer sent. A fault (cut short, a length or count
// beyond what is left, a varint too long) is remembered: every later read gives a zero value
// and ok() stays false, so a decoder checks once, at its end. Nothing is copied; no memory is taken
// on the word of a length.
// Owner: whoever owns the bytes. Any shard.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "schemas/runtime/arena.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/uuid.h"

namespace hayward {

class Reader {
 public:
  explicit Reader(Bytes bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  void fail() {
    ok_ = false;
    at_ = end_;
  }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  Bytes rest() const { return {at_, remaining()}; }

  bool read_bool() { return read_i8() != 0; }
  std::int8_t read_i8() { return static_cast<std::int8_t>(fixed<std::uint8_t>()); }
  std::int16_t read_i16() { return static_cast<std::int16_t>(fixed<std::uint16_t>()); }
  std::uint16_t read_u16() { return fixed<std::uint16_t>(); }
  std::int32_t read_i32() { return static_cast<std::int32_t>(fixed<std::uint32_t>()); }
  std::uint32_t read_u32() { return fixed<std::uint32_t>(); }
  std::int64_t read_i64() { return static_cast<std::int64_t>(fixed<std::uint64_t>()); }
  double read_f64() { return std::bit_cast<double>(fixed<std::uint64_t>()); }
  Uuid read_uuid() {
    const auto hi = fixed<std::uint64_t>();
    return {hi, fixed<std::uint64_t>()};
  }
  std::uint32_t read_uvarint();   // at most 5 bytes
  std::int32_t read_varint();     // zig-zag
  std::int64_t read_varlong();    // zig-zag, at most 10 bytes

  // `length` raw bytes; a fault if fewer are left.
  Bytes read_raw(std::size_t length);

  // Classic (length i16 / i32, -1: null) or compact (uvarint length + 1, 0: null) forms. The
  // non-nullable readers take null as a fault.
  std::string_view read_string(bool compact);
  std::optional<std::string_view> read_nullable_string(bool compact);
  Bytes read_bytes(bool compact);
  std::optional<Bytes> read_nullable_bytes(bool compact);

  // An array's count; -1: null. A count above remaining() / min_element_size is a fault, which
  // bounds what is allocated by what was received.
  std::int32_t read_count(bool compact, std::size_t min_element_size);

 private:
  template <class T>
  T fixed() {
    if (remaining() < sizeof(T)) [[unlikely]] {
      fail();
      return 0;
    }
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    if constexpr (std::endian::native == std::endian::little && sizeof(T) > 1) value = std::byteswap(value);
    return value;
  }

  const std::byte* at_;
  const std::byte* end_;
  bool ok_ = true;
};

}  // namespace hayward
