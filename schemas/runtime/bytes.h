// Byte spans, and what converts between them and text.
// Owner: schemas/runtime. Any shard.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace hayward {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;
using Buffer = std::vector<std::byte>;

inline Bytes as_bytes(std::string_view text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }
inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace hayward
