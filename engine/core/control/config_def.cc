#include "engine/core/control/config_def.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/core/control/config_checks.h"

namespace hayward::core {
namespace {

using Result = std::expected<std::string, std::string>;

std::string invalid(const ConfigKey& key, std::string_view raw, std::string_view why) {
  std::string text = "Invalid value ";
  text.append(raw).append(" for configuration ").append(key.name).append(": ").append(why);
  return text;
}

Result canonical_integer(const ConfigKey& key, std::string_view raw, std::string_view text) {
  std::int64_t min = INT64_MIN;
  std::int64_t max = INT64_MAX;
  if (key.type == ConfigType::integer) min = INT32_MIN, max = INT32_MAX;
  if (key.type == ConfigType::short_integer) min = INT16_MIN, max = INT16_MAX;
  const auto number = parse_integer(text, min, max);
  if (!number) return std::unexpected(invalid(key, raw, "it is not a number of this key's type"));
  if (auto why = check_number(key.check, static_cast<double>(*number), *number)) {
    return std::unexpected(invalid(key, raw, *why));
  }
  return std::to_string(*number);
}

Result canonical_double(const ConfigKey& key, std::string_view raw, std::string_view text) {
  double number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || std::isnan(number)) return std::unexpected(invalid(key, raw, "it is not a number"));
  if (key.check.kind == ConfigCheck::Kind::range) {
    if (number < static_cast<double>(key.check.min)) return std::unexpected(invalid(key, raw, "it is too small"));
    if (number > static_cast<double>(key.check.max)) return std::unexpected(invalid(key, raw, "it is too large"));
  }
  return format_double(number);
}

Result canonical_boolean(const ConfigKey& key, std::string_view raw, std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower != "true" && lower != "false") return std::unexpected(invalid(key, raw, "it must be true or false"));
  return lower;
}

Result canonical_list(const ConfigKey& key, std::string_view raw, std::string_view text) {
  auto entries = split_list(text);
  if (auto why = check_list(key.check, entries)) return std::unexpected(invalid(key, raw, *why));
  std::string joined;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) joined += ',';
    joined += entries[i];
  }
  return joined;
}

}  // namespace

std::expected<std::string, std::string> canonical_value(const ConfigKey& key, std::string_view raw) {
  const std::string_view text = trim(raw);
  switch (key.type) {
    case ConfigType::boolean:
      return canonical_boolean(key, raw, text);
    case ConfigType::integer:
    case ConfigType::short_integer:
    case ConfigType::long_integer:
      return canonical_integer(key, raw, text);
    case ConfigType::floating:
      return canonical_double(key, raw, text);
    case ConfigType::list:
      return canonical_list(key, raw, text);
    case ConfigType::string:
    case ConfigType::class_name:
    case ConfigType::password:
    case ConfigType::unknown:
      break;
  }
  if (auto why = check_string(key.check, text)) return std::unexpected(invalid(key, raw, *why));
  return std::string(text);
}

const ConfigKey* find_key(std::span<const ConfigKey> sorted, std::string_view name) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), name,
                                   [](const ConfigKey& key, std::string_view wanted) { return key.name < wanted; });
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t min, std::int64_t max) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < min || number > max) return std::nullopt;
  return number;
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> entries;
  text = trim(text);
  if (text.empty()) return entries;
  while (true) {
    const auto comma = text.find(',');
    entries.push_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return entries;
    text.remove_prefix(comma + 1);
  }
}

std::string format_double(double value) {
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  const double magnitude = std::abs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-3 && magnitude < 1e7);
  char buffer[64];
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  std::string text(buffer, end);
  const auto exponent_at = text.find('e');
  std::string mantissa = text.substr(0, exponent_at);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  if (exponent_at == std::string::npos) return mantissa;
  const auto exponent = parse_integer(std::string_view(text).substr(exponent_at + 1));
  return mantissa + 'E' + std::to_string(exponent.value_or(0));
}

}  // namespace hayward::core
