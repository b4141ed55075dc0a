// See fake_controller.h.
#include "tests/unit/load/fake_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "net/frame.h"
#include "schemas/messages/response_header.h"

namespace hayward::tools {
namespace {

constexpr sim::Host server_host = 1;
constexpr sim::Host client_host = 2;
constexpr sim::Host watch_host = 3;
constexpr std::uint16_t listen_port = 9093;

template <class Response>
void append_answer(Buffer& out, std::int32_t correlation_id, const Response& response, std::int16_t version) {
  messages::ResponseHeader header;
  header.correlation_id = correlation_id;
  const std::size_t size = encoded_size(header, 1) + encoded_size(response, version);
  const std::size_t at = out.size();
  out.resize(at + 4 + size);
  Writer writer(MutableBytes(out).subspan(at));
  writer.write_i32(static_cast<std::int32_t>(size));
  encode(writer, header, 1);
  encode(writer, response, version);
}

}  // namespace

FakeController::FakeController(ring::Port& port, const sockaddr_in& address) : port_(port) {
  listener_ = port.make_listener(reinterpret_cast<const sockaddr*>(&address), sizeof address, 512, false);
  accept_.owner = this;
  accept_.handler = [](ring::Operation& o, const ring::Completion& c) {
    auto& controller = *static_cast<FakeController*>(o.owner);
    if (!c.more) controller.port_.accept_multishot(o, controller.listener_);
    controller.on_accept(c.result);
  };
  port.accept_multishot(accept_, listener_);
}

void FakeController::on_accept(std::int32_t fd) {
  if (fd < 0) return;
  Peer& peer = peers_.emplace_back();
  peer.controller = this;
  peer.fd = fd;
  for (ring::Operation* o : {&peer.recv, &peer.send, &peer.wait, &peer.shutdown}) o->owner = &peer;
  peer.recv.handler = [](ring::Operation& o, const ring::Completion& c) {
    auto& p = *static_cast<Peer*>(o.owner);
    p.controller->on_recv(p, c);
  };
  peer.send.handler = [](ring::Operation& o, const ring::Completion& c) {
    auto& p = *static_cast<Peer*>(o.owner);
    p.controller->on_send(p, c.result);
  };
  peer.wait.handler = [](ring::Operation& o, const ring::Completion&) {
    auto& p = *static_cast<Peer*>(o.owner);
    p.controller->serve(p);
  };
  peer.shutdown.handler = [](ring::Operation&, const ring::Completion&) {};
  port_.recv_multishot(peer.recv, fd);
}

void FakeController::on_recv(Peer& peer, const ring::Completion& completion) {
  if (completion.result > 0) {
    peer.in.insert(peer.in.end(), completion.buffer.begin(), completion.buffer.end());
    port_.release_buffer(completion.buffer_id);
    serve(peer);
  }
  if (completion.result <= 0 && completion.result != -ENOBUFS) return end(peer);
  if (!completion.more && !peer.ended) port_.recv_multishot(peer.recv, peer.fd);
}

void FakeController::serve(Peer& peer) {
  if (peer.ended || peer.send.in_flight || peer.wait.in_flight) return;
  const net::Frame frame = net::next_frame(peer.in, 1 << 20);
  if (frame.status != net::FrameStatus::complete) return;
  if (port_.now_ns() < silent_until_ns) return port_.timeout(peer.wait, silent_until_ns);
  if (must_wait(peer, frame.payload)) return;
  if (!admit(++requests)) return end(peer);
  answer(peer, frame.payload);
  peer.in.erase(peer.in.begin(), peer.in.begin() + static_cast<std::ptrdiff_t>(frame.consumed));
  flush(peer);
}

void FakeController::flush(Peer& peer) {
  peer.part = {peer.out.data() + peer.sent, peer.out.size() - peer.sent};
  port_.send(peer.send, peer.fd, {&peer.part, 1});
}

void FakeController::on_send(Peer& peer, std::int32_t result) {
  if (peer.ended) return;
  if (result <= 0) return end(peer);
  peer.sent += static_cast<std::size_t>(result);
  if (peer.sent < peer.out.size()) return flush(peer);
  peer.out.clear();
  peer.sent = 0;
  serve(peer);
}

void FakeController::end(Peer& peer) {
  if (peer.ended) return;
  peer.ended = true;
  port_.shutdown(peer.shutdown, peer.fd, SHUT_RDWR);
}

void FakeController::answer(Peer& peer, Bytes payload) {
  arena_.reset();
  Reader reader(payload);
  messages::RequestHeader header;
  ASSERT_TRUE(decode(reader, 2, arena_, header));
  const std::int16_t version = header.request_api_version;
  if (header.request_api_key == 62) return answer_registration(reader, version, peer, header.correlation_id);
  if (header.request_api_key == 63) return answer_heartbeat(reader, version, peer, header.correlation_id);
  if (header.request_api_key == 55) return answer_quorum(version, peer, header.correlation_id);
  if (header.request_api_key == 1) return answer_fetch(reader, version, peer, header.correlation_id);
  if (header.request_api_key == 56) return answer_alter_partition(reader, version, peer, header.correlation_id);
  ASSERT_EQ(header.request_api_key, 19);
  answer_topics(reader, version, peer, header.correlation_id);
}

// A fetch that finds nothing new waits once for ten milliseconds.
bool FakeController::must_wait(Peer& peer, Bytes payload) {
  constexpr std::int64_t wait_ns = 10'000'000;
  arena_.reset();
  Reader reader(payload);
  messages::RequestHeader header;
  messages::FetchRequest request;
  if (!decode(reader, 2, arena_, header) || header.request_api_key != 1) return false;
  if (!decode(reader, header.request_api_version, arena_, request)) return false;
  const bool waits = !peer.parked && request.topics[0].partitions[0].fetch_offset.value >= log_end;
  peer.parked = waits;
  if (waits) port_.timeout(peer.wait, port_.now_ns() + wait_ns);
  return waits;
}

void FakeController::answer_quorum(std::int16_t version, Peer& peer, std::int32_t correlation_id) {
  messages::DescribeQuorumResponse response;
  response.topics.push_back(arena_).partitions.push_back(arena_).high_watermark = Offset{log_end};
  append_answer(peer.out, correlation_id, response, version);
}

void FakeController::answer_fetch(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id) {
  messages::FetchRequest request;
  ASSERT_TRUE(decode(reader, version, arena_, request) && reader.remaining() == 0);
  EXPECT_EQ(request.topics[0].topic_id, metadata_topic_id);
  const auto& asked = request.topics[0].partitions[0];
  messages::FetchResponse response;
  auto& partition = response.responses.push_back(arena_).partitions.push_back(arena_);
  partition.current_leader.leader_id = NodeId{3000};
  partition.current_leader.leader_epoch = Epoch{1};
  Buffer records;
  if (asked.current_leader_epoch != Epoch{1}) {
    partition.error_code = ErrorCode::fenced_leader_epoch;
  } else {
    partition.high_watermark = Offset{log_end};
    for (const LogBatch& batch : log) {
      if (batch.end > asked.fetch_offset.value) records.insert(records.end(), batch.bytes.begin(), batch.bytes.end());
    }
  }
  partition.records = Bytes(records);
  append_answer(peer.out, correlation_id, response, version);
}

void FakeController::answer_alter_partition(Reader& reader, std::int16_t version, Peer& peer,
                                            std::int32_t correlation_id) {
  messages::AlterPartitionRequest request;
  ASSERT_TRUE(decode(reader, version, arena_, request) && reader.remaining() == 0);
  const auto& asked = request.topics[0].partitions[0];
  auto& isr = new_isrs.emplace_back();
  for (const auto& replica : asked.new_isr_with_epochs) isr.push_back(replica.broker_id.value);
  messages::AlterPartitionResponse response;
  auto& topic = response.topics.push_back(arena_);
  topic.topic_id = request.topics[0].topic_id;
  auto& partition = topic.partitions.push_back(arena_);
  partition.partition_index = asked.partition_index;
  partition.leader_epoch = asked.leader_epoch;
  partition.partition_epoch = PartitionEpoch{asked.partition_epoch.value + 1};
  append_answer(peer.out, correlation_id, response, version);
}

void FakeController::answer_registration(Reader& reader, std::int16_t version, Peer& peer,
                                         std::int32_t correlation_id) {
  messages::BrokerRegistrationRequest request;
  ASSERT_TRUE(decode(reader, version, arena_, request) && reader.remaining() == 0);
  EXPECT_EQ(request.log_dirs.size(), 1u);
  EXPECT_FALSE(request.incarnation_id.is_zero());
  EXPECT_EQ(request.cluster_id, "cluster-of-test-000000");
  messages::BrokerRegistrationResponse response;
  response.broker_epoch = BrokerEpoch{100 + request.broker_id.value};
  if (const auto at = registration_errors.find(request.broker_id.value); at != registration_errors.end())
    response.error_code = at->second;
  append_answer(peer.out, correlation_id, response, version);
}

void FakeController::answer_heartbeat(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id) {
  messages::BrokerHeartbeatRequest request;
  ASSERT_TRUE(decode(reader, version, arena_, request) && reader.remaining() == 0);
  const std::int32_t id = request.broker_id.value;
  EXPECT_EQ(request.broker_epoch.value, 100 + id);
  EXPECT_FALSE(request.want_fence);
  EXPECT_TRUE(brokers_fetch || request.current_metadata_offset.value >= request.broker_epoch.value);
  last_heartbeat[id] = request;
  last_contact_ns[id] = port_.now_ns();
  ++heartbeats[id];
  messages::BrokerHeartbeatResponse response;
  response.is_fenced = told_fenced_[id]++ < fenced_answers;
  append_answer(peer.out, correlation_id, response, version);
}

void FakeController::answer_topics(Reader& reader, std::int16_t version, Peer& peer, std::int32_t correlation_id) {
  messages::CreateTopicsRequest request;
  ASSERT_TRUE(decode(reader, version, arena_, request) && reader.remaining() == 0);
  ASSERT_EQ(request.topics.size(), 1u);
  ++topics;
  last_partitions = request.topics[0].num_partitions;
  for (const auto& assignment : request.topics[0].assignments) {
    assignments.emplace_back(assignment.broker_ids.begin(), assignment.broker_ids.end());
  }
  messages::CreateTopicsResponse response;
  auto& result = response.topics.push_back(arena_);
  result.name = request.topics[0].name;
  result.error_code = topic_error;
  append_answer(peer.out, correlation_id, response, version);
}

LoadWorld::LoadWorld(std::uint64_t seed, const sim::SimFaults& faults)
    : network(clock, seed),
      disk(seed),
      server_port(clock, disk, seed + 1, faults),
      client_port(clock, disk, seed + 2, faults),
      watch_port(clock, disk, seed + 3, faults) {
  server_port.attach(network, server_host);
  client_port.attach(network, client_host);
  watch_port.attach(network, watch_host);
  controller.emplace(server_port, sim::SimNetwork::address(server_host, listen_port));
}

Load& LoadWorld::run(LoadOptions options) {
  options.cluster_id = "cluster-of-test-000000";
  LoadTarget target;
  const sockaddr_in address = sim::SimNetwork::address(server_host, listen_port);
  std::memcpy(&target.address, &address, sizeof address);
  target.length = sizeof address;
  const auto turn_until = [this](const std::function<bool()>& condition) {
    sim::SimPort* const ports[] = {&server_port, &client_port, &watch_port};
    while (!condition()) {
      on_turn();
      ASSERT_TRUE(sim::run_next_port(clock, ports));
    }
  };
  watch_line.emplace(watch_port, 0, target.address, target.length);
  observer.emplace(watch_port, *watch_line, NodeId{9999}, FetchTerms{options.cluster_id, 18}, &watch);
  const auto wants_watch = [](Part part) { return part == Part::kill || part == Part::alter_partition; };
  if (std::ranges::any_of(options.parts, wants_watch)) {
    watch_line->open();
    observer->start();
  }
  load.emplace(client_port, target, options, Load::Share{0, 7}, crew, &watch, turn_until);
  load->run();
  return *load;
}

const PhaseResult& LoadWorld::phase(const std::string& name) const {
  for (const PhaseResult& result : load->results()) {
    if (result.name == name) return result;
  }
  ADD_FAILURE() << "no phase " << name;
  static const PhaseResult none;
  return none;
}

}  // namespace hayward::tools
