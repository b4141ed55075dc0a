// Formats log directories as kafka-storage format does: bootstrap.checkpoint and meta.properties in each,
// and for a dynamic quorum the 0-0 checkpoint with the first voters in the metadata directory. All is
// checked and worked out first; then it is written so that a directory counts as formatted (has its
// meta.properties) only when everything else in it is on stable storage. A failure takes back what was
// written (new directories stay, empty).
// Owner: tools; runs on any port, the simulator's too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "engine/core/types.h"
#include "engine/host/ring/ring.h"
#include "log/error.h"
#include "log/task.h"
#include "schemas/runtime/bytes.h"

namespace hayward::log {

struct FormatRequest {
  std::string cluster_id;
  NodeId node_id = no_node;
  std::vector<std::string> directories;      // log.dirs and metadata.log.dir; twice the same counts once
  std::string metadata_directory;            // one of them
  DirectoryId metadata_directory_id{};       // of it; the others get random ones
  std::vector<Buffer> bootstrap_records;     // metadata record frames
  std::int16_t kraft_version = 0;            // of the 0-0 checkpoint
  std::vector<core::Voter> voters;           // of the 0-0 checkpoint; empty: none is written
  bool ignore_formatted = false;             // format the others instead of refusing
  std::uint64_t random_seed = 0;
};

struct FormatWork {
  struct Directory {
    std::string path;
    bool formatted = false;                  // already: nothing is written there
    DirectoryId id{};
    std::string kind;                        // kafka-storage's words: "data directory", "metadata directory" ...
  };
  struct File {
    std::string directory;
    std::string name;
    Buffer content;
    unsigned mode = 0644;
  };
  std::vector<Directory> directories;        // ascending by path
  std::vector<File> files;                   // in the order in which they are written
};

// Reads only. Errors: already_formatted, inconsistent (another cluster or node, a directory id twice),
// format or version (a damaged meta.properties), io, invalid_argument.
Step<Result<FormatWork>> plan_format(ring::Port& port, FormatRequest request);
Step<Result<void>> carry_out(ring::Port& port, FormatWork work);

// The two, waited for.
Result<FormatWork> format_directories(ring::Port& port, FormatRequest request, bool dry_run = false);

// Contents, for who needs only these. Times in ms of the wall clock.
Buffer bootstrap_checkpoint(const std::vector<Buffer>& records, std::int64_t now_ms);
Buffer voters_checkpoint(std::int16_t kraft_version, const std::vector<core::Voter>& voters, std::int64_t now_ms);

}  // namespace hayward::log
