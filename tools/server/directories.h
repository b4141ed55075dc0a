// What the log directories say before anything is started: whose they are, and what an empty log begins with.
// Plain reads; nothing is changed.
// Owner: tools. Start-up.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"
#include "tools/config/server_config.h"

namespace hayward::tools {

struct Identity {
  std::string cluster_id;
  DirectoryId directory_id{};   // of the metadata directory
};

// Checks meta.properties of every log directory as Kafka does at start: the metadata directory's is there with our
// node.id, and all that are there name one cluster and this node. The error is one line.
std::expected<Identity, std::string> read_identity(const config::LogSettings& log, NodeId node_id);

// The record frames of bootstrap.checkpoint; empty when there is no such file. The error is one line.
std::expected<std::vector<Buffer>, std::string> read_bootstrap_records(const config::LogSettings& log);

}  // namespace hayward::tools
