// See quorum.h.
#include "engine/core/raft/quorum.h"

#include <limits>

#include "schemas/runtime/assert.h"

namespace hayward::core::raft {
namespace {

Unattached initial_role(const std::optional<QuorumState>& stored, Epoch epoch) {
  if (!stored || stored->epoch != epoch || stored->voted == no_node) return {};
  return {ReplicaKey{stored->voted, stored->voted_directory}};
}

}  // namespace

Quorum::Quorum(ReplicaKey self, const VoterHistory& voters, const std::optional<QuorumState>& stored, Epoch log_epoch)
    : self_(self),
      voters_(voters),
      epoch_(stored ? std::max(stored->epoch, log_epoch) : log_epoch),
      role_(initial_role(stored, epoch_)) {}

Leader* Quorum::leading() {
  Leader* leader = std::get_if<Leader>(&role_);
  return leader != nullptr && leader->confirmed() ? leader : nullptr;
}

bool Quorum::stand(Effects& out) {
  const auto* unattached = std::get_if<Unattached>(&role_);
  HAYWARD_ASSERT(unattached != nullptr, "R18: only an unattached voter stands for election");
  HAYWARD_ASSERT(voters_.last().size() == 1 && voters_.last().has(self_), "a lone voter needs nobody's vote");
  if (epoch_.value == std::numeric_limits<Epoch::value_type>::max()) return false;
  // The lone voter's own pre-vote is the majority: it is prospective for no time.
  role_ = Prospective{unattached->voted};
  epoch_ = Epoch{epoch_.value + 1};
  role_ = Candidate{persist(no_node, self_.id, out)};
  return true;
}

bool Quorum::persisted(std::uint64_t token, Offset log_end, Effects& out) {
  if (const auto* candidate = std::get_if<Candidate>(&role_);
      candidate != nullptr && candidate->persist_token == token) {
    role_ = Leader(self_, log_end, persist(self_.id, no_node, out));
    return false;
  }
  auto* leader = std::get_if<Leader>(&role_);
  if (leader == nullptr || leader->persist_token() != token) return false;
  leader->confirm();
  return true;
}

void Quorum::resign() {
  HAYWARD_ASSERT(leading() != nullptr, "R18: only a leader resigns");
  role_ = Resigned{};
}

std::uint64_t Quorum::persist(NodeId leader, NodeId voted, Effects& out) {
  const std::int16_t kraft_version = voters_.kraft_version();
  QuorumState state;
  state.epoch = epoch_;
  state.leader = leader;
  state.voted = voted;
  state.kraft_version = kraft_version;
  if (kraft_version == 0) {
    state.voters = voters_.last().ids();
  } else if (voted != no_node) {
    state.voted_directory = self_.directory;
  }
  out.push_back(PersistQuorumState{std::move(state), ++last_token_});
  return last_token_;
}

}  // namespace hayward::core::raft
