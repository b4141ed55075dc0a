// Every key of Kafka 4.3.1's server.properties, with its type, default, valid values, and what Hayward
// does with it; and the few of Hayward's own.
// Owner: tools/config. Start-up.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hayward::config {

enum class Type { boolean, int16, int32, int64, number, list, text, password };

enum class Use {
  honoured,  // does what it does in Kafka
  unused,    // a controller's key that sets nothing in Hayward: named at start when given
  broker,    // a broker's key, without effect on any controller: named at start when given
  refused,   // not supported yet: the process does not start when it is set to anything but the default
};

struct Key {
  std::string_view name;
  Type type;
  std::string_view default_value;  // "" for none
  std::string_view valid;          // "[min,...]", "[min,...,max]", "[one, of]", "" for anything
  Use use;
};

// nullptr: neither a key of Kafka's nor one of Hayward's own (hayward.*).
const Key* find_key(std::string_view name);

// The known key with the least edit distance to `name`, or "" when none is near (distance > 1/3 of its length).
std::string_view nearest_key(std::string_view name);

// nullopt when `value` fits the key's type and valid values, else what was expected.
std::optional<std::string> check_value(const Key& key, std::string_view value);

}  // namespace hayward::config
