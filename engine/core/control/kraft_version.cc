// See kraft_version.h.
#include "engine/core/control/kraft_version.h"

#include <utility>

#include "engine/core/append.h"
#include "engine/core/raft/control_records.h"

namespace hayward::core {

std::optional<std::string> why_not_raise_kraft_version(const NodeState& node) {
  for (const Voter& voter : node.voters.last().all()) {
    if (voter.id == node.config.node_id) continue;
    const Voter* update = node.quorum.leading()->update_of(voter.id);
    const std::string who = "voter " + std::to_string(voter.id.value);
    if (update == nullptr) return who + " has not told the leader its addresses and its directory; is it running?";
    if (update->max_kraft_version < 1) return who + " does not support kraft.version 1";
  }
  return std::nullopt;
}

void raise_kraft_version(NodeState& node, std::int16_t version, const Time& now, Effects& out) {
  raft::VoterSet voters = node.voters.last();
  for (const NodeId id : voters.ids()) {
    const bool self = id == node.config.node_id;
    voters = voters.with(self ? raft::self_voter(node.config) : *node.quorum.leading()->update_of(id));
  }
  BatchBuilder batch(node.log.end(), node.quorum.epoch(), now.wall_ms, BatchKind::control);
  raft::add_kraft_version_and_voters(batch, version, voters, node.voters, node.arena);
  append_control_batch(node, std::move(batch), now, out);
}

}  // namespace hayward::core
