// See quorum.h.
#include "engine/core/raft/quorum.h"

#include <limits>
#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::core::raft {
namespace {

Role initial_role(const ReplicaKey& self, const QuorumState& stored, Epoch epoch) {
  Unattached unattached;
  if (stored.epoch != epoch) return unattached;
  if (stored.leader == self.id) return Resigned{};
  if (stored.voted != no_node) unattached.voted = ReplicaKey{stored.voted, stored.voted_directory};
  unattached.leader = stored.leader;
  return unattached;
}

bool same_election(const QuorumState& a, const QuorumState& b) {
  return a.epoch == b.epoch && a.leader == b.leader && a.voted == b.voted && a.voted_directory == b.voted_directory;
}

}  // namespace

Quorum::Quorum(ReplicaKey self, const VoterHistory& voters, const std::optional<QuorumState>& stored, Epoch log_epoch)
    : self_(self),
      voters_(voters),
      epoch_(stored ? std::max(stored->epoch, log_epoch) : log_epoch),
      written_(stored.value_or(QuorumState{})) {
  role_ = initial_role(self_, written_, epoch_);
}

NodeId Quorum::leader() const {
  if (leading() != nullptr) return self_.id;
  if (const auto* follower = as<Follower>()) return follower->leader;
  if (const auto* prospective = as<Prospective>()) return prospective->leader;
  if (const auto* unattached = as<Unattached>()) return unattached->leader;
  return no_node;
}

const std::vector<Endpoint>* Quorum::leader_endpoints() const {
  if (const auto* follower = as<Follower>()) return &follower->leader_endpoints;
  const auto* prospective = as<Prospective>();
  return prospective != nullptr && !prospective->leader_endpoints.empty() ? &prospective->leader_endpoints : nullptr;
}

Leader* Quorum::leading() {
  Leader* leader = as<Leader>();
  return leader != nullptr && durable() ? leader : nullptr;
}

bool Quorum::in_touch(MonoTime now) const {
  if (leading() != nullptr) return true;
  const auto* follower = as<Follower>();
  return follower != nullptr && follower->in_touch(now);
}

std::optional<ReplicaKey> Quorum::voted() const {
  if (const auto* follower = as<Follower>()) return follower->voted;
  if (const auto* prospective = as<Prospective>()) return prospective->voted;
  if (const auto* unattached = as<Unattached>()) return unattached->voted;
  return as<Candidate>() != nullptr ? std::optional(self_) : std::nullopt;
}

void Quorum::unattached(Epoch epoch, NodeId leader, MonoTime election_at, Effects& out) {
  HAYWARD_ASSERT(epoch > epoch_ || (epoch == epoch_ && as<Prospective>() != nullptr),
                 "R18: unattached in a higher epoch, or after a lost pre-vote");
  Unattached next{.voted = epoch == epoch_ ? voted() : std::nullopt, .leader = leader, .election_at = election_at};
  epoch_ = epoch;
  role_ = std::move(next);
  persist(out);
}

bool Quorum::may_vote_for(const ReplicaKey& candidate) const {
  if (as<Unattached>() == nullptr && as<Prospective>() == nullptr) return false;
  const std::optional<ReplicaKey> given = voted();
  return given ? same_replica(*given, candidate) : leader() == no_node;
}

void Quorum::vote_for(const ReplicaKey& candidate, MonoTime election_at, Effects& out) {
  HAYWARD_ASSERT(may_vote_for(candidate), "R2: one vote in an epoch, and none against its leader");
  role_ = Unattached{.voted = candidate, .leader = no_node, .election_at = election_at};
  persist(out);
}

void Quorum::prospective(MonoTime timeout_at) {
  HAYWARD_ASSERT(may_stand(), "R18: only a voter stands for election");
  HAYWARD_ASSERT(as<Leader>() == nullptr && as<Prospective>() == nullptr, "R18: neither leader nor prospective yet");
  Prospective next{.voted = voted(), .leader = leader(), .leader_endpoints = {}, .leader_gone = false,
                   .timeout_at = timeout_at, .election = {}};
  if (auto* follower = as<Follower>()) {
    next.leader_endpoints = std::move(follower->leader_endpoints);
    next.leader_gone = follower->leader_gone;
  }
  next.election.granted_by(self_.id);
  role_ = std::move(next);
}

bool Quorum::candidate(MonoTime timeout_at, Effects& out) {
  HAYWARD_ASSERT(as<Prospective>() != nullptr, "R18: a candidate has been prospective");
  if (epoch_.value == std::numeric_limits<Epoch::value_type>::max()) return false;
  epoch_ = Epoch{epoch_.value + 1};
  Candidate next{.timeout_at = timeout_at, .lost = false, .election = {}};
  next.election.granted_by(self_.id);
  role_ = std::move(next);
  persist(out);
  return true;
}

void Quorum::lead(Offset log_end, Offset flushed, const Time& now, Effects& out) {
  const auto* candidate = as<Candidate>();
  HAYWARD_ASSERT(candidate != nullptr && durable() && candidate->election.won(voters_.last()),
                 "R1: a leader has a majority of its epoch's votes");
  std::vector<NodeId> granting(candidate->election.granted().begin(), candidate->election.granted().end());
  role_ = Leader(self_, log_end, flushed, std::move(granting), voters_.last(), now.mono);
  persist(out);
}

void Quorum::follow(Epoch epoch, NodeId leader, std::vector<Endpoint> endpoints, MonoTime fetch_deadline,
                    Effects& out) {
  HAYWARD_ASSERT(leader != self_.id && !endpoints.empty(), "R18: followed is another, and where it is");
  HAYWARD_ASSERT(epoch > epoch_ || (epoch == epoch_ && as<Leader>() == nullptr && as<Resigned>() == nullptr),
                 "R1: one leader in an epoch");
  Follower next;
  next.leader = leader;
  next.leader_endpoints = std::move(endpoints);
  next.fetch_deadline = fetch_deadline;
  if (epoch == epoch_) next.voted = voted();
  epoch_ = epoch;
  role_ = std::move(next);
  persist(out);
}

void Quorum::resign(MonoTime election_at) {
  const auto* leader = as<Leader>();
  HAYWARD_ASSERT(leader != nullptr, "R18: only a leader resigns");
  role_ = Resigned{.election_at = election_at, .preferred = leader->successors(voters_.last()), .heard = {}};
}

QuorumState Quorum::present() const {
  QuorumState state;
  state.epoch = epoch_;
  state.leader = as<Leader>() != nullptr || as<Resigned>() != nullptr ? self_.id : leader();
  const std::optional<ReplicaKey> vote = voted();
  state.voted = vote ? vote->id : no_node;
  state.kraft_version = voters_.kraft_version();
  if (state.kraft_version == 0) {
    state.voters = voters_.last().ids();
  } else if (vote) {
    state.voted_directory = vote->directory;
  }
  return state;
}

void Quorum::persist(Effects& out) {
  QuorumState state = present();
  if (same_election(state, written_)) return;
  written_ = state;
  ++last_token_;
  // What the same step has asked for before need not reach the disk.
  for (Effect& effect : out) {
    auto* before = std::get_if<PersistQuorumState>(&effect);
    if (before != nullptr && before->token == last_token_ - 1) {
      *before = {std::move(state), last_token_};
      return;
    }
  }
  out.push_back(PersistQuorumState{std::move(state), last_token_});
}

}  // namespace hayward::core::raft
