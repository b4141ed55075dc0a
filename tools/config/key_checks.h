// Each key of server.properties on its own: type, range, and what Hayward does with it.
// Owner: tools/config. Start-up.
#pragma once

#include <string>
#include <vector>

#include "engine/base/properties.h"
#include "tools/config/server_config.h"

namespace hayward::config {

// Faults: values that do not fit, keys that are not supported yet. Notes: keys that set nothing, unknown ones.
void check_keys(const Properties& properties, Faults& faults, std::vector<std::string>& notes);

}  // namespace hayward::config
