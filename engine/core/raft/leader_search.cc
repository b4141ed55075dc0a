// See leader_search.h.
#include "engine/core/raft/leader_search.h"

#include <algorithm>

#include "engine/core/raft/fetch_from_leader.h"
#include "engine/core/raft/turn.h"

namespace hayward::core::raft {
namespace {

std::string address(const Endpoint& e) { return e.host + ":" + std::to_string(e.port); }

bool is_own(const Turn& turn, const Endpoint& e) {
  return std::ranges::any_of(turn.config.advertised,
                             [&](const Endpoint& own) { return own.host == e.host && own.port == e.port; });
}

// The peer as the operator knows it, a bootstrap server by its address, a voter by its id too; and `what` it said.
std::string told(const Turn& turn, NodeId peer, const std::string& what) {
  if (const Endpoint* server = bootstrap_server(turn, peer)) {
    return address(*server) + (is_own(turn, *server) ? " is this node itself" : " " + what);
  }
  const Voter* voter = turn.voters.last().find(peer);
  const Endpoint* endpoint = voter == nullptr ? nullptr : reachable(turn, voter->endpoints);
  return name_of(peer) + (endpoint == nullptr ? "" : " (" + address(*endpoint) + ")") + " " + what;
}

}  // namespace

void LeaderSearch::look(Turn& turn) {
  const MonoTime now = turn.now.mono;
  if (turn.quorum.in_touch(now)) {
    heard_.clear();
    missed_ = no_node;
    since_ = mono_never;
    return look_at_own_place(turn);
  }
  if (turn.stopping) return;
  if (since_ == mono_never) {
    since_ = now;
    pause_ms_ = first_line_ms;
    next_line_ = turn.after_ms(pause_ms_);
  }
  if (now < next_line_) return;
  turn.log_line(LogLine::Level::warn, report(turn));
  pause_ms_ = std::min(pause_ms_ * 2, longest_ms);
  next_line_ = turn.after_ms(pause_ms_);
}

std::string LeaderSearch::report(const Turn& turn) const {
  std::string text = "no leader for " + std::to_string((turn.now.mono - since_) / ms_to_ns(1000)) + " s";
  const char* before = ": ";
  for (const auto& [peer, what] : heard_) text += std::exchange(before, "; ") + told(turn, peer, what);
  return heard_.empty() ? text + ": nobody has been asked; see controller.quorum.bootstrap.servers" : text;
}

void LeaderSearch::look_at_own_place(Turn& turn) {
  const Voter* place = turn.voters.last().find(turn.config.node_id);
  const bool joins = turn.config.auto_join && turn.may_join;
  if (place == nullptr || joins || turn.quorum.is_voter()) {
    displaced_since_ = mono_never;
    displaced_told_ = false;
    return;
  }
  // The log may still be on its way to the record that makes this directory the voter.
  if (displaced_since_ == mono_never) displaced_since_ = turn.now.mono;
  if (displaced_told_ || turn.now.mono < displaced_since_ + ms_to_ns(first_line_ms)) return;
  displaced_told_ = true;
  const std::string former = place->directory.to_string();
  turn.log_line(LogLine::Level::warn,
                "this node only observes: voter " + std::to_string(place->id.value) + " is directory " + former +
                    ", and this is directory " + turn.config.directory_id.to_string() +
                    "; if the other is lost: hayward quorum remove " + std::to_string(place->id.value) +
                    " --directory-id " + former + ", then hayward quorum add");
}

}  // namespace hayward::core::raft
