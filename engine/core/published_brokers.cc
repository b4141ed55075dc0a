// See published_brokers.h.
#include "engine/core/published_brokers.h"

#include <algorithm>

#include "engine/core/image/cluster.h"

namespace hayward::core {

void PublishedBrokers::activate(const Cluster& cluster, Offset log_end) {
  unsettled_.clear();
  for (const auto& [id, registration] : cluster.brokers()) unsettled_[id] = log_end;
  next_settled_ = log_end;
  seen_high_watermark_ = no_offset;
  shown_ = {INT64_MIN / 2};
}

void PublishedBrokers::deactivate() { unsettled_.clear(); }

void PublishedBrokers::withdraw(NodeId broker, Offset until, Effects& out) {
  if (unsettled_.insert_or_assign(broker, until).second) out.push_back(WithdrawBroker{broker});
  next_settled_ = std::min(next_settled_, until);
}

void PublishedBrokers::update(const std::set<NodeId>& changed, std::span<const NodeId> leaving, const Cluster& cluster,
                              Offset log_end, Offset high_watermark, MonoTime now, Effects& out) {
  for (const NodeId id : changed) withdraw(id, log_end, out);
  for (const NodeId id : leaving) withdraw(id, log_end, out);
  if (high_watermark >= next_settled_) publish_settled(leaving, cluster, high_watermark, out);
  show_life(log_end, high_watermark, now, out);
}

// A broker in controlled shutdown waits for what others have read: the controller alone can tell.
void PublishedBrokers::publish_settled(std::span<const NodeId> leaving, const Cluster& cluster, Offset high_watermark,
                                       Effects& out) {
  next_settled_ = Offset{INT64_MAX};
  for (auto at = unsettled_.begin(); at != unsettled_.end();) {
    if (at->second > high_watermark || std::ranges::binary_search(leaving, at->first)) {
      next_settled_ = std::min(next_settled_, at->second);
      ++at;
      continue;
    }
    const BrokerRegistration* broker = cluster.broker(at->first);
    if (broker != nullptr && !broker->in_controlled_shutdown) {
      out.push_back(PublishBroker{{broker->id, broker->epoch}, broker->fenced, broker->register_offset,
                                  broker->log_dirs, broker->cordoned_log_dirs});
    }
    at = unsettled_.erase(at);
  }
}

// It lives while nothing waits for the log, or the log moves.
void PublishedBrokers::show_life(Offset log_end, Offset high_watermark, MonoTime now, Effects& out) {
  const bool alive = high_watermark >= log_end || high_watermark > seen_high_watermark_;
  seen_high_watermark_ = high_watermark;
  if (!alive || now - shown_ < life_ns_ / 8) return;
  shown_ = now;
  out.push_back(SignOfLife{now});
}

}  // namespace hayward::core
