// Invariants of one image.
// Owner: engine/core. Shard 0.
#include "engine/core/invariants.h"

#include <algorithm>
#include <charconv>

namespace hayward::core {
namespace {

using Broken = std::optional<std::string>;

std::string text(std::span<const NodeId> nodes) {
  std::string out = "[";
  for (NodeId node : nodes) out += (out.size() > 1 ? ", " : "") + std::to_string(node.value);
  return out + "]";
}

std::string place(const Topic& topic, const Partition& partition) {
  return "topic " + topic.name + " partition " + std::to_string(partition.index.value) + ": ";
}

bool within(std::span<const NodeId> nodes, std::span<const NodeId> all) {
  return std::ranges::all_of(nodes, [all](NodeId node) { return Partition::contains(all, node); });
}

Broken check_leader(const Image& image, const Topic& topic, const Partition& p) {
  if (!p.has_leader()) return std::nullopt;
  const std::string leader = "leader " + std::to_string(p.leader.value);
  if (!p.in_isr(p.leader) && p.leader_recovery_state != LeaderRecoveryState::recovering) {
    return "C1: " + place(topic, p) + leader + " is not in the ISR " + text(p.isr());
  }
  const BrokerRegistration* broker = image.cluster().broker(p.leader);
  if (!broker) return "C4: " + place(topic, p) + leader + " is not registered";
  if (broker->fenced) return "C4: " + place(topic, p) + leader + " is fenced";
  return std::nullopt;
}

// The topic's min.insync.replicas as far as the image knows it; nullopt: neither the topic nor the cluster sets it.
std::optional<std::int32_t> min_isr(const Configs& configs, const Topic& topic) {
  const std::string* value = configs.value(ConfigResourceType::topic, topic.name, "min.insync.replicas");
  if (!value) value = configs.value(ConfigResourceType::broker, "", "min.insync.replicas");
  std::int32_t number = 0;
  if (!value || std::from_chars(value->data(), value->data() + value->size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number;
}

Broken check_elr(const Image& image, const Topic& topic, const Partition& p) {
  if (!within(p.elr(), p.replicas())) return "C2: " + place(topic, p) + "ELR " + text(p.elr()) + " is not within the replicas";
  for (NodeId node : p.elr()) {
    if (p.in_isr(node)) return "C2: " + place(topic, p) + std::to_string(node.value) + " is in both ISR and ELR";
  }
  if (p.elr().empty() || !image.features().elr_enabled()) return std::nullopt;
  const std::optional<std::int32_t> least = min_isr(image.configs(), topic);
  if (least && p.isr().size() >= std::min(static_cast<std::size_t>(std::max(*least, 0)), p.replicas().size())) {
    return "C2: " + place(topic, p) + "ELR " + text(p.elr()) + " beside an ISR " + text(p.isr()) + " of at least " +
           std::to_string(*least);
  }
  return std::nullopt;
}

// The one fenced or unregistered broker that may be in an ISR is a last member kept while nobody leads.
Broken check_isr(const Image& image, const Topic& topic, const Partition& p) {
  if (!within(p.isr(), p.replicas())) return "C2: " + place(topic, p) + "ISR " + text(p.isr()) + " is not within the replicas";
  if (p.isr().empty() && !image.features().elr_enabled()) return "C3: " + place(topic, p) + "the ISR is empty without ELR";
  for (NodeId node : p.isr()) {
    const BrokerRegistration* broker = image.cluster().broker(node);
    if (broker && !broker->fenced) continue;
    if (p.isr().size() == 1 && !p.has_leader()) continue;
    return "C3: " + place(topic, p) + (broker ? "fenced" : "unregistered") + " broker " + std::to_string(node.value) +
           " is in the ISR " + text(p.isr());
  }
  return std::nullopt;
}

bool has_directories(const Partition& p) {
  return std::ranges::any_of(p.directories(), [](DirectoryId d) { return d != directory_migrating; });
}

// Nothing in the image needs a higher metadata.version than the finalized one.
Broken check_level(const Image& image) {
  const MetadataVersion version = image.features().metadata_version().value_or(minimum_metadata_version);
  const std::string suffix = " at metadata.version " + std::to_string(version.level);
  if (!version.scram() && !image.scram().all().empty()) return "C17: SCRAM credentials" + suffix;
  if (!version.delegation_tokens() && !image.delegation_tokens().all().empty()) return "C17: delegation tokens" + suffix;
  if (!version.controller_registration() && !image.cluster().controllers().empty()) return "C17: controllers" + suffix;
  for (const auto& [id, broker] : image.cluster().brokers()) {
    const std::string who = "C17: broker " + std::to_string(id.value);
    if (!version.directory_assignment() && !broker.log_dirs.empty()) return who + " has log directories" + suffix;
    if (!version.cordoned_log_dirs() && broker.cordoned_log_dirs) return who + " has cordoned directories" + suffix;
  }
  return std::nullopt;
}

Broken check_level(const Image& image, const Topic& topic, const Partition& p) {
  const MetadataVersion version = image.features().metadata_version().value_or(minimum_metadata_version);
  const std::string suffix = " at metadata.version " + std::to_string(version.level);
  if (!version.directory_assignment() && has_directories(p)) return "C17: " + place(topic, p) + "directories" + suffix;
  if (!version.elr() && !(p.elr().empty() && p.last_known_elr().empty())) return "C17: " + place(topic, p) + "ELR" + suffix;
  return std::nullopt;
}

Broken check_partition(const Image& image, const Topic& topic, const Partition& p) {
  if (p.directories().size() != p.replicas().size()) return "C2: " + place(topic, p) + "not one directory a replica";
  if (Broken broken = check_leader(image, topic, p)) return broken;
  if (Broken broken = check_isr(image, topic, p)) return broken;
  if (Broken broken = check_elr(image, topic, p)) return broken;
  return check_level(image, topic, p);
}

Broken check_brokers(const Cluster& cluster) {
  std::map<DirectoryId, NodeId> owners;
  for (const auto& [id, broker] : cluster.brokers()) {
    const std::string who = "broker " + std::to_string(id.value);
    if (broker.epoch.value > broker.register_offset.value) {
      return "C8: " + who + " has epoch " + std::to_string(broker.epoch.value) + " above its record's offset " +
             std::to_string(broker.register_offset.value);
    }
    for (DirectoryId directory : broker.log_dirs) {
      const auto [at, added] = owners.emplace(directory, id);
      if (!added || cluster.owner_of_dir(directory) != &broker) return "index: directory " + directory.to_string() + " of " + who;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_indexes(const Topics& topics) {
  PartitionIndexes expected;
  std::size_t partitions = 0;
  for (const auto& [ordinal, topic] : topics.all()) {
    if (topics.find(topic.id) != &topic || topics.find(topic.name) != &topic) return "index: topic " + topic.name;
    for (const std::uint32_t slot : topic.slots) {
      const Partition& p = topics.at_slot(slot);
      if (p.topic != ordinal || topics.partition(topic, p.index) != &p) return "index: " + place(topic, p) + "its slot";
      expected.update(slot, nullptr, &p);
      ++partitions;
    }
  }
  if (partitions != topics.partition_count()) return "index: the count of partitions";
  const PartitionIndexes& found = topics.indexes();
  const auto same = [](const SlotSet& a, const SlotSet& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  };
  if (!same(expected.leaderless(), found.leaderless())) return "index: leaderless partitions";
  if (!same(expected.imbalanced(), found.imbalanced())) return "index: imbalanced partitions";
  if (!same(expected.reassigning(), found.reassigning())) return "index: reassigning partitions";
  if (expected.brokers().size() != found.brokers().size()) return "index: the brokers";
  for (const auto& [id, want] : expected.brokers()) {
    const PartitionIndexes::Broker& have = found.broker(id);
    if (!same(want.leads, have.leads) || !same(want.in_isr, have.in_isr) || !same(want.replica, have.replica) ||
        !same(want.in_elr, have.in_elr) || !same(want.leaderless, have.leaderless)) {
      return "index: partitions of broker " + std::to_string(id.value);
    }
  }
  return std::nullopt;
}

std::optional<std::string> check(const Image& image) {
  if (Broken broken = check_brokers(image.cluster())) return broken;
  if (Broken broken = check_level(image)) return broken;
  for (const auto& [ordinal, topic] : image.topics().all()) {
    for (const std::uint32_t slot : topic.slots) {
      if (Broken broken = check_partition(image, topic, image.topics().at_slot(slot))) return broken;
    }
  }
  return check_indexes(image.topics());
}

}  // namespace hayward::core
