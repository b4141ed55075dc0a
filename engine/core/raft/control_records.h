// Voters and kraft.version as control records carry them, and the first batch of an epoch.
// Owner: engine/core/raft. Shard 0.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/raft/voters.h"
#include "engine/core/types.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/records/voters_record.h"
#include "schemas/runtime/arena.h"

namespace hayward::core::raft {

// The kraft.version range that this node supports.
inline constexpr std::int16_t min_kraft_version = 0;
inline constexpr std::int16_t max_kraft_version = 1;

VoterSet from_record(const records::VotersRecord& record);
// Views into `voters` and the arena.
records::VotersRecord to_record(const VoterSet& voters, Arena& arena);

// What an epoch begins with: LeaderChange; then, from kraft.version 1 on, KRaftVersion and Voters if the
// known set comes from the bootstrap checkpoint, or says of `self`, the leader, what is not so.
// `granting`: the voters that voted for it. `history` learns of what it adds.
void add_epoch_start(BatchBuilder& batch, const Voter& self, std::span<const NodeId> granting, VoterHistory& history,
                     Arena& arena);

// A Voters record: another voter set. `history` learns of it.
void add_voters(BatchBuilder& batch, const VoterSet& voters, VoterHistory& history, Arena& arena);
// KRaftVersion and Voters: the upgrade to kraft.version 1, or the taking over of the bootstrap set. `history` learns of
// both.
void add_kraft_version_and_voters(BatchBuilder& batch, std::int16_t kraft_version, const VoterSet& voters,
                                  VoterHistory& history, Arena& arena);

}  // namespace hayward::core::raft
