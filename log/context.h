// What the log's parts share: port, settings, call-backs, the one failure, running tasks, timers that end
// early when the log closes, and file handles that are closed once the last reader lets go.
// Owner: Log. Shard 0.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/host/driver/ports.h"
#include "engine/host/ring/ring.h"
#include "log/error.h"
#include "log/names.h"
#include "log/options.h"
#include "log/task.h"

namespace hayward::log {

class Context;

// An open descriptor, counted; closed through the ring when the last holder is gone.
class OpenFile {
 public:
  OpenFile(Context& context, ring::Fd fd) : context_(context), fd_(fd) {}
  OpenFile(const OpenFile&) = delete;
  ~OpenFile();
  ring::Fd fd() const { return fd_; }

 private:
  Context& context_;
  ring::Fd fd_;
};
using OpenFilePtr = std::shared_ptr<OpenFile>;

// Lets one coroutine wait until others have opened it: co_await gate.opened().
class Gate {
 public:
  struct Opened {
    Gate& gate;
    bool await_ready() const noexcept { return gate.open_; }
    void await_suspend(std::coroutine_handle<> waiter) {
      HAYWARD_ASSERT(!gate.waiter_, "one waiter per gate");
      gate.waiter_ = waiter;
    }
    void await_resume() const noexcept {}
  };

  Gate() = default;
  Gate(const Gate&) = delete;
  bool is_open() const { return open_; }
  Opened opened() { return Opened{*this}; }
  void shut() { open_ = false; }
  // The waiter goes on inside this call.
  void release() {
    open_ = true;
    if (waiter_) std::exchange(waiter_, nullptr).resume();
  }

 private:
  bool open_ = true;
  std::coroutine_handle<> waiter_;
};

class Context {
 public:
  Context(ring::Port& the_port, LogOptions the_options);
  Context(const Context&) = delete;

  ring::Port& port;
  const LogOptions options;
  const std::string directory;   // the partition's
  driver::LogEvents events;

  std::string path(std::string_view name) const { return join_path(directory, name); }
  TaskScope& tasks() { return tasks_; }
  OpenFilePtr adopt(ring::Fd fd) { return std::make_shared<OpenFile>(*this, fd); }

  // The end of the log's use: told once, nothing is written after it.
  void fail(const LogError& error);
  bool failed() const { return failed_; }
  // Ends all sleeps; no new ones.
  void begin_close();
  bool closing() const { return closing_; }
  // No more writing: failed or closing.
  bool stopped() const { return failed_ || closing_; }

  // The owner goes away in mid-work (the end of a process, a simulated crash): tasks are destroyed where
  // they are, descriptors left to the system. Before any part that a task may refer to is destroyed.
  void abandon();

  // Awaitable: true when `ms` have passed, false when the log closes first (or timers fail).
  class Sleep;
  Sleep sleep_ms(std::int64_t ms);

 private:
  friend class OpenFile;
  Task close_soon(ring::Fd fd);

  bool failed_ = false;
  bool closing_ = false;
  bool abandoned_ = false;
  Sleep* sleeping_ = nullptr;
  TaskScope tasks_;
};

class Context::Sleep {
 public:
  Sleep(Context& context, std::int64_t ms) : context_(context), ms_(ms) {}
  Sleep(const Sleep&) = delete;
  ~Sleep() { unlink(); }

  bool await_ready() const noexcept { return context_.closing_; }
  void await_suspend(std::coroutine_handle<> waiter);
  bool await_resume() const noexcept { return elapsed_ && !context_.closing_; }
  // Asks the timeout to end now; the waiter goes on when both completions are in.
  void cancel();

 private:
  friend class Context;
  void complete();
  void unlink();

  Context& context_;
  std::int64_t ms_;
  ring::Operation timeout_;
  ring::Operation cancel_;
  int outstanding_ = 0;
  bool elapsed_ = false;
  bool linked_ = false;
  Sleep* before_ = nullptr;
  Sleep* after_ = nullptr;
  std::coroutine_handle<> waiter_;
};

inline Context::Sleep Context::sleep_ms(std::int64_t ms) { return Sleep(*this, ms); }

}  // namespace hayward::log
