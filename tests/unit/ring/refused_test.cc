// Places where the kernel refuses a ring: in a child process under a seccomp filter or a limit.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>

#include "tests/unit/ring/machine.h"

namespace hayward::ring {
namespace {

void refuse(unsigned call, int error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = 4, .filter = program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(100);
}

// What create_uring's error is in a child where `prepare` has run; 0 if it made a ring.
template <class Prepare>
int error_where(Prepare prepare) {
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    const auto made = create_uring({});
    const bool said = made.has_value() || made.error().what.size() > 40;
    _exit(made.has_value() ? 0 : said ? made.error().error : 101);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Refused, EachErrorOfTheSetupComesThrough) {
  for (const int error : {ENOSYS, EPERM, EACCES, ENOMEM, EINVAL}) {
    EXPECT_EQ(error_where([=] { refuse(SYS_io_uring_setup, error); }), error);
  }
}

TEST(Refused, SoDoesOneOfTheReceiveBuffers) {
  EXPECT_EQ(error_where([] { refuse(SYS_io_uring_register, EINVAL); }), EINVAL);
}

TEST(Refused, NoDescriptorsLeft) {
  EXPECT_EQ(error_where([] {
              const rlimit none{.rlim_cur = 3, .rlim_max = 3};
              setrlimit(RLIMIT_NOFILE, &none);
              for (int fd = 3; fd < 64; ++fd) ::close(fd);
            }),
            EMFILE);
}

TEST(Refused, NothingIsRefusedHere) {
  EXPECT_EQ(error_where([] {}), 0);
}

}  // namespace
}  // namespace hayward::ring
