// One function per operation: how each is put to the kernel, or done at once where it has no ring form.
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include "engine/host/ring/uring_port.h"

namespace hayward::ring {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::size_t max_transfer_bytes = 0x7ffff000;  // the kernel's own bound on one read or write

unsigned length_of(std::size_t bytes) { return static_cast<unsigned>(std::min(bytes, max_transfer_bytes)); }
unsigned count_of(std::span<const iovec> parts) {
  return static_cast<unsigned>(std::min<std::size_t>(parts.size(), IOV_MAX));
}

void turn_on(Fd fd, int level, int option) {
  const int one = 1;
  setsockopt(fd, level, option, &one, sizeof one);
}

Fd fail_and_close(Fd fd) {
  const int error = errno;
  ::close(fd);
  return -error;
}

}  // namespace

// --- sockets

Fd UringPort::make_socket(int family) {
  const Fd fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (family != AF_UNIX) turn_on(fd, IPPROTO_TCP, TCP_NODELAY);
  return fd;
}

Fd UringPort::make_listener(const sockaddr* address, socklen_t length, int backlog, bool reuse_port) {
  const Fd fd = make_socket(address->sa_family);
  if (fd < 0) return fd;
  turn_on(fd, SOL_SOCKET, SO_REUSEADDR);
  if (reuse_port) turn_on(fd, SOL_SOCKET, SO_REUSEPORT);
  if (address->sa_family == AF_INET6) {
    const int off = 0;  // [::] takes IPv4 too, as a Java listener does, whatever the system's default
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (::bind(fd, address, length) != 0 || ::listen(fd, backlog) != 0) return fail_and_close(fd);
  return fd;
}

int UringPort::local_address(Fd fd, sockaddr_storage& out) {
  socklen_t length = sizeof out;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&out), &length) == 0 ? 0 : -errno;
}

int UringPort::peer_address(Fd fd, sockaddr_storage& out) {
  socklen_t length = sizeof out;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&out), &length) == 0 ? 0 : -errno;
}

void UringPort::accept_multishot(Operation& operation, Fd listener) {
  submit(operation,
         [=](io_uring_sqe* entry) { io_uring_prep_multishot_accept(entry, listener, nullptr, nullptr, SOCK_CLOEXEC); });
}

void UringPort::connect(Operation& operation, Fd fd, const sockaddr* address, socklen_t length) {
  submit(operation, [=](io_uring_sqe* entry) { io_uring_prep_connect(entry, fd, address, length); });
}

void UringPort::recv_multishot(Operation& operation, Fd fd) {
  submit(operation, [=](io_uring_sqe* entry) {
    io_uring_prep_recv_multishot(entry, fd, nullptr, 0, 0);
    entry->flags |= IOSQE_BUFFER_SELECT;
    entry->buf_group = BufferRing::group;
  });
}

void UringPort::recv(Operation& operation, Fd fd, MutableBytes into) {
  submit(operation,
         [=](io_uring_sqe* entry) { io_uring_prep_recv(entry, fd, into.data(), length_of(into.size()), 0); });
}

void UringPort::release_buffer(std::uint16_t buffer_id) { buffers_.give_back(buffer_id); }

void UringPort::send(Operation& operation, Fd fd, std::span<const iovec> parts) {
  submit(operation, [&](io_uring_sqe* entry) {
    if (parts.size() == 1) {
      io_uring_prep_send(entry, fd, parts[0].iov_base, length_of(parts[0].iov_len), MSG_NOSIGNAL);
      return;
    }
    msghdr& message = argument_of(entry).message;
    message = {};
    message.msg_iov = const_cast<iovec*>(parts.data());
    message.msg_iovlen = count_of(parts);
    io_uring_prep_sendmsg(entry, fd, &message, MSG_NOSIGNAL);
  });
}

void UringPort::shutdown(Operation& operation, Fd fd, int how) {
  submit(operation, [=](io_uring_sqe* entry) { io_uring_prep_shutdown(entry, fd, how); });
}

void UringPort::close(Operation& operation, Fd fd) {
  submit(operation, [=](io_uring_sqe* entry) { io_uring_prep_close(entry, fd); });
}

