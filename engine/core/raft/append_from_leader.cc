// See append_from_leader.h.
#include "engine/core/raft/append_from_leader.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "engine/core/raft/control_records.h"
#include "engine/core/raft/turn.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/batch/control.h"

namespace hayward::core::raft {
namespace {

// What of a control batch counts from now on; nullopt: it can be read and applied.
std::optional<std::string> apply_control(Turn& turn, const BatchHeader& header, Bytes batch) {
  RecordIterator records(header, batch);
  while (const auto record = records.next()) {
    const auto control = decode_control(*record, turn.arena);
    if (!control) return std::string(name(control.error()));
    if (const auto* version = std::get_if<records::KRaftVersionRecord>(&*control)) {
      if (version->kraft_version < 0 || version->kraft_version > max_kraft_version) {
        return "kraft.version " + std::to_string(version->kraft_version);
      }
      if (!turn.voters.add_kraft_version(record->offset, version->kraft_version)) return "a KRaftVersion out of order";
    } else if (const auto* voters = std::get_if<records::VotersRecord>(&*control)) {
      if (!turn.voters.add_voters(record->offset, from_record(*voters))) return "a Voters record out of order";
    }
  }
  if (records.error()) return std::string(name(*records.error()));
  return std::nullopt;
}

std::optional<std::string> why_not(const Turn& turn, const std::expected<BatchHeader, BatchError>& header) {
  if (!header) return std::string(name(header.error()));
  if (header->base_offset != turn.log.end()) return "base offset " + std::to_string(header->base_offset.value);
  if (header->is_compressed()) return "compressed records";
  if (header->epoch < turn.log.last_epoch() || header->epoch > turn.quorum.epoch()) {
    return "leader epoch " + std::to_string(header->epoch.value);
  }
  return std::nullopt;
}

void append(Turn& turn, BatchPtr batch) {
  turn.out.push_back(Append{batch});
  batch_appended(turn, std::move(batch));
}

}  // namespace

bool append_from_leader(Turn& turn, Bytes records) {
  bool any = false;
  while (!records.empty()) {
    const auto header = check_batch(records);
    if (!header && header.error() == BatchError::truncated && any) break;
    std::optional<std::string> fault = why_not(turn, header);
    if (!fault && header->is_control()) {
      fault = apply_control(turn, *header, records);
      if (fault) turn.voters.truncated(turn.log.end());
    }
    if (fault) {
      turn.log_line(LogLine::Level::error, name_of(turn.quorum.leader()) + " sent a batch that cannot follow offset " +
                                               std::to_string(turn.log.end().value) + ": " + *fault);
      return any;
    }
    append(turn, copy_of(*header, records.first(header->size())));
    records = records.subspan(header->size());
    any = true;
  }
  return true;
}

}  // namespace hayward::core::raft
