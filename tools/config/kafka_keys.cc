#include "tools/config/kafka_keys.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <vector>

#include "tools/config/text.h"

namespace hayward::config {
namespace {

// The types of the one table of keys, as far as reading a value needs to tell them apart.
namespace type_of {
constexpr Type boolean = Type::boolean, integer = Type::int32, short_integer = Type::int16, long_integer = Type::int64,
               floating = Type::number, list = Type::list, string = Type::text, class_name = Type::text,
               password = Type::password;
}  // namespace type_of

constexpr std::string_view none{};

// Sorted by name.
#define KEY(name, type, value, kind, valid, use) {name, type_of::type, value, valid, Use::use},
constexpr Key keys[] = {
#include "engine/core/control/broker_config_keys.inc"
};
#undef KEY

// Hayward's own.
constexpr Key own_keys[] = {
    {"hayward.shards", Type::int32, "0", "[0,...,64]", Use::honoured},
    {"hayward.shards.pin", Type::boolean, "false", "", Use::honoured},
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

std::optional<double> parse_number(Type type, std::string_view value) {
  const auto within = [&](auto limits) -> std::optional<double> {
    const auto parsed = parse_integer(value);
    if (!parsed || *parsed < limits.min() || *parsed > limits.max()) return std::nullopt;
    return static_cast<double>(*parsed);
  };
  switch (type) {
    case Type::int16: return within(std::numeric_limits<std::int16_t>{});
    case Type::int32: return within(std::numeric_limits<std::int32_t>{});
    case Type::int64: return within(std::numeric_limits<std::int64_t>{});
    default: break;
  }
  double parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  return parsed;
}

const char* type_name(Type type) {
  switch (type) {
    case Type::boolean: return "true or false";
    case Type::int16: return "a 16-bit integer";
    case Type::int32: return "a 32-bit integer";
    case Type::int64: return "a 64-bit integer";
    case Type::number: return "a number";
    case Type::list: return "a comma-separated list";
    case Type::text:
    case Type::password: return "text";
  }
  return "";
}

bool in_range(std::string_view valid, double value) {
  // "[min,...]" or "[min,...,max]"
  const std::string_view inner = valid.substr(1, valid.size() - 2);
  const auto dots = inner.find(",...");
  double bound = 0;
  std::from_chars(inner.data(), inner.data() + dots, bound);
  if (value < bound) return false;
  const std::string_view rest = inner.substr(dots + 4);
  if (rest.empty()) return true;
  std::from_chars(rest.data() + 1, rest.data() + rest.size(), bound);
  return value <= bound;
}

// `valid` is "[a, b]" or "(case insensitive) [a, b]".
bool one_of(std::string_view valid, std::string_view value) {
  const bool fold = valid.starts_with("(case insensitive)");
  valid.remove_prefix(valid.find('[') + 1);
  valid.remove_suffix(1);
  return std::ranges::any_of(split_list(valid), [&](const std::string& option) {
    return option == value || (fold && lower(option) == lower(value));
  });
}

}  // namespace

const Key* find_key(std::string_view name) {
  for (const Key& key : own_keys) {
    if (key.name == name) return &key;
  }
  const auto at = std::ranges::lower_bound(keys, name, {}, &Key::name);
  return at != std::end(keys) && at->name == name ? &*at : nullptr;
}

std::string_view nearest_key(std::string_view name) {
  std::string_view nearest;
  std::size_t least = name.size() / 3 + 1;
  for (const Key& key : keys) {
    const std::size_t distance = edit_distance(name, key.name);
    if (distance < least) {
      least = distance;
      nearest = key.name;
    }
  }
  return nearest;
}

std::optional<std::string> check_value(const Key& key, std::string_view value) {
  const std::string expected = std::string(type_name(key.type)) + (key.valid.empty() ? "" : " in " + std::string(key.valid));
  switch (key.type) {
    case Type::boolean:
      if (lower(value) != "true" && lower(value) != "false") return expected;
      return std::nullopt;
    case Type::int16:
    case Type::int32:
    case Type::int64:
    case Type::number: {
      const auto parsed = parse_number(key.type, value);
      if (!parsed || (!key.valid.empty() && !in_range(key.valid, *parsed))) return expected;
      return std::nullopt;
    }
    case Type::list:
      if (key.valid.empty()) return std::nullopt;
      for (const auto& item : split_list(value))
        if (!one_of(key.valid, item)) return expected;
      return std::nullopt;
    case Type::text:
    case Type::password:
      if (!key.valid.empty() && !one_of(key.valid, value)) return expected;
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace hayward::config
