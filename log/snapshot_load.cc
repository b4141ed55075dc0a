#include "log/snapshot_load.h"

#include <fcntl.h>

#include <utility>
#include <vector>

#include "log/files.h"

namespace hayward::log {

void SnapshotLoad::write(core::WriteSnapshotPart&& part) {
  if (!context_.stopped()) write_part(std::move(part));
}

Task SnapshotLoad::write_part(core::WriteSnapshotPart part) {
  bool ok = co_await write_bytes(part);
  if (ok && part.last) ok = co_await install(part);
  if (!ok && !context_.failed()) co_await unlink_file(context_.port, path_);
  if (!context_.failed() && context_.events.snapshot_part_written) {
    context_.events.snapshot_part_written(part.id, ok, ok && part.last);
  }
}

// A failure here leaves the log usable: the snapshot is not taken in.
Step<bool> SnapshotLoad::write_bytes(const core::WriteSnapshotPart& part) {
  if (part.position == 0) {
    std::string name = snapshot_file_name(part.id);
    name.insert(name.size() - checkpoint_suffix.size(), "-leader");
    path_ = context_.path(name.append(part_suffix));
    co_await unlink_file(context_.port, path_);
  }
  const int flags = O_WRONLY | (part.position == 0 ? O_CREAT | O_EXCL : 0);
  const std::int32_t fd = co_await open_file(context_.port, path_, flags, 0600);
  std::int32_t result = fd;
  if (fd >= 0) {
    std::vector<iovec> parts(1, as_iovec(part.bytes));
    result = co_await write_fully(context_.port, fd, std::move(parts), static_cast<std::uint64_t>(part.position), false);
    if (result == 0 && part.last) result = co_await sync_file(context_.port, fd);
    co_await close_file(context_.port, fd);
  }
  if (result < 0 && context_.events.note) {
    context_.events.note("a snapshot from the leader: " + io_error(path_, "to be written", result).error().to_line());
  }
  co_return result >= 0;
}

Step<bool> SnapshotLoad::install(const core::WriteSnapshotPart& part) {
  co_await appender_.idle().opened();
  const std::string path = context_.path(snapshot_file_name(part.id));
  const std::int32_t renamed = co_await rename_file(context_.port, path_, path);
  if (renamed < 0) {
    context_.fail(io_error(path, "to be named so from " + path_, renamed).error());
    co_return false;
  }
  const auto synced = co_await sync_directory(context_.port, context_.directory);
  if (!synced) {
    context_.fail(synced.error());
    co_return false;
  }
  const bool replaced = co_await replace_log(part.id);
  if (!replaced) co_return false;
  snapshots_.loaded({part.id, part.position + static_cast<std::int64_t>(part.bytes.size()), part.last_contained_wall_ms});
  co_return true;
}

// The mark goes first, then the segments from the last one down, so that what a crash leaves has no hole.
Step<bool> SnapshotLoad::replace_log(core::SnapshotId id) {
  const bool marked = co_await marker_.set_durably(FlushMark());
  if (!marked) co_return false;
  Segment& active = segments_.active();
  active.file.reset();
  active.index_file.reset();
  active.time_index_file.reset();
  std::vector<Offset> bases;
  for (const Segment& segment : segments_.all) bases.push_back(segment.base);
  for (auto base = bases.rbegin(); base != bases.rend(); ++base) {
    const auto discarded = co_await trash_.discard_segment(*base);
    if (!discarded) {
      context_.fail(discarded.error());
      co_return false;
    }
  }
  auto created = co_await create_segment(context_, id.end);
  if (!created) {
    context_.fail(created.error());
    co_return false;
  }
  segments_.all.clear();
  segments_.all.push_back(std::move(*created));
  segments_.log_start = id.end;
  state_.truncate_epochs(Offset{0});
  appender_.restart_at(id.end);
  co_return true;
}

}  // namespace hayward::log
