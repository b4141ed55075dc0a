#include "engine/core/control/partition_change_builder.h"

#include <algorithm>

namespace hayward::core {
namespace {

using Nodes = std::vector<NodeId>;

bool contains(std::span<const NodeId> nodes, NodeId node) { return Partition::contains(nodes, node); }

bool contains_all(std::span<const NodeId> nodes, std::span<const NodeId> wanted) {
  return std::ranges::all_of(wanted, [&](NodeId node) { return contains(nodes, node); });
}

// The same members in any order: neither list repeats one.
bool same_members(std::span<const NodeId> a, std::span<const NodeId> b) {
  return a.size() == b.size() && contains_all(a, b);
}

Nodes without(std::span<const NodeId> nodes, std::span<const NodeId> unwanted) {
  Nodes left;
  std::ranges::copy_if(nodes, std::back_inserter(left), [&](NodeId node) { return !contains(unwanted, node); });
  return left;
}

Nodes list(std::span<const NodeId> nodes) { return {nodes.begin(), nodes.end()}; }
Array<NodeId> view(const Nodes& nodes) { return Array<NodeId>(std::span<const NodeId>(nodes)); }

}  // namespace

PartitionChangeBuilder::PartitionChangeBuilder(const Partition& partition, TopicId topic,
                                               const Eligibility& eligibility, const Rules& rules)
    : partition_(partition),
      eligibility_(eligibility),
      rules_(rules),
      isr_(list(partition.isr())),
      replicas_(list(partition.replicas())),
      removing_(list(partition.removing_replicas())),
      adding_(list(partition.adding_replicas())),
      elr_(list(partition.elr())),
      recovery_state_(partition.leader_recovery_state) {
  record_.topic_id = topic;
  record_.partition_id = partition.index;
}

PartitionChangeBuilder& PartitionChangeBuilder::target_isr(std::span<const NodeId> isr) {
  isr_ = list(isr);
  return *this;
}
PartitionChangeBuilder& PartitionChangeBuilder::target_replicas(std::span<const NodeId> replicas) {
  replicas_ = list(replicas);
  return *this;
}
PartitionChangeBuilder& PartitionChangeBuilder::target_removing(std::span<const NodeId> replicas) {
  removing_ = list(replicas);
  return *this;
}
PartitionChangeBuilder& PartitionChangeBuilder::target_adding(std::span<const NodeId> replicas) {
  adding_ = list(replicas);
  return *this;
}
PartitionChangeBuilder& PartitionChangeBuilder::target_recovery_state(LeaderRecoveryState state) {
  recovery_state_ = state;
  return *this;
}
PartitionChangeBuilder& PartitionChangeBuilder::election(Election election) {
  election_ = election;
  return *this;
}
PartitionChangeBuilder& PartitionChangeBuilder::directory(NodeId broker, DirectoryId directory) {
  moved_[broker] = directory;
  return *this;
}

// The order matters: the election sees the replicas and the ELR that the change leads to, and whether the leader
// epoch is forced up depends on what the election has found.
const records::PartitionChangeRecord* PartitionChangeBuilder::build() {
  complete_reassignment();
  populate_elr();
  apply_election();
  bump_leader_epoch_if_replica_left();
  write_elr();
  write_isr();
  write_last_known_leader();
  write_assignment();
  if (recovery_state_ != partition_.leader_recovery_state) {
    record_.leader_recovery_state = static_cast<std::int8_t>(recovery_state_);
  }
  return is_no_op() ? nullptr : &record_;
}

// A reassignment is over once the ISR without the leaving replicas is not empty and holds every new one;
// and, where replicas become fewer, every one that remains, or else the ISR would shrink for nothing.
void PartitionChangeBuilder::complete_reassignment() {
  if (removing_.empty() && adding_.empty()) return;
  Nodes isr = without(isr_, removing_);
  Nodes replicas = without(replicas_, removing_);
  if (!removing_.empty() && (isr.empty() || replicas.empty())) return;
  if (!contains_all(isr, adding_)) return;
  if (adding_.size() < removing_.size() && !contains_all(isr, replicas)) return;
  isr_ = std::move(isr);
  replicas_ = std::move(replicas);
  removing_.clear();
  adding_.clear();
}

// Who has left an ISR that is too small may still be elected, since no record could be acknowledged without
// it; who has lost what it had not synced may not.
void PartitionChangeBuilder::populate_elr() {
  if (!rules_.elr_enabled) return;
  if (isr_.size() >= rules_.min_isr) {
    elr_.clear();
    return;
  }
  for (NodeId node : partition_.isr()) {
    if (!contains(elr_, node)) elr_.push_back(node);
  }
  elr_ = without(without(elr_, isr_), eligibility_.transitions().unclean);
  std::erase_if(elr_, [&](NodeId node) { return !contains(replicas_, node); });  // C2
  std::ranges::sort(elr_);
}

// From where its replica is, or from where it has just been found again (else its partition would stay
// without a leader until something else happens to it). A replica that is now in a directory that is lost is
// dealt with by the change that follows.
bool PartitionChangeBuilder::may_lead(NodeId node) const {
  if (eligibility_.may_lead(partition_, node)) return true;
  const auto moved = moved_.find(node);
  return moved != moved_.end() && eligibility_.may_lead_from(moved->second, node);
}

bool PartitionChangeBuilder::is_valid_leader(NodeId node) const {
  const bool in_sync = contains(isr_, node) || (isr_.empty() && contains(elr_, node));
  return in_sync && may_lead(node);
}

std::optional<NodeId> PartitionChangeBuilder::first_valid_leader() const {
  const auto at = std::ranges::find_if(replicas_, [&](NodeId node) { return is_valid_leader(node); });
  return at == replicas_.end() ? std::nullopt : std::optional(*at);
}

// With ISR and ELR empty, the one who led last is the best guess at who holds the most records.
bool PartitionChangeBuilder::can_elect_last_known_leader() const {
  return rules_.elr_enabled && isr_.empty() && elr_.empty() && partition_.last_known_elr().size() == 1 &&
         may_lead(partition_.last_known_elr()[0]);
}

PartitionChangeBuilder::Elected PartitionChangeBuilder::elect() const {
  if (election_ == Election::preferred && !replicas_.empty() && is_valid_leader(replicas_[0])) return {replicas_[0]};
  if (is_valid_leader(partition_.leader)) return {partition_.leader};
  if (const auto node = first_valid_leader()) return {*node};
  if (can_elect_last_known_leader()) return {partition_.last_known_elr()[0], true};
  if (election_ == Election::unclean) {
    for (NodeId node : replicas_) {
      if (may_lead(node)) return {node, true};
    }
  }
  return {};
}

void PartitionChangeBuilder::apply_election() {
  const Elected elected = elect();
  if (elected.node == partition_.leader) return;
  if (contains(elr_, elected.node)) {
    std::erase(elr_, elected.node);
    isr_ = {elected.node};
    // It may acknowledge alone: nobody else has to have what it will have. (Several brokers that leave at once
    // can all be in the ELR where min.insync.replicas is 1.)
    if (isr_.size() >= rules_.min_isr) elr_.clear();
  }
  record_.leader = elected.node;
  if (!elected.unclean) return;
  unclean_isr_ = {elected.node};
  record_.isr = view(unclean_isr_);
  if (partition_.leader_recovery_state != LeaderRecoveryState::recovering) {
    record_.leader_recovery_state = static_cast<std::int8_t>(LeaderRecoveryState::recovering);
  }
}

void PartitionChangeBuilder::bump_leader_epoch_if_replica_left() {
  if (leader_unchanged() && !contains_all(replicas_, partition_.replicas())) record_.leader = partition_.leader;
}

void PartitionChangeBuilder::write_elr() {
  const bool clean = record_.isr.is_null();
  if (!clean || !rules_.elr_enabled) elr_.clear();
  if (!same_members(elr_, partition_.elr())) record_.eligible_leader_replicas = view(elr_);
}

void PartitionChangeBuilder::write_isr() {
  // Without ELR the last member stays in the ISR, leaderless: nobody else may be elected cleanly.
  const bool writable = !isr_.empty() || rules_.elr_enabled;
  if (record_.isr.is_null() && writable && !std::ranges::equal(isr_, partition_.isr())) record_.isr = view(isr_);
  if (rules_.version.skips_leader_epoch_bump_on_isr_shrink()) return;
  if (leader_unchanged() && !record_.isr.is_null() &&
      !contains_all({record_.isr.begin(), record_.isr.size()}, partition_.isr())) {
    record_.leader = partition_.leader;
  }
}

void PartitionChangeBuilder::write_last_known_leader() {
  if (!rules_.elr_enabled) return;
  if (record_.leader == no_node && partition_.last_known_elr().empty()) {
    if (!partition_.has_leader()) return;  // it never had one: nothing is known
    last_known_elr_ = {partition_.leader};
    record_.last_known_elr = view(last_known_elr_);
  } else if (record_.leader.value >= 0 && !partition_.last_known_elr().empty()) {
    record_.last_known_elr = Array<NodeId>();
  }
}

void PartitionChangeBuilder::write_assignment() {
  if (!replicas_.empty()) {
    if (rules_.version.directory_assignment()) write_directories();
    if (!std::ranges::equal(replicas_, partition_.replicas())) record_.replicas = view(replicas_);
  }
  if (!std::ranges::equal(removing_, partition_.removing_replicas())) record_.removing_replicas = view(removing_);
  if (!std::ranges::equal(adding_, partition_.adding_replicas())) record_.adding_replicas = view(adding_);
}

void PartitionChangeBuilder::write_directories() {
  for (NodeId node : replicas_) {
    const auto moved = moved_.find(node);
    const DirectoryId* present = partition_.directory_of(node);
    directories_.push_back(moved != moved_.end() ? moved->second
                           : present != nullptr  ? *present
                                                 : eligibility_.default_dir(node));
  }
  if (std::ranges::equal(directories_, partition_.directories())) return;
  record_.directories = Array<DirectoryId>(std::span<const DirectoryId>(directories_));
}

bool PartitionChangeBuilder::is_no_op() const {
  records::PartitionChangeRecord nothing;
  nothing.topic_id = record_.topic_id;
  nothing.partition_id = record_.partition_id;
  return record_ == nothing;
}

}  // namespace hayward::core
