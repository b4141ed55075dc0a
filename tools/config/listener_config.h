// Where the controller listens, by which protocol, and what it tells others of it.
// Owner: tools/config. Start-up.
#pragma once

#include <string>
#include <vector>

#include "engine/core/start.h"
#include "tools/config/server_config.h"
#include "tools/config/settings.h"

namespace hayward::config {

// `names`: controller.listener.names, in upper case. Faults go to `s`.
void read_listeners(Settings& s, core::NodeConfig& node, NetSettings& net, const std::vector<std::string>& names);

}  // namespace hayward::config
