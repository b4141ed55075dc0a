// UpdateFeatures (57): finalized feature levels, metadata.version among them.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/control/context.h"
#include "schemas/messages/update_features_request.h"
#include "schemas/messages/update_features_response.h"

namespace hayward::core {

// What raft says: about kraft.version, which it keeps (for voters only; brokers' and controllers' ranges are checked
// here), and about who is there.
struct RaftSight {
  std::int16_t kraft_version = 0;                    // finalized
  std::optional<std::string> kraft_version_refusal;  // why it cannot be raised to 1 now; nullopt: it can
  // The voters, and who has fetched lately. A registered controller that is neither is gone, for there is no API to
  // unregister one: what it supported has no say (KAFKA-20395).
  std::vector<NodeId> replicas;
};

struct UpdateFeaturesOutcome {
  messages::UpdateFeaturesResponse response;
  // Set: raft is to finalize this kraft.version. The NoOpRecord among the records gives the answer an offset to
  // wait for, so raft's control records must go into the log before it.
  std::optional<std::int16_t> kraft_version;
};

// All or nothing: the first bad feature refuses the request (top-level invalid_update_version). Switching ELR on
// also writes the cluster's min.insync.replicas where none is stored and removes the brokers' own.
UpdateFeaturesOutcome update_features(const HandlerContext& context, const RaftSight& raft,
                                      const messages::UpdateFeaturesRequest& request, RecordList& records);

}  // namespace hayward::core
