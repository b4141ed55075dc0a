// What `format` will write, worked out and checked whole before anything is touched.
// Owner: tools. The main thread.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/metadata_version.h"
#include "engine/core/types.h"
#include "tools/config/server_config.h"
#include "tools/format/scram.h"

namespace hayward::tools {

// The flags of kafka-storage format.
struct FormatArguments {
  std::string cluster_id;                            // -t
  bool standalone = false;                           // -s
  std::string initial_controllers;                   // -I id@host:port:directoryId,...
  bool no_initial_controllers = false;               // -N
  std::string release_version;                       // -r
  std::vector<std::string> features;                 // -f name=level
  std::vector<std::string> scram;                    // -S
};

struct FormatPlan {
  std::string cluster_id;
  core::MetadataVersion metadata_version;
  std::map<std::string, std::int16_t> features;      // metadata.version and every other with level > 0, by name
  std::int16_t kraft_version = 0;
  std::vector<core::Voter> voters;                   // of the 0-0 checkpoint; empty: none is written
  DirectoryId metadata_directory_id{};               // of the metadata directory's meta.properties
  std::vector<ScramCredential> scram;

  // The records of bootstrap.checkpoint, as frames: metadata.version first, the others by name, then SCRAM.
  std::vector<Buffer> bootstrap_records() const;
};

// `fresh_directory_id` is used where the arguments name none. The error is one line.
std::expected<FormatPlan, std::string> plan_format(const FormatArguments& arguments, const config::ServerConfig& config,
                                                   DirectoryId fresh_directory_id);

}  // namespace hayward::tools
