#include "tools/server/directories.h"

#include <fstream>
#include <optional>
#include <sstream>

#include "log/meta_properties.h"
#include "schemas/batch/batch_reader.h"

namespace hayward::tools {
namespace {

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string node_mismatch(const std::string& path, NodeId expected, NodeId found) {
  return path + ": expected node.id=" + std::to_string(expected.value) + " as in the configuration, found " +
         std::to_string(found.value) + "; use the right configuration for this directory";
}

}  // namespace

std::expected<Identity, std::string> read_identity(const config::LogSettings& log, NodeId node_id) {
  Identity identity;
  std::string cluster_of;  // the file that named the cluster
  for (const auto& dir : log.log_dirs) {
    const std::string path = dir / "meta.properties";
    const auto text = read_file(path);
    if (!text && dir == log.metadata_dir) {
      return std::unexpected(path + ": expected a formatted directory, found no such file; run: hayward format "
                             "-t CLUSTER_ID -c CONFIG --standalone");
    }
    if (!text) continue;
    const auto meta = log::parse_meta_properties(*text, path);
    if (!meta) return std::unexpected(meta.error().to_line());
    if (meta->node_id && *meta->node_id != node_id) return std::unexpected(node_mismatch(path, node_id, *meta->node_id));
    if (!meta->node_id || !meta->cluster_id) {
      return std::unexpected(path + ": expected cluster.id and node.id, found them missing; restore the file, or format the directory anew");
    }
    const std::string cluster = *meta->cluster_id;
    if (!cluster_of.empty() && cluster != identity.cluster_id) {
      return std::unexpected(path + ": expected cluster.id=" + identity.cluster_id + " as in " + cluster_of + ", found " +
                             cluster + "; each node's directories belong to one cluster");
    }
    identity.cluster_id = cluster;
    cluster_of = path;
    if (dir == log.metadata_dir && meta->directory_id) identity.directory_id = *meta->directory_id;
  }
  return identity;
}

std::expected<std::vector<Buffer>, std::string> read_bootstrap_records(const config::LogSettings& log) {
  const std::string path = log.metadata_dir / "bootstrap.checkpoint";
  std::vector<Buffer> records;
  const auto text = read_file(path);
  if (!text) return records;
  const auto damaged = [&](const std::string& found) {
    return std::unexpected(path + ": expected a complete checkpoint, found " + found +
                           "; restore the file or format the directory anew");
  };
  for (Bytes rest = as_bytes(*text); !rest.empty();) {
    const auto header = check_batch(rest);
    if (!header) return damaged("a damaged batch");
    RecordIterator iterator(*header, rest);
    while (const auto record = iterator.next()) {
      if (!header->is_control() && record->value) records.emplace_back(record->value->begin(), record->value->end());
    }
    if (iterator.error()) return damaged("a damaged record");
    rest = rest.subspan(header->size());
  }
  return records;
}

}  // namespace hayward::tools
