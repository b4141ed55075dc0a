// See topics.h.
#include "tools/load/topics.h"

#include <algorithm>

#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "tools/load/frame.h"

namespace hayward::tools {
namespace {

constexpr std::int16_t version = 7;

}  // namespace

std::vector<NodeId> Placement::replicas(std::uint64_t n, std::int16_t replication_factor) const {
  std::vector<NodeId> result;
  const std::uint64_t brokers = doomed.size();
  const std::uint64_t round = n / brokers;
  const auto wanted = std::min<std::uint64_t>(brokers, static_cast<std::uint64_t>(replication_factor));
  for (std::uint64_t i = 0; i < wanted; ++i) {
    // The followers' distance from the leader changes from round to round, never to 0.
    const std::uint64_t step = i == 0 ? 0 : 1 + (round + i - 1) % (brokers - 1);
    result.push_back(doomed[(n + step) % brokers]);
  }
  // 37 has no factor in common with 100: the share is met within each hundred.
  const bool survives = !living.empty() && n * 37 % 100 < survivors_percent;
  if (survives && result.size() > 1) result.pop_back();
  if (survives) result.push_back(living[n % living.size()]);
  return result;
}

Bytes CreateTopicsWork::request(std::size_t) {
  const std::string name = options_.prefix + std::to_string(begun_++);
  arena_.reset();
  messages::CreateTopicsRequest request;
  auto& topic = request.topics.push_back(arena_);
  topic.name = name;
  if (options_.placement.doomed.empty()) {
    topic.num_partitions = options_.partitions;
    topic.replication_factor = options_.replication_factor;
  } else {
    topic.num_partitions = -1;
    topic.replication_factor = -1;
    for (std::int32_t i = 0; i < options_.partitions; ++i) {
      auto& assignment = topic.assignments.push_back(arena_);
      assignment.partition_index = PartitionIndex{i};
      assignment.broker_ids =
          Array<NodeId>::copy(arena_, options_.placement.replicas(partitions_begun_++, options_.replication_factor));
    }
  }
  request.timeout_ms = 30000;
  frame_ = load_frame(request, version);
  return frame_;
}

std::optional<ErrorCode> CreateTopicsWork::answer(std::size_t, Bytes body) {
  arena_.reset();
  messages::CreateTopicsResponse response;
  Reader reader(body);
  if (!decode(reader, version, arena_, response) || response.topics.size() != 1) return std::nullopt;
  return response.topics[0].error_code;
}

}  // namespace hayward::tools
