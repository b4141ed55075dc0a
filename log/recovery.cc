#include "log/recovery.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "log/epoch_checkpoint.h"
#include "log/files.h"
#include "log/lost_data.h"
#include "log/quorum_state.h"
#include "log/snapshot_check.h"

namespace hayward::log {

Step<Result<Recovered>> Recovery::run() {
  // Each part stops the whole at its first error.
  if (auto r = co_await lock(); !r) co_return std::unexpected(r.error());
  if (auto r = list(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await read_small_files(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await scan(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await check_snapshots(); !r) co_return std::unexpected(r.error());
  if (auto r = judge(); !r) co_return std::unexpected(r.error());

  if (auto r = co_await open_mark(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await cut_tail(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await start_at_snapshot(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await sync_segments(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await settle_indexes(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await remove_leftovers(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await settle_small_files(); !r) co_return std::unexpected(r.error());
  if (auto r = co_await write_mark(scan_.last); !r) co_return std::unexpected(r.error());
  co_return std::move(out_);
}

Step<Result<void>> Recovery::lock() {
  const std::string& parent = context_.options.directory;
  const std::int32_t directory = co_await open_file(context_.port, parent, O_RDONLY | O_DIRECTORY);
  if (directory < 0) {
    auto error = io_error(parent, "the metadata log directory", directory);
    if (directory == -ENOENT) error.error().advice = "format it first";
    co_return error;
  }
  co_await close_file(context_.port, directory);
  const std::string path = join_path(parent, lock_name);
  const std::int32_t fd = co_await open_file(context_.port, path, O_RDWR | O_CREAT);
  if (fd < 0) co_return io_error(path, "to be opened", fd);
  out_.lock_file = context_.adopt(fd);
  const int taken = context_.port.try_lock(fd);
  if (taken == -EAGAIN || taken == -EACCES)
    co_return std::unexpected(LogError{LogError::Kind::locked, path, "no other process to hold the lock", "that one does",
                                       "stop it, or use another directory"});
  if (taken < 0) co_return io_error(path, "to be locked", taken);
  co_return co_await ensure_directory(context_.port, context_.directory);
}

Result<void> Recovery::list() {
  int error = 0;
  const auto names = context_.port.list_directory(context_.directory.c_str(), error);
  if (error < 0) return io_error(context_.directory, "to be listed", error);
  names_.insert(names.begin(), names.end());
  return {};
}

Step<Result<void>> Recovery::read_small_files() {
  const std::string state_path = context_.path(quorum_state_name);
  const auto state = co_await read_file(context_.port, state_path);
  if (!state) co_return std::unexpected(state.error());
  if (*state) {
    auto parsed = parse_quorum_state(as_text(**state), state_path);
    if (!parsed) co_return std::unexpected(parsed.error());
    out_.quorum_state = std::move(*parsed);
  }
  const std::string metadata_path = context_.path(partition_metadata_name);
  const auto metadata = co_await read_file(context_.port, metadata_path);
  if (!metadata) co_return std::unexpected(metadata.error());
  if (*metadata && !(*metadata)->empty()) {
    const auto topic = parse_partition_metadata(as_text(**metadata), metadata_path);
    if (!topic) co_return std::unexpected(topic.error());
    if (*topic != metadata_topic_id)
      co_return std::unexpected(LogError{LogError::Kind::inconsistent, metadata_path,
                                         "topic id " + metadata_topic_id.to_string(), topic->to_string(),
                                         "this is not a metadata log: use another directory"});
    partition_metadata_there_ = true;
  }
  const std::string epochs_path = context_.path(epoch_checkpoint_name);
  const auto epochs = co_await read_file(context_.port, epochs_path);
  if (!epochs) co_return std::unexpected(epochs.error());
  // Only a help: what is wrong with it is put right from the log.
  if (*epochs) {
    if (auto parsed = parse_epoch_checkpoint(as_text(**epochs), epochs_path)) {
      recorded_epochs_ = std::move(*parsed);
      epochs_file_good_ = true;
    } else {
      out_.notes.push_back(parsed.error().to_line());
    }
  }
  const std::string lost_path = context_.path(lost_data_name);
  const auto lost = co_await read_file(context_.port, lost_path);
  if (!lost) co_return std::unexpected(lost.error());
  if (*lost) {
    const auto end = parse_lost_data(as_text(**lost), lost_path);
    if (!end) co_return std::unexpected(end.error());
    out_.refetch_to = *end;
  }
  const auto mark = co_await read_file(context_.port, context_.path(flush_mark_name));
  if (!mark) co_return std::unexpected(mark.error());
  if (*mark) mark_ = decode_flush_mark(**mark);
  co_return Result<void>();
}

std::vector<Offset> Recovery::segment_bases() const {
  std::vector<Offset> bases;
  for (const std::string& name : names_)
    if (const auto base = parse_segment_file_name(name, log_suffix)) bases.push_back(*base);
  return bases;  // names of equal length: sorted by number
}

Step<Result<void>> Recovery::scan() {
  SegmentScanner scanner(context_, segment_bases(), mark_, recorded_epochs_);
  auto scanned = co_await scanner.run();
  if (!scanned) co_return std::unexpected(scanned.error());
  scan_ = std::move(*scanned);
  co_return Result<void>();
}

Step<Result<void>> Recovery::check_snapshots() {
  const Offset log_start = scan_.segments.empty() ? Offset{0} : scan_.segments.front().base;
  for (const std::string& name : names_) {
    const auto id = parse_snapshot_file_name(name);
    if (!id || id->end < log_start) continue;
    const std::int64_t size = context_.port.file_size(context_.path(name).c_str());
    if (size < 0) co_return io_error(context_.path(name), "a file size", size);
    out_.snapshots.push_back({*id, size, 0});
  }
  // The newest must be whole; if it is not, an older one does as long as the log covers the rest.
  std::optional<LogError> newest_fault;
  while (!out_.snapshots.empty()) {
    const Snapshot& newest = out_.snapshots.back();
    const auto header = co_await check_snapshot(context_.port, context_.path(snapshot_file_name(newest.id)), newest.size,
                                                newest.id.epoch, true);
    if (header) {
      out_.snapshots.back().last_contained_wall_ms = *header;
      break;
    }
    if (!newest_fault) newest_fault = header.error();
    unusable_.push_back(out_.snapshots.back());
    out_.snapshots.pop_back();
  }
  const Offset covered = out_.snapshots.empty() ? Offset{0} : out_.snapshots.back().id.end;
  if (newest_fault && (covered < log_start || scan_.end < unusable_.front().id.end))
    co_return std::unexpected(std::move(*newest_fault));
  for (Snapshot& snapshot : out_.snapshots) {
    if (&snapshot == &out_.snapshots.back()) break;
    const auto header = co_await check_snapshot(context_.port, context_.path(snapshot_file_name(snapshot.id)), snapshot.size,
                                                snapshot.id.epoch, false);
    if (header) snapshot.last_contained_wall_ms = *header;
    else out_.notes.push_back(header.error().to_line());
  }
  if (log_start > Offset{0} && covered < log_start)
    co_return std::unexpected(LogError{LogError::Kind::inconsistent, context_.directory,
                                       "a snapshot that ends at or after the log's start, offset " + std::to_string(log_start.value),
                                       "none", "restore the *.checkpoint files from a backup"});
  co_return Result<void>();
}

Result<void> Recovery::judge() {
  const auto lost = scan_.lost_until(mark_);
  const Snapshot* newest = out_.snapshots.empty() ? nullptr : &out_.snapshots.back();
  const bool covered = newest && lost && *lost <= newest->id.end;
  if (lost && !covered && !context_.options.accept_data_loss) return damage(*lost);
  const std::string range = "offsets from " + std::to_string(scan_.end.value);
  if (lost && !covered) {
    out_.refetch_to = std::max(out_.refetch_to, *lost);
    out_.notes.push_back("acknowledged data was given up as ordered: " + range + " to " + std::to_string(lost->value) +
                         (scan_.fault ? ", " + scan_.fault->path + " at byte " + std::to_string(scan_.fault->position) : ""));
  } else if (scan_.fault) {
    out_.notes.push_back(scan_.fault->path + " cut at byte " + std::to_string(scan_.fault->position) + " (" + range +
                         "): the last write before the end of the process was torn: expected " + scan_.fault->expected + ", found " +
                         scan_.fault->found);
  }
  if (newest) {
    const Epoch last_epoch = scan_.epochs.empty() ? Epoch{0} : scan_.epochs.back().epoch;
    start_anew_ = !scan_.segments.empty() &&
                  (newest->id.epoch > last_epoch || (newest->id.epoch == last_epoch && newest->id.end > scan_.end));
  }
  return {};
}

std::unexpected<LogError> Recovery::damage(Offset until) const {
  LogError error;
  error.kind = LogError::Kind::damaged;
  error.path = context_.directory;
  error.expected = "whole batches up to offset " + std::to_string(until.value);
  if (scan_.mark_fit == Scan::MarkFit::beyond_end) error.expected += " (flush mark: " + std::to_string(mark_->end.value) + ")";
  error.found = "the log to end at offset " + std::to_string(scan_.end.value);
  if (scan_.fault) {
    error.path = scan_.fault->path;
    error.found += ", at byte " + std::to_string(scan_.fault->position) + ": expected " + scan_.fault->expected + ", found " +
                   scan_.fault->found;
    if (scan_.fault->valid_again_at >= 0)
      error.found += "; valid again at byte " + std::to_string(scan_.fault->valid_again_at);
  }
  error.advice = "offsets " + std::to_string(scan_.end.value) + " to " + std::to_string(until.value - 1) +
                 " are lost here: run once with --accept-data-loss. One of several voters then takes no part in elections until a leader "
                 "has given them back; for the only one they are gone, if no backup has them";
  return std::unexpected(std::move(error));
}

}  // namespace hayward::log
