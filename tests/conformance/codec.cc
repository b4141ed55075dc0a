#include "tests/conformance/codec.h"

namespace hayward::conformance {

const Codec* find_codec(std::string_view name) {
  const Codec* found = nullptr;
  for_each_codec([&](const Codec& codec) {
    if (codec.name == name) found = &codec;
  });
  return found;
}

}  // namespace hayward::conformance
