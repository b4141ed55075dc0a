#include "tools/config/key_checks.h"

#include <utility>

#include "tools/config/kafka_keys.h"
#include "tools/config/settings.h"
#include "tools/config/text.h"

namespace hayward::config {
namespace {

// The authorizer's own keys, which stand outside Kafka's definition.
bool is_authorizer_key(std::string_view name) {
  return name == "super.users" || name == "allow.everyone.if.no.acl.found";
}

void refuse(Faults& faults, const std::string& name) {
  faults.push_back(name + ": not supported by Hayward yet; expected it absent or at its default. Remove it, or keep this "
                   "node on Kafka's own controller");
}

// "listener.name.<name>.<key>": security keys are refused, the others have nothing to set.
void check_prefixed(const std::string& name, Faults& faults, std::vector<std::string>& unused) {
  if (name.find(".ssl.") != std::string::npos || name.find(".sasl.") != std::string::npos ||
      name.ends_with("principal.builder.class")) {
    refuse(faults, name);
  } else {
    unused.push_back(name);
  }
}

void check_unknown(const std::string& name, std::vector<std::string>& notes) {
  std::string note = "unknown key " + name + " in the configuration: it has no effect";
  if (const auto nearest = nearest_key(name); !nearest.empty()) note += "; did you mean " + std::string(nearest) + "?";
  notes.push_back(std::move(note));
}

}  // namespace

void check_keys(const Properties& properties, Faults& faults, std::vector<std::string>& notes) {
  std::vector<std::string> unused, broker;
  for (const auto& [name, value] : properties) {
    const Key* key = find_key(name);
    if (!key) {
      if (name.starts_with("listener.name.")) check_prefixed(name, faults, unused);
      else if (name.starts_with("config.providers.")) refuse(faults, name);
      else if (!is_authorizer_key(name)) check_unknown(name, notes);
      continue;
    }
    if (const auto expected = check_value(*key, trim(value))) {
      faults.push_back(name + ": expected " + *expected + ", found \"" + value + "\"");
    } else if (key->use == Use::refused && trim(value) != key->default_value) {
      refuse(faults, name);
    } else if (key->use == Use::unused) {
      unused.push_back(name);
    } else if (key->use == Use::broker) {
      broker.push_back(name);
    }
  }
  if (!unused.empty()) notes.push_back("these keys set nothing in Hayward: " + joined(unused));
  if (!broker.empty()) notes.push_back("these keys are for brokers and have no effect on a controller: " + joined(broker));
}

}  // namespace hayward::config
