// See kraft_version.h.
#include "engine/core/control/kraft_version.h"

#include <utility>

#include "engine/core/append.h"
#include "engine/core/raft/control_records.h"

namespace hayward::core {

void raise_kraft_version(NodeState& node, std::int16_t version, const Time& now, Effects& out) {
  BatchBuilder batch(node.log.end(), node.quorum.epoch(), now.wall_ms, BatchKind::control);
  raft::add_kraft_version_and_voters(batch, version, node.self_voter(), node.voters, node.arena);
  append_control_batch(node, std::move(batch), now, out);
}

}  // namespace hayward::core
