// The connections to other controllers on the simulated ring and network: names that do not resolve, or resolve to somewhere
// else, peers that are down, silent or older. Each request gets one reply or one failure, and what was broken heals by itself.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/peers.h"
#include "net/server.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/runtime/writer.h"
#include "tests/sim/ring/run_ports.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int16_t vote_key = 52;
constexpr core::ServedApi apis[] = {{18, 0, 4, 3, true}, {vote_key, 0, 2, 0, true}};

// A name server that the test is.
class Names : public net::Resolver {
 public:
  void resolve(const std::string& host, std::uint16_t port, Done done) override {
    net::Addresses addresses;
    for (const Host found : hosts[host]) {
      const sockaddr_in place = SimNetwork::address(found, port);
      std::memcpy(&addresses.emplace_back().storage, &place, sizeof place);
      addresses.back().length = sizeof place;
    }
    done(addresses);
  }
  std::map<std::string, std::vector<Host>> hosts;
};

// A controller on a host of its own: answers Vote with its host's number and what it was sent.
class Peer {
 public:
  Peer(SimClock& clock, SimDisk& disk, SimNetwork& network, Host host, std::uint64_t seed, const SimFaults& faults)
      : port(clock, disk, seed, faults), host_(host) {
    port.attach(network, host, {.entries = 64, .recv_buffers = 4, .recv_buffer_bytes = 1024});
  }
  void listen() {
    server = std::make_unique<net::Server>(
        port, net::ServerConfig{}, apis,
        driver::NetEvents{.arrived = [](const core::Request&) {},
                          .request = [this](const core::Request& r) { on_request(r); },
                          .closed = [](core::ConnectionId) {}},
        nullptr);
    const sockaddr_in at = SimNetwork::address(host_, 9093);
    server->listen({{.name = "CONTROLLER",
                     .fd = port.make_listener(reinterpret_cast<const sockaddr*>(&at), sizeof at, 50, false),
                     .port = 9093}});
  }

  SimPort port;
  std::unique_ptr<net::Server> server;
  std::int16_t highest_vote = 2;
  bool silent = false;
  int asked = 0;

 private:
  void on_request(const core::Request& request) {
    if (request.api_key == 18) return answer_versions(request);
    ++asked;
    if (silent) return;
    Buffer answer(4 + 1 + 1 + request.body.size());
    Writer writer(answer);
    writer.write_i32(request.correlation_id);
    writer.write_uvarint(0);
    writer.write_i8(static_cast<std::int8_t>(host_));
    writer.write_raw(request.body);
    server->reply(request.connection, std::move(answer), 0);
  }
  void answer_versions(const core::Request& request) {
    Arena arena;
    messages::ApiVersionsResponse response;
    response.api_keys.push_back(arena, {18, 0, 4});
    response.api_keys.push_back(arena, {vote_key, 0, highest_vote});
    Buffer answer(4 + encoded_size(response, request.api_version));
    Writer writer(answer);
    writer.write_i32(request.correlation_id);
    encode(writer, response, request.api_version);
    server->reply(request.connection, std::move(answer), 0);
  }

  Host host_;
};

struct Reply {
  std::uint64_t token = 0;
  bool failed = false, refused = false;
  std::int16_t highest_version = -1;
  std::string body;
};

struct World {
  explicit World(std::uint64_t seed = 1, const SimFaults& faults = {})
      : network(clock, seed),
        port(clock, disk, seed + 1, faults),
        near(clock, disk, network, 1, seed + 2, faults),
        far(clock, disk, network, 2, seed + 3, faults) {
    port.attach(network, 9, {.entries = 64, .recv_buffers = 4, .recv_buffer_bytes = 1024});
    peers = std::make_unique<net::Peers>(
        port, names, net::PeersConfig{.client_id = "raft-client-9", .request_timeout_ms = 2000},
        driver::PeerEvents{.replied = [this](const core::PeerReply& r) {
          replies.push_back({r.token, r.failed, r.refused, r.highest_version, std::string(as_text(r.body))});
        }});
  }
  bool run_until(const std::function<bool()>& ready, std::int64_t patience_ns = 100 * second) {
    SimPort* const ports[] = {&port, &near.port, &far.port};
    const std::int64_t until_ns = clock.now_ns() + patience_ns;
    while (!ready()) {
      if (!run_next_port(clock, ports, until_ns)) return ready();
    }
    return true;
  }
  Reply ask(const std::string& host, const std::string& text, std::int16_t version = 2) {
    const std::size_t before = replies.size();
    core::SendToPeer send;
    send.peer = NodeId{3};
    send.endpoint = {"CONTROLLER", host, 9093, 0};
    send.api_key = vote_key;
    send.api_version = version;
    send.token = ++token;
    const Bytes bytes = as_bytes(text);
    send.body.assign(bytes.begin(), bytes.end());
    peers->send(std::move(send));
    EXPECT_TRUE(run_until([&] { return replies.size() > before; }));
    EXPECT_EQ(replies.size(), before + 1);
    EXPECT_EQ(replies.back().token, token);
    return replies.back();
  }

  SimClock clock;
  SimDisk disk{1};
  SimNetwork network;
  SimPort port;
  Peer near, far;
  Names names;
  std::unique_ptr<net::Peers> peers;
  std::vector<Reply> replies;
  std::uint64_t token = 0;
};

TEST(Peers, OneConnectionForManyRequests) {
  World world;
  world.near.listen();
  world.names.hosts["near"] = {1};
  for (int i = 0; i < 20; ++i) {
    const std::string text(static_cast<std::size_t>(i * 997), 'x');
    const Reply reply = world.ask("near", text);
    EXPECT_FALSE(reply.failed);
    EXPECT_EQ(reply.body, "\1" + text);
  }
  EXPECT_EQ(world.near.server->stats().connections, 1u);
}

