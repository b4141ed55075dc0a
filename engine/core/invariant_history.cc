// Invariants over time: what may only rise, and what may never come back.
// Owner: engine/core. Shard 0.
#include "engine/core/image/content_hash.h"
#include "engine/core/invariants.h"

namespace hayward::core {
namespace {

std::uint64_t content(const Partition& p) {
  ContentHash hash;
  hash.add(p.leader).add(p.leader_epoch).add(static_cast<std::uint64_t>(p.leader_recovery_state));
  hash.add(p.replicas()).add(p.isr()).add(p.directories()).add(p.removing_replicas()).add(p.adding_replicas());
  return hash.add(p.elr()).add(p.last_known_elr()).value();
}

std::string rose(std::int64_t from, std::int64_t to) { return std::to_string(from) + " -> " + std::to_string(to); }

}  // namespace

std::optional<std::string> InvariantHistory::observe(const Image& image) {
  if (auto broken = observe_brokers(image.cluster())) return broken;
  if (auto broken = observe_topics(image.topics())) return broken;
  const std::int64_t next = image.producer_ids().next_producer_id;
  if (next < next_producer_id_) return "C18: next producer id " + rose(next_producer_id_, next);
  next_producer_id_ = next;
  return std::nullopt;
}

std::optional<std::string> InvariantHistory::observe_topics(const Topics& topics) {
  for (auto seen = topics_.begin(); seen != topics_.end();) {
    const Topic* topic = topics.find(seen->first);
    if (topic && topic->name != seen->second) return "C18: topic id " + seen->first.to_string() + " has changed its name";
    if (topic) {
      ++seen;
      continue;
    }
    gone_.insert(seen->first);
    const auto from = partitions_.lower_bound({seen->first, PartitionIndex{INT32_MIN}});
    const auto to = partitions_.upper_bound({seen->first, PartitionIndex{INT32_MAX}});
    partitions_.erase(from, to);
    seen = topics_.erase(seen);
  }
  for (const auto& [ordinal, topic] : topics.all()) {
    if (gone_.contains(topic.id)) return "C18: topic id " + topic.id.to_string() + " is used again";
    topics_.emplace(topic.id, topic.name);
    for (const std::uint32_t slot : topic.slots) {
      if (auto broken = observe_partition(topic, topics.at_slot(slot))) return broken;
    }
  }
  return std::nullopt;
}

std::optional<std::string> InvariantHistory::observe_partition(const Topic& topic, const Partition& now) {
  const std::string place = "topic " + topic.name + " partition " + std::to_string(now.index.value) + ": ";
  const PartitionSeen next{now.leader, now.leader_epoch, now.partition_epoch, content(now)};
  const auto [at, added] = partitions_.try_emplace({topic.id, now.index}, next);
  if (added) return std::nullopt;
  const PartitionSeen before = std::exchange(at->second, next);
  const std::string leader_epoch = "leader epoch " + rose(before.leader_epoch.value, now.leader_epoch.value);
  const std::string leader = ", leader " + rose(before.leader.value, now.leader.value);
  if (now.leader_epoch < before.leader_epoch) return "C6: " + place + leader_epoch;
  if (now.leader_epoch == before.leader_epoch && now.leader != before.leader) {
    return (before.leader != no_node && now.leader != no_node ? "C5: " : "C6: ") + place + leader_epoch + leader;
  }
  const bool changed = next.content != before.content;
  if (now.partition_epoch < before.partition_epoch || (changed && now.partition_epoch == before.partition_epoch)) {
    return "C7: " + place + "partition epoch " + rose(before.partition_epoch.value, now.partition_epoch.value);
  }
  return std::nullopt;
}

std::optional<std::string> InvariantHistory::observe_brokers(const Cluster& cluster) {
  for (const auto& [id, broker] : cluster.brokers()) {
    const auto [at, added] = brokers_.try_emplace(id, BrokerSeen{broker.epoch, broker.incarnation_id});
    if (added) continue;
    const BrokerSeen before = std::exchange(at->second, BrokerSeen{broker.epoch, broker.incarnation_id});
    const bool same = before.incarnation_id == broker.incarnation_id && before.epoch == broker.epoch;
    if (!same && broker.epoch <= before.epoch) {
      return "C8: broker " + std::to_string(id.value) + " epoch " + rose(before.epoch.value, broker.epoch.value);
    }
  }
  return std::nullopt;
}

}  // namespace hayward::core
