// What one slice of a walk over the image may still cost.
// Owner: a SnapshotWriter. Shard 0.
#pragma once

#include <algorithm>
#include <cstddef>

namespace hayward::core {

class WalkBudget {
 public:
  explicit WalkBudget(std::size_t entries) : left_(entries) {}

  bool spent() const { return left_ == 0; }
  void charge(std::size_t entries) { left_ -= std::min(left_, entries); }

 private:
  std::size_t left_;
};

}  // namespace hayward::core
