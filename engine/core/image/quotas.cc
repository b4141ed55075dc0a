// Client quotas: look-up and exchange.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/quotas.h"

#include "engine/core/image/exchange.h"

namespace hayward::core {

const QuotaMap& ClientQuotas::of(const QuotaEntity& entity) const {
  static const QuotaMap none;
  const auto at = quotas_.find(entity);
  return at == quotas_.end() ? none : at->second;
}

void ClientQuotas::exchange(const QuotaEntity& entity, const std::string& key, std::optional<double>& other) {
  exchange_inner_entry(quotas_, entity, key, other);
}

}  // namespace hayward::core
