// An ordered set of 32-bit slots in sorted chunks: about 6 bytes an entry, and a walk over it can be
// broken off and taken up again at a slot, whatever has changed meanwhile. A std::set would take 40
// bytes an entry, a hash set has no order that two runs share.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hayward::core {

class SlotSet {
 public:
  // False if it was there already / was not there.
  bool insert(std::uint32_t slot);
  bool erase(std::uint32_t slot);
  bool contains(std::uint32_t slot) const;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // The least member >= slot.
  std::optional<std::uint32_t> at_or_after(std::uint32_t slot) const;

  // Ascending; the set must not change during the walk.
  class Iterator {
   public:
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    std::uint32_t operator*() const { return (*chunks_)[chunk_][at_]; }
    Iterator& operator++() {
      if (++at_ == (*chunks_)[chunk_].size()) {
        ++chunk_;
        at_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.chunk_ == b.chunk_ && a.at_ == b.at_; }

   private:
    friend class SlotSet;
    Iterator(const std::vector<std::vector<std::uint32_t>>* chunks, std::size_t chunk) : chunks_(chunks), chunk_(chunk) {}
    const std::vector<std::vector<std::uint32_t>>* chunks_ = nullptr;
    std::size_t chunk_ = 0;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return {&chunks_, 0}; }
  Iterator end() const { return {&chunks_, chunks_.size()}; }

  std::size_t heap_bytes() const;

 private:
  // The chunk that holds `slot`, or would.
  std::size_t chunk_of(std::uint32_t slot) const;
  void split(std::size_t chunk, bool ascending);

  std::vector<std::vector<std::uint32_t>> chunks_;  // none empty; each ascending; ascending among each other
  std::size_t size_ = 0;
};

}  // namespace hayward::core
