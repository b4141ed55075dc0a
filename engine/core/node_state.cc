// See node_state.h.
#include "engine/core/node_state.h"

#include <utility>

#include "engine/core/raft/control_records.h"

namespace hayward::core {

NodeState::NodeState(const NodeConfig& node_config, const LogState& recovered)
    : config(node_config),
      prng(config.random_seed),
      log(recovered),
      voters(config.static_voters),
      quorum({config.node_id, config.directory_id}, voters, recovered.quorum_state, log.last_epoch()),
      published_brokers(ms_to_ns(config.fetch_timeout_ms)),
      authorizer(config.authorizer),
      snapshotter(config),
      bootstrap_records(config.bootstrap_records) {}

Voter NodeState::self_voter() const {
  return {config.node_id, config.directory_id, config.advertised, raft::min_kraft_version, raft::max_kraft_version};
}

void NodeState::fail(std::string reason, Effects& out) {
  failed = true;
  out.push_back(Fail{std::move(reason)});
}

}  // namespace hayward::core
