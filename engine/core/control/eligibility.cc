#include "engine/core/control/eligibility.h"

#include <algorithm>

#include "engine/core/image/image.h"

namespace hayward::core {

bool Eligibility::is_active(NodeId broker) const {
  if (Partition::contains(transitions_.leaving, broker) || Partition::contains(transitions_.unclean, broker)) {
    return false;
  }
  if (std::ranges::binary_search(context_->ineligible_brokers, broker)) return false;
  const Cluster& cluster = context_->image.cluster();
  if (!Partition::contains(transitions_.joining, broker)) return cluster.is_active(broker);
  const BrokerRegistration* registration = cluster.broker(broker);
  return registration != nullptr && !registration->in_controlled_shutdown;  // C4: it may be unfenced, not lead
}

bool Eligibility::may_lead(const Partition& partition, NodeId broker) const {
  const DirectoryId* directory = partition.directory_of(broker);
  return directory != nullptr && may_lead_from(*directory, broker);
}

bool Eligibility::may_lead_from(DirectoryId directory, NodeId broker) const {
  if (!is_active(broker)) return false;
  const BrokerRegistration* registration = context_->image.cluster().broker(broker);
  return registration != nullptr && has_online_dir(*context_, *registration, directory);
}

bool has_online_dir(const HandlerContext& context, const BrokerRegistration& broker, DirectoryId directory) {
  return broker.has_online_dir(directory) &&
         !std::ranges::binary_search(context.lost_directories, LostDirectory{broker.id, directory});
}

DirectoryId Eligibility::default_dir(NodeId broker) const {
  const auto version = context_->image.features().metadata_version();
  if (!version || !version->directory_assignment()) return directory_migrating;
  return context_->image.cluster().default_dir(broker);
}

}  // namespace hayward::core
