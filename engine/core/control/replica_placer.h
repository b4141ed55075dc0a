// Chooses brokers for new partitions, as Kafka's striped placer does: replicas go over racks in turn and
// over each rack's brokers in turn, from a random start; the first replica is on a broker that is alive.
// Owner: engine/core/control; lives for one topic of one operation. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "engine/core/image/cluster.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class ReplicaPlacer {
 public:
  // Brokers that may get replicas: all registered ones but those in controlled shutdown, those whose every
  // directory is cordoned, and `ineligible` (ascending; being fenced or drained).
  ReplicaPlacer(const Cluster& cluster, std::span<const NodeId> ineligible, Prng& prng);

  // The replicas of `partitions` new partitions, preferred leader first. The text says why it cannot be
  // done (INVALID_REPLICATION_FACTOR).
  std::expected<std::vector<std::vector<NodeId>>, std::string> place(std::size_t partitions,
                                                                     std::int32_t replication_factor);

 private:
  // Brokers taken in turn, each once a round; every round begins one further on.
  class Ring {
   public:
    void add(NodeId broker) { brokers_.push_back(broker); }
    void start(Prng& prng);
    void shuffle(Prng& prng);
    // nullopt: all have been taken in this round.
    std::optional<NodeId> next(std::uint64_t round);

   private:
    std::vector<NodeId> brokers_;
    std::size_t taken_ = 0;
    std::size_t offset_ = 0;
    std::uint64_t round_ = 0;
  };
  struct Rack {
    Ring unfenced;
    Ring fenced;
    std::optional<NodeId> next(std::uint64_t round);
  };

  std::vector<NodeId> place_one(std::size_t replication_factor);
  // Another order of racks and brokers, so that what comes next does not repeat what came before.
  void shuffle();

  Prng& prng_;
  std::vector<Rack> racks_;  // sorted by name at first; brokers without a rack make one
  std::size_t brokers_ = 0;
  std::size_t unfenced_brokers_ = 0;
  std::size_t first_rack_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace hayward::core
