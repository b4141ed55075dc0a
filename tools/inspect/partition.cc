// __cluster_metadata-0: all its files, and whether they fit together.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "log/names.h"
#include "tools/inspect/inspector.h"

namespace hayward::tools {
namespace {

std::string number(auto id) { return std::to_string(id.value); }

// The names in a directory, sorted; so that segments come by offset.
std::set<std::string> names_in(Printer& printer, const std::string& path) {
  std::set<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    names.insert(it->path().filename());
  if (error) printer.fault({path, 0, "to be listed", error.message()});
  return names;
}

// Holds an offset index against the batches that the walk finds: an entry must name where a batch begins,
// and not one above the entry's offset.
class IndexCheck {
 public:
  IndexCheck(Printer& printer, std::string path, Offset base, std::vector<log::IndexEntry> entries)
      : printer_(printer), path_(std::move(path)), base_(base), entries_(std::move(entries)) {}

  void visit(const BatchHeader& header, std::int64_t position) {
    end_ = position + static_cast<std::int64_t>(header.size());
    for (; at_ < entries_.size() && entries_[at_].position < end_; ++at_) {
      const log::IndexEntry& entry = entries_[at_];
      if (entry.position < position) continue;  // in a place that is damaged
      if (entry.position != position)
        fault("a position where a batch begins, such as " + std::to_string(position), std::to_string(entry.position));
      else if (header.base_offset.value > base_.value + entry.relative)
        fault("an offset of the batch at byte " + std::to_string(position) + ", " + number(header.base_offset) + " or more",
              std::to_string(base_.value + entry.relative));
    }
  }
  void finish() {
    if (at_ < entries_.size())
      fault("positions below the log's end at byte " + std::to_string(end_), std::to_string(entries_[at_].position));
  }

 private:
  void fault(std::string expected, std::string found) {
    printer_.fault({path_, static_cast<std::int64_t>(at_ * log::index_entry_bytes), std::move(expected), std::move(found)});
  }

  Printer& printer_;
  std::string path_;
  Offset base_;
  std::vector<log::IndexEntry> entries_;
  std::size_t at_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace

struct Inspector::Partition {
  std::string path;
  bool live = false;
  std::set<std::string> names;
  std::set<std::string> told;
  std::vector<core::EpochStart> recorded;       // leader-epoch-checkpoint
  std::optional<log::FlushMark> mark;
  std::string mark_fit;                         // "fits", "contradicted"; empty: no batch at its place was seen
  std::vector<core::SnapshotId> snapshots;
  std::vector<Offset> bases;
  std::int64_t damaged = 0;                     // segments
  LogPosition log;

