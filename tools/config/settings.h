// The properties as the parts of the configuration read them, with their defaults, and the faults that they find.
// Owner: tools/config. Start-up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/config/kafka_keys.h"
#include "tools/config/server_config.h"
#include "tools/config/text.h"

namespace hayward::config {

// Reads values that have been checked already; faults of meaning are collected.
class Settings {
 public:
  explicit Settings(const Properties& properties) : properties_(properties) {}

  bool given(std::string_view key) const { return properties_.contains(std::string(key)); }
  std::string text(std::string_view key) const {
    const auto at = properties_.find(std::string(key));
    if (at != properties_.end()) return std::string(trim(at->second));
    const Key* known = find_key(key);
    return std::string(known != nullptr ? known->default_value : std::string_view{});
  }
  bool boolean(std::string_view key) const { return lower(text(key)) == "true"; }
  template <class T>
  void integer(std::string_view key, T& into) const {
    if (const auto value = parse_integer(text(key))) into = static_cast<T>(*value);
  }

  Faults faults;

 private:
  const Properties& properties_;
};

// "a, b".
inline std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace hayward::config
