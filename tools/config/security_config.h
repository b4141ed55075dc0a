// The authorizer and delegation tokens, from server.properties.
// Owner: tools/config. Start-up.
#pragma once

#include <string>
#include <vector>

#include "engine/core/start.h"
#include "tools/config/server_config.h"

namespace hayward::config {

// Values that need more than their type checked; faults and notes are added. Unknown authorizers are a fault:
// a node that cannot ask them must not answer in their place.
void read_security(const Properties& properties, core::NodeConfig& node, Faults& faults,
                   std::vector<std::string>& notes);

}  // namespace hayward::config
