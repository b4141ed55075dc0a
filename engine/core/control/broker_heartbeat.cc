// See broker_heartbeat.h.
#include "engine/core/control/broker_heartbeat.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/control/broker_transitions.h"
#include "engine/core/control/eligibility.h"
#include "engine/core/image/image.h"
#include "engine/core/records.h"
#include "schemas/records/broker_registration_change_record.h"

namespace hayward::core {
namespace {

using messages::BrokerHeartbeatRequest;
using messages::BrokerHeartbeatResponse;

enum class ControlState : std::uint8_t { fenced, unfenced, controlled_shutdown, shutdown_now };

// One heartbeat with what it is judged by.
struct Heartbeat {
  const HandlerContext& context;
  const BrokerStates& states;
  const BrokerHeartbeatRequest& request;
  const BrokerRegistration& broker;
  BrokerState state;  // before it

  BrokerIncarnation incarnation() const { return {broker.id, broker.epoch}; }
  bool caught_up(Offset offset) const { return offset >= broker.register_offset; }
  bool leads() const { return !context.image.topics().led_by(broker.id).empty(); }
};

ControlState present_state(const Heartbeat& heartbeat) {
  if (heartbeat.state.in_controlled_shutdown()) return ControlState::controlled_shutdown;
  return heartbeat.broker.fenced ? ControlState::fenced : ControlState::unfenced;
}

ControlState next_if_fenced(const Heartbeat& heartbeat) {
  const BrokerHeartbeatRequest& request = heartbeat.request;
  if (request.want_shut_down) return ControlState::shutdown_now;
  const bool unfence = !request.want_fence && heartbeat.caught_up(request.current_metadata_offset);
  return unfence ? ControlState::unfenced : ControlState::fenced;
}

ControlState next_if_unfenced(const Heartbeat& heartbeat) {
  const BrokerHeartbeatRequest& request = heartbeat.request;
  if (request.want_fence) return request.want_shut_down ? ControlState::shutdown_now : ControlState::fenced;
  if (!request.want_shut_down) return ControlState::unfenced;
  return heartbeat.leads() ? ControlState::controlled_shutdown : ControlState::shutdown_now;
}

// C19: only when it leads nothing and every active broker has read what its shutdown wrote.
// As with Kafka, whether this very heartbeat wishes for it or not: the wish that began it stands.
ControlState next_in_controlled_shutdown(const Heartbeat& heartbeat) {
  if (heartbeat.leads()) return ControlState::controlled_shutdown;
  const Offset lowest = heartbeat.states.lowest_active_offset(heartbeat.context.image.cluster());
  return heartbeat.state.shutdown_offset <= lowest ? ControlState::shutdown_now : ControlState::controlled_shutdown;
}

ControlState next_state(const Heartbeat& heartbeat, ControlState present) {
  switch (present) {
    case ControlState::fenced: return next_if_fenced(heartbeat);
    case ControlState::unfenced: return next_if_unfenced(heartbeat);
    default: return next_in_controlled_shutdown(heartbeat);
  }
}

// Without repetitions. A peer decides how long these lists are, so nothing is searched for one by one.
std::vector<DirectoryId> sorted(std::span<const DirectoryId> dirs) {
  std::vector<DirectoryId> result(dirs.begin(), dirs.end());
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Registered directories that the broker says it has lost, but for those that its partitions leave already. Ascending.
std::vector<DirectoryId> newly_offline(const Heartbeat& heartbeat, MetadataVersion version) {
  std::vector<DirectoryId> dirs;
  if (!version.directory_assignment()) return dirs;
  const std::vector<DirectoryId> offline = sorted(heartbeat.request.offline_log_dirs);
  for (const DirectoryId dir : heartbeat.broker.log_dirs) {
    const bool known = !has_online_dir(heartbeat.context, heartbeat.broker, dir);
    if (!known && std::ranges::binary_search(offline, dir)) dirs.push_back(dir);
  }
  return sorted(dirs);
}

// How the broker's partitions follow its new state.
enum class Followed : std::uint8_t { none, left_all_isrs, in_slices };

Followed leave(const Heartbeat& heartbeat, BrokerWorkKind kind, RecordList& records) {
  const HandlerContext& context = heartbeat.context;
  const BrokerIncarnation incarnation = heartbeat.incarnation();
  if (!fits_one_slice(context, context.image.topics().in_isr_of(incarnation.id).size())) {
    // C3: where one that has left already is still in an ISR, it is the last member and stays.
    const bool has_left = heartbeat.broker.fenced || heartbeat.state.in_controlled_shutdown();
    if (!has_left || heartbeat.leads()) return Followed::in_slices;
    if (kind == BrokerWorkKind::fence) add_fence_record(incarnation, records);
    return Followed::left_all_isrs;
  }
  if (kind == BrokerWorkKind::fence) fence(context, {&incarnation, 1}, records);
  else leave_all_isrs(context, {&incarnation.id, 1}, records);
  return Followed::left_all_isrs;
}

Followed join(const Heartbeat& heartbeat, std::span<const DirectoryId> offline_dirs, RecordList& records) {
  const HandlerContext& context = heartbeat.context;
  const std::size_t leaderless = context.image.topics().leaderless_of(heartbeat.broker.id).size();
  if (fits_one_slice(context, leaderless)) {
    unfence(context, heartbeat.incarnation(), offline_dirs, records);
    return Followed::none;
  }
  add_unfence_record(heartbeat.incarnation(), records);
  return Followed::in_slices;
}

// The work that comes with the step, whether at once or in slices.
BrokerWorkKind work_of(const Heartbeat& heartbeat, ControlState present, ControlState next) {
  switch (next) {
    case ControlState::unfenced: return present == next ? BrokerWorkKind::none : BrokerWorkKind::elect;
    case ControlState::fenced: return present == next ? BrokerWorkKind::none : BrokerWorkKind::fence;
    case ControlState::shutdown_now: return BrokerWorkKind::fence;
    case ControlState::controlled_shutdown:
      return present == next && !heartbeat.leads() ? BrokerWorkKind::none : BrokerWorkKind::drain;
  }
  return BrokerWorkKind::none;
}

Followed add_transition(const Heartbeat& heartbeat, BrokerWorkKind work, std::span<const DirectoryId> offline_dirs,
                        RecordList& records) {
  if (work == BrokerWorkKind::none) return Followed::none;
  if (work == BrokerWorkKind::elect) return join(heartbeat, offline_dirs, records);
  if (work == BrokerWorkKind::drain) enter_controlled_shutdown(heartbeat.broker, records);
  return leave(heartbeat, work, records);
}

// Directories that are lost: at once, or returned, where too many partitions must leave them.
std::vector<DirectoryId> add_offline_dirs(const Heartbeat& heartbeat, std::vector<DirectoryId> offline_dirs,
                                          bool left_all_isrs, RecordList& records) {
  if (offline_dirs.empty()) return {};
  const HandlerContext& context = heartbeat.context;
  if (!left_all_isrs) {
    if (!fits_one_slice(context, context.image.topics().in_isr_of(heartbeat.broker.id).size())) return offline_dirs;
    leave_directories(context, heartbeat.broker.id, offline_dirs, records);
  }
  add_lost_directories(context, heartbeat.broker, offline_dirs, records);
  return {};
}

// Null: the broker does not know yet (it reads them from the metadata log).
void add_cordoned_dirs(const Heartbeat& heartbeat, RecordList& records) {
  const auto& cordoned = heartbeat.request.cordoned_log_dirs;
  if (!records.metadata_version().cordoned_log_dirs() || cordoned.is_null()) return;
  const auto& stored = heartbeat.broker.cordoned_log_dirs;
  if (stored && sorted(*stored) == sorted(cordoned)) return;
  records::BrokerRegistrationChangeRecord change;
  change.broker_id = heartbeat.broker.id;
  change.broker_epoch = heartbeat.broker.epoch;
  change.cordoned_log_dirs = cordoned;
  records.add(change, 3);
}

// The shutdown offset is set once, to the end of what the entering heartbeat wrote (or of all that was
// written before, if it wrote nothing), so that later writes do not put it off.
Offset shutdown_offset(const Heartbeat& heartbeat, ControlState next, const RecordList& records) {
  if (next != ControlState::controlled_shutdown) return no_offset;
  if (heartbeat.state.in_controlled_shutdown()) return heartbeat.state.shutdown_offset;
  return Offset{records.next_offset().value - 1};
}

bool is_ignored(const Heartbeat& heartbeat) {
  return heartbeat.request.current_metadata_offset < heartbeat.state.metadata_offset;
}

// What it changes but for controlled shutdown. An offset that nobody has written is not recorded.
BrokerStateUpdate update_of(const Heartbeat& heartbeat) {
  const Offset offset = heartbeat.request.current_metadata_offset;
  return {.broker = heartbeat.incarnation(),
          .arrival = heartbeat.context.request.arrival,
          .ignored = is_ignored(heartbeat),
          .metadata_offset = offset < heartbeat.context.next_offset ? offset : heartbeat.state.metadata_offset,
          .shutdown_offset = heartbeat.state.shutdown_offset,
          .may_lease = !is_changing(heartbeat.context, heartbeat.broker.id)};
}

HeartbeatOutcome answer_from_present_state(const Heartbeat& heartbeat, Offset offset) {
  HeartbeatOutcome outcome;
  outcome.response.is_caught_up = heartbeat.caught_up(offset);
  outcome.response.is_fenced = heartbeat.broker.fenced;
  outcome.update = update_of(heartbeat);
  return outcome;
}

// An unfencing is done, as far as the broker is concerned; of the rest it hears when the last slice is written.
// Who leaves all ISRs tells again of the directories it has lost; who is to be elected must not be from there.
HeartbeatOutcome answer_begun(const Heartbeat& heartbeat, BrokerWorkKind work, std::vector<DirectoryId> offline_dirs) {
  HeartbeatOutcome outcome = answer_from_present_state(heartbeat, heartbeat.request.current_metadata_offset);
  outcome.response.is_fenced = heartbeat.broker.fenced && work != BrokerWorkKind::elect;
  outcome.work = work;
  if (work == BrokerWorkKind::elect) outcome.lost_directories = std::move(offline_dirs);
  return outcome;
}

HeartbeatOutcome act(const Heartbeat& heartbeat, RecordList& records) {
  const BrokerHeartbeatRequest& request = heartbeat.request;
  const ControlState present = present_state(heartbeat);
  const ControlState next = next_state(heartbeat, present);
  const BrokerWorkKind work = work_of(heartbeat, present, next);
  std::vector<DirectoryId> offline_dirs = newly_offline(heartbeat, records.metadata_version());
  const Followed followed = add_transition(heartbeat, work, offline_dirs, records);
  if (followed == Followed::in_slices) return answer_begun(heartbeat, work, std::move(offline_dirs));
  const bool left_all_isrs = followed == Followed::left_all_isrs;
  HeartbeatOutcome outcome;
  outcome.lost_directories = add_offline_dirs(heartbeat, std::move(offline_dirs), left_all_isrs, records);
  add_cordoned_dirs(heartbeat, records);

  outcome.response.is_caught_up = heartbeat.caught_up(request.current_metadata_offset);
  outcome.response.is_fenced = next == ControlState::fenced || next == ControlState::shutdown_now;
  outcome.response.should_shut_down = next == ControlState::shutdown_now;
  outcome.update = update_of(heartbeat);
  outcome.update->shutdown_offset = shutdown_offset(heartbeat, next, records);
  return outcome;
}

// nullopt: not registered, or with another epoch (C9).
std::optional<Heartbeat> look_up(const HandlerContext& context, const BrokerStates& states,
                                 const BrokerHeartbeatRequest& request) {
  const BrokerRegistration* broker = context.image.cluster().broker(request.broker_id);
  if (broker == nullptr || broker->epoch != request.broker_epoch) return std::nullopt;
  return Heartbeat{context, states, request, *broker, states.of({broker->id, broker->epoch})};
}

}  // namespace

HeartbeatOutcome broker_heartbeat(const HandlerContext& context, const BrokerStates& states,
                                  const BrokerHeartbeatRequest& request, RecordList& records) {
  const std::optional<Heartbeat> heartbeat = look_up(context, states, request);
  if (!heartbeat) {
    HeartbeatOutcome outcome;
    outcome.response.error_code = ErrorCode::stale_broker_epoch;
    return outcome;
  }
  if (is_ignored(*heartbeat)) return answer_from_present_state(*heartbeat, heartbeat->state.metadata_offset);
  if (is_changing(context, request.broker_id)) {
    return answer_from_present_state(*heartbeat, request.current_metadata_offset);
  }
  return act(*heartbeat, records);
}

std::optional<BrokerStateUpdate> note_late_heartbeat(const HandlerContext& context, const BrokerStates& states,
                                                     const BrokerHeartbeatRequest& request) {
  const std::optional<Heartbeat> heartbeat = look_up(context, states, request);
  if (!heartbeat) return std::nullopt;
  return update_of(*heartbeat);
}

}  // namespace hayward::core
