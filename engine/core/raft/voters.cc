// See voters.h.
#include "engine/core/raft/voters.h"

#include <algorithm>
#include <string>
#include <utility>

namespace hayward::core::raft {
namespace {

template <class Entries>
const auto& at_offset(const Entries& entries, Offset offset) {
  auto at = entries.rbegin();
  while (std::next(at) != entries.rend() && at->offset > offset) ++at;
  return at->value;
}

template <class Entries>
void cut(Entries& entries, Offset end) {
  while (entries.size() > 1 && entries.back().offset >= end) entries.pop_back();
}

template <class Entries>
void forget(Entries& entries, Offset offset) {
  while (entries.size() > 1 && entries[1].offset <= offset) entries.erase(entries.begin());
}

}  // namespace

VoterSet::VoterSet(std::vector<Voter> voters) : voters_(std::move(voters)) {
  std::sort(voters_.begin(), voters_.end(), [](const Voter& a, const Voter& b) { return a.id < b.id; });
}

const Voter* VoterSet::find(NodeId id) const {
  const auto at = std::find_if(voters_.begin(), voters_.end(), [&](const Voter& v) { return v.id == id; });
  return at == voters_.end() ? nullptr : &*at;
}

bool VoterSet::has(const ReplicaKey& key) const {
  const Voter* voter = find(key.id);
  return voter != nullptr && (voter->directory.is_zero() || voter->directory == key.directory);
}

bool VoterSet::may_be(const ReplicaKey& key) const {
  return key.directory.is_zero() ? find(key.id) != nullptr : has(key);
}

std::vector<NodeId> VoterSet::ids() const {
  std::vector<NodeId> ids;
  for (const Voter& voter : voters_) ids.push_back(voter.id);
  return ids;
}

VoterSet VoterSet::with(Voter voter) const {
  std::vector<Voter> all = without(voter.id).voters_;
  all.push_back(std::move(voter));
  return VoterSet(std::move(all));
}

VoterSet VoterSet::without(NodeId id) const {
  std::vector<Voter> rest = voters_;
  std::erase_if(rest, [&](const Voter& voter) { return voter.id == id; });
  return VoterSet(std::move(rest));
}

bool same_entry(const Voter& a, const Voter& b) {
  const auto addresses_of = [](const Voter& voter) {
    std::vector<std::pair<std::string, std::pair<std::string, std::uint16_t>>> addresses;
    for (const Endpoint& e : voter.endpoints) addresses.push_back({e.listener, {e.host, e.port}});
    std::sort(addresses.begin(), addresses.end());
    return addresses;
  };
  return a.id == b.id && a.directory == b.directory && a.min_kraft_version == b.min_kraft_version &&
         a.max_kraft_version == b.max_kraft_version && addresses_of(a) == addresses_of(b);
}

VoterHistory::VoterHistory(std::vector<Voter> static_voters) {
  voters_.push_back({from_config, VoterSet(std::move(static_voters))});
  versions_.push_back({from_config, 0});
}

bool VoterHistory::add_voters(Offset offset, VoterSet voters) {
  if (offset <= voters_.back().offset) return false;
  voters_.push_back({offset, std::move(voters)});
  return true;
}

bool VoterHistory::add_kraft_version(Offset offset, std::int16_t version) {
  if (offset <= versions_.back().offset) return false;
  versions_.push_back({offset, version});
  return true;
}

bool VoterHistory::may_count(const ReplicaKey& key) const {
  for (auto at = voters_.rbegin(); at != voters_.rend(); ++at) {
    if (at->value.has(key)) return true;
    if (at->offset < committed_) return false;
  }
  return false;
}

const VoterSet& VoterHistory::voters_at(Offset offset) const { return at_offset(voters_, offset); }

std::int16_t VoterHistory::kraft_version_at(Offset offset) const { return at_offset(versions_, offset); }

void VoterHistory::truncated(Offset end) {
  cut(voters_, end);
  cut(versions_, end);
}

void VoterHistory::replaced_by(Offset offset, const VoterSet* voters, std::int16_t kraft_version) {
  voters_.resize(1);
  versions_.resize(1);
  if (voters != nullptr) voters_.push_back({offset, *voters});
  versions_.push_back({offset, kraft_version});
}

void VoterHistory::forget_before(Offset offset) {
  forget(voters_, offset);
  forget(versions_, offset);
}

}  // namespace hayward::core::raft
