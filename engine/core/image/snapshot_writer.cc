// The checkpoint's records, family by family in Kafka's order. What the finalized metadata.version cannot hold
// is left out: Kafka lets no one lower it past such records, so there should be none.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/snapshot_writer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/core/records.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/batch/control.h"
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

class SnapshotWriter::Encoder final : public FrozenTopics::Visitor {
 public:
  Encoder(Image& image, SnapshotMeta meta)
      : image_(image),
        meta_(std::move(meta)),
        version_(image.features().metadata_version().value_or(minimum_metadata_version)),
        elr_enabled_(image.features().elr_enabled()),
        topics_(image.freeze_topics()) {
    HAYWARD_ASSERT(!image_.in_transaction(), "a snapshot is of stable state");
    write_head();
    write_tail();
  }
  ~Encoder() override { image_.thaw_topics(); }

  std::vector<Buffer> next(std::size_t max_partitions) {
    const bool more = topics_.walk(max_partitions, *this);
    finish_batch();
    if (!more) {
      std::ranges::move(tail_, std::back_inserter(batches_));
      tail_.clear();
      done_ = true;
    }
    return std::exchange(batches_, {});
  }
  bool done() const { return done_; }
  std::size_t pre_images() const { return topics_.pre_images(); }

  void topic(TopicId id, std::string_view name) override { add(records::TopicRecord{name, id}); }
  void partition(TopicId topic, const Partition& partition) override;

 private:
  void write_head();
  void write_tail();
  void write_header();
  void write_footer();
  void write_features();
  void write(const BrokerRegistration& broker);
  void write(const ControllerRegistration& controller);
  void write_configs();
  void write_client_quotas();
  void write_producer_ids();
  void write(Uuid id, const Acl& acl);
  void write(const ScramKey& key, const ScramCredential& credential);
  void write(const DelegationToken& token);

  template <class Record>
  void add(const Record& record) {
    const std::optional<std::int16_t> version = record_version(Record::api_key, version_);
    if (!version) return;
    if (batch_ && (static_cast<std::size_t>(batch_->count()) == snapshot_records_per_batch ||
                   batch_->size() + batch_->size_of_next(records::framed_size(record, *version)) > max_batch_bytes)) {
      finish_batch();
    }
    if (!batch_) batch_.emplace(next_offset_, meta_.epoch, meta_.now_wall_ms);
    batch_->add(record, *version);
    arena_.reset();
  }
  void finish_batch() {
    if (!batch_) return;
    next_offset_ = batch_->next_offset();
    batches_.push_back(batch_->finish());
    batch_.reset();
  }

  Image& image_;
  const SnapshotMeta meta_;
  const MetadataVersion version_;
  const bool elr_enabled_;
  FrozenTopics& topics_;
  Arena arena_;  // one record's arrays
  std::vector<Buffer> batches_;
  std::optional<BatchBuilder> batch_;
  Offset next_offset_{0};
  std::vector<Buffer> tail_;  // what comes behind the topics
  bool done_ = false;
};

namespace {

records::VotersRecord to_record(const std::vector<Voter>& voters, Arena& arena) {
  records::VotersRecord record;
  for (const Voter& voter : voters) {
    records::VotersRecord::Voter& to = record.voters.push_back(arena);
    to.voter_id = voter.id;
    to.voter_directory_id = voter.directory;
    for (const Endpoint& e : voter.endpoints) to.endpoints.push_back(arena, {e.listener, e.host, e.port});
    to.kraft_version_feature = {voter.min_kraft_version, voter.max_kraft_version};
  }
  return record;
}

}  // namespace

// Before the topics: the features decide how what follows is read.
void SnapshotWriter::Encoder::write_head() {
  write_header();
  write_features();
  for (const auto& [id, broker] : image_.cluster().brokers()) write(broker);
  for (const auto& [id, controller] : image_.cluster().controllers()) write(controller);
}

