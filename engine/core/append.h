// Decide -> records -> replay -> log: the one way in which the metadata changes. What is appended is in the
// image at once; who told of it waits for its commit.
// Owner: the node. Shard 0.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/core/control/context.h"
#include "engine/core/effect.h"
#include "engine/core/node_state.h"
#include "engine/core/records.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

// Kafka's bound for one batch, beside its bytes.
inline constexpr std::size_t max_records_per_batch = 10'000;

// An empty list for what is decided next: it knows its first offset and what the features allow.
RecordList new_records(const NodeState& node);
// For work that no request asked for; `request` must outlive what is returned.
HandlerContext handler_context(NodeState& node, const RequestContext& request);

// Replays the records and appends them. An atomic list goes as one batch, or where it does not fit, between
// transaction records; any other may be cut into several batches. Errors, with nothing written:
// policy_violation (an atomic list that fits no batch, at a metadata.version without transactions). A record that
// cannot be replayed ends the node (`failed`).
ErrorCode append_records(NodeState& node, const RecordList& records, const Time& now, Effects& out);

// The same for framed records from elsewhere (bootstrap), cut where they must be.
void append_frames(NodeState& node, std::span<const Bytes> frames, const Time& now, Effects& out);

// Work of the node's own: `add_records(context, records)` decides, then it is appended.
template <class AddRecords>
void write_own(NodeState& node, const Time& now, Effects& out, AddRecords&& add_records) {
  RequestContext request;
  request.now = now;
  RecordList records = new_records(node);
  add_records(handler_context(node, request), records);
  append_records(node, records, now, out);
  node.arena.reset();
}

// A control batch of this epoch, whose records the voter history knows of already.
void append_control_batch(NodeState& node, BatchBuilder batch, const Time& now, Effects& out);

}  // namespace hayward::core
