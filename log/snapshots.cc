#include "log/snapshots.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "log/files.h"

namespace hayward::log {
namespace {

constexpr std::size_t slice_bytes = 1 << 20;   // what one write takes of a snapshot
constexpr std::size_t slice_parts = 512;
constexpr unsigned read_only = 0400;           // as Java leaves a finished checkpoint

std::string part_name(core::SnapshotId id, std::uint64_t number) {
  std::string name = snapshot_file_name(id);
  name.insert(name.size() - checkpoint_suffix.size(), "-" + std::to_string(number));
  return name.append(part_suffix);
}

}  // namespace

void Snapshots::write(core::WriteSnapshot&& snapshot) {
  if (!context_.stopped()) write_snapshot(std::move(snapshot));
}

Task Snapshots::write_snapshot(core::WriteSnapshot snapshot) {
  const std::string part = context_.path(part_name(snapshot.id, ++parts_));
  const auto size = co_await write_part(snapshot, part);
  if (!size) {
    co_await unlink_file(context_.port, part);
    if (context_.events.note) context_.events.note("no snapshot: " + size.error().to_line());
    if (context_.events.snapshot_written) context_.events.snapshot_written(snapshot.id, false, 0);
    co_return;
  }
  const std::string path = context_.path(snapshot_file_name(snapshot.id));
  const std::int32_t renamed = co_await rename_file(context_.port, part, path);
  if (renamed < 0) context_.fail(io_error(path, "to be named so from " + part, renamed).error());
  const auto synced = co_await sync_directory(context_.port, context_.directory);
  if (!synced) context_.fail(synced.error());
  if (context_.failed()) co_return;
  const auto at = std::lower_bound(all_.begin(), all_.end(), snapshot.id,
                                   [](const Snapshot& s, core::SnapshotId id) { return s.id < id; });
  const Snapshot written{snapshot.id, *size, snapshot.last_contained_wall_ms};
  if (at != all_.end() && at->id == snapshot.id) *at = written;
  else all_.insert(at, written);
  if (context_.events.snapshot_written) context_.events.snapshot_written(snapshot.id, true, *size);
}

Step<Result<std::int64_t>> Snapshots::write_part(const core::WriteSnapshot& snapshot, std::string part) {
  const std::int32_t fd = co_await open_file(context_.port, part, O_WRONLY | O_CREAT | O_EXCL, read_only);
  if (fd < 0) co_return io_error(part, "to be created", fd);
  std::int64_t size = 0;
  std::int32_t result = 0;
  for (std::size_t next = 0; next < snapshot.batches.size() && result == 0;) {
    std::vector<iovec> parts;
    std::size_t bytes = 0;
    for (; next < snapshot.batches.size() && parts.size() < slice_parts; ++next) {
      if (!parts.empty() && bytes + snapshot.batches[next].size() > slice_bytes) break;
      parts.push_back(as_iovec(snapshot.batches[next]));
      bytes += snapshot.batches[next].size();
    }
    result = co_await write_fully(context_.port, fd, std::move(parts), static_cast<std::uint64_t>(size), false);
    size += static_cast<std::int64_t>(bytes);
  }
  if (result == 0) result = co_await sync_file(context_.port, fd);
  co_await close_file(context_.port, fd);
  if (result < 0) co_return io_error(part, "to be written and synced", result);
  co_return size;
}

void Snapshots::read(core::SnapshotId id, std::int64_t position, std::int32_t length, driver::LogPort::ReadDone done) {
  const auto found = std::find_if(all_.begin(), all_.end(), [id](const Snapshot& s) { return s.id == id; });
  if (context_.stopped() || found == all_.end() || position < 0 || position > found->size || length < 0)
    return done(false, {});
  read_slice(id, position, static_cast<std::int32_t>(std::min<std::int64_t>(length, found->size - position)), std::move(done));
}

Task Snapshots::read_slice(core::SnapshotId id, std::int64_t position, std::int32_t length, driver::LogPort::ReadDone done) {
  const std::string path = context_.path(snapshot_file_name(id));
  const std::int32_t fd = co_await open_file(context_.port, path, O_RDONLY);
  if (fd < 0) {  // dropped by retention meanwhile
    done(false, {});
    co_return;
  }
  auto bytes = std::make_shared<Buffer>(static_cast<std::size_t>(length));
  const std::int64_t count = co_await read_fully(context_.port, fd, *bytes, static_cast<std::uint64_t>(position));
  co_await close_file(context_.port, fd);
  if (count != length) {
    done(false, {});
    co_return;
  }
  driver::LogSlice slice;
  slice.parts.push_back(*bytes);
  slice.owner = std::move(bytes);
  done(true, std::move(slice));
}

Task Snapshots::clean_regularly() {
  for (bool go_on = true; go_on;) {
    go_on = co_await context_.sleep_ms(context_.options.clean_interval_ms);
    if (go_on) go_on = !context_.failed();
    if (go_on) go_on = co_await clean();
  }
}

bool Snapshots::oldest_is_too_much() const {
  if (all_.size() < 2) return false;
  std::int64_t bytes = segments_.total_bytes();
  for (const Snapshot& snapshot : all_) bytes += snapshot.size;
  if (context_.options.retention_bytes >= 0 && bytes > context_.options.retention_bytes) return true;
  const std::int64_t age_ms = context_.port.wall_ms() - all_.front().last_contained_wall_ms;
  return context_.options.retention_ms >= 0 && age_ms > context_.options.retention_ms;
}

Step<bool> Snapshots::clean() {
  bool ok = true;
  while (ok && oldest_is_too_much()) ok = co_await drop_oldest();
  co_return ok;
}

Step<bool> Snapshots::drop_oldest() {
  const core::SnapshotId dropped = all_.front().id;
  all_.erase(all_.begin());
  const Offset start = all_.front().id.end;
  if (start > segments_.log_start) {
    segments_.log_start = start;
    state_.advance_epochs(start);
    if (context_.events.log_start_moved) context_.events.log_start_moved(start);
  }
  // One segment at a time, the oldest first: a crash leaves no hole.
  while (segments_.all.size() > 1 && segments_.all.front().end <= start) {
    const Offset base = segments_.all.front().base;
    segments_.all.pop_front();
    const auto discarded = co_await trash_.discard_segment(base);
    if (!discarded) {
      context_.fail(discarded.error());
      co_return false;
    }
  }
  std::vector<std::string> names(1, snapshot_file_name(dropped));
  const auto discarded = co_await trash_.discard(std::move(names));
  if (!discarded) context_.fail(discarded.error());
  co_return discarded.has_value();
}

}  // namespace hayward::log
