// See node_state.h.
#include "engine/core/node_state.h"

#include <utility>


namespace hayward::core {

namespace {

constexpr std::uint64_t raft_seed = 0x72616674;  // another sequence than that of ids

}  // namespace

NodeState::NodeState(const NodeConfig& node_config, const LogState& recovered)
    : config(node_config),
      prng(config.random_seed),
      log(recovered),
      voters(config.static_voters),
      quorum({config.node_id, config.directory_id}, voters, recovered.quorum_state, log.last_epoch()),
      raft_prng(config.random_seed ^ raft_seed),
      published_brokers(ms_to_ns(config.fetch_timeout_ms)),
      authorizer(config.authorizer),
      mutation_buckets(static_cast<double>(config.mutation_quota_samples) * config.mutation_quota_sample_s),
      snapshotter(config),
      bootstrap_records(config.bootstrap_records) {}

Offset NodeState::high_watermark() const {
  if (quorum.leading() != nullptr) return quorum.leading()->high_watermark();
  return heard_high_watermark ? committed : no_offset;
}

raft::Turn NodeState::raft_turn(const Time& now, Effects& out) {
  return {config, quorum, log, voters, links, leader_search, tail, committed, raft_prng, arena, now, out, may_join, stopping};
}

void NodeState::fail(std::string reason, Effects& out) {
  failed = true;
  out.push_back(Fail{std::move(reason)});
}

}  // namespace hayward::core
