// A whole controller in this process: ring, log, node, net, driver wired together.
// Owner: tools. The main thread is shard 0.
#pragma once

#include "tools/config/server_config.h"

namespace hayward::tools {

// Until SIGTERM or SIGINT (orderly), or until the node cannot go on. Returns an ExitCode.
int run_server(const config::ServerConfig& config, bool accept_data_loss);

}  // namespace hayward::tools
