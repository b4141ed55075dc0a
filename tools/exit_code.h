// What hayward's exit codes mean; `hayward --help` prints them.
// Owner: tools. The main thread.
#pragma once

namespace hayward::tools {

enum ExitCode : int {
  exit_ok = 0,
  exit_failed = 1,       // it began and could not go on (a disk fault, a threshold of `load` missed)
  exit_usage = 2,        // arguments or configuration are wrong; nothing was done
  exit_refused = 3,      // the directory forbids it: formatted already, not formatted, locked, damaged; nothing was changed
  exit_unavailable = 4,  // the machine forbids it: port in use, no io_uring, nobody answers
};

}  // namespace hayward::tools