// Behind them: every topic and partition is one record, which tells where this begins.
void SnapshotWriter::Encoder::write_tail() {
  const Topics& topics = image_.topics();
  std::vector<Buffer> head = std::exchange(batches_, {});
  std::optional<BatchBuilder> open = std::exchange(batch_, std::nullopt);  // the topics go on in it
  const Offset begun = next_offset_;
  if (open) next_offset_ = open->next_offset();
  next_offset_.value += static_cast<std::int64_t>(topics.all().size() + topics.partition_count());
  write_configs();
  write_client_quotas();
  write_producer_ids();
  for (const auto& [id, acl] : image_.acls().all()) write(id, acl);
  for (const auto& [key, credential] : image_.scram().all()) write(key, credential);
  for (const auto& [id, token] : image_.delegation_tokens().all()) write(token);
  finish_batch();
  write_footer();
  tail_ = std::exchange(batches_, std::move(head));
  batch_ = std::move(open);
  next_offset_ = begun;
}

void SnapshotWriter::Encoder::write_header() {
  BatchBuilder batch(next_offset_, meta_.epoch, meta_.now_wall_ms, BatchKind::control);
  records::SnapshotHeaderRecord header;
  header.last_contained_log_timestamp = meta_.last_contained_wall_ms;
  add_control(batch, header);
  if (meta_.kraft_version >= 1) {
    records::KRaftVersionRecord kraft_version;
    kraft_version.kraft_version = meta_.kraft_version;
    add_control(batch, kraft_version);
    add_control(batch, to_record(meta_.voters, arena_));
  }
  next_offset_ = batch.next_offset();
  batches_.push_back(batch.finish());
  arena_.reset();
}

void SnapshotWriter::Encoder::write_footer() {
  BatchBuilder batch(next_offset_, meta_.epoch, meta_.now_wall_ms, BatchKind::control);
  add_control(batch, records::SnapshotFooterRecord{});
  batches_.push_back(batch.finish());
}

// metadata.version first: it decides how what follows is read.
void SnapshotWriter::Encoder::write_features() {
  const auto& levels = image_.features().all();
  if (const auto version = levels.find(metadata_version_feature); version != levels.end()) {
    add(records::FeatureLevelRecord{version->first, version->second});
  }
  for (const auto& [name, level] : levels) {
    if (name != metadata_version_feature) add(records::FeatureLevelRecord{name, level});
  }
}

void SnapshotWriter::Encoder::write(const BrokerRegistration& broker) {
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

void SnapshotWriter::Encoder::write(const ControllerRegistration& controller) {
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

void SnapshotWriter::Encoder::write_configs() {
  for (const auto& [resource, configs] : image_.configs().all()) {
    for (const auto& [key, value] : configs) {
      add(records::ConfigRecord{static_cast<std::int8_t>(resource.type), resource.name, key, value});
    }
  }
}

void SnapshotWriter::Encoder::write_client_quotas() {
  for (const auto& [entity, quotas] : image_.client_quotas().all()) {
    for (const auto& [key, value] : quotas) {
      records::ClientQuotaRecord record;
      for (const auto& [type, name] : entity) record.entity.push_back(arena_, {type, name});
      record.key = key;
      record.value = value;
      add(record);
    }
  }
}

void SnapshotWriter::Encoder::write_producer_ids() {
  const std::int64_t next = image_.producer_ids().next_producer_id;
  if (next >= 0) add(records::ProducerIdsRecord{no_node, BrokerEpoch{-1}, next});
}

void SnapshotWriter::Encoder::write(Uuid id, const Acl& acl) {
  add(records::AccessControlEntryRecord{id, acl.resource_type, acl.resource_name, acl.pattern_type, acl.principal, acl.host,
                                        acl.operation, acl.permission_type});
}

void SnapshotWriter::Encoder::write(const ScramKey& key, const ScramCredential& credential) {
  add(records::UserScramCredentialRecord{key.user, key.mechanism, credential.salt, credential.stored_key,
                                         credential.server_key, credential.iterations});
}

void SnapshotWriter::Encoder::write(const DelegationToken& token) {
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

std::vector<Buffer> SnapshotWriter::next(std::size_t max_partitions) { return encoder_->next(max_partitions); }

bool SnapshotWriter::done() const { return encoder_->done(); }

std::size_t SnapshotWriter::pre_images() const { return encoder_->pre_images(); }

std::vector<Buffer> write_snapshot(Image& image, const SnapshotMeta& meta) {
  return SnapshotWriter(image, meta).next(SIZE_MAX);
}

}  // namespace hayward::core
