// Client quotas, and the next block of producer ids.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/runtime/ids.h"

namespace hayward::core {

// Entity type (user, client-id, ip) -> name; nullopt: the default entity.
using QuotaEntity = std::map<std::string, std::optional<std::string>>;
using QuotaMap = std::map<std::string, double, std::less<>>;

class ClientQuotas {
 public:
  // Ascending; none empty.
  const std::map<QuotaEntity, QuotaMap>& all() const { return quotas_; }
  // Empty for an entity without quotas.
  const QuotaMap& of(const QuotaEntity& entity) const;

  void exchange(const QuotaEntity& entity, const std::string& key, std::optional<double>& other);

 private:
  std::map<QuotaEntity, QuotaMap> quotas_;
};

struct ProducerIds {
  NodeId broker = no_node;          // who was given the last block
  BrokerEpoch broker_epoch{-1};
  std::int64_t next_producer_id = -1;  // first id of the next block; -1: none given yet (the first is 0)
  friend bool operator==(const ProducerIds&, const ProducerIds&) = default;
};

}  // namespace hayward::core
