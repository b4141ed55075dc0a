// Reads the request header (v1: classic, v2: with tagged fields) in front of each request.
// Owner: net; pure. Any shard.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/core/control/served.h"
#include "schemas/runtime/bytes.h"

namespace hayward::net {

struct RequestHeader {
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;
  std::int32_t correlation_id = 0;
  std::optional<std::string_view> client_id;  // a view into the frame
  Bytes body;                                 // what follows the header
};

enum class HeaderError : std::uint8_t {
  none,
  malformed,            // cut short, a bad length
  unknown_api,          // not in the table
  unsupported_version,  // out of its range. ApiVersions is let through with any version: the node answers
                        // what is supported, in version 0
};

// `apis`: what is served, ascending by key. Fills `out`; on an error only what was read before it: api_key and
// api_version are set for unknown_api and unsupported_version.
HeaderError parse_request_header(Bytes payload, std::span<const core::ServedApi> apis, RequestHeader& out);

}  // namespace hayward::net
