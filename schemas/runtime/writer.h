// Writes Kafka's primitive types. The same generated encoder runs over a SizeCounter (how long will
// it be) and over a Writer (into room that is known to suffice), so lengths that precede their
// content need no second buffer and no memmove.
// Owner: whoever owns the destination. Any shard.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "schemas/runtime/assert.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/uuid.h"

namespace hayward {

constexpr std::size_t uvarint_size(std::uint64_t value) {
  return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}
constexpr std::uint32_t zigzag(std::int32_t v) { return (static_cast<std::uint32_t>(v) << 1) ^ static_cast<std::uint32_t>(v >> 31); }
constexpr std::uint64_t zigzag(std::int64_t v) { return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63); }

// What both sinks share; Sink supplies put(const void*, size).
template <class Sink>
class BasicWriter {
 public:
  void write_bool(bool v) { write_i8(v ? 1 : 0); }
  void write_i8(std::int8_t v) { fixed(static_cast<std::uint8_t>(v)); }
  void write_i16(std::int16_t v) { fixed(static_cast<std::uint16_t>(v)); }
  void write_u16(std::uint16_t v) { fixed(v); }
  void write_i32(std::int32_t v) { fixed(static_cast<std::uint32_t>(v)); }
  void write_u32(std::uint32_t v) { fixed(v); }
  void write_i64(std::int64_t v) { fixed(static_cast<std::uint64_t>(v)); }
  void write_f64(double v) { fixed(std::bit_cast<std::uint64_t>(v)); }
  void write_uuid(const Uuid& v) {
    fixed(v.hi);
    fixed(v.lo);
  }
  void write_uvarint(std::uint64_t v) {
    while (v >= 0x80) {
      fixed(static_cast<std::uint8_t>(v | 0x80));
      v >>= 7;
    }
    fixed(static_cast<std::uint8_t>(v));
  }
  void write_varint(std::int32_t v) { write_uvarint(zigzag(v)); }
  void write_varlong(std::int64_t v) { write_uvarint(zigzag(v)); }
  void write_raw(Bytes v) {
    if (!v.empty()) sink().put(v.data(), v.size());
  }

  void write_string(std::string_view v, bool compact) { write_nullable_string(v, compact); }
  void write_nullable_string(std::optional<std::string_view> v, bool compact) {
    if (compact) {
      write_uvarint(v ? v->size() + 1 : 0);
    } else {
      HAYWARD_ASSERT(!v || v->size() <= 32767, "a classic string is at most 32767 bytes");
      write_i16(v ? static_cast<std::int16_t>(v->size()) : std::int16_t{-1});
    }
    if (v) write_raw(as_bytes(*v));
  }
  void write_bytes(Bytes v, bool compact) { write_nullable_bytes(v, compact); }
  void write_nullable_bytes(std::optional<Bytes> v, bool compact) {
    write_count(v ? static_cast<std::int64_t>(v->size()) : -1, compact);
    if (v) write_raw(*v);
  }
  // An array's count; -1: null.
  void write_count(std::int64_t count, bool compact) {
    if (compact) write_uvarint(static_cast<std::uint64_t>(count + 1));
    else write_i32(static_cast<std::int32_t>(count));
  }

 private:
  Sink& sink() { return static_cast<Sink&>(*this); }
  template <class T>
  void fixed(T value) {
    if constexpr (std::endian::native == std::endian::little && sizeof(T) > 1) value = std::byteswap(value);
    sink().put(&value, sizeof(T));
  }
};

// Counts what would be written.
class SizeCounter : public BasicWriter<SizeCounter> {
 public:
  void put(const void*, std::size_t size) { size_ += size; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

// Writes into given room; running past its end is a programmer error.
class Writer : public BasicWriter<Writer> {
 public:
  explicit Writer(MutableBytes room) : start_(room.data()), at_(room.data()), end_(room.data() + room.size()) {}

  void put(const void* from, std::size_t size) {
    HAYWARD_ASSERT(static_cast<std::size_t>(end_ - at_) >= size, "writer ran past its room");
    std::memcpy(at_, from, size);
    at_ += size;
  }
  std::size_t written() const { return static_cast<std::size_t>(at_ - start_); }
  std::size_t room() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  std::byte* start_;
  std::byte* at_;
  std::byte* end_;
};

}  // namespace hayward
