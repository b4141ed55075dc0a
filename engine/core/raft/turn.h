// What raft works on for the length of one event: its own state, the log as the core knows it, time, chance, and what
// is to be done about it. And what its roles and RPCs share.
// Owner: the node makes one for each event. Shard 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/prng.h"
#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/raft/leader_search.h"
#include "engine/core/raft/links.h"
#include "engine/core/raft/log_view.h"
#include "engine/core/raft/quorum.h"
#include "engine/core/raft/raft_view.h"
#include "engine/core/raft/tail.h"
#include "engine/core/raft/voters.h"
#include "engine/core/start.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/writer.h"

namespace hayward::core::raft {

struct Turn {
  const NodeConfig& config;
  Quorum& quorum;
  LogView& log;
  VoterHistory& voters;
  Links& links;
  LeaderSearch& search;
  Tail& tail;
  Offset& committed;     // everything below is known to be committed; only rises
  Prng& prng;
  Arena& arena;
  const Time& now;
  Effects& out;
  bool& may_join;  // auto-join: this node has not been a voter yet
  bool stopping = false;

  RaftView view() const { return {config, quorum, log, voters, stopping}; }
  MonoTime after_ms(std::int64_t ms) const { return now.mono + ms_to_ns(ms); }
  // Within [low, high) from now.
  MonoTime after_ms(std::int64_t low, std::int64_t high);
  MonoTime election_timeout() { return after_ms(config.election_timeout_ms, 2 * std::int64_t{config.election_timeout_ms}); }
  MonoTime fetch_timeout() const { return after_ms(config.fetch_timeout_ms); }
  void log_line(LogLine::Level level, std::string text) { out.push_back(LogLine{level, std::move(text)}); }
};

// This node as a voters record would have it.
Voter self_voter(const NodeConfig& config);
// Where to reach a replica: its endpoint of the listener that this node names first, else its first one; nullptr: none.
const Endpoint* reachable(const Turn& turn, std::span<const Endpoint> endpoints);
// The voters but for this node.
std::vector<const Voter*> other_voters(const Turn& turn);
// Where this node stands among the other voters than `leader`, by id: 0 is the first.
int rank_without(const Turn& turn, NodeId leader);
// "controller 3"
std::string name_of(NodeId node);

// This node's addresses, into a request that tells of them.
template <class Addresses>
void add_own_addresses(const Turn& turn, Addresses& addresses) {
  for (const Endpoint& e : turn.config.advertised) addresses.push_back(turn.arena, {e.listener, e.host, e.port});
}

// Sends `message` to `peer` in `lane`, which is free, in this version. False: it has no endpoint.
template <class Message>
bool send_as(std::int16_t version, Turn& turn, NodeId peer, std::span<const Endpoint> endpoints, Lane lane,
             const Message& message, bool pre_vote = false) {
  const Endpoint* endpoint = reachable(turn, endpoints);
  if (endpoint == nullptr) return false;
  SendToPeer send;
  send.peer = peer;
  send.endpoint = *endpoint;
  send.api_key = Message::api_key;
  send.api_version = version;
  send.body.resize(encoded_size(message, version));
  Writer writer(send.body);
  encode(writer, message, version);
  send.token = turn.links.sent(peer, lane, InFlight{.token = 0, .epoch = turn.quorum.epoch(),
                                                    .api_key = Message::api_key, .api_version = version,
                                                    .pre_vote = pre_vote});
  turn.out.push_back(std::move(send));
  return true;
}

// In the highest version that the peer is known to have.
template <class Message>
bool send(Turn& turn, NodeId peer, std::span<const Endpoint> endpoints, Lane lane, const Message& message,
          bool pre_vote = false) {
  const std::int16_t version = turn.links.version(peer, Message::api_key, Message::max_version);
  return send_as(version, turn, peer, endpoints, lane, message, pre_vote);
}

// Another replica says that `epoch` is led by `leader` (no_node: it does not know by whom), found at `endpoints`, which
// may be empty. This node moves to a higher epoch, and follows a leader that is new to it. False: what it says is of an
// epoch that is over, or contradicts what is known.
bool learn(Turn& turn, Epoch epoch, NodeId leader, std::span<const Endpoint> endpoints);
// Whether what `sender` sends unasked may take this node into `epoch`, above its own: not from a stranger while a
// leader is heard from, and not by a leap that no election makes.
// There is none after it: 2147483647.
bool in_last_epoch(const Turn& turn);
// Whether this node may be elected, and so ask for votes.
bool may_stand(const Turn& turn);
// Whether its vote may count: the only voter has nobody to have its data back from.
bool may_be_heard(const Turn& turn);
bool may_raise_epoch(const Turn& turn, const ReplicaKey& sender, Epoch epoch);
inline constexpr std::int32_t longest_leap = 10'000;

// Steps down: the role becomes Resigned.
void resign(Turn& turn, const std::string& why);

// Once, when everything is loaded: a lone voter stands at once, others look for their leader. False: there is no epoch
// left to stand in.
[[nodiscard]] bool begin(Turn& turn);
// What the role has to do now, beside answering; when to look again (mono_never: not by time).
MonoTime poll(Turn& turn);
// Somebody has answered, or the connection is gone. (Not: FetchSnapshot, whose bytes become the image.)
void peer_replied(Turn& turn, const PeerReply& reply);
// The log is on stable storage up to `end`.
void flushed(Turn& turn, Offset end);
// A batch is at the log's end, ours or a leader's: voters and kraft.version count from it on, committed or not.
void batch_appended(Turn& turn, BatchPtr batch);

}  // namespace hayward::core::raft
