// Turns a response struct into the bytes that go out: response header, then body.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "schemas/runtime/bytes.h"
#include "schemas/runtime/writer.h"

namespace hayward::core {

// Response header v1 has tagged fields (none is sent); ApiVersions always has v0.
template <class Response>
constexpr bool has_tagged_header(std::int16_t version) {
  constexpr std::int16_t api_versions = 18;
  return version >= Response::first_flexible_version && Response::api_key != api_versions;
}

template <class Response>
Buffer encode_answer(std::int32_t correlation_id, std::int16_t version, const Response& response) {
  const std::size_t header = sizeof(correlation_id) + (has_tagged_header<Response>(version) ? 1 : 0);
  Buffer bytes(header + encoded_size(response, version));
  Writer writer(bytes);
  writer.write_i32(correlation_id);
  if (has_tagged_header<Response>(version)) writer.write_uvarint(0);
  encode(writer, response, version);
  return bytes;
}

// An answer whose records are not in memory: head ends before their length, tail follows them.
struct SplitAnswer {
  Buffer head;
  Buffer tail;
};

// `records` is the field of `response` that is left out; of a flexible version. It is found as the place where
// the encodings with no and with one byte of records begin to differ: their lengths.
template <class Response>
SplitAnswer split_answer(std::int32_t correlation_id, std::int16_t version, Response& response,
                         std::optional<Bytes>& records) {
  static constexpr std::byte one_byte[1] = {};
  records = Bytes(one_byte);
  const Buffer with = encode_answer(correlation_id, version, response);
  records = Bytes{};
  Buffer without = encode_answer(correlation_id, version, response);
  const auto at = std::mismatch(without.begin(), without.end(), with.begin(), with.end()).first;
  SplitAnswer split;
  split.tail.assign(at + 1, without.end());
  without.erase(at, without.end());
  split.head = std::move(without);
  return split;
}

}  // namespace hayward::core
