// See brokers.h.
#include "tools/load/brokers.h"

#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/runtime/assert.h"
#include "tools/load/frame.h"
#include "tools/load/observer.h"

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

// A heartbeat's last bytes: the metadata offset, two flags and the tags with the empty list of cordoned directories.
constexpr std::size_t offset_before_end = 8 + 1 + 1 + 1 + 1 + 1 + 1;

Buffer heartbeat_frame(const LoadBroker& broker) {
  messages::BrokerHeartbeatRequest request;
  request.broker_id = broker.id;
  request.broker_epoch = broker.epoch;
  request.current_metadata_offset = Offset{broker.epoch.value};  // the epoch is its registration's offset
  request.cordoned_log_dirs = {};
  Buffer frame = load_frame(request, heartbeat_version);
  Reader offset(Bytes(frame).last(offset_before_end));
  HAYWARD_ASSERT(offset.read_i64() == broker.epoch.value, "the offset's place in a heartbeat");
  return frame;
}

}  // namespace

std::vector<LoadBroker> make_brokers(const std::vector<std::int32_t>& ids, Prng& prng) {
  std::vector<LoadBroker> brokers(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    brokers[i].id = NodeId{ids[i]};
    brokers[i].incarnation = IncarnationId{prng.uuid()};
    brokers[i].directory = DirectoryId{prng.uuid()};
  }
  return brokers;
}

void set_read(LoadBroker& broker, Offset last) {
  const MutableBytes frame(broker.heartbeat);
  Writer(frame.subspan(frame.size() - offset_before_end, 8)).write_i64(last.value);
}

Bytes RegisterWork::request(std::size_t slot) {
  const LoadBroker& broker = brokers_.all[slot];
  asked_[slot - brokers_.first] = true;
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
    LoadBroker& broker = brokers_.all[slot];
    broker.epoch = response.broker_epoch;
    broker.heartbeat = heartbeat_frame(broker);
    broker.fenced = true;
  }
  return response.error_code;
}

bool HeartbeatWork::has_next(std::size_t slot) {
  if (until_ == Until::unfenced) return brokers_.all[slot].fenced;
  return until_ == Until::stopped || !begun_[slot - brokers_.first];
}

Bytes HeartbeatWork::request(std::size_t slot) {
  LoadBroker& broker = brokers_.all[slot];
  begun_[slot - brokers_.first] = true;
  if (broker.observer != nullptr) set_read(broker, broker.observer->read());
  return broker.heartbeat;
}

bool HeartbeatWork::finished() const {
  if (until_ == Until::stopped) return false;
  return (until_ == Until::unfenced ? unfenced_ : answered_) == brokers_.count;
}

std::optional<ErrorCode> HeartbeatWork::answer(std::size_t slot, Bytes body) {
  ++answered_;
  arena_.reset();
  messages::BrokerHeartbeatResponse response;
  Reader reader(body);
  if (!decode(reader, heartbeat_version, arena_, response)) return std::nullopt;
  LoadBroker& broker = brokers_.all[slot];
  if (response.error_code == ErrorCode::none) {
    if (broker.fenced && !response.is_fenced) ++unfenced_;
    broker.fenced = response.is_fenced;
  }
  return response.error_code;
}

}  // namespace hayward::tools
