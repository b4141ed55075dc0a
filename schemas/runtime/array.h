// An array field of a message or record: a view into an arena that can also be built up there.
// Copying copies the view. Null and empty differ only for fields that are nullable on the wire.
// Owner: whoever owns the arena.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "schemas/runtime/arena.h"
#include "schemas/runtime/assert.h"

namespace hayward {

template <class T>
class Array {
 public:
  constexpr Array() = default;
  // A view of storage owned elsewhere, which must outlive this.
  constexpr Array(const T* data, std::size_t size)
      : data_(const_cast<T*>(data)), size_(static_cast<std::uint32_t>(size)), capacity_(size_) {}
  constexpr Array(std::span<const T> view) : Array(view.data(), view.size()) {}

  static constexpr Array null() {
    Array a;
    a.null_ = true;
    return a;
  }
  constexpr bool is_null() const { return null_; }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() { return data_; }
  constexpr T* end() { return data_ + size_; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr T& operator[](std::size_t i) { HAYWARD_ASSERT(i < size_, "array index"); return data_[i]; }
  constexpr const T& operator[](std::size_t i) const { HAYWARD_ASSERT(i < size_, "array index"); return data_[i]; }
  constexpr operator std::span<const T>() const { return {data_, size_}; }

  // Room for `count` in all, taken from `arena`.
  void reserve(Arena& arena, std::size_t count) {
    if (count <= capacity_) return;
    T* to = arena.allocate<T>(count);
    std::uninitialized_copy(data_, data_ + size_, to);
    data_ = to;
    capacity_ = static_cast<std::uint32_t>(count);
  }
  // Appends (the array is then not null). The reference lasts until the next push_back.
  T& push_back(Arena& arena, const T& item = T{}) {
    if (size_ == capacity_) {
      const T copy = item;  // `item` may live in the storage that moves
      reserve(arena, std::max<std::size_t>(4, std::size_t{capacity_} * 2));
      null_ = false;
      return *std::construct_at(data_ + size_++, copy);
    }
    null_ = false;
    return *std::construct_at(data_ + size_++, item);
  }
  // A copy of `items` in `arena`.
  static Array copy(Arena& arena, std::span<const T> items) {
    Array a;
    a.reserve(arena, items.size());
    std::uninitialized_copy(items.begin(), items.end(), a.data_);
    a.size_ = static_cast<std::uint32_t>(items.size());
    return a;
  }

  // By content; null and empty differ.
  friend bool operator==(const Array& a, const Array& b) {
    return a.null_ == b.null_ && std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  bool null_ = false;
};

}  // namespace hayward
