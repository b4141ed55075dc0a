// `hayward run`: reads the configuration, recovers the log, runs the controller until SIGTERM or SIGINT.
// Owner: tools. The main thread is shard 0.
#include <cstdio>

#include "tools/config/server_config.h"
#include "tools/descriptor_limit.h"
#include "tools/exit_code.h"
#include "tools/server/server.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {
namespace {

struct Options {
  std::string config;
  std::vector<std::string> overrides;
  bool accept_data_loss = false;
};

int run(const Options& options) {
  const auto properties = config::load_properties(options.config, options.overrides);
  const auto settings = properties ? config::read_server_config(*properties) : std::unexpected(properties.error());
  if (!settings) {
    for (const auto& fault : settings.error()) std::fprintf(stderr, "hayward: %s\n", fault.c_str());
    return exit_usage;
  }
  raise_descriptor_limit();
  return run_server(*settings, options.accept_data_loss);
}

}  // namespace

void add_run(CLI::App& app, Verb& chosen) {
  auto* verb = app.add_subcommand("run", "Run the controller until SIGTERM or SIGINT");
  auto options = std::make_shared<Options>();
  verb->add_option("-c,--config", options->config, "server.properties, with Kafka's keys")->required();
  verb->add_option("--override", options->overrides, "key=value, laid over the file; may be repeated");
  verb->add_flag("--accept-data-loss", options->accept_data_loss,
                 "Start although acknowledged metadata is damaged or gone: what is lost is named and cut off");
  verb->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace hayward::tools
