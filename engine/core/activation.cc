// See activation.h.
#include "engine/core/activation.h"

#include <string>
#include <vector>

#include "engine/core/append.h"
#include "engine/core/bootstrap.h"
#include "engine/core/control/self_registration.h"
#include "engine/core/control/unfinished_work.h"
#include "engine/core/periodic.h"
#include "engine/core/raft/control_records.h"
#include "schemas/records/abort_transaction_record.h"

namespace hayward::core {
namespace {

void abort_open_transaction(NodeState& node, const Time& now, Effects& out) {
  if (!node.image.in_transaction()) return;
  const auto version = node.image.features().metadata_version();
  if (version && !version->transactions()) {
    node.fail("a metadata transaction is open at offset " + std::to_string(node.image.transaction_start().value) +
                  ", but metadata.version " + std::to_string(version->level) + " has no transactions",
              out);
    return;
  }
  records::AbortTransactionRecord abort;
  abort.reason = "Controller failover";
  Buffer frame;
  records::append_frame(frame, abort, 0);
  const Bytes frames[] = {frame};
  append_frames(node, frames, now, out);
  out.push_back(LogLine{LogLine::Level::warn, "aborted the open metadata transaction"});
}

void write_bootstrap_records(NodeState& node, const Time& now, Effects& out) {
  if (node.image.features().metadata_version()) return;
  const auto bootstrap = make_bootstrap(node.config, node.bootstrap_records);
  if (!bootstrap) {
    node.fail("bootstrap records: " + bootstrap.error(), out);
    return;
  }
  const std::vector<Bytes> frames(bootstrap->begin(), bootstrap->end());
  append_frames(node, frames, now, out);
  out.push_back(LogLine{LogLine::Level::info,
                        "the metadata log is empty: wrote " + std::to_string(frames.size()) + " bootstrap records of " +
                            (node.bootstrap_records.empty() ? "the default" : node.config.bootstrap_source)});
  node.bootstrap_records.clear();
}

}  // namespace

void begin_epoch(NodeState& node, const Time& now, Effects& out) {
  BatchBuilder batch(node.log.end(), node.quorum.epoch(), now.wall_ms, BatchKind::control);
  raft::add_epoch_start(batch, raft::self_voter(node.config), node.quorum.leading()->granting(), node.voters, node.arena);
  append_control_batch(node, std::move(batch), now, out);
  node.arena.reset();
}

void activate(NodeState& node, const Time& now, Effects& out) {
  const auto steps = {
      abort_open_transaction,
      write_bootstrap_records,
      +[](NodeState& n, const Time& t, Effects& o) { write_own(n, t, o, register_self); },
      +[](NodeState& n, const Time& t, Effects& o) {
        write_own(n, t, o, [&](const HandlerContext& context, RecordList& records) {
          unfinished_work(context, n.broker_work, records);
        });
      },
  };
  for (const auto step : steps) {
    step(node, now, out);
    if (node.failed) return;
  }
  node.broker_change_end = node.log.end();
  node.brokers.activate(node.image.cluster(), node.quorum.epoch(), now.mono, out);
  node.published_brokers.activate(node.image.cluster(), node.log.end());
  node.active = true;
  start_periodic_work(node, now);
  out.push_back(LogLine{LogLine::Level::info, "active controller in epoch " +
                                                  std::to_string(node.quorum.epoch().value) + ", log end offset " +
                                                  std::to_string(node.log.end().value)});
}

}  // namespace hayward::core
