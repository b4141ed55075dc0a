// An image and the records that go into it, one by one, at rising offsets.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/image/image.h"
#include "schemas/records/abort_transaction_record.h"
#include "schemas/records/access_control_entry_record.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/clear_elr_record.h"
#include "schemas/records/client_quota_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/delegation_token_record.h"
#include "schemas/records/end_transaction_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/fence_broker_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/no_op_record.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/producer_ids_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/register_controller_record.h"
#include "schemas/records/remove_access_control_entry_record.h"
#include "schemas/records/remove_delegation_token_record.h"
#include "schemas/records/remove_topic_record.h"
#include "schemas/records/remove_user_scram_credential_record.h"
#include "schemas/records/topic_record.h"
#include "schemas/records/unfence_broker_record.h"
#include "schemas/records/unregister_broker_record.h"
#include "schemas/records/user_scram_credential_record.h"
#include "schemas/records/zk_migration_state_record.h"

namespace hayward::core::testing {

inline NodeId node(std::int32_t id) { return NodeId{id}; }
inline TopicId topic_id(std::uint64_t n) { return TopicId{Uuid{0x1000, n}}; }
inline DirectoryId dir_id(std::uint64_t n) { return DirectoryId{Uuid{0x2000, n}}; }

inline std::vector<NodeId> nodes(std::initializer_list<std::int32_t> ids) {
  std::vector<NodeId> out;
  for (std::int32_t id : ids) out.push_back(NodeId{id});
  return out;
}

template <class T>
std::vector<T> list(std::span<const T> view) {
  return {view.begin(), view.end()};
}

template <class Record>
Buffer frame(const Record& record, std::int16_t version = Record::max_version) {
  Buffer bytes;
  records::append_frame(bytes, record, version);
  return bytes;
}

class ImageTest : public ::testing::Test {
 protected:
  template <class Record>
  void apply(const Record& record, std::int16_t version = Record::max_version) {
    apply_bytes(frame(record, version));
  }
  void apply_bytes(Bytes bytes) {
    const auto applied = image_.replay(bytes, next_);
    ASSERT_TRUE(applied.has_value()) << applied.error().to_string();
    EXPECT_EQ(image_.last_offset(), next_);
    ++next_.value;
  }
  // The error's line; nothing may have changed.
  template <class Record>
  std::string refuse(const Record& record, std::int16_t version = Record::max_version) {
    return refuse_bytes(frame(record, version));
  }
  std::string refuse_bytes(Bytes bytes) {
    const std::uint64_t before = image_.hash();
    const Offset last = image_.last_offset();
    const auto applied = image_.replay(bytes, next_);
    EXPECT_FALSE(applied.has_value());
    EXPECT_EQ(image_.hash(), before);
    EXPECT_EQ(image_.last_offset(), last);
    return applied.has_value() ? "applied" : applied.error().to_string();
  }

  Array<NodeId> ids(std::initializer_list<std::int32_t> values) {
    return Array<NodeId>::copy(arena_, nodes(values));
  }
  Array<DirectoryId> dirs(std::initializer_list<std::uint64_t> values) {
    Array<DirectoryId> out;
    for (std::uint64_t value : values) out.push_back(arena_, dir_id(value));
    return out;
  }

  records::RegisterBrokerRecord broker(std::int32_t id, std::int64_t epoch = 0, bool fenced = false) {
    records::RegisterBrokerRecord record;
    record.broker_id = node(id);
    record.broker_epoch = BrokerEpoch{epoch};
    record.incarnation_id = IncarnationId{Uuid{7, static_cast<std::uint64_t>(id * 1000 + epoch)}};
    record.end_points.push_back(arena_, {"PLAINTEXT", "host", 9092, 0});
    record.features.push_back(arena_, {"metadata.version", 7, 30});
    record.rack = std::nullopt;
    record.fenced = fenced;
    record.log_dirs = dirs({static_cast<std::uint64_t>(id)});
    return record;
  }
  records::TopicRecord topic(std::string_view name, std::uint64_t id) { return {name, topic_id(id)}; }
  records::PartitionRecord partition(std::uint64_t topic, std::int32_t index, std::initializer_list<std::int32_t> replicas,
                                     std::int32_t leader) {
    records::PartitionRecord record;
    record.partition_id = PartitionIndex{index};
    record.topic_id = topic_id(topic);
    record.replicas = ids(replicas);
    record.isr = ids(replicas);
    record.leader = node(leader);
    record.leader_epoch = LeaderEpoch{0};
    record.partition_epoch = PartitionEpoch{0};
    return record;
  }
  static records::PartitionChangeRecord change(std::uint64_t topic, std::int32_t index) {
    records::PartitionChangeRecord record;
    record.partition_id = PartitionIndex{index};
    record.topic_id = topic_id(topic);
    return record;
  }
  void set_metadata_version(std::int16_t level) { apply(records::FeatureLevelRecord{"metadata.version", level}); }

  const Partition& at(std::uint64_t topic, std::int32_t index) {
    const Partition* found = image_.topics().partition(topic_id(topic), PartitionIndex{index});
    HAYWARD_ASSERT(found, "the test's partition is there");
    return *found;
  }

  Image image_;
  Arena arena_;
  Offset next_{0};
};

}  // namespace hayward::core::testing
