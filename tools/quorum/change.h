// Adds a controller to the voters, or takes one out: checks first what Kafka does not, then asks the leader and looks whether
// it is so.
// Owner: `hayward quorum`. The main thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"
#include "tools/quorum/ask.h"

namespace hayward::tools {

struct ChangeOptions {
  AskOptions ask;
  bool dry_run = false;  // checks only
  bool force = false;    // goes on where a check says no; what the leader refuses stays refused
};

// A controller as its own server.properties and meta.properties tell of it. The error says what was expected and found.
std::expected<core::Voter, std::string> read_controller(const std::string& config_path);

// Why a change was not made, and the exit code for it.
struct Refusal {
  int exit_code;
  std::string line;
};

// The view afterwards; of a dry run the one before.
std::expected<QuorumView, Refusal> add_voter(const ChangeOptions& options, const core::Voter& voter);
// `directory`: needed only when two voters have the id.
std::expected<QuorumView, Refusal> remove_voter(const ChangeOptions& options, NodeId id, std::optional<DirectoryId> directory);

}  // namespace hayward::tools
