// The one way in which a map of the image changes: what is there for what is given. Done twice it
// changes nothing, which is how a change is undone.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <optional>
#include <utility>

namespace hayward::core {

// Puts `other` where `map` has `key` (nullopt: nothing there), and what was there into `other`.
template <class Map, class Key, class Value>
void exchange_entry(Map& map, const Key& key, std::optional<Value>& other) {
  const auto at = map.find(key);
  if (at == map.end()) {
    if (other) map.emplace(key, std::move(*other));
    other.reset();
  } else if (other) {
    std::swap(at->second, *other);
  } else {
    other = std::move(at->second);
    map.erase(at);
  }
}

// The same for a map of maps, in which no inner map is empty.
template <class Map, class OuterKey, class InnerKey, class Value>
void exchange_inner_entry(Map& map, const OuterKey& outer, const InnerKey& inner, std::optional<Value>& other) {
  auto at = map.find(outer);
  if (at == map.end()) {
    if (!other) return;
    at = map.try_emplace(outer).first;
  }
  exchange_entry(at->second, inner, other);
  if (at->second.empty()) map.erase(at);
}

}  // namespace hayward::core
