#include "log/files.h"

#include <cerrno>
#include <utility>

#include "log/names.h"

namespace hayward::log {
namespace {

bool nothing_was_done(std::int32_t result) { return result == -EINTR || result == -EAGAIN; }

// Drops the first `count` bytes of parts[first...].
void advance(std::vector<iovec>& parts, std::size_t& first, std::size_t count) {
  while (count > 0 && count >= parts[first].iov_len) count -= parts[first++].iov_len;
  if (count == 0) return;
  parts[first].iov_base = static_cast<std::byte*>(parts[first].iov_base) + count;
  parts[first].iov_len -= count;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Step<std::int32_t> write_fully(ring::Port& port, ring::Fd fd, std::vector<iovec> parts, std::uint64_t offset,
                               bool durable) {
  std::size_t first = 0;
  while (first < parts.size() && parts[first].iov_len == 0) ++first;
  while (first < parts.size()) {
    const std::span<const iovec> rest = std::span(parts).subspan(first);
    const std::int32_t result = co_await write_at(port, fd, rest, offset, durable);
    if (nothing_was_done(result)) continue;
    if (result < 0) co_return result;
    if (result == 0) co_return -EIO;
    offset += static_cast<std::uint64_t>(result);
    advance(parts, first, static_cast<std::size_t>(result));
  }
  co_return 0;
}

Step<std::int32_t> write_fully(ring::Port& port, ring::Fd fd, Bytes bytes, std::uint64_t offset, bool durable) {
  return write_fully(port, fd, std::vector<iovec>{as_iovec(bytes)}, offset, durable);
}

Step<std::int64_t> read_fully(ring::Port& port, ring::Fd fd, MutableBytes into, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::int32_t result = co_await read_at(port, fd, into.subspan(done), offset + done);
    if (nothing_was_done(result)) continue;
    if (result < 0) co_return result;
    if (result == 0) break;
    done += static_cast<std::size_t>(result);
  }
  co_return static_cast<std::int64_t>(done);
}

Step<Result<std::optional<Buffer>>> read_file(ring::Port& port, std::string path, std::int64_t max_bytes) {
  const std::int32_t fd = co_await open_file(port, path, O_RDONLY);
  if (fd == -ENOENT) co_return std::optional<Buffer>();
  if (fd < 0) co_return io_error(path, "to be opened", fd);
  constexpr std::size_t chunk_bytes = 64 << 10;
  Buffer content;
  std::int64_t failed = 0;
  for (bool more = true; more && failed == 0;) {
    const std::size_t before = content.size();
    content.resize(before + chunk_bytes);
    const std::int64_t count = co_await read_fully(port, fd, MutableBytes(content).subspan(before), before);
    content.resize(before + static_cast<std::size_t>(count < 0 ? 0 : count));
    if (count < 0) failed = count;
    if (static_cast<std::int64_t>(content.size()) > max_bytes) failed = -EFBIG;
    more = count == static_cast<std::int64_t>(chunk_bytes);
  }
  co_await close_file(port, fd);
  if (failed < 0) co_return io_error(path, "to be read", failed);
  co_return std::optional<Buffer>(std::move(content));
}

Step<Result<void>> replace_file(ring::Port& port, std::string directory, std::string name, Buffer content,
                                unsigned mode) {
  const std::string path = join_path(directory, name);
  const std::string temporary = path + std::string(temporary_suffix);
  // A leftover may be read-only.
  if (const auto removed = co_await remove_file(port, temporary); !removed) co_return removed;
  const std::int32_t fd = co_await open_file(port, temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (fd < 0) co_return io_error(temporary, "to be created", fd);
  std::int32_t result = co_await write_fully(port, fd, content, 0, false);
  if (result == 0) result = co_await sync_file(port, fd);
  co_await close_file(port, fd);
  if (result < 0) {
    co_await unlink_file(port, temporary);
    co_return io_error(temporary, "to be written and synced", result);
  }
  result = co_await rename_file(port, temporary, path);
  if (result < 0) co_return io_error(path, "to be replaced by " + temporary, result);
  co_return co_await sync_directory(port, directory);
}

Step<Result<void>> sync_directory(ring::Port& port, std::string path) {
  const std::int32_t fd = co_await open_file(port, path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) co_return io_error(path, "to be opened", fd);
  const std::int32_t result = co_await sync_file(port, fd);
  co_await close_file(port, fd);
  if (result < 0) co_return io_error(path, "to be synced", result);
  co_return Result<void>();
}

Step<Result<void>> ensure_directory(ring::Port& port, std::string path) {
  std::int32_t made = co_await make_directory(port, path);
  const std::string parent = parent_of(path);
  if (made == -ENOENT && parent != path) {
    auto above = co_await ensure_directory(port, parent);
    if (!above) co_return above;
    made = co_await make_directory(port, path);
  }
  if (made == -EEXIST) {
    const std::int32_t fd = co_await open_file(port, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) co_return io_error(path, "to be a directory", fd);
    co_await close_file(port, fd);
    co_return Result<void>();
  }
  if (made < 0) co_return io_error(path, "to be made a directory", made);
  co_return co_await sync_directory(port, parent);
}

Step<Result<void>> remove_file(ring::Port& port, std::string path) {
  const std::int32_t result = co_await unlink_file(port, path);
  if (result < 0 && result != -ENOENT) co_return io_error(path, "to be removed", result);
  co_return Result<void>();
}

}  // namespace hayward::log
