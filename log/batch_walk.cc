#include "log/batch_walk.h"

#include <algorithm>
#include <utility>

namespace hayward::log {
namespace {

std::string told(const BatchCheck& check) { return "expected " + check.expected + ", found " + check.found; }

bool may_begin_batch(Bytes rest) {
  return rest.size() > batch_format::magic_at && rest[batch_format::magic_at] == std::byte{batch_format::magic};
}

}  // namespace

std::optional<WalkedBatch> BatchWalk::next() {
  if (at_ >= file_.size()) return std::nullopt;
  const Bytes rest = file_.subspan(at_);
  BatchCheck check = check_file_batch(rest, rest.size());
  WalkedBatch walked;
  if (check.outcome == BatchCheck::Outcome::bad && !check.skippable) {
    walked = skip_garbage(check);
  } else {
    walked.header = check.header;
    walked.fault = check.outcome == BatchCheck::Outcome::bad ? told(check) : order_fault(check.header);
    walked.size = check.header.size();
    expected_ = end_of(check.header);
    epoch_ = check.header.epoch;
  }
  walked.position = at_;
  walked.bytes = rest.first(walked.size);
  at_ += walked.size;
  if (!walked.fault.empty()) ++faults_;
  return walked;
}

std::string BatchWalk::order_fault(const BatchHeader& header) const {
  if (expected_ && header.base_offset != *expected_)
    return "expected a batch at offset " + std::to_string(expected_->value) + ", found one at offset " +
           std::to_string(header.base_offset.value);
  if (header.epoch < epoch_)
    return "expected epoch " + std::to_string(epoch_.value) + " or later, found " + std::to_string(header.epoch.value);
  return {};
}

// Up to the next intact batch, or the end.
WalkedBatch BatchWalk::skip_garbage(const BatchCheck& check) {
  WalkedBatch walked;
  walked.fault = told(check);
  std::size_t to = at_ + 1;
  for (; to < file_.size(); ++to) {
    const Bytes rest = file_.subspan(to);
    if (may_begin_batch(rest) && check_file_batch(rest, rest.size()).outcome == BatchCheck::Outcome::valid) break;
  }
  walked.size = to - at_;
  return walked;
}

}  // namespace hayward::log
