// See ip_text.h.
#include "engine/core/control/ip_text.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace hayward::core {
namespace {

// Decimal digits only; nothing for anything else or more than 32 bits.
bool read_number(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

bool is_ipv4(std::string_view text) {
  std::vector<std::uint32_t> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t dot = std::min(text.find('.', from), text.size());
    std::uint32_t part = 0;
    if (parts.size() == 4 || !read_number(text.substr(from, dot - from), part)) return false;
    parts.push_back(part);
    from = dot + 1;
  }
  const std::uint32_t last = parts.back();
  parts.pop_back();
  for (const std::uint32_t part : parts) {
    if (part > 255) return false;
  }
  return parts.empty() || last < std::uint64_t{1} << (8 * (4 - parts.size()));
}

bool is_ipv6(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  in6_addr address{};
  return text.find(':') != std::string_view::npos && inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

}  // namespace

bool is_ip_address(std::string_view text) { return is_ipv4(text) || is_ipv6(text); }

}  // namespace hayward::core
