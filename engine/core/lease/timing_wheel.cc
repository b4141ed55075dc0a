// See timing_wheel.h.
#include "engine/core/lease/timing_wheel.h"

#include <algorithm>
#include <bit>

#include "schemas/runtime/assert.h"

namespace hayward::core {

TimingWheel::TimingWheel(std::int64_t tick_ns, MonoTime now) : tick_ns_(tick_ns), hand_(0) {
  HAYWARD_ASSERT(tick_ns > 0, "a tick has a length");
  heads_.fill(none);
  hand_ = tick_of(now);
}

// Rounds down, for times before zero too.
std::int64_t TimingWheel::tick_of(MonoTime t) const {
  const std::int64_t quotient = t.ns / tick_ns_;
  return t.ns % tick_ns_ < 0 ? quotient - 1 : quotient;
}

void TimingWheel::schedule(std::uint32_t index, MonoTime at) {
  if (index >= nodes_.size()) nodes_.resize(index + 1);
  HAYWARD_ASSERT(nodes_[index].slot == none, "scheduled twice");
  // The tick that begins after `at`: when it has come, `at` has surely passed (L1).
  const std::int64_t tick = std::clamp(tick_of(at) + 1, hand_ + 1, hand_ + slot_count - 1);
  const auto slot = static_cast<std::uint32_t>(static_cast<std::uint64_t>(tick) % slot_count);
  const std::uint32_t head = heads_[slot];
  nodes_[index] = {.next = head, .previous = none, .slot = slot};
  if (head != none) nodes_[head].previous = index;
  heads_[slot] = index;
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void TimingWheel::cancel(std::uint32_t index) {
  if (index >= nodes_.size() || nodes_[index].slot == none) return;
  const Node node = nodes_[index];
  if (node.next != none) nodes_[node.next].previous = node.previous;
  if (node.previous != none) nodes_[node.previous].next = node.next;
  else heads_[node.slot] = node.next;
  if (heads_[node.slot] == none) occupied_[node.slot / 64] &= ~(std::uint64_t{1} << (node.slot % 64));
  nodes_[index] = {};
}

void TimingWheel::clear() {
  heads_.fill(none);
  occupied_.fill(0);
  nodes_.clear();
}

void TimingWheel::take_slot(std::uint32_t slot, std::vector<std::uint32_t>& due) {
  for (std::uint32_t index = heads_[slot]; index != none;) {
    const std::uint32_t next = nodes_[index].next;
    nodes_[index] = {};
    due.push_back(index);
    index = next;
  }
  heads_[slot] = none;
  occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
}

void TimingWheel::advance(MonoTime now, std::vector<std::uint32_t>& due) {
  const std::int64_t to = tick_of(now);
  if (to <= hand_) return;
  // Once round touches every slot, however long we were away.
  const std::int64_t from = std::max(hand_ + 1, to - slot_count + 1);
  for (std::int64_t tick = from; tick <= to; ++tick) {
    const auto slot = static_cast<std::uint32_t>(static_cast<std::uint64_t>(tick) % slot_count);
    if (heads_[slot] != none) take_slot(slot, due);
  }
  hand_ = to;
}

MonoTime TimingWheel::next_due() const {
  const auto start = static_cast<std::uint32_t>(static_cast<std::uint64_t>(hand_ + 1) % slot_count);
  constexpr std::uint32_t words = slot_count / 64;
  // The word that holds `start` is looked at twice: its upper part first, its lower part last.
  for (std::uint32_t step = 0; step <= words; ++step) {
    const std::uint32_t word = (start / 64 + step) % words;
    std::uint64_t bits = occupied_[word];
    const std::uint64_t from_start = ~std::uint64_t{0} << (start % 64);
    if (step == 0) bits &= from_start;
    if (step == words) bits &= ~from_start;
    if (bits == 0) continue;
    const std::uint32_t slot = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    const std::uint32_t ahead = (slot - start) % slot_count;
    return {(hand_ + 1 + ahead) * tick_ns_};
  }
  return mono_never;
}

}  // namespace hayward::core