TEST(Peers, ANameThatDoesNotResolveHealsByItself) {  // cases.md row 83
  World world;
  world.near.listen();
  const Reply lost = world.ask("near", "a");
  EXPECT_TRUE(lost.failed);
  EXPECT_FALSE(lost.refused) << "nobody has said that the peer is gone";
  world.names.hosts["near"] = {1};
  EXPECT_EQ(world.ask("near", "b").body, "\1b");
}

TEST(Peers, ANameThatLeadsElsewhereIsFollowedAtTheNextDial) {  // cases.md row 83
  World world;
  world.near.listen();
  world.far.listen();
  world.names.hosts["moved"] = {1};
  EXPECT_EQ(world.ask("moved", "a").body, "\1a");
  world.names.hosts["moved"] = {2};
  EXPECT_EQ(world.ask("moved", "b").body, "\1b") << "the connection still stands";
  bool stopped = false;
  world.near.server->stop([&] { stopped = true; });
  ASSERT_TRUE(world.run_until([&] { return stopped; }));
  Reply reply = world.ask("moved", "c");
  if (reply.failed) reply = world.ask("moved", "c");  // the end of the old connection was not seen yet
  EXPECT_EQ(reply.body, "\2c");
}

TEST(Peers, AnotherAddressIsDialledAtOnce) {
  World world;
  world.near.listen();
  world.far.listen();
  world.names.hosts = {{"near", {1}}, {"far", {2}}};
  EXPECT_EQ(world.ask("near", "a").body, "\1a");
  EXPECT_EQ(world.ask("far", "b").body, "\2b");
}

TEST(Peers, WhereNobodyListensTheDialIsRefused) {
  World world;
  world.names.hosts["near"] = {1};
  const Reply reply = world.ask("near", "a");
  EXPECT_TRUE(reply.failed && reply.refused);
  world.near.listen();
  EXPECT_EQ(world.ask("near", "b").body, "\1b");
}

TEST(Peers, TheNextAddressOfAHostIsTakenWhereOneHasFailed) {
  World world;
  world.far.listen();
  world.names.hosts["both"] = {1, 2};
  const Reply first = world.ask("both", "a");
  EXPECT_TRUE(first.failed);
  EXPECT_FALSE(first.refused) << "its other address may still be right";
  EXPECT_EQ(world.ask("both", "b").body, "\2b");
  EXPECT_EQ(world.ask("both", "c").body, "\2c");
}

TEST(Peers, AHostIsGoneWhenEachOfItsAddressesRefuses) {
  World world;
  world.names.hosts["both"] = {1, 2};
  EXPECT_FALSE(world.ask("both", "a").refused);
  EXPECT_TRUE(world.ask("both", "b").refused);
}

TEST(Peers, AHostIsGoneWhenTheAddressThatWasRightRefuses) {
  World world;
  world.near.listen();
  world.names.hosts["both"] = {1, 2};
  EXPECT_EQ(world.ask("both", "a").body, "\1a");
  bool stopped = false;
  world.near.server->stop([&] { stopped = true; });
  ASSERT_TRUE(world.run_until([&] { return stopped; }));
  Reply reply = world.ask("both", "b");
  if (!reply.refused) reply = world.ask("both", "b");  // the end of the old connection was not seen yet
  EXPECT_TRUE(reply.refused);
}

TEST(Peers, WhoDoesNotAnswerIsGivenUpInTime) {
  World world;
  world.near.listen();
  world.near.silent = true;
  world.names.hosts["near"] = {1};
  const std::int64_t begun_ns = world.clock.now_ns();
  const Reply reply = world.ask("near", "a");
  EXPECT_TRUE(reply.failed && !reply.refused);
  EXPECT_GE(world.clock.now_ns() - begun_ns, 2 * second);
  EXPECT_LT(world.clock.now_ns() - begun_ns, 3 * second);
  world.near.silent = false;
  EXPECT_EQ(world.ask("near", "b").body, "\1b") << "by a connection of its own: the late answer is nobody's";
}

TEST(Peers, AnOlderPeerIsNotSentWhatItDoesNotKnow) {
  World world;
  world.near.highest_vote = 1;
  world.near.listen();
  world.names.hosts["near"] = {1};
  const Reply reply = world.ask("near", "a");
  EXPECT_TRUE(reply.failed);
  EXPECT_EQ(reply.highest_version, 1);
  EXPECT_EQ(world.near.asked, 0);
  EXPECT_EQ(world.ask("near", "b", 1).body, "\1b");
}

TEST(Peers, EachRequestEndsOnceWhateverTheRingDoes) {
  SimFaults faults;
  faults.partial_send_ppm = 300'000;
  faults.small_receive_ppm = 200'000;
  faults.no_buffers_ppm = 100'000;
  faults.multishot_end_ppm = 100'000;
  faults.late_cancel_ppm = 300'000;
  faults.batch_limit = 3;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    World world(seed, faults);
    world.near.listen();
    world.names.hosts["near"] = {1};
    for (int i = 0; i < 10; ++i) {
      world.near.silent = i == 4;
      const std::string text = std::to_string(i) + std::string(3000, 'y');
      const Reply reply = world.ask("near", text);
      EXPECT_EQ(reply.failed, i == 4) << "seed " << seed;
      EXPECT_EQ(reply.body, reply.failed ? "" : "\1" + text) << "seed " << seed;
    }
    world.peers->stop();
    EXPECT_TRUE(world.run_until([&] { return world.peers->quiet(); })) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hayward::sim
