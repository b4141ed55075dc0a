// See brokers.h.
#include "tools/load/brokers.h"

#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "tools/load/frame.h"

namespace hayward::tools {
namespace {

constexpr std::int16_t registration_version = 4;
constexpr std::int16_t heartbeat_version = 2;

struct FeatureRange {
  std::string_view name;
  std::int16_t min, max;
};
// What a 4.3 broker says that it supports.
constexpr FeatureRange features_of_4_3[] = {
    {"metadata.version", 7, 30},
    {"kraft.version", 0, 1},
    {"transaction.version", 0, 2},
    {"group.version", 0, 1},
    {"eligible.leader.replicas.version", 0, 1},
    {"share.version", 0, 1},
    {"streams.version", 0, 1},
};

Buffer heartbeat_frame(const LoadBroker& broker) {
  messages::BrokerHeartbeatRequest request;
  request.broker_id = broker.id;
  request.broker_epoch = broker.epoch;
  request.current_metadata_offset = Offset{broker.epoch.value};  // the epoch is its registration's offset
  request.cordoned_log_dirs = {};
  return load_frame(request, heartbeat_version);
}

}  // namespace

std::vector<LoadBroker> make_brokers(std::int32_t first_id, std::size_t count, Prng& prng) {
  std::vector<LoadBroker> brokers(count);
  for (std::size_t i = 0; i < count; ++i) {
    brokers[i].id = NodeId{first_id + static_cast<std::int32_t>(i)};
    brokers[i].incarnation = IncarnationId{prng.uuid()};
    brokers[i].directory = DirectoryId{prng.uuid()};
  }
  return brokers;
}

Bytes RegisterWork::request(std::size_t slot) {
  const LoadBroker& broker = brokers_[slot];
  asked_[slot] = true;
  arena_.reset();
  messages::BrokerRegistrationRequest request;
  request.broker_id = broker.id;
  request.cluster_id = cluster_id_;
  request.incarnation_id = broker.incarnation;
  auto& listener = request.listeners.push_back(arena_);
  listener.name = "PLAINTEXT";
  listener.host = "127.0.0.1";
  listener.port = static_cast<std::uint16_t>(1024 + broker.id.value % 60000);
  for (const FeatureRange& range : features_of_4_3) {
    auto& feature = request.features.push_back(arena_);
    feature.name = range.name;
    feature.min_supported_version = range.min;
    feature.max_supported_version = range.max;
  }
  request.rack.reset();
  request.log_dirs.push_back(arena_, broker.directory);
  frame_ = load_frame(request, registration_version);
  return frame_;
}

std::optional<ErrorCode> RegisterWork::answer(std::size_t slot, Bytes body) {
  ++answered_;
  arena_.reset();
  messages::BrokerRegistrationResponse response;
  Reader reader(body);
  if (!decode(reader, registration_version, arena_, response)) return std::nullopt;
  if (response.error_code == ErrorCode::none) {
    brokers_[slot].epoch = response.broker_epoch;
    brokers_[slot].heartbeat = heartbeat_frame(brokers_[slot]);
  }
  return response.error_code;
}

std::optional<ErrorCode> HeartbeatWork::answer(std::size_t slot, Bytes body) {
  arena_.reset();
  messages::BrokerHeartbeatResponse response;
  Reader reader(body);
  if (!decode(reader, heartbeat_version, arena_, response)) return std::nullopt;
  LoadBroker& broker = brokers_[slot];
  if (response.error_code == ErrorCode::none) {
    if (broker.fenced && !response.is_fenced) ++unfenced_;
    broker.fenced = response.is_fenced;
  }
  return response.error_code;
}

}  // namespace hayward::tools
