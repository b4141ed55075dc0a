// See control_records.h.
#include "engine/core/raft/control_records.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "schemas/batch/control.h"
#include "schemas/runtime/assert.h"

namespace hayward::core::raft {
namespace {

Voter from_record(const records::VotersRecord::Voter& record) {
  Voter voter;
  voter.id = record.voter_id;
  voter.directory = record.voter_directory_id;
  for (const auto& endpoint : record.endpoints) {
    voter.endpoints.push_back({std::string(endpoint.name), std::string(endpoint.host), endpoint.port, 0});
  }
  voter.min_kraft_version = record.kraft_version_feature.min_supported_version;
  voter.max_kraft_version = record.kraft_version_feature.max_supported_version;
  return voter;
}

records::LeaderChangeMessage leader_change(NodeId leader, std::span<const NodeId> granting, const VoterSet& voters,
                                           Arena& arena) {
  records::LeaderChangeMessage message;
  message.leader_id = leader;
  for (const Voter& voter : voters.all()) {
    records::LeaderChangeMessage::Voter entry;
    entry.voter_id = voter.id;
    message.voters.push_back(arena, entry);
    if (std::find(granting.begin(), granting.end(), voter.id) != granting.end()) message.granting_voters.push_back(arena, entry);
  }
  return message;
}

}  // namespace

VoterSet from_record(const records::VotersRecord& record) {
  std::vector<Voter> voters;
  for (const auto& voter : record.voters) voters.push_back(from_record(voter));
  return VoterSet(std::move(voters));
}

records::VotersRecord to_record(const VoterSet& voters, Arena& arena) {
  records::VotersRecord record;
  for (const Voter& voter : voters.all()) {
    records::VotersRecord::Voter entry;
    entry.voter_id = voter.id;
    entry.voter_directory_id = voter.directory;
    for (const Endpoint& endpoint : voter.endpoints) {
      entry.endpoints.push_back(arena, {endpoint.listener, endpoint.host, endpoint.port});
    }
    entry.kraft_version_feature = {voter.min_kraft_version, voter.max_kraft_version};
    record.voters.push_back(arena, entry);
  }
  return record;
}

void add_epoch_start(BatchBuilder& batch, const Voter& self, std::span<const NodeId> granting, VoterHistory& history,
                     Arena& arena) {
  add_control(batch, leader_change(self.id, granting, history.last(), arena));
  if (history.kraft_version() == 0) return;
  const Voter* known = history.last().find(self.id);
  // Who leads once more while its own removal is not committed stays removed: there is one change of the voters at a time (R14).
  const bool as_it_is = known == nullptr || same_entry(*known, self);
  if (history.last_offset() != VoterHistory::from_bootstrap && as_it_is) return;
  add_kraft_version_and_voters(batch, history.kraft_version(), history.last().with(self), history, arena);
}

void add_voters(BatchBuilder& batch, const VoterSet& voters, VoterHistory& history, Arena& arena) {
  const bool added = history.add_voters(batch.next_offset(), voters);
  HAYWARD_ASSERT(added, "R14: what is appended comes after what was there");
  add_control(batch, to_record(voters, arena));
}

void add_kraft_version_and_voters(BatchBuilder& batch, std::int16_t kraft_version, const VoterSet& voters,
                                  VoterHistory& history, Arena& arena) {
  records::KRaftVersionRecord version;
  version.kraft_version = kraft_version;
  const bool added = history.add_kraft_version(batch.next_offset(), kraft_version);
  HAYWARD_ASSERT(added, "R14: what is appended comes after what was there");
  add_control(batch, version);
  add_voters(batch, voters, history, arena);
}

}  // namespace hayward::core::raft
