// What a node asks of its peers, as text (machine.h).
#include <string>

#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/update_raft_voter_request.h"
#include "schemas/messages/vote_request.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/reader.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using namespace messages;

template <class Request>
Request decoded(const SendToPeer& send, Arena& arena) {
  Request request;
  Reader reader(send.body);
  decode(reader, send.api_version, arena, request);
  return request;
}

std::string version(const SendToPeer& send) { return " v" + std::to_string(send.api_version); }

std::string text(const VoteRequest& request) {
  const auto& p = request.topics[0].partitions[0];
  return (p.pre_vote ? " pre-vote" : "") + std::string(" in epoch ") + std::to_string(p.replica_epoch.value) +
         ", log end " + std::to_string(p.last_offset.value) + " of epoch " + std::to_string(p.last_offset_epoch.value);
}

std::string text(const FetchRequest& request) {
  const auto& p = request.topics[0].partitions[0];
  return " from " + std::to_string(p.fetch_offset.value) + " after epoch " + std::to_string(p.last_fetched_epoch.value) +
         ", in epoch " + std::to_string(p.current_leader_epoch.value) + ", high watermark " +
         std::to_string(p.high_watermark.value);
}

std::string text(const FetchSnapshotRequest& request) {
  const auto& p = request.topics[0].partitions[0];
  return " " + std::to_string(p.snapshot_id.end_offset.value) + "-" + std::to_string(p.snapshot_id.epoch.value) +
         " from byte " + std::to_string(p.position);
}

std::string text(const EndQuorumEpochRequest& request) {
  const auto& p = request.topics[0].partitions[0];
  std::string successors;
  for (const auto& candidate : p.preferred_candidates) successors += " " + std::to_string(candidate.candidate_id.value);
  return " " + std::to_string(p.leader_epoch.value) + ", successors" + successors;
}

}  // namespace

std::string describe_request(const SendToPeer& send) {
  Arena arena;
  switch (send.api_key) {
    case VoteRequest::api_key:
      return "Vote" + version(send) + text(decoded<VoteRequest>(send, arena));
    case BeginQuorumEpochRequest::api_key: {
      const auto request = decoded<BeginQuorumEpochRequest>(send, arena);
      return "BeginQuorumEpoch" + version(send) + " " + std::to_string(request.topics[0].partitions[0].leader_epoch.value);
    }
    case EndQuorumEpochRequest::api_key:
      return "EndQuorumEpoch" + version(send) + text(decoded<EndQuorumEpochRequest>(send, arena));
    case FetchRequest::api_key:
      return "Fetch" + version(send) + text(decoded<FetchRequest>(send, arena));
    case FetchSnapshotRequest::api_key:
      return "FetchSnapshot" + version(send) + text(decoded<FetchSnapshotRequest>(send, arena));
    case UpdateRaftVoterRequest::api_key:
      return "UpdateRaftVoter" + version(send);
    case AddRaftVoterRequest::api_key:
      return "AddRaftVoter" + version(send);
    case RemoveRaftVoterRequest::api_key:
      return "RemoveRaftVoter" + version(send);
    default:
      return "api " + std::to_string(send.api_key) + version(send);
  }
}

}  // namespace hayward::core
