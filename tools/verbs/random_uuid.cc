// `hayward random-uuid`: a new cluster or directory id, as kafka-storage random-uuid prints.
// Owner: tools. The main thread.
#include <cstdio>

#include "engine/base/prng.h"
#include "tools/exit_code.h"
#include "tools/server/random_seed.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {

void add_random_uuid(CLI::App& app, Verb& chosen) {
  auto* verb = app.add_subcommand("random-uuid", "Print a random id for `format -t`");
  verb->callback([&chosen] {
    chosen = [] {
      std::puts(Prng(random_seed()).uuid().to_string().c_str());
      return exit_ok;
    };
  });
}

}  // namespace hayward::tools
