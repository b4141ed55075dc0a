// A list with room for N items in place; longer ones live on the heap. Four bytes of overhead, so
// that a partition with three replicas needs no allocation (target: under 200 bytes a partition).
// Owner: engine/core/image. Shard 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace hayward::core {

template <class T, std::size_t N>
class SmallList {
  static_assert(std::is_trivially_copyable_v<T> && N * sizeof(T) >= sizeof(T*));

 public:
  SmallList() = default;
  explicit SmallList(std::span<const T> items) { assign(items); }
  SmallList(const SmallList& other) { assign(other.view()); }
  SmallList(SmallList&& other) noexcept { take(other); }
  SmallList& operator=(const SmallList& other) {
    if (this != &other) assign(other.view());
    return *this;
  }
  SmallList& operator=(SmallList&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~SmallList() { release(); }

  // `items` must not be a view of this list.
  void assign(std::span<const T> items) {
    release();
    size_ = static_cast<std::uint32_t>(items.size());
    if (items.empty()) return;
    if (on_heap()) {
      T* heap = static_cast<T*>(::operator new(items.size_bytes()));
      std::memcpy(storage_, &heap, sizeof(heap));
    }
    std::memcpy(data(), items.data(), items.size_bytes());
  }

  std::span<const T> view() const { return {const_cast<SmallList*>(this)->data(), size_}; }
  std::size_t size() const { return size_; }
  std::size_t heap_bytes() const { return on_heap() ? size_ * sizeof(T) : 0; }

  friend bool operator==(const SmallList& a, const SmallList& b) {
    return std::ranges::equal(a.view(), b.view());
  }

 private:
  bool on_heap() const { return size_ > N; }
  T* data() {
    if (!on_heap()) return std::launder(reinterpret_cast<T*>(storage_));
    T* heap;
    std::memcpy(&heap, storage_, sizeof(heap));
    return heap;
  }
  void release() {
    if (on_heap()) ::operator delete(data());
    size_ = 0;
  }
  void take(SmallList& other) {
    std::memcpy(storage_, other.storage_, sizeof(storage_));
    size_ = std::exchange(other.size_, 0);
  }

  alignas(T) std::byte storage_[N * sizeof(T)]{};
  std::uint32_t size_ = 0;
};

}  // namespace hayward::core
