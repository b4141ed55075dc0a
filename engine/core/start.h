// What the controller is given before its first event: settings from server.properties and what the
// log's recovery found.
// Owner: built by the host, read by engine/core. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/authorizer/access_rules.h"
#include "engine/core/types.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// Settings; the comment is the server.properties key, the value its default. Times in ms.
struct NodeConfig {
  NodeId node_id = no_node;                            // node.id
  std::string cluster_id;                              // meta.properties
  DirectoryId directory_id{};                          // meta.properties of the metadata directory
  IncarnationId incarnation_id{};                      // random per process
  std::vector<Endpoint> advertised;                    // advertised.listeners, first controller listener first
  std::vector<Voter> static_voters;                    // controller.quorum.voters; empty: dynamic quorum
  std::vector<Endpoint> bootstrap_servers;             // controller.quorum.bootstrap.servers
  bool auto_join = false;                              // controller.quorum.auto.join.enable
  std::int32_t election_timeout_ms = 1000;             // controller.quorum.election.timeout.ms
  std::int32_t fetch_timeout_ms = 2000;                // controller.quorum.fetch.timeout.ms
  std::int32_t fetch_max_bytes = 1 << 20;              // controller.quorum.fetch.max.bytes
  std::int32_t fetch_snapshot_max_bytes = 1 << 20;     // controller.quorum.fetch.snapshot.max.bytes
  std::int32_t broker_session_timeout_ms = 9000;       // broker.session.timeout.ms
  std::int32_t broker_heartbeat_interval_ms = 2000;    // broker.heartbeat.interval.ms
  std::int32_t max_idle_interval_ms = 500;             // metadata.max.idle.interval.ms; 0: no NoOp records
  std::int32_t max_batch_bytes = 8 << 20;              // internal.metadata.max.batch.size.in.bytes
  std::int64_t snapshot_bytes = 20971520;              // metadata.log.max.record.bytes.between.snapshots
  std::int64_t snapshot_interval_ms = 3600000;         // metadata.log.max.snapshot.interval.ms; 0: off
  std::int32_t num_partitions = 1;                     // num.partitions
  std::int16_t default_replication_factor = 1;         // default.replication.factor
  std::int32_t mutation_quota_samples = 11;            // controller.quota.window.num
  std::int32_t mutation_quota_sample_s = 1;            // controller.quota.window.size.seconds
  bool delete_topic_enable = true;                     // delete.topic.enable
  bool auto_leader_rebalance_enable = true;            // auto.leader.rebalance.enable
  std::int64_t leader_imbalance_check_interval_s = 300;  // leader.imbalance.check.interval.seconds
  std::int64_t unclean_election_interval_ms = 300000;  // unclean.leader.election.interval.ms
  bool unstable_feature_versions = false;              // unstable.feature.versions.enable
  AuthorizerConfig authorizer;                         // authorizer.class.name and its own keys
  std::optional<std::string> delegation_token_secret_key;  // delegation.token.secret.key, not empty; absent: no tokens
  std::int64_t delegation_token_max_lifetime_ms = 604800000;         // delegation.token.max.lifetime.ms
  std::int64_t delegation_token_expiry_time_ms = 86400000;           // delegation.token.expiry.time.ms
  std::int64_t delegation_token_expiry_check_interval_ms = 3600000;  // delegation.token.expiry.check.interval.ms
  std::map<std::string, std::string> static_configs;   // every key of server.properties as given: topic-config synonyms, DescribeConfigs
  std::vector<Buffer> bootstrap_records;               // record frames of bootstrap.checkpoint; empty: metadata.version alone
  std::string bootstrap_source;                        // for the Begin record and the log
  std::size_t partitions_per_slice = 500;              // how many one event changes for a broker (control/broker_work.h)
  std::size_t snapshot_slice_entries = 4096;           // how much one event encodes of a snapshot (SnapshotWriter::next)
  std::uint64_t random_seed = 0;
};

struct SnapshotInfo {
  SnapshotId id;
  std::int64_t size = 0;
};

// What recovery found. Everything below `end` is on stable storage.
struct LogState {
  Offset start{0};
  Offset end{0};
  std::vector<EpochStart> epochs;                      // ascending
  std::vector<SnapshotInfo> snapshots;                 // ascending; 0-0 is the bootstrap checkpoint
  std::optional<QuorumState> quorum_state;             // nullopt: no file
  Offset refetch_to{0};                                // below it something was lost and given up; 0: nothing
};

// The host then feeds Node::load_snapshot (every batch of the newest snapshot, 0-0 included) and
// Node::load_batch (every batch of the log after it), and calls Node::start once.

}  // namespace hayward::core
