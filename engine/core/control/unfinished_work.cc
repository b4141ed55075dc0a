// See unfinished_work.h.
#include "engine/core/control/unfinished_work.h"

#include <vector>

#include "engine/core/control/leader_and_isr.h"
#include "engine/core/image/image.h"

namespace hayward::core {

void unfinished_work(const HandlerContext& context, RecordList& records) {
  const Topics& topics = context.image.topics();
  std::vector<NodeId> fenced_in_isr;
  std::vector<NodeId> may_lead;
  for (const auto& [id, broker] : context.image.cluster().brokers()) {
    if (broker.fenced && !topics.in_isr_of(id).empty()) fenced_in_isr.push_back(id);
    if (broker.active() && !topics.leaderless_of(id).empty()) may_lead.push_back(id);
  }
  const BrokerTransitions transitions{.leaving = fenced_in_isr, .joining = may_lead};
  PartitionChanges changes(context, records);
  generate_leader_and_isr_updates(transitions, changes);
  for (const Partition& partition : topics.reassigning()) update_leader_and_isr(partition, transitions, changes);
}

}  // namespace hayward::core
