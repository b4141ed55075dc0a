// Image::hash. What a snapshot does not carry is left out: where a broker's register record is in the log,
// where features changed, who got the last producer ids. Topics are added up, so that the order in which
// another implementation's snapshot lists them does not matter.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/content_hash.h"
#include "engine/core/image/image.h"

namespace hayward::core {
namespace {

std::uint64_t word(std::int64_t number) { return static_cast<std::uint64_t>(number); }

void add(ContentHash& hash, const std::vector<Endpoint>& endpoints) {
  hash.add(endpoints.size());
  for (const Endpoint& e : endpoints) {
    hash.add(std::string_view(e.listener)).add(std::string_view(e.host)).add(word(e.port)).add(word(e.security_protocol));
  }
}

void add(ContentHash& hash, const std::vector<FeatureRange>& features) {
  hash.add(features.size());
  for (const FeatureRange& f : features) hash.add(std::string_view(f.name)).add(word(f.min)).add(word(f.max));
}

void add(ContentHash& hash, const Features& features) {
  hash.add(features.all().size());
  for (const auto& [name, level] : features.all()) hash.add(std::string_view(name)).add(word(level));
}

void add(ContentHash& hash, const BrokerRegistration& broker) {
  hash.add(broker.id).add(broker.epoch).add(broker.incarnation_id);
  hash.add(word(broker.is_migrating_zk_broker)).add(word(broker.fenced)).add(word(broker.in_controlled_shutdown));
  hash.add(std::optional<std::string_view>(broker.rack)).add(std::span<const DirectoryId>(broker.log_dirs));
  hash.add(word(broker.cordoned_log_dirs.has_value()));
  if (broker.cordoned_log_dirs) hash.add(std::span<const DirectoryId>(*broker.cordoned_log_dirs));
  add(hash, broker.endpoints);
  add(hash, broker.features);
}

void add(ContentHash& hash, const ControllerRegistration& controller) {
  hash.add(controller.id).add(controller.incarnation_id).add(word(controller.zk_migration_ready));
  add(hash, controller.endpoints);
  add(hash, controller.features);
}

void add(ContentHash& hash, const Cluster& cluster) {
  hash.add(cluster.brokers().size());
  for (const auto& [id, broker] : cluster.brokers()) add(hash, broker);
  hash.add(cluster.controllers().size());
  for (const auto& [id, controller] : cluster.controllers()) add(hash, controller);
}

void add(ContentHash& hash, const Partition& p) {
  hash.add(p.index).add(p.leader).add(p.leader_epoch).add(p.partition_epoch);
  hash.add(word(static_cast<std::int8_t>(p.leader_recovery_state)));
  hash.add(p.replicas()).add(p.isr()).add(p.directories()).add(p.removing_replicas()).add(p.adding_replicas());
  hash.add(p.elr()).add(p.last_known_elr());
}

std::uint64_t hash_of(const Topics& topics, const Topic& topic) {
  ContentHash hash;
  hash.add(topic.id).add(std::string_view(topic.name)).add(topic.slots.size());
  for (const std::uint32_t slot : topic.slots) add(hash, topics.at_slot(slot));
  return hash.value();
}

void add(ContentHash& hash, const Topics& topics) {
  std::uint64_t sum = 0;
  for (const auto& [ordinal, topic] : topics.all()) sum += hash_of(topics, topic);
  hash.add(topics.all().size()).add(sum);
}

void add(ContentHash& hash, const Configs& configs) {
  hash.add(configs.all().size());
  for (const auto& [resource, entries] : configs.all()) {
    hash.add(word(static_cast<std::int8_t>(resource.type))).add(std::string_view(resource.name)).add(entries.size());
    for (const auto& [key, value] : entries) hash.add(std::string_view(key)).add(std::string_view(value));
  }
}

void add(ContentHash& hash, const ClientQuotas& quotas) {
  hash.add(quotas.all().size());
  for (const auto& [entity, entries] : quotas.all()) {
    hash.add(entity.size());
    for (const auto& [type, name] : entity) hash.add(std::string_view(type)).add(std::optional<std::string_view>(name));
    hash.add(entries.size());
    for (const auto& [key, value] : entries) hash.add(std::string_view(key)).add(value);
  }
}

void add(ContentHash& hash, const Acls& acls) {
  hash.add(acls.all().size());
  for (const auto& [id, acl] : acls.all()) {
    hash.add(id).add(word(acl.resource_type)).add(std::string_view(acl.resource_name)).add(word(acl.pattern_type));
    hash.add(std::string_view(acl.principal)).add(std::string_view(acl.host)).add(word(acl.operation));
    hash.add(word(acl.permission_type));
  }
}

void add(ContentHash& hash, const Scram& scram) {
  hash.add(scram.all().size());
  for (const auto& [key, credential] : scram.all()) {
    hash.add(std::string_view(key.user)).add(word(key.mechanism)).add(Bytes(credential.salt));
    hash.add(Bytes(credential.stored_key)).add(Bytes(credential.server_key)).add(word(credential.iterations));
  }
}

void add(ContentHash& hash, const DelegationTokens& tokens) {
  hash.add(tokens.all().size());
  for (const auto& [id, token] : tokens.all()) {
    hash.add(std::string_view(id)).add(std::string_view(token.owner)).add(std::string_view(token.requester));
    hash.add(token.renewers.size());
    for (const std::string& renewer : token.renewers) hash.add(std::string_view(renewer));
    hash.add(word(token.issue_timestamp_ms)).add(word(token.max_timestamp_ms)).add(word(token.expiration_timestamp_ms));
  }
}

}  // namespace

std::uint64_t Image::hash() const {
  ContentHash hash;
  add(hash, parts_.features);
  add(hash, parts_.cluster);
  add(hash, parts_.topics);
  add(hash, parts_.configs);
  add(hash, parts_.client_quotas);
  hash.add(word(parts_.producer_ids.next_producer_id));
  add(hash, parts_.acls);
  add(hash, parts_.scram);
  add(hash, parts_.delegation_tokens);
  return hash.value();
}

}  // namespace hayward::core
