// Parses the keys that name addresses: listeners, advertised.listeners, quorum voters and bootstrap servers.
// Owner: tools/config. Start-up.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/types.h"

namespace hayward::config {

// "NAME://host:port,..." with "[v6]" hosts; names in upper case. The fault names the entry.
std::expected<std::vector<core::Endpoint>, std::string> parse_listeners(std::string_view key, std::string_view value);

// "host:port,..."
std::expected<std::vector<core::Endpoint>, std::string> parse_servers(std::string_view key, std::string_view value);

// "id@host:port,..."; the endpoint gets `listener` as its name.
std::expected<std::vector<core::Voter>, std::string> parse_voters(std::string_view key, std::string_view value,
                                                                  const std::string& listener);

// "NAME:PROTOCOL,..." -> {NAME, protocol id}; Kafka's four protocols.
struct ProtocolOf {
  std::string listener;
  std::int16_t protocol;
};
std::expected<std::vector<ProtocolOf>, std::string> parse_protocol_map(std::string_view value);

}  // namespace hayward::config
