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

void Snapshots::write(core::WriteSnapshot&& order) {
  if (!context_.stopped()) carry_out(std::move(order));
}

Task Snapshots::carry_out(core::WriteSnapshot order) {
  Result<void> done;
  if (order.begins) {
    co_await give_up_part();
    done = co_await begin_part(order.id);
  }
  if (done) done = co_await write_part(order);
  if (!done) {
    co_await give_up_part();
    if (context_.events.note) context_.events.note("no snapshot: " + done.error().to_line());
    if (context_.events.snapshot_written) context_.events.snapshot_written(order.id, false, 0);
    co_return;
  }
  if (!order.ends) {
    if (context_.events.snapshot_chunk_written) context_.events.snapshot_chunk_written(order.id);
    co_return;
  }
  const std::int64_t size = part_->size;
  const bool finished = co_await finish_part(order.last_contained_wall_ms);
  if (finished && context_.events.snapshot_written) context_.events.snapshot_written(order.id, true, size);
}

void Snapshots::loaded(const Snapshot& snapshot) {
  std::erase_if(all_, [&](const Snapshot& s) { return s.id == snapshot.id; });
  const auto at = std::lower_bound(all_.begin(), all_.end(), snapshot.id,
                                   [](const Snapshot& s, core::SnapshotId id) { return s.id < id; });
  all_.insert(at, snapshot);
}

Step<Result<void>> Snapshots::begin_part(core::SnapshotId id) {
  std::string path = context_.path(part_name(id, ++parts_));
  const std::int32_t fd = co_await open_file(context_.port, path, O_WRONLY | O_CREAT | O_EXCL, read_only);
  if (fd < 0) co_return io_error(path, "to be created", fd);
  part_ = Part{id, std::move(path), context_.adopt(fd)};
  co_return Result<void>();
}

Step<Result<void>> Snapshots::write_part(const core::WriteSnapshot& order) {
  if (!part_ || part_->id != order.id)
    co_return std::unexpected(LogError{LogError::Kind::invalid_argument, context_.path(snapshot_file_name(order.id)),
                                       "the part of the snapshot before", "none", "report it: a fault of this program"});
  const OpenFilePtr file = part_->file;
  std::int32_t result = 0;
  for (std::size_t next = 0; next < order.batches.size() && result == 0;) {
    std::vector<iovec> parts;
    std::size_t bytes = 0;
    for (; next < order.batches.size() && parts.size() < slice_parts; ++next) {
      if (!parts.empty() && bytes + order.batches[next].size() > slice_bytes) break;
      parts.push_back(as_iovec(order.batches[next]));
      bytes += order.batches[next].size();
    }
    result = co_await write_fully(context_.port, file->fd(), std::move(parts), static_cast<std::uint64_t>(part_->size), false);
    part_->size += static_cast<std::int64_t>(bytes);
  }
  if (result == 0 && order.ends) result = co_await sync_file(context_.port, file->fd());
  if (result < 0) co_return io_error(part_->path, "to be written and synced", result);
  co_return Result<void>();
}

Step<bool> Snapshots::give_up_part() {
  if (!part_) co_return false;
  const std::string path = part_->path;
  part_.reset();
  co_await unlink_file(context_.port, path);
  co_return true;
}

Step<bool> Snapshots::finish_part(std::int64_t last_contained_wall_ms) {
  const Part part = std::move(*part_);
  part_.reset();
  const std::string path = context_.path(snapshot_file_name(part.id));
  const std::int32_t renamed = co_await rename_file(context_.port, part.path, path);
  if (renamed < 0) context_.fail(io_error(path, "to be named so from " + part.path, renamed).error());
  const auto synced = co_await sync_directory(context_.port, context_.directory);
  if (!synced) context_.fail(synced.error());
  if (context_.failed()) co_return false;
  const auto at = std::lower_bound(all_.begin(), all_.end(), part.id,
                                   [](const Snapshot& s, core::SnapshotId id) { return s.id < id; });
  const Snapshot written{part.id, part.size, last_contained_wall_ms};
  if (at != all_.end() && at->id == part.id) *at = written;
  else all_.insert(at, written);
  co_return true;
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
