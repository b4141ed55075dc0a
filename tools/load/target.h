// Finds the active controller of a cluster by asking the one that was named, Hayward's or Java's.
// Owner: `hayward load`. The main thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "tools/load/options.h"

namespace hayward::tools {

struct FoundController {
  std::string address;
  std::string cluster_id;
  std::int16_t fetch_version = 17;
  LoadTarget target;
};

// Waits a little for one that has just started: until it has read its metadata it refuses such questions.
std::expected<FoundController, std::string> find_controller(const std::string& address);

}  // namespace hayward::tools
