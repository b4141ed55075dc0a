// The records that a handler has decided on: encoded at once, in the versions that the finalized
// metadata.version allows, each knowing the offset it will get.
// Owner: engine/core. Shard 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/image/features.h"
#include "engine/core/metadata_version.h"
#include "schemas/records/frame.h"
#include "schemas/runtime/assert.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// The version in which a record of this type (its api key) is written at `version`; nullopt: the type may
// not be written at that level (or at all).
std::optional<std::int16_t> record_version(std::int16_t record_key, MetadataVersion version);

class RecordList {
 public:
  // `base`: the offset that the first record will get. `version` decides the records' versions. Without
  // `elr_enabled` nobody may add ELR members (asserted): records never exceed the finalized features.
  RecordList(Offset base, MetadataVersion version, bool elr_enabled)
      : base_(base), version_(version), elr_enabled_(elr_enabled) {}
  // As the finalized features say; without a metadata.version (an empty log) the least.
  RecordList(Offset base, const Features& features)
      : RecordList(base, features.metadata_version().value_or(minimum_metadata_version), features.elr_enabled()) {}

  // Encodes `record`; returns its offset. A record that the finalized features do not allow is a
  // programmer error: handlers ask metadata_version() first.
  template <class Record>
  Offset add(const Record& record) {
    std::optional<std::int16_t> version = record_version(Record::api_key, version_);
    if constexpr (Record::api_key == static_cast<std::int16_t>(records::RecordType::broker_registration_change)) {
      // Kafka writes this one in the least version that can say it.
      for (std::int16_t least = 0; version && least < *version; ++least) {
        if (representable(record, least)) version = least;
      }
    }
    if constexpr (requires { record.eligible_leader_replicas; }) {
      HAYWARD_ASSERT(elr_enabled_ || (record.eligible_leader_replicas.empty() && record.last_known_elr.empty()),
                     "C17: ELR without its feature");
    }
    HAYWARD_ASSERT(version.has_value(), "C17: record type above the finalized metadata.version");
    return add(record, *version);
  }

  // The same in a lower version: Kafka writes some changes in the first version that can carry them
  // (BrokerRegistrationChangeRecord), whatever the finalized level.
  template <class Record>
  Offset add(const Record& record, std::int16_t version) {
    const std::optional<std::int16_t> highest = record_version(Record::api_key, version_);
    HAYWARD_ASSERT(highest && version <= *highest, "C17: record version above the finalized metadata.version");
    HAYWARD_ASSERT(representable(record, version), "C17: record field above the finalized metadata.version");
    records::append_frame(bytes_, record, version);
    ends_.push_back(bytes_.size());
    return Offset{base_.value + static_cast<std::int64_t>(ends_.size()) - 1};
  }

  // All records in one batch, or else none (Kafka's ControllerResult.atomicOf). Otherwise they may be cut
  // into several batches.
  void set_atomic() { atomic_ = true; }
  bool atomic() const { return atomic_; }

  MetadataVersion metadata_version() const { return version_; }
  bool elr_enabled() const { return elr_enabled_; }
  Offset base() const { return base_; }
  // The offset that the next record will get.
  Offset next_offset() const { return Offset{base_.value + static_cast<std::int64_t>(ends_.size())}; }
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  // Bytes of all frames, without the batch's envelope.
  std::size_t total_bytes() const { return bytes_.size(); }
  // The frame of record `i`; good until the next add().
  Bytes operator[](std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : ends_[i - 1];
    return Bytes(bytes_).subspan(start, ends_[i] - start);
  }
  // Drops the records from `count` on: a handler gives up an item after it has added records for it.
  void truncate(std::size_t count);

 private:
  Offset base_;
  MetadataVersion version_;
  bool elr_enabled_;
  bool atomic_ = false;
  Buffer bytes_;                    // the frames, one after another
  std::vector<std::size_t> ends_;   // where each ends
};

}  // namespace hayward::core
