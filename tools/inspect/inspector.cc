#include "tools/inspect/inspector.h"

#include <cerrno>
#include <filesystem>

#include "log/error.h"
#include "log/names.h"

namespace hayward::tools {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Whether a process holds the log directory that this file or folder is in.
bool lives(const fs::path& path) {
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored);
  for (int level = 0; level < 3; ++level, folder = folder.parent_path())
    if (is_locked(folder / log::lock_name)) return true;
  return false;
}

Walk::Visit nothing() {
  return [](const BatchHeader&, std::int64_t) {};
}

}  // namespace

std::expected<void, std::string> Inspector::inspect(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return std::unexpected(path + ": expected a directory or a file, found " + (error ? error.message() : "none"));
  return fs::is_directory(status) ? directory(path) : file(path);
}

std::expected<void, std::string> Inspector::directory(const std::string& given) {
  fs::path path = fs::path(given).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  if (is_there(path / log::meta_properties_name) || is_there(path / log::partition_directory_name)) {
    log_directory(path);
  } else if (path.filename() == log::partition_directory_name || is_there(path / log::quorum_state_name)) {
    partition(path, lives(path));
  } else {
    return std::unexpected(given + ": expected a log directory (with meta.properties) or a __cluster_metadata-0, found neither");
  }
  return {};
}

std::expected<void, std::string> Inspector::file(const std::string& path) {
  const std::string name = fs::path(path).filename();
  LogPosition log;
  if (name == log::meta_properties_name) inspect_meta_properties(printer_, path);
  else if (name == log::quorum_state_name) inspect_quorum_state(printer_, path);
  else if (name == log::epoch_checkpoint_name) inspect_epoch_checkpoint(printer_, path);
  else if (name == log::partition_metadata_name) inspect_partition_metadata(printer_, path);
  else if (name == log::flush_mark_name) inspect_flush_mark(printer_, path, read_flush_mark(path), "");
  else if (name == log::lock_name) inspect_lock(printer_, path);
  else if (name.ends_with(log::time_index_suffix)) inspect_time_index(printer_, path, true);
  else if (name.ends_with(log::index_suffix)) inspect_index(printer_, path, true);
  else if (name.ends_with(log::producer_snapshot_suffix)) inspect_producer_snapshot(printer_, path);
  else if (name.ends_with(log::checkpoint_suffix)) checkpoint_file(path, true, lives(path));
  else if (name.ends_with(log::log_suffix))
    segment_file(path, log::parse_segment_file_name(name, log::log_suffix), log, true, lives(path), nothing());
  else
    return std::unexpected(path + ": expected a file of a metadata log (*.log, *.checkpoint, *.index, *.timeindex, *.snapshot, " +
                           "quorum-state, meta.properties ...), found " + name);
  return {};
}

void Inspector::log_directory(const std::string& path) {
  const std::string meta = log::join_path(path, log::meta_properties_name);
  if (is_there(meta)) inspect_meta_properties(printer_, meta);
  else printer_.fault({meta, 0, "meta.properties", "none: the directory is not formatted"});
  const std::string bootstrap = log::join_path(path, log::bootstrap_checkpoint_name);
  const bool live = lives(path);
  if (is_there(bootstrap)) checkpoint_file(bootstrap, records_, live);
  const std::string lock = log::join_path(path, log::lock_name);
  if (is_there(lock)) inspect_lock(printer_, lock);
  const std::string metadata = log::join_path(path, log::partition_directory_name);
  if (is_there(metadata)) partition(metadata, live);
}

Walked Inspector::segment_file(const std::string& path, std::optional<Offset> base, LogPosition& log, bool show, bool live,
                               const Walk::Visit& visit) {
  printer_.begin_file(path, "segment");
  Facts facts;
  Walked walked;
  auto opened = FileBytes::open(path);
  if (opened) {
    if (base && !log.next) log.next = base;
    walked = Walk(printer_, selection_, show, live).file(*opened, path, log, visit);
    if (walked.batches > 0) facts.add("first_offset", walked.first.value);
    if (log.next) facts.add("end_offset", log.next->value);
    facts.add("batch_count", walked.batches).add("record_count", walked.records).add("bytes", opened->size());
    if (walked.batches > 0) facts.add("first_timestamp_ms", walked.first_ms).add("last_timestamp_ms", walked.last_ms);
  } else if (opened.error() == ENOENT) {
    facts.add("gone", true);
  } else {
    printer_.fault({path, 0, "to be read", log::errno_text(opened.error())});
  }
  printer_.end_file(facts);
  return walked;
}

void Inspector::checkpoint_file(const std::string& path, bool show, bool live) {
  printer_.begin_file(path, "snapshot");
  Facts facts;
  auto opened = FileBytes::open(path);
  if (opened) {
    LogPosition log{Offset{0}, {}};
    const Walked walked = Walk(printer_, selection_, show, live).file(*opened, path, log, nothing());
    if (walked.first_type != "SNAPSHOT_HEADER")
      printer_.fault({path, 0, "SNAPSHOT_HEADER as the first record", walked.records == 0 ? "none" : walked.first_type});
    if (walked.last_type != "SNAPSHOT_FOOTER")
      printer_.fault({path, opened->size(), "SNAPSHOT_FOOTER as the last record", walked.records == 0 ? "none" : walked.last_type});
    if (const auto id = log::parse_snapshot_file_name(fs::path(path).filename().string()))
      facts.add("end_offset", id->end.value).add("epoch", id->epoch.value);
    facts.add("batch_count", walked.batches).add("record_count", walked.records).add("bytes", opened->size());
    if (walked.batches > 0) facts.add("written_ms", walked.last_ms);
  } else if (opened.error() == ENOENT) {
    facts.add("gone", true);
  } else {
    printer_.fault({path, 0, "to be read", log::errno_text(opened.error())});
  }
  printer_.end_file(facts);
}

}  // namespace hayward::tools
