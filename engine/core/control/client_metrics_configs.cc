#include "engine/core/control/client_metrics_configs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace hayward::core {
namespace {

using Kind = ConfigCheck::Kind;

constexpr auto keys = std::to_array<ConfigKey>({
    {"interval.ms", ConfigType::integer, "300000"},
    {"match", ConfigType::list, "", {Kind::distinct_list, 0, 0, {}}},
    {"metrics", ConfigType::list, "", {Kind::distinct_list, 0, 0, {}}},
});

constexpr std::int64_t min_interval_ms = 100;
constexpr std::int64_t max_interval_ms = 3'600'000;

constexpr std::array<std::string_view, 6> match_names = {"client_instance_id",    "client_id",
                                                         "client_software_name",  "client_software_version",
                                                         "client_source_address", "client_source_port"};

// What a regular expression that Java refuses most often has: an unpaired bracket, a quantifier with
// nothing before it, a backslash at the end. Brokers compile the pattern; this keeps typing errors out of the log.
bool is_plausible_regex(std::string_view text) {
  int groups = 0;
  bool in_class = false;
  bool nothing_to_repeat = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && ++i == text.size()) return false;
    if (in_class) {
      in_class = c != ']';
      continue;
    }
    const bool quantifier = c == '*' || c == '+' || (c == '?' && !(i > 0 && text[i - 1] == '('));
    if (quantifier && nothing_to_repeat) return false;
    nothing_to_repeat = c == '(' || c == '|';
    in_class = c == '[';
    groups += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (groups < 0) return false;
  }
  return groups == 0 && !in_class;
}

bool is_match_pattern(std::string_view entry) {
  const auto equals = entry.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = trim(entry.substr(0, equals));
  const std::string_view pattern = trim(entry.substr(equals + 1));
  if (pattern.empty() || pattern.find('=') != std::string_view::npos) return false;
  return std::find(match_names.begin(), match_names.end(), name) != match_names.end() && is_plausible_regex(pattern);
}

}  // namespace

std::span<const ConfigKey> client_metrics_config_keys() { return keys; }

std::optional<ConfigFault> validate_client_metrics_configs(const ConfigMap& proposed) {
  for (const auto& [name, value] : proposed) {
    if (find_key(keys, name) == nullptr) {
      return ConfigFault{ErrorCode::invalid_request, "There is no client metrics config named " + name};
    }
  }
  for (const auto& [name, value] : proposed) {
    auto canonical = canonical_value(*find_key(keys, name), value);
    if (!canonical) return ConfigFault{ErrorCode::invalid_config, canonical.error()};
    if (name == "interval.ms") {
      const std::int64_t interval_ms = parse_integer(*canonical).value_or(0);
      if (interval_ms < min_interval_ms || interval_ms > max_interval_ms) {
        return ConfigFault{ErrorCode::invalid_request, "interval.ms must be between 100 and 3600000"};
      }
    }
    if (name != "match") continue;
    for (auto entry : split_list(value)) {
      if (!is_match_pattern(entry)) {
        return ConfigFault{ErrorCode::invalid_config, "Not a client match pattern: " + std::string(entry)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace hayward::core
