// What file operations do to the simulated disk, and how they go wrong.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "tests/sim/ring/sim_port.h"

namespace hayward::sim {
namespace {

constexpr Fd first_fd = 3;

}  // namespace

Buffer SimPort::gathered(std::span<const iovec> parts) {
  Buffer all;
  for (const iovec& part : parts) {
    const auto* begin = static_cast<const std::byte*>(part.iov_base);
    all.insert(all.end(), begin, begin + part.iov_len);
  }
  return all;
}

SimPort::Description::~Description() {
  if (socket != nullptr) {
    network->close(socket);
    return;
  }
  if (lock_holder != 0) disk->unlock(inode, lock_holder);
  disk->release(inode);
}

SimPort::DescriptionPtr SimPort::description_of(Fd fd) const {
  const auto it = descriptors_.find(fd);
  return it == descriptors_.end() ? nullptr : it->second;
}

SimPort::DescriptionPtr SimPort::file_of(Fd fd) const {
  DescriptionPtr found = description_of(fd);
  return found == nullptr || found->socket != nullptr ? nullptr : found;
}

// The lowest, as the system does: code that mixes up an old descriptor and a new one shall meet it.
Fd SimPort::free_fd() const {
  Fd fd = first_fd;
  while (descriptors_.contains(fd)) ++fd;
  return fd;
}

SimPort::Pending& SimPort::submit_on_file(Operation& operation, Kind kind, Fd fd) {
  Pending& pending = submit(operation, kind);
  if (crashed_) return pending;
  pending.file = file_of(fd);
  if (pending.file == nullptr) pending.settled = -EBADF;
  return pending;
}

void SimPort::open(Operation& operation, const char* path, int flags, unsigned) {
  Pending& pending = submit(operation, Kind::open);
  pending.path = path;
  pending.flags = flags;
}

void SimPort::read(Operation& operation, Fd fd, MutableBytes into, std::uint64_t offset) {
  Pending& pending = submit_on_file(operation, Kind::read, fd);
  pending.into = into;
  pending.offset = offset;
}

void SimPort::write(Operation& operation, Fd fd, std::span<const iovec> parts, std::uint64_t offset, bool durable) {
  Pending& pending = submit_on_file(operation, Kind::write, fd);
  if (pending.settled) return;
  pending.parts = parts;
  pending.offset = offset;
  pending.durable = durable || (pending.file->flags & O_DSYNC) != 0;
  if (pending.durable) add_sync_latency(operation.sequence, pending);
}

void SimPort::fsync(Operation& operation, Fd fd, bool) {
  Pending& pending = submit_on_file(operation, Kind::fsync, fd);
  if (!pending.settled) add_sync_latency(operation.sequence, pending);
}

void SimPort::fallocate(Operation& operation, Fd fd, std::uint64_t offset, std::uint64_t length) {
  submit_on_file(operation, Kind::fallocate, fd).length = offset + length;
}

void SimPort::truncate(Operation& operation, Fd fd, std::uint64_t length) {
  submit_on_file(operation, Kind::truncate, fd).length = length;
}

void SimPort::rename(Operation& operation, const char* from, const char* to) {
  Pending& pending = submit(operation, Kind::rename);
  pending.path = from;
  pending.to_path = to;
}

void SimPort::unlink(Operation& operation, const char* path) { submit(operation, Kind::unlink).path = path; }

void SimPort::make_directory(Operation& operation, const char* path, unsigned) {
  submit(operation, Kind::make_directory).path = path;
}

// The descriptor is free at once; the file or socket goes with the last operation on it.
void SimPort::close(Operation& operation, Fd fd) {
  Pending& pending = submit(operation, Kind::close);
  if (!crashed_) pending.settled = descriptors_.erase(fd) > 0 ? 0 : -EBADF;
}

void SimPort::add_sync_latency(Sequence sequence, Pending& pending) {
  std::int64_t more = static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(faults_.sync_latency_ns) + 1));
  if (strikes(faults_.sync_stall_ppm, counts_.sync_stalls)) more += faults_.stall_ns;
  schedule(sequence, pending, pending.due_ns + more);
}

std::int32_t SimPort::take_effect(Pending& pending) {
  switch (pending.kind) {
    case Kind::open:
      return do_open(pending);
    case Kind::read:
      return do_read(pending);
    case Kind::write:
      return do_write(pending);
    case Kind::fsync:
      return do_fsync(pending);
    case Kind::fallocate:
    case Kind::truncate:
    case Kind::rename:
    case Kind::unlink:
    case Kind::make_directory:
      return do_on_names(pending);
    case Kind::timeout:
      return -ETIME;
    case Kind::cancel:
      return do_cancel(pending);
    case Kind::nop:
    case Kind::close:
      return 0;
    case Kind::accept:
    case Kind::connect:
    case Kind::recv:
    case Kind::recv_multishot:
    case Kind::send:
    case Kind::shutdown:
      break;
  }
  return -ENETDOWN;
}

