// `hayward inspect`: shows what a log directory, a metadata partition or one of its files holds, and every fault.
// Owner: tools. The main thread.
#include <cstdio>

#include "tools/exit_code.h"
#include "tools/inspect/inspector.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {
namespace {

struct Options {
  std::vector<std::string> paths;
  Selection selection;
  bool records = false;
  bool json = false;
};

int inspect(Options options) {
  if (!options.selection.type.empty()) {
    const std::string key = type_key(options.selection.type);
    if (!is_known_type(key)) {
      std::fprintf(stderr, "hayward: --type: expected a record type such as PartitionChange or LEADER_CHANGE, found \"%s\"\n",
                   options.selection.type.c_str());
      return exit_usage;
    }
    options.selection.type = key;
  }
  const bool records = options.records || options.selection.offsets_limited() || !options.selection.type.empty();
  const auto printer = options.json ? make_json_printer(stdout) : make_text_printer(stdout);
  Inspector inspector(*printer, options.selection, records);
  bool usage = false;
  for (const std::string& path : options.paths) {
    const auto inspected = inspector.inspect(path);
    if (inspected) continue;
    std::fprintf(stderr, "hayward: %s\n", inspected.error().c_str());
    usage = true;
  }
  if (!printer->end()) {
    std::fprintf(stderr, "hayward: standard output: expected to be written, found an error\n");
    return exit_failed;
  }
  if (usage) return exit_usage;
  return printer->faults() == 0 ? exit_ok : exit_failed;
}

}  // namespace

void add_inspect(CLI::App& app, Verb& chosen) {
  auto* verb = app.add_subcommand("inspect",
                                  "Show and check what Java or Hayward wrote: a log directory, a __cluster_metadata-0, or one of their\n"
                                  "files. Reads only, takes no lock, and may run beside the controller. Exit code 1: damage was found");
  auto options = std::make_shared<Options>();
  verb->add_option("path", options->paths, "log directory, __cluster_metadata-0, or a file of either")->required();
  verb->add_flag("--records", options->records, "every batch and record of a directory too (of a single file they are always shown)");
  verb->add_option("--from", options->selection.from, "show records from this offset on")->check(CLI::NonNegativeNumber);
  verb->add_option("--to", options->selection.to, "show records up to this offset, included")->check(CLI::NonNegativeNumber);
  verb->add_option("--type", options->selection.type, "show records of this type only: PartitionChange, LEADER_CHANGE ...");
  verb->add_flag("--json", options->json, "one JSON object instead of text");
  verb->callback([&chosen, options] { chosen = [options] { return inspect(*options); }; });
}

}  // namespace hayward::tools
