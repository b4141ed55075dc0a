// One connection of the load generator: a request at a time out, its answer in; when it breaks, it is made anew.
// Owner: `hayward load`; must outlive its port (the kernel holds its buffers until then). One thread.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>

#include "engine/host/ring/ring.h"
#include "schemas/runtime/bytes.h"

namespace hayward::tools {

class Line;

// Who uses a line at present. Called from the port's loop.
class LineUser {
 public:
  virtual void on_ready(Line& line) = 0;                  // connected, nothing in progress
  virtual void on_answer(Line& line, Bytes payload) = 0;  // without the size; gone when it returns
  // `error`: an errno, 0 when the peer closed. The line tries to connect again by itself.
  virtual void on_lost(Line& line, int error) = 0;

 protected:
  ~LineUser() = default;
};

class Line {
 public:
  Line(ring::Port& port, std::size_t slot, const sockaddr_storage& address, socklen_t address_length);
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  std::size_t slot() const { return slot_; }
  // Replaces the user before; nullptr: none.
  void use(LineUser* user) { user_ = user; }
  // Connects; nothing if it is connected or about to be.
  void open();
  // Ends the connection and stays so until open(). Its user is told nothing.
  void close();
  bool closed() const { return state_ == State::closed; }
  bool ready() const { return state_ == State::open && !busy_; }
  // A request frame, its size in front, which is copied, with `correlation_id` put in. Only when ready.
  void send(Bytes frame, std::int32_t correlation_id);

 private:
  enum class State : std::uint8_t { closed, connecting, open, closing };
  void on_connect(std::int32_t result);
  void on_send(std::int32_t result);
  void on_recv(const ring::Completion& completion);
  void on_close();
  void on_retry();
  void dial();
  void arm_recv() { port_.recv_multishot(recv_, fd_); }
  void send_rest();
  void take(Bytes bytes);
  void give_answer(Bytes payload);
  void fail(int error);
  void wind_down();

  ring::Port& port_;
  std::size_t slot_;
  sockaddr_storage address_;
  socklen_t address_length_;
  LineUser* user_ = nullptr;
  State state_ = State::closed;
  bool busy_ = false;
  bool shut_ = false;        // the end has been asked for
  bool stay_closed_ = true;  // no new connection when this one has ended
  ring::Fd fd_ = -1;
  Buffer out_;
  std::size_t sent_ = 0;
  iovec rest_{};
  Buffer in_;  // an answer that has not come whole
  ring::Operation connect_, send_, recv_, shutdown_, close_, retry_;
};

}  // namespace hayward::tools
