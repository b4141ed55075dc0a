// A controller on the simulated ring that answers what a load asks for, as the test wills: with errors, late, cut in
// pieces, or by breaking the connection. Its metadata log holds what the test puts there. And the world that both live
// in. Owner: the test.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "schemas/batch/batch_writer.h"
#include "schemas/messages/alter_partition_request.h"
#include "schemas/messages/alter_partition_response.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/describe_quorum_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/request_header.h"
#include "tests/sim/ring/run_ports.h"
#include "tools/load/load.h"
#include "tools/load/report.h"

namespace hayward::tools {

class FakeController {
 public:
  FakeController(ring::Port& port, const sockaddr_in& address);

  // Error codes by broker id or topic; none when absent.
  std::map<std::int32_t, ErrorCode> registration_errors;
  ErrorCode topic_error = ErrorCode::none;
  bool brokers_fetch = false;  // then a heartbeat may say less than where the registration stands
  int fenced_answers = 2;      // how often a broker is told that it is still fenced
  // Called for each request, with its number (from 1); false: the connection is closed instead of an answer.
  std::function<bool(std::uint64_t number)> admit = [](std::uint64_t) { return true; };
  // Answers wait until then.
  std::int64_t silent_until_ns = 0;

  std::uint64_t requests = 0;
  std::map<std::int32_t, messages::BrokerHeartbeatRequest> last_heartbeat;
  std::map<std::int32_t, std::uint64_t> heartbeats;
  std::uint64_t topics = 0;
  std::int32_t last_partitions = 0;
  std::vector<std::vector<NodeId>> assignments;  // of the topics that came with some
  std::map<std::int32_t, std::int64_t> last_contact_ns;
  std::vector<std::vector<std::int32_t>> new_isrs;

  // One batch of the log, committed at once.
  template <class... Records>
  void append(const Records&... records) {
    BatchBuilder batch(Offset{log_end}, Epoch{1}, 0);
    (batch.add(records, Records::max_version), ...);
    log_end += batch.count();
    log.push_back({log_end, batch.finish()});
  }
  struct LogBatch {
    std::int64_t end;
    Buffer bytes;
  };
  std::vector<LogBatch> log;
  std::int64_t log_end = 2000;  // above every broker epoch: offsets before it are not there to be read

 private:
  struct Peer {
    FakeController* controller;
    ring::Fd fd;
    Buffer in, out;
    iovec part{};
    std::size_t sent = 0;
    bool ended = false;
    bool parked = false;  // a fetch that has waited once
    ring::Operation recv, send, wait, shutdown;
  };
  void on_accept(std::int32_t fd);
  void on_recv(Peer& peer, const ring::Completion& completion);
  void on_send(Peer& peer, std::int32_t result);
  void serve(Peer& peer);
  void flush(Peer& peer);
  void end(Peer& peer);
  void answer(Peer& peer, Bytes payload);
  bool must_wait(Peer& peer, Bytes payload);
  void answer_quorum(std::int16_t version, Peer& peer, std::int32_t correlation_id);
  void answer_fetch(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id);
  void answer_alter_partition(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id);
  void answer_registration(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id);
  void answer_heartbeat(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id);
  void answer_topics(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id);

  ring::Port& port_;
  ring::Fd listener_ = -1;
  ring::Operation accept_;
  std::list<Peer> peers_;
  std::map<std::int32_t, int> told_fenced_;
  Arena arena_;
};

struct LoadWorld {
  explicit LoadWorld(std::uint64_t seed = 1, const sim::SimFaults& faults = {});
  // Runs a load; returns it, finished. Its watch fetches when a part wants one.
  Load& run(LoadOptions options);
  LoadOutcome outcome() const { return {load->results(), load->problem(), {}}; }
  const PhaseResult& phase(const std::string& name) const;

  sim::SimClock clock;
  sim::SimNetwork network;
  sim::SimDisk disk;
  std::optional<Load> load;
  std::optional<FakeController> controller;
  sim::SimPort server_port, client_port, watch_port;
  Crew crew{1};
  Watch watch;
  std::optional<Line> watch_line;  // these outlive no port's turn
  std::optional<Observer> observer;
  std::function<void()> on_turn = [] {};
};

}  // namespace hayward::tools
