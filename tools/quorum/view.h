// What a leader says of its quorum, and what follows from it: who is up to date, who may be stopped or removed.
// Owner: `hayward quorum`. Pure; the main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/messages/describe_quorum_response.h"
#include "schemas/runtime/ids.h"

namespace hayward::tools {

enum class ReplicaState {
  leader,
  current,  // fetches, and has had all of the leader's log within the time allowed
  behind,   // fetches, and has not
  silent,   // has not fetched within the time allowed, or never from this leader
};
std::string_view name(ReplicaState state);

struct ReplicaView {
  NodeId id;
  DirectoryId directory{};
  bool voter = false;
  std::int64_t log_end = 0;
  std::int64_t lag = 0;                          // records that the leader has more
  std::optional<std::int64_t> fetched_ago_ms;    // by the leader's clock; nullopt: never from this leader
  std::optional<std::int64_t> caught_up_ago_ms;  // likewise
  ReplicaState state = ReplicaState::silent;
  std::string address;                           // host:port of its first listener; empty: not known
  std::string program;                           // "Hayward 0.1.0", "other"; empty: not asked
  std::optional<bool> answers;                   // here, to a question of ours; nullopt: not asked
};

struct QuorumView {
  std::string cluster_id;
  NodeId leader{-1};
  Epoch epoch{0};
  std::int64_t high_watermark = -1;  // -1: the leader has not yet committed anything in its epoch
  std::int64_t log_end = 0;          // the leader's
  std::int64_t now_ms = 0;           // the leader's clock when it answered
  std::vector<ReplicaView> voters;     // by id
  std::vector<ReplicaView> observers;  // by id

  const ReplicaView* find(NodeId id) const;
  std::size_t majority() const { return voters.size() / 2 + 1; }
  // Voters that are leader or current and answer, without `except`.
  std::size_t up_to_date(NodeId except = NodeId{-1}) const;
  // How many of the voters that are up to date may fail before nothing can be committed any more.
  std::size_t spare() const;
  // Every voter is up to date and the leader commits.
  bool healthy() const;
};

// A replica that has not fetched, or not caught up, within `patience_ms` is silent or behind.
QuorumView make_view(const messages::DescribeQuorumResponse& response, std::int64_t patience_ms);

struct Verdict {
  bool allowed = false;
  std::string reason;  // one sentence
  std::string advice;  // what to do first, or to mind; may be empty
};
// Whether the quorum goes on committing while `id` is stopped. The view knows `id`.
Verdict may_stop(const QuorumView& view, NodeId id);
// Whether the quorum goes on committing without `id` among its voters. `id` is a voter.
Verdict may_remove(const QuorumView& view, NodeId id);

}  // namespace hayward::tools
