// Asks for the high watermark of the metadata log (DescribeQuorum): what a broker that has read everything would say in
// its heartbeats. A broker's epoch is not enough: other records may stand before its registration's in one batch.
// Owner: `hayward load`. One thread.
#pragma once

#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"
#include "tools/load/phase.h"

namespace hayward::tools {

// One question, by whichever slot is asked first.
class LogEndWork final : public Work {
 public:
  bool has_next(std::size_t) override { return !asked_; }
  Bytes request(std::size_t slot) override;
  std::optional<ErrorCode> answer(std::size_t slot, Bytes body) override;
  bool finished() const override { return answered_; }
  // no_offset: not known.
  Offset high_watermark() const { return high_watermark_; }

 private:
  bool asked_ = false;
  bool answered_ = false;
  Offset high_watermark_ = no_offset;
  Buffer frame_;
  Arena arena_;
};

}  // namespace hayward::tools
