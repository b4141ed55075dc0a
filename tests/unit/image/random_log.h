// Random records that the present image can take: a seed gives a log.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/prng.h"
#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {

class RandomLog {
 public:
  explicit RandomLog(std::uint64_t seed) : prng_(seed) {}

  // The value of the next record for `image`, which must take it. Its transaction markers are well placed.
  Buffer next(const Image& image);
  // The same of a record about neither topics nor partitions.
  Buffer next_beside_topics(const Image& image);

  Prng& prng() { return prng_; }

 private:
  NodeId any_node() { return NodeId{static_cast<std::int32_t>(prng_.below(8))}; }
  std::string any_name(const char* kind, std::uint64_t count) { return kind + std::to_string(prng_.below(count)); }
  Array<NodeId> some_nodes(std::size_t most);
  template <class Map>
  const typename Map::key_type& any_key(const Map& map) {
    return std::next(map.begin(), static_cast<std::ptrdiff_t>(prng_.below(map.size())))->first;
  }
  const Topic* any_topic(const Image& image);
  Buffer partition_change(const Image& image);
  Buffer partition(const Image& image);
  Buffer topic(const Image& image);
  Buffer broker(const Image& image);
  Buffer setting(const Image& image);
  Buffer security(const Image& image);
  Buffer transaction(const Image& image);

  Prng prng_;
  Arena arena_;
  std::string name_;  // what the record being built has views of
  std::string other_name_;
};

inline Array<NodeId> RandomLog::some_nodes(std::size_t most) {
  Array<NodeId> out;
  const std::size_t count = prng_.below(most + 1);
  while (out.size() < count) {
    const NodeId next = any_node();
    if (!Partition::contains(std::as_const(out), next)) out.push_back(arena_, next);
  }
  return out;
}

inline const Topic* RandomLog::any_topic(const Image& image) {
  const auto& all = image.topics().all();
  if (all.empty()) return nullptr;
  auto at = all.begin();
  std::advance(at, prng_.below(all.size()));
  return &at->second;
}

inline Buffer RandomLog::topic(const Image& image) {
  const Topic* old = any_topic(image);
  if (old && prng_.chance(image.topics().all().size(), 30)) return frame(records::RemoveTopicRecord{old->id});
  do name_ = any_name("topic.", 40);
  while (image.topics().find(name_));
  return frame(records::TopicRecord{name_, TopicId{prng_.uuid()}});
}

inline Buffer RandomLog::partition(const Image& image) {
  const Topic* topic = any_topic(image);
  if (!topic) return frame(records::NoOpRecord{});
  records::PartitionRecord record;
  record.topic_id = topic->id;
  record.partition_id = PartitionIndex{static_cast<std::int32_t>(prng_.below(12))};
  record.replicas = some_nodes(5);
  record.isr = some_nodes(3);
  record.removing_replicas = some_nodes(1);
  record.adding_replicas = some_nodes(1);
  record.eligible_leader_replicas = some_nodes(1);
  record.leader = prng_.chance(1, 4) ? no_node : any_node();
  record.leader_recovery_state = static_cast<std::int8_t>(prng_.below(2));
  if (prng_.chance(1, 2)) {
    for (std::size_t i = 0; i < record.replicas.size(); ++i) record.directories.push_back(arena_, DirectoryId{prng_.uuid()});
  }
  return frame(record);
}

inline Buffer RandomLog::partition_change(const Image& image) {
  const Topic* topic = any_topic(image);
  if (!topic || topic->slots.empty()) return partition(image);
  records::PartitionChangeRecord record;
  record.topic_id = topic->id;
  record.partition_id = image.topics().at_slot(topic->slots[prng_.below(topic->slots.size())]).index;
  if (prng_.chance(1, 2)) record.leader = prng_.chance(1, 4) ? no_node : any_node();
  if (prng_.chance(1, 2)) record.isr = some_nodes(4);
  if (prng_.chance(1, 8)) record.leader_recovery_state = static_cast<std::int8_t>(prng_.below(2));
  if (prng_.chance(1, 4)) record.eligible_leader_replicas = some_nodes(2);
  if (prng_.chance(1, 4)) record.last_known_elr = some_nodes(1);
  if (prng_.chance(1, 4)) {
    record.replicas = some_nodes(5);
    record.adding_replicas = some_nodes(1);
    record.removing_replicas = some_nodes(1);
    record.directories = Array<DirectoryId>();  // not null: as many as the replicas, or none
    if (prng_.chance(3, 4)) {
      for (std::size_t i = 0; i < record.replicas.size(); ++i) record.directories.push_back(arena_, DirectoryId{prng_.uuid()});
    }
  }
  return frame(record);
}

inline Buffer RandomLog::broker(const Image& image) {
  const NodeId id = any_node();
  const BrokerRegistration* present = image.cluster().broker(id);
  if (!present || prng_.chance(1, 4)) {
    records::RegisterBrokerRecord record;
    record.broker_id = id;
    record.broker_epoch = BrokerEpoch{present ? present->epoch.value + 1 : 0};
    record.incarnation_id = IncarnationId{prng_.uuid()};
    name_ = any_name("host", 3);
    record.end_points.push_back(arena_, {"PLAINTEXT", name_, static_cast<std::uint16_t>(prng_.below(65536)), 0});
    record.features.push_back(arena_, {"metadata.version", 7, 30});
    record.rack = prng_.chance(1, 2) ? std::optional<std::string_view>() : "rack";
    record.fenced = prng_.chance(1, 2);
    for (std::uint64_t i = prng_.below(4); i > 0; --i) record.log_dirs.push_back(arena_, DirectoryId{prng_.uuid()});
    return frame(record);
  }
  if (prng_.chance(1, 8)) return frame(records::UnregisterBrokerRecord{id, present->epoch});
  if (prng_.chance(1, 8)) return frame(records::FenceBrokerRecord{id, present->epoch});
  if (prng_.chance(1, 8)) return frame(records::UnfenceBrokerRecord{id, present->epoch});
  records::BrokerRegistrationChangeRecord record;
  record.broker_id = id;
  record.broker_epoch = present->epoch;
  record.fenced = static_cast<std::int8_t>(static_cast<int>(prng_.below(3)) - 1);
  record.in_controlled_shutdown = static_cast<std::int8_t>(prng_.below(2));
  if (prng_.chance(1, 4)) record.log_dirs.push_back(arena_, DirectoryId{prng_.uuid()});
  if (prng_.chance(1, 4)) record.cordoned_log_dirs = Array<DirectoryId>::copy(arena_, present->log_dirs);
  return frame(record);
}

