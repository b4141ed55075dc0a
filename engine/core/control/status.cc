// See status.h.
#include "engine/core/control/status.h"

namespace hayward::core {
namespace {

using messages::HaywardStatusResponse;

constexpr std::string_view version = "0.1.0";

std::int64_t age_ms(MonoTime since, const Time& now) { return (now.mono - since) / ms_to_ns(1); }

HaywardStatusResponse::Broker broker_status(const NodeState& node, const BrokerRegistration& broker, const Time& now) {
  HaywardStatusResponse::Broker row;
  row.id = broker.id;
  row.epoch = broker.epoch;
  row.fenced = broker.fenced;
  row.in_controlled_shutdown = broker.in_controlled_shutdown;
  if (!broker.endpoints.empty()) {
    row.host = broker.endpoints.front().host;
    row.port = broker.endpoints.front().port;
  }
  if (broker.rack) row.rack = *broker.rack;
  const BrokerState state = node.brokers.of({broker.id, broker.epoch});
  if (state.leased) row.lease_age_ms = age_ms(state.last_contact, now);
  row.metadata_offset = state.metadata_offset;
  row.leader_count = static_cast<std::int32_t>(node.image.topics().led_by(broker.id).size());
  row.replica_count = static_cast<std::int32_t>(node.image.topics().replica_of(broker.id).size());
  return row;
}

HaywardStatusResponse::Voter voter_status(const NodeState& node, const Voter& voter) {
  HaywardStatusResponse::Voter row;
  row.id = voter.id;
  row.directory_id = voter.directory;
  if (!voter.endpoints.empty()) {
    row.host = voter.endpoints.front().host;
    row.port = voter.endpoints.front().port;
  }
  const raft::Leader* leader = node.quorum.leading();
  const raft::VoterProgress* progress = leader == nullptr ? nullptr : leader->voter(voter.id);
  if (voter.id == node.config.node_id) row.log_end_offset = node.log.end();
  else if (progress != nullptr) row.log_end_offset = progress->end;
  return row;
}

void add_quorum(NodeState& node, const Time& now, HaywardStatusResponse& response) {
  for (const Voter& voter : node.voters.last().all()) response.voters.push_back(node.arena, voter_status(node, voter));
  const raft::Leader* leader = node.quorum.leading();
  if (leader == nullptr) return;
  for (const auto& [key, progress] : leader->observers(now.mono)) {
    HaywardStatusResponse::Observer row;
    row.id = key.id;
    row.log_end_offset = progress.end;
    row.last_fetch_age_ms = age_ms(progress.last_fetch, now);
    response.observers.push_back(node.arena, row);
  }
}

}  // namespace

HaywardStatusResponse status(NodeState& node, const Time& now) {
  HaywardStatusResponse response;
  response.node_id = node.config.node_id;
  response.cluster_id = node.config.cluster_id;
  response.version = version;
  response.is_active = node.active;
  response.leader_id = node.quorum.leader();
  response.epoch = node.quorum.epoch();
  response.high_watermark = node.high_watermark();
  response.log_start_offset = node.log.start();
  response.log_end_offset = node.log.end();
  response.flushed_offset = node.log.flushed();
  response.uptime_ms = age_ms(node.started, now);
  for (const SnapshotInfo& snapshot : node.log.snapshots()) {
    HaywardStatusResponse::Snapshot row;
    row.end_offset = snapshot.id.end;
    row.epoch = snapshot.id.epoch;
    row.size = snapshot.size;
    response.snapshots.push_back(node.arena, row);
  }
  for (const auto& [id, broker] : node.image.cluster().brokers()) {
    response.brokers.push_back(node.arena, broker_status(node, broker, now));
  }
  add_quorum(node, now, response);
  response.topic_count = static_cast<std::int32_t>(node.image.topics().all().size());
  response.partition_count = static_cast<std::int32_t>(node.image.topics().partition_count());
  response.metadata_version = node.image.features().level("metadata.version");
  return response;
}

}  // namespace hayward::core
