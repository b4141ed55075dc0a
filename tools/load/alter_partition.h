// AlterPartition as leaders send it: a partition's followers drop out of its in-sync replicas, and come back with the
// next request.
// Owner: `hayward load`. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"
#include "tools/load/phase.h"

namespace hayward::tools {

struct InSyncReplica {
  NodeId id;
  BrokerEpoch epoch;
};

// A partition whose leader speaks.
struct LedPartition {
  TopicId topic;
  PartitionIndex index;
  LeaderEpoch leader_epoch;
  PartitionEpoch partition_epoch;
  std::vector<InSyncReplica> isr;  // the leader first; two or more
};

// `count` requests in all. Each slot has partitions of its own, so that no two requests are about one at a time.
class AlterPartitionWork final : public Work {
 public:
  AlterPartitionWork(std::vector<LedPartition> partitions, std::size_t slots, std::uint64_t count);
  bool has_next(std::size_t slot) override { return begun_ < count_ && !slots_[slot].partitions.empty(); }
  Bytes request(std::size_t slot) override;
  std::optional<ErrorCode> answer(std::size_t slot, Bytes body) override;
  bool finished() const override { return begun_ == count_ || partitions_ == 0; }

 private:
  struct Mine {
    LedPartition partition;
    bool shrunk = false;
  };
  struct Slot {
    std::vector<Mine> partitions;
    std::size_t next = 0;
  };
  std::vector<Slot> slots_;
  std::size_t partitions_;
  std::uint64_t count_;
  std::uint64_t begun_ = 0;
  Buffer frame_;
  Arena arena_;
};

}  // namespace hayward::tools
