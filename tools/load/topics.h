// CreateTopics, one topic a request, placed by the controller; names are a prefix and a number.
// Owner: `hayward load`. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "schemas/runtime/arena.h"
#include "tools/load/phase.h"

namespace hayward::tools {

struct TopicsOptions {
  std::string prefix;
  std::uint64_t count = 0;
  std::int32_t partitions = 1;
  std::int16_t replication_factor = 1;
};

class CreateTopicsWork final : public Work {
 public:
  explicit CreateTopicsWork(TopicsOptions options) : options_(std::move(options)) {}
  bool has_next(std::size_t) override { return begun_ < options_.count; }
  Bytes request(std::size_t slot) override;
  std::optional<ErrorCode> answer(std::size_t slot, Bytes body) override;
  bool finished() const override { return begun_ == options_.count; }

 private:
  TopicsOptions options_;
  std::uint64_t begun_ = 0;
  Buffer frame_;
  Arena arena_;
};

}  // namespace hayward::tools
