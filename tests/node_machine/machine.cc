// See machine.h.
#include "tests/node_machine/machine.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "tests/node_machine/bootstrap_checkpoint.h"

namespace hayward::core {
namespace {

Buffer feature(std::string_view name, std::int16_t level) {
  records::FeatureLevelRecord record;
  record.name = name;
  record.feature_level = level;
  Buffer frame;
  records::append_frame(frame, record, 0);
  return frame;
}

}  // namespace

LogState Disk::state() const {
  LogState state;
  state.start = start;
  state.end = end();
  for (const BatchPtr& batch : batches) {
    if (state.epochs.empty() || state.epochs.back().epoch != batch->epoch)
      state.epochs.push_back({batch->epoch, batch->base});
  }
  for (const Snapshot& snapshot : snapshots) state.snapshots.push_back({snapshot.id, 100});
  state.quorum_state = quorum_state;
  state.refetch_to = refetch_to;
  return state;
}

Machine::Machine(const MachineOptions& options) {
  config.node_id = NodeId{1};
  config.cluster_id = test_cluster;
  config.directory_id = DirectoryId{Uuid{0xd1, 0xd1}};
  config.incarnation_id = IncarnationId{Uuid{0x1c, 1}};
  config.advertised = {{"CONTROLLER", "host-1", 9093, 0}};
  config.bootstrap_source = "bootstrap.checkpoint";
  config.snapshot_bytes = options.snapshot_bytes;
  config.snapshot_interval_ms = options.snapshot_interval_ms;
  config.bootstrap_records = {feature("metadata.version", options.metadata_version)};
  if (options.bootstrap_features) {
    for (const char* name : {"eligible.leader.replicas.version", "group.version", "share.version", "streams.version"}) {
      config.bootstrap_records.push_back(feature(name, 1));
    }
    config.bootstrap_records.push_back(feature("transaction.version", 2));
  }
  if (options.format == Format::static_voters || options.voters > 1) {
    for (int id = 1; id <= options.voters; ++id) {
      config.static_voters.push_back(
          {NodeId{id}, {}, {{"CONTROLLER", "host-" + std::to_string(id), 9093, 0}}, 0, 1});
    }
  }
  if (config.static_voters.empty()) {
    disk.snapshots.push_back({raft::bootstrap_snapshot,
                              bootstrap_checkpoint({{config.node_id, config.directory_id, config.advertised, 0, 1}})});
  }
}

std::expected<void, std::string> Machine::boot() {
  effects_.clear();
  answers_.clear();
  to_persist_.clear();
  to_write_.clear();
  asked_.clear();
  armed_ = mono_never;
  stopped_ = false;
  failure_.clear();
  node_ = std::make_unique<Node>(config, disk.state());
  Offset from = disk.start;
  if (!disk.snapshots.empty()) {
    for (const Buffer& batch : disk.snapshots.back().batches) {
      if (auto loaded = node_->load_snapshot(batch); !loaded) return loaded;
    }
    from = disk.snapshots.back().id.end;
  }
  for (const BatchPtr& batch : disk.batches) {
    if (batch->base < from) continue;
    if (auto loaded = node_->load_batch(batch->bytes); !loaded) return loaded;
  }
  return {};
}

std::expected<void, std::string> Machine::restart() {
  while (!disk.batches.empty() && disk.batches.back()->last >= disk.flushed) disk.batches.pop_back();
  return boot();
}

void Machine::bring_up() {
  HAYWARD_ASSERT(boot().has_value(), "the test's log loads");
  start();
  settle();
}

void Machine::bring_up_again() {
  HAYWARD_ASSERT(restart().has_value(), "the test's log loads");
  start();
  settle();
}

void Machine::start() {
  effects_.clear();
  node_->start(now_, effects_);
  carry_out();
}

void Machine::step(const Event& event) {
  effects_.clear();
  node_->step(now_, event, effects_);
  carry_out();
}

void Machine::flush() {
  disk.flushed = disk.end();
  step(Flushed{disk.flushed});
}

void Machine::persist() {
  HAYWARD_ASSERT(!to_persist_.empty(), "quorum-state was asked for");
  const PersistQuorumState asked = to_persist_.front();
  to_persist_.erase(to_persist_.begin());
  disk.quorum_state = asked.state;
  step(QuorumStatePersisted{asked.token});
}

void Machine::settle() {
  while (failure_.empty() && !stopped_) {
    if (!to_persist_.empty()) {
      persist();
    } else if (disk.flushed < disk.end()) {
      flush();
    } else if (!to_write_.empty()) {
      write_snapshot();
    } else {
      break;
    }
  }
}

void Machine::write_snapshot() {
  WriteSnapshot order = std::move(to_write_.front());
  to_write_.erase(to_write_.begin());
  if (order.begins) part_ = {};
  part_.id = order.id;
  std::ranges::move(order.batches, std::back_inserter(part_.batches));
  if (!order.ends) return step(SnapshotChunkWritten{order.id});
  disk.snapshots.push_back(std::exchange(part_, {}));
  step(SnapshotWritten{order.id, true, 100});
}

void Machine::pass_ms(std::int64_t ms) {
  const MonoTime until = now_.mono + ms_to_ns(ms);
  const std::int64_t wall_end = now_.wall_ms + ms;
  Effects all;
  effects_.clear();
  while (armed_ <= until) {
    now_.wall_ms += (armed_ - now_.mono) / ms_to_ns(1);
    now_.mono = armed_;
    armed_ = mono_never;
    step(Tick{});
    all.insert(all.end(), effects_.begin(), effects_.end());
  }
  effects_ = std::move(all);
  now_ = {until, wall_end};
}

void Machine::ask_bytes(std::uint32_t slot, std::int16_t api_key, std::int16_t version, Bytes body) {
  Request request;
  request.connection = {slot, 1, 0};
  request.api_key = api_key;
  request.api_version = version;
  request.correlation_id = ++last_correlation_id_;
  request.client_id = "test";
  request.body = body;
  request.arrival = now_.mono;
  request.listener = "CONTROLLER";
  answers_[slot] = {};
  answers_[slot].api_key = api_key;
  answers_[slot].version = version;
  answers_[slot].correlation_id = request.correlation_id;
  step(request);
}

const Machine::Answer* Machine::find_answer(std::uint32_t slot) const {
  const auto at = answers_.find(slot);
  return at == answers_.end() ? nullptr : &at->second;
}

SendToPeer Machine::take_asked(NodeId peer, std::int16_t api_key) {
  const auto at = std::find_if(asked_.begin(), asked_.end(),
                               [&](const SendToPeer& s) { return s.peer == peer && s.api_key == api_key; });
  HAYWARD_ASSERT(at != asked_.end(), "the peer was asked");
  SendToPeer asked = std::move(*at);
  asked_.erase(at);
  return asked;
}

void Machine::peer_fails(NodeId peer, std::int16_t api_key, bool refused) {
  const SendToPeer asked = take_asked(peer, api_key);
  step(PeerReply{.peer = peer, .api_key = asked.api_key, .api_version = asked.api_version, .token = asked.token,
                 .failed = true, .refused = refused, .highest_version = -1, .body = {}});
}

void Machine::carry_out() {
  for (Effect& effect : effects_) {
    add_to_trace(trace_, effect);
    take(effect);
  }
}

Buffer Machine::records(const ReplyWithRecords& reply) const {
  Buffer bytes;
  for (const BatchPtr& batch : disk.batches) {
    if (batch->last < reply.from || batch->base >= reply.to) continue;
    const bool full = bytes.size() + batch->bytes.size() > static_cast<std::size_t>(reply.max_bytes);
    if (!bytes.empty() && full) break;
    bytes.insert(bytes.end(), batch->bytes.begin(), batch->bytes.end());
  }
  return bytes;
}

void Machine::put_in(ConnectionId connection, const Buffer& head, Bytes slice, const Buffer& tail) {
  Buffer length(uvarint_size(slice.size() + 1));
  Writer(length).write_uvarint(slice.size() + 1);
  Buffer bytes = head;
  bytes.insert(bytes.end(), length.begin(), length.end());
  bytes.insert(bytes.end(), slice.begin(), slice.end());
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  Answer& answer = answers_.at(connection.slot);
  answer.answered = true;
  answer.record_bytes = slice.size();
  answer.bytes = std::move(bytes);
}

void Machine::take(Effect& effect) {
  if (auto* append = std::get_if<Append>(&effect)) {
    HAYWARD_ASSERT(append->batch->base == disk.end(), "batches come in order");
    disk.batches.push_back(append->batch);
  } else if (auto* persist_state = std::get_if<PersistQuorumState>(&effect)) {
    to_persist_.push_back(*persist_state);
  } else if (auto* reply = std::get_if<Reply>(&effect)) {
    Answer& answer = answers_.at(reply->connection.slot);
    HAYWARD_ASSERT(!answer.answered, "one answer for one request");
    answer.answered = true;
    answer.bytes = reply->bytes;
  } else if (auto* with_records = std::get_if<ReplyWithRecords>(&effect)) {
    put_in(with_records->connection, with_records->head, records(*with_records), with_records->tail);
  } else if (auto* with_snapshot = std::get_if<ReplyWithSnapshotBytes>(&effect)) {
    const Buffer zeros(static_cast<std::size_t>(with_snapshot->length));
    put_in(with_snapshot->connection, with_snapshot->head, zeros, with_snapshot->tail);
  } else if (auto* close = std::get_if<CloseConnection>(&effect)) {
    answers_.at(close->connection.slot).closed = true;
  } else if (auto* write = std::get_if<WriteSnapshot>(&effect)) {
    to_write_.push_back(*write);
  } else if (auto* send = std::get_if<SendToPeer>(&effect)) {
    asked_.push_back(*send);
  } else if (auto* cut = std::get_if<Truncate>(&effect)) {
    while (!disk.batches.empty() && disk.batches.back()->base >= cut->end) disk.batches.pop_back();
    disk.flushed = std::min(disk.flushed, cut->end);
  } else if (auto* arm = std::get_if<ArmTimer>(&effect)) {
    armed_ = arm->at;
  } else if (auto* fail = std::get_if<Fail>(&effect)) {
    failure_ = fail->reason;
  } else if (std::holds_alternative<Stopped>(effect)) {
    stopped_ = true;
  }
}

}  // namespace hayward::core
