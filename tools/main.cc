// The program: chooses the verb, runs it, returns its exit code.
// Owner: tools. The main thread.
#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "tools/exit_code.h"
#include "tools/verbs/verbs.h"

namespace {

constexpr const char* description =
    "Hayward, a Kafka controller: it takes the place of the process that runs with process.roles=controller.\n"
    "First use: hayward format -t $(hayward random-uuid) -c server.properties --standalone\n"
    "           hayward run -c server.properties\n"
    "           hayward status --controller 127.0.0.1:9093";
constexpr const char* footer =
    "Exit codes: 0 done; 1 began and could not go on; 2 wrong arguments or configuration, nothing done;\n"
    "            3 the directory forbids it (formatted already, not formatted, locked, damaged), nothing changed;\n"
    "            4 the machine forbids it (port in use, no io_uring, nobody answers).\n"
    "`hayward VERB --help` explains each verb.";

}  // namespace

int main(int argc, char** argv) {
  using namespace hayward::tools;
  CLI::App app(description, "hayward");
  app.footer(footer);
  app.set_version_flag("--version", HAYWARD_VERSION);
  app.require_subcommand(1);
  Verb chosen;
  add_run(app, chosen);
  add_format(app, chosen);
  add_status(app, chosen);
  add_quorum(app, chosen);
  add_load(app, chosen);
  add_inspect(app, chosen);
  add_random_uuid(app, chosen);
  const auto verbs = app.get_subcommands([](CLI::App*) { return true; });
  const auto named = [&](const CLI::App* verb) { return verb->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(verbs.begin(), verbs.end(), named)) {
    std::fprintf(stderr, "hayward: expected a verb (hayward --help lists them), found \"%s\"\n", argv[1]);
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return chosen();
}
