// Drills in a QuorumWorld: one fault again and again, and how long the quorum takes.
// Owner: QuorumWorld.
#include <algorithm>

#include "quorum_world.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t most_ms = 60'000;  // for anything to come about

}  // namespace

void QuorumWorld::begin_drill() {
  for (auto& [id, controller] : controllers_) start(*controller);
  next_fault_ns_ = INT64_MAX;
}

std::optional<std::string> QuorumWorld::run_until(std::int64_t within_ms, const std::string& what,
                                                  const std::function<bool()>& done) {
  const std::int64_t begun_ns = now_ns_;
  const std::int64_t end_ns = begun_ns + within_ms * ms;
  while (!done()) {
    if (now_ns_ >= end_ns) return what + " did not come about within " + std::to_string(within_ms) + " ms";
    now_ns_ = std::min(next_ns(), end_ns);
    run_due();
    if (auto broken = violation()) return "at " + std::to_string(now_ns_ / ms) + " ms: " + *broken;
  }
  return std::nullopt;
}

// Of several that say so, the one of the newest epoch.
QuorumWorld::Controller* QuorumWorld::active() {
  Controller* found = nullptr;
  for (auto& [id, controller] : controllers_) {
    if (!controller->node || !controller->node->view().active) continue;
    if (found == nullptr || controller->node->view().epoch > found->node->view().epoch) found = controller.get();
  }
  return found;
}

bool QuorumWorld::all_is_well() {
  const Controller* leader = active();
  return leader != nullptr && std::ranges::all_of(controllers_, [&](const auto& entry) {
           const Controller& controller = *entry.second;
           if (!controller.node || controller.paused_until_ns > now_ns_) return false;
           const core::NodeView view = controller.node->view();
           return view.leader == leader->config.node_id && view.epoch == leader->node->view().epoch &&
                  view.high_watermark.value + 20 >= leader->node->view().high_watermark.value;
         });
}

std::expected<std::vector<std::int64_t>, std::string> QuorumWorld::lose_leaders(int times, Loss loss) {
  begin_drill();
  std::vector<std::int64_t> took_ms;
  for (int i = 0; i < times; ++i) {
    if (auto broken = run_until(most_ms, "a quorum in order", [&] { return all_is_well(); }))
      return std::unexpected(*broken);
    const std::int64_t quiet_until_ns = now_ns_ + pick(0, 500) * ms;
    if (auto broken = run_until(most_ms, "quiet", [&] { return now_ns_ >= quiet_until_ns; }))
      return std::unexpected(*broken);
    Controller* lost = active();
    if (lost == nullptr) return std::unexpected("the leader goes although nothing has happened");
    const Epoch epoch = lost->node->view().epoch;
    const std::int64_t lost_ns = now_ns_;
    if (loss == Loss::kill) {
      crash(*lost);
      lost->restart_ns = now_ns_ + pick(100, 2000) * ms;
    } else {
      lost->paused_until_ns = now_ns_ + pick(5000, 10'000) * ms;
    }
    const auto replaced = [&] { return active() != nullptr && active()->node->view().epoch > epoch; };
    if (auto broken = run_until(most_ms, "another leader", replaced)) return std::unexpected(*broken);
    took_ms.push_back((now_ns_ - lost_ns) / ms);
  }
  return took_ms;
}

std::optional<std::string> QuorumWorld::isolate_a_follower(std::int64_t for_ms) {
  begin_drill();
  if (auto broken = run_until(most_ms, "a quorum in order", [&] { return all_is_well(); })) return broken;
  const Id leader = active()->config.node_id.value;
  const Epoch epoch = active()->node->view().epoch;
  const std::uint64_t written = happenings_.acknowledged;
  const Id follower = leader == 1 ? 2 : 1;
  for (const auto& [id, controller] : controllers_) {
    if (id == follower) continue;
    network_.block(id, follower);
    network_.block(follower, id);
  }
  const std::int64_t healed_ns = now_ns_ + for_ms * ms;
  if (auto broken = run_until(for_ms + 1, "the end", [&] { return now_ns_ >= healed_ns; })) return broken;
  network_.unblock_all();
  if (auto broken = run_until(most_ms, "its return", [&] { return all_is_well(); })) return broken;
  const std::int64_t later_ns = now_ns_ + 10'000 * ms;
  if (auto broken = run_until(most_ms, "later", [&] { return now_ns_ >= later_ns; })) return broken;
  if (!all_is_well() || active()->config.node_id.value != leader || active()->node->view().epoch != epoch) {
    return "the leader or its epoch is another one";
  }
  if (happenings_.acknowledged < written + static_cast<std::uint64_t>(for_ms / 1000))
    return "writes did not go on meanwhile";
  return std::nullopt;
}

}  // namespace hayward::sim
