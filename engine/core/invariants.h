// The invariants that can be seen on the image, by the ids of docs/invariants.md. check() looks at one image;
// InvariantHistory compares the images that one node has gone through. Both cost the whole image: they are for
// tests and the simulator, and for production behind a switch, after a batch and not within one.
//   seen here: C1-C4, C17, and the directory owners and indexes on one image; C5-C8 and C18 over time
//   not seen here: C9-C11 need the request, C12-C16, C19, C20 need more than one image or the log
// Owner: engine/core. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/core/image/image.h"

namespace hayward::core {

// "C1: topic foo partition 3: leader 5 is not in the ISR [1, 2]" for the first one broken; nullopt: all hold.
std::optional<std::string> check(const Image& image);

// Whether the indexes by broker say what the partitions say ("index: ..."); part of check().
std::optional<std::string> check_indexes(const Topics& topics);

// What must only ever rise or never come back. To be shown committed states only, in order.
class InvariantHistory {
 public:
  std::optional<std::string> observe(const Image& image);

 private:
  struct PartitionSeen {
    NodeId leader;
    LeaderEpoch leader_epoch;
    PartitionEpoch partition_epoch;
    std::uint64_t content = 0;
  };
  struct BrokerSeen {
    BrokerEpoch epoch;
    IncarnationId incarnation_id;
  };

  std::optional<std::string> observe_topics(const Topics& topics);
  std::optional<std::string> observe_partition(const Topic& topic, const Partition& now);
  std::optional<std::string> observe_brokers(const Cluster& cluster);

  std::map<TopicId, std::string> topics_;   // present at the last observation
  std::set<TopicId> gone_;
  std::map<std::pair<TopicId, PartitionIndex>, PartitionSeen> partitions_;
  std::map<NodeId, BrokerSeen> brokers_;
  std::int64_t next_producer_id_ = -1;
};

}  // namespace hayward::core
