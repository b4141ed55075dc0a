// See commit.h.
#include "engine/core/commit.h"

#include "engine/core/activation.h"
#include "engine/core/control/fetch.h"
#include "schemas/batch/batch_reader.h"

namespace hayward::core {
namespace {

// False: the node has failed.
bool replay_batch(NodeState& node, const EncodedBatch& batch, Effects& out) {
  const auto header = parse_batch_header(batch.bytes);
  RecordIterator records(*header, batch.bytes);
  while (const auto record = records.next()) {
    if (header->is_control()) {
      node.image.advance(record->offset);
      continue;
    }
    const auto replayed = node.image.replay(record->value.value_or(Bytes{}), record->offset);
    if (replayed) continue;
    node.fail("a record of the metadata log cannot be applied: " + replayed.error().to_string(), out);
    return false;
  }
  if (records.error()) {
    node.fail("metadata log, batch at offset " + std::to_string(batch.base.value) + ": " +
                  std::string(name(*records.error())),
              out);
    return false;
  }
  node.image_end = Offset{batch.last.value + 1};
  node.last_append_wall_ms = batch.append_wall_ms;
  node.snapshotter.appended(batch.bytes.size());
  return true;
}

}  // namespace

void replay_tail(NodeState& node, Offset end, Effects& out) {
  for (const BatchPtr& batch : node.tail.batches()) {
    if (batch->last >= end) break;
    if (batch->base >= node.image_end && !replay_batch(node, *batch, out)) return;
  }
}

void settle_committed(NodeState& node, const Time& now, Effects& out) {
  raft::Leader* leader = node.quorum.leading();
  if (node.committed <= node.settled || node.failed) return;
  node.settled = node.committed;
  node.heard_high_watermark = true;
  node.voters.note_committed(node.committed);
  node.image.set_committed(Offset{node.committed.value - 1});
  if (leader == nullptr) {
    replay_tail(node, node.committed, out);
    if (node.failed) return;
  }
  node.tail.committed(node.committed);
  // Before any answer that waited for it: who may do what is known as it is committed.
  if (node.authorizer.catch_up(node.image.take_committed_acls())) {
    out.push_back(PublishClusterAccess{node.authorizer.published()});
  }
  node.published_features.committed(node.committed, node.image.features());
  if (leader == nullptr) {
    node.snapshotter.release(node.committed, out);
    return;
  }
  node.parked.release(node.committed, out);
  answer_fetches(node, node.fetches.take_behind(node.committed), out);
  node.snapshotter.release(node.committed, out);
  if (!node.active && !node.stopping) activate(node, now, out);
}

}  // namespace hayward::core
