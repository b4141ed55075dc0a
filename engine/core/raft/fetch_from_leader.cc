// See fetch_from_leader.h.
#include "engine/core/raft/fetch_from_leader.h"

#include <algorithm>
#include <memory>

#include "engine/core/raft/append_from_leader.h"
#include "engine/core/raft/peer_answer.h"
#include "engine/core/raft/turn.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"

namespace hayward::core::raft {
namespace {

using messages::FetchRequest;
using messages::FetchResponse;
using Partition = FetchResponse::PartitionData;

constexpr std::int32_t longest_wait_ms = 500;
constexpr std::int16_t first_with_replica_state = 15;
constexpr std::int32_t first_bootstrap_id = -2;

bool send_fetch(Turn& turn, NodeId peer, std::span<const Endpoint> endpoints, std::int32_t max_wait_ms) {
  const std::int16_t version = turn.links.version(peer, FetchRequest::api_key, FetchRequest::max_version);
  FetchRequest request;
  request.cluster_id = turn.config.cluster_id;
  if (version >= first_with_replica_state)
    request.replica_state.replica_id = turn.quorum.self().id;
  else
    request.replica_id = turn.quorum.self().id;
  request.max_wait_ms = max_wait_ms;
  request.min_bytes = 0;
  request.max_bytes = turn.config.fetch_max_bytes;
  request.session_epoch = -1;
  FetchRequest::FetchPartition partition;
  partition.partition = metadata_partition;
  partition.current_leader_epoch = turn.quorum.epoch();
  partition.fetch_offset = turn.log.end();
  partition.last_fetched_epoch = turn.log.last_epoch();
  partition.log_start_offset = no_offset;
  partition.replica_directory_id = turn.quorum.self().directory;
  partition.high_watermark = turn.committed;
  FetchRequest::FetchTopic topic;
  topic.topic_id = metadata_topic_id;
  topic.partitions.push_back(turn.arena, partition);
  request.topics.push_back(turn.arena, topic);
  return send_as(version, turn, peer, endpoints, Lane::fetches, request);
}

// Where this log must be cut so that it can go on from `diverging`.
Offset cut_for(const Turn& turn, const Partition& p) {
  const auto own = turn.log.epochs().end_of(p.diverging_epoch.epoch, turn.log.end());
  if (!own) return std::min(turn.log.end(), p.diverging_epoch.end_offset);
  return own->epoch == p.diverging_epoch.epoch ? std::min(own->end, p.diverging_epoch.end_offset) : own->end;
}

bool truncate(Turn& turn, const Partition& p) {
  const Offset end = cut_for(turn, p);
  if (end == turn.log.end()) return false;  // it wants nothing of it: asking again at once would not help
  if (end < turn.committed || !turn.tail.begins_at(end)) {  // R8
    turn.log_line(LogLine::Level::error,
                  name_of(turn.quorum.leader()) + " wants the log to be cut at offset " + std::to_string(end.value) +
                      ": expected a batch's start at or above the committed offset " +
                      std::to_string(turn.committed.value) + "; not done");
    return false;
  }
  turn.log_line(LogLine::Level::info, "the log is cut at offset " + std::to_string(end.value) + ", where " +
                                          name_of(turn.quorum.leader()) + " has another one");
  turn.log.truncated(end);
  turn.voters.truncated(end);
  turn.tail.truncated(end);
  turn.out.push_back(Truncate{end});
  return true;
}

// From the leader of this epoch. False: it was of no use.
bool take_in(Turn& turn, const Partition& p) {
  if (p.diverging_epoch.epoch >= Epoch{0}) return truncate(turn, p);
  if (p.snapshot_id.epoch >= Epoch{0}) {
    turn.quorum.as<Follower>()->wanted_snapshot = SnapshotId{p.snapshot_id.end_offset, p.snapshot_id.epoch};
    return true;
  }
  if (p.records && !p.records->empty() && !append_from_leader(turn, *p.records)) return false;
  turn.committed = std::max(turn.committed, std::min(p.high_watermark, turn.log.end()));
  return true;
}

}  // namespace

MonoTime fetch_from_leader(Turn& turn) {
  const auto* follower = turn.quorum.as<Follower>();
  if (turn.log.flushed() < turn.log.end() || turn.log.loading() || follower->wanted_snapshot) return mono_never;
  const MonoTime free_at = turn.links.free_at(follower->leader, Lane::fetches);
  if (turn.now.mono < free_at) return free_at;
  send_fetch(turn, follower->leader, follower->leader_endpoints, longest_wait_ms);
  return mono_never;
}

MonoTime ask_around(Turn& turn) {
  if (turn.log.flushed() < turn.log.end()) return mono_never;  // whom it asks may be the leader (R11)
  std::vector<std::pair<NodeId, std::span<const Endpoint>>> peers;
  const auto& servers = turn.config.bootstrap_servers;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const NodeId id{first_bootstrap_id - static_cast<std::int32_t>(i)};
    peers.push_back({id, std::span<const Endpoint>(&servers[i], 1)});
  }
  if (servers.empty()) {
    for (const Voter* voter : other_voters(turn)) {
      if (voter->id != turn.quorum.leader()) peers.push_back({voter->id, voter->endpoints});
    }
  }
  MonoTime next = mono_never;
  std::erase_if(peers, [&](const auto& peer) {
    const MonoTime free_at = turn.links.free_at(peer.first, Lane::fetches);
    next = std::min(next, free_at);
    return turn.now.mono < free_at;
  });
  if (peers.empty()) return next;
  const auto& [id, endpoints] = peers[turn.prng.below(peers.size())];
  send_fetch(turn, id, endpoints, 0);
  turn.links.rest_after_answer(id, Lane::fetches);
  return peers.size() > 1 ? turn.after_ms(Links::first_rest_ms) : mono_never;
}