inline Buffer RandomLog::setting(const Image& image) {
  switch (prng_.below(5)) {
    case 0: {
      const char* features[] = {"eligible.leader.replicas.version", "group.version", "transaction.version", "kraft.version"};
      return frame(records::FeatureLevelRecord{features[prng_.below(4)], static_cast<std::int16_t>(prng_.below(2))});
    }
    case 1: {
      records::ClientQuotaRecord record;
      name_ = any_name("user", 5);
      record.entity.push_back(arena_, {"user", prng_.chance(1, 3) ? std::optional<std::string_view>() : name_});
      if (prng_.chance(1, 2)) record.entity.push_back(arena_, {"client-id", std::nullopt});
      record.key = prng_.chance(1, 2) ? "producer_byte_rate" : "request_percentage";
      record.value = static_cast<double>(prng_.below(1'000)) / 7;
      record.remove = prng_.chance(1, 3);
      return frame(record);
    }
    case 2:
      return frame(records::ProducerIdsRecord{any_node(), BrokerEpoch{1}, image.producer_ids().next_producer_id + 1'000});
    case 3: {
      records::RegisterControllerRecord record;
      record.controller_id = any_node();
      record.incarnation_id = IncarnationId{prng_.uuid()};
      record.end_points.push_back(arena_, {"CONTROLLER", "host", 9093, 0});
      return frame(record);
    }
    default: {
      name_ = any_name("topic.", 40);
      other_name_ = std::to_string(prng_.below(100));
      const char* keys[] = {"retention.ms", "segment.ms", "min.insync.replicas", "no.such.key"};
      const std::optional<std::string_view> value = prng_.chance(1, 3) ? std::optional<std::string_view>() : other_name_;
      return frame(records::ConfigRecord{static_cast<std::int8_t>(prng_.chance(1, 4) ? 4 : 2), name_, keys[prng_.below(4)], value});
    }
  }
}

inline Buffer RandomLog::security(const Image& image) {
  switch (prng_.below(6)) {
    case 0:
      if (!image.acls().all().empty()) {
        return frame(records::RemoveAccessControlEntryRecord{any_key(image.acls().all())});
      }
      [[fallthrough]];
    case 1:
      name_ = any_name("topic.", 3);
      return frame(records::AccessControlEntryRecord{prng_.uuid(), 2, name_, 3, "User:a", "*",
                                                     static_cast<std::int8_t>(prng_.below(4)), 3});
    case 2:
      if (!image.scram().all().empty()) {
        const ScramKey& key = any_key(image.scram().all());
        return frame(records::RemoveUserScramCredentialRecord{key.user, key.mechanism});
      }
      [[fallthrough]];
    case 3: {
      name_ = any_name("user", 5);
      records::UserScramCredentialRecord record;
      record.name = name_;
      record.mechanism = static_cast<std::int8_t>(1 + prng_.below(2));
      record.salt = as_bytes("salt");
      record.iterations = static_cast<std::int32_t>(4096 + prng_.below(10));
      return frame(record);
    }
    case 4: name_ = any_name("token", 5); return frame(records::RemoveDelegationTokenRecord{name_});
    default: {
      name_ = any_name("token", 5);
      records::DelegationTokenRecord record;
      record.token_id = name_;
      record.owner = "User:a";
      record.requester = "User:a";
      record.renewers.push_back(arena_, "User:b");
      record.expiration_timestamp = static_cast<std::int64_t>(prng_.below(1'000));
      return frame(record);
    }
  }
}

inline Buffer RandomLog::transaction(const Image& image) {
  if (!image.in_transaction()) return frame(records::BeginTransactionRecord{"random"});
  return prng_.chance(1, 2) ? frame(records::EndTransactionRecord{}) : frame(records::AbortTransactionRecord{});
}

inline Buffer RandomLog::next(const Image& image) {
  arena_.reset();
  const std::uint64_t dice = prng_.below(100);
  if (dice < 40) return partition_change(image);
  if (dice < 60) return partition(image);
  if (dice < 68) return topic(image);
  if (dice < 80) return broker(image);
  if (dice < 88) return setting(image);
  if (dice < 95) return security(image);
  if (dice < 97) return transaction(image);
  if (dice < 98) {
    const Topic* topic = any_topic(image);
    return frame(records::ClearElrRecord{topic && prng_.chance(3, 4) ? std::string_view(topic->name) : ""});
  }
  return frame(records::NoOpRecord{});
}

inline Buffer RandomLog::next_beside_topics(const Image& image) {
  arena_.reset();
  switch (prng_.below(3)) {
    case 0: return broker(image);
    case 1: return setting(image);
    default: return security(image);
  }
}

}  // namespace hayward::core::testing
