#include "tools/config/listeners.h"

#include "tools/config/text.h"

namespace hayward::config {
namespace {

using core::Endpoint;

std::string fault(std::string_view key, std::string_view form, std::string_view found) {
  return std::string(key) + ": expected " + std::string(form) + ", found \"" + std::string(found) + "\"";
}

// "host:port" or "[v6]:port" into `endpoint`; false when it is neither.
bool parse_address(std::string_view text, Endpoint& endpoint) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return false;
  }
  const auto port = parse_integer(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return false;
  endpoint.host = host;
  endpoint.port = static_cast<std::uint16_t>(*port);
  return true;
}

}  // namespace

std::expected<std::vector<Endpoint>, std::string> parse_listeners(std::string_view key, std::string_view value) {
  constexpr std::string_view form = "NAME://host:port";
  std::vector<Endpoint> endpoints;
  for (const auto& item : split_list(value)) {
    Endpoint endpoint;
    const auto separator = item.find("://");
    if (separator == std::string::npos || separator == 0 ||
        !parse_address(std::string_view(item).substr(separator + 3), endpoint)) {
      return std::unexpected(fault(key, form, item));
    }
    endpoint.listener = upper(std::string_view(item).substr(0, separator));
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

std::expected<std::vector<Endpoint>, std::string> parse_servers(std::string_view key, std::string_view value) {
  std::vector<Endpoint> endpoints;
  for (const auto& item : split_list(value)) {
    Endpoint endpoint;
    if (!parse_address(item, endpoint) || endpoint.host.empty()) return std::unexpected(fault(key, "host:port", item));
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

std::expected<std::vector<core::Voter>, std::string> parse_voters(std::string_view key, std::string_view value,
                                                                  const std::string& listener) {
  std::vector<core::Voter> voters;
  for (const auto& item : split_list(value)) {
    core::Voter voter;
    Endpoint endpoint;
    const auto at = item.find('@');
    const auto id = at == std::string::npos ? std::nullopt : parse_integer(std::string_view(item).substr(0, at));
    if (!id || *id < 0 || *id > INT32_MAX || !parse_address(std::string_view(item).substr(at + 1), endpoint) ||
        endpoint.host.empty()) {
      return std::unexpected(fault(key, "id@host:port", item));
    }
    voter.id = NodeId{static_cast<std::int32_t>(*id)};
    endpoint.listener = listener;
    voter.endpoints.push_back(std::move(endpoint));
    voters.push_back(std::move(voter));
  }
  return voters;
}

std::expected<std::vector<ProtocolOf>, std::string> parse_protocol_map(std::string_view value) {
  constexpr std::string_view names[] = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"};
  std::vector<ProtocolOf> map;
  for (const auto& item : split_list(value)) {
    const auto colon = item.find(':');
    const std::string protocol = colon == std::string::npos ? "" : upper(trim(std::string_view(item).substr(colon + 1)));
    const auto known = std::ranges::find(names, protocol);
    if (known == std::end(names)) {
      return std::unexpected(fault("listener.security.protocol.map",
                                   "NAME:PROTOCOL with PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL", item));
    }
    map.push_back({upper(trim(std::string_view(item).substr(0, colon))), static_cast<std::int16_t>(known - names)});
  }
  return map;
}

}  // namespace hayward::config
