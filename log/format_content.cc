// The two checkpoints that format writes, batch by batch as Java lays them out.
#include <string_view>
#include <utility>

#include "log/format_directory.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/batch/control.h"
#include "schemas/runtime/arena.h"

namespace hayward::log {
namespace {

void append(Buffer& file, Buffer batch) { file.insert(file.end(), batch.begin(), batch.end()); }

Buffer footer(Offset offset, std::int64_t now_ms) {
  BatchBuilder batch(offset, Epoch{0}, now_ms, BatchKind::control);
  add_control(batch, records::SnapshotFooterRecord{});
  return batch.finish();
}

records::VotersRecord voters_record(const std::vector<core::Voter>& voters, Arena& arena) {
  records::VotersRecord record;
  for (const core::Voter& voter : voters) {
    records::VotersRecord::Voter& out = record.voters.push_back(arena);
    out.voter_id = voter.id;
    out.voter_directory_id = voter.directory;
    for (const core::Endpoint& endpoint : voter.endpoints) {
      records::VotersRecord::Endpoint& address = out.endpoints.push_back(arena);
      address.name = endpoint.listener;
      address.host = endpoint.host;
      address.port = endpoint.port;
    }
    out.kraft_version_feature.min_supported_version = voter.min_kraft_version;
    out.kraft_version_feature.max_supported_version = voter.max_kraft_version;
  }
  return record;
}

}  // namespace

Buffer bootstrap_checkpoint(const std::vector<Buffer>& records, std::int64_t now_ms) {
  BatchBuilder header(Offset{0}, Epoch{0}, now_ms, BatchKind::control);
  add_control(header, records::SnapshotHeaderRecord{});
  Offset next = header.next_offset();
  Buffer file = header.finish();
  for (std::size_t i = 0; i < records.size();) {
    BatchBuilder batch(next, Epoch{0}, now_ms);
    while (i < records.size() && (batch.empty() || batch.size() + batch.size_of_next(records[i].size()) <= max_batch_bytes))
      batch.add(std::nullopt, records[i++]);
    next = batch.next_offset();
    append(file, batch.finish());
  }
  append(file, footer(next, now_ms));
  return file;
}

Buffer voters_checkpoint(std::int16_t kraft_version, const std::vector<core::Voter>& voters, std::int64_t now_ms) {
  BatchBuilder header(Offset{0}, Epoch{0}, now_ms, BatchKind::control);
  records::SnapshotHeaderRecord snapshot_header;
  snapshot_header.last_contained_log_timestamp = now_ms;
  add_control(header, snapshot_header);
  if (kraft_version > 0) {
    records::KRaftVersionRecord version;
    version.kraft_version = kraft_version;
    add_control(header, version);
    Arena arena;
    add_control(header, voters_record(voters, arena));
  }
  const Offset next = header.next_offset();
  Buffer file = header.finish();
  append(file, footer(next, now_ms));
  return file;
}

}  // namespace hayward::log
