// See topics.h.
#include "tools/load/topics.h"

#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "tools/load/frame.h"

namespace hayward::tools {
namespace {

constexpr std::int16_t version = 7;

}  // namespace

Bytes CreateTopicsWork::request(std::size_t) {
  const std::string name = options_.prefix + std::to_string(begun_++);
  arena_.reset();
  messages::CreateTopicsRequest request;
  auto& topic = request.topics.push_back(arena_);
  topic.name = name;
  topic.num_partitions = options_.partitions;
  topic.replication_factor = options_.replication_factor;
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
