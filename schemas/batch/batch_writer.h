// Builds one record batch: records first, header and checksum at finish().
// Owner: whoever appends (raft's leader, the snapshot writer). Shard 0.
#pragma once

#include <optional>

#include "schemas/batch/format.h"
#include "schemas/records/frame.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/writer.h"

namespace hayward {

enum class BatchKind { data, control };

class BatchBuilder {
 public:
  // `timestamp_ms`: wall clock, of every record in the batch.
  BatchBuilder(Offset base_offset, Epoch epoch, std::int64_t timestamp_ms, BatchKind kind = BatchKind::data);

  // A record of any content.
  void add(std::optional<Bytes> key, Bytes value);
  // A metadata record, framed; `version` must be one of its versions.
  template <class Record>
    requires requires { Record::api_key; }
  void add(const Record& record, std::int16_t version) {
    const std::size_t value_size = records::framed_size(record, version);
    Writer writer = begin_record(std::nullopt, value_size);
    records::write_frame(writer, record, version);
    end_record(writer);
  }

  bool empty() const { return count_ == 0; }
  std::int32_t count() const { return count_; }
  // Bytes of the batch so far, header included.
  std::size_t size() const { return bytes_.size(); }
  // Bytes that one more record with a null key and such a value would add.
  std::size_t size_of_next(std::size_t value_size) const { return record_size(count_, std::nullopt, value_size); }
  // The offset that the next record will take.
  Offset next_offset() const { return Offset{base_offset_.value + count_}; }

  // The finished batch. At least one record must have been added; the builder is used up.
  Buffer finish();

 private:
  static std::size_t body_size(std::int32_t offset_delta, std::optional<Bytes> key, std::size_t value_size);
  static std::size_t record_size(std::int32_t offset_delta, std::optional<Bytes> key, std::size_t value_size);
  // Writes a record up to its value and gives a writer with room for the value and what follows it.
  Writer begin_record(std::optional<Bytes> key, std::size_t value_size);
  void end_record(Writer& writer);

  Offset base_offset_;
  Epoch epoch_;
  std::int64_t timestamp_ms_;
  BatchKind kind_;
  std::int32_t count_ = 0;
  Buffer bytes_;
};

}  // namespace hayward
