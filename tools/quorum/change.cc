#include "tools/quorum/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "schemas/messages/add_raft_voter_request.h"
#include "schemas/messages/add_raft_voter_response.h"
#include "schemas/messages/remove_raft_voter_request.h"
#include "schemas/messages/remove_raft_voter_response.h"
#include "tools/exit_code.h"

namespace hayward::tools {
namespace {

// A leader that takes itself out is followed by an election.
constexpr auto seen_within = std::chrono::seconds(10);
constexpr auto seen_pause = std::chrono::milliseconds(100);

std::unexpected<Refusal> refuse(std::string line) { return std::unexpected(Refusal{exit_failed, std::move(line)}); }
std::unexpected<Refusal> unavailable(std::string line) { return std::unexpected(Refusal{exit_unavailable, std::move(line)}); }

constexpr const char* configured_voters =
    "the voters are configured by controller.quorum.voters (kraft.version 0) and cannot be changed while they run: upgrade first, "
    "kafka-features upgrade --feature kraft.version=1";

std::string advice_for(ErrorCode error) {
  switch (error) {
    case ErrorCode::unsupported_version:
      return configured_voters;
    case ErrorCode::request_timed_out:
      return "another change is not yet committed, or the controller is not reachable from the leader or not caught up: try again";
    case ErrorCode::duplicate_voter:
      return "it is a voter already; to change its directory remove it first";
    case ErrorCode::voter_not_found:
      return "see hayward quorum replication for the voters' ids and directories";
    case ErrorCode::cluster_authorization_failed:
      return "this needs ALTER on the cluster";
    default:
      return "nothing was changed";
  }
}

std::unexpected<Refusal> refused_by(const Leader& leader, ErrorCode error, std::optional<std::string_view> message) {
  return refuse(fmt::format("{}: the leader refused: {}{}{} ({})", leader.address, name(error), message ? ", " : "", message.value_or(""),
                            advice_for(error)));
}

// The view once `condition` holds in it; whoever leads by then.
template <class Condition>
std::expected<QuorumView, Refusal> wait_until(const ChangeOptions& options, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + seen_within;
  while (true) {
    auto leader = find_leader(options.ask);
    if (leader && condition(leader->view)) return std::move(leader->view);
    if (std::chrono::steady_clock::now() > deadline) {
      return refuse("the leader took the change, but it is not seen in the quorum yet: look again with hayward quorum status");
    }
    std::this_thread::sleep_for(seen_pause);
  }
}

// With kraft.version 0 nobody's directory is known.
bool are_configured(const QuorumView& view) {
  return std::ranges::all_of(view.voters, [](const ReplicaView& v) { return v.directory.is_zero(); });
}

// Empty: nothing speaks against it.
std::string objection_to_adding(const QuorumView& view, const core::Voter& voter) {
  if (are_configured(view)) return configured_voters;
  const ReplicaView* known = view.find(voter.id);
  if (known == nullptr) {
    return fmt::format("{} does not fetch from the leader: start it first, formatted with --no-initial-controllers, and wait until it is "
                       "among the observers",
                       voter.id.value);
  }
  if (known->voter) return fmt::format("{} is a voter already, with directory {}", voter.id.value, known->directory.to_string());
  if (known->directory != voter.directory) {
    return fmt::format("{} fetches with directory {}, expected {}: take the id from its meta.properties", voter.id.value,
                       known->directory.to_string(), voter.directory.to_string());
  }
  if (known->state == ReplicaState::silent) return fmt::format("{} has stopped fetching: see that it runs and reaches the leader", voter.id.value);
  if (known->state == ReplicaState::behind) {
    return fmt::format("{} is {} records behind: wait until it has caught up", voter.id.value, known->lag);
  }
  return {};
}

}  // namespace

std::expected<QuorumView, Refusal> add_voter(const ChangeOptions& options, const core::Voter& voter) {
  auto leader = find_leader(options.ask);
  if (!leader) return unavailable(leader.error());
  if (const std::string objection = objection_to_adding(leader->view, voter); !objection.empty() && !options.force) {
    return refuse(objection + " (nothing was changed; --force asks the leader all the same)");
  }
  if (options.dry_run) return std::move(leader->view);
  messages::AddRaftVoterRequest request;
  Arena arena;
  request.cluster_id = leader->view.cluster_id;
  request.timeout_ms = options.ask.timeout_ms;
  request.voter_id = voter.id;
  request.voter_directory_id = voter.directory;
  for (const auto& endpoint : voter.endpoints) {
    auto& listener = request.listeners.push_back(arena);
    listener.name = endpoint.listener;
    listener.host = endpoint.host;
    listener.port = endpoint.port;
  }
  const auto answer = leader->client.call<messages::AddRaftVoterResponse>(request, 0);
  if (!answer) return unavailable(answer.error());
  if (answer->error_code != ErrorCode::none) return refused_by(*leader, answer->error_code, answer->error_message);
  return wait_until(options, [&](const QuorumView& view) {
    const ReplicaView* r = view.find(voter.id);
    return r != nullptr && r->voter && r->directory == voter.directory;
  });
}

std::expected<QuorumView, Refusal> remove_voter(const ChangeOptions& options, NodeId id, std::optional<DirectoryId> directory) {
  auto leader = find_leader(options.ask);
  if (!leader) return unavailable(leader.error());
  if (options.ask.probe) probe(leader->view, false);
  if (are_configured(leader->view)) return refuse(configured_voters);
  std::vector<const ReplicaView*> meant;
  for (const auto& v : leader->view.voters)
    if (v.id == id && (!directory || v.directory == *directory)) meant.push_back(&v);
  if (meant.empty()) {
    std::string voters;
    for (const auto& v : leader->view.voters) voters += fmt::format("{}{} ({})", voters.empty() ? "" : ", ", v.id.value, v.directory.to_string());
    return refuse(fmt::format("expected one of the voters, found {}; they are {}", id.value, voters));
  }
  if (meant.size() > 1) return refuse(fmt::format("{} is a voter with two directories: say which by --directory-id", id.value));
  const DirectoryId chosen = meant[0]->directory;
  if (const Verdict verdict = may_remove(leader->view, id); !verdict.allowed && !options.force) {
    return refuse(fmt::format("{} should stay a voter: {}; {} (nothing was changed; --force asks the leader all the same)", id.value,
                              verdict.reason, verdict.advice));
  }
  if (options.dry_run) return std::move(leader->view);
  messages::RemoveRaftVoterRequest request;
  request.cluster_id = leader->view.cluster_id;
  request.voter_id = id;
  request.voter_directory_id = chosen;
  const auto answer = leader->client.call<messages::RemoveRaftVoterResponse>(request, 0);
  if (!answer) return unavailable(answer.error());
  if (answer->error_code != ErrorCode::none) return refused_by(*leader, answer->error_code, answer->error_message);
  return wait_until(options, [&](const QuorumView& view) {
    return std::ranges::none_of(view.voters, [&](const ReplicaView& v) { return v.id == id && v.directory == chosen; });
  });
}

}  // namespace hayward::tools
