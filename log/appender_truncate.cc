// Appender's other half: cutting the uncommitted suffix of the log, as a follower must whose leader
// has other batches there.
#include <cerrno>
#include <optional>
#include <utility>

#include "log/appender.h"
#include "log/batch_cursor.h"
#include "log/files.h"

namespace hayward::log {
namespace {

struct Cut {
  std::int32_t error = 0;
  std::int64_t position = 0;           // where the first batch that goes begins
  bool aligned = false;                // a batch begins (or would begin) at the offset asked for
  std::optional<BatchHeader> last;     // the last batch that stays in this segment
};

// Finds `end` in the segment.
Step<Cut> locate(ring::Port& port, const Segment& segment, Offset end) {
  Cut cut;
  const bool whole = end <= segment.base;
  // From a batch earlier than needed, so that the last one that stays is seen.
  const std::int64_t from = whole ? 0 : segment.position_before(Offset{end.value - 1});
  cut.position = from;
  if (whole) {
    cut.aligned = end == segment.base;
    co_return cut;
  }
  BatchCursor cursor(port, segment.file->fd(), from, segment.size);
  while (!cursor.at_end()) {
    const BatchCheck check = cursor.peek();
    if (check.outcome == BatchCheck::Outcome::need_more) {
      cut.error = co_await cursor.fill(check.needed);
      if (cut.error < 0) co_return cut;
      continue;
    }
    if (check.outcome == BatchCheck::Outcome::bad) {
      cut.error = -EBADMSG;
      co_return cut;
    }
    if (check.header.last_offset() >= end) break;
    cut.last = check.header;
    cursor.advance(check.header.size());
  }
  cut.position = cursor.position();
  cut.aligned = cut.last && end_of(*cut.last) == end;
  co_return cut;
}

}  // namespace

Step<bool> Appender::truncate_to(Offset end) {
  if (end >= segments_.flushed_end()) co_return true;
  // From the last segment down, so that what a crash leaves has no hole. The first one stays, emptied.
  // The mark goes down before anything else: a log that is shorter than its mark would count as damaged.
  if (segments_.active().base >= end) {
    const bool lowered = co_await marker_.set_durably(FlushMark());
    if (!lowered) co_return false;
  }
  // No wait between the question and the act: retention takes segments away at the other end meanwhile.
  while (segments_.all.size() > 1 && segments_.active().base >= end) {
    const Offset base = segments_.active().base;
    segments_.all.pop_back();
    const auto discarded = co_await trash_.discard_segment(base);
    if (!discarded) {
      context_.fail(discarded.error());
      co_return false;
    }
    const bool active_again = co_await activate_last();
    if (!active_again) co_return false;
  }
  Segment& active = segments_.active();
  const std::string path = context_.path(active.file_name());
  const Cut cut = co_await locate(context_.port, active, end);
  if (!check(cut.error, path, "to be read for a truncation to offset " + std::to_string(end.value))) co_return false;
  if (!cut.aligned) {
    context_.fail({LogError::Kind::invalid_argument, path, "a batch to begin at offset " + std::to_string(end.value),
                   "none there", "the order to truncate came from another node: look at its log"});
    co_return false;
  }
  FlushMark mark;
  if (cut.last) {
    mark.end = end;
    mark.segment_base = active.base;
    mark.position = cut.position;
    mark.epoch = cut.last->epoch;
    mark.batch_crc = cut.last->crc;
  }
  const bool marked = co_await marker_.set_durably(mark);
  if (!marked) co_return false;
  std::int32_t result = co_await truncate_file(context_.port, active.file->fd(), static_cast<std::uint64_t>(cut.position));
  if (result == 0) result = co_await sync_file(context_.port, active.file->fd());
  if (!check(result, path, "to be cut at byte " + std::to_string(cut.position) + " and synced")) co_return false;
  active.size = cut.position;
  active.end = end;
  if (cut.position == 0) active.first_wall_ms = -1;
  active.index.truncate(static_cast<std::int32_t>(cut.position));
  result = co_await reset_index_files(context_, active);
  if (!check(result, context_.path(active.file_name(index_suffix)), "to be emptied")) co_return false;
  state_.truncate_epochs(end);
  co_return true;
}

Step<bool> Appender::activate_last() {
  auto opened = co_await open_segment(context_, segments_.active());
  if (!opened) context_.fail(opened.error());
  co_return opened.has_value();
}

}  // namespace hayward::log
