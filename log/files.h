// Whole-file work on the ring port: open, read, write fully, replace by rename after sync. Every change
// of a directory is followed by the directory's sync, so that what has returned lasts.
// Owner: log. Shard 0 and the tools.
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/host/ring/ring.h"
#include "log/error.h"
#include "log/task.h"
#include "schemas/runtime/bytes.h"

namespace hayward::log {

// Single operations; each gives >= 0 or -errno. Paths and buffers must outlive the await.
inline auto open_file(ring::Port& port, const std::string& path, int flags, unsigned mode = 0644) {
  return Io(port, [&path, flags, mode](ring::Port& p, ring::Operation& o) { p.open(o, path.c_str(), flags | O_CLOEXEC, mode); });
}
inline auto close_file(ring::Port& port, ring::Fd fd) {
  return Io(port, [fd](ring::Port& p, ring::Operation& o) { p.close(o, fd); });
}
inline auto read_at(ring::Port& port, ring::Fd fd, MutableBytes into, std::uint64_t offset) {
  return Io(port, [=](ring::Port& p, ring::Operation& o) { p.read(o, fd, into, offset); });
}
inline auto write_at(ring::Port& port, ring::Fd fd, std::span<const iovec> parts, std::uint64_t offset, bool durable) {
  return Io(port, [=](ring::Port& p, ring::Operation& o) { p.write(o, fd, parts, offset, durable); });
}
inline auto sync_file(ring::Port& port, ring::Fd fd, bool data_only = false) {
  return Io(port, [=](ring::Port& p, ring::Operation& o) { p.fsync(o, fd, data_only); });
}
inline auto truncate_file(ring::Port& port, ring::Fd fd, std::uint64_t length) {
  return Io(port, [=](ring::Port& p, ring::Operation& o) { p.truncate(o, fd, length); });
}
inline auto rename_file(ring::Port& port, const std::string& from, const std::string& to) {
  return Io(port, [&from, &to](ring::Port& p, ring::Operation& o) { p.rename(o, from.c_str(), to.c_str()); });
}
inline auto unlink_file(ring::Port& port, const std::string& path) {
  return Io(port, [&path](ring::Port& p, ring::Operation& o) { p.unlink(o, path.c_str()); });
}
inline auto make_directory(ring::Port& port, const std::string& path) {
  return Io(port, [&path](ring::Port& p, ring::Operation& o) { p.make_directory(o, path.c_str(), 0755); });
}

// Lets one round of completions pass.
inline auto pass_round(ring::Port& port) {
  return Io(port, [](ring::Port& p, ring::Operation& o) { p.nop(o); });
}

// All parts at `offset`; short writes are continued, EINTR and EAGAIN (nothing was done) repeated. 0 or
// -errno: then nothing may be concluded about what is on disk. Consumes `parts`.
Step<std::int32_t> write_fully(ring::Port& port, ring::Fd fd, std::vector<iovec> parts, std::uint64_t offset,
                               bool durable);
// The same of one piece. (No braced list in a co_await: g++ 12 fails on it.)
Step<std::int32_t> write_fully(ring::Port& port, ring::Fd fd, Bytes bytes, std::uint64_t offset, bool durable);
// As much as there is up to into.size(); the count, or -errno.
Step<std::int64_t> read_fully(ring::Port& port, ring::Fd fd, MutableBytes into, std::uint64_t offset);

// The whole file; nullopt if there is none. `max_bytes` bounds what is read (larger: an error).
Step<Result<std::optional<Buffer>>> read_file(ring::Port& port, std::string path, std::int64_t max_bytes = 1 << 20);

// New content by NAME.tmp, sync, rename and directory sync: after a crash the old or the new is there.
Step<Result<void>> replace_file(ring::Port& port, std::string directory, std::string name, Buffer content,
                                unsigned mode = 0644);

Step<Result<void>> sync_directory(ring::Port& port, std::string path);
// Makes it (0755) if it is not there, and its parents; each new entry is synced.
Step<Result<void>> ensure_directory(ring::Port& port, std::string path);
// A file that is not there is fine. The directory is not synced.
Step<Result<void>> remove_file(ring::Port& port, std::string path);

inline iovec as_iovec(Bytes bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }
inline Buffer to_buffer(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace hayward::log
