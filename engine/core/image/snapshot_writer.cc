// The checkpoint's records, entity by entity. What the finalized metadata.version cannot hold is left out: Kafka lets no
// one lower it past such records, so there should be none.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/snapshot_writer.h"

#include <string>
#include <utility>

#include "engine/core/image/frozen_image.h"
#include "engine/core/image/snapshot_batches.h"
#include "schemas/records/access_control_entry_record.h"
#include "schemas/records/client_quota_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/delegation_token_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/producer_ids_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/register_controller_record.h"
#include "schemas/records/topic_record.h"
#include "schemas/records/user_scram_credential_record.h"

namespace hayward::core {
namespace {

// An entry costs its slice one more for every so many bytes, so that large ones don't make a slice large.
constexpr std::size_t bytes_per_entry = 256;

}  // namespace

class SnapshotWriter::Encoder final : public FrozenImage::Visitor {
 public:
  Encoder(Image& image, SnapshotMeta meta)
      : elr_enabled_(image.features().elr_enabled()),
        batches_(std::move(meta), image.features().metadata_version().value_or(minimum_metadata_version)),
        frozen_(image.freeze()) {
    HAYWARD_ASSERT(!image.in_transaction(), "a snapshot is of stable state");
    batches_.add_header();
    write_features(image.features());
  }

  std::vector<Buffer> next(std::size_t max_entries) {
    budget_ = WalkBudget(max_entries);
    done_ = frozen_->walk(budget_, *this);
    if (done_) batches_.add_footer();
    return batches_.take();
  }
  bool done() const { return done_; }
  std::size_t pre_images() const { return frozen_->pre_images(); }

  void broker(const BrokerRegistration& broker) override;
  void controller(const ControllerRegistration& controller) override;
  void topic(TopicId id, std::string_view name) override { add(records::TopicRecord{name, id}); }
  void partition(TopicId topic, const Partition& partition) override;
  void config(const ConfigResource& resource, std::string_view key, std::string_view value) override;
  void client_quota(const QuotaEntity& entity, std::string_view key, double value) override;
  void producer_ids(const ProducerIds& ids) override;
  void acl(Uuid id, const Acl& acl) override;
  void scram_credential(const ScramKey& key, const ScramCredential& credential) override;
  void delegation_token(const DelegationToken& token) override;

 private:
  void write_features(const Features& features);

  template <class Record>
  void add(const Record& record) {
    budget_.charge(batches_.add(record) / bytes_per_entry);
    arena_.reset();
  }

