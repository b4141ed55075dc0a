// Who may lead a partition or join an ISR, as one operation sees it: the registrations of the image,
// changed by what the operation itself is about to do to brokers.
// Owner: engine/core/control; lives for one operation. Shard 0.
#pragma once

#include <span>

#include "engine/core/control/context.h"
#include "engine/core/image/cluster.h"
#include "engine/core/image/partition.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// What happens to brokers in one step, all at once: no change of the step elects one of `leaving` or
// `unclean`.
struct BrokerTransitions {
  std::span<const NodeId> leaving{};  // fenced, shutting down or unregistered: out of ISRs, may not lead
  std::span<const NodeId> joining{};  // being unfenced: may lead, though the image still has them fenced
  std::span<const NodeId> unclean{};  // lost what was not synced, with ELR on: out of ISRs and ELRs, may not lead
};

// Registered by the broker, and not just being lost.
bool has_online_dir(const HandlerContext& context, const BrokerRegistration& broker, DirectoryId directory);

class Eligibility {
 public:
  explicit Eligibility(const HandlerContext& context, const BrokerTransitions& transitions = {})
      : context_(&context), transitions_(transitions) {}

  // Registered, unfenced, not in controlled shutdown, and not being fenced or drained.
  bool is_active(NodeId broker) const;
  // Active, and its directory for this partition online. `broker` must be a replica of it.
  bool may_lead(const Partition& partition, NodeId broker) const;
  // Active, with `directory` online.
  bool may_lead_from(DirectoryId directory, NodeId broker) const;
  // The directory that a new replica on `broker` gets: MIGRATING below directory assignment.
  DirectoryId default_dir(NodeId broker) const;

  const BrokerTransitions& transitions() const { return transitions_; }

 private:
  const HandlerContext* context_;
  BrokerTransitions transitions_;
};

}  // namespace hayward::core
