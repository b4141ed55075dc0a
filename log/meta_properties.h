// meta.properties: which cluster and node a log directory belongs to. Version 1 is written; version 0
// (broker.id, cluster.id optional) is read.
// Owner: log. Any shard.
#pragma once

#include <optional>
#include <string>

#include "log/error.h"
#include "schemas/runtime/ids.h"

namespace hayward::log {

struct MetaProperties {
  int version = 1;
  std::optional<std::string> cluster_id;      // always there in version 1
  std::optional<NodeId> node_id;              // always there in version 1
  std::optional<DirectoryId> directory_id;
  friend bool operator==(const MetaProperties&, const MetaProperties&) = default;
};

// `path` is for the errors.
Result<MetaProperties> parse_meta_properties(std::string_view text, const std::string& path);
std::string render_meta_properties(const MetaProperties& meta);

}  // namespace hayward::log
