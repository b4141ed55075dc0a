// Accepts on one listening socket; can rest (connections then wait in the kernel's backlog).
// Owner: the Server, in place until closed. Its shard.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/host/ring/ring.h"
#include "net/listener.h"

namespace hayward::net {

class Acceptor {
 public:
  struct Events {
    std::function<void(const Acceptor&, ring::Fd)> accepted;
    std::function<void(const Acceptor&, int error)> failed;  // it rests from now on
    std::function<void()> closed;
  };

  // Does not accept before resume().
  Acceptor(ring::Port& port, OpenListener listener, Events events);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void resume();
  // Some more may still come in.
  void rest();
  // For good; `closed` when the descriptor is.
  void close();
  bool is_closed() const { return state_ == State::closed; }
  const OpenListener& listener() const { return listener_; }

 private:
  enum class State : std::uint8_t { resting, accepting, closing, closed };
  void on_accept(const ring::Completion& completion);
  void update();

  ring::Port& port_;
  OpenListener listener_;
  Events events_;
  State state_ = State::resting;
  ring::Operation accept_;
  ring::Operation cancel_;
  ring::Operation close_;
};

}  // namespace hayward::net
