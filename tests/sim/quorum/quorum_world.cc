// See quorum_world.h. This file: processes, time, and what each step shows; quorum_faults.cc: what goes wrong.
#include "quorum_world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "engine/core/image/image.h"
#include "engine/core/invariants.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/messages/api_keys.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "tests/node_machine/bootstrap_checkpoint.h"
#include "tests/sim/core/sim_shard.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::string_view cluster_id = "kVZkUoYoQ2q1n0xq1m0Pxw";
constexpr std::int32_t fetch_timeout_ms = 2000;

core::Endpoint endpoint_of(Id id) { return {"CONTROLLER", std::string(host_prefix) + std::to_string(id), 9093, 0}; }

// Without correlation id and, where there are any, the header's tagged fields.
Bytes body_of(Bytes frame, std::int16_t key, std::int16_t version) {
  return frame.subspan(messages::find_api(key)->response_header_version(version) >= 1 ? 5 : 4);
}

std::vector<Id> ids_up_to(int voters) {
  std::vector<Id> ids;
  for (Id id = 1; id <= voters; ++id) ids.push_back(id);
  return ids;
}

}  // namespace

void QuorumHappenings::add(const QuorumHappenings& other) {
  for (auto field :
       {&QuorumHappenings::steps, &QuorumHappenings::crashes, &QuorumHappenings::pauses, &QuorumHappenings::partitions,
        &QuorumHappenings::one_way, &QuorumHappenings::bad_networks, &QuorumHappenings::slow_disks,
        &QuorumHappenings::stops, &QuorumHappenings::elections, &QuorumHappenings::truncations,
        &QuorumHappenings::refused_dials, &QuorumHappenings::timeouts, &QuorumHappenings::duplicates,
        &QuorumHappenings::resets, &QuorumHappenings::drops, &QuorumHappenings::acknowledged,
        &QuorumHappenings::refused_writes, &QuorumHappenings::snapshots_loaded, &QuorumHappenings::records,
        &QuorumHappenings::voters_added, &QuorumHappenings::voters_removed}) {
    this->*field += other.*field;
  }
}

QuorumWorld::QuorumWorld(const Options& options)
    : options_(options),
      prng_(options.seed),
      oracle_(ids_up_to(options.voters), fetch_timeout_ms * ms),
      network_(prng_.next(),
               {.arrived =
                    [this](const Network::Call& call, std::uint32_t connection) {
                      Asker asker{.id = call.from, .api_key = call.request.api_key, .version = call.request.api_version, .mark = {}};
                      ask(*controllers_.at(call.to), connection, call.request.api_key, call.request.api_version,
                          call.request.body, std::move(asker));
                    },
                .answered =
                    [this](const Network::Call& call, bool failed, bool refused, Bytes body) {
                      auto input = std::make_unique<Controller::Input>();
                      input->bytes.assign(body.begin(), body.end());
                      input->event = core::PeerReply{.peer = call.request.peer,
                                                     .api_key = call.request.api_key,
                                                     .api_version = call.request.api_version,
                                                     .token = call.request.token,
                                                     .failed = failed,
                                                     .refused = refused,
                                                     .highest_version = -1,
                                                     .body = input->bytes};
                      controllers_.at(call.from)->inputs.push_back(std::move(input));
                    },
                .closed =
                    [this](Id to, std::uint32_t connection) {
                      auto input = std::make_unique<Controller::Input>();
                      input->event = core::ConnectionClosed{{connection, 1, 0}};
                      controllers_.at(to)->inputs.push_back(std::move(input));
                    },
                .process =
                    [this](Id id) {
                      const auto at = controllers_.find(id);
                      return at == controllers_.end() || !at->second->node ? 0 : at->second->process;
                    }}) {
  for (const Id id : ids_up_to(options.voters + (options.changing ? 1 : 0))) {
    controllers_[id] = std::make_unique<Controller>(config_of(id), prng_.next());
    if (options.dynamic) put_bootstrap_snapshot(*controllers_[id]);
  }
}

core::NodeConfig QuorumWorld::config_of(Id id) const {
  core::NodeConfig config;
  config.node_id = NodeId{id};
  config.cluster_id = cluster_id;
  config.directory_id = directory_of(id);
  config.advertised = {endpoint_of(id)};
  if (!options_.dynamic) {
    for (const Id voter : ids_up_to(options_.voters)) {
      config.static_voters.push_back({NodeId{voter}, {}, {endpoint_of(voter)}, 0, 1});
    }
  }
  if (options_.changing) {
    for (const Id server : ids_up_to(options_.voters + 1)) config.bootstrap_servers.push_back(endpoint_of(server));
    config.auto_join = options_.seed % 4 == 0;
  }
  config.fetch_timeout_ms = fetch_timeout_ms;
  config.snapshot_bytes = options_.snapshot_bytes;
  if (config.snapshot_bytes < config.fetch_snapshot_max_bytes) config.fetch_snapshot_max_bytes = 300;  // in several pieces
  config.random_seed = options_.seed * 100 + static_cast<std::uint64_t>(id);
  records::FeatureLevelRecord level;
  level.name = "metadata.version";
  level.feature_level = 30;
  records::append_frame(config.bootstrap_records.emplace_back(), level, 0);
  return config;
}

