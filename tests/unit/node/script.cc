// See script.h.
#include "script.h"

#include "peer_script.h"

#include <sstream>

#include "engine/core/image/image.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/messages/broker_registration_request.h"
#include "schemas/messages/broker_registration_response.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/begin_quorum_epoch_response.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"
#include "schemas/messages/vote_response.h"

namespace hayward::core {
namespace {

using namespace messages;

std::int64_t number(const std::map<std::string, std::string>& words, const std::string& key, std::int64_t otherwise) {
  const auto at = words.find(key);
  return at == words.end() ? otherwise : std::stoll(at->second);
}

template <class Response>
std::string claim_answer(const std::optional<Response>& response) {
  const auto text = [](ErrorCode code) { return "error " + std::to_string(static_cast<int>(code)); };
  if (response->topics.empty()) return text(response->error_code);
  const auto& p = response->topics[0].partitions[0];
  return text(p.error_code) + ", leader " + std::to_string(p.leader_id.value) + " in epoch " +
         std::to_string(p.leader_epoch.value);
}

std::string error(ErrorCode code) { return "error " + std::to_string(static_cast<int>(code)); }

}  // namespace

std::vector<std::string> Script::run(const std::string& command) {
  std::istringstream in(command);
  std::string name;
  in >> name;
  Words words;
  for (std::string word; in >> word;) {
    const bool flag = word == "pre" || word == "first" || word == "second" || word == "unknown-place" ||
                      word == "static" || word == "features" || word == "fence" || word == "shutdown";
    std::string value;
    if (!flag && !(in >> value)) value = word;  // "pass 500"
    words[value == word ? "" : word] = value;
    if (flag) words[word] = "yes";
  }
  if (name == "machine")
    boot(words);
  else if (name == "start")
    machine_->start();
  else if (name == "restart")
    HAYWARD_ASSERT(machine_->restart().has_value(), "it loads");
  else if (name == "stop")
    machine_->step(Stop{});
  else if (name == "persisted")
    machine_->persist();
  else if (name == "flushed")
    machine_->flush();
  else if (name == "pass")
    machine_->pass_ms(number(words, "", 0));
  else if (name == "settle")
    machine_->settle();
  else if (peer_command(*machine_, name, words))
    return lines();
  else if (name == "log-start")
    machine_->step(LogStartMoved{Offset{number(words, "", 0)}});
  else
    ask(name, words);
  return lines();
}

void Script::boot(const Words& words) {
  MachineOptions options;
  if (words.contains("static")) options.format = Format::static_voters;
  options.voters = static_cast<int>(number(words, "voters", 1));
  options.bootstrap_features = words.contains("features");
  options.metadata_version = static_cast<std::int16_t>(number(words, "metadata-version", 30));
  options.snapshot_bytes = number(words, "snapshot-bytes", options.snapshot_bytes);
  machine_ = std::make_unique<Machine>(options);
  machine_->disk.refetch_to = Offset{number(words, "refetch-to", 0)};
  HAYWARD_ASSERT(machine_->boot().has_value(), "it loads");
}

void Script::ask(const std::string& name, const Words& words) {
  arena_.reset();
  const auto conn = static_cast<std::uint32_t>(number(words, "conn", 1));
  const NodeId broker{static_cast<std::int32_t>(number(words, "broker", 100))};
  const BrokerRegistration* registered = machine_->node().image().cluster().broker(broker);
  const BrokerEpoch epoch = registered == nullptr ? BrokerEpoch{-1} : registered->epoch;
  if (name == "fetch") {
    ask_fetch(conn, words);
  } else if (name == "register") {
    ask_registration(conn, words);
  } else if (name == "heartbeat") {
    BrokerHeartbeatRequest request;
    request.broker_id = broker;
    request.broker_epoch = epoch;
    request.current_metadata_offset = Offset{number(words, "offset", machine_->disk.end().value - 1)};
    request.want_fence = words.contains("fence");
    request.want_shut_down = words.contains("shutdown");
    machine_->ask(conn, request);
  } else if (name == "expire") {
    machine_->step(LeasesExpired{machine_->node().view().epoch, {{broker, epoch}}});
  } else if (name == "create-topic") {
    CreateTopicsRequest request;
    CreateTopicsRequest::CreatableTopic topic;
    topic.name = words.at("name");
    topic.num_partitions = static_cast<std::int32_t>(number(words, "partitions", 1));
    topic.replication_factor = 1;
    request.topics.push_back(arena_, topic);
    machine_->ask(conn, request);
  } else if (name == "close") {
    machine_->step(ConnectionClosed{{conn, 1, 0}});
  } else {
    HAYWARD_ASSERT(false, "unknown command in a transcript");
  }
}

void Script::ask_registration(std::uint32_t conn, const Words& words) {
  BrokerRegistrationRequest request;
  request.broker_id = NodeId{static_cast<std::int32_t>(number(words, "broker", 100))};
  request.cluster_id = test_cluster;
  request.incarnation_id = IncarnationId{Uuid{1, static_cast<std::uint64_t>(number(words, "incarnation", 1))}};
  request.listeners.push_back(arena_, {"PLAINTEXT", "h", 9092, 0});
  request.log_dirs.push_back(arena_, DirectoryId{Uuid{77, static_cast<std::uint64_t>(request.broker_id.value)}});
  const auto add_feature = [&](std::string_view feature, std::int16_t min, std::int16_t max) {
    request.features.push_back(arena_, {feature, min, max});
  };
  add_feature("metadata.version", 7, 30);
  add_feature("kraft.version", 0, 1);
  add_feature("transaction.version", 0, 2);
  for (const char* name : {"eligible.leader.replicas.version", "group.version", "share.version", "streams.version"}) {
    add_feature(name, 0, 1);
  }
  machine_->ask(conn, request);
}

void Script::ask_fetch(std::uint32_t conn, const Words& words) {
  const std::int64_t offset = number(words, "offset", machine_->disk.end().value);
  const std::int32_t epoch = machine_->node().view().epoch.value;
  FetchRequest request;
  request.replica_state.replica_id = NodeId{static_cast<std::int32_t>(number(words, "replica", 100))};
  request.max_wait_ms = static_cast<std::int32_t>(number(words, "wait", 500));
  FetchRequest::FetchTopic topic;
  topic.topic_id = metadata_topic_id;
  FetchRequest::FetchPartition partition;
  partition.fetch_offset = Offset{offset};
  partition.current_leader_epoch = Epoch{static_cast<std::int32_t>(number(words, "epoch", epoch))};
  partition.last_fetched_epoch = Epoch{static_cast<std::int32_t>(number(words, "last-epoch", offset == 0 ? 0 : epoch))};
  partition.high_watermark = Offset{number(words, "high-watermark", -1)};
  topic.partitions.push_back(arena_, partition);
  request.topics.push_back(arena_, topic);
  machine_->ask(conn, request);
}

// Timers and signs of life are the same in every script, and only make noise.
std::vector<std::string> Script::lines() {
  std::vector<std::string> result;
  for (const Effect& effect : machine_->effects()) {
    if (std::holds_alternative<ArmTimer>(effect) || std::holds_alternative<SignOfLife>(effect) ||
        std::holds_alternative<PublishClusterAccess>(effect) || std::holds_alternative<PublishLog>(effect)) {
      continue;
    }
    std::string line = describe(effect);
    if (const auto* reply = std::get_if<Reply>(&effect)) line += ": " + answer_of(reply->connection.slot);
    if (const auto* reply = std::get_if<ReplyWithRecords>(&effect)) line += ": " + answer_of(reply->connection.slot);
    result.push_back(std::move(line));
  }
  return result;
}

std::string Script::fetch_answer(std::uint32_t conn) {
  const auto response = machine_->answer<FetchResponse>(conn);
  if (response->responses.empty()) return "Fetch " + error(response->error_code);
  const auto& p = response->responses[0].partitions[0];
  std::string text = "Fetch " + error(p.error_code) + ", high watermark " + std::to_string(p.high_watermark.value) +
                     ", leader " + std::to_string(p.current_leader.leader_id.value) + " in epoch " +
                     std::to_string(p.current_leader.leader_epoch.value);
  if (p.diverging_epoch.epoch != Epoch{-1}) {
    text += ", diverging epoch " + std::to_string(p.diverging_epoch.epoch.value) + " ends at " +
            std::to_string(p.diverging_epoch.end_offset.value);
  }
  if (p.snapshot_id.epoch != Epoch{-1}) {
    text += ", snapshot " + std::to_string(p.snapshot_id.end_offset.value) + "-" +
            std::to_string(p.snapshot_id.epoch.value);
  }
  return text;
}

std::string Script::answer_of(std::uint32_t conn) {
  switch (machine_->find_answer(conn)->api_key) {
    case FetchRequest::api_key:
      return fetch_answer(conn);
    case BrokerRegistrationRequest::api_key: {
      const auto r = machine_->answer<BrokerRegistrationResponse>(conn);
      return "BrokerRegistration " + error(r->error_code) + ", epoch " + std::to_string(r->broker_epoch.value);
    }
    case BrokerHeartbeatRequest::api_key: {
      const auto r = machine_->answer<BrokerHeartbeatResponse>(conn);
      return "BrokerHeartbeat " + error(r->error_code) + (r->is_caught_up ? ", caught up" : "") +
             (r->is_fenced ? ", fenced" : "") + (r->should_shut_down ? ", may shut down" : "");
    }
    case CreateTopicsRequest::api_key: {
      const auto r = machine_->answer<CreateTopicsResponse>(conn);
      return "CreateTopics " + std::string(r->topics[0].name) + " " + error(r->topics[0].error_code);
    }
    case BeginQuorumEpochRequest::api_key:
      return "BeginQuorumEpoch " + claim_answer(machine_->answer<BeginQuorumEpochResponse>(conn));
    case EndQuorumEpochRequest::api_key:
      return "EndQuorumEpoch " + claim_answer(machine_->answer<EndQuorumEpochResponse>(conn));
    case VoteRequest::api_key: {
      const auto response = machine_->answer<VoteResponse>(conn);
      if (response->topics.empty()) return "Vote " + error(response->error_code);
      const auto& p = response->topics[0].partitions[0];
      return "Vote " + error(p.error_code) + (p.vote_granted ? ", granted" : ", not granted") + ", leader " +
             std::to_string(p.leader_id.value) + " in epoch " + std::to_string(p.leader_epoch.value);
    }
    default:
      return "?";
  }
}

}  // namespace hayward::core
