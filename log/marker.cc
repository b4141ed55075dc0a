#include "log/marker.h"

#include "log/files.h"

namespace hayward::log {

void Marker::flushed(FlushMark mark) {
  mark.sequence = mark_.sequence + 1;
  mark_ = mark;
  dirty_ = true;
  if (idle_.is_open()) write_marks();
  if (synced_.is_open()) sync_later();
}

Task Marker::write_marks() {
  idle_.shut();
  while (dirty_ && !context_.failed()) {
    dirty_ = false;
    const bool written = co_await write(mark_, false);
    if (!written) break;
  }
  idle_.release();
}

Step<bool> Marker::write(FlushMark mark, bool durable) {
  const FlushMarkSlot slot = encode_flush_mark(mark);
  const std::int32_t result =
      co_await write_fully(context_.port, file_->fd(), slot, flush_mark_offset(mark.sequence), durable);
  if (result < 0)
    context_.fail(io_error(context_.path(flush_mark_name), "the flush mark to be written", result).error());
  co_return result == 0;
}

Task Marker::sync_later() {
  synced_.shut();
  const bool due = co_await context_.sleep_ms(context_.options.mark_sync_delay_ms);
  if (due && !context_.failed()) co_await sync();
  synced_.release();
}

Step<bool> Marker::sync() {
  std::int32_t result = co_await write_index_entries(context_, segments_.active());
  if (result < 0) {
    context_.fail(io_error(context_.path(segments_.active().file_name(index_suffix)), "to be written", result).error());
    co_return false;
  }
  result = co_await sync_file(context_.port, file_->fd());
  if (result < 0) context_.fail(io_error(context_.path(flush_mark_name), "to be synced", result).error());
  co_return result == 0;
}

Step<bool> Marker::set_durably(FlushMark mark) {
  co_await idle_.opened();
  mark.sequence = mark_.sequence + 1;
  mark_ = mark;
  dirty_ = false;
  co_return co_await write(mark, true);
}

Step<bool> Marker::close() {
  co_await idle_.opened();
  co_await synced_.opened();
  const bool ok = context_.failed() || co_await sync();
  file_.reset();
  co_return ok;
}

}  // namespace hayward::log
