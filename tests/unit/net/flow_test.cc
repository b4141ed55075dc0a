// Back-pressure, throttling, idleness, limits and the orderly stop.
#include "tests/unit/net/harness.h"

namespace hayward::net {
namespace {

TEST_F(NetTest, AMutedConnectionIsReadOnUpToTheBound) {
  ServerConfig config;
  config.read_ahead_bytes = 20000;
  start(config);
  Client client(listen_port_);
  client.send_all(request_frame(19, 2, 0, "first"));
  ASSERT_TRUE(until([&] { return requests_.size() == 1; }));

  const Buffer frame = request_frame(19, 2, 1, std::string(1000, 'z'));
  Buffer flood;
  for (int i = 0; i < 3000; ++i) append(flood, as_text(frame));
  std::size_t sent = 0;
  for (int round = 0; round < 50; ++round) {
    if (sent < flood.size()) sent += client.send_some(Bytes(flood).subspan(sent));
    settle(2);
  }
  EXPECT_LT(server_->stats().bytes_in, 1'500'000u) << "the rest must wait in the kernel, and in the client";
  EXPECT_EQ(server_->stats().receive_pauses, 1u);
  EXPECT_LT(server_->stats().buffered_bytes, config.read_ahead_bytes + 128 * 8192) << "at most the ring's buffers more";

  on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, to_buffer("ok"), 0); };
  server_->reply(requests_.front().connection, to_buffer("ok"), 0);
  ASSERT_TRUE(until([&] {
    if (sent < flood.size()) sent += client.send_some(Bytes(flood).subspan(sent));
    client.receive();
    return requests_.size() == 3001;
  }));
  EXPECT_EQ(server_->stats().buffered_bytes, 0u);
}

TEST_F(NetTest, ASlowReaderHoldsBackOnlyItself) {
  start({}, /*send_buffer_bytes=*/16384);
  on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, Buffer(1'000'000), 0); };
  Client slow(listen_port_, /*receive_buffer_bytes=*/16384);
  for (int i = 0; i < 10; ++i) slow.send_all(request_frame(19, 2, i, ""));
  ASSERT_TRUE(until([&] { return requests_.size() == 1; }));
  settle();
  EXPECT_EQ(requests_.size(), 1u) << "no second answer is made while the first is not sent";

  on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, to_buffer("quick"), 0); };
  Client quick(listen_port_);
  quick.send_all(request_frame(19, 2, 1, ""));
  EXPECT_EQ(wait_frame(quick), "quick");

  EXPECT_EQ(wait_frame(slow).size(), 1'000'000u);
  for (int i = 1; i < 10; ++i) EXPECT_EQ(wait_frame(slow), "quick");
}

TEST_F(NetTest, AReaderThatGoesAwayInMidAnswer) {
  start({}, /*send_buffer_bytes=*/16384);
  on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, Buffer(5'000'000), 0); };
  {
    Client client(listen_port_, /*receive_buffer_bytes=*/16384);
    client.send_all(request_frame(19, 2, 1, ""));
    ASSERT_TRUE(until([&] { return requests_.size() == 1; }));
    settle(5);
  }
  EXPECT_TRUE(until([&] { return server_->stats().connections == 0; }));
  EXPECT_EQ(closed_for(CloseReason::peer_closed), 1u);
}

TEST_F(NetTest, AThrottledConnectionIsAnsweredAtOnceAndThenMute) {
  start();
  on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, to_buffer(r.body), r.correlation_id); };
  Client client(listen_port_);
  Buffer two = request_frame(19, 2, /*throttle for ms=*/150, "first");
  append(two, as_text(request_frame(19, 2, 0, "second")));
  const std::int64_t begun_ns = port_->now_ns();
  client.send_all(two);
  EXPECT_EQ(wait_frame(client), "first");
  EXPECT_EQ(requests_.size(), 1u);
  EXPECT_EQ(wait_frame(client), "second");
  EXPECT_GE(port_->now_ns() - begun_ns, ms_to_ns(150));
}