void QuorumWorld::put_bootstrap_snapshot(Controller& controller) {
  std::vector<core::Voter> voters;
  for (const Id id : ids_up_to(options_.voters)) voters.push_back({NodeId{id}, directory_of(id), {endpoint_of(id)}, 0, 1});
  core::WriteSnapshot snapshot{{Offset{0}, Epoch{0}}, 0, core::bootstrap_checkpoint(voters)};
  controller.log.write_snapshot(std::move(snapshot), 0);
  controller.log.take_completions(INT64_MAX);
}

// --- processes

void QuorumWorld::load(Controller& controller) {
  const auto note = [&](const std::expected<void, std::string>& loaded) {
    if (!loaded && !failure_) failure_ = "controller " + std::to_string(controller.config.node_id.value) + ": " + loaded.error();
  };
  const core::LogState state = controller.log.state();
  Offset from = state.start;
  if (const auto* snapshot = controller.log.newest_snapshot()) {
    for (const Buffer& piece : *snapshot) {  // one from a leader is all in one
      for (Bytes left = piece; !left.empty();) {
        const std::size_t size = parse_batch_header(left)->size();
        note(controller.node->load_snapshot(left.first(size)));
        left = left.subspan(size);
      }
    }
    from = state.snapshots.back().id.end;
  }
  for (const BatchPtr& batch : controller.log.batches()) {
    if (batch->base >= from) note(controller.node->load_batch(batch->bytes));
  }
}

void QuorumWorld::start(Controller& controller) {
  controller.restart_ns = INT64_MAX;
  controller.process = ++processes_;
  controller.config.random_seed += 1000;  // each process draws its own
  controller.config.incarnation_id = IncarnationId{Uuid{0x1c, controller.process}};
  controller.node = std::make_unique<core::Node>(controller.config, controller.log.state());
  controller.image_offset = -1;
  oracle_.restarted(controller.config.node_id.value);
  load(controller);
  core::Effects effects;
  controller.node->start({{now_ns_}, now_ns_ / ms}, effects);
  for (core::Effect& effect : effects) carry_out(controller, effect);
}

void QuorumWorld::crash(Controller& controller) {
  const Id id = controller.config.node_id.value;
  network_.process_ended(id, now_ns_);
  controller.node.reset();
  controller.log.crash();
  controller.inputs.clear();
  controller.timer_ns = INT64_MAX;
  controller.paused_until_ns = 0;
  std::erase_if(askers_, [&](const auto& entry) { return entry.first.first == id; });
}

void QuorumWorld::stop(Controller& controller) {
  auto input = std::make_unique<Controller::Input>();
  input->event = core::Stop{};
  controller.inputs.push_back(std::move(input));
  ++happenings_.stops;
}

// --- time

std::int64_t QuorumWorld::pick(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(high - low + 1)));
}

std::int64_t QuorumWorld::next_ns() const {
  std::int64_t next = std::min({network_.next_ns(), next_write_ns_, next_change_ns_, next_fault_ns_, mend_ns_});
  for (const auto& [id, controller] : controllers_) {
    next = std::min(next, controller->restart_ns);
    if (!controller->node) continue;
    std::int64_t wake = std::min(controller->timer_ns, controller->log.next_completion_ns());
    if (!controller->inputs.empty()) wake = now_ns_;
    next = std::min(next, std::max(wake, controller->paused_until_ns));
  }
  return std::max(next, now_ns_ + 1);
}

std::optional<std::string> QuorumWorld::violation() const { return failure_ ? failure_ : oracle_.violation(); }

std::optional<std::string> QuorumWorld::run() {
  for (auto& [id, controller] : controllers_) start(*controller);
  next_fault_ns_ = now_ns_ + pick(2000, 4000) * ms;
  if (options_.changing) next_change_ns_ = next_fault_ns_;
  const std::int64_t healing_ns = now_ns_ + options_.faults_ms * ms;
  const std::int64_t end_ns = healing_ns + 20'000 * ms;
  while (now_ns_ < end_ns) {
    if (!healing_ && now_ns_ >= healing_ns) heal();
    now_ns_ = std::min(next_ns(), end_ns);
    run_due();
    if (auto broken = violation()) return "at " + std::to_string(now_ns_ / ms) + " ms: " + *broken;
  }
  happenings_.elections = oracle_.leaders();
  happenings_.records = static_cast<std::uint64_t>(oracle_.log().end());
  happenings_.drops = network_.dropped;
  happenings_.duplicates = network_.duplicated;
  happenings_.resets = network_.reset;
  happenings_.refused_dials = network_.refused;
  happenings_.timeouts = network_.timed_out;
  return check_healed();
}

