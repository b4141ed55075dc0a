// The finalized features as others are told of them: the committed ones, and nothing at all before this
// node knows what is committed. Never older than told before, never empty again (P12).
// Owner: the node. Shard 0.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "engine/core/image/features.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class PublishedFeatures {
 public:
  using Levels = std::map<std::string, std::int16_t, std::less<>>;

  // Everything below `high_watermark` is committed; `features` are those of the log's end.
  void committed(Offset high_watermark, const Features& features) {
    if (features.all().empty() || features.changed_at() >= high_watermark) return;
    levels_ = features.all();
    epoch_ = Offset{high_watermark.value - 1};
  }

  // The last committed offset when the levels were known to hold; -1: not known yet.
  Offset epoch() const { return epoch_; }
  const Levels& levels() const { return levels_; }

 private:
  Levels levels_;
  Offset epoch_ = no_offset;
};

}  // namespace hayward::core
