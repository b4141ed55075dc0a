// A connection goes from one server to another, at a place in its stream that a client cannot see: nothing is lost,
// doubled or out of order, and the server that accepted it still counts it.
#include "tests/unit/net/harness.h"

namespace hayward::net {
namespace {

constexpr std::int16_t heartbeat_key = 63;

class HandoverTest : public NetTest {
 protected:
  void TearDown() override {
    bool stopped = other_ == nullptr;
    if (other_) other_->stop([&] { stopped = true; });
    EXPECT_TRUE(until([&] { return stopped; }));
    NetTest::TearDown();
    if (other_) {
      EXPECT_EQ(other_->stats().connections, 0u);
      EXPECT_EQ(other_->stats().buffered_bytes, 0u);
    }
  }

  // Heartbeats belong to the other server, everything else stays where it is.
  void start_two(ServerConfig config = {}) {
    const ListenerSpec spec{.name = "CONTROLLER", .host = "127.0.0.1", .send_buffer_bytes = 102400};
    auto listeners = open_listeners({&spec, 1});
    ASSERT_TRUE(listeners.has_value()) << listeners.error();
    listen_port_ = listeners->front().port;
    const auto no_line = [](core::LogLine::Level, std::string) {};
    driver::NetEvents here{
        .arrived = [this](const core::Request& r) { arrived_.push_back(keep(r)); },
        .request =
            [this](const core::Request& r) {
              requests_.push_back(keep(r));
              server_->reply(r.connection, to_buffer("here:" + requests_.back().body), 0);
            },
        .closed = [this](core::ConnectionId id) { closed_.push_back(id); },
        .owner =
            [](const core::Request& r) {
              return r.api_key == heartbeat_key ? std::optional<std::uint16_t>(1) : std::nullopt;
            },
        .handed_over = [this](driver::Handover&& h) { under_way_.push_back(std::move(h)); }};
    server_ = std::make_unique<Server>(*port_, config, test_apis, std::move(here), no_line);
    ServerConfig there_config = config;
    there_config.shard = 1;
    driver::NetEvents there{
        .arrived = [this](const core::Request& r) { arrived_there_.push_back(keep(r)); },
        .request =
            [this](const core::Request& r) {
              requests_there_.push_back(keep(r));
              if (answers_there_) other_->reply(r.connection, to_buffer("there:" + requests_there_.back().body), 0);
            },
        .closed = [this](core::ConnectionId id) { closed_there_.push_back(id); },
        .handed_over_ended = [this](const core::ClientAddress& a) { server_->handed_over_ended(a); }};
    other_ = std::make_unique<Server>(*port_, there_config, test_apis, std::move(there), no_line);
    server_->listen(std::move(*listeners));
  }
  void deliver() {
    ASSERT_TRUE(until([this] { return !under_way_.empty(); }));
    EXPECT_EQ(under_way_.front().to, 1);
    other_->adopt(std::move(under_way_.front()));
    under_way_.pop_front();
  }
  static Buffer heartbeat(std::int32_t id, std::string_view body) { return request_frame(heartbeat_key, 2, id, body, true); }
  static Buffer fetch(std::int32_t id, std::string_view body) { return request_frame(1, 17, id, body, true); }

