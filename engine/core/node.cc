// See node.h. The switch over all events.
#include "engine/core/node.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "engine/core/activation.h"
#include "engine/core/append.h"
#include "engine/core/commit.h"
#include "engine/core/control/dispatch.h"
#include "engine/core/control/fetch.h"
#include "engine/core/leadership.h"
#include "engine/core/load.h"
#include "engine/core/node_state.h"
#include "engine/core/periodic.h"
#include "engine/core/slices.h"
#include "engine/core/snapshot_download.h"
#include "engine/core/standby.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

// How long a stop waits for what is parked (Kafka's), and then for the voters to hear that the epoch is over.
constexpr std::int64_t stop_grace_ms = 5000;
constexpr std::int64_t farewell_ms = 1000;

class Step {
 public:
  Step(NodeState& node, const Time& now, Effects& out) : node_(node), now_(now), out_(out), new_from_(out.size()) {}

  // Effects from here on are of what this node stands for now; those before, of what has become durable.
  std::size_t new_from() const { return new_from_; }

  void operator()(const Tick&) {
    node_.timers.ticked();
    answer_fetches(node_, node_.fetches.take_due(now_.mono), out_);
    run_slice(node_, now_, out_);
    run_periodic_work(node_, now_, out_);
  }
  void operator()(const Request& request) { handle_request(node_, request, now_, out_); }
  void operator()(const ConnectionClosed& closed) {
    node_.parked.forget(closed.connection);
    node_.fetches.forget(closed.connection);
    node_.leader_waits.forget(closed.connection);
  }
  void operator()(const Flushed& flushed) {
    raft::Turn turn = node_.raft_turn(now_, out_);
    raft::flushed(turn, flushed.end);
  }
  void operator()(const QuorumStatePersisted& persisted) {
    node_.quorum.persisted(persisted.token);
    if (!node_.quorum.durable()) return;
    for (Effect& effect : node_.held) out_.push_back(std::move(effect));
    node_.held.clear();
    new_from_ = out_.size();
  }
  void operator()(const SnapshotChunkWritten&) { node_.snapshotter.chunk_written(); }
  void operator()(const SnapshotWritten& written) {
    // One from the leader may have overtaken it.
    const auto& known = node_.log.snapshots();
    const bool newest = known.empty() || known.back().id < written.id;
    if (written.ok && newest) node_.log.snapshot_written(written.id, written.size);
    node_.snapshotter.written();
  }
  void operator()(const SnapshotPartWritten& written) { download_written(node_, written, now_, out_); }
  void operator()(const LogStartMoved& moved) {
    node_.log.start_moved(moved.start);
    node_.voters.forget_before(moved.start);
  }
  void operator()(const LeasesExpired& expired) {
    if (node_.active && !node_.stopping) fence_expired(node_, expired, now_, out_);
  }
  void operator()(const BrokerContacts& contacts) { node_.brokers.note_contacts(contacts); }
  void operator()(const ObserverContacts& contacts) { note_observers(node_, contacts); }
  void operator()(const PeerReply& reply) {
    if (reply.peer == probe_peer) {
      voter_probe_answered(node_, reply, now_, out_);
    } else if (reply.api_key == messages::FetchSnapshotRequest::api_key) {
      download_answered(node_, reply, now_, out_);
    } else {
      raft::Turn turn = node_.raft_turn(now_, out_);
      raft::peer_replied(turn, reply);
    }
    node_.arena.reset();
  }
  void operator()(const Stop&) {
    if (node_.stopping) return;
    node_.stopping = true;
    end_voter_probe(node_, now_, out_);
    stop_periodic_work(node_);
    if (node_.active) node_.brokers.deactivate(out_);
    node_.published_brokers.deactivate();
    node_.active = false;
    node_.broker_work.clear();
    // Other voters must still fetch what is parked.
    if (node_.quorum.leading() == nullptr || node_.quorum.is_only_voter()) {
      answer_fetches(node_, node_.fetches.take_all(), out_);
    }
    node_.timers.set(Timer::stop_grace, now_.mono + ms_to_ns(stop_grace_ms));
  }

 private:
  NodeState& node_;
  const Time& now_;
  Effects& out_;
  std::size_t new_from_;
};

// Everybody who must know of it knows that the epoch is over, or has had its time.
bool farewell_is_over(NodeState& node, const Time& now) {
  const auto* resigned = node.quorum.as<raft::Resigned>();
  if (resigned == nullptr || node.quorum.is_only_voter()) return true;
  bool heard_by_all = true;
  for (const Voter& voter : node.voters.last().all()) {
    heard_by_all = heard_by_all && (voter.id == node.config.node_id || resigned->heard.contains(voter.id));
  }
  return heard_by_all || node.timers.take(Timer::farewell, now.mono);
}

