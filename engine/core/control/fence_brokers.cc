// See fence_brokers.h.
#include "engine/core/control/fence_brokers.h"

#include <algorithm>
#include <vector>

#include "engine/core/control/broker_transitions.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"

namespace hayward::core {

std::size_t fence_brokers(const HandlerContext& context, std::span<const BrokerIncarnation> brokers,
                          RecordList& records) {
  std::vector<BrokerIncarnation> present;
  for (const BrokerIncarnation& broker : brokers) {
    const BrokerRegistration* registration = context.image.cluster().broker(broker.id);
    if (registration != nullptr && registration->epoch == broker.epoch) present.push_back(broker);
  }
  std::sort(present.begin(), present.end());
  if (!present.empty()) fence(context, present, records);
  return present.size();
}

}  // namespace hayward::core
