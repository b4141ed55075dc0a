// See heard_here.h.
#include "engine/core/lease/heard_here.h"

#include <utility>

namespace hayward::core {

void HeardHere::heard(BrokerIncarnation broker, Offset metadata_offset, MonoTime arrival) {
  if (arrival - cleaned_ > session_ns_) forget_old(arrival);
  if (heard_.size() >= most && !heard_.contains(broker.id)) return;
  Heard& heard = heard_[broker.id];
  if (heard.epoch == broker.epoch && metadata_offset < heard.metadata_offset) return;
  heard = {broker.epoch, metadata_offset, arrival};
}

void HeardHere::forget_old(MonoTime now) {
  cleaned_ = now;
  std::erase_if(heard_, [&](const auto& entry) { return now - entry.second.arrival > session_ns_; });
}

std::vector<GrantLease> HeardHere::take_out(LeasesExpired& expired, const std::vector<Offset>& recorded,
                                            MonoTime now) {
  std::vector<GrantLease> again;
  std::vector<BrokerIncarnation> left;
  forget_old(now);
  for (std::size_t i = 0; i < expired.brokers.size(); ++i) {
    const BrokerIncarnation& broker = expired.brokers[i];
    const auto found = heard_.find(broker.id);
    if (found != heard_.end() && found->second.epoch == broker.epoch && found->second.metadata_offset >= recorded[i])
      again.push_back({broker, recorded[i], found->second.arrival});
    else
      left.push_back(broker);
  }
  expired.brokers = std::move(left);
  return again;
}

}  // namespace hayward::core
