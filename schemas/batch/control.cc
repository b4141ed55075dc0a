#include "schemas/batch/control.h"

#include <algorithm>
#include <array>

namespace hayward {
namespace {

constexpr std::size_t key_size = 4;
constexpr std::int16_t written_version = 0;

// The value's version is its first field. A higher one than we know is read as the highest we know, as
// Kafka does: later fields are added at the end.
template <class Message>
std::expected<ControlRecord, BatchError> decode_value(Bytes value, Arena& arena) {
  const std::int16_t stated = Reader(value).read_i16();
  const std::int16_t version = std::clamp(stated, Message::min_version, Message::max_version);
  Reader reader(value);
  Message message;
  if (!decode(reader, version, arena, message)) return std::unexpected(BatchError::control_value);
  return message;
}

template <class Message>
void add(BatchBuilder& batch, ControlType type, Message& message) {
  message.version = written_version;
  std::array<std::byte, key_size> key;
  Writer key_writer(key);
  key_writer.write_i16(0);
  key_writer.write_i16(static_cast<std::int16_t>(type));
  Buffer value(encoded_size(message, written_version));
  Writer value_writer{MutableBytes(value)};
  encode(value_writer, message, written_version);
  batch.add(Bytes(key), value);
}

}  // namespace

std::expected<ControlRecord, BatchError> decode_control(const BatchRecord& record, Arena& arena) {
  if (!record.key || record.key->size() < key_size) return std::unexpected(BatchError::control_key);
  Reader key(*record.key);
  if (key.read_i16() < 0) return std::unexpected(BatchError::control_key);
  if (!record.value) return std::unexpected(BatchError::control_value);
  switch (static_cast<ControlType>(key.read_i16())) {
    case ControlType::leader_change:
      return decode_value<records::LeaderChangeMessage>(*record.value, arena);
    case ControlType::snapshot_header:
      return decode_value<records::SnapshotHeaderRecord>(*record.value, arena);
    case ControlType::snapshot_footer:
      return decode_value<records::SnapshotFooterRecord>(*record.value, arena);
    case ControlType::kraft_version:
      return decode_value<records::KRaftVersionRecord>(*record.value, arena);
    case ControlType::kraft_voters:
      return decode_value<records::VotersRecord>(*record.value, arena);
    case ControlType::abort:
    case ControlType::commit:
      break;
  }
  return std::unexpected(BatchError::control_type);
}

void add_control(BatchBuilder& batch, records::LeaderChangeMessage message) {
  add(batch, ControlType::leader_change, message);
}
void add_control(BatchBuilder& batch, records::SnapshotHeaderRecord message) {
  add(batch, ControlType::snapshot_header, message);
}
void add_control(BatchBuilder& batch, records::SnapshotFooterRecord message) {
  add(batch, ControlType::snapshot_footer, message);
}
void add_control(BatchBuilder& batch, records::KRaftVersionRecord message) {
  add(batch, ControlType::kraft_version, message);
}
void add_control(BatchBuilder& batch, records::VotersRecord message) { add(batch, ControlType::kraft_voters, message); }

}  // namespace hayward
