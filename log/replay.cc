#include "log/replay.h"

#include <utility>

#include "log/batch_cursor.h"

namespace hayward::log {
namespace {

using Load = std::function<std::expected<void, std::string>(Bytes)>;

// The batches of one file from `position` to `size`, those below `from` left out.
Step<std::expected<void, std::string>> load_file(ring::Port& port, std::string path, std::int64_t position,
                                                 std::int64_t size, Offset from, const Load& load) {
  const std::int32_t fd = co_await open_file(port, path, O_RDONLY);
  if (fd < 0) co_return std::unexpected(io_error(path, "to be opened", fd).error().to_line());
  std::expected<void, std::string> result;
  BatchCursor cursor(port, fd, position, size);
  while (!cursor.at_end() && result) {
    const BatchCheck check = cursor.peek();
    if (check.outcome == BatchCheck::Outcome::need_more) {
      const std::int32_t error = co_await cursor.fill(check.needed);
      if (error < 0) result = std::unexpected(io_error(path, "to be read", error).error().to_line());
      continue;
    }
    if (check.outcome == BatchCheck::Outcome::bad) {
      const LogError error{LogError::Kind::damaged, path, check.expected + " at byte " + std::to_string(cursor.position()),
                           check.found, "start again: recovery will say what is lost"};
      result = std::unexpected(error.to_line());
      continue;
    }
    if (check.header.base_offset >= from) result = load(cursor.bytes(check));
    cursor.advance(check.header.size());
  }
  co_await close_file(port, fd);
  co_return result;
}

}  // namespace

Step<std::expected<void, std::string>> replay(Context& context, const Segments& segments, const core::LogState& state,
                                              Load load_snapshot, Load load_log) {
  Offset from = state.start;
  if (!state.snapshots.empty()) {
    const core::SnapshotInfo& newest = state.snapshots.back();
    const auto loaded = co_await load_file(context.port, context.path(snapshot_file_name(newest.id)), 0, newest.size,
                                           Offset{0}, load_snapshot);
    if (!loaded) co_return loaded;
    from = newest.id.end;
  }
  for (const Segment& segment : segments.all) {
    if (segment.end <= from) continue;
    const std::int64_t position = from > segment.base ? segment.position_before(from) : 0;
    const auto loaded =
        co_await load_file(context.port, context.path(segment.file_name()), position, segment.size, from, load_log);
    if (!loaded) co_return loaded;
  }
  co_return std::expected<void, std::string>();
}

}  // namespace hayward::log
