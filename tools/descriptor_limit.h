// As many open descriptors as the machine allows this process: a service manager's usual soft limit of 1024 is fewer than the
// connections of a large cluster.
// Owner: tools. The main thread, before anything is opened.
#pragma once

#include <sys/resource.h>

namespace hayward::tools {

// Best effort: where it may not be raised the limit stays.
inline void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace hayward::tools
