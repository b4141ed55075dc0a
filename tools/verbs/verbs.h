// hayward's verbs. Each adds its sub-command and, when the user chose it, leaves what is to be run in `chosen`.
// Owner: tools. The main thread.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace hayward::tools {

// Returns an ExitCode.
using Verb = std::function<int()>;

void add_run(CLI::App& app, Verb& chosen);
void add_format(CLI::App& app, Verb& chosen);
void add_inspect(CLI::App& app, Verb& chosen);
void add_load(CLI::App& app, Verb& chosen);
void add_quorum(CLI::App& app, Verb& chosen);
void add_status(CLI::App& app, Verb& chosen);
void add_random_uuid(CLI::App& app, Verb& chosen);

}  // namespace hayward::tools
