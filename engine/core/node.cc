// See node.h. The switch over all events.
#include "engine/core/node.h"

#include <string>
#include <utility>
#include <variant>

#include "engine/core/activation.h"
#include "engine/core/append.h"
#include "engine/core/commit.h"
#include "engine/core/control/dispatch.h"
#include "engine/core/control/fetch.h"
#include "engine/core/load.h"
#include "engine/core/node_state.h"
#include "engine/core/periodic.h"
#include "engine/core/slices.h"
#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

// How long a stop waits for what is parked (Kafka's).
constexpr std::int64_t stop_grace_ms = 5000;

class Step {
 public:
  Step(NodeState& node, const Time& now, Effects& out) : node_(node), now_(now), out_(out) {}

  void operator()(const Tick&) {
    node_.timers.ticked();
    answer_fetches(node_, node_.fetches.take_due(now_.mono), now_, out_);
    run_slice(node_, now_, out_);
    run_periodic_work(node_, now_, out_);
  }
  void operator()(const Request& request) { handle_request(node_, request, now_, out_); }
  void operator()(const ConnectionClosed& closed) {
    node_.parked.forget(closed.connection);
    node_.fetches.forget(closed.connection);
  }
  void operator()(const Flushed& flushed) { log_flushed(node_, flushed.end, now_, out_); }
  void operator()(const QuorumStatePersisted& persisted) {
    if (node_.quorum.persisted(persisted.token, node_.log.end(), out_)) begin_epoch(node_, now_, out_);
  }
  void operator()(const SnapshotChunkWritten&) { node_.snapshotter.chunk_written(); }
  void operator()(const SnapshotWritten& written) {
    if (written.ok) node_.log.snapshot_written(written.id, written.size);
    node_.snapshotter.written();
  }
  void operator()(const LogStartMoved& moved) {
    node_.log.start_moved(moved.start);
    node_.voters.forget_before(moved.start);
  }
  void operator()(const LeasesExpired& expired) {
    if (node_.active && !node_.stopping) fence_expired(node_, expired, now_, out_);
  }
  void operator()(const BrokerContacts& contacts) { node_.brokers.note_contacts(contacts); }
  void operator()(const PeerReply&) {}  // the one voter asks nobody
  void operator()(const Stop&) {
    if (node_.stopping) return;
    node_.stopping = true;
    stop_periodic_work(node_);
    if (node_.active) node_.brokers.deactivate(out_);
    node_.published_brokers.deactivate();
    node_.active = false;
    node_.broker_work.clear();
    answer_fetches(node_, node_.fetches.take_all(), now_, out_);
    node_.timers.set(Timer::stop_grace, now_.mono + ms_to_ns(stop_grace_ms));
  }

 private:
  NodeState& node_;
  const Time& now_;
  Effects& out_;
};

// Every answer is out, or has waited long enough: the epoch is over.
void finish_stop(NodeState& node, const Time& now, Effects& out) {
  if (!node.parked.empty() && !node.timers.take(Timer::stop_grace, now.mono)) return;
  node.timers.clear(Timer::stop_grace);
  if (node.quorum.leading() != nullptr) node.quorum.resign();
  node.stopped = true;
  out.push_back(Stopped{});
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
  if (!node.quorum.stand(out)) node.fail("the quorum's epoch has reached its end, 2147483647", out);
}

void Node::step(const Time& now, const Event& event, Effects& out) {
  NodeState& node = *state_;
  if (node.failed || node.stopped) return;
  std::visit(Step(node, now, out), event);
  if (node.failed) return;
  if (node.stopping) {
    finish_stop(node, now, out);
  } else if (node.active) {
    node.snapshotter.encode(now, node.image, node.log, node.voters, node.last_append_wall_ms);
    node.snapshotter.release(node.high_watermark(), out);
    node.published_brokers.update(node.image.take_changed_brokers(), node.broker_work.ineligible(), node.image.cluster(),
                                  node.log.end(), node.high_watermark(), now.mono, out);
  }
  arm_slice(node, now);
  node.timers.arm(node.fetches.next_deadline(), out);
}

NodeView Node::view() const {
  const NodeState& node = *state_;
  return {node.quorum.epoch(), node.quorum.leader(), node.active, node.high_watermark(), node.log.end()};
}

const Image& Node::image() const { return state_->image; }

}  // namespace hayward::core
