// Everything that the node holds. Its functions are told apart by what they do: load.h (before the start),
// append.h (decide -> records -> log), commit.h (what follows when the high watermark moves), activation.h,
// periodic.h, control/dispatch.h (requests); node.cc is the switch over all events.
// Owner: Node. Shard 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "engine/core/authorizer/authorizer.h"
#include "engine/core/control/broker_states.h"
#include "engine/core/control/broker_work.h"
#include "engine/core/control/delegation_tokens.h"
#include "engine/core/control/mutation_quota.h"
#include "engine/core/effect.h"
#include "engine/core/image/image.h"
#include "engine/core/leader_waits.h"
#include "engine/core/parked.h"
#include "engine/core/parked_fetches.h"
#include "engine/core/published_brokers.h"
#include "engine/core/published_features.h"
#include "engine/core/published_log.h"
#include "engine/core/raft/links.h"
#include "engine/core/raft/log_view.h"
#include "engine/core/raft/quorum.h"
#include "engine/core/raft/raft_view.h"
#include "engine/core/raft/tail.h"
#include "engine/core/raft/turn.h"
#include "engine/core/raft/voters.h"
#include "engine/core/voter_probe.h"
#include "engine/core/snapshot_download.h"
#include "engine/core/snapshotter.h"
#include "engine/core/start.h"
#include "engine/core/timers.h"
#include "schemas/runtime/arena.h"

namespace hayward::core {

// The answer to who had a broker unregistered that leaves its partitions in slices.
struct HeldUnregistration {
  BrokerIncarnation broker;
  Reply answer;
  std::unique_ptr<KeptRequest> request;  // as in Parked
};

struct NodeState {
  NodeState(const NodeConfig& node_config, const LogState& recovered);

  const NodeConfig config;
  Prng prng;
  Image image;
  raft::LogView log;
  raft::VoterHistory voters;
  raft::Quorum quorum;
  raft::Links links;
  raft::LeaderSearch leader_search;
  raft::Tail tail;           // above `committed`
  Offset committed{0};       // every record below it is known to be committed; only rises (R7)
  Offset settled{0};         // `committed` when its consequences were drawn last
  bool heard_high_watermark = false;  // from a leader, or as one
  Offset image_end{0};       // the next record to be replayed: a follower's image ends where `committed` does (C15)
  Prng raft_prng;            // election timeouts and the like
  MonoTime raft_poll_at = mono_never;
  std::unique_ptr<SnapshotDownload> download;  // null: none under way
  MonoTime register_at{INT64_MIN};             // as a standby: not before
  bool may_join = true;                        // until it has been a voter
  std::unique_ptr<VoterProbe> voter_probe;     // null: none under way
  std::optional<Epoch> led;  // the epoch that this node leads and has begun
  Effects held;              // what may be said only once quorum-state is durable (R3)
  Parked parked;
  ParkedFetches fetches;
  LeaderWaits leader_waits;
  BrokerStates brokers;
  BrokerWork broker_work;
  std::vector<HeldUnregistration> unregistrations;  // at most one a connection; dropped when the work is
  PublishedBrokers published_brokers;
  PublishedFeatures published_features;
  PublishedLog published_log;
  Authorizer authorizer;
  TokenHmacs token_hmacs;
  MutationBuckets mutation_buckets;
  Snapshotter snapshotter;
  Timers timers;
  Arena arena;  // one event's decoded requests and answers

  std::vector<Buffer> bootstrap_records;  // of an empty log's first activation
  Offset load_position = no_offset;       // offset of the next record to be loaded; -1: nothing loaded yet
  MonoTime tell_of_denials_at{INT64_MIN};  // that a replica may not fetch or vote is not logged again before
  std::int64_t last_append_wall_ms = 0;   // timestamp of the log's last batch
  Offset broker_change_end{0};            // end of the last batch that changed a broker's registration
  std::uint32_t unclean_election_slot = 0;    // where the periodic scans for elections go on
  std::uint32_t preferred_election_slot = 0;
  MonoTime started;
  bool begun = false;
  bool active = false;  // activated, in the epoch that this node leads
  bool stopping = false;
  bool stopped = false;  // Stopped is out: nothing is done any more
  bool failed = false;   // Fail is out: nothing is done any more

  // Of this node's own epoch while it leads; else as far as it has heard. -1: not known yet.
  Offset high_watermark() const;
  // A lone leader that stops answers nobody any more; one of several must still be fetched from.
  raft::RaftView raft_view() const { return {config, quorum, log, voters, stopping && quorum.is_only_voter()}; }
  raft::Turn raft_turn(const Time& now, Effects& out);
  // Ends the node's work, by one line for the operator.
  void fail(std::string reason, Effects& out);
};

}  // namespace hayward::core