  std::unique_ptr<Server> other_;
  std::deque<driver::Handover> under_way_;
  std::deque<KeptRequest> requests_there_;
  std::vector<KeptRequest> arrived_there_;
  std::vector<core::ConnectionId> closed_there_;
  bool answers_there_ = true;
};

TEST_F(HandoverTest, TheRequestThatShowsWhereItBelongsIsHandledThere) {
  start_two();
  Client client(listen_port_);
  client.send_all(fetch(1, "a"));
  EXPECT_EQ(wait_frame(client), "here:a");
  client.send_all(heartbeat(2, "b"));
  deliver();
  EXPECT_EQ(wait_frame(client), "there:b");
  client.send_all(fetch(3, "c"));
  EXPECT_EQ(wait_frame(client), "there:c") << "it stays, whatever it asks now";
  ASSERT_EQ(arrived_.size(), 2u);
  EXPECT_EQ(arrived_[1].body, "b") << "announced where it arrived, too";
  ASSERT_EQ(requests_there_.size(), 2u);
  EXPECT_EQ(requests_there_[0].arrival.ns, arrived_[1].arrival.ns) << "with the time at which it did";
  EXPECT_EQ(requests_there_[0].connection.shard, 1);
  EXPECT_EQ(requests_there_[0].listener, "CONTROLLER");
  EXPECT_EQ(requests_there_[0].client_id, "test");
  EXPECT_EQ(server_->stats().connections, 0u);
  EXPECT_EQ(other_->stats().connections, 1u);
  EXPECT_TRUE(closed_.empty());
}

// A whole frame, another, and half of a third, in one segment; the rest while it is under way.
TEST_F(HandoverTest, WhatHasBeenReceivedGoesWithIt) {
  start_two();
  Client client(listen_port_);
  Buffer stream = fetch(1, "a");
  for (const Buffer& frame : {heartbeat(2, "b"), fetch(3, "c")}) stream.insert(stream.end(), frame.begin(), frame.end());
  const Buffer last = heartbeat(4, "d");
  stream.insert(stream.end(), last.begin(), last.begin() + 9);
  client.send_all(stream);
  EXPECT_EQ(wait_frame(client), "here:a");
  ASSERT_TRUE(until([this] { return !under_way_.empty(); }));
  EXPECT_EQ(under_way_.front().arrivals.size(), 2u);
  client.send_all(Bytes(last).subspan(9));
  settle();
  deliver();
  for (const char* answer : {"there:b", "there:c", "there:d"}) EXPECT_EQ(wait_frame(client), answer);
  ASSERT_EQ(arrived_there_.size(), 3u);
}

TEST_F(HandoverTest, ByteByByte) {
  start_two();
  Client client(listen_port_);
  const Buffer frame = heartbeat(1, "slow");
  for (const std::byte b : frame) {
    client.send_all(Bytes(&b, 1));
    settle(1);
  }
  deliver();
  EXPECT_EQ(wait_frame(client), "there:slow");
}

TEST_F(HandoverTest, APeerThatGoesAwayMeanwhile) {
  start_two();
  {
    Client client(listen_port_);
    client.send_all(heartbeat(1, "x"));
  }
  // Either it closes here, or it is found closed there.
  ASSERT_TRUE(until([this] { return !under_way_.empty() || !closed_.empty(); }));
  if (!under_way_.empty()) deliver();
  EXPECT_TRUE(until([this] { return server_->stats().connections + other_->stats().connections == 0; }));
}

TEST_F(HandoverTest, LimitsCountItUntilItEndsThere) {
  start_two({.max_connections = 1});
  auto client = std::make_unique<Client>(listen_port_);
  client->send_all(heartbeat(1, "x"));
  deliver();
  EXPECT_EQ(wait_frame(*client), "there:x");
  Client second(listen_port_);
  second.send_all(fetch(2, "y"));
  settle();
  EXPECT_TRUE(second.next_frame().empty()) << "it waits in the backlog";
  client.reset();
  EXPECT_EQ(wait_frame(second), "here:y");
}

TEST_F(HandoverTest, AnAnswerThatIsOutstandingHoldsItBack) {
  start_two();
  Client client(listen_port_);
  client.send_all(heartbeat(1, "x"));
  answers_there_ = false;
  deliver();
  ASSERT_TRUE(until([this] { return requests_there_.size() == 1; }));
  client.send_all(fetch(2, "y"));
  settle();
  EXPECT_EQ(requests_there_.size(), 1u) << "one request at a time, there too";
  other_->reply(requests_there_[0].connection, to_buffer("late"), 0);
  EXPECT_EQ(wait_frame(client), "late");
  EXPECT_TRUE(until([this] { return requests_there_.size() == 2; }));
}

}  // namespace
}  // namespace hayward::net
