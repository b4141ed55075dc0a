// See frozen_image.h.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/frozen_image.h"

#include <memory>
#include <variant>

namespace hayward::core {

FrozenImage::FrozenImage(const ImageParts& parts, UndoLog& undo)
    : undo_(undo),
      brokers_(MapEntries(parts.cluster.brokers())),
      controllers_(MapEntries(parts.cluster.controllers())),
      topics_(parts.topics),
      configs_(NestedEntries(parts.configs.all())),
      client_quotas_(NestedEntries(parts.client_quotas.all())),
      producer_ids_(parts.producer_ids),
      acls_(MapEntries(parts.acls.all())),
      scram_(MapEntries(parts.scram.all())),
      delegation_tokens_(MapEntries(parts.delegation_tokens.all())) {
  undo_.report_to(this);
}

FrozenImage::~FrozenImage() { undo_.report_to(nullptr); }

bool FrozenImage::walk(WalkBudget& budget, Visitor& visitor) {
  const bool before_producer_ids =
      brokers_.walk(budget, [&](NodeId, const auto& broker) { visitor.broker(broker); }) &&
      controllers_.walk(budget, [&](NodeId, const auto& controller) { visitor.controller(controller); }) &&
      topics_.walk(budget, visitor) &&
      configs_.walk(budget, [&](const auto& key, const auto& value) { visitor.config(key.first, key.second, value); }) &&
      client_quotas_.walk(budget, [&](const auto& key, double value) { visitor.client_quota(key.first, key.second, value); });
  if (!before_producer_ids) return false;
  if (producer_ids_) {
    if (budget.spent()) return false;
    budget.charge(1);
    visitor.producer_ids(*producer_ids_);
    producer_ids_.reset();
  }
  return acls_.walk(budget, [&](Uuid id, const auto& acl) { visitor.acl(id, acl); }) &&
         scram_.walk(budget, [&](const auto& key, const auto& credential) { visitor.scram_credential(key, credential); }) &&
         delegation_tokens_.walk(budget, [&](const auto&, const auto& token) { visitor.delegation_token(token); });
}

struct FrozenImage::Keeper {
  FrozenImage& frozen;
  void operator()(const PartitionChange& c) { frozen.topics_.before_partition(c.topic, c.index); }
  void operator()(const TopicChange& c) { frozen.topics_.before_topic(c.ordinal); }
  void operator()(const std::unique_ptr<BrokerChange>& c) { frozen.brokers_.before(c->id); }
  void operator()(const std::unique_ptr<ControllerChange>& c) { frozen.controllers_.before(c->id); }
  void operator()(const ConfigChange& c) { frozen.configs_.before({c.resource, c.key}); }
  void operator()(const QuotaChange& c) { frozen.client_quotas_.before({c.entity, c.key}); }
  void operator()(const AclChange& c) { frozen.acls_.before(c.id); }
  void operator()(const ScramChange& c) { frozen.scram_.before(c.key); }
  void operator()(const std::unique_ptr<TokenChange>& c) { frozen.delegation_tokens_.before(c->token_id); }
  // Read when the walk began, or no part of what is walked.
  void operator()(const FeatureChange&) {}
  void operator()(const ProducerIdsChange&) {}
  void operator()(const TransactionChange&) {}
  void operator()(const std::unique_ptr<AbortedRecords>&) {}
};

void FrozenImage::before(const Change& change) { std::visit(Keeper{*this}, change); }

std::size_t FrozenImage::pre_images() const {
  return brokers_.pre_images() + controllers_.pre_images() + topics_.pre_images() + configs_.pre_images() +
         client_quotas_.pre_images() + acls_.pre_images() + scram_.pre_images() + delegation_tokens_.pre_images();
}

}  // namespace hayward::core
