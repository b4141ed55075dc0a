// See answers.h.
#include "bench/floor/answers.h"

#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "schemas/messages/describe_cluster_response.h"
#include "schemas/messages/describe_quorum_response.h"
#include "schemas/messages/request_header.h"
#include "schemas/messages/response_header.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::bench {
namespace {

constexpr std::int16_t api_versions = 18, create_topics = 19, describe_quorum = 55, describe_cluster = 60,
                       registration = 62, heartbeat = 63;
constexpr std::size_t correlation_at = 4;  // after the size

template <class Response>
void append_frame(Buffer& out, std::int32_t correlation_id, const Response& response, std::int16_t version) {
  // ApiVersions' answer has no tags in its header, whatever its version.
  const std::int16_t header_version = Response::api_key == api_versions ? 0 : 1;
  messages::ResponseHeader header;
  header.correlation_id = correlation_id;
  const std::size_t size = encoded_size(header, header_version) + encoded_size(response, version);
  const std::size_t at = out.size();
  out.resize(at + 4 + size);
  Writer writer(MutableBytes(out).subspan(at));
  writer.write_i32(static_cast<std::int32_t>(size));
  encode(writer, header, header_version);
  encode(writer, response, version);
}

}  // namespace

Answers::Answers(std::uint16_t port) : port_(port) {
  messages::BrokerHeartbeatResponse response;
  response.is_caught_up = true;
  response.is_fenced = false;
  append_frame(heartbeat_, 0, response, 2);
}

bool Answers::append(Buffer& out, Bytes request) {
  Reader reader(request);
  const std::int16_t api_key = reader.read_i16();
  reader.read_i16();
  const std::int32_t correlation_id = reader.read_i32();
  if (!reader.ok()) return false;
  if (api_key != heartbeat) return append_rare(out, request, api_key, correlation_id);
  const std::size_t at = out.size();
  out.insert(out.end(), heartbeat_.begin(), heartbeat_.end());
  Writer(MutableBytes(out).subspan(at + correlation_at, 4)).write_i32(correlation_id);
  return true;
}

bool Answers::append_rare(Buffer& out, Bytes request, std::int16_t api_key, std::int32_t correlation_id) {
  arena_.reset();
  if (api_key == registration) {
    messages::BrokerRegistrationResponse response;
    response.broker_epoch = BrokerEpoch{++log_end_};
    append_frame(out, correlation_id, response, 4);
  } else if (api_key == create_topics) {
    messages::RequestHeader header;
    messages::CreateTopicsRequest asked;
    Reader reader(request);
    if (!decode(reader, 2, arena_, header) || !decode(reader, 7, arena_, asked)) return false;
    messages::CreateTopicsResponse response;
    for (const auto& topic : asked.topics) response.topics.push_back(arena_).name = topic.name;
    append_frame(out, correlation_id, response, 7);
  } else if (api_key == describe_quorum) {
    messages::DescribeQuorumResponse response;
    response.topics.push_back(arena_).partitions.push_back(arena_).high_watermark = Offset{log_end_ + 1};
    append_frame(out, correlation_id, response, 2);
  } else if (api_key == describe_cluster) {
    messages::DescribeClusterResponse response;
    response.cluster_id = "floor";
    response.controller_id = NodeId{3000};
    auto& node = response.brokers.push_back(arena_);
    node.broker_id = NodeId{3000};
    node.host = "127.0.0.1";
    node.port = port_;
    append_frame(out, correlation_id, response, 1);
  } else if (api_key == api_versions) {
    append_frame(out, correlation_id, messages::ApiVersionsResponse{}, 3);
  } else {
    return false;
  }
  return true;
}

}  // namespace hayward::bench
