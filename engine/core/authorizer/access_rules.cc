// See access_rules.h.
#include "engine/core/authorizer/access_rules.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hayward::core {
namespace {

std::string dotted(const std::uint8_t* bytes) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += (i == 0 ? "" : ".") + std::to_string(bytes[i]);
  return text;
}

std::string hex(unsigned value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  } while (value != 0);
  return text;
}

bool is_mapped_ipv4(const ClientAddress& address) {
  const auto& b = address.bytes;
  return std::all_of(b.begin(), b.begin() + 10, [](std::uint8_t byte) { return byte == 0; }) && b[10] == 0xff &&
         b[11] == 0xff;
}

}  // namespace

std::string to_host_text(const ClientAddress& address) {
  if (address.length == 4) return dotted(address.bytes.data());
  if (is_mapped_ipv4(address)) return dotted(address.bytes.data() + 12);
  std::string text;
  for (std::size_t i = 0; i < 16; i += 2) {
    if (i != 0) text += ':';
    text += hex(static_cast<unsigned>(address.bytes[i] << 8 | address.bytes[i + 1]));
  }
  return text;
}

Requester requester(std::string_view principal_type, std::string_view principal_name, const ClientAddress& address) {
  Requester who;
  who.principal.reserve(principal_type.size() + 1 + principal_name.size());
  who.principal.append(principal_type).append(1, ':').append(principal_name);
  who.host = to_host_text(address);
  // An ACL's principal is cut at its first ':', so that this one would be taken for another.
  who.has_acls = principal_type.find(':') == std::string_view::npos;
  return who;
}

AccessRules::AccessRules(AuthorizerConfig config) : config_(std::move(config)) {
  std::ranges::sort(config_.super_users);
}

bool AccessRules::always_allowed(const Requester& who) const {
  return !config_.enabled || std::ranges::binary_search(config_.super_users, who.principal);
}

Decision AccessRules::decide(const Requester& who, AclOperation operation, ResourceType type,
                             std::string_view name) const {
  if (always_allowed(who)) return Decision::allowed;
  if (!ready_) return Decision::not_ready;
  switch (acls_.judge(who, operation, type, name)) {
    case AclIndex::Verdict::allowed: return Decision::allowed;
    case AclIndex::Verdict::no_acls:
      return config_.allow_everyone_if_no_acl_found ? Decision::allowed : Decision::denied;
    case AclIndex::Verdict::no_match:
    case AclIndex::Verdict::denied: break;
  }
  return Decision::denied;
}

AccessRules AccessRules::cluster_only() const {
  AccessRules result(config_);
  result.ready_ = ready_;
  result.acls_ = acls_.only(ResourceType::cluster, cluster_resource_name);
  return result;
}

}  // namespace hayward::core
