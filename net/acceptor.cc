// See acceptor.h.
#include "net/acceptor.h"

#include <cerrno>
#include <utility>

namespace hayward::net {

Acceptor::Acceptor(ring::Port& port, OpenListener listener, Events events)
    : port_(port), listener_(std::move(listener)), events_(std::move(events)) {
  for (ring::Operation* op : {&accept_, &cancel_, &close_}) op->owner = this;
  using ring::Completion;
  using ring::Operation;
  accept_.handler = [](Operation& op, const Completion& c) { static_cast<Acceptor*>(op.owner)->on_accept(c); };
  cancel_.handler = [](Operation& op, const Completion&) { static_cast<Acceptor*>(op.owner)->update(); };
  close_.handler = [](Operation& op, const Completion&) {
    auto& self = *static_cast<Acceptor*>(op.owner);
    self.state_ = State::closed;
    self.events_.closed();
  };
}

void Acceptor::resume() {
  if (state_ == State::resting) state_ = State::accepting;
  update();
}

void Acceptor::rest() {
  if (state_ == State::accepting) state_ = State::resting;
  update();
}

void Acceptor::close() {
  if (state_ == State::closed) return;
  state_ = State::closing;
  update();
}

void Acceptor::on_accept(const ring::Completion& completion) {
  if (completion.result >= 0) {
    events_.accepted(*this, completion.result);
  } else if (completion.result != -ECANCELED && state_ == State::accepting) {
    state_ = State::resting;
    events_.failed(*this, -completion.result);
  }
  update();
}

// Brings what is in flight in line with the state.
void Acceptor::update() {
  if (state_ == State::accepting) {
    if (!accept_.in_flight) port_.accept_multishot(accept_, listener_.fd);
    return;
  }
  if (accept_.in_flight && !cancel_.in_flight) port_.cancel(cancel_, accept_);
  if (state_ != State::closing || accept_.in_flight || cancel_.in_flight || close_.in_flight) return;
  port_.close(close_, listener_.fd);
}

}  // namespace hayward::net
