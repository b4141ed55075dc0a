// cases.md row 95: who may do what is asked on every shard while ACLs change. Each answer is that of one of the two
// committed states, and the last one counts in the end. Also what the thread sanitizer is shown of it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "engine/core/authorizer/acl_codes.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_acls_request.h"
#include "schemas/messages/create_acls_response.h"
#include "schemas/messages/delete_acls_request.h"
#include "schemas/messages/delete_acls_response.h"
#include "tests/unit/shards/running_server.h"

namespace hayward::tools {
namespace {

using namespace messages;
using core::AclOperation;

constexpr std::uint8_t admins_host = 1, brokers_host = 2;
constexpr std::int8_t cluster_type = static_cast<std::int8_t>(core::ResourceType::cluster);
constexpr std::int8_t literal = 3, allow = 3;

// Lets a broker's host do what brokers do, and forbids it again, from another host that may do everything.
class Admin {
 public:
  explicit Admin(std::uint16_t port) : socket_(port, admins_host) {
    EXPECT_TRUE(create("127.0.0.1", AclOperation::all)) << "as long as there is no ACL everybody may";
  }
  bool create(std::string_view host, AclOperation operation) {
    Arena arena;
    Buffer frame;
    CreateAclsRequest request;
    request.creations.push_back(arena, {cluster_type, core::cluster_resource_name, literal, "User:ANONYMOUS", host,
                                        static_cast<std::int8_t>(operation), allow});
    CreateAclsResponse response;
    return ask(socket_, request, 3, ++id_, arena, frame, response, never_) &&
           response.results[0].error_code == ErrorCode::none;
  }
  bool allow_brokers() { return create("127.0.0.2", AclOperation::cluster_action); }
  bool forbid_brokers() {
    Arena arena;
    Buffer frame;
    DeleteAclsRequest request;
    request.filters.push_back(arena, {cluster_type, core::cluster_resource_name, literal, std::nullopt, "127.0.0.2", 1, 1});
    DeleteAclsResponse response;
    return ask(socket_, request, 3, ++id_, arena, frame, response, never_) &&
           response.filter_results[0].matching_acls.size() == 1;
  }

 private:
  FrameSocket socket_;
  std::int32_t id_ = 0;
  std::atomic<bool> never_ = false;
};

class AskingBroker {
 public:
  AskingBroker(std::uint16_t port, std::int32_t id) : socket_(port, brokers_host), id_(id) {}

  void enroll() {
    Arena arena;
    Buffer frame;
    BrokerRegistrationRequest request;
    request.broker_id = NodeId{id_};
    request.cluster_id = cluster_id;
    request.incarnation_id = IncarnationId{Uuid{1, static_cast<std::uint64_t>(id_)}};
    request.listeners.push_back(arena, {"PLAINTEXT", "h", 9092, 0});
    request.features.push_back(arena, {"metadata.version", 7, 30});
    request.log_dirs.push_back(arena, DirectoryId{Uuid{3, 1000 + static_cast<std::uint64_t>(id_)}});
    BrokerRegistrationResponse response;
    ASSERT_TRUE(ask(socket_, request, 4, ++correlation_id_, arena, frame, response, never_));
    ASSERT_EQ(response.error_code, ErrorCode::none);
    epoch_ = response.broker_epoch;
  }
  ErrorCode beat() {
    Arena arena;
    Buffer frame;
    BrokerHeartbeatRequest request;
    request.broker_id = NodeId{id_};
    request.broker_epoch = epoch_;
    request.current_metadata_offset = Offset{1'000'000};
    BrokerHeartbeatResponse response;
    if (!ask(socket_, request, 1, ++correlation_id_, arena, frame, response, never_)) return ErrorCode::unknown_server_error;
    return response.error_code;
  }
  void run(const std::atomic<bool>& stop) {
    while (!stop.load()) {
      const ErrorCode code = beat();
      if (code == ErrorCode::none) ++allowed;
      else if (code == ErrorCode::cluster_authorization_failed) ++refused;
      else ++wrong;
    }
  }

  int allowed = 0, refused = 0, wrong = 0;

 private:
  FrameSocket socket_;
  std::int32_t id_;
  std::int32_t correlation_id_ = 0;
  BrokerEpoch epoch_{};
  std::atomic<bool> never_ = false;
};

// What is committed reaches the other shards by mail: soon.
bool answers_become(AskingBroker& broker, ErrorCode code) {
  for (int i = 0; i < 1000; ++i) {
    if (broker.beat() == code) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(AclChange, Row95_EveryAnswerIsThatOfACommittedState) {  // cases.md row 95
  RunningServer server(4, {{"authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"},
                           {"super.users", "User:admin"},
                           {"allow.everyone.if.no.acl.found", "true"},
                           {"broker.session.timeout.ms", "60000"}});
  Admin admin(server.port());
  ASSERT_TRUE(admin.allow_brokers());
  std::vector<std::unique_ptr<AskingBroker>> brokers;
  for (std::int32_t id = 1; id <= 4; ++id) {  // one to each shard
    brokers.push_back(std::make_unique<AskingBroker>(server.port(), id));
    ASSERT_TRUE(answers_become(*brokers.back(), ErrorCode::stale_broker_epoch)) << "the right is there, everywhere";
    brokers.back()->enroll();
  }
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (const auto& broker : brokers) threads.emplace_back([&stop, &broker] { broker->run(stop); });
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  int changes = 0;
  while (std::chrono::steady_clock::now() < until) {
    if (!admin.forbid_brokers() || !admin.allow_brokers()) {
      ADD_FAILURE() << "after " << changes << " changes";
      break;
    }
    changes += 2;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(changes, 10);
  for (const auto& broker : brokers) {
    EXPECT_EQ(broker->wrong, 0);
    EXPECT_GT(broker->allowed, 0);
    EXPECT_GT(broker->refused, 0);
    EXPECT_TRUE(answers_become(*broker, ErrorCode::none));
  }
  ASSERT_TRUE(admin.forbid_brokers());
  for (const auto& broker : brokers) EXPECT_TRUE(answers_become(*broker, ErrorCode::cluster_authorization_failed));
}

}  // namespace
}  // namespace hayward::tools
