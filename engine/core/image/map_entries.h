// A map of the image, or a map of maps, as one sequence of entries in the order of their keys.
// Owner: a FrozenMap. Shard 0.
#pragma once

#include <compare>
#include <iterator>
#include <tuple>
#include <utility>

namespace hayward::core {

template <class Map>
class MapEntries {
 public:
  using Key = typename Map::key_type;
  using Value = typename Map::mapped_type;
  using Iterator = typename Map::const_iterator;

  explicit MapEntries(const Map& map) : map_(map) {}

  const Value* find(const Key& key) const {
    const Iterator at = map_.find(key);
    return at == map_.end() ? nullptr : &at->second;
  }
  Iterator begin() const { return map_.begin(); }
  Iterator at_or_after(const Key& key) const { return map_.lower_bound(key); }
  bool is_end(const Iterator& at) const { return at == map_.end(); }
  void advance(Iterator& at) const { ++at; }

  static const Key& key(const Iterator& at) { return at->first; }
  static const Value& value(const Iterator& at) { return at->second; }
  static std::weak_ordering order(const Iterator& at, const Key& key) { return at->first <=> key; }

 private:
  const Map& map_;
};

// No inner map is empty.
template <class Map>
class NestedEntries {
  using Inner = typename Map::mapped_type;

 public:
  using Key = std::pair<typename Map::key_type, typename Inner::key_type>;
  using KeyView = std::pair<const typename Map::key_type&, const typename Inner::key_type&>;
  using Value = typename Inner::mapped_type;
  struct Iterator {
    typename Map::const_iterator outer;
    typename Inner::const_iterator inner;  // of no meaning at the end
  };

  explicit NestedEntries(const Map& map) : map_(map) {}

  const Value* find(const Key& key) const {
    const auto outer = map_.find(key.first);
    if (outer == map_.end()) return nullptr;
    const auto inner = outer->second.find(key.second);
    return inner == outer->second.end() ? nullptr : &inner->second;
  }
  Iterator begin() const { return first_of(map_.begin()); }
  Iterator at_or_after(const Key& key) const {
    const auto outer = map_.lower_bound(key.first);
    if (outer == map_.end() || outer->first != key.first) return first_of(outer);
    const auto inner = outer->second.lower_bound(key.second);
    return inner == outer->second.end() ? first_of(std::next(outer)) : Iterator{outer, inner};
  }
  bool is_end(const Iterator& at) const { return at.outer == map_.end(); }
  void advance(Iterator& at) const {
    if (++at.inner == at.outer->second.end()) at = first_of(std::next(at.outer));
  }

  static KeyView key(const Iterator& at) { return {at.outer->first, at.inner->first}; }
  static const Value& value(const Iterator& at) { return at.inner->second; }
  static std::weak_ordering order(const Iterator& at, const Key& key) {
    return std::tie(at.outer->first, at.inner->first) <=> std::tie(key.first, key.second);
  }

 private:
  Iterator first_of(typename Map::const_iterator outer) const {
    return outer == map_.end() ? Iterator{outer, {}} : Iterator{outer, outer->second.begin()};
  }

  const Map& map_;
};

}  // namespace hayward::core
