// CreateTopics, one topic a request; names are a prefix and a number. The controller places the replicas, or the tool
// does: then they are on the brokers that are to die, but for one replica of some partitions.
// Owner: `hayward load`. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"
#include "tools/load/phase.h"

namespace hayward::tools {

// Where the tool places replicas.
struct Placement {
  std::vector<NodeId> doomed;  // leaders, and as many other replicas as there are brokers for; empty: nothing is placed
  std::vector<NodeId> living;  // of `survivors_percent` of the partitions the last replica
  unsigned survivors_percent = 0;

  // The replicas of the n-th partition: every broker leads, and follows every other, equally often.
  std::vector<NodeId> replicas(std::uint64_t n, std::int16_t replication_factor) const;
};

struct TopicsOptions {
  std::string prefix;
  std::uint64_t count = 0;
  std::int32_t partitions = 1;
  std::int16_t replication_factor = 1;
  Placement placement;
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
  std::uint64_t partitions_begun_ = 0;
  Buffer frame_;
  Arena arena_;
};

}  // namespace hayward::tools
