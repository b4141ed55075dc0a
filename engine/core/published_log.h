// What the shards are told so that they can answer observers' fetches without the controller: that this node leads, with
// which voters, and how far the log is committed. Only what is committed is ever published, so no such answer shows what may
// be undone (C12); and voters stay with the controller, for what they fetch commits.
// Owner: the node. Shard 0.
#pragma once

#include <memory>

#include "engine/core/effect.h"
#include "engine/core/raft/voters.h"
#include "engine/core/start.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class PublishedLog {
 public:
  // After each step: what has changed, if anything. `active`: this node leads `epoch` and is active in it.
  void update(bool active, const NodeConfig& config, Epoch epoch, const raft::VoterHistory& voters, Offset high_watermark,
              Offset log_start, Effects& out);

 private:
  std::shared_ptr<const LeaderFacts> leader_;  // null: nothing is published
  Offset voters_offset_ = no_offset;           // of the voter set in it
  Offset high_watermark_ = no_offset;
  Offset log_start_ = no_offset;
};

}  // namespace hayward::core
