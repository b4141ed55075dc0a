// See security_config.h.
#include "tools/config/security_config.h"

#include <algorithm>
#include <string_view>

#include "tools/config/text.h"

namespace hayward::config {
namespace {

constexpr std::string_view standard_authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer";
constexpr std::string_view super_users_key = "super.users";
constexpr std::string_view allow_everyone_key = "allow.everyone.if.no.acl.found";

// "" when absent.
std::string value_of(const Properties& properties, std::string_view key) {
  const auto at = properties.find(std::string(key));
  return at == properties.end() ? "" : std::string(trim(at->second));
}

std::vector<std::string> read_super_users(const std::string& value, Faults& faults) {
  std::vector<std::string> users;
  for (std::size_t from = 0; from <= value.size();) {
    const std::size_t end = std::min(value.find(';', from), value.size());
    const std::string user(trim(std::string_view(value).substr(from, end - from)));
    from = end + 1;
    if (user.empty()) continue;
    if (user.find(':') == std::string::npos) {
      faults.push_back(std::string(super_users_key) + ": expected Type:name;Type:name, found \"" + user + "\"");
    }
    users.push_back(user);
  }
  return users;
}

void read_authorizer(const Properties& properties, core::AuthorizerConfig& authorizer, Faults& faults,
                     std::vector<std::string>& notes) {
  const std::string name = value_of(properties, "authorizer.class.name");
  if (name.empty()) {
    for (const std::string_view key : {super_users_key, allow_everyone_key}) {
      if (properties.contains(std::string(key)))
        notes.push_back(std::string(key) + " has no effect without authorizer.class.name");
    }
    return;
  }
  if (name != standard_authorizer) {
    faults.push_back("authorizer.class.name: expected " + std::string(standard_authorizer) + " or nothing, found \"" +
                     name + "\": no other is supported by Hayward. Keep this node on Kafka's own controller");
    return;
  }
  authorizer.enabled = true;
  authorizer.super_users = read_super_users(value_of(properties, super_users_key), faults);
  authorizer.allow_everyone_if_no_acl_found = lower(value_of(properties, allow_everyone_key)) == "true";
}

void read_tokens(const Properties& properties, core::NodeConfig& node) {
  const std::string secret_key = value_of(properties, "delegation.token.secret.key");
  if (!secret_key.empty()) node.delegation_token_secret_key = secret_key;
  const auto read = [&](std::string_view key, std::int64_t& into) {
    if (const auto value = parse_integer(value_of(properties, key))) into = *value;
  };
  read("delegation.token.max.lifetime.ms", node.delegation_token_max_lifetime_ms);
  read("delegation.token.expiry.time.ms", node.delegation_token_expiry_time_ms);
  read("delegation.token.expiry.check.interval.ms", node.delegation_token_expiry_check_interval_ms);
}

}  // namespace

void read_security(const Properties& properties, core::NodeConfig& node, Faults& faults,
                   std::vector<std::string>& notes) {
  read_authorizer(properties, node.authorizer, faults, notes);
  read_tokens(properties, node);
}

}  // namespace hayward::config
