// `hayward format`: prepares log directories with the flags of kafka-storage format.
// Owner: tools. The main thread.
#include <cstdio>

#include <fmt/format.h>

#include "engine/base/prng.h"
#include "engine/host/ring/uring.h"
#include "log/format_directory.h"
#include "tools/config/server_config.h"
#include "tools/exit_code.h"
#include "tools/format/plan.h"
#include "tools/server/random_seed.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {
namespace {

struct Options {
  std::string config;
  FormatArguments arguments;
  bool ignore_formatted = false;
  bool dry_run = false;
};

int refuse(int code, const std::string& line) {
  std::fprintf(stderr, "hayward: %s\n", line.c_str());
  return code;
}

log::FormatRequest make_request(const Options& options, const config::ServerConfig& config, const FormatPlan& plan) {
  log::FormatRequest request;
  request.cluster_id = plan.cluster_id;
  request.node_id = config.node.node_id;
  for (const auto& dir : config.log.log_dirs) request.directories.push_back(dir);
  request.metadata_directory = config.log.metadata_dir;
  request.metadata_directory_id = plan.metadata_directory_id;
  request.bootstrap_records = plan.bootstrap_records();
  request.kraft_version = plan.kraft_version;
  request.voters = plan.voters;
  request.ignore_formatted = options.ignore_formatted;
  request.random_seed = random_seed();
  return request;
}

void print_plan(const FormatPlan& plan, const log::FormatWork& work, bool dry_run) {
  fmt::print("cluster {}, metadata.version {} ({})\n", plan.cluster_id, plan.metadata_version.level, plan.metadata_version.name());
  for (const auto& [name, level] : plan.features)
    if (name != core::metadata_version_feature) fmt::print("  {}={}\n", name, level);
  fmt::print("  kraft.version={}\n", plan.kraft_version);
  for (const auto& voter : plan.voters)
    fmt::print("voter {} at {}:{}, directory {}\n", voter.id.value, voter.endpoints[0].host, voter.endpoints[0].port,
               voter.directory.to_string());
  for (const auto& credential : plan.scram)
    fmt::print("SCRAM-SHA-{} credential of {}\n", credential.mechanism == 1 ? 256 : 512, credential.name);
  for (const auto& directory : work.directories) {
    fmt::print("{} {}: {}\n", directory.kind, directory.path,
               directory.formatted ? "formatted already, left as it is" : "directory id " + directory.id.to_string());
  }
  for (const auto& file : work.files)
    fmt::print("{} {}/{}, {} bytes\n", dry_run ? "would write" : "wrote", file.directory, file.name, file.content.size());
}

int format(Options options) {
  const auto properties = config::load_properties(options.config, {});
  const auto settings = properties ? config::read_server_config(*properties) : std::unexpected(properties.error());
  if (!settings) {
    for (const auto& line : settings.error()) refuse(exit_usage, line);
    return exit_usage;
  }
  const DirectoryId fresh{Prng(random_seed()).uuid()};
  const auto plan = plan_format(options.arguments, *settings, fresh);
  if (!plan) return refuse(exit_usage, plan.error());
  auto port = ring::create_uring({});
  if (!port) return refuse(exit_unavailable, port.error().what);
  const auto work = log::format_directories(**port, make_request(options, *settings, *plan), options.dry_run);
  if (!work) {
    const bool io = work.error().kind == log::LogError::Kind::io;
    return refuse(io ? exit_failed : exit_refused, work.error().to_line());
  }
  print_plan(*plan, *work, options.dry_run);
  return exit_ok;
}

}  // namespace

void add_format(CLI::App& app, Verb& chosen) {
  auto* verb = app.add_subcommand("format", "Prepare the log directories of a configuration, as kafka-storage format does");
  auto options = std::make_shared<Options>();
  auto& arguments = options->arguments;
  verb->add_option("-c,--config", options->config, "server.properties, with Kafka's keys")->required();
  verb->add_option("-t,--cluster-id", arguments.cluster_id, "the cluster's id; `hayward random-uuid` makes one")->required();
  verb->add_flag("-s,--standalone", arguments.standalone, "this node alone is the first voter of a dynamic quorum");
  verb->add_option("-I,--initial-controllers", arguments.initial_controllers,
                   "the first voters of a dynamic quorum: id@host:port:directoryId,... (the same on each)");
  verb->add_flag("-N,--no-initial-controllers", arguments.no_initial_controllers, "this node joins an existing dynamic quorum");
  verb->add_option("-r,--release-version", arguments.release_version, "release whose metadata.version and features to begin with");
  verb->add_option("-f,--feature", arguments.features, "name=level; may be repeated");
  verb->add_option("-S,--add-scram", arguments.scram, "SCRAM-SHA-256=[name=alice,password=secret]; may be repeated");
  verb->add_flag("-g,--ignore-formatted", options->ignore_formatted, "leave formatted directories as they are, format the others");
  verb->add_flag("--dry-run", options->dry_run, "check everything, print what would be written, write nothing");
  verb->callback([&chosen, options] { chosen = [options] { return format(*options); }; });
}

}  // namespace hayward::tools
