// See bootstrap_checkpoint.h.
#include "tests/node_machine/bootstrap_checkpoint.h"

#include "engine/core/raft/control_records.h"
#include "schemas/batch/control.h"

namespace hayward::core {

std::vector<Buffer> bootstrap_checkpoint(const std::vector<Voter>& voters) {
  Arena arena;
  const raft::VoterSet set(voters);
  BatchBuilder header(Offset{0}, Epoch{0}, 1000, BatchKind::control);
  add_control(header, records::SnapshotHeaderRecord{});
  records::KRaftVersionRecord version;
  version.kraft_version = 1;
  add_control(header, version);
  add_control(header, raft::to_record(set, arena));
  BatchBuilder footer(header.next_offset(), Epoch{0}, 1000, BatchKind::control);
  add_control(footer, records::SnapshotFooterRecord{});
  return {header.finish(), footer.finish()};
}

}  // namespace hayward::core
