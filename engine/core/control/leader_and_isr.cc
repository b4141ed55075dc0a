#include "engine/core/control/leader_and_isr.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace hayward::core {
namespace {

std::vector<PartitionRange> ranges_of(const BrokerTransitions& transitions, const Topics& topics) {
  std::vector<PartitionRange> ranges;
  for (NodeId broker : transitions.leaving) ranges.push_back(topics.in_isr_of(broker));
  for (NodeId broker : transitions.unclean) {
    ranges.push_back(topics.in_isr_of(broker));
    ranges.push_back(topics.in_elr_of(broker));
  }
  for (NodeId broker : transitions.joining) ranges.push_back(topics.leaderless_of(broker));
  return ranges;
}

// A walk over the union of ranges, ascending, each slot once. Its cost follows the members of all, not slots times
// ranges: every range is asked again only where its own next slot has been passed.
class UnionWalk {
 public:
  UnionWalk(std::vector<PartitionRange> ranges, std::uint32_t from) : ranges_(std::move(ranges)) {
    for (const PartitionRange& range : ranges_) heads_.push_back(range.next_slot(from).value_or(none));
  }
  // nullopt: past the last one.
  std::optional<std::uint32_t> slot() const {
    const std::uint32_t least = heads_.empty() ? none : *std::ranges::min_element(heads_);
    return least == none ? std::nullopt : std::optional(least);
  }
  void advance() {
    const std::uint32_t passed = *slot();
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      if (heads_[i] == passed) heads_[i] = ranges_[i].next_slot(passed + 1).value_or(none);
    }
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  std::vector<PartitionRange> ranges_;
  std::vector<std::uint32_t> heads_;
};

// Without ELR an ISR is never emptied (C3). When all its members leave in one step, one stays, as it would if they
// left one after another: the leader, who may have records that the others lack.
NodeId last_member(const Partition& partition) {
  return partition.in_isr(partition.leader) ? partition.leader : partition.isr().front();
}

void elect(const Partition& partition, Election election, PartitionChanges& changes) {
  const Topic& topic = changes.topics().topic_of(partition);
  const Eligibility eligibility(changes.context());
  PartitionChangeBuilder builder(changes.now(partition), topic.id, eligibility, changes.rules_of(topic));
  builder.election(election);
  changes.add(partition, builder);
}

// Looks at no more than `max_partitions` of the union of `ranges`; the slot of the next one, nullopt: that was all.
template <class Look>
std::optional<std::uint32_t> scan(std::vector<PartitionRange> ranges, std::uint32_t from, std::size_t max_partitions,
                                  const PartitionChanges& changes, Look&& look) {
  UnionWalk walk(std::move(ranges), from);
  for (std::size_t looked_at = 0; walk.slot() && looked_at < max_partitions; ++looked_at) {
    look(changes.topics().at_slot(*walk.slot()));
    walk.advance();
  }
  return walk.slot();
}

}  // namespace

void generate_leader_and_isr_updates(const BrokerTransitions& transitions, PartitionChanges& changes) {
  generate_leader_and_isr_updates(transitions, 0, SIZE_MAX, changes);
}

std::optional<std::uint32_t> generate_leader_and_isr_updates(const BrokerTransitions& transitions, std::uint32_t from,
                                                             std::size_t max_partitions, PartitionChanges& changes) {
  return scan(ranges_of(transitions, changes.topics()), from, max_partitions, changes,
              [&](const Partition& partition) { update_leader_and_isr(partition, transitions, changes); });
}

std::optional<std::uint32_t> generate_offline_directory_updates(NodeId broker, std::span<const DirectoryId> directories,
                                                                std::uint32_t from, std::size_t max_partitions,
                                                                PartitionChanges& changes) {
  const NodeId leaving[] = {broker};
  return scan({changes.topics().in_isr_of(broker)}, from, max_partitions, changes, [&](const Partition& partition) {
    const DirectoryId* directory = changes.now(partition).directory_of(broker);
    if (directory == nullptr || std::ranges::find(directories, *directory) == directories.end()) return;
    update_leader_and_isr(partition, {.leaving = leaving}, changes);
  });
}

std::optional<std::uint32_t> finish_reassignments(std::uint32_t from, std::size_t max_partitions,
                                                  PartitionChanges& changes) {
  return scan({changes.topics().reassigning()}, from, max_partitions, changes,
              [&](const Partition& partition) { update_leader_and_isr(partition, {}, changes); });
}

void update_leader_and_isr(const Partition& partition, const BrokerTransitions& transitions,
                           PartitionChanges& changes) {
  const Partition& now = changes.now(partition);
  const Topic& topic = changes.topics().topic_of(partition);
  const Eligibility eligibility(changes.context(), transitions);
  std::vector<NodeId> isr(now.isr().begin(), now.isr().end());
  std::erase_if(isr, [&](NodeId node) {
    return Partition::contains(transitions.leaving, node) || Partition::contains(transitions.unclean, node);
  });
  const PartitionChangeBuilder::Rules rules = changes.rules_of(topic);
  if (isr.empty() && !now.isr().empty() && !rules.elr_enabled) isr.push_back(last_member(now));
  PartitionChangeBuilder builder(now, topic.id, eligibility, rules);
  builder.target_isr(isr).election(changes.election_of(topic));
  changes.add(partition, builder);
}

std::optional<std::uint32_t> elect_unclean_leaders(std::uint32_t from, std::size_t max_partitions,
                                                   PartitionChanges& changes) {
  return scan({changes.topics().leaderless()}, from, max_partitions, changes, [&](const Partition& partition) {
    if (changes.election_of(changes.topics().topic_of(partition)) != Election::unclean) return;
    elect(partition, Election::unclean, changes);
  });
}

std::optional<std::uint32_t> elect_preferred_leaders(std::uint32_t from, std::size_t max_partitions,
                                                     PartitionChanges& changes) {
  return scan({changes.topics().imbalanced()}, from, max_partitions, changes,
              [&](const Partition& partition) { elect(partition, Election::preferred, changes); });
}

}  // namespace hayward::core
