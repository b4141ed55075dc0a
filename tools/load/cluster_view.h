// The cluster as far as a load must know it, replayed from metadata records: who leads and who is in sync of each
// partition, which brokers are there and fenced.
// Owner: the watch of `hayward load`. One thread at a time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "schemas/records/frame.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"
#include "tools/load/alter_partition.h"

namespace hayward::tools {

class ClusterView {
 public:
  // What one record has changed, of the two things that a watch waits for.
  struct Change {
    enum class What : std::uint8_t { nothing, leader, fenced } what = What::nothing;
    NodeId before = no_node;  // leader: the one before
    NodeId after = no_node;   // leader: no_node: the partition has none now; fenced: the broker
  };

  // One record's value. Of other types, or malformed: nothing.
  Change apply(Bytes value);

  std::size_t partitions() const { return partition_count_; }
  // Partitions that one of `nodes` leads.
  std::size_t led_by(const std::vector<NodeId>& nodes) const;
  bool fenced(NodeId broker) const;
  // Up to `limit` partitions with a living leader and living followers in sync.
  std::vector<LedPartition> altered_candidates(std::size_t limit) const;

 private:
  struct Partition {
    NodeId leader = no_node;
    LeaderEpoch leader_epoch{0};
    PartitionEpoch partition_epoch{0};
    std::vector<NodeId> isr;
  };
  struct Broker {
    BrokerEpoch epoch{-1};
    bool fenced = true;
  };
  template <class Record>
  Change apply_body(const records::Frame& frame);
  template <class Record>
  Change put(const Record& record);
  Change set_fenced(NodeId broker, bool fenced);

  std::unordered_map<TopicId, std::vector<Partition>> topics_;
  std::unordered_map<NodeId, Broker> brokers_;
  std::size_t partition_count_ = 0;
  Arena arena_;
};

}  // namespace hayward::tools
