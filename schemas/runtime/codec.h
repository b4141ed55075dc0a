// What generated decoders and encoders share: arrays and tagged fields.
// Owner: schemas/runtime. Any shard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "schemas/runtime/array.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/error_code.h"
#include "schemas/runtime/ids.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward {

struct ArrayForm {
  bool compact;
  bool nullable;
  std::size_t min_element_size;  // on the wire, in this version
};

// Reads a count, then each element by read_item(T&). Room is taken only for elements that the
// bytes left can hold.
template <class T, class ReadItem>
void read_array(Reader& r, ArrayForm form, Arena& arena, Array<T>& out, ReadItem&& read_item) {
  out = Array<T>{};
  const std::int32_t count = r.read_count(form.compact, form.min_element_size);
  if (count < 0) {
    if (form.nullable)
      out = Array<T>::null();
    else
      r.fail();
    return;
  }
  out.reserve(arena, static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count && r.ok(); ++i) read_item(out.push_back(arena));
}

// Calls read_field(tag, Reader over the field's bytes) -> whether the tag is known. Unknown ones
// are skipped; a known one must fill its size exactly. Order and repetition are not checked: the last wins.
template <class ReadField>
void read_tagged_fields(Reader& r, ReadField&& read_field) {
  const std::uint32_t count = r.read_uvarint();
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    const std::uint32_t tag = r.read_uvarint();
    const std::uint32_t size = r.read_uvarint();
    Reader field(r.read_raw(size));
    if (r.ok() && read_field(tag, field) && (!field.ok() || field.remaining() != 0)) r.fail();
  }
}

inline void skip_tagged_fields(Reader& r) {
  read_tagged_fields(r, [](std::uint32_t, Reader&) { return false; });
}

// Tag, size, then the content that write_content(sink) writes.
template <class Sink, class WriteContent>
void write_tagged(Sink& w, std::uint32_t tag, WriteContent&& write_content) {
  SizeCounter size;
  write_content(size);
  w.write_uvarint(tag);
  w.write_uvarint(size.size());
  write_content(w);
}

template <class T>
std::int64_t count(const Array<T>& array) {
  return static_cast<std::int64_t>(array.size());
}
template <class T>
std::int64_t count_or_null(const Array<T>& array) {
  return array.is_null() ? -1 : count(array);
}

inline bool same_bytes(Bytes a, Bytes b) { return std::ranges::equal(a, b); }
inline bool same_bytes(const std::optional<Bytes>& a, const std::optional<Bytes>& b) {
  return a.has_value() == b.has_value() && (!a || std::ranges::equal(*a, *b));
}

}  // namespace hayward
