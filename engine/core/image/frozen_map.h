// A map of the image as it was at one moment, walked in slices while it changes: whatever changes before the walk has
// passed it leaves its pre-image here at its first change. Memory follows what changes during the walk.
// Owner: a FrozenImage. Shard 0.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>

#include "engine/core/image/map_entries.h"
#include "engine/core/image/walk_budget.h"

namespace hayward::core {

// `Entries`: MapEntries or NestedEntries.
template <class Entries>
class FrozenMap {
 public:
  using Key = typename Entries::Key;
  using Value = typename Entries::Value;

  // Now is the moment. The map must outlive this.
  explicit FrozenMap(Entries entries) : entries_(entries) {}

  // Before the entry is put in, changed or taken out.
  void before(const Key& key) {
    if (done_ || (next_ && key < *next_)) return;
    const auto [at, is_first] = then_.try_emplace(key);
    if (!is_first) return;
    if (const Value* now = entries_.find(key)) at->second = *now;
  }

  // Walks on, ascending by key, until the budget is spent: visit(key, value) for each. True: all have been visited.
  template <class Visit>
  bool walk(WalkBudget& budget, Visit&& visit) {
    if (done_) return true;
    auto now = next_ ? entries_.at_or_after(*next_) : entries_.begin();
    auto then = then_.begin();
    for (;; budget.charge(1)) {
      const std::weak_ordering order = order_of(now, then);
      if (entries_.is_end(now) && then == then_.end()) {
        done_ = true;
        then_.clear();
        return true;
      }
      if (budget.spent()) {
        next_ = order < 0 ? Key(entries_.key(now)) : then->first;
        then_.erase(then_.begin(), then);
        return false;
      }
      if (order < 0) {
        visit(entries_.key(now), entries_.value(now));
      } else {
        if (then->second) visit(then->first, *then->second);
        ++then;
      }
      if (order <= 0) entries_.advance(now);
    }
  }

  std::size_t pre_images() const { return then_.size(); }

 private:
  using Then = std::map<Key, std::optional<Value>>;

  // Which of the two comes next: less, `now`; greater, `then`; equal, both, and what was then counts.
  std::weak_ordering order_of(const typename Entries::Iterator& now, const typename Then::const_iterator& then) const {
    if (then == then_.end()) return std::weak_ordering::less;
    if (entries_.is_end(now)) return std::weak_ordering::greater;
    return entries_.order(now, then->first);
  }

  const Entries entries_;
  std::optional<Key> next_;  // what has lesser keys has been passed; none: nothing has
  bool done_ = false;        // everything has
  Then then_;                // of what has changed and is not passed; nullopt: not there
};

}  // namespace hayward::core
