// The first half of recovery: reads every segment from the first batch to the last, and says what the log
// holds, where it stops making sense, and how that place relates to the flush mark. Changes nothing.
// Owner: Recovery. Start-up.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"
#include "log/context.h"
#include "log/flush_mark.h"
#include "log/segments.h"

namespace hayward::log {

// Where a segment stops making sense.
struct ScanFault {
  std::string path;
  std::int64_t position = 0;
  std::string expected;
  std::string found;
  bool segments_follow = false;          // this is not the last segment
  std::int64_t valid_again_at = -1;      // an intact batch there or further on in the same segment; -1: none
  Offset valid_until{0};                 // the end of the last one
};

struct Scan {
  std::deque<Segment> segments;          // up to the fault; sizes and ends without it
  std::vector<Offset> beyond;            // segments after the faulty one, not read
  std::vector<core::EpochStart> epochs;
  std::optional<ScanFault> fault;
  enum class MarkFit : std::uint8_t { none, fits, beyond_end, contradicted };
  MarkFit mark_fit = MarkFit::none;      // beyond_end: the mark lies above what could be read
  Offset end{0};                         // of what makes sense
  FlushMark last;                        // the last batch that does, as a mark would name it

  // Acknowledged or valid data lies at or above `end`: up to here. nullopt: nothing is lost, at most
  // the last write was torn.
  std::optional<Offset> lost_until(const std::optional<FlushMark>& mark) const;
};

class SegmentScanner {
 public:
  // `bases` ascending; `recorded` is what leader-epoch-checkpoint says.
  SegmentScanner(Context& context, std::vector<Offset> bases, std::optional<FlushMark> mark,
                 std::vector<core::EpochStart> recorded)
      : context_(context), bases_(std::move(bases)), mark_(mark), recorded_(std::move(recorded)) {}

  Step<Result<Scan>> run();

 private:
  Step<Result<void>> scan_segment(std::size_t index);
  Step<Result<void>> look_beyond(ring::Fd fd, std::int64_t position, std::int64_t size);
  // Takes a valid batch; false with a fault set if it does not follow.
  bool take(Segment& segment, const BatchHeader& header, std::int64_t position);
  bool epoch_may_follow(const BatchHeader& header) const;
  Epoch expected_epoch(const BatchHeader& header) const;
  void set_fault(const Segment& segment, std::int64_t position, std::string expected, std::string found);
  void judge_mark(const BatchHeader& header);
  bool history_contradicts_mark() const;

  Context& context_;
  std::vector<Offset> bases_;
  std::optional<FlushMark> mark_;
  std::vector<core::EpochStart> recorded_;
  Scan scan_;
};

}  // namespace hayward::log
