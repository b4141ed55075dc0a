#include "engine/core/control/config_checks.h"

#include <algorithm>

namespace hayward::core {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool contains(std::string_view allowed, std::string_view wanted) {
  const auto entries = split_list(allowed);
  return std::find(entries.begin(), entries.end(), wanted) != entries.end();
}

// partition:broker, or nothing (a trailing comma leaves an empty entry, which Kafka lets pass).
bool is_throttled_replica(std::string_view entry) {
  if (entry.empty()) return true;
  const auto colon = entry.find(':');
  return colon != std::string_view::npos && is_digits(entry.substr(0, colon)) && is_digits(entry.substr(colon + 1));
}

bool is_throttled_list(const std::vector<std::string_view>& entries) {
  if (std::all_of(entries.begin(), entries.end(), is_throttled_replica)) return true;
  std::string joined;
  for (auto entry : entries) joined += entry;
  return joined == "*";
}

void drop_repeats(std::vector<std::string_view>& entries) {
  std::vector<std::string_view> distinct;
  for (auto entry : entries) {
    if (std::find(distinct.begin(), distinct.end(), entry) == distinct.end()) distinct.push_back(entry);
  }
  entries = std::move(distinct);
}

// Reads "<digits>[.<digits>]<unit>" from the front of `text`, for units in the order they may come.
bool take_components(std::string_view& text, std::string_view units) {
  bool any = false;
  while (!text.empty() && !units.empty()) {
    std::size_t at = text.front() == '+' ? 1 : 0;  // no negative part: the whole may not be negative
    const std::size_t digits = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    if (at == digits || at - digits > 10) return false;
    const bool fraction = at < text.size() && text[at] == '.';
    if (fraction) {
      const std::size_t start = ++at;
      while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
      if (at - start > 9) return false;
    }
    if (at == text.size()) return false;
    const char unit = text[at] >= 'a' ? static_cast<char>(text[at] - 32) : text[at];
    const auto where = units.find(unit);
    if (where == std::string_view::npos || (fraction && unit != 'S')) return false;
    units.remove_prefix(where + 1);
    text.remove_prefix(at + 1);
    any = true;
    if (!text.empty() && (text.front() == 'T' || text.front() == 't')) break;
  }
  return any;
}

// A non-negative ISO 8601 duration: PnDTnHnMn.nS.
bool is_duration(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || (text.front() != 'P' && text.front() != 'p')) return false;
  text.remove_prefix(1);
  bool any = false;
  if (!text.empty() && text.front() != 'T' && text.front() != 't') any = take_components(text, "D");
  if (!text.empty() && (text.front() == 'T' || text.front() == 't')) {
    text.remove_prefix(1);
    any = take_components(text, "HMS");
  }
  return any && text.empty();
}

bool is_offset_reset(std::string_view text) {
  constexpr std::string_view by_duration = "by_duration:";
  if (text == "earliest" || text == "latest") return true;
  return text.starts_with(by_duration) && is_duration(text.substr(by_duration.size()));
}

}  // namespace

std::optional<std::string> check_number(const ConfigCheck& check, double as_double, std::int64_t number) {
  const bool bounded = check.kind == ConfigCheck::Kind::range || check.kind == ConfigCheck::Kind::range_or_minus_one;
  if (!bounded || (check.kind == ConfigCheck::Kind::range_or_minus_one && number == -1)) return std::nullopt;
  if (as_double < static_cast<double>(check.min)) return "the least is " + std::to_string(check.min);
  if (as_double > static_cast<double>(check.max)) return "the most is " + std::to_string(check.max);
  return std::nullopt;
}

std::optional<std::string> check_string(const ConfigCheck& check, std::string_view text) {
  if (check.kind == ConfigCheck::Kind::one_of && !contains(check.allowed, text)) {
    return "it must be one of " + std::string(check.allowed);
  }
  if (check.kind == ConfigCheck::Kind::offset_reset && !is_offset_reset(text)) {
    return "it must be earliest, latest or by_duration: with a duration such as PT1H30M";
  }
  return std::nullopt;
}

std::optional<std::string> check_list(const ConfigCheck& check, std::vector<std::string_view>& entries) {
  switch (check.kind) {
    case ConfigCheck::Kind::throttled_replicas:
      if (is_throttled_list(entries)) return std::nullopt;
      return "it must be * or a list of partition:broker";
    case ConfigCheck::Kind::list_of:
    case ConfigCheck::Kind::distinct_list:
      break;
    default:
      return std::nullopt;
  }
  drop_repeats(entries);
  for (auto entry : entries) {
    if (entry.empty()) return "an entry is empty";
    if (check.kind == ConfigCheck::Kind::list_of && !contains(check.allowed, entry)) {
      return "its entries must be out of " + std::string(check.allowed);
    }
  }
  return std::nullopt;
}

}  // namespace hayward::core
