// See published_log.h.
#include "engine/core/published_log.h"

namespace hayward::core {

void PublishedLog::update(bool active, const NodeConfig& config, Epoch epoch, const raft::VoterHistory& voters,
                          Offset high_watermark, Offset log_start, Effects& out) {
  if (leader_ && (!active || leader_->epoch != epoch)) {
    leader_.reset();
    out.push_back(PublishLog{});
  }
  if (!active) return;
  const bool same_leader = leader_ && voters_offset_ == voters.last_offset();
  if (same_leader && high_watermark_ == high_watermark && log_start_ == log_start) return;
  if (!same_leader) {
    leader_ = std::make_shared<const LeaderFacts>(LeaderFacts{.id = config.node_id,
                                                              .epoch = epoch,
                                                              .cluster_id = config.cluster_id,
                                                              .endpoints = config.advertised,
                                                              .voters = voters.last().ids(),
                                                              .max_bytes = config.max_batch_bytes});
    voters_offset_ = voters.last_offset();
  }
  high_watermark_ = high_watermark;
  log_start_ = log_start;
  out.push_back(PublishLog{leader_, high_watermark, log_start});
}

}  // namespace hayward::core
