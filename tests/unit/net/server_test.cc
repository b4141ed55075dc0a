// Requests and answers over loopback, and what is refused.
#include "tests/unit/net/harness.h"

namespace hayward::net {
namespace {

TEST_F(NetTest, ARequestAndItsAnswer) {
  start();
  Client client(listen_port_);
  client.send_all(request_frame(18, 4, 77, "hello", /*flexible=*/true));
  ASSERT_TRUE(until([&] { return !requests_.empty(); }));
  const KeptRequest& request = requests_.front();
  EXPECT_EQ(request.api_key, 18);
  EXPECT_EQ(request.api_version, 4);
  EXPECT_EQ(request.correlation_id, 77);
  EXPECT_EQ(request.client_id, "test");
  EXPECT_EQ(request.body, "hello");
  EXPECT_EQ(request.listener, "CONTROLLER");
  EXPECT_EQ(request.address.length, 4);
  EXPECT_EQ(request.address.bytes[0], 127);
  EXPECT_LE(request.arrival.ns, port_->now_ns());
  ASSERT_EQ(arrived_.size(), 1u);
  EXPECT_EQ(arrived_[0].arrival, request.arrival);

  server_->reply(request.connection, to_buffer("answer"), 0);
  EXPECT_EQ(wait_frame(client), "answer");
  EXPECT_EQ(server_->stats().requests, 1u);
  EXPECT_EQ(server_->stats().replies, 1u);
  EXPECT_EQ(server_->stats().bytes_out, 10u);
}

TEST_F(NetTest, ByteAtATime) {
  start();
  echo();
  Client client(listen_port_);
  const Buffer frame = request_frame(19, 2, 1, "slowly");
  for (std::size_t i = 0; i < frame.size(); ++i) {
    EXPECT_TRUE(requests_.empty());
    client.send_all(Bytes(frame).subspan(i, 1));
    ASSERT_TRUE(until([&] { return server_->stats().bytes_in == i + 1; }));
  }
  EXPECT_EQ(wait_frame(client), "re:slowly");
}

TEST_F(NetTest, PipelinedRequestsAreAnsweredInOrderOneAtATime) {
  start();
  Client client(listen_port_);
  Buffer all;
  for (int i = 0; i < 20; ++i) append(all, as_text(request_frame(19, 2, i, std::to_string(i))));
  client.send_all(all);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(until([&] { return requests_.size() == static_cast<std::size_t>(i + 1); }));
    settle(2);
    ASSERT_EQ(requests_.size(), static_cast<std::size_t>(i + 1)) << "a second request while one is unanswered";
    EXPECT_EQ(arrived_.size(), 20u) << "all are announced as they come in";
    server_->reply(requests_.back().connection, to_buffer("answer " + requests_.back().body), 0);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(wait_frame(client), "answer " + std::to_string(i));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(arrived_[i].arrival, requests_[i].arrival);
}

TEST_F(NetTest, PipelinedRequestsAnsweredFromInsideTheCallBack) {
  start();
  echo();
  Client client(listen_port_);
  Buffer all;
  for (int i = 0; i < 500; ++i) append(all, as_text(request_frame(19, 2, i, std::to_string(i))));
  client.send_all(all);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(wait_frame(client), "re:" + std::to_string(i));
}

TEST_F(NetTest, ALargeFrameIsPutTogether) {
  start();
  Client client(listen_port_);
  std::string body(3'000'000, 'x');
  for (std::size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i / 1000 % 26);
  const Buffer frame = request_frame(19, 2, 1, body);
  std::size_t sent = 0;
  ASSERT_TRUE(until([&] {
    if (sent < frame.size()) sent += client.send_some(Bytes(frame).subspan(sent));
    return !requests_.empty();
  }));
  EXPECT_TRUE(requests_.front().body == body);
  EXPECT_EQ(server_->stats().buffered_bytes, 0u);
}

TEST_F(NetTest, FramesOfEverySizeAcrossBufferBounds) {
  start();
  on_request_ = [this](const KeptRequest& r) {
    server_->reply(r.connection, to_buffer(std::to_string(r.body.size())), 0);
  };
  Client client(listen_port_);
  for (const std::size_t size : {0u, 1u, 8170u, 8173u, 8174u, 8175u, 8191u, 8192u, 8193u, 16384u, 65536u, 100000u}) {
    const Buffer frame = request_frame(19, 2, 1, std::string(size, 'y'));
    std::size_t sent = 0;
    std::string answer;
    ASSERT_TRUE(until([&] {
      if (sent < frame.size()) sent += client.send_some(Bytes(frame).subspan(sent));
      return !(answer = client.next_frame()).empty();
    }));
    EXPECT_EQ(answer, std::to_string(size));
  }
}

TEST_F(NetTest, ALargeSliceGoesOutInPartsAndIsLetGo) {
  start({}, /*send_buffer_bytes=*/16384);
  Client client(listen_port_, /*receive_buffer_bytes=*/16384);
  client.send_all(request_frame(19, 2, 1, ""));
  ASSERT_TRUE(until([&] { return !requests_.empty(); }));
  auto records = std::make_shared<std::string>();
  for (int i = 0; i < 400'000; ++i) *records += std::to_string(i);
  driver::LogSlice slice{.parts = {}, .owner = records};
  for (std::size_t at = 0; at < records->size(); at += 1000) {
    slice.parts.push_back(as_bytes(std::string_view(*records).substr(at, 1000)));
  }
  server_->reply_with_slice(requests_.front().connection, to_buffer("head"), std::move(slice), to_buffer("tail"),
                            false);
  std::string expected = "head";
  Buffer length(4);
  Writer(length).write_i32(static_cast<std::int32_t>(records->size()));
  expected += std::string(as_text(length)) + *records + "tail";
  EXPECT_TRUE(wait_frame(client) == expected);
  EXPECT_GT(server_->stats().partial_sends, 0u);
  EXPECT_EQ(records.use_count(), 1) << "the slice must be let go once it is sent";
}

TEST_F(NetTest, BadSizesCloseTheConnectionAndOnlyIt) {
  start();
  echo();
  Client good(listen_port_);
  for (const std::int32_t size : {0, -1, INT32_MIN, INT32_MAX, 104857601}) {
    Client bad(listen_port_);
    bad.send_all(size_prefix(size));
    EXPECT_TRUE(until([&] { return bad.ended(); })) << size;
  }
  EXPECT_EQ(closed_for(CloseReason::bad_frame_size), 5u);
  EXPECT_EQ(closed_.size(), 5u);
  good.send_all(request_frame(19, 2, 1, "still here"));
  EXPECT_EQ(wait_frame(good), "re:still here");
  ASSERT_EQ(lines_.size(), 1u) << "one line in ten seconds";
  EXPECT_EQ(lines_[0], "closed connection from 127.0.0.1: bad frame size (size 0)");
}

// KAFKA-20302: nothing of a bad connection may stay.
// cases.md row 52.
TEST_F(NetTest, GarbageOverManyConnectionsLeavesNothing) {
  start();
  echo();
  const std::string half(5000, 'h');
  for (int i = 0; i < 1500; ++i) {
    Client bad(listen_port_);
    Buffer bytes = i % 2 == 0 ? Buffer{} : request_frame(19, 2, 1, half);
    append(bytes, std::string(static_cast<std::size_t>(i % 300 + 4), static_cast<char>(0x80 + i % 128)));
    bad.send_all(bytes);
    if (i % 3 == 0) continue;  // hangs up at once
    ASSERT_TRUE(until([&] { return bad.ended(); })) << i;
  }
  ASSERT_TRUE(until([&] { return server_->stats().connections == 0; }));
  EXPECT_EQ(server_->stats().buffered_bytes, 0u);
  EXPECT_EQ(closed_.size(), 1500u);
  for (const core::ConnectionId& id : closed_) ASSERT_LT(id.slot, 20u) << "slots are used again";
  EXPECT_LE(lines_.size(), 3u);
}

TEST_F(NetTest, TheLongestSizeIsAllowedAndTakesNoMemory) {  // cases.md strangers
  start();
  Client client(listen_port_);
  client.send_all(size_prefix(104857600));
  ASSERT_TRUE(until([&] { return server_->stats().bytes_in == 4; }));
  settle();
  EXPECT_FALSE(client.ended());
  EXPECT_EQ(server_->stats().buffered_bytes, 4u);
}

TEST_F(NetTest, ForeignProtocolsAreNamed) {  // cases.md strangers
  start();
  Client tls(listen_port_);
  tls.send_all(std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
  EXPECT_TRUE(until([&] { return tls.ended(); }));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("looks like TLS"), std::string::npos);
  Client http(listen_port_);
  http.send_all("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(until([&] { return http.ended(); }));
  EXPECT_EQ(closed_for(CloseReason::bad_frame_size), 2u);
}

TEST_F(NetTest, UnknownApisBadVersionsAndBadHeadersClose) {
  start();
  const auto refused = [this](Bytes bytes) {
    Client client(listen_port_);
    client.send_all(bytes);
    EXPECT_TRUE(until([&] { return client.ended(); }));
  };
  refused(request_frame(3, 0, 1, ""));
  refused(request_frame(19, 1, 1, ""));
  refused(request_frame(19, 8, 1, ""));
  refused(to_buffer(std::string_view("\0\0\0\x01\0", 5)));
  EXPECT_EQ(closed_for(CloseReason::unknown_api), 1u);
  EXPECT_EQ(closed_for(CloseReason::unsupported_version), 2u);
  EXPECT_EQ(closed_for(CloseReason::malformed_header), 1u);
  EXPECT_TRUE(requests_.empty());
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(NetTest, ApiVersionsOfAnUnknownVersionReachesTheNode) {
  start();
  Client client(listen_port_);
  client.send_all(request_frame(18, 99, 3, "", /*flexible=*/true));
  ASSERT_TRUE(until([&] { return !requests_.empty(); }));
  EXPECT_EQ(requests_.front().api_version, 99);
}

TEST_F(NetTest, GarbageBehindAGoodRequestClosesOnlyAfterItsAnswer) {
  start();
  Client client(listen_port_);
  Buffer bytes = request_frame(19, 2, 1, "good");
  append(bytes, std::string(100, '\xff'));
  client.send_all(bytes);
  ASSERT_TRUE(until([&] { return !requests_.empty(); }));
  settle();
  EXPECT_FALSE(client.ended());
  server_->reply(requests_.front().connection, to_buffer("answer"), 0);
  EXPECT_EQ(wait_frame(client), "answer");
  EXPECT_TRUE(until([&] { return client.ended(); }));
  EXPECT_EQ(closed_for(CloseReason::bad_frame_size), 1u);
}

TEST_F(NetTest, TheNodeRefusesARequest) {
  start();
  on_request_ = [this](const KeptRequest& r) { server_->close_connection(r.connection, "body cut short"); };
  Client client(listen_port_);
  Buffer two = request_frame(19, 2, 1, "a");
  append(two, as_text(request_frame(19, 2, 2, "b")));
  client.send_all(two);
  EXPECT_TRUE(until([&] { return client.ended(); }));
  EXPECT_EQ(requests_.size(), 1u) << "nothing more of a refused connection is handed on";
  EXPECT_EQ(closed_for(CloseReason::refused_request), 1u);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("body cut short"), std::string::npos);
}

TEST_F(NetTest, AnAnswerToAConnectionThatIsGoneIsDropped) {
  start();
  auto client = std::make_unique<Client>(listen_port_);
  client->send_all(request_frame(19, 2, 1, ""));
  ASSERT_TRUE(until([&] { return requests_.size() == 1; }));
  const core::ConnectionId old = requests_.front().connection;
  client.reset();
  ASSERT_TRUE(until([&] { return server_->stats().connections == 0; }));
  ASSERT_EQ(closed_.size(), 1u);
  EXPECT_EQ(closed_[0], old);

  Client next(listen_port_);  // takes the same slot
  next.send_all(request_frame(19, 2, 2, ""));
  ASSERT_TRUE(until([&] { return requests_.size() == 2; }));
  EXPECT_EQ(requests_.back().connection.slot, old.slot);
  EXPECT_NE(requests_.back().connection.generation, old.generation);
  server_->reply(old, to_buffer("for the dead"), 0);
  server_->reply({.slot = 4711, .generation = 1, .shard = 0}, to_buffer("for no one"), 0);
  server_->reply(requests_.back().connection, to_buffer("for the living"), 0);
  EXPECT_EQ(wait_frame(next), "for the living");
}

TEST_F(NetTest, ASecondAnswerIsIgnored) {
  start();
  Client client(listen_port_);
  client.send_all(request_frame(19, 2, 1, ""));
  ASSERT_TRUE(until([&] { return !requests_.empty(); }));
  server_->reply(requests_.front().connection, to_buffer("first"), 0);
  server_->reply(requests_.front().connection, to_buffer("second"), 0);
  EXPECT_EQ(wait_frame(client), "first");
  settle();
  EXPECT_EQ(client.next_frame(), "");
}

}  // namespace
}  // namespace hayward::net
