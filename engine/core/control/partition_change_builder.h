// Works out one partition's change record: what is wished for (another ISR, other replicas, an
// election) is completed by Kafka's rules on reassignment, ELR, leader election and epochs.
// Owner: engine/core/control; lives for one partition of one operation. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/control/eligibility.h"
#include "engine/core/image/partition.h"
#include "engine/core/metadata_version.h"
#include "schemas/records/partition_change_record.h"

namespace hayward::core {

enum class Election : std::uint8_t {
  preferred,  // replicas[0] if it may lead, else as online
  online,     // the leader stays if it may; else the first replica of the ISR, or of the ELR when the ISR is empty
  unclean,    // as online; and if nobody may, any replica that is alive, at the price of lost records
};

class PartitionChangeBuilder {
 public:
  struct Rules {
    MetadataVersion version;
    bool elr_enabled = false;
    std::size_t min_isr = 1;  // min.insync.replicas, at most the replication factor
  };

  // `partition` and `eligibility` must outlive the builder.
  PartitionChangeBuilder(const Partition& partition, TopicId topic, const Eligibility& eligibility, const Rules& rules);

  PartitionChangeBuilder& target_isr(std::span<const NodeId> isr);
  PartitionChangeBuilder& target_replicas(std::span<const NodeId> replicas);
  PartitionChangeBuilder& target_removing(std::span<const NodeId> replicas);
  PartitionChangeBuilder& target_adding(std::span<const NodeId> replicas);
  PartitionChangeBuilder& target_recovery_state(LeaderRecoveryState state);
  PartitionChangeBuilder& election(Election election);
  // Where `broker` keeps its replica from now on.
  PartitionChangeBuilder& directory(NodeId broker, DirectoryId directory);

  // Called once. nullptr: nothing changes; else good as long as the builder lives.
  const records::PartitionChangeRecord* build();

 private:
  using Nodes = std::vector<NodeId>;
  struct Elected {
    NodeId node = no_node;
    bool unclean = false;
  };

  void complete_reassignment();
  void populate_elr();
  bool may_lead(NodeId node) const;
  bool is_valid_leader(NodeId node) const;
  std::optional<NodeId> first_valid_leader() const;
  bool can_elect_last_known_leader() const;
  Elected elect() const;
  void apply_election();
  bool leader_unchanged() const { return record_.leader == no_leader_change; }
  void bump_leader_epoch_if_replica_left();
  void write_elr();
  void write_isr();
  void write_last_known_leader();
  void write_assignment();
  void write_directories();
  bool is_no_op() const;

  static constexpr NodeId no_leader_change{-2};

  const Partition& partition_;
  const Eligibility& eligibility_;
  Rules rules_;
  Election election_ = Election::online;
  Nodes isr_;
  Nodes replicas_;
  Nodes removing_;
  Nodes adding_;
  Nodes elr_;
  Nodes last_known_elr_;
  Nodes unclean_isr_;  // the ISR that an unclean election imposes
  std::map<NodeId, DirectoryId> moved_;
  std::vector<DirectoryId> directories_;
  LeaderRecoveryState recovery_state_;
  records::PartitionChangeRecord record_;
};

}  // namespace hayward::core
