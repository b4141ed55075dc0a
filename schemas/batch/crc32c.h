// CRC32C (Castagnoli), by the processor's instruction where it has one.
// Owner: schemas/batch. Any shard.
#pragma once

#include <cstdint>

#include "schemas/runtime/bytes.h"

namespace hayward {

// The checksum of `bytes`. To go on over more bytes, pass what was returned so far.
std::uint32_t crc32c(Bytes bytes, std::uint32_t so_far = 0);

// The same by table, on any processor; what crc32c() falls back to.
std::uint32_t crc32c_by_table(Bytes bytes, std::uint32_t so_far = 0);

}  // namespace hayward
