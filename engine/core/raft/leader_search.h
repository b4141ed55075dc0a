// What has come of looking for a leader, for the operator: while this node is in touch with none, whom it asked and what
// each said is told now and then. A node of another cluster, or with a list of dead addresses, is not silent about it;
// nor is one that follows where its voter's place is another directory's.
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "engine/base/time.h"
#include "schemas/runtime/ids.h"

namespace hayward::core::raft {

struct Turn;

class LeaderSearch {
 public:
  static constexpr std::int64_t first_line_ms = 5'000;  // without a leader; the next after twice as long, and so on
  static constexpr std::int64_t longest_ms = 600'000;   // between two lines

  // What `peer` has last said, or why it has not.
  void heard(NodeId peer, std::string what) { heard_[peer] = std::move(what); }
  // That `leader` is missed is worth a line once in a search, not at every round of it.
  bool begins(NodeId leader) { return std::exchange(missed_, leader) != leader; }
  // After each event: says where the search stands, if a line is due.
  void look(Turn& turn);

 private:
  void look_at_own_place(Turn& turn);
  std::string report(const Turn& turn) const;

  std::map<NodeId, std::string> heard_;
  NodeId missed_ = no_node;
  MonoTime since_ = mono_never;      // in touch with no leader; mono_never: in touch
  MonoTime next_line_ = mono_never;
  std::int64_t pause_ms_ = 0;        // between the last line and the next
  MonoTime displaced_since_ = mono_never;  // follows, and its id is a voter's in another directory
  bool displaced_told_ = false;
};

}  // namespace hayward::core::raft
