// The whole metadata state in its parts. Image owns one; replay, undo and snapshots work on it.
// Owner: engine/core/image. Shard 0.
#pragma once

#include "engine/core/image/cluster.h"
#include "engine/core/image/configs.h"
#include "engine/core/image/features.h"
#include "engine/core/image/quotas.h"
#include "engine/core/image/security.h"
#include "engine/core/image/topics.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

struct ImageParts {
  Features features;
  Cluster cluster;
  Topics topics;
  Configs configs;
  ClientQuotas client_quotas;
  ProducerIds producer_ids;
  Acls acls;
  Scram scram;
  DelegationTokens delegation_tokens;
  Offset transaction_start = no_offset;  // of the open transaction's Begin record
};

}  // namespace hayward::core
