#include "log/context.h"

#include <cerrno>

#include "engine/base/time.h"
#include "log/files.h"

namespace hayward::log {

OpenFile::~OpenFile() {
  if (!context_.abandoned_) context_.close_soon(fd_);
}

Context::Context(ring::Port& the_port, LogOptions the_options)
    : port(the_port), options(std::move(the_options)), directory(join_path(options.directory, partition_directory_name)) {}

void Context::abandon() {
  abandoned_ = true;
  tasks_.destroy_all();
}

Task Context::close_soon(ring::Fd fd) { co_await close_file(port, fd); }

void Context::fail(const LogError& error) {
  if (failed_) return;
  failed_ = true;
  if (events.failed) events.failed(error.to_line());
}

void Context::begin_close() {
  closing_ = true;
  for (Sleep* sleep = sleeping_; sleep; sleep = sleep->after_) sleep->cancel();
}

void Context::Sleep::await_suspend(std::coroutine_handle<> waiter) {
  waiter_ = waiter;
  linked_ = true;
  after_ = context_.sleeping_;
  if (after_) after_->before_ = this;
  context_.sleeping_ = this;
  timeout_.owner = cancel_.owner = this;
  timeout_.handler = [](ring::Operation& self, const ring::Completion& completion) {
    auto& sleep = *static_cast<Sleep*>(self.owner);
    sleep.elapsed_ = completion.result == -ETIME;
    sleep.complete();
  };
  cancel_.handler = [](ring::Operation& self, const ring::Completion&) { static_cast<Sleep*>(self.owner)->complete(); };
  outstanding_ = 1;
  context_.port.timeout(timeout_, context_.port.now_ns() + ms_to_ns(ms_));
}

void Context::Sleep::cancel() {
  if (!timeout_.in_flight || cancel_.in_flight) return;
  ++outstanding_;
  context_.port.cancel(cancel_, timeout_);
}

void Context::Sleep::complete() {
  if (--outstanding_ > 0) return;
  unlink();
  waiter_.resume();
}

void Context::Sleep::unlink() {
  if (!linked_) return;
  linked_ = false;
  (before_ ? before_->after_ : context_.sleeping_) = after_;
  if (after_) after_->before_ = before_;
}

}  // namespace hayward::log
