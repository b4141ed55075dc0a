// The network between simulated ports: TCP as programs see it. Bytes arrive in order, after a drawn delay,
// in pieces that have nothing to do with what was sent; a direction that is cut holds what is sent until it
// is healed (TCP does not lose, it waits); connections can be reset. Host h has the address 10.0.0.h.
// Owner: one simulation. It outlives its ports.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/prng.h"
#include "schemas/runtime/bytes.h"
#include "tests/sim/ring/sim_clock.h"

namespace hayward::sim {

using Host = std::uint8_t;

struct SimSocket;

// Where a socket reports that the operations that wait on it may go on at `at_ns`.
class SocketUser {
 public:
  virtual void socket_may_go_on(SimSocket& socket, std::int64_t at_ns) = 0;

 protected:
  ~SocketUser() = default;
};

struct SocketName {
  Host host = 0;
  std::uint16_t port = 0;
  friend auto operator<=>(const SocketName&, const SocketName&) = default;
};

struct SimSocket {
  static constexpr std::int64_t never = INT64_MAX;
  struct Segment {
    std::int64_t arrives_ns = 0;  // never: on a direction that is cut
    Buffer bytes;                 // empty: the peer's end
    std::size_t taken = 0;
  };

  SocketUser* user = nullptr;  // nullptr: closed
  SocketName name, peer_name;
  bool listening = false;
  bool connected = false;
  bool read_shut = false;
  bool write_shut = false;
  std::int64_t reset_ns = never;  // from then on: ECONNRESET, once what has arrived is read
  bool reset_held = false;        // a reset for it waits on a direction that is cut
  std::shared_ptr<SimSocket> peer;
  std::deque<Segment> inbound;
  std::size_t unread_bytes = 0;                                             // in `inbound`
  std::deque<std::pair<std::int64_t, std::shared_ptr<SimSocket>>> backlog;  // listener: when, who
  std::size_t backlog_limit = 0;
  std::vector<std::uint64_t> waiting;  // sequences of the user's operations
};
using SocketPtr = std::shared_ptr<SimSocket>;

class SimNetwork {
 public:
  SimNetwork(SimClock& clock, std::uint64_t seed) : clock_(clock), prng_(seed) {}

  // --- for the simulator
  std::int64_t min_latency_ns = 50'000;  // one way
  std::int64_t max_latency_ns = 500'000;
  std::size_t window_bytes = 65536;  // sent and not yet read, per direction
  static sockaddr_in address(Host host, std::uint16_t port);
  // One direction.
  void cut(Host from, Host to);
  void heal(Host from, Host to);
  // All connections between the two, both ends, at once: what is under way is lost.
  void reset(Host a, Host b);

  // --- for SimPort; errors as -errno
  SocketPtr make(SocketUser& user, Host host);
  int listen(const SocketPtr& socket, const sockaddr* address, int backlog, bool reuse_port);
  enum class Connect : std::uint8_t { done, refused, waits };
  Connect connect(const SocketPtr& socket, SocketName to);
  // The connection that waits for this listener, if one has arrived.
  SocketPtr accept(SimSocket& listener, SocketUser& user);
  // Bytes now readable, at most into.size(); 0 at the end; -EAGAIN.
  std::int32_t recv(SimSocket& socket, MutableBytes into);
  // Bytes taken; -EAGAIN when the window is full.
  std::int32_t send(SimSocket& socket, Bytes bytes);
  int shutdown(SimSocket& socket, bool read, bool write);
  void close(const SocketPtr& socket);
  // When the socket's next input comes, as far as that is known.
  std::int64_t next_input_ns(const SimSocket& socket) const;
  // False: not an address of this network.
  static bool parse(const sockaddr* address, Host own, SocketName& out);

 private:
  std::int64_t latency_ns();
  bool is_cut(Host from, Host to) const { return cuts_.contains({from, to}); }
  void deliver(SimSocket& to, Buffer bytes);
  void reset_at(SimSocket& socket, std::int64_t at_ns);
  void send_reset(SimSocket& to);
  void poke(SimSocket& socket, std::int64_t at_ns);
  std::uint16_t free_port(Host host);
  void forget_closed();

  SimClock& clock_;
  Prng prng_;
  std::map<SocketName, std::vector<SocketPtr>> listeners_;
  std::vector<std::weak_ptr<SimSocket>> connections_;  // in order of their making
  std::set<std::pair<Host, Host>> cuts_;
  std::uint16_t last_port_ = 40000;
};

}  // namespace hayward::sim
