// The strong types that schemas/lift.json names: every Kafka integer or uuid with a meaning.
// Owner: schemas/runtime. Any shard.
#pragma once

#include <cstdint>

#include "schemas/runtime/strong.h"
#include "schemas/runtime/uuid.h"

namespace hayward {

// A node's id; brokers and controllers share one number space. -1: none.
using NodeId = Strong<struct NodeIdTag, std::int32_t>;
// Identifies one registration of a broker; rises with each. -1: none.
using BrokerEpoch = Strong<struct BrokerEpochTag, std::int64_t>;
// The raft term (Kafka: leader epoch of __cluster_metadata).
using Epoch = Strong<struct EpochTag, std::int32_t>;
// A topic partition's leader epoch.
using LeaderEpoch = Strong<struct LeaderEpochTag, std::int32_t>;
// A topic partition's partition epoch: +1 per change record.
using PartitionEpoch = Strong<struct PartitionEpochTag, std::int32_t>;
// A partition's index within its topic.
using PartitionIndex = Strong<struct PartitionIndexTag, std::int32_t>;
// An offset in the metadata log. -1: unknown.
using Offset = Strong<struct OffsetTag, std::int64_t>;

using TopicId = StrongUuid<struct TopicIdTag>;
using DirectoryId = StrongUuid<struct DirectoryIdTag>;
using IncarnationId = StrongUuid<struct IncarnationIdTag>;

inline constexpr NodeId no_node{-1};
inline constexpr Offset no_offset{-1};

// Reserved directory ids: every 128-bit value below 100 (Kafka's DirectoryId).
inline constexpr DirectoryId directory_migrating{Uuid{0, 0}};
inline constexpr DirectoryId directory_unassigned{Uuid{0, 1}};
inline constexpr DirectoryId directory_lost{Uuid{0, 2}};
inline constexpr bool is_reserved(DirectoryId id) { return id.value.hi == 0 && id.value.lo < 100; }

// __cluster_metadata's fixed topic id.
inline constexpr TopicId metadata_topic_id{Uuid{0, 1}};

}  // namespace hayward
