// Control records: raft's own entries in the log. Key: int16 version 0, int16 type. Value: the
// message, whose first field is its version.
// Owner: schemas/batch. Shard 0.
#pragma once

#include <expected>
#include <variant>

#include "schemas/batch/batch_reader.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/records/kraft_version_record.h"
#include "schemas/records/leader_change_message.h"
#include "schemas/records/snapshot_footer_record.h"
#include "schemas/records/snapshot_header_record.h"
#include "schemas/records/voters_record.h"

namespace hayward {

enum class ControlType : std::int16_t {
  abort = 0,   // never in this log
  commit = 1,  // never in this log
  leader_change = 2,
  snapshot_header = 3,
  snapshot_footer = 4,
  kraft_version = 5,
  kraft_voters = 6,
};

// The decoded value; its alternative says the type.
using ControlRecord = std::variant<records::LeaderChangeMessage, records::SnapshotHeaderRecord,
                                   records::SnapshotFooterRecord, records::KRaftVersionRecord, records::VotersRecord>;

// Decodes one record of a control batch: control_key, control_type or control_value if it is none.
// Views into the record's bytes and the arena.
std::expected<ControlRecord, BatchError> decode_control(const BatchRecord& record, Arena& arena);

// Add one control record to a control batch. The message's own version field is set to 0, the version
// that every 4.3 node writes; it carries no directory ids in LeaderChange.
void add_control(BatchBuilder& batch, records::LeaderChangeMessage message);
void add_control(BatchBuilder& batch, records::SnapshotHeaderRecord message);
void add_control(BatchBuilder& batch, records::SnapshotFooterRecord message);
void add_control(BatchBuilder& batch, records::KRaftVersionRecord message);
void add_control(BatchBuilder& batch, records::VotersRecord message);

}  // namespace hayward
