// The network between simulated controllers: each request gets one answer or one failure, and on the way everything may
// be late, lost, doubled, cut off or refused.
// Owner: QuorumWorld.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <vector>

#include "engine/base/prng.h"
#include "engine/core/effect.h"
#include "oracle.h"

namespace hayward::sim {

struct NetworkFaults {
  std::uint64_t drop_per_mille = 0;
  std::uint64_t duplicate_per_mille = 0;
  std::uint64_t reset_per_mille = 0;
  std::int64_t min_delay_ns = 50'000;
  std::int64_t max_delay_ns = 1'000'000;
};

// The host of controller N is host-N.
inline constexpr std::string_view host_prefix = "host-";
Id id_of(const core::SendToPeer& request);

class Network {
 public:
  // One request between two processes.
  struct Call {
    std::uint64_t number = 0;
    Id from = 0;
    Id to = 0;
    std::uint64_t from_process = 0;  // incarnation of the asker
    std::uint64_t to_process = 0;    // of the asked, once it has it; 0: not yet
    core::SendToPeer request;
    bool over = false;               // answered, failed or given up
  };
  struct Events {
    // A request is there; `connection` names it in what comes back.
    std::function<void(const Call& call, std::uint32_t connection)> arrived;
    // Its end, for the asker; `body` without header, empty if it failed.
    std::function<void(const Call& call, bool failed, bool refused, Bytes body)> answered;
    // The asker is gone.
    std::function<void(Id to, std::uint32_t connection)> closed;
    std::function<std::uint64_t(Id node)> process;  // of a running node; 0: it is down
  };

  Network(std::uint64_t seed, Events events) : prng_(seed), events_(std::move(events)) {}

  NetworkFaults faults;
  void block(Id from, Id to) { blocked_.insert({from, to}); }
  void unblock_all() { blocked_.clear(); }
  bool blocked(Id from, Id to) const { return blocked_.contains({from, to}); }

  void send(Id from, core::SendToPeer request, std::int64_t now_ns);
  void answer(Id from, std::uint32_t connection, Buffer body, std::int64_t now_ns);
  // The process is gone: its requests are, and who waits for it learns so, if a packet gets through.
  void process_ended(Id node, std::int64_t now_ns);

  std::int64_t next_ns() const { return packets_.empty() ? INT64_MAX : packets_.top().at_ns; }
  void deliver(std::int64_t now_ns);

  std::uint64_t dropped = 0, duplicated = 0, reset = 0, refused = 0, timed_out = 0, delivered = 0;

 private:
  enum class Kind : std::uint8_t { request, answer, failure, refusal, timeout, close };
  struct Packet {
    std::int64_t at_ns;
    std::uint64_t order;
    Kind kind;
    std::uint64_t call;
    Buffer body;
    bool operator<(const Packet& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };
  static constexpr std::int64_t request_timeout_ns = 2'000'000'000;

  void push(std::int64_t now_ns, Kind kind, std::uint64_t call, Buffer body = {});
  bool lost(Id from, Id to);
  void arrive(Call& call, std::int64_t now_ns);
  void end(Call& call, bool failed, bool refused_dial, Bytes body);

  Prng prng_;
  Events events_;
  std::map<std::uint64_t, Call> calls_;
  std::set<std::pair<Id, Id>> blocked_;
  std::priority_queue<Packet> packets_;
  std::uint64_t next_call_ = 0;
  std::uint64_t next_order_ = 0;
};

}  // namespace hayward::sim