// --- files

void UringPort::open(Operation& operation, const char* path, int flags, unsigned mode) {
  submit(operation, [=](io_uring_sqe* entry) { io_uring_prep_openat(entry, AT_FDCWD, path, flags | O_CLOEXEC, mode); });
}

void UringPort::read(Operation& operation, Fd fd, MutableBytes into, std::uint64_t offset) {
  submit(operation,
         [=](io_uring_sqe* entry) { io_uring_prep_read(entry, fd, into.data(), length_of(into.size()), offset); });
}

void UringPort::write(Operation& operation, Fd fd, std::span<const iovec> parts, std::uint64_t offset, bool durable) {
  submit(operation, [=](io_uring_sqe* entry) {
    io_uring_prep_writev2(entry, fd, parts.data(), count_of(parts), offset, durable ? RWF_DSYNC : 0);
  });
}

void UringPort::fsync(Operation& operation, Fd fd, bool data_only) {
  submit(operation,
         [=](io_uring_sqe* entry) { io_uring_prep_fsync(entry, fd, data_only ? IORING_FSYNC_DATASYNC : 0); });
}

void UringPort::fallocate(Operation& operation, Fd fd, std::uint64_t offset, std::uint64_t length) {
  submit(operation, [=](io_uring_sqe* entry) {
    io_uring_prep_fallocate(entry, fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(length));
  });
}

// The ring has had no ftruncate before 6.9: done at once, completed through the queue like the others.
void UringPort::truncate(Operation& operation, Fd fd, std::uint64_t length) {
  int result = 0;
  do {
    result = ::ftruncate(fd, static_cast<off_t>(length)) == 0 ? 0 : -errno;
  } while (result == -EINTR);
  aside_.push_back({start(operation), result, 0});
}

void UringPort::rename(Operation& operation, const char* from, const char* to) {
  submit(operation, [=](io_uring_sqe* entry) { io_uring_prep_renameat(entry, AT_FDCWD, from, AT_FDCWD, to, 0); });
}

void UringPort::unlink(Operation& operation, const char* path) {
  submit(operation, [=](io_uring_sqe* entry) { io_uring_prep_unlinkat(entry, AT_FDCWD, path, 0); });
}

void UringPort::make_directory(Operation& operation, const char* path, unsigned mode) {
  submit(operation, [=](io_uring_sqe* entry) { io_uring_prep_mkdirat(entry, AT_FDCWD, path, mode); });
}

// --- time

void UringPort::nop(Operation& operation) {
  submit(operation, [](io_uring_sqe* entry) { io_uring_prep_nop(entry); });
}

void UringPort::timeout(Operation& operation, std::int64_t deadline_ns) {
  submit(operation, [=, this](io_uring_sqe* entry) {
    const std::int64_t at = std::max<std::int64_t>(deadline_ns, 0);
    __kernel_timespec& time = argument_of(entry).time;
    time = {.tv_sec = at / ns_per_s, .tv_nsec = at % ns_per_s};
    io_uring_prep_timeout(entry, &time, 0, IORING_TIMEOUT_ABS);
  });
}

std::int64_t UringPort::now_ns() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * ns_per_s + now.tv_nsec;
}

std::int64_t UringPort::wall_ms() const {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// --- listing and status

std::vector<std::string> UringPort::list_directory(const char* path, int& error) {
  error = 0;
  std::vector<std::string> names;
  DIR* directory = ::opendir(path);
  if (directory == nullptr) {
    error = -errno;
    return names;
  }
  errno = 0;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  error = -errno;
  ::closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

std::int64_t UringPort::file_size(const char* path) {
  struct stat status{};
  return ::stat(path, &status) == 0 ? status.st_size : -errno;
}

int UringPort::try_lock(Fd fd) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(fd, F_OFD_SETLK, &whole) == 0 ? 0 : -errno;
}

void UringPort::drop_cache(Fd fd, std::uint64_t offset, std::uint64_t length) {
  posix_fadvise(fd, static_cast<off_t>(offset), static_cast<off_t>(length), POSIX_FADV_DONTNEED);
}

}  // namespace hayward::ring
