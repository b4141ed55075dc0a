// Config definitions: what a key's value may be, and its canonical text. Kafka's ConfigDef, as far as
// the controller needs it (topic, group and client-metrics keys are checked here; broker keys are only
// described).
// Owner: engine/core/control; constant data and pure functions. Any shard.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/image/configs.h"

namespace hayward::core {

// A config key's type; the numbers are DescribeConfigs' ConfigType on the wire.
enum class ConfigType : std::int8_t {
  unknown = 0,
  boolean = 1,
  string = 2,
  integer = 3,        // 32 bits
  short_integer = 4,  // 16 bits
  long_integer = 5,   // 64 bits
  floating = 6,
  list = 7,  // comma-separated
  class_name = 8,
  password = 9,
};

// Where an effective value comes from; the numbers are DescribeConfigs' ConfigSource on the wire.
enum class ConfigSource : std::int8_t {
  topic = 1,
  dynamic_broker = 2,
  dynamic_default_broker = 3,
  static_broker = 4,
  default_value = 5,
  broker_logger = 6,
  client_metrics = 7,
  group = 8,
};

// Resource type of a node's loggers in requests; never in records (those types: image/configs.h).
inline constexpr std::int8_t broker_logger_resource_type = 8;

// What a value must satisfy beyond its type.
struct ConfigCheck {
  enum class Kind : std::uint8_t {
    none,
    range,               // min <= value <= max
    range_or_minus_one,  // the same, or -1
    one_of,              // a string out of `allowed`
    list_of,             // distinct entries out of `allowed`, maybe none; repeats are dropped
    distinct_list,       // distinct entries, none of them empty; repeats are dropped
    throttled_replicas,  // '*', or partition:broker pairs
    offset_reset,        // earliest, latest or by_duration:<ISO 8601 duration>
  };
  Kind kind = Kind::none;
  std::int64_t min = INT64_MIN;
  std::int64_t max = INT64_MAX;
  std::string_view allowed;  // comma-separated
};

constexpr ConfigCheck at_least(std::int64_t min) { return {ConfigCheck::Kind::range, min, INT64_MAX, {}}; }
constexpr ConfigCheck between(std::int64_t min, std::int64_t max) { return {ConfigCheck::Kind::range, min, max, {}}; }
constexpr ConfigCheck one_of(std::string_view allowed) { return {ConfigCheck::Kind::one_of, 0, 0, allowed}; }

struct ConfigKey {
  std::string_view name;
  ConfigType type = ConfigType::unknown;
  std::optional<std::string_view> default_value;  // canonical text; nullopt: no value
  ConfigCheck check{};
  bool internal = false;  // shown only where it has been set
};

// The canonical text of `raw` (trimmed; numbers and lists rewritten as Kafka shows them), or why it is
// not a value of `key`.
std::expected<std::string, std::string> canonical_value(const ConfigKey& key, std::string_view raw);

// The key of that name in a table sorted by name; nullptr: none.
const ConfigKey* find_key(std::span<const ConfigKey> sorted, std::string_view name);

// `text` trimmed of spaces and control characters, as Java's String.trim.
std::string_view trim(std::string_view text);
// A decimal integer with an optional sign within [min, max]; nullopt otherwise.
std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t min = INT64_MIN,
                                          std::int64_t max = INT64_MAX);
// The entries of a list value; an empty text has none. Spaces around commas are dropped.
std::vector<std::string_view> split_list(std::string_view text);
// A double as Kafka's tools show it (0.5, 1.0E-5).
std::string format_double(double value);

}  // namespace hayward::core
