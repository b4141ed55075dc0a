// Walks the batches of a .log or .checkpoint file that is in memory, from the first byte to the last,
// whatever they are: every fault is named with its place, and the walk goes on behind it. For `inspect`
// and the fuzzer; recovery has its own (recovery_scan.h), which stops at the first fault.
// Owner: whoever walks. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "log/batch_check.h"
#include "schemas/runtime/bytes.h"

namespace hayward::log {

struct WalkedBatch {
  std::uint64_t position = 0;              // in the file
  std::uint64_t size = 0;                  // bytes until the next item
  std::optional<BatchHeader> header;       // nullopt: bytes that are no batch
  Bytes bytes;                             // all `size` of them
  std::string fault;                       // "expected ..., found ..."; empty: in order
};

class BatchWalk {
 public:
  // `first`: the base offset that the first batch must have (a segment's base, 0 in a checkpoint); nullopt: any.
  BatchWalk(Bytes file, std::optional<Offset> first) : file_(file), expected_(first) {}

  // nullopt at the end of the file.
  std::optional<WalkedBatch> next();
  // Items with a fault so far.
  std::int64_t faults() const { return faults_; }

 private:
  WalkedBatch skip_garbage(const BatchCheck& check);
  std::string order_fault(const BatchHeader& header) const;

  Bytes file_;
  std::size_t at_ = 0;
  std::optional<Offset> expected_;
  Epoch epoch_{0};
  std::int64_t faults_ = 0;
};

}  // namespace hayward::log
