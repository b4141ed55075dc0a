// A range of message versions, both ends included, as the tables write it: "2-7", "5+", "3", "none".
// Owner: schemas/generator (build time only).
#pragma once

#include <algorithm>
#include <string_view>

namespace hayward::generator {

inline constexpr int open_end = 32767;  // "5+"

struct VersionRange {
  int first = 0;
  int last = -1;

  bool empty() const { return first > last; }
  bool contains(int version) const { return first <= version && version <= last; }
  bool contains(VersionRange other) const { return other.empty() || (first <= other.first && other.last <= last); }
  VersionRange meet(VersionRange other) const { return {std::max(first, other.first), std::min(last, other.last)}; }
  VersionRange hull(VersionRange other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(first, other.first), std::max(last, other.last)};
  }
};

// Ends the program with a message if `text` is no range.
VersionRange parse_range(std::string_view text);

}  // namespace hayward::generator
