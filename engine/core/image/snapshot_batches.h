// The batches of a checkpoint: its control records at both ends, data records between them as many to a batch as Kafka's.
// Owner: a SnapshotWriter. Shard 0.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/image/snapshot_writer.h"
#include "engine/core/metadata_version.h"
#include "engine/core/records.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

class SnapshotBatches {
 public:
  // `version`: the finalized metadata.version, which decides the records' versions.
  SnapshotBatches(SnapshotMeta meta, MetadataVersion version) : meta_(std::move(meta)), version_(version) {}

  void add_header();
  void add_footer();
  // The size of the record in bytes; 0: `version` cannot hold it, it is left out.
  template <class Record>
  std::size_t add(const Record& record) {
    const std::optional<std::int16_t> version = record_version(Record::api_key, version_);
    if (!version) return 0;
    const std::size_t size = records::framed_size(record, *version);
    make_room(size);
    batch_->add(record, *version);
    return size;
  }
  // Everything since the last call; what comes next begins a batch.
  std::vector<Buffer> take();

 private:
  // For a data record of `size` bytes.
  void make_room(std::size_t size);
  void finish_batch();

  const SnapshotMeta meta_;
  const MetadataVersion version_;
  std::vector<Buffer> batches_;
  std::optional<BatchBuilder> batch_;
  Offset next_offset_{0};  // that of batch_, or of the one that comes next
};

}  // namespace hayward::core
