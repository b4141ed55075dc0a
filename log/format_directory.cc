#include "log/format_directory.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "log/files.h"
#include "log/meta_properties.h"
#include "log/names.h"
#include "log/snapshots.h"

namespace hayward::log {
namespace {

constexpr unsigned read_only = 0400;

std::unexpected<LogError> inconsistent(std::string path, std::string expected, std::string found) {
  return std::unexpected(LogError{LogError::Kind::inconsistent, std::move(path), std::move(expected), std::move(found),
                                  "use other directories, or empty these"});
}

Result<void> check_request(const FormatRequest& request) {
  const auto invalid = [](std::string expected, std::string found) {
    return std::unexpected(LogError{LogError::Kind::invalid_argument, "format", std::move(expected), std::move(found), ""});
  };
  if (request.cluster_id.empty()) return invalid("a cluster id", "none");
  if (request.node_id < NodeId{0}) return invalid("a node id of 0 or more", std::to_string(request.node_id.value));
  if (std::find(request.directories.begin(), request.directories.end(), request.metadata_directory) == request.directories.end())
    return invalid("the metadata directory to be one of the log directories", request.metadata_directory);
  if (is_reserved(request.metadata_directory_id))
    return invalid("a directory id that is not reserved", request.metadata_directory_id.to_string());
  return {};
}

// What is there already must be of this cluster and node, and no directory id may come twice.
class Found {
 public:
  Found(const FormatRequest& request) : request_(request) {}

  Result<void> take(const std::string& path, const MetaProperties& meta) {
    if (meta.cluster_id && *meta.cluster_id != request_.cluster_id)
      return inconsistent(path, "cluster.id " + request_.cluster_id, *meta.cluster_id);
    if (meta.node_id && *meta.node_id != request_.node_id)
      return inconsistent(path, "node.id " + std::to_string(request_.node_id.value), std::to_string(meta.node_id->value));
    if (meta.directory_id && !ids_.insert(*meta.directory_id).second)
      return inconsistent(path, "a directory.id of its own", meta.directory_id->to_string() + " as in another directory");
    return {};
  }
  DirectoryId fresh(Prng& prng) {
    for (;;)
      if (const DirectoryId id{prng.uuid()}; !is_reserved(id) && ids_.insert(id).second) return id;
  }
  bool take(DirectoryId id) { return ids_.insert(id).second; }

 private:
  const FormatRequest& request_;
  std::set<DirectoryId> ids_;
};

std::string kind_of(const FormatRequest& request, const std::string& directory) {
  if (directory != request.metadata_directory) return "data directory";
  if (request.voters.empty()) return "metadata directory";
  const bool voter = std::any_of(request.voters.begin(), request.voters.end(),
                                 [&](const core::Voter& v) { return v.id == request.node_id; });
  return voter ? "dynamic metadata voter directory" : "dynamic metadata directory";
}

// meta.properties go last: with them a directory counts as formatted.
void plan_files(const FormatRequest& request, std::int64_t now_ms, FormatWork& work) {
  std::vector<FormatWork::File> last;
  for (const FormatWork::Directory& directory : work.directories) {
    if (directory.formatted) continue;
    work.files.push_back({directory.path, std::string(bootstrap_checkpoint_name),
                          bootstrap_checkpoint(request.bootstrap_records, now_ms), 0644});
    if (directory.path == request.metadata_directory && !request.voters.empty())
      work.files.push_back({join_path(directory.path, partition_directory_name), snapshot_file_name(bootstrap_snapshot),
                            voters_checkpoint(request.kraft_version, request.voters, now_ms), read_only});
    MetaProperties meta;
    meta.cluster_id = request.cluster_id;
    meta.node_id = request.node_id;
    meta.directory_id = directory.id;
    last.push_back({directory.path, std::string(meta_properties_name), to_buffer(render_meta_properties(meta)), 0644});
  }
  std::move(last.begin(), last.end(), std::back_inserter(work.files));
}

// As replace_file, for a new file with a mode.
Step<Result<void>> write_new(ring::Port& port, const FormatWork::File& file) {
  const auto made = co_await ensure_directory(port, file.directory);
  if (!made) co_return made;
  co_return co_await replace_file(port, file.directory, file.name, file.content, file.mode);
}

}  // namespace

Step<Result<FormatWork>> plan_format(ring::Port& port, FormatRequest request) {
  if (const auto checked = check_request(request); !checked) co_return std::unexpected(checked.error());
  Found found(request);
  FormatWork work;
  for (const std::string& path : std::set<std::string>(request.directories.begin(), request.directories.end())) {
    const std::string meta_path = join_path(path, meta_properties_name);
    const auto text = co_await read_file(port, meta_path);
    if (!text) co_return std::unexpected(text.error());
    FormatWork::Directory directory{path, text->has_value(), {}, kind_of(request, path)};
    if (*text) {
      const auto meta = parse_meta_properties(as_text(**text), meta_path);
      if (!meta) co_return std::unexpected(meta.error());
      if (const auto taken = found.take(meta_path, *meta); !taken) co_return std::unexpected(taken.error());
      directory.id = meta->directory_id.value_or(DirectoryId{});
      if (!request.ignore_formatted)
        co_return std::unexpected(LogError{LogError::Kind::already_formatted, path, "a directory that is not formatted",
                                           "meta.properties of cluster " + meta->cluster_id.value_or("(none)"),
                                           "--ignore-formatted formats the others and leaves this one"});
    }
    work.directories.push_back(std::move(directory));
  }
  Prng prng(request.random_seed);
  for (FormatWork::Directory& directory : work.directories) {
    if (directory.formatted) continue;
    directory.id = directory.path == request.metadata_directory ? request.metadata_directory_id : found.fresh(prng);
    if (directory.path == request.metadata_directory && !found.take(directory.id))
      co_return inconsistent(directory.path, "a directory.id of its own", directory.id.to_string() + " as in another directory");
  }
  plan_files(request, port.wall_ms(), work);
  co_return std::move(work);
}

Step<Result<void>> carry_out(ring::Port& port, FormatWork work) {
  Result<void> result;
  std::size_t written = 0;
  while (written < work.files.size() && result) result = co_await write_new(port, work.files[written++]);
  if (result) co_return result;
  // Taken back in reverse: meta.properties first.
  while (written > 0) {
    const FormatWork::File& file = work.files[--written];
    const auto removed = co_await remove_file(port, join_path(file.directory, file.name));
    if (!removed && result.error().advice.empty()) result.error().advice = "remove by hand what " + file.directory + " holds";
  }
  co_return result;
}

Result<FormatWork> format_directories(ring::Port& port, FormatRequest request, bool dry_run) {
  auto work = wait(port, plan_format(port, std::move(request)));
  if (!work || dry_run) return work;
  if (const auto done = wait(port, carry_out(port, *work)); !done) return std::unexpected(done.error());
  return work;
}

}  // namespace hayward::log
