// See steady_heartbeats.h.
#include "engine/core/lease/steady_heartbeats.h"

#include <algorithm>
#include <span>

#include "engine/core/control/answer.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/runtime/assert.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::core {
namespace {

using messages::BrokerHeartbeatRequest;
using messages::BrokerHeartbeatResponse;

constexpr MonoTime never_alive{INT64_MIN / 2};

// correlation id 4, tags 1, throttle time 4, error 2; then the three truths and the body's tags.
constexpr std::size_t caught_up_at = 11;
constexpr std::size_t fenced_at = 12;

// A peer decides how long its lists are; longer ones are not searched through here.
constexpr std::size_t most_dirs = 64;

template <class Dirs>
bool has(const Dirs& dirs, DirectoryId dir) {
  return std::find(dirs.begin(), dirs.end(), dir) != dirs.end();
}

// As sets.
bool same_dirs(std::span<const DirectoryId> a, std::span<const DirectoryId> b) {
  return std::all_of(a.begin(), a.end(), [&](DirectoryId dir) { return has(b, dir); }) &&
         std::all_of(b.begin(), b.end(), [&](DirectoryId dir) { return has(a, dir); });
}

bool dirs_recorded(const BrokerHeartbeatRequest& heartbeat, const PublishBroker& state) {
  const auto& offline = heartbeat.offline_log_dirs;
  if (offline.size() > most_dirs || state.log_dirs.size() > most_dirs) return false;
  if (std::any_of(offline.begin(), offline.end(), [&](DirectoryId dir) { return has(state.log_dirs, dir); })) return false;
  const auto& cordoned = heartbeat.cordoned_log_dirs;
  if (cordoned.is_null()) return true;
  return state.cordoned_log_dirs && cordoned.size() <= most_dirs && state.cordoned_log_dirs->size() <= most_dirs &&
         same_dirs(std::span(cordoned.begin(), cordoned.end()), *state.cordoned_log_dirs);
}

}  // namespace

SteadyHeartbeats::SteadyHeartbeats(const LeaseTable& leases, std::int64_t life_ns)
    : leases_(leases), life_ns_(life_ns), alive_at_(never_alive) {
  const Buffer encoded = encode_answer(0, BrokerHeartbeatResponse::max_version, BrokerHeartbeatResponse{});
  HAYWARD_ASSERT(encoded.size() == answer_.size(), "a BrokerHeartbeat answer has a fixed size");
  std::copy(encoded.begin(), encoded.end(), answer_.begin());
}

void SteadyHeartbeats::reset() {
  published_.clear();
  alive_at_ = never_alive;
}

// An unfenced broker that asks for nothing, or a fenced one that asks for nothing that it could get yet.
bool SteadyHeartbeats::is_steady(const BrokerHeartbeatRequest& heartbeat, const PublishBroker& state) const {
  if (heartbeat.want_shut_down) return false;
  const bool caught_up = heartbeat.current_metadata_offset >= state.caught_up_at;
  const bool changes = state.fenced ? !heartbeat.want_fence && caught_up : heartbeat.want_fence;
  return !changes && dirs_recorded(heartbeat, state);
}

const SteadyHeartbeats::Answer* SteadyHeartbeats::answer(const Request& request, MonoTime now) {
  if (request.api_key != BrokerHeartbeatRequest::api_key) return nullptr;
  if (!controller_lives(now)) return nullptr;
  BrokerHeartbeatRequest heartbeat;
  Reader reader(request.body);
  arena_.reset();
  if (!decode(reader, request.api_version, arena_, heartbeat)) return nullptr;

  const auto found = published_.find(heartbeat.broker_id);
  if (found == published_.end()) return nullptr;
  const PublishBroker& state = found->second;
  const BrokerIncarnation broker{heartbeat.broker_id, heartbeat.broker_epoch};
  if (state.broker != broker || !leases_.counts(broker, heartbeat.current_metadata_offset)) return nullptr;
  if (!is_steady(heartbeat, state)) return nullptr;

  Writer(MutableBytes(answer_).first(sizeof request.correlation_id)).write_i32(request.correlation_id);
  answer_[caught_up_at] = std::byte{heartbeat.current_metadata_offset >= state.caught_up_at};
  answer_[fenced_at] = std::byte{state.fenced};
  ++answered_;
  return &answer_;
}

}  // namespace hayward::core
