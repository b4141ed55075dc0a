// The image as it was at one moment, walked in slices while it changes. Every change goes through UndoLog's exchange, which
// tells this one first: what the change names leaves its pre-image here, unless the walk has passed it.
// Owner: a SnapshotWriter. Shard 0.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/image/frozen_map.h"
#include "engine/core/image/frozen_topics.h"
#include "engine/core/image/parts.h"
#include "engine/core/image/undo.h"
#include "engine/core/image/walk_budget.h"

namespace hayward::core {

// Features are not in it: they are few, and whoever walks reads them first.
class FrozenImage {
 public:
  // Now is the moment, and `undo` reports what changes as long as this lives; both must outlive it, at their place.
  FrozenImage(const ImageParts& parts, UndoLog& undo);
  ~FrozenImage();
  FrozenImage(const FrozenImage&) = delete;
  FrozenImage& operator=(const FrozenImage&) = delete;

  class Visitor : public FrozenTopics::Visitor {
   public:
    virtual void broker(const BrokerRegistration& broker) = 0;
    virtual void controller(const ControllerRegistration& controller) = 0;
    virtual void config(const ConfigResource& resource, std::string_view key, std::string_view value) = 0;
    virtual void client_quota(const QuotaEntity& entity, std::string_view key, double value) = 0;
    virtual void producer_ids(const ProducerIds& ids) = 0;
    virtual void acl(Uuid id, const Acl& acl) = 0;
    virtual void scram_credential(const ScramKey& key, const ScramCredential& credential) = 0;
    virtual void delegation_token(const DelegationToken& token) = 0;
  };
  // Walks on, family by family in Kafka's order, until the budget is spent. An entry costs 1, and whatever the visitor
  // charges. True: all have been visited.
  bool walk(WalkBudget& budget, Visitor& visitor);

  // Before the change is made.
  void before(const Change& change);

  std::size_t pre_images() const;

 private:
  struct Keeper;

  UndoLog& undo_;
  FrozenMap<MapEntries<std::map<NodeId, BrokerRegistration>>> brokers_;
  FrozenMap<MapEntries<std::map<NodeId, ControllerRegistration>>> controllers_;
  FrozenTopics topics_;
  FrozenMap<NestedEntries<std::map<ConfigResource, ConfigMap>>> configs_;
  FrozenMap<NestedEntries<std::map<QuotaEntity, QuotaMap>>> client_quotas_;
  std::optional<ProducerIds> producer_ids_;  // until it has been visited
  FrozenMap<MapEntries<std::map<Uuid, Acl>>> acls_;
  FrozenMap<MapEntries<std::map<ScramKey, ScramCredential>>> scram_;
  FrozenMap<MapEntries<std::map<std::string, DelegationToken, std::less<>>>> delegation_tokens_;
};

}  // namespace hayward::core
