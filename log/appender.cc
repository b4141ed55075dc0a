#include "log/appender.h"

#include <algorithm>
#include <utility>

#include "log/files.h"
#include "schemas/batch/batch_reader.h"

namespace hayward::log {

void Appender::append(BatchPtr batch) {
  if (context_.failed()) return;
  HAYWARD_ASSERT(batch->base == end_, "appends without gaps");
  end_ = Offset{batch->last.value + 1};
  cache_.append(batch);
  queue_.emplace_back(std::move(batch));
  kick();
}

void Appender::truncate(Offset end) {
  if (context_.failed() || end >= end_) return;
  while (!queue_.empty()) {
    const BatchPtr* last = std::get_if<BatchPtr>(&queue_.back());
    if (!last || (*last)->base < end) break;
    queue_.pop_back();
  }
  ++generation_;
  end_ = end;
  cache_.truncate(end);
  queue_.emplace_back(end);
  kick();
}

void Appender::restart_at(Offset end) {
  HAYWARD_ASSERT(queue_.empty(), "an idle log is emptied");
  ++generation_;
  cache_.truncate(Offset{0});
  end_ = end;
}

void Appender::kick() {
  if (idle_.is_open()) run();
}

Task Appender::run() {
  idle_.shut();
  // What this round of completions sets off goes out together.
  co_await pass_round(context_.port);
  while (!queue_.empty() && !context_.failed()) {
    bool ok = true;
    if (const Offset* end = std::get_if<Offset>(&queue_.front())) {
      ok = co_await truncate_to(*end);
      if (ok) queue_.pop_front();
    } else if (must_roll(*std::get<BatchPtr>(queue_.front()), segments_.active().size)) {
      ok = co_await roll();
    } else {
      ok = co_await write_group();
    }
    if (!ok) break;
  }
  idle_.release();
}

bool Appender::must_roll(const EncodedBatch& next, std::int64_t size_before) const {
  const Segment& active = segments_.active();
  if (size_before == 0) return false;
  return size_before + static_cast<std::int64_t>(next.bytes.size()) > context_.options.segment_bytes ||
         next.last.value - active.base.value > INT32_MAX ||
         (active.first_wall_ms >= 0 && next.append_wall_ms - active.first_wall_ms > context_.options.segment_ms);
}

bool Appender::check(std::int32_t result, const std::string& path, const std::string& what) {
  if (result < 0) context_.fail(io_error(path, what, result).error());
  return result >= 0;
}

Step<bool> Appender::roll() {
  Segment& old = segments_.active();
  old.index.finish();
  const std::int32_t written = co_await write_index_entries(context_, old);
  if (!check(written, context_.path(old.file_name(index_suffix)), "index entries to be written")) co_return false;
  auto segment = co_await create_segment(context_, old.end);
  if (!segment) {
    context_.fail(segment.error());
    co_return false;
  }
  old.file.reset();
  old.index_file.reset();
  old.time_index_file.reset();
  segments_.all.push_back(std::move(*segment));
  co_return true;
}

Step<bool> Appender::write_group() {
  std::vector<BatchPtr> group;
  std::vector<iovec> parts;
  std::size_t bytes = 0;
  Segment& active = segments_.active();
  while (!queue_.empty() && group.size() < max_group_batches) {
    const BatchPtr* next = std::get_if<BatchPtr>(&queue_.front());
    if (!next || must_roll(**next, active.size + static_cast<std::int64_t>(bytes))) break;
    if (!group.empty() && bytes + (*next)->bytes.size() > max_group_bytes) break;
    bytes += (*next)->bytes.size();
    parts.push_back(as_iovec((*next)->bytes));
    group.push_back(*next);
    queue_.pop_front();
  }
  const std::int32_t result = co_await write_fully(context_.port, active.file->fd(), std::move(parts),
                                                   static_cast<std::uint64_t>(active.size), true);
  if (!check(result, context_.path(active.file_name()),
             "offsets " + std::to_string(group.front()->base.value) + " to " + std::to_string(group.back()->last.value) +
                 " to be written and synced at byte " + std::to_string(active.size)))
    co_return false;
  // Another part may have failed meanwhile: then nothing is announced any more.
  if (context_.failed()) co_return false;
  written(group);
  co_return true;
}

void Appender::written(const std::vector<BatchPtr>& group) {
  Segment& active = segments_.active();
  BatchHeader header;
  for (const BatchPtr& batch : group) {
    const auto parsed = parse_batch_header(batch->bytes);
    HAYWARD_ASSERT(parsed.has_value() && parsed->size() == batch->bytes.size(), "a batch to append is well formed");
    header = *parsed;
    active.add(header);
    state_.note_epoch(header.epoch, header.base_offset);
  }
  cache_.flushed(active.end);
  FlushMark mark;
  mark.end = active.end;
  mark.segment_base = active.base;
  mark.position = active.size;
  mark.epoch = header.epoch;
  mark.batch_crc = header.crc;
  marker_.flushed(mark);
  // A truncation that waits in the queue takes back what lies above it, and other batches may follow it
  // at the same offsets: what was written here is not to be announced in their place.
  Offset announced = active.end;
  for (const Item& item : queue_)
    if (const Offset* cut = std::get_if<Offset>(&item)) announced = std::min(announced, *cut);
  if (context_.events.flushed) context_.events.flushed(announced);
}

}  // namespace hayward::log
