// Who a replica is: its node id and the directory its log lives in (kraft.version 1). A zero directory
// means that it did not say, or that kraft.version is 0.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include <compare>

#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

struct ReplicaKey {
  NodeId id = no_node;
  DirectoryId directory{};
  friend constexpr auto operator<=>(const ReplicaKey&, const ReplicaKey&) = default;
};

// Does a peer that addresses `wanted` mean the replica `self`? -1 and a zero directory mean anyone.
constexpr bool addresses(const ReplicaKey& wanted, const ReplicaKey& self) {
  if (wanted.id < NodeId{0}) return true;
  return wanted.id == self.id && (wanted.directory.is_zero() || wanted.directory == self.directory);
}

// Who has not said its directory may be any of that id.
constexpr bool same_replica(const ReplicaKey& a, const ReplicaKey& b) {
  return a.id == b.id && (a.directory == b.directory || a.directory.is_zero() || b.directory.is_zero());
}

}  // namespace hayward::core::raft
