// See unfinished_work.h.
#include "engine/core/control/unfinished_work.h"

#include <cstdint>
#include <vector>

#include "engine/core/control/leader_and_isr.h"
#include "engine/core/image/image.h"

namespace hayward::core {

void unfinished_work(const HandlerContext& context, BrokerWork& work, RecordList& records) {
  const Topics& topics = context.image.topics();
  std::vector<NodeId> fenced_in_isr;
  std::vector<NodeId> may_lead;
  std::size_t partitions = 0;
  for (const auto& [id, broker] : context.image.cluster().brokers()) {
    const std::size_t in_isr = broker.fenced ? topics.in_isr_of(id).size() : 0;
    const std::size_t leaderless = broker.active() ? topics.leaderless_of(id).size() : 0;
    if (in_isr > 0) fenced_in_isr.push_back(id);
    if (leaderless > 0) may_lead.push_back(id);
    partitions += in_isr + leaderless;
  }
  const BrokerTransitions transitions{.leaving = fenced_in_isr, .joining = may_lead};
  PartitionChanges changes(context, records);
  if (fits_one_slice(context, partitions)) {
    generate_leader_and_isr_updates(transitions, changes);
  } else {
    const auto epoch_of = [&](NodeId id) { return context.image.cluster().broker(id)->epoch; };
    for (const NodeId id : fenced_in_isr) work.add(BrokerWorkKind::clean_up, {id, epoch_of(id)});
    for (const NodeId id : may_lead) work.add(BrokerWorkKind::elect, {id, epoch_of(id)});
  }
  if (fits_one_slice(context, topics.reassigning().size()))
    finish_reassignments(0, SIZE_MAX, changes);
  else
    work.finish_reassignments();
}

}  // namespace hayward::core