// Every answer is out, or has waited long enough: the epoch is over.
void finish_stop(NodeState& node, const Time& now, Effects& out) {
  if (!node.parked.empty() && !node.timers.take(Timer::stop_grace, now.mono)) return;
  node.timers.clear(Timer::stop_grace);
  if (node.quorum.leading() != nullptr) {
    node.quorum.resign(mono_never);
    follow_role(node, now, out);
    raft::Turn turn = node.raft_turn(now, out);
    node.raft_poll_at = raft::poll(turn);
    node.arena.reset();
  }
  // However it came to have resigned: now, for want of followers, before the stop or before the last start.
  if (node.quorum.as<raft::Resigned>() != nullptr && !node.timers.is_set(Timer::farewell)) {
    node.timers.set(Timer::farewell, now.mono + ms_to_ns(farewell_ms));
  }
  if (!farewell_is_over(node, now)) return;
  node.stopped = true;
  out.push_back(Stopped{});
}

// What the event has brought about beside its own answer.
void settle(NodeState& node, const Time& now, Effects& out) {
  follow_role(node, now, out);
  settle_committed(node, now, out);
  answer_voters_fetches(node, out);
  raft::Turn turn = node.raft_turn(now, out);
  node.raft_poll_at = std::min({raft::poll(turn), poll_download(node, now, out), poll_standby(node, now, out),
                                poll_voter_probe(node, now, out), poll_leader_waits(node, now, out)});
  node.arena.reset();
  follow_role(node, now, out);  // the role may have ended by time
}

bool leaves_the_node(const Effect& effect) {
  return std::holds_alternative<Reply>(effect) || std::holds_alternative<ReplyWithRecords>(effect) ||
         std::holds_alternative<ReplyWithSnapshotBytes>(effect) || std::holds_alternative<SendToPeer>(effect);
}

// R3: until quorum-state holds what this node now stands for, nobody hears from it.
void hold_back(NodeState& node, std::size_t from, Effects& out) {
  if (node.quorum.durable()) return;
  std::size_t kept = from;
  for (std::size_t i = from; i < out.size(); ++i) {
    if (leaves_the_node(out[i])) {
      node.held.push_back(std::move(out[i]));
    } else {
      if (kept != i) out[kept] = std::move(out[i]);
      ++kept;
    }
  }
  out.resize(kept);
}

void publish_brokers(NodeState& node, const Time& now, Effects& out) {
  const std::set<NodeId> changed = node.image.take_changed_brokers();
  if (!node.active) return;
  node.published_brokers.update(changed, node.broker_work.ineligible(), node.image.cluster(), node.log.end(),
                                node.high_watermark(), now.mono, out);
}

// R3 holds for what is said on other shards too.
void publish_log(NodeState& node, Effects& out) {
  const bool leads = node.active && !node.stopping && node.quorum.durable();
  node.published_log.update(leads, node.config, node.quorum.epoch(), node.voters, node.high_watermark(), node.log.start(), out);
}

}  // namespace

Node::Node(const NodeConfig& config, const LogState& log) : state_(std::make_unique<NodeState>(config, log)) {}
Node::~Node() = default;

std::expected<void, std::string> Node::load_snapshot(Bytes batch) { return load_snapshot_batch(*state_, batch); }
std::expected<void, std::string> Node::load_batch(Bytes batch) { return load_log_batch(*state_, batch); }

void Node::start(const Time& now, Effects& out) {
  NodeState& node = *state_;
  HAYWARD_ASSERT(!node.begun, "a node starts once");
  node.begun = true;
  node.started = now.mono;
  node.snapshotter.start(now.mono);
  if (const auto reason = why_not_startable(node)) {
    node.fail(*reason, out);
    return;
  }
  out.push_back(PublishClusterAccess{node.authorizer.published()});
  if (!node.config.static_voters.empty() && node.voters.kraft_version() > 0) {
    out.push_back(
        LogLine{LogLine::Level::warn, "controller.quorum.voters is ignored: the voters are those of the log"});
  }
  raft::Turn turn = node.raft_turn(now, out);
  if (!raft::begin(turn)) {
    node.fail("the quorum's epoch has reached its end, 2147483647", out);
    return;
  }
  const std::size_t from = out.size();
  settle(node, now, out);
  hold_back(node, from, out);
  node.timers.arm(node.raft_poll_at, out);
}

void Node::step(const Time& now, const Event& event, Effects& out) {
  NodeState& node = *state_;
  if (node.failed || node.stopped) return;
  Step step(node, now, out);
  std::visit(step, event);
  if (!node.failed) settle(node, now, out);
  if (node.failed) return;
  publish_log(node, out);
  if (node.stopping) {
    finish_stop(node, now, out);
  } else if (node.active || (!node.led && node.heard_high_watermark)) {
    node.snapshotter.encode(now, node.image, node.log, node.voters, node.last_append_wall_ms);
    node.snapshotter.release(node.high_watermark(), out);
  }
  publish_brokers(node, now, out);
  arm_slice(node, now);
  hold_back(node, step.new_from(), out);
  node.timers.arm(std::min(node.fetches.next_deadline(), node.raft_poll_at), out);
}

NodeView Node::view() const {
  const NodeState& node = *state_;
  return {node.quorum.epoch(), node.quorum.leader(), node.active, node.high_watermark(), node.log.end()};
}

const Image& Node::image() const { return state_->image; }

}  // namespace hayward::core
