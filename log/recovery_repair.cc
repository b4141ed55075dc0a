// Recovery's second half: what is changed on disk once everything has been checked. Each step leaves a
// state from which recovery can start again.
#include <algorithm>
#include <utility>

#include "log/epoch_checkpoint.h"
#include "log/files.h"
#include "log/lost_data.h"
#include "log/recovery.h"

namespace hayward::log {
namespace {

constexpr std::string_view damaged_suffix = ".damaged";  // Kafka takes no notice of such names

}  // namespace

Step<Result<void>> Recovery::open_mark() {
  const std::string path = context_.path(flush_mark_name);
  const std::int32_t fd = co_await open_file(context_.port, path, O_RDWR | O_CREAT);
  if (fd < 0) co_return io_error(path, "to be opened", fd);
  out_.mark_file = context_.adopt(fd);
  // A mark that no longer tells the truth goes before the log is cut or begun anew.
  const bool untrue = scan_.mark_fit == Scan::MarkFit::beyond_end || scan_.mark_fit == Scan::MarkFit::contradicted;
  if (untrue || (mark_ && start_anew_)) co_return co_await write_mark(FlushMark());
  co_return Result<void>();
}

Step<Result<void>> Recovery::write_mark(FlushMark mark) {
  mark.sequence = mark_ ? mark_->sequence + 1 : 1;
  mark_ = out_.mark = mark;
  const FlushMarkSlot slot = encode_flush_mark(mark);
  const std::int32_t result = co_await write_fully(context_.port, out_.mark_file->fd(), slot,
                                                   flush_mark_offset(mark.sequence), true);
  if (result < 0) co_return io_error(context_.path(flush_mark_name), "to be written and synced", result);
  co_return Result<void>();
}

Step<Result<void>> Recovery::remove_segment(Offset base) {
  for (const std::string_view suffix : {log_suffix, index_suffix, time_index_suffix, producer_snapshot_suffix}) {
    const auto removed = co_await remove_file(context_.port, context_.path(segment_file_name(base, suffix)));
    if (!removed) co_return removed;
  }
  co_return co_await sync_directory(context_.port, context_.directory);
}

// From the last segment down, so that what a crash leaves has no hole.
Step<Result<void>> Recovery::cut_tail() {
  if (!scan_.fault) co_return Result<void>();
  for (auto base = scan_.beyond.rbegin(); base != scan_.beyond.rend(); ++base) {
    const auto removed = co_await remove_segment(*base);
    if (!removed) co_return removed;
  }
  const std::size_t count = scan_.segments.size();
  if (count > 1 && scan_.segments[count - 1].base != scan_.segments[count - 2].end) {
    const auto removed = co_await remove_segment(scan_.segments.back().base);
    if (!removed) co_return removed;
    scan_.segments.pop_back();
    co_return Result<void>();
  }
  const std::int32_t fd = co_await open_file(context_.port, scan_.fault->path, O_RDWR);
  if (fd < 0) co_return io_error(scan_.fault->path, "to be opened", fd);
  const std::int32_t result =
      co_await truncate_file(context_.port, fd, static_cast<std::uint64_t>(scan_.segments.back().size));
  co_await close_file(context_.port, fd);
  if (result < 0) co_return io_error(scan_.fault->path, "to be cut", result);
  co_return Result<void>();
}

Step<Result<void>> Recovery::start_at_snapshot() {
  while (start_anew_ && !scan_.segments.empty()) {
    const auto removed = co_await remove_segment(scan_.segments.back().base);
    if (!removed) co_return removed;
    scan_.segments.pop_back();
  }
  if (!scan_.segments.empty()) co_return Result<void>();
  scan_.epochs.clear();
  scan_.last = {};
  const Offset base = out_.snapshots.empty() ? Offset{0} : out_.snapshots.back().id.end;
  auto created = co_await create_segment(context_, base);
  if (!created) co_return std::unexpected(created.error());
  scan_.segments.push_back(std::move(*created));
  co_return Result<void>();
}

// Only what is known to be on stable storage counts as flushed, whoever wrote it.
Step<Result<void>> Recovery::sync_segments() {
  for (const Segment& segment : scan_.segments) {
    const std::string path = context_.path(segment.file_name());
    const std::int32_t fd = co_await open_file(context_.port, path, O_RDWR);
    if (fd < 0) co_return io_error(path, "to be opened", fd);
    const std::int32_t result = co_await sync_file(context_.port, fd);
    co_await close_file(context_.port, fd);
    if (result < 0) co_return io_error(path, "to be synced", result);
  }
  co_return Result<void>();
}

Step<Result<void>> Recovery::settle_indexes() {
  for (Segment& segment : scan_.segments) {
    segment.index.finish();
    if (&segment == &scan_.segments.back()) break;
    if (auto r = co_await settle_index_file(segment.file_name(index_suffix), encode_index(segment.index.index())); !r)
      co_return r;
    if (auto r = co_await settle_index_file(segment.file_name(time_index_suffix), encode_time_index(segment.index.time_index())); !r)
      co_return r;
  }
  out_.segments.all = std::move(scan_.segments);
  out_.segments.log_start = out_.segments.all.front().base;
  Segment& active = out_.segments.active();
  if (const auto opened = co_await open_segment(context_, active); !opened) co_return opened;
  const std::int32_t result = co_await write_index_entries(context_, active);
  if (result < 0) co_return io_error(context_.path(active.file_name(index_suffix)), "to be written", result);
  co_return Result<void>();
}

// Leaves a right one alone.
Step<Result<void>> Recovery::settle_index_file(std::string name, Buffer content) {
  const std::string path = context_.path(name);
  const std::int64_t size = context_.port.file_size(path.c_str());
  if (size == static_cast<std::int64_t>(content.size())) {
    const auto found = co_await read_file(context_.port, path, size);
    if (found && *found && **found == content) co_return Result<void>();
  }
  const std::int32_t fd = co_await open_file(context_.port, path, O_WRONLY | O_CREAT | O_TRUNC);
  if (fd < 0) co_return io_error(path, "to be created", fd);
  const std::int32_t result = co_await write_fully(context_.port, fd, content, 0, false);
  co_await close_file(context_.port, fd);
  if (result < 0) co_return io_error(path, "to be written", result);
  co_return Result<void>();
}

bool Recovery::is_leftover(const std::string& name) const {
  for (const std::string_view suffix : {temporary_suffix, part_suffix, deleted_suffix, std::string_view(".cleaned")})
    if (name.ends_with(suffix)) return true;
  const Segments& kept = out_.segments;
  if (const auto id = parse_snapshot_file_name(name)) return id->end < kept.log_start;
  if (const auto base = parse_segment_file_name(name, producer_snapshot_suffix))
    return *base < kept.log_start || *base > kept.flushed_end();
  for (const std::string_view suffix : {index_suffix, time_index_suffix}) {
    const auto base = parse_segment_file_name(name, suffix);
    if (base) return std::none_of(kept.all.begin(), kept.all.end(), [&](const Segment& s) { return s.base == *base; });
  }
  return false;
}

Step<Result<void>> Recovery::remove_leftovers() {
  for (const std::string& name : names_) {
    if (!is_leftover(name)) continue;
    if (const auto removed = co_await remove_file(context_.port, context_.path(name)); !removed) co_return removed;
  }
  std::erase_if(out_.snapshots, [this](const Snapshot& s) { return s.id.end < out_.segments.log_start; });
  for (const Snapshot& snapshot : unusable_) {
    const std::string path = context_.path(snapshot_file_name(snapshot.id));
    const std::string aside = path + std::string(damaged_suffix);
    const std::int32_t result = co_await rename_file(context_.port, path, aside);
    if (result < 0) co_return io_error(path, "to be renamed to " + aside, result);
    out_.notes.push_back(path + " is damaged and was put aside as " + aside + "; an older snapshot and the log replace it");
  }
  co_return co_await sync_directory(context_.port, context_.directory);
}

// Before the flush mark forgets it.
Step<Result<void>> Recovery::settle_lost_data() {
  const std::string name(lost_data_name);
  if (out_.refetch_to > out_.segments.flushed_end()) {
    out_.notes.push_back("offsets up to " + std::to_string(out_.refetch_to.value) + " were given up here: one of several voters does not vote until it has them from a leader");
    co_return co_await replace_file(context_.port, context_.directory, name, to_buffer(render_lost_data(out_.refetch_to)));
  }
  out_.refetch_to = Offset{0};
  if (!names_.contains(name)) co_return Result<void>();
  if (const auto removed = co_await remove_file(context_.port, context_.path(name)); !removed) co_return removed;
  co_return co_await sync_directory(context_.port, context_.directory);
}

Step<Result<void>> Recovery::settle_small_files() {
  out_.epochs = scan_.epochs;
  if (!epochs_file_good_ || recorded_epochs_ != out_.epochs) {
    const auto replaced = co_await replace_file(context_.port, context_.directory, std::string(epoch_checkpoint_name),
                                                to_buffer(render_epoch_checkpoint(out_.epochs)));
    if (!replaced) co_return replaced;
  }
  if (auto r = co_await settle_lost_data(); !r) co_return r;
  if (partition_metadata_there_) co_return Result<void>();
  co_return co_await replace_file(context_.port, context_.directory, std::string(partition_metadata_name),
                                  to_buffer(render_partition_metadata(metadata_topic_id)));
}

}  // namespace hayward::log
