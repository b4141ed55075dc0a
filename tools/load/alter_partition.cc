// See alter_partition.h.
#include "tools/load/alter_partition.h"

#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/alter_partition_response.h"
#include "tools/load/frame.h"

namespace hayward::tools {
namespace {

constexpr std::int16_t version = 3;

}  // namespace

AlterPartitionWork::AlterPartitionWork(std::vector<LedPartition> partitions, std::size_t slots, std::uint64_t count)
    : slots_(slots), partitions_(partitions.size()), count_(count) {
  for (std::size_t i = 0; slots > 0 && i < partitions.size(); ++i) {
    slots_[i % slots].partitions.push_back({std::move(partitions[i])});
  }
}

Bytes AlterPartitionWork::request(std::size_t slot) {
  ++begun_;
  const Mine& mine = slots_[slot].partitions[slots_[slot].next];
  const LedPartition& led = mine.partition;
  arena_.reset();
  messages::AlterPartitionRequest request;
  request.broker_id = led.isr[0].id;
  request.broker_epoch = led.isr[0].epoch;
  auto& topic = request.topics.push_back(arena_);
  topic.topic_id = led.topic;
  auto& partition = topic.partitions.push_back(arena_);
  partition.partition_index = led.index;
  partition.leader_epoch = led.leader_epoch;
  partition.partition_epoch = led.partition_epoch;
  const std::size_t in_sync = mine.shrunk ? led.isr.size() : 1;
  for (std::size_t i = 0; i < in_sync; ++i) {
    auto& replica = partition.new_isr_with_epochs.push_back(arena_);
    replica.broker_id = led.isr[i].id;
    replica.broker_epoch = led.isr[i].epoch;
  }
  frame_ = load_frame(request, version);
  return frame_;
}

std::optional<ErrorCode> AlterPartitionWork::answer(std::size_t slot, Bytes body) {
  Slot& mine = slots_[slot];
  Mine& asked = mine.partitions[mine.next];
  mine.next = (mine.next + 1) % mine.partitions.size();
  arena_.reset();
  messages::AlterPartitionResponse response;
  Reader reader(body);
  if (!decode(reader, version, arena_, response)) return std::nullopt;
  if (response.error_code != ErrorCode::none) return response.error_code;
  if (response.topics.size() != 1 || response.topics[0].partitions.size() != 1) return std::nullopt;
  const auto& found = response.topics[0].partitions[0];
  if (found.error_code != ErrorCode::none) return found.error_code;
  asked.partition.leader_epoch = found.leader_epoch;
  asked.partition.partition_epoch = found.partition_epoch;
  asked.shrunk = !asked.shrunk;
  return ErrorCode::none;
}

}  // namespace hayward::tools
