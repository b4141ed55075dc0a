// See append.h.
#include "engine/core/append.h"

#include <memory>
#include <utility>

#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/end_transaction_record.h"
#include "schemas/records/frame.h"

namespace hayward::core {
namespace {

// What a record takes beside its value: lengths, deltas and counts, at their longest.
constexpr std::size_t max_record_overhead = 20;

bool fits_one_batch(const NodeState& node, const RecordList& records) {
  const std::size_t most = batch_format::records_at + records.total_bytes() + records.size() * max_record_overhead;
  return records.size() <= max_records_per_batch && most <= static_cast<std::size_t>(node.config.max_batch_bytes);
}

void append_batch(NodeState& node, BatchBuilder batch, BatchKind kind, const Time& now, Effects& out) {
  auto encoded = std::make_shared<EncodedBatch>();
  encoded->base = node.log.end();
  encoded->last = Offset{batch.next_offset().value - 1};
  encoded->epoch = node.quorum.epoch();
  encoded->append_wall_ms = now.wall_ms;
  encoded->control = kind == BatchKind::control;
  encoded->bytes = batch.finish();
  node.snapshotter.appended(encoded->bytes.size());
  node.last_append_wall_ms = now.wall_ms;
  node.image_end = Offset{encoded->last.value + 1};
  out.push_back(Append{encoded});
  raft::Turn turn = node.raft_turn(now, out);
  raft::batch_appended(turn, std::move(encoded));
}

// False: the node has failed.
bool replay(NodeState& node, std::span<const Bytes> frames, Effects& out) {
  Offset offset = node.log.end();
  for (const Bytes frame : frames) {
    if (const auto replayed = node.image.replay(frame, offset); !replayed) {
      node.fail("a record of our own cannot be applied: " + replayed.error().to_string(), out);
      return false;
    }
    offset = Offset{offset.value + 1};
  }
  return true;
}

template <class Record>
Buffer frame_of(const Record& record) {
  Buffer frame;
  records::append_frame(frame, record, Record::max_version);
  return frame;
}

}  // namespace

RecordList new_records(const NodeState& node) {
  const Features& features = node.image.features();
  return RecordList(node.log.end(), features.metadata_version().value_or(minimum_metadata_version),
                    features.elr_enabled());
}

HandlerContext handler_context(NodeState& node, const RequestContext& request) {
  return {node.image, node.config, request, node.log.end(), node.arena, node.prng,
          node.authorizer, node.broker_work.ineligible(), node.broker_work.lost_directories()};
}

void append_frames(NodeState& node, std::span<const Bytes> frames, const Time& now, Effects& out) {
  if (frames.empty() || !replay(node, frames, out)) return;
  BatchBuilder batch(node.log.end(), node.quorum.epoch(), now.wall_ms);
  for (const Bytes frame : frames) {
    const bool full =
        static_cast<std::size_t>(batch.count()) == max_records_per_batch ||
        batch.size() + batch.size_of_next(frame.size()) > static_cast<std::size_t>(node.config.max_batch_bytes);
    if (full && !batch.empty()) {
      append_batch(node, std::move(batch), BatchKind::data, now, out);
      batch = BatchBuilder(node.log.end(), node.quorum.epoch(), now.wall_ms);
    }
    batch.add(std::nullopt, frame);
  }
  append_batch(node, std::move(batch), BatchKind::data, now, out);
}

ErrorCode append_records(NodeState& node, const RecordList& records, const Time& now, Effects& out) {
  std::vector<Bytes> frames;
  frames.reserve(records.size() + 2);
  for (std::size_t i = 0; i < records.size(); ++i) frames.push_back(records[i]);
  if (!records.atomic() || fits_one_batch(node, records)) {
    append_frames(node, frames, now, out);
    return ErrorCode::none;
  }
  if (!records.metadata_version().transactions()) return ErrorCode::policy_violation;
  const Buffer begin = frame_of(records::BeginTransactionRecord{});
  const Buffer end = frame_of(records::EndTransactionRecord{});
  frames.insert(frames.begin(), begin);
  frames.push_back(end);
  append_frames(node, frames, now, out);
  return ErrorCode::none;
}

void append_control_batch(NodeState& node, BatchBuilder batch, const Time& now, Effects& out) {
  node.image.advance(Offset{batch.next_offset().value - 1});
  append_batch(node, std::move(batch), BatchKind::control, now, out);
}

}  // namespace hayward::core