std::int32_t SimPort::do_open(const Pending& pending) {
  if (strikes(faults_.metadata_error_ppm, counts_.metadata_errors)) return -EIO;
  InodeId inode = 0;
  if (const int error = disk_.open(pending.path, pending.flags, inode); error != 0) return error;
  disk_.retain(inode);
  auto description = std::make_shared<Description>();
  description->disk = &disk_;
  description->inode = inode;
  description->flags = pending.flags;
  const Fd fd = free_fd();
  descriptors_[fd] = std::move(description);
  return fd;
}

std::int32_t SimPort::do_read(const Pending& pending) {
  if (disk_.is_directory(pending.file->inode)) return -EISDIR;
  if (strikes(faults_.read_error_ppm, counts_.read_errors)) return -EIO;
  MutableBytes into = pending.into;
  if (into.size() > 1 && strikes(faults_.short_read_ppm, counts_.short_reads)) {
    into = into.first(1 + prng_.below(into.size() - 1));
  }
  const std::size_t count = disk_.file(pending.file->inode).read(pending.offset, into);
  if (count > 0 && strikes(faults_.read_flip_ppm, counts_.read_flips)) {
    const std::uint64_t at = prng_.below(count);
    into[at] ^= static_cast<std::byte>(1u << prng_.below(8));
  }
  return static_cast<std::int32_t>(count);
}

std::int32_t SimPort::do_write(const Pending& pending) {
  const InodeId inode = pending.file->inode;
  if ((pending.file->flags & O_ACCMODE) == O_RDONLY) return -EBADF;
  if (strikes(faults_.no_space_ppm, counts_.no_space)) return -ENOSPC;
  const Buffer all = gathered(pending.parts);
  Bytes bytes = all;
  std::uint64_t offset = pending.offset;
  if ((pending.file->flags & O_APPEND) != 0) offset = disk_.file(inode).size();
  const bool fails = strikes(faults_.write_error_ppm, counts_.write_errors);
  if (fails) bytes = bytes.first(prng_.below(bytes.size() + 1));
  if (bytes.size() > 1 && strikes(faults_.short_write_ppm, counts_.short_writes)) {
    bytes = bytes.first(1 + prng_.below(bytes.size() - 1));
  }
  if (strikes(faults_.misdirected_write_ppm, counts_.misdirected_writes)) {
    const std::uint64_t by = SimFile::sector_bytes * (1 + prng_.below(128));
    offset = prng_.chance(1, 2) && offset >= by ? offset - by : offset + by;
  }
  const std::int64_t written = disk_.write(inode, offset, bytes);
  if (fails) return -EIO;
  if (written > 0 && pending.durable) {
    if (sync_fails(pending, offset, static_cast<std::uint64_t>(written))) return -EIO;
    disk_.file(inode).sync_range(offset, static_cast<std::uint64_t>(written));
  }
  return static_cast<std::int32_t>(written);
}

bool SimPort::sync_fails(const Pending& pending, std::uint64_t offset, std::uint64_t length) {
  if (!strikes(faults_.sync_error_ppm, counts_.sync_errors)) return false;
  disk_.file(pending.file->inode).fail_sync(offset, length);
  return true;
}

std::int32_t SimPort::do_fsync(const Pending& pending) {
  const InodeId inode = pending.file->inode;
  if (sync_fails(pending, 0, disk_.file(inode).size())) return -EIO;
  disk_.sync(inode);
  return 0;
}

std::int32_t SimPort::do_on_names(const Pending& pending) {
  if (strikes(faults_.metadata_error_ppm, counts_.metadata_errors)) return -EIO;
  switch (pending.kind) {
    case Kind::rename:
      return disk_.rename(pending.path, pending.to_path);
    case Kind::unlink:
      return disk_.unlink(pending.path);
    case Kind::make_directory:
      return disk_.make_directory(pending.path);
    default:
      break;
  }
  if ((pending.file->flags & O_ACCMODE) == O_RDONLY) return -EINVAL;
  if (pending.kind == Kind::fallocate) return disk_.reserve(pending.file->inode, pending.length);
  disk_.file(pending.file->inode).truncate(pending.length);
  return 0;
}

std::vector<std::string> SimPort::list_directory(const char* path, int& error) {
  std::vector<std::string> names;
  error = crashed_ ? -ESHUTDOWN : disk_.list(path, names);
  return names;
}

std::int64_t SimPort::file_size(const char* path) { return crashed_ ? -ESHUTDOWN : disk_.file_size(path); }

int SimPort::try_lock(Fd fd) {
  const DescriptionPtr file = file_of(fd);
  if (file == nullptr) return crashed_ ? -ESHUTDOWN : -EBADF;
  if (file->lock_holder == 0) file->lock_holder = disk_.next_holder();
  const int error = disk_.try_lock(file->inode, file->lock_holder);
  if (error != 0) file->lock_holder = 0;
  return error;
}

void SimPort::drop_cache(Fd fd, std::uint64_t offset, std::uint64_t length) {
  if (const DescriptionPtr file = file_of(fd)) disk_.file(file->inode).drop_cache(offset, length);
}

}  // namespace hayward::sim
