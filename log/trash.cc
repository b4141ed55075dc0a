#include "log/trash.h"

#include <utility>

#include "log/files.h"

namespace hayward::log {

Step<Result<void>> Trash::discard(std::vector<std::string> names) {
  std::vector<std::string> deleted;
  for (const std::string& name : names) {
    const std::string from = context_.path(name);
    const std::string to = from + std::string(deleted_suffix);
    const std::int32_t result = co_await rename_file(context_.port, from, to);
    if (result == -ENOENT) continue;
    if (result < 0) co_return io_error(from, "to be renamed to " + to, result);
    deleted.push_back(to);
  }
  const auto synced = co_await sync_directory(context_.port, context_.directory);
  if (!synced) co_return synced;
  if (!deleted.empty()) unlink_later(std::move(deleted));
  co_return Result<void>();
}

Step<Result<void>> Trash::discard_segment(Offset base) {
  std::vector<std::string> names;
  for (const std::string_view suffix : {log_suffix, index_suffix, time_index_suffix, producer_snapshot_suffix})
    names.push_back(segment_file_name(base, suffix));
  co_return co_await discard(std::move(names));
}

Task Trash::unlink_later(std::vector<std::string> paths) {
  const bool due = co_await context_.sleep_ms(context_.options.delete_delay_ms);
  if (!due) co_return;
  for (const std::string& path : paths) {
    const auto removed = co_await remove_file(context_.port, path);
    if (!removed) context_.fail(removed.error());
  }
}

}  // namespace hayward::log