void QuorumWorld::run_due() {
  if (now_ns_ >= next_fault_ns_) fault();
  if (now_ns_ >= mend_ns_) {
    mend_ns_ = INT64_MAX;
    network_.unblock_all();
    network_.faults = {};
    for (auto& [id, controller] : controllers_) controller->log.set_latency(100'000, 2 * ms);
  }
  if (now_ns_ >= next_write_ns_) write_something();
  if (now_ns_ >= next_change_ns_) change_voters();
  network_.deliver(now_ns_);
  for (auto& [id, controller] : controllers_) {
    if (now_ns_ >= controller->restart_ns) start(*controller);
    if (controller->node && now_ns_ >= controller->paused_until_ns) run_inputs(*controller);
  }
}

void QuorumWorld::run_inputs(Controller& controller) {
  const auto add = [&](core::Event event) {
    auto input = std::make_unique<Controller::Input>();
    input->event = std::move(event);
    controller.inputs.push_back(std::move(input));
  };
  for (core::Event& event : controller.log.take_completions(now_ns_)) {
    if (std::holds_alternative<core::QuorumStatePersisted>(event)) {
      const core::QuorumState& state = *controller.log.quorum_state();
      oracle_.persisted(controller.config.node_id.value, {state.epoch, state.leader, state.voted});
    }
    add(std::move(event));
  }
  if (controller.timer_ns <= now_ns_) {
    controller.timer_ns = INT64_MAX;
    add(core::Tick{});
  }
  while (!controller.inputs.empty() && controller.node) {
    const std::unique_ptr<Controller::Input> input = std::move(controller.inputs.front());
    controller.inputs.pop_front();
    step(controller, input->event);
  }
}

// --- steps

// As the process gets to see it: one that was paused finds a time's worth of fetches waiting.
void QuorumWorld::note_contact(const Controller& controller, const core::Event& event) {
  const auto* request = std::get_if<core::Request>(&event);
  if (request == nullptr) return;
  const Id id = controller.config.node_id.value;
  const auto asker = askers_.find({id, request->connection.slot});
  if (asker == askers_.end() || asker->second.id == 0) return;
  if (request->api_key == messages::FetchRequest::api_key || request->api_key == messages::FetchSnapshotRequest::api_key) {
    oracle_.fetch_reached(id, asker->second.id, now_ns_);
  }
}

void QuorumWorld::step(Controller& controller, const core::Event& event) {
  ++happenings_.steps;
  trace_.add(static_cast<std::uint64_t>(now_ns_));
  trace_.add(event.index());
  trace_.add(static_cast<std::uint64_t>(controller.config.node_id.value));
  if (std::getenv("HAYWARD_TRACE") != nullptr) {
    std::fprintf(stderr, "%lld c%d event %zu\n", static_cast<long long>(now_ns_ / 1000), controller.config.node_id.value, event.index());
  }
  note_contact(controller, event);
  core::Effects effects;
  controller.node->step({{now_ns_}, now_ns_ / ms}, event, effects);
  // What is now in the log is seen before what the step says about it.
  for (core::Effect& effect : effects) {
    if (std::holds_alternative<core::Append>(effect) || std::holds_alternative<core::Truncate>(effect)) carry_out(controller, effect);
  }
  look_at(controller);
  for (core::Effect& effect : effects) {
    if (!controller.node) break;
    if (!std::holds_alternative<core::Append>(effect) && !std::holds_alternative<core::Truncate>(effect)) carry_out(controller, effect);
  }
}

std::map<Id, DiskView> QuorumWorld::disks() const {
  std::map<Id, DiskView> views;
  for (const auto& [id, controller] : controllers_) {
    views[id] = {&controller->log.batches(), controller->log.flushed_end(), controller->log.start()};
  }
  return views;
}

void QuorumWorld::look_at(Controller& controller) {
  const core::NodeView view = controller.node->view();
  const core::Image& image = controller.node->image();
  NodeSight sight;
  sight.id = controller.config.node_id.value;
  sight.incarnation = controller.process;
  sight.epoch = view.epoch;
  sight.leader = view.leader;
  sight.leads = view.leader == controller.config.node_id;
  sight.high_watermark = view.high_watermark;
  sight.log_end = view.log_end;
  sight.image_offset = image.last_offset();
  if (!sight.leads && image.last_offset().value != controller.image_offset) {
    controller.image_offset = image.last_offset().value;
    controller.image_hash = image.hash();
    if (auto broken = core::check(image); broken && !failure_) failure_ = *broken;
  }
  if (sight.leads) controller.image_offset = -1;
  sight.image_hash = controller.image_hash;
  oracle_.stepped(sight, disks(), now_ns_);
}

void QuorumWorld::carry_out(Controller& controller, core::Effect& effect) {
  const Id id = controller.config.node_id.value;
  if (const auto* append = std::get_if<core::Append>(&effect)) {
    trace_.add(append->batch->bytes);
    controller.log.append(append->batch, now_ns_);
  } else if (const auto* persist = std::get_if<core::PersistQuorumState>(&effect)) {
    controller.log.persist(persist->state, persist->token, now_ns_);
  } else if (const auto* cut = std::get_if<core::Truncate>(&effect)) {
    ++happenings_.truncations;
    oracle_.truncates(id, controller.node->view().leader == controller.config.node_id, cut->end, disks().at(id));
    controller.log.truncate(cut->end);
  } else if (const auto* answer = std::get_if<core::Reply>(&effect)) {
    reply(controller, answer->connection, answer->bytes);
  } else if (const auto* records = std::get_if<core::ReplyWithRecords>(&effect)) {
    const Buffer slice = controller.log.read(records->from, records->to, records->max_bytes);
    reply(controller, records->connection, joined(records->head, slice, records->tail, records->compact_length));
  } else if (const auto* chunk = std::get_if<core::ReplyWithSnapshotBytes>(&effect)) {
    const Buffer slice = controller.log.read_snapshot(chunk->id, chunk->position, chunk->length);
    reply(controller, chunk->connection, joined(chunk->head, slice, chunk->tail, true));
  } else if (auto* send = std::get_if<core::SendToPeer>(&effect)) {
    trace_.add(send->body);
    oracle_.asked(id, id_of(*send), send->api_key, send->api_version, send->body, controller.log.flushed_end());
    network_.send(id, std::move(*send), now_ns_);
  } else if (const auto* snapshot = std::get_if<core::WriteSnapshot>(&effect)) {
    controller.log.write_snapshot(*snapshot, now_ns_);
  } else if (auto* part = std::get_if<core::WriteSnapshotPart>(&effect)) {
    happenings_.snapshots_loaded += part->last;
    controller.log.write_snapshot_part(std::move(*part), now_ns_);
  } else if (const auto* timer = std::get_if<core::ArmTimer>(&effect)) {
    controller.timer_ns = timer->at.ns;
  } else if (const auto* failed = std::get_if<core::Fail>(&effect)) {
    if (!failure_) failure_ = "controller " + std::to_string(id) + ": " + failed->reason;
  } else if (const auto* line = std::get_if<core::LogLine>(&effect)) {
    if (std::getenv("HAYWARD_TRACE") != nullptr) {
      std::fprintf(stderr, "%lld c%d %s\n", static_cast<long long>(now_ns_ / 1000), id, line->text.c_str());
    }
    if (line->level == core::LogLine::Level::error && !failure_) failure_ = "controller " + std::to_string(id) + ": " + line->text;
  } else if (std::holds_alternative<core::Stopped>(effect)) {
    crash(controller);
    controller.restart_ns = now_ns_ + pick(100, 2000) * ms;
  }
}

void QuorumWorld::ask(Controller& controller, std::uint32_t connection, std::int16_t key, std::int16_t version, Bytes body,
                      Asker asker) {
  const Id id = controller.config.node_id.value;
  askers_[{id, connection}] = std::move(asker);
  auto input = std::make_unique<Controller::Input>();
  input->bytes.assign(body.begin(), body.end());
  input->listener = "CONTROLLER";
  core::Request request;
  request.connection = {connection, 1, 0};
  request.api_key = key;
  request.api_version = version;
  request.correlation_id = 7;
  request.client_id = "sim";
  request.body = input->bytes;
  request.arrival = {now_ns_};
  request.listener = input->listener;
  input->event = request;
  controller.inputs.push_back(std::move(input));
}

void QuorumWorld::reply(Controller& controller, core::ConnectionId connection, Bytes frame) {
  const Id id = controller.config.node_id.value;
  const auto at = askers_.find({id, connection.slot});
  if (at == askers_.end()) return;  // a doubled request's second answer
  const Asker asker = std::move(at->second);
  askers_.erase(at);
  const Bytes body = body_of(frame, asker.api_key, asker.version);
  trace_.add(body);
  if (asker.id != 0) {
    oracle_.answered(id, asker.id, asker.api_key, asker.version, body);
    network_.answer(id, connection.slot, Buffer(body.begin(), body.end()), now_ns_);
    return;
  }
  client_answered(asker, body);
}

}  // namespace hayward::sim
