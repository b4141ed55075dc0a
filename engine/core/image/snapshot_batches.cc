// See snapshot_batches.h.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/snapshot_batches.h"

#include <utility>

#include "schemas/batch/control.h"

namespace hayward::core {
namespace {

records::VotersRecord to_record(const std::vector<Voter>& voters, Arena& arena) {
  records::VotersRecord record;
  for (const Voter& voter : voters) {
    records::VotersRecord::Voter& to = record.voters.push_back(arena);
    to.voter_id = voter.id;
    to.voter_directory_id = voter.directory;
    for (const Endpoint& e : voter.endpoints) to.endpoints.push_back(arena, {e.listener, e.host, e.port});
    to.kraft_version_feature = {voter.min_kraft_version, voter.max_kraft_version};
  }
  return record;
}

}  // namespace

void SnapshotBatches::add_header() {
  batch_.emplace(next_offset_, meta_.epoch, meta_.now_wall_ms, BatchKind::control);
  records::SnapshotHeaderRecord header;
  header.last_contained_log_timestamp = meta_.last_contained_wall_ms;
  add_control(*batch_, header);
  if (meta_.kraft_version >= 1) {
    Arena arena;
    records::KRaftVersionRecord kraft_version;
    kraft_version.kraft_version = meta_.kraft_version;
    add_control(*batch_, kraft_version);
    add_control(*batch_, to_record(meta_.voters, arena));
  }
  finish_batch();
}

void SnapshotBatches::add_footer() {
  finish_batch();
  batch_.emplace(next_offset_, meta_.epoch, meta_.now_wall_ms, BatchKind::control);
  add_control(*batch_, records::SnapshotFooterRecord{});
  finish_batch();
}

std::vector<Buffer> SnapshotBatches::take() {
  finish_batch();
  return std::exchange(batches_, {});
}

void SnapshotBatches::make_room(std::size_t size) {
  if (batch_ && (static_cast<std::size_t>(batch_->count()) == snapshot_records_per_batch ||
                 batch_->size() + batch_->size_of_next(size) > max_batch_bytes)) {
    finish_batch();
  }
  if (!batch_) batch_.emplace(next_offset_, meta_.epoch, meta_.now_wall_ms);
}

void SnapshotBatches::finish_batch() {
  if (!batch_) return;
  next_offset_ = batch_->next_offset();
  batches_.push_back(batch_->finish());
  batch_.reset();
}

}  // namespace hayward::core
