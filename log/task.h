// Coroutines for work that goes through the ring in several steps: a Step is awaited (or waited for at
// start-up), a Task runs by itself until it ends. What would be a chain of call-backs reads from top
// to bottom, and the same code runs on the simulated ring.
//
// g++ 12 builds wrong code for a co_await inside an if's or while's condition, and refuses a braced list
// in one: await into a variable first (an if's initialiser will do).
// Owner: log. One shard; nothing here is shared between threads.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "engine/host/ring/ring.h"
#include "schemas/runtime/assert.h"

namespace hayward::log {

// A coroutine that gives a T to the one who awaits it. It begins when awaited (or started).
template <class T>
class [[nodiscard]] Step {
 public:
  struct promise_type {
    std::optional<T> value;
    std::coroutine_handle<> waiter = std::noop_coroutine();

    struct ToWaiter {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        return self.promise().waiter;
      }
      void await_resume() noexcept {}
    };
    Step get_return_object() { return Step(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    ToWaiter final_suspend() noexcept { return {}; }
    template <class U>
    void return_value(U&& v) { value.emplace(std::forward<U>(v)); }
    void unhandled_exception() { std::terminate(); }
  };

  Step(Step&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Step& operator=(Step&&) = delete;
  ~Step() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
    handle_.promise().waiter = waiter;
    return handle_;
  }
  T await_resume() { return std::move(*handle_.promise().value); }

  // Without an awaiter: start it, run the port, and take the value once done() (wait() below; the
  // simulator does so by itself).
  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  T take() { return await_resume(); }

 private:
  explicit Step(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// Runs the port until the step is done. Start-up and tools only: never inside a shard's loop.
template <class T>
T wait(ring::Port& port, Step<T> step) {
  step.start();
  while (!step.done()) port.run_once(true);
  return step.take();
}

// The running tasks of one owner. Destroying the scope destroys them where they are: only once the
// port will not run again, or when none is left.
class TaskScope {
 public:
  struct Link {
    Link* before = nullptr;
    Link* after = nullptr;
    std::coroutine_handle<> frame;
  };

  TaskScope() = default;
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;
  ~TaskScope() { destroy_all(); }

  void destroy_all() {
    on_idle_ = nullptr;
    while (first_) first_->frame.destroy();
  }

  bool idle() const { return first_ == nullptr; }
  // Calls `then` once, as soon as no task is left; that may destroy the scope.
  void when_idle(std::function<void()> then) {
    if (idle()) return then();
    on_idle_ = std::move(then);
  }

  void add(Link& link) {
    link.after = first_;
    if (first_) first_->before = &link;
    first_ = &link;
  }
  void remove(Link& link) {
    (link.before ? link.before->after : first_) = link.after;
    if (link.after) link.after->before = link.before;
    if (first_ || !on_idle_) return;
    const auto then = std::exchange(on_idle_, nullptr);
    then();
  }

 private:
  Link* first_ = nullptr;
  std::function<void()> on_idle_;
};

// A member coroutine of a class with tasks(): runs at once up to its first suspension, ends by itself.
struct Task {
  struct promise_type {
    template <class Owner, class... Arguments>
    explicit promise_type(Owner& owner, Arguments&&...) : scope(owner.tasks()) {
      link.frame = std::coroutine_handle<promise_type>::from_promise(*this);
      scope.add(link);
    }
    ~promise_type() { scope.remove(link); }
    promise_type(const promise_type&) = delete;

    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }

    TaskScope& scope;
    TaskScope::Link link;
  };
};

// One operation of the port, awaited; gives Completion::result. `submit` gets (Port&, Operation&).
template <class Submit>
class [[nodiscard]] Io {
 public:
  Io(ring::Port& port, Submit submit) : port_(port), submit_(std::move(submit)) {}
  Io(const Io&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    operation_.owner = this;
    operation_.handler = [](ring::Operation& self, const ring::Completion& completion) {
      auto& io = *static_cast<Io*>(self.owner);
      io.result_ = completion.result;
      io.waiter_.resume();
    };
    submit_(port_, operation_);
  }
  std::int32_t await_resume() const noexcept { return result_; }

 private:
  ring::Port& port_;
  Submit submit_;
  ring::Operation operation_;
  std::coroutine_handle<> waiter_;
  std::int32_t result_ = 0;
};

}  // namespace hayward::log
