#include "log/recovery_scan.h"

#include <algorithm>
#include <utility>

#include "log/appender.h"
#include "log/batch_cursor.h"

namespace hayward::log {

std::optional<Offset> Scan::lost_until(const std::optional<FlushMark>& mark) const {
  std::optional<Offset> lost;
  if (mark_fit == MarkFit::beyond_end) lost = mark->end;
  if (!fault) return lost;
  if (fault->segments_follow) lost = std::max(lost.value_or(end), beyond.back());
  if (fault->valid_again_at >= 0) {
    // The sectors of one write reach the disk in any order: with a mark that fits, a valid batch close
    // behind the bad one is the rest of a torn write.
    const std::int64_t distance = fault->valid_again_at - fault->position;
    const bool one_write =
        mark_fit == MarkFit::fits && distance > 0 && distance < static_cast<std::int64_t>(max_group_bytes);
    if (!one_write) lost = std::max(lost.value_or(end), fault->valid_until);
  }
  return lost;
}

Step<Result<Scan>> SegmentScanner::run() {
  for (std::size_t i = 0; i < bases_.size() && !scan_.fault; ++i) {
    const auto scanned = co_await scan_segment(i);
    if (!scanned) co_return std::unexpected(scanned.error());
  }
  if (!scan_.segments.empty()) scan_.end = scan_.segments.back().end;
  if (scan_.fault)
    for (const Offset base : bases_)
      if (base > scan_.segments.back().base) scan_.beyond.push_back(base);
  if (mark_ && scan_.mark_fit == Scan::MarkFit::none && mark_->end > scan_.end)
    scan_.mark_fit = history_contradicts_mark() ? Scan::MarkFit::contradicted : Scan::MarkFit::beyond_end;
  // An empty mark, and one that lies at or below where the log begins, contradict nothing.
  const Offset start = bases_.empty() ? Offset{0} : bases_.front();
  if (mark_ && scan_.mark_fit == Scan::MarkFit::none && mark_->end <= start) scan_.mark_fit = Scan::MarkFit::fits;
  co_return std::move(scan_);
}

Step<Result<void>> SegmentScanner::scan_segment(std::size_t index) {
  Segment segment;
  segment.base = segment.end = bases_[index];
  const std::string path = context_.path(segment.file_name());
  const std::int64_t size = context_.port.file_size(path.c_str());
  if (size < 0) co_return io_error(path, "a file size", size);
  const std::int32_t fd = co_await open_file(context_.port, path, O_RDONLY);
  if (fd < 0) co_return io_error(path, "to be opened", fd);
  const bool last = index + 1 == bases_.size();
  if (last) {
    // The page cache may hold what a failed sync never brought to the disk.
    const std::int64_t from = mark_ && mark_->segment_base == segment.base ? std::min(mark_->position, size) : 0;
    context_.port.drop_cache(fd, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(size - from));
  }
  if (index > 0 && segment.base != scan_.segments.back().end)
    set_fault(segment, 0, "a segment that begins at offset " + std::to_string(scan_.segments.back().end.value),
              "one that begins at " + std::to_string(segment.base.value));
  std::int32_t error = 0;
  BatchCursor cursor(context_.port, fd, 0, size);
  while (!cursor.at_end() && !scan_.fault && error == 0) {
    const BatchCheck check = cursor.peek();
    if (check.outcome == BatchCheck::Outcome::need_more) {
      error = co_await cursor.fill(check.needed);
    } else if (check.outcome == BatchCheck::Outcome::bad) {
      set_fault(segment, cursor.position(), check.expected, check.found);
    } else if (take(segment, check.header, cursor.position())) {
      cursor.advance(check.header.size());
    }
  }
  Result<void> beyond;
  if (error == 0 && scan_.fault) {
    scan_.fault->segments_follow = !last;
    scan_.end = segment.end;
    const std::int64_t intact = scan_.fault->valid_again_at < 0 ? 0 : static_cast<std::int64_t>(cursor.peek().header.size());
    beyond = co_await look_beyond(fd, cursor.position() + intact, size);
  }
  co_await close_file(context_.port, fd);
  if (error < 0) co_return io_error(path, "to be read", error);
  scan_.segments.push_back(std::move(segment));
  co_return beyond;
}

// The checksum does not cover the epoch. But a new epoch always begins with its leader's control batch,
// and the mark knows its batch's epoch.
bool SegmentScanner::epoch_may_follow(const BatchHeader& header) const {
  if (!scan_.epochs.empty() && header.epoch < scan_.epochs.back().epoch) return false;
  if (expected_epoch(header) == header.epoch) return true;
  const bool marked = mark_ && end_of(header) == mark_->end && header.crc == mark_->batch_crc;
  return !marked && header.is_control();
}

Epoch SegmentScanner::expected_epoch(const BatchHeader& header) const {
  if (mark_ && end_of(header) == mark_->end && header.crc == mark_->batch_crc) return mark_->epoch;
  return scan_.epochs.empty() ? header.epoch : scan_.epochs.back().epoch;
}

bool SegmentScanner::take(Segment& segment, const BatchHeader& header, std::int64_t position) {
  if (header.base_offset != segment.end) {
    set_fault(segment, position, "a batch at offset " + std::to_string(segment.end.value),
              "one at offset " + std::to_string(header.base_offset.value));
  } else if (!epoch_may_follow(header)) {
    const std::string later = scan_.epochs.empty() ? "" : " (before it: " + std::to_string(scan_.epochs.back().epoch.value) + ")";
    set_fault(segment, position, "epoch " + std::to_string(expected_epoch(header).value) + later,
              "epoch " + std::to_string(header.epoch.value));
  } else if (header.last_offset().value - segment.base.value > INT32_MAX || position > INT32_MAX) {
    set_fault(segment, position, "a segment within 2^31 offsets and bytes", "a larger one");
  }
  if (scan_.fault) {
    // The batch itself is intact: no torn write, whatever follows.
    scan_.fault->valid_again_at = position;
    scan_.fault->valid_until = Offset{segment.end.value + header.record_count};
    return false;
  }
  const Epoch last_epoch = scan_.epochs.empty() ? Epoch{0} : scan_.epochs.back().epoch;
  if (scan_.epochs.empty() || header.epoch > last_epoch) scan_.epochs.push_back({header.epoch, header.base_offset});
  if (mark_ && scan_.mark_fit == Scan::MarkFit::none) judge_mark(header);
  segment.add(header);
  scan_.last = {0, segment.end, segment.base, segment.size, header.epoch, header.crc};
  return true;
}

void SegmentScanner::set_fault(const Segment& segment, std::int64_t position, std::string expected, std::string found) {
  ScanFault fault;
  fault.path = context_.path(segment.file_name());
  fault.position = position;
  fault.expected = std::move(expected);
  fault.found = std::move(found);
  scan_.fault = std::move(fault);
}

void SegmentScanner::judge_mark(const BatchHeader& header) {
  if (end_of(header) < mark_->end) return;
  const bool same = end_of(header) == mark_->end && header.epoch == mark_->epoch && header.crc == mark_->batch_crc;
  if (same) scan_.mark_fit = Scan::MarkFit::fits;
  else if (header.base_offset < mark_->end) scan_.mark_fit = Scan::MarkFit::contradicted;
}

bool SegmentScanner::history_contradicts_mark() const {
  if (!scan_.epochs.empty() && scan_.epochs.back().epoch > mark_->epoch) return true;
  return std::any_of(recorded_.begin(), recorded_.end(), [this](const core::EpochStart& entry) {
    return entry.epoch > mark_->epoch && entry.start < mark_->end;
  });
}

Step<Result<void>> SegmentScanner::look_beyond(ring::Fd fd, std::int64_t position, std::int64_t size) {
  BatchCursor cursor(context_.port, fd, position, size);
  while (!cursor.at_end()) {
    const Bytes window = cursor.window();
    if (window.size() <= batch_format::magic_at) {
      if (size - cursor.position() < static_cast<std::int64_t>(batch_format::records_at)) break;
      const std::int32_t error = co_await cursor.fill(batch_format::records_at);
      if (error < 0) co_return io_error(scan_.fault->path, "to be read", error);
      continue;
    }
    if (window[batch_format::magic_at] != std::byte{static_cast<unsigned char>(batch_format::magic)}) {
      cursor.advance(1);
      continue;
    }
    const BatchCheck check = cursor.peek();
    if (check.outcome == BatchCheck::Outcome::need_more && check.needed <= max_batch_bytes) {
      const std::int32_t error = co_await cursor.fill(check.needed);
      if (error < 0) co_return io_error(scan_.fault->path, "to be read", error);
      continue;
    }
    // One byte at least for each offset: whatever claims more is no batch of this place.
    const bool later = check.outcome == BatchCheck::Outcome::valid && check.header.base_offset >= scan_.end &&
                       check.header.base_offset.value - scan_.end.value <= size - position;
    if (later) {
      if (scan_.fault->valid_again_at < 0) scan_.fault->valid_again_at = cursor.position();
      scan_.fault->valid_until = std::max(scan_.fault->valid_until, end_of(check.header));
    }
    cursor.advance(later ? check.header.size() : 1);
  }
  co_return Result<void>();
}

}  // namespace hayward::log