const Endpoint* bootstrap_server(const Turn& turn, NodeId peer) {
  const auto& servers = turn.config.bootstrap_servers;
  if (peer.value > first_bootstrap_id) return nullptr;
  const auto i = static_cast<std::size_t>(std::int64_t{first_bootstrap_id} - peer.value);
  return i < servers.size() ? &servers[i] : nullptr;
}

void fetch_answered(Turn& turn, const PeerReply& reply, const InFlight& request) {
  const auto response = read_answer<FetchResponse>(turn, reply);
  const auto* p = response ? only_partition(response->responses) : nullptr;
  const auto of_no_use = [&] { turn.links.rest(reply.peer, Lane::fetches, turn.now.mono, turn.prng); };
  if (p == nullptr || p->error_code != ErrorCode::none) turn.search.heard(reply.peer, what_it_said(response, p));
  if (p == nullptr) return of_no_use();
  const Epoch epoch = turn.quorum.epoch();
  learn(turn, p->current_leader.leader_epoch, p->current_leader.leader_id,
        endpoints_of(turn, *response, p->current_leader.leader_id));

  auto* follower = turn.quorum.as<Follower>();
  const bool from_leader = follower != nullptr && follower->leader == reply.peer && request.epoch == epoch &&
                           turn.quorum.epoch() == epoch;
  if (!from_leader || p->error_code != ErrorCode::none) {
    // It was restarted: it never leads this epoch again (R12).
    if (from_leader && p->error_code == ErrorCode::not_leader_or_follower) leader_refused_dial(turn);
    if (request.epoch == turn.quorum.epoch()) of_no_use();
    return;
  }
  if (!take_in(turn, *p)) return of_no_use();
  follower->fetch_deadline = turn.fetch_timeout();
  follower->early_election_at = mono_never;
  follower->leader_gone = false;
  follower->fetched = true;
}

}  // namespace hayward::core::raft
