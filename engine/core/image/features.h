// The finalized feature levels. kraft.version is not among them: raft keeps it.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/metadata_version.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class Features {
 public:
  // No level: not finalized yet (an empty log).
  std::optional<MetadataVersion> metadata_version() const;
  // 0: not finalized. metadata.version too.
  std::int16_t level(std::string_view name) const;
  bool elr_enabled() const { return level(elr_feature) >= 1; }
  // Ascending by name, metadata.version included; no level is 0.
  const std::map<std::string, std::int16_t, std::less<>>& all() const { return levels_; }
  // Offset of the record that changed a level last; -1: none yet.
  Offset changed_at() const { return changed_at_; }

  // Exchanges what is there for what is given (nullopt: not finalized), which is also how it is undone.
  void exchange(const std::string& name, std::optional<std::int16_t>& level, Offset& changed_at);

 private:
  std::map<std::string, std::int16_t, std::less<>> levels_;
  Offset changed_at_ = no_offset;
};

}  // namespace hayward::core
