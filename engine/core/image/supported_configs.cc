// The config keys that Apache Kafka 4.3 defines, by resource type: LogConfig, ClientMetricsConfigs and
// GroupConfig. A key that is gone from there may still be in an old log.
// Owner: engine/core/image. Shard 0.
#include <algorithm>
#include <span>

#include "engine/core/image/configs.h"

namespace hayward::core {
namespace {

// Ascending.
constexpr std::string_view topic_keys[] = {
    "cleanup.policy",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.type",
    "compression.zstd.level",
    "delete.retention.ms",
    "file.delete.delay.ms",
    "flush.messages",
    "flush.ms",
    "follower.replication.throttled.replicas",
    "index.interval.bytes",
    "internal.segment.bytes",
    "leader.replication.throttled.replicas",
    "local.retention.bytes",
    "local.retention.ms",
    "max.compaction.lag.ms",
    "max.message.bytes",
    "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.type",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "min.insync.replicas",
    "preallocate",
    "remote.log.copy.disable",
    "remote.log.delete.on.disable",
    "remote.storage.enable",
    "retention.bytes",
    "retention.ms",
    "segment.bytes",
    "segment.index.bytes",
    "segment.jitter.ms",
    "segment.ms",
    "unclean.leader.election.enable",
};

constexpr std::string_view client_metrics_keys[] = {"interval.ms", "match", "metrics"};

constexpr std::string_view group_keys[] = {
    "consumer.assignment.interval.ms",
    "consumer.heartbeat.interval.ms",
    "consumer.session.timeout.ms",
    "share.assignment.interval.ms",
    "share.auto.offset.reset",
    "share.delivery.count.limit",
    "share.heartbeat.interval.ms",
    "share.isolation.level",
    "share.partition.max.record.locks",
    "share.record.lock.duration.ms",
    "share.renew.acknowledge.enable",
    "share.session.timeout.ms",
    "streams.assignment.interval.ms",
    "streams.heartbeat.interval.ms",
    "streams.initial.rebalance.delay.ms",
    "streams.num.standby.replicas",
    "streams.session.timeout.ms",
};

static_assert(std::ranges::is_sorted(topic_keys) && std::ranges::is_sorted(client_metrics_keys) &&
              std::ranges::is_sorted(group_keys));

}  // namespace

bool is_supported_config(std::int8_t type, std::string_view key) {
  switch (static_cast<ConfigResourceType>(type)) {
    case ConfigResourceType::topic: return std::ranges::binary_search(topic_keys, key);
    case ConfigResourceType::broker: return true;
    case ConfigResourceType::client_metrics: return std::ranges::binary_search(client_metrics_keys, key);
    case ConfigResourceType::group: return std::ranges::binary_search(group_keys, key);
  }
  return false;
}

}  // namespace hayward::core
