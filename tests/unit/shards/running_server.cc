// See running_server.h.
#include "tests/unit/shards/running_server.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "engine/host/ring/uring.h"
#include "log/format_directory.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "tools/exit_code.h"
#include "tools/server/server.h"
#include "tools/server/stop_signal.h"

namespace hayward::tools {
namespace {

std::uint16_t free_port() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t length = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(fd);
  return ntohs(address.sin_port);
}

}  // namespace

RunningServer::RunningServer(int shards, const Properties& properties) {
  char name[] = "/tmp/hayward-shards-XXXXXX";
  EXPECT_NE(::mkdtemp(name), nullptr);
  directory_ = name;
  port_ = free_port();
  Properties all{{"process.roles", "controller"},
                 {"node.id", "3000"},
                 {"listeners", "CONTROLLER://127.0.0.1:" + std::to_string(port_)},
                 {"controller.listener.names", "CONTROLLER"},
                 {"controller.quorum.voters", "3000@127.0.0.1:" + std::to_string(port_)},
                 {"log.dirs", directory_},
                 {"hayward.shards", std::to_string(shards)}};
  for (const auto& [key, value] : properties) all[key] = value;
  auto config = config::read_server_config(all);
  EXPECT_TRUE(config.has_value()) << config.error()[0];
  config_ = std::move(*config);
  format();
  block_stop_signals();
  server_ = std::thread([this] { exit_code_ = run_server(config_, false); });
  bool active = false;
  for (int i = 0; i < 1000 && !active; ++i) {
    active = is_active();
    if (!active) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(active) << "the controller is active within 10 s";
}

// The active controller knows that there is no such broker.
bool RunningServer::is_active() const {
  FrameSocket socket(port_);
  if (socket.ended()) return false;
  messages::BrokerHeartbeatRequest request;
  request.broker_id = NodeId{1};
  messages::BrokerHeartbeatResponse response;
  Arena arena;
  Buffer frame;
  const std::atomic<bool> never = false;
  return ask(socket, request, 1, 1, arena, frame, response, never) && response.error_code == ErrorCode::stale_broker_epoch;
}

RunningServer::~RunningServer() {
  ::kill(::getpid(), SIGTERM);
  server_.join();
  EXPECT_EQ(exit_code_, exit_ok);
  std::filesystem::remove_all(directory_);
}

void RunningServer::format() {
  log::FormatRequest request;
  request.cluster_id = cluster_id;
  request.node_id = config_.node.node_id;
  request.directories = {directory_};
  request.metadata_directory = directory_;
  request.metadata_directory_id = DirectoryId{Uuid{1, 1}};
  request.random_seed = 1;
  records::FeatureLevelRecord level;
  level.name = "metadata.version";
  level.feature_level = 30;
  records::append_frame(request.bootstrap_records.emplace_back(), level, 0);
  auto port = ring::create_uring({});
  ASSERT_TRUE(port.has_value());
  ASSERT_TRUE(log::format_directories(**port, request).has_value());
}

}  // namespace hayward::tools
