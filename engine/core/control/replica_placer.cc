#include "engine/core/control/replica_placer.h"

#include <algorithm>
#include <utility>

namespace hayward::core {
namespace {

template <class T>
void shuffle_in_place(std::vector<T>& items, Prng& prng) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[prng.below(left)]);
}

}  // namespace

void ReplicaPlacer::Ring::start(Prng& prng) {
  if (!brokers_.empty()) offset_ = prng.below(brokers_.size());
}

void ReplicaPlacer::Ring::shuffle(Prng& prng) { shuffle_in_place(brokers_, prng); }

std::optional<NodeId> ReplicaPlacer::Ring::next(std::uint64_t round) {
  if (brokers_.empty()) return std::nullopt;
  if (round_ != round) {
    round_ = round;
    taken_ = 0;
    offset_ = (offset_ + 1) % brokers_.size();
  }
  if (taken_ == brokers_.size()) return std::nullopt;
  return brokers_[(taken_++ + offset_) % brokers_.size()];
}

std::optional<NodeId> ReplicaPlacer::Rack::next(std::uint64_t round) {
  const auto alive = unfenced.next(round);
  return alive ? alive : fenced.next(round);
}

ReplicaPlacer::ReplicaPlacer(const Cluster& cluster, std::span<const NodeId> ineligible, Prng& prng) : prng_(prng) {
  std::map<std::optional<std::string>, Rack> racks;
  for (const auto& [id, broker] : cluster.brokers()) {
    if (broker.in_controlled_shutdown || !broker.has_uncordoned_dirs()) continue;
    if (std::ranges::binary_search(ineligible, id)) continue;
    Rack& rack = racks[broker.rack];
    (broker.fenced ? rack.fenced : rack.unfenced).add(id);
    ++brokers_;
    if (!broker.fenced) ++unfenced_brokers_;
  }
  for (auto& [name, rack] : racks) {
    rack.fenced.start(prng_);
    rack.unfenced.start(prng_);
    racks_.push_back(std::move(rack));
  }
  if (!racks_.empty()) first_rack_ = prng_.below(racks_.size());
}

std::expected<std::vector<std::vector<NodeId>>, std::string> ReplicaPlacer::place(std::size_t partitions,
                                                                                  std::int32_t replication_factor) {
  if (replication_factor <= 0) return std::unexpected("The replication factor must be positive");
  if (unfenced_brokers_ == 0) {
    return std::unexpected("No broker can take replicas now: each is fenced, shutting down or cordoned");
  }
  if (static_cast<std::size_t>(replication_factor) > brokers_) {
    return std::unexpected("A replication factor of " + std::to_string(replication_factor) + " wants more than the " +
                           std::to_string(brokers_) + " broker(s) that can take replicas");
  }
  std::vector<std::vector<NodeId>> placed;
  placed.reserve(partitions);
  for (std::size_t i = 0; i < partitions; ++i)
    placed.push_back(place_one(static_cast<std::size_t>(replication_factor)));
  return placed;
}

// Ends: there is a living broker for the first place, and in a round every broker can be had once.
std::vector<NodeId> ReplicaPlacer::place_one(std::size_t replication_factor) {
  if (round_ > 0 && round_ % unfenced_brokers_ == 0 && unfenced_brokers_ > 1) shuffle();
  ++round_;
  std::vector<NodeId> replicas;
  replicas.reserve(replication_factor);
  std::size_t leader_rack = first_rack_;
  while (true) {
    if (const auto broker = racks_[leader_rack].unfenced.next(round_)) {
      replicas.push_back(*broker);
      break;
    }
    leader_rack = (leader_rack + 1) % racks_.size();
  }
  bool leader_rack_passed = false;  // its turn of the first round over the racks is taken
  for (std::size_t rack = first_rack_; replicas.size() < replication_factor; rack = (rack + 1) % racks_.size()) {
    if (rack == leader_rack && !leader_rack_passed) {
      leader_rack_passed = true;
      continue;
    }
    if (const auto broker = racks_[rack].next(round_)) replicas.push_back(*broker);
  }
  first_rack_ = (first_rack_ + 1) % racks_.size();
  return replicas;
}

void ReplicaPlacer::shuffle() {
  shuffle_in_place(racks_, prng_);
  for (Rack& rack : racks_) {
    rack.fenced.shuffle(prng_);
    rack.unfenced.shuffle(prng_);
  }
}

}  // namespace hayward::core