TEST_F(NetTest, AThrottledConnectionCanEnd) {
  start();
  on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, to_buffer("ok"), 60'000); };
  Client client(listen_port_);
  client.send_all(request_frame(19, 2, 1, ""));
  EXPECT_EQ(wait_frame(client), "ok");
  client.close();
  EXPECT_TRUE(until([&] { return server_->stats().connections == 0; }));
}

TEST_F(NetTest, IdleConnectionsAreClosedBusyOnesAreNot) {
  ServerConfig config;
  config.idle_ms = 60;
  start(config);
  Client idle(listen_port_);
  Client busy(listen_port_);
  busy.send_all(request_frame(19, 2, 1, ""));
  ASSERT_TRUE(until([&] { return requests_.size() == 1; }));
  const std::int64_t begun_ns = port_->now_ns();
  EXPECT_TRUE(until([&] { return idle.ended(); }));
  EXPECT_GE(port_->now_ns() - begun_ns, ms_to_ns(40));
  settle(150);
  EXPECT_FALSE(busy.ended()) << "it waits for us";
  EXPECT_EQ(closed_for(CloseReason::idle), 1u);
  server_->reply(requests_.front().connection, to_buffer("late"), 0);
  EXPECT_EQ(wait_frame(busy), "late");
  EXPECT_TRUE(until([&] { return busy.ended(); }));
}

TEST_F(NetTest, AReaderThatTakesNothingIsIdle) {
  ServerConfig config;
  config.idle_ms = 60;
  start(config, /*send_buffer_bytes=*/16384);
  on_request_ = [this](const KeptRequest& r) { server_->reply(r.connection, Buffer(5'000'000), 0); };
  Client client(listen_port_, /*receive_buffer_bytes=*/16384);
  client.send_all(request_frame(19, 2, 1, ""));
  EXPECT_TRUE(until([&] { return closed_for(CloseReason::idle) == 1; }));
  EXPECT_TRUE(until([&] { return server_->stats().connections == 0; }));
}

TEST_F(NetTest, AtTheConnectionLimitNewOnesWait) {
  ServerConfig config;
  config.max_connections = 2;
  start(config);
  echo();
  Client one(listen_port_);
  Client two(listen_port_);
  ASSERT_TRUE(until([&] { return server_->stats().connections == 2; }));
  settle(5);
  Client three(listen_port_);
  three.send_all(request_frame(19, 2, 1, "patient"));
  settle();
  EXPECT_TRUE(requests_.empty());
  EXPECT_FALSE(three.ended());
  one.close();
  EXPECT_EQ(wait_frame(three), "re:patient");
}

TEST_F(NetTest, TooManyFromOneAddress) {
  ServerConfig config;
  config.max_connections_per_ip = 2;
  start(config);
  echo();
  Client one(listen_port_);
  auto two = std::make_unique<Client>(listen_port_);
  ASSERT_TRUE(until([&] { return server_->stats().connections == 2; }));
  Client three(listen_port_);
  EXPECT_TRUE(until([&] { return three.ended(); }));
  EXPECT_EQ(closed_for(CloseReason::too_many_from_address), 1u);
  two.reset();
  ASSERT_TRUE(until([&] { return server_->stats().connections == 1; }));
  Client four(listen_port_);
  four.send_all(request_frame(19, 2, 1, "in"));
  EXPECT_EQ(wait_frame(four), "re:in");
}

