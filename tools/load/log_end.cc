// See log_end.h.
#include "tools/load/log_end.h"

#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/describe_quorum_response.h"
#include "tools/load/frame.h"

namespace hayward::tools {
namespace {

constexpr std::int16_t version = 2;

}  // namespace

Bytes LogEndWork::request(std::size_t) {
  asked_ = true;
  arena_.reset();
  messages::DescribeQuorumRequest request;
  auto& topic = request.topics.push_back(arena_);
  topic.topic_name = "__cluster_metadata";
  topic.partitions.push_back(arena_);
  frame_ = load_frame(request, version);
  return frame_;
}

std::optional<ErrorCode> LogEndWork::answer(std::size_t, Bytes body) {
  answered_ = true;
  arena_.reset();
  messages::DescribeQuorumResponse response;
  Reader reader(body);
  if (!decode(reader, version, arena_, response)) return std::nullopt;
  if (response.error_code != ErrorCode::none) return response.error_code;
  if (response.topics.size() != 1 || response.topics[0].partitions.size() != 1) return std::nullopt;
  high_watermark_ = response.topics[0].partitions[0].high_watermark;
  return response.topics[0].partitions[0].error_code;
}

}  // namespace hayward::tools
