#include "tools/quorum/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/describe_cluster_request.h"
#include "schemas/messages/describe_cluster_response.h"
#include "schemas/messages/describe_quorum_request.h"
#include "schemas/messages/describe_quorum_response.h"
#include "schemas/messages/hayward_status_request.h"
#include "schemas/messages/hayward_status_response.h"

namespace hayward::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int one_controller_ms = 2000;  // a frozen one takes connections and answers nothing
constexpr int probe_ms = 1000;
constexpr int learn_ms = 300;  // a Hayward that knows no leader answers DescribeCluster only once it does
constexpr auto round_pause = std::chrono::milliseconds(100);
constexpr std::int8_t controllers = 2;  // DescribeCluster's endpoint type

std::vector<std::string> split(const std::string& servers) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= servers.size();) {
    const std::size_t end = std::min(servers.find(',', begin), servers.size());
    if (end > begin) result.push_back(servers.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

std::expected<QuorumView, ErrorCode> describe(Client& client, std::int64_t patience_ms, std::string& fault) {
  Arena arena;
  messages::DescribeQuorumRequest request;
  auto& topic = request.topics.push_back(arena);
  topic.topic_name = "__cluster_metadata";
  topic.partitions.push_back(arena);
  const auto answer = client.call<messages::DescribeQuorumResponse>(request, 2);
  if (!answer) {
    fault = answer.error();
    return std::unexpected(ErrorCode::network_exception);
  }
  if (answer->error_code != ErrorCode::none) return std::unexpected(answer->error_code);
  if (answer->topics.size() != 1 || answer->topics[0].partitions.size() != 1) return std::unexpected(ErrorCode::unknown_server_error);
  if (const auto error = answer->topics[0].partitions[0].error_code; error != ErrorCode::none) return std::unexpected(error);
  return make_view(*answer, patience_ms);
}

// What one controller knows of the others: nullopt when it does not say.
struct Cluster {
  std::string id;
  std::string active;                          // address; empty: none known
  std::map<NodeId, std::string> addresses;
};
std::optional<Cluster> describe_cluster(Client& client) {
  messages::DescribeClusterRequest request;
  request.endpoint_type = controllers;
  const auto answer = client.call<messages::DescribeClusterResponse>(request, 1);
  if (!answer || answer->error_code != ErrorCode::none) return std::nullopt;
  Cluster cluster{std::string(answer->cluster_id), {}, {}};
  for (const auto& node : answer->brokers) {
    const std::string address = fmt::format("{}:{}", node.host, node.port);
    cluster.addresses[node.broker_id] = address;
    if (node.broker_id == answer->controller_id) cluster.active = address;
  }
  return cluster;
}

void add_cluster(Client& client, QuorumView& view) {
  const auto cluster = describe_cluster(client);
  if (!cluster) return;
  view.cluster_id = cluster->id;
  for (auto* group : {&view.voters, &view.observers})
    for (auto& r : *group)
      if (const auto at = cluster->addresses.find(r.id); r.address.empty() && at != cluster->addresses.end()) r.address = at->second;
}

class Search {
 public:
  explicit Search(const AskOptions& options) : options_(options), candidates_(split(options.servers)) {}

  std::expected<Leader, std::string> run() {
    if (candidates_.empty()) return std::unexpected("--bootstrap-controller: expected host:port[,host:port...], found nothing");
    const auto deadline = Clock::now() + std::chrono::milliseconds(options_.timeout_ms);
    do {
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) break;
        if (auto leader = ask(candidates_[i], static_cast<int>(std::min<std::int64_t>(left, one_controller_ms)))) return std::move(*leader);
        if (refused_) return std::unexpected(trouble());
      }
      for (const std::string& address : std::exchange(followers_, {})) learn(address);
      std::this_thread::sleep_for(round_pause);
    } while (Clock::now() < deadline);
    return std::unexpected(trouble());
  }

 private:
  std::optional<Leader> ask(const std::string& address, int timeout_ms) {
    auto client = Client::connect(address, timeout_ms);
    if (!client) {
      troubles_[address] = client.error();
      return std::nullopt;
    }
    std::string fault;
    auto view = describe(*client, options_.patience_ms, fault);
    if (view) {
      add_cluster(*client, *view);
      return Leader{std::move(*client), address, std::move(*view)};
    }
    if (view.error() == ErrorCode::network_exception) {
      troubles_[address] = fault;
      return std::nullopt;
    }
    refused_ = view.error() == ErrorCode::cluster_authorization_failed;
    troubles_[address] = fmt::format("{}: expected the leader, found {}", address, name(view.error()));
    followers_.push_back(address);
    return std::nullopt;
  }

  void learn(const std::string& address) {
    auto client = Client::connect(address, learn_ms);
    const auto cluster = client ? describe_cluster(*client) : std::nullopt;
    if (!cluster || cluster->active.empty()) troubles_[address] += ", and it knows of no other";
    if (!cluster) return;
    for (const auto& [id, other] : cluster->addresses)
      if (std::ranges::find(candidates_, other) == candidates_.end()) candidates_.push_back(other);
  }

  std::string trouble() const {
    std::string text = refused_ ? "the quorum: expected to be allowed DESCRIBE on the cluster, found a refusal"
                                : fmt::format("the quorum: expected a leader within {} ms, found none (start more of the voters, or name more of "
                                              "them; see the lines below)",
                                              options_.timeout_ms);
    for (const auto& [address, line] : troubles_) text += "\n  " + line;
    return text;
  }

  const AskOptions& options_;
  std::vector<std::string> candidates_;
  std::vector<std::string> followers_;  // of this round
  std::map<std::string, std::string> troubles_;
  bool refused_ = false;
};

bool answers_at(const std::string& address) {
  auto client = Client::connect(address, probe_ms);
  if (!client) return false;
  messages::ApiVersionsRequest request;
  request.client_software_name = "hayward-quorum";
  request.client_software_version = "1";
  return client->call<messages::ApiVersionsResponse>(request, 3).has_value();
}

std::string program_at(const std::string& address) {
  auto client = Client::connect(address, probe_ms);
  if (!client) return {};
  const auto answer = client->call<messages::HaywardStatusResponse>(messages::HaywardStatusRequest{}, 0);
  return answer ? "Hayward " + std::string(answer->version) : "other";
}

}  // namespace

std::expected<Leader, std::string> find_leader(const AskOptions& options) { return Search(options).run(); }

std::expected<QuorumView, std::string> ask_again(Leader& leader, const AskOptions& options) {
  std::string fault;
  auto view = describe(leader.client, options.patience_ms, fault);
  if (!view) return std::unexpected(fault.empty() ? leader.address + ": " + std::string(name(view.error())) : fault);
  add_cluster(leader.client, *view);
  return std::move(*view);
}

void probe(QuorumView& view, bool programs) {
  for (auto* group : {&view.voters, &view.observers})
    for (auto& r : *group) {
      if (r.address.empty()) continue;
      r.answers = answers_at(r.address);
      if (programs && *r.answers) r.program = program_at(r.address);
    }
}

}  // namespace hayward::tools
