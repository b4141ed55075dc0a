// Small text helpers of the configuration reader.
// Owner: tools/config. Start-up.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hayward::config {

inline std::string_view trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

inline std::string lower(std::string_view s) {
  std::string out(s);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

inline std::string upper(std::string_view s) {
  std::string out(s);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// "a, b" -> {"a", "b"}; white space around items goes, empty items too.
inline std::vector<std::string> split_list(std::string_view s, char separator = ',') {
  std::vector<std::string> items;
  while (!s.empty()) {
    const auto end = s.find(separator);
    const std::string_view item = trim(s.substr(0, end));
    if (!item.empty()) items.emplace_back(item);
    s.remove_prefix(end == std::string_view::npos ? s.size() : end + 1);
  }
  return items;
}

// The whole of `s` as a decimal integer, as Java parses it (a leading '+' is allowed).
inline std::optional<std::int64_t> parse_integer(std::string_view s) {
  if (s.starts_with('+')) s.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc{} || end != s.data() + s.size() || s.empty()) return std::nullopt;
  return value;
}

}  // namespace hayward::config