  bool has(std::string_view name) const { return names.contains(std::string(name)); }
  // The path of a file that is being told.
  std::string tell(std::string_view name) {
    told.emplace(name);
    return log::join_path(path, name);
  }
  void compare_mark(const BatchHeader& header) {
    const Offset end = log::end_of(header);
    if (!mark || !mark_fit.empty() || end < mark->end || header.base_offset >= mark->end) return;
    const bool same = end == mark->end && header.epoch == mark->epoch && header.crc == mark->batch_crc;
    mark_fit = same ? "fits" : "contradicted";
  }
};

void Inspector::partition(const std::string& path, bool live) {
  Partition partition;
  partition.path = path;
  partition.live = live;
  partition.mark = read_flush_mark(log::join_path(path, log::flush_mark_name));
  partition.names = names_in(printer_, path);
  for (const std::string& name : partition.names) {
    if (const auto base = log::parse_segment_file_name(name, log::log_suffix)) partition.bases.push_back(*base);
    if (const auto id = log::parse_snapshot_file_name(name)) partition.snapshots.push_back(*id);
  }
  named_files(partition);
  // Offsets in a snapshot are its own: a limit on offsets means the log's.
  for (const core::SnapshotId& id : partition.snapshots)
    checkpoint_file(partition.tell(log::snapshot_file_name(id)), records_ && !selection_.offsets_limited(), live);
  segments(partition);
  judge_epochs(partition);
  judge_mark(partition);
  other_files(partition);
  summary(partition);
}

void Inspector::named_files(Partition& partition) {
  if (partition.has(log::quorum_state_name)) inspect_quorum_state(printer_, partition.tell(log::quorum_state_name));
  if (partition.has(log::epoch_checkpoint_name))
    partition.recorded = inspect_epoch_checkpoint(printer_, partition.tell(log::epoch_checkpoint_name));
  if (partition.has(log::partition_metadata_name))
    inspect_partition_metadata(printer_, partition.tell(log::partition_metadata_name));
}

void Inspector::segments(Partition& partition) {
  for (const Offset base : partition.bases) {
    if (partition.log.next && *partition.log.next != base)
      printer_.fault({log::join_path(partition.path, log::segment_file_name(base, log::log_suffix)), 0,
                      "a segment that begins at offset " + number(*partition.log.next), "one at " + number(base)});
    partition.log.next = base;
    segment(partition, base);
  }
  if (partition.bases.empty() || partition.bases.front() == Offset{0}) return;
  const Offset start = partition.bases.front();
  if (std::ranges::none_of(partition.snapshots, [&](const core::SnapshotId& id) { return id.end >= start; }))
    printer_.fault({partition.path, 0, "a snapshot up to offset " + number(start) + " or later, where the log begins", "none"});
}

void Inspector::segment(Partition& partition, Offset base) {
  const auto name = [&](std::string_view suffix) { return log::segment_file_name(base, suffix); };
  // Before the log: whatever they name is there then.
  std::vector<log::IndexEntry> entries;
  const std::string index = log::join_path(partition.path, name(log::index_suffix));
  if (partition.has(name(log::index_suffix))) entries = inspect_index(printer_, partition.tell(name(log::index_suffix)), false);
  if (partition.has(name(log::time_index_suffix))) inspect_time_index(printer_, partition.tell(name(log::time_index_suffix)), false);
  IndexCheck check(printer_, index, base, std::move(entries));
  const Walked walked = segment_file(partition.tell(name(log::log_suffix)), base, partition.log, records_, partition.live,
                                     [&](const BatchHeader& header, std::int64_t position) {
                                       check.visit(header, position);
                                       partition.compare_mark(header);
                                     });
  if (walked.faults > 0) ++partition.damaged;
  else check.finish();
}

// An epoch's start as recorded must be where its first batch is; the first ones may have moved up with the log's start.
void Inspector::judge_epochs(const Partition& partition) {
  std::map<Epoch, Offset> seen;
  for (std::size_t i = 1; i < partition.log.epochs.size(); ++i) seen[partition.log.epochs[i].epoch] = partition.log.epochs[i].start;
  for (std::size_t i = 1; i < partition.recorded.size(); ++i) {
    const core::EpochStart& entry = partition.recorded[i];
    if (const auto at = seen.find(entry.epoch); at != seen.end() && at->second != entry.start)
      printer_.fault({log::join_path(partition.path, log::epoch_checkpoint_name), 0,
                      "epoch " + number(entry.epoch) + " to begin at offset " + number(at->second), number(entry.start)});
  }
}

// A mark above the log's end means that flushed data is gone, unless a later epoch shows that the log was
// rightly cut since (Java does not keep the mark).
void Inspector::judge_mark(const Partition& partition) {
  if (!partition.has(log::flush_mark_name)) return;
  const std::string path = log::join_path(partition.path, log::flush_mark_name);
  const auto& mark = partition.mark;
  const Offset end = partition.log.next.value_or(Offset{0});
  std::string fit = partition.mark_fit;
  if (mark && fit.empty() && mark->end > end && partition.damaged == 0 && !partition.bases.empty()) {
    const auto later = [&](const core::EpochStart& entry) { return entry.epoch > mark->epoch && entry.start < mark->end; };
    if (std::ranges::any_of(partition.recorded, later) || std::ranges::any_of(partition.log.epochs, later)) {
      fit = "contradicted";
    } else {
      fit = "beyond the log's end";
      printer_.fault({path, 0, "the log to reach offset " + number(mark->end) + ", which was flushed", "its end at " + number(end)});
    }
  }
  inspect_flush_mark(printer_, path, mark, fit);
}

void Inspector::other_files(const Partition& partition) {
  for (const std::string& name : partition.names) {
    if (partition.told.contains(name) || name == log::flush_mark_name) continue;
    const std::string path = log::join_path(partition.path, name);
    if (name.ends_with(log::producer_snapshot_suffix)) {
      inspect_producer_snapshot(printer_, path);
      continue;
    }
    // Beside a running process it may belong to a segment that has just been made.
    if (!partition.live && (name.ends_with(log::index_suffix) || name.ends_with(log::time_index_suffix)))
      printer_.fault({path, 0, "a segment of the same offset beside it", "none"});
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    printer_.begin_file(path, "other");
    printer_.end_file(error ? Facts() : Facts().add("bytes", size));
  }
}

void Inspector::summary(const Partition& partition) {
  printer_.begin_file(partition.path, "metadata log");
  Facts facts;
  if (!partition.bases.empty()) facts.add("start_offset", partition.bases.front().value);
  if (partition.log.next) facts.add("end_offset", partition.log.next->value);
  if (!partition.log.epochs.empty()) facts.add("last_epoch", partition.log.epochs.back().epoch.value);
  facts.add("segment_count", partition.bases.size()).add("damaged_segments", partition.damaged);
  facts.add("snapshot_count", partition.snapshots.size());
  printer_.end_file(facts);
}

}  // namespace hayward::tools