  const bool elr_enabled_;
  Arena arena_;  // one record's arrays
  SnapshotBatches batches_;
  const std::unique_ptr<FrozenImage> frozen_;
  WalkBudget budget_{0};  // what is left of the slice
  bool done_ = false;
};

// metadata.version first: it decides how what follows is read.
void SnapshotWriter::Encoder::write_features(const Features& features) {
  const auto& levels = features.all();
  if (const auto version = levels.find(metadata_version_feature); version != levels.end()) {
    add(records::FeatureLevelRecord{version->first, version->second});
  }
  for (const auto& [name, level] : levels) {
    if (name != metadata_version_feature) add(records::FeatureLevelRecord{name, level});
  }
}

void SnapshotWriter::Encoder::broker(const BrokerRegistration& broker) {
  records::RegisterBrokerRecord record;
  record.broker_id = broker.id;
  record.is_migrating_zk_broker = broker.is_migrating_zk_broker;
  record.incarnation_id = broker.incarnation_id;
  record.broker_epoch = broker.epoch;
  for (const Endpoint& e : broker.endpoints) {
    record.end_points.push_back(arena_, {e.listener, e.host, e.port, e.security_protocol});
  }
  for (const FeatureRange& f : broker.features) record.features.push_back(arena_, {f.name, f.min, f.max});
  record.rack = broker.rack;
  record.fenced = broker.fenced;
  record.in_controlled_shutdown = broker.in_controlled_shutdown;
  record.log_dirs = Array<DirectoryId>(broker.log_dirs.data(), broker.log_dirs.size());
  if (broker.cordoned_log_dirs) {
    record.cordoned_log_dirs = Array<DirectoryId>(broker.cordoned_log_dirs->data(), broker.cordoned_log_dirs->size());
  }
  add(record);
}

void SnapshotWriter::Encoder::controller(const ControllerRegistration& controller) {
  records::RegisterControllerRecord record;
  record.controller_id = controller.id;
  record.incarnation_id = controller.incarnation_id;
  record.zk_migration_ready = controller.zk_migration_ready;
  for (const Endpoint& e : controller.endpoints) {
    record.end_points.push_back(arena_, {e.listener, e.host, e.port, e.security_protocol});
  }
  for (const FeatureRange& f : controller.features) record.features.push_back(arena_, {f.name, f.min, f.max});
  add(record);
}

void SnapshotWriter::Encoder::partition(TopicId topic, const Partition& partition) {
  records::PartitionRecord record;
  record.partition_id = partition.index;
  record.topic_id = topic;
  record.replicas = partition.replicas();
  record.isr = partition.isr();
  record.removing_replicas = partition.removing_replicas();
  record.adding_replicas = partition.adding_replicas();
  record.leader = partition.leader;
  record.leader_recovery_state = static_cast<std::int8_t>(partition.leader_recovery_state);
  record.leader_epoch = partition.leader_epoch;
  record.partition_epoch = partition.partition_epoch;
  record.directories = partition.directories();
  if (elr_enabled_) {
    if (!partition.elr().empty()) record.eligible_leader_replicas = partition.elr();
    if (!partition.last_known_elr().empty()) record.last_known_elr = partition.last_known_elr();
  }
  add(record);
}

void SnapshotWriter::Encoder::config(const ConfigResource& resource, std::string_view key, std::string_view value) {
  add(records::ConfigRecord{static_cast<std::int8_t>(resource.type), resource.name, key, value});
}

void SnapshotWriter::Encoder::client_quota(const QuotaEntity& entity, std::string_view key, double value) {
  records::ClientQuotaRecord record;
  for (const auto& [type, name] : entity) record.entity.push_back(arena_, {type, name});
  record.key = key;
  record.value = value;
  add(record);
}

void SnapshotWriter::Encoder::producer_ids(const ProducerIds& ids) {
  if (ids.next_producer_id >= 0) add(records::ProducerIdsRecord{no_node, BrokerEpoch{-1}, ids.next_producer_id});
}

void SnapshotWriter::Encoder::acl(Uuid id, const Acl& acl) {
  add(records::AccessControlEntryRecord{id, acl.resource_type, acl.resource_name, acl.pattern_type, acl.principal, acl.host,
                                        acl.operation, acl.permission_type});
}

void SnapshotWriter::Encoder::scram_credential(const ScramKey& key, const ScramCredential& credential) {
  add(records::UserScramCredentialRecord{key.user, key.mechanism, credential.salt, credential.stored_key,
                                         credential.server_key, credential.iterations});
}

void SnapshotWriter::Encoder::delegation_token(const DelegationToken& token) {
  records::DelegationTokenRecord record;
  record.owner = token.owner;
  record.requester = token.requester;
  for (const std::string& renewer : token.renewers) record.renewers.push_back(arena_, renewer);
  record.issue_timestamp = token.issue_timestamp_ms;
  record.max_timestamp = token.max_timestamp_ms;
  record.expiration_timestamp = token.expiration_timestamp_ms;
  record.token_id = token.token_id;
  add(record);
}

SnapshotWriter::SnapshotWriter(Image& image, SnapshotMeta meta)
    : encoder_(std::make_unique<Encoder>(image, std::move(meta))) {}

SnapshotWriter::~SnapshotWriter() = default;

std::vector<Buffer> SnapshotWriter::next(std::size_t max_entries) { return encoder_->next(max_entries); }

bool SnapshotWriter::done() const { return encoder_->done(); }

std::size_t SnapshotWriter::pre_images() const { return encoder_->pre_images(); }

std::vector<Buffer> write_snapshot(Image& image, const SnapshotMeta& meta) {
  return SnapshotWriter(image, meta).next(SIZE_MAX);
}

}  // namespace hayward::core