TEST_F(NetTest, ReceivedBytesAreBoundedOverAllConnections) {
  ServerConfig config;
  config.request_max_bytes = 200'000;
  config.buffered_bytes_max = 200'000;
  config.read_ahead_bytes = 10'000;
  start(config);
  Client small(listen_port_);
  small.send_all(Bytes(request_frame(19, 2, 1, std::string(5000, 's'))).first(4000));
  Client first(listen_port_);
  Client second(listen_port_);
  const Buffer big = request_frame(19, 2, 1, std::string(190'000, 'b'));
  std::size_t sent_first = 0;
  std::size_t sent_second = 0;
  ASSERT_TRUE(until([&] {
    if (sent_first < 150'000) sent_first += first.send_some(Bytes(big).subspan(sent_first, 150'000 - sent_first));
    if (sent_second < 150'000) sent_second += second.send_some(Bytes(big).subspan(sent_second, 150'000 - sent_second));
    return closed_for(CloseReason::out_of_buffer_room) == 1;
  }));
  settle();
  EXPECT_LE(server_->stats().buffered_bytes, config.buffered_bytes_max);
  EXPECT_EQ(closed_for(CloseReason::out_of_buffer_room), 1u);
  EXPECT_FALSE(small.ended()) << "who holds little is let be";
}

TEST_F(NetTest, StopLetsAnswersOut) {
  ServerConfig config;
  config.stop_drain_ms = 60'000;
  start(config, /*send_buffer_bytes=*/16384);
  Client idle(listen_port_);
  Client waiting(listen_port_);
  Client reading(listen_port_, /*receive_buffer_bytes=*/16384);
  waiting.send_all(request_frame(19, 2, 1, "waiting"));
  ASSERT_TRUE(until([&] { return requests_.size() == 1; }));
  reading.send_all(request_frame(19, 2, 2, "reading"));
  ASSERT_TRUE(until([&] { return requests_.size() == 2; }));
  server_->reply(requests_[1].connection, Buffer(1'000'000), 0);

  server_->stop([this] { stopped_ = true; });
  EXPECT_TRUE(until([&] { return idle.ended(); }));
  EXPECT_FALSE(stopped_);
  server_->reply(requests_[0].connection, to_buffer("in time"), 0);
  EXPECT_EQ(wait_frame(waiting), "in time");
  EXPECT_EQ(wait_frame(reading).size(), 1'000'000u);
  EXPECT_TRUE(until([&] { return stopped_; }));
  EXPECT_EQ(server_->stats().connections, 0u);
}

TEST_F(NetTest, StopWaitsOnlySoLong) {
  ServerConfig config;
  config.stop_drain_ms = 30;
  start(config);
  Client client(listen_port_);
  client.send_all(request_frame(19, 2, 1, "never answered"));
  ASSERT_TRUE(until([&] { return requests_.size() == 1; }));
  server_->stop([this] { stopped_ = true; });
  EXPECT_TRUE(until([&] { return stopped_; }));
  EXPECT_TRUE(until([&] { return client.ended(); }));
}

TEST_F(NetTest, ManyConnectionsComeAndGo) {
  start();
  echo();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 25; ++i) clients.push_back(std::make_unique<Client>(listen_port_));
    for (auto& client : clients) client->send_all(request_frame(19, 2, 1, "x"));
    for (auto& client : clients) ASSERT_EQ(wait_frame(*client), "re:x");
  }
  EXPECT_TRUE(until([&] { return server_->stats().connections == 0; }));
  EXPECT_EQ(server_->stats().accepted, 500u);
  EXPECT_EQ(server_->stats().closed_for(CloseReason::peer_closed), 500u);
}

class NetWithFewBuffers : public NetTest {
 protected:
  NetWithFewBuffers() { ring_options_ = {.entries = 8, .recv_buffers = 2, .recv_buffer_bytes = 256}; }
};

TEST_F(NetWithFewBuffers, EverythingComesThrough) {
  start();
  on_request_ = [this](const KeptRequest& r) {
    server_->reply(r.connection, to_buffer(std::to_string(r.body.size())), 0);
  };
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 40; ++i) clients.push_back(std::make_unique<Client>(listen_port_));
  for (int round = 0; round < 10; ++round) {
    for (auto& client : clients) client->send_all(request_frame(19, 2, 1, std::string(5000, 'q')));
    for (auto& client : clients) ASSERT_EQ(wait_frame(*client), "5000");
  }
}

}  // namespace
}  // namespace hayward::net
