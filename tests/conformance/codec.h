// Every message and record by name, for tests that go over all of them.
#pragma once

#include <span>
#include <string_view>

#include "tests/conformance/random.h"

namespace hayward::conformance {

struct Codec {
  std::string_view name;
  std::int16_t min_version;
  std::int16_t max_version;
  // Whether `in` decodes.
  bool (*accepts)(Bytes in, std::int16_t version);
  // Decodes `in`, which must be used up, and encodes what came out; false if it does not decode.
  bool (*recode)(Bytes in, std::int16_t version, Buffer& out);
  // Encodes random content. False if it is called unrepresentable, if the size told beforehand is
  // not the size written, or if it does not decode to what it was.
  bool (*produce)(Random& random, std::int16_t version, Buffer& out);
};

std::span<const Codec> messages_codecs();
std::span<const Codec> records_codecs();
// Calls visit(codec) for both.
template <class Visit>
void for_each_codec(Visit&& visit) {
  for (const Codec& codec : messages_codecs()) visit(codec);
  for (const Codec& codec : records_codecs()) visit(codec);
}
const Codec* find_codec(std::string_view name);

template <class Message>
bool encode_whole(const Message& message, std::int16_t version, Buffer& out) {
  out.resize(encoded_size(message, version));
  Writer writer{MutableBytes(out)};
  encode(writer, message, version);
  return writer.room() == 0;
}

template <class Message>
constexpr Codec make_codec(std::string_view name, auto fill) {
  using Fill = decltype(fill);
  return {name,
          Message::min_version,
          Message::max_version,
          [](Bytes in, std::int16_t version) {
            Reader reader(in);
            Arena arena;
            Message message;
            return decode(reader, version, arena, message);
          },
          [](Bytes in, std::int16_t version, Buffer& out) {
            Reader reader(in);
            Arena arena;
            Message message;
            if (!decode(reader, version, arena, message) || reader.remaining() != 0) return false;
            return encode_whole(message, version, out);
          },
          [](Random& random, std::int16_t version, Buffer& out) {
            Message message;
            Fill{}(random, version, message);
            if (!representable(message, version) || !encode_whole(message, version, out)) return false;
            Reader reader(out);
            Arena arena;
            Message again;
            return decode(reader, version, arena, again) && reader.remaining() == 0 && again == message;
          }};
}

}  // namespace hayward::conformance
