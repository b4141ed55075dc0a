// Records that bracket others, and those that change nothing.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/replay.h"
#include "schemas/records/abort_transaction_record.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/end_transaction_record.h"
#include "schemas/records/no_op_record.h"
#include "schemas/records/zk_migration_state_record.h"

namespace hayward::core {
namespace {

Applied check_place(const ReplayContext& context, bool want_open) {
  const Offset start = context.parts.transaction_start;
  if (context.source == ReplaySource::snapshot) return mismatch("no transaction records", "one in a snapshot");
  if (want_open && start == no_offset) return mismatch("an open transaction", "none");
  if (!want_open && start != no_offset) {
    return mismatch("no open transaction", "one that began at offset " + std::to_string(start.value));
  }
  return {};
}

}  // namespace

Applied apply(ReplayContext& context, const records::BeginTransactionRecord&) {
  if (Applied placed = check_place(context, false); !placed) return placed;
  context.make(TransactionChange{context.offset});
  return {};
}

Applied apply(ReplayContext& context, const records::EndTransactionRecord&) {
  if (Applied placed = check_place(context, true); !placed) return placed;
  context.make(TransactionChange{no_offset});
  return {};
}

Applied apply(ReplayContext& context, const records::AbortTransactionRecord&) {
  if (Applied placed = check_place(context, true); !placed) return placed;
  context.undo.abort_from(context.parts, context.parts.transaction_start, context.offset);
  return {};
}

Applied apply(ReplayContext&, const records::NoOpRecord&) { return {}; }
// ZooKeeper migration is gone from 4.x; the record may still be in an old log.
Applied apply(ReplayContext&, const records::ZkMigrationStateRecord&) { return {}; }

}  // namespace hayward::core
