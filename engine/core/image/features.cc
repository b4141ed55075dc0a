// Features: look-ups and the exchange.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/features.h"

#include <utility>

#include "engine/core/image/exchange.h"

namespace hayward::core {

std::int16_t Features::level(std::string_view name) const {
  const auto at = levels_.find(name);
  return at == levels_.end() ? std::int16_t{0} : at->second;
}

std::optional<MetadataVersion> Features::metadata_version() const {
  const auto at = levels_.find(metadata_version_feature);
  if (at == levels_.end()) return std::nullopt;
  return MetadataVersion{at->second};
}

void Features::exchange(const std::string& name, std::optional<std::int16_t>& level, Offset& changed_at) {
  exchange_entry(levels_, name, level);
  std::swap(changed_at_, changed_at);
}

}  // namespace hayward::core
