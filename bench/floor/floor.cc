// The least that a controller on io_uring can cost: one thread, multishot accept and receive, provided buffers, canned
// answers, no state. Hayward is measured against it by bench/side_by_side.py.
//   floor PORT      on 127.0.0.1, until it is killed
#include <arpa/inet.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bench/floor/answers.h"
#include "engine/host/ring/uring.h"
#include "net/frame.h"

namespace hayward::bench {
namespace {

constexpr ring::RingOptions ring_options{.entries = 2048, .recv_buffers = 1024, .recv_buffer_bytes = 4096};
constexpr std::int32_t max_frame_bytes = 1 << 20;

// Lives until its end has been seen and nothing of it is in flight.
class Connection {
 public:
  Connection(ring::Port& port, Answers& answers, ring::Fd fd) : port_(port), answers_(answers), fd_(fd) {
    recv_.owner = send_.owner = close_.owner = this;
    recv_.handler = [](ring::Operation& o, const ring::Completion& c) {
      static_cast<Connection*>(o.owner)->on_recv(c);
    };
    send_.handler = [](ring::Operation& o, const ring::Completion& c) {
      static_cast<Connection*>(o.owner)->on_send(c);
    };
    close_.handler = [](ring::Operation& o, const ring::Completion&) { delete static_cast<Connection*>(o.owner); };
    port_.recv_multishot(recv_, fd_);
  }

 private:
  void on_recv(const ring::Completion& completion) {
    if (completion.result > 0) {
      if (!ended_) take(completion.buffer);
      port_.release_buffer(completion.buffer_id);
    } else if (completion.result != -ENOBUFS) {
      ended_ = true;
    }
    if (!ended_ && !completion.more) port_.recv_multishot(recv_, fd_);
    wind_down();
  }

  void take(Bytes bytes) {
    if (!rest_.empty()) {
      rest_.insert(rest_.end(), bytes.begin(), bytes.end());
      bytes = rest_;
    }
    for (;;) {
      const net::Frame frame = net::next_frame(bytes, max_frame_bytes);
      if (frame.status == net::FrameStatus::incomplete) break;
      if (frame.status == net::FrameStatus::bad_size || !answers_.append(next_, frame.payload)) {
        ended_ = true;
        return refuse();
      }
      bytes = bytes.subspan(frame.consumed);
    }
    rest_ = Buffer(bytes.begin(), bytes.end());
    if (!send_.in_flight) send_next();
  }

  void send_next() {
    if (next_.empty()) return;
    out_.swap(next_);
    next_.clear();
    sent_ = 0;
    send_rest();
  }

  void send_rest() {
    part_ = {out_.data() + sent_, out_.size() - sent_};
    port_.send(send_, fd_, {&part_, 1});
  }

  void on_send(const ring::Completion& completion) {
    if (completion.result <= 0) ended_ = true;
    if (ended_) return wind_down();
    sent_ += static_cast<std::size_t>(completion.result);
    sent_ < out_.size() ? send_rest() : send_next();
  }

  // Ends what is in flight, too.
  void refuse() {
    refuse_.owner = this;
    refuse_.handler = [](ring::Operation& o, const ring::Completion&) {
      static_cast<Connection*>(o.owner)->wind_down();
    };
    port_.shutdown(refuse_, fd_, SHUT_RDWR);
  }

  void wind_down() {
    if (ended_ && !recv_.in_flight && !send_.in_flight && !refuse_.in_flight && !close_.in_flight)
      port_.close(close_, fd_);
  }

  ring::Port& port_;
  Answers& answers_;
  ring::Fd fd_;
  bool ended_ = false;
  Buffer rest_, next_, out_;
  std::size_t sent_ = 0;
  iovec part_{};
  ring::Operation recv_, send_, refuse_, close_;
};

struct Acceptor {
  ring::Port& port;
  Answers& answers;
  ring::Fd listener;
  ring::Operation accept;

  void start() {
    accept.owner = this;
    accept.handler = [](ring::Operation& o, const ring::Completion& completion) {
      auto& self = *static_cast<Acceptor*>(o.owner);
      if (completion.result >= 0) new Connection(self.port, self.answers, completion.result);
      if (!completion.more) self.port.accept_multishot(o, self.listener);
    };
    port.accept_multishot(accept, listener);
  }
};

int serve(std::uint16_t port_number) {
  auto port = ring::create_uring(ring_options);
  if (!port) {
    std::fprintf(stderr, "floor: %s\n", port.error().what.c_str());
    return 4;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_number);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const ring::Fd listener =
      (*port)->make_listener(reinterpret_cast<const sockaddr*>(&address), sizeof address, 1024, false);
  if (listener < 0) {
    std::fprintf(stderr, "floor: port %u: error %d\n", unsigned{port_number}, -listener);
    return 4;
  }
  Answers answers(port_number);
  Acceptor acceptor{**port, answers, listener, {}};
  acceptor.start();
  for (;;) (*port)->run_once(true);
}

}  // namespace
}  // namespace hayward::bench

int main(int argc, char** argv) {
  const long port = argc == 2 ? std::strtol(argv[1], nullptr, 10) : 0;
  if (port <= 0 || port > 65535) {
    std::fputs("floor PORT: a server with canned answers on 127.0.0.1\n", stderr);
    return 2;
  }
  return hayward::bench::serve(static_cast<std::uint16_t>(port));
}
