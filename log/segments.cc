#include "log/segments.h"

#include <utility>

#include "log/files.h"

namespace hayward::log {
namespace {

// Appends `entries` (encoded) after the first `written` of `entry_bytes` each.
Step<std::int32_t> append_entries(Context& context, OpenFilePtr file, Buffer entries, std::uint64_t offset) {
  if (entries.empty()) co_return 0;
  co_return co_await write_fully(context.port, file->fd(), entries, offset, false);
}

Step<Result<OpenFilePtr>> open_existing(Context& context, std::string path, int flags) {
  const std::int32_t fd = co_await open_file(context.port, path, O_RDWR | flags);
  if (fd < 0) co_return io_error(path, "to be opened", fd);
  co_return context.adopt(fd);
}

Step<Result<OpenFilePtr>> create(Context& context, std::string path, int flags) {
  const std::int32_t fd = co_await open_file(context.port, path, O_RDWR | O_CREAT | flags);
  if (fd < 0) co_return io_error(path, "to be created", fd);
  co_return context.adopt(fd);
}

Step<Result<void>> write_producer_snapshot(Context& context, Offset base) {
  const std::string path = context.path(segment_file_name(base, producer_snapshot_suffix));
  auto file = co_await create(context, path, O_TRUNC);
  if (!file) co_return std::unexpected(file.error());
  std::int32_t result =
      co_await write_fully(context.port, (*file)->fd(), empty_producer_snapshot(), 0, false);
  if (result == 0) result = co_await sync_file(context.port, (*file)->fd());
  if (result < 0) co_return io_error(path, "to be written and synced", result);
  co_return Result<void>();
}

}  // namespace

Step<std::int32_t> write_index_entries(Context& context, Segment& segment) {
  // All is taken from the segment before the first wait: it may be rolled or grow meanwhile.
  const std::size_t index_from = std::exchange(segment.index_entries_written, segment.index.index().size());
  const std::size_t time_from = std::exchange(segment.time_index_entries_written, segment.index.time_index().size());
  const OpenFilePtr time_index_file = segment.time_index_file;
  Buffer time_entries = encode_time_index(segment.index.time_index(), time_from);
  const std::int32_t result =
      co_await append_entries(context, segment.index_file, encode_index(segment.index.index(), index_from),
                              index_from * index_entry_bytes);
  if (result < 0) co_return result;
  co_return co_await append_entries(context, time_index_file, std::move(time_entries), time_from * time_index_entry_bytes);
}

Step<std::int32_t> reset_index_files(Context& context, Segment& segment) {
  segment.index_entries_written = segment.time_index_entries_written = 0;
  const std::int32_t result = co_await truncate_file(context.port, segment.index_file->fd(), 0);
  if (result < 0) co_return result;
  co_return co_await truncate_file(context.port, segment.time_index_file->fd(), 0);
}

Step<Result<void>> open_segment(Context& context, Segment& segment) {
  auto log_file = co_await open_existing(context, context.path(segment.file_name()), 0);
  if (!log_file) co_return std::unexpected(log_file.error());
  auto index_file = co_await open_existing(context, context.path(segment.file_name(index_suffix)), O_CREAT | O_TRUNC);
  if (!index_file) co_return std::unexpected(index_file.error());
  auto time_index_file =
      co_await open_existing(context, context.path(segment.file_name(time_index_suffix)), O_CREAT | O_TRUNC);
  if (!time_index_file) co_return std::unexpected(time_index_file.error());
  segment.file = *log_file;
  segment.index_file = *index_file;
  segment.time_index_file = *time_index_file;
  segment.index_entries_written = segment.time_index_entries_written = 0;
  co_return Result<void>();
}

Step<Result<Segment>> create_segment(Context& context, Offset base) {
  // Java takes a producer snapshot at each roll, none for the log's first segment.
  if (base > Offset{0}) {
    const auto written = co_await write_producer_snapshot(context, base);
    if (!written) co_return std::unexpected(written.error());
  }
  Segment segment;
  segment.base = segment.end = base;
  const auto log_file = co_await create(context, context.path(segment.file_name()), O_EXCL);
  if (!log_file) co_return std::unexpected(log_file.error());
  const auto index_file = co_await create(context, context.path(segment.file_name(index_suffix)), O_TRUNC);
  if (!index_file) co_return std::unexpected(index_file.error());
  const auto time_index_file = co_await create(context, context.path(segment.file_name(time_index_suffix)), O_TRUNC);
  if (!time_index_file) co_return std::unexpected(time_index_file.error());
  segment.file = *log_file;
  segment.index_file = *index_file;
  segment.time_index_file = *time_index_file;
  const auto synced = co_await sync_directory(context.port, context.directory);
  if (!synced) co_return std::unexpected(synced.error());
  co_return std::move(segment);
}

}  // namespace hayward::log
