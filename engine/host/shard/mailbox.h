// How one shard hands things to another: a bounded queue with one writer and one reader, without locks.
// What was pushed before the receiver's port is woken is seen by the run_once that the wake ends.
// Owner: the receiving shard; push is the sending shard's alone, pop the receiving shard's alone.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::shard {

// T: default constructible and movable. Popped slots are reset, so that what T owns goes with the mail.
template <class T>
class Mailbox {
 public:
  // capacity: a power of two; its slots are allocated here and nothing is later.
  explicit Mailbox(std::size_t capacity) : slots_(std::make_unique<T[]>(capacity)), mask_(capacity - 1) {
    HAYWARD_ASSERT(std::has_single_bit(capacity), "a mailbox's capacity is a power of two");
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // False when full: `item` is as it was.
  bool push(T&& item) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ > mask_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ > mask_) return false;
    }
    slots_[tail & mask_] = std::move(item);
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // False when empty: `out` is as it was.
  bool pop(T& out) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_seen_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head == tail_seen_) return false;
    }
    out = std::exchange(slots_[head & mask_], T{});
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // For the receiver: whether a pop would find anything. Asked before it waits, for a wake may have been used up by a
  // round that had looked here already.
  bool empty() const { return head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t cache_line = 64;  // the two sides do not share one

  std::unique_ptr<T[]> slots_;
  std::size_t mask_;
  alignas(cache_line) std::atomic<std::size_t> tail_ = 0;  // written by push
  std::size_t head_seen_ = 0;
  alignas(cache_line) std::atomic<std::size_t> head_ = 0;  // written by pop
  std::size_t tail_seen_ = 0;
};

}  // namespace hayward::shard
