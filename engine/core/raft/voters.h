// The voter set, and how it and kraft.version came to be along the log: each change counts from the
// offset of its control record on, committed or not.
// Owner: the node. Shard 0.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/core/raft/replica_key.h"
#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

class VoterSet {
 public:
  VoterSet() = default;
  explicit VoterSet(std::vector<Voter> voters);  // in any order; ids are unique

  const std::vector<Voter>& all() const { return voters_; }  // ascending by id
  std::size_t size() const { return voters_.size(); }
  const Voter* find(NodeId id) const;
  // A voter without a directory (kraft.version 0) is known by its id alone.
  bool has(const ReplicaKey& key) const;
  // The same for one who may not have said its directory (a zero one): then its id is enough.
  bool may_be(const ReplicaKey& key) const;
  std::vector<NodeId> ids() const;
  // The same set with `voter` for the one of its id, if there is one; without the one of that id.
  VoterSet with(Voter voter) const;
  VoterSet without(NodeId id) const;
  std::size_t majority() const { return voters_.size() / 2 + 1; }
  friend bool operator==(const VoterSet&, const VoterSet&) = default;

 private:
  std::vector<Voter> voters_;
};

// Whether a voters record would say the same of both; the order of the endpoints does not count.
bool same_entry(const Voter& a, const Voter& b);

class VoterHistory {
 public:
  // Where the newest set comes from: the configuration, the bootstrap checkpoint, or a record's offset.
  static constexpr Offset from_config{-2};
  static constexpr Offset from_bootstrap{-1};

  explicit VoterHistory(std::vector<Voter> static_voters);

  // A snapshot's values count at its end - 1, the bootstrap checkpoint's so at -1. False, and nothing is
  // added: the offset is not above the one before.
  [[nodiscard]] bool add_voters(Offset offset, VoterSet voters);
  [[nodiscard]] bool add_kraft_version(Offset offset, std::int16_t version);

  const VoterSet& last() const { return voters_.back().value; }
  Offset last_offset() const { return voters_.back().offset; }
  std::int16_t kraft_version() const { return versions_.back().value; }
  // Every record below `end` is known to be committed.
  void note_committed(Offset end) { committed_ = std::max(committed_, end); }
  // In the last set, or in one before it that may turn out to be the last, for what follows it is not known to be committed.
  bool may_count(const ReplicaKey& key) const;
  // What holds after the record at `offset`: for the header of a snapshot that ends at offset + 1.
  const VoterSet& voters_at(Offset offset) const;
  std::int16_t kraft_version_at(Offset offset) const;

  // The log has been cut: what was written from `end` on never was.
  void truncated(Offset end);
  // A snapshot has taken the log's place: what counts at `offset`, its last, is what it says (no voters: the configured
  // ones).
  void replaced_by(Offset offset, const VoterSet* voters, std::int16_t kraft_version);
  // Nobody asks for what is before `offset` any more.
  void forget_before(Offset offset);

 private:
  template <class T>
  struct Entry {
    Offset offset;
    T value;
  };
  std::vector<Entry<VoterSet>> voters_;        // never empty; first: the configured ones
  std::vector<Entry<std::int16_t>> versions_;  // never empty; first: 0
  Offset committed_{0};
};

}  // namespace hayward::core::raft
