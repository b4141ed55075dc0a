#include "engine/core/control/allocate_producer_ids.h"

#include <algorithm>
#include <cstdint>

#include "engine/core/control/broker_epoch.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"
#include "schemas/records/producer_ids_record.h"

namespace hayward::core {
namespace {

constexpr std::int32_t block_length = 1000;

}  // namespace

messages::AllocateProducerIdsResponse allocate_producer_ids(const HandlerContext& context,
                                                            const messages::AllocateProducerIdsRequest& request,
                                                            RecordList& records) {
  messages::AllocateProducerIdsResponse response;
  if (!is_current_broker(context.image.cluster(), request.broker_id, request.broker_epoch)) {
    response.error_code = ErrorCode::stale_broker_epoch;
    return response;
  }
  const std::int64_t start = std::max<std::int64_t>(context.image.producer_ids().next_producer_id, 0);
  if (start > INT64_MAX - block_length) {
    response.error_code = ErrorCode::unknown_server_error;
    return response;
  }
  records::ProducerIdsRecord record;
  record.broker_id = request.broker_id;
  record.broker_epoch = request.broker_epoch;
  record.next_producer_id = start + block_length;
  records.add(record);
  response.producer_id_start = start;
  response.producer_id_len = block_length;
  return response;
}

}  // namespace hayward::core
