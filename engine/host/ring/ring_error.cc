#include "engine/host/ring/ring_error.h"

#include <sys/utsname.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hayward::ring {
namespace {

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0 ? name.release : "unknown";
}

std::string reason(int error, int disabled) {
  switch (error) {
    case ENOSYS:
      return "this kernel (" + kernel_release() +
             ") has no io_uring, or a sandbox (gVisor, a seccomp profile) hides it. "
             "Run on Linux 6.1 or newer with CONFIG_IO_URING, or allow io_uring_setup, io_uring_enter and "
             "io_uring_register in the container's seccomp profile.";
    case EPERM:
      if (disabled == 2) {
        return "io_uring is switched off for all (sysctl kernel.io_uring_disabled=2). "
               "Set kernel.io_uring_disabled to 0, or to 1 with kernel.io_uring_group naming a group of this process.";
      }
      if (disabled == 1) {
        return "io_uring is kept for privileged processes (sysctl kernel.io_uring_disabled=1). Set it to 0, or put "
               "this process's user into the group that sysctl kernel.io_uring_group names.";
      }
      return "the sysctl allows io_uring, so most likely a container's seccomp profile or a security module forbids it "
             "(the default profiles of recent container runtimes do). Allow io_uring_setup, io_uring_enter and "
             "io_uring_register there.";
    case EACCES:
      return "a security module (SELinux, AppArmor) forbids io_uring to this process. Allow it in the policy.";
    case ENOMEM:
      return "not enough memory may be locked or charged. Raise the memlock limit (ulimit -l, LimitMEMLOCK=) or the "
             "memory limit of the control group.";
    case EMFILE:
      return "this process has no file descriptors left. Raise the limit (ulimit -n, LimitNOFILE=).";
    case ENFILE:
      return "the system has no file descriptors left. Raise sysctl fs.file-max.";
    case EINVAL:
    case EOPNOTSUPP:
      return "this kernel's (" + kernel_release() +
             ") io_uring lacks what is needed (single issuer rings, multishot receive, provided buffer rings). "
             "Run on Linux 6.1 or newer.";
    default:
      return "no known cause; kernel " + kernel_release() + ".";
  }
}

}  // namespace

int io_uring_disabled_sysctl() {
  int value = -1;
  if (std::FILE* file = std::fopen("/proc/sys/kernel/io_uring_disabled", "re")) {
    if (std::fscanf(file, "%d", &value) != 1) value = -1;
    std::fclose(file);
  }
  return value;
}

RingError explain_setup_error(int error, const char* call, int disabled) {
  return {error, std::string("io_uring cannot be used: ") + call + ": " + std::strerror(error) + ": " +
                     reason(error, disabled)};
}

}  // namespace hayward::ring
