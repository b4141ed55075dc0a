#include "engine/core/control/elect_leaders.h"

#include <map>
#include <optional>
#include <string_view>

#include "engine/core/control/api_fault.h"
#include "engine/core/control/partition_changes.h"
#include "engine/core/control/refusals.h"

namespace hayward::core {
namespace {

using Request = messages::ElectLeadersRequest;
using Response = messages::ElectLeadersResponse;
using TopicResult = Response::ReplicaElectionResult;

std::optional<Election> election_of_type(std::int8_t type) {
  switch (type) {
    case 0:
      return Election::preferred;
    case 1:
      return Election::unclean;
    default:
      return std::nullopt;
  }
}

bool is_needed(const Partition& partition, Election election) {
  return election == Election::preferred ? !partition.has_preferred_leader() : !partition.has_leader();
}

ErrorCode elect(const Topic& topic, const Partition& partition, Election election, PartitionChanges& changes) {
  if (!is_needed(changes.now(partition), election)) return ErrorCode::election_not_needed;
  const Eligibility eligibility(changes.context());
  PartitionChangeBuilder builder(changes.now(partition), topic.id, eligibility, changes.rules_of(topic));
  builder.election(election);
  if (changes.add(partition, builder)) return ErrorCode::none;
  return election == Election::preferred ? ErrorCode::preferred_leader_not_available
                                         : ErrorCode::eligible_leaders_not_available;
}

std::optional<std::string_view> text_of(ErrorCode error) {
  switch (error) {
    case ErrorCode::none:
      return std::nullopt;
    case ErrorCode::unknown_topic_or_partition:
      return "There is no such partition.";
    case ErrorCode::election_not_needed:
      return "The partition has the leader that the election is for.";
    case ErrorCode::preferred_leader_not_available:
      return "The preferred replica is not in sync and alive.";
    default:
      return "No replica is alive.";
  }
}

void answer(Arena& arena, PartitionIndex partition, ErrorCode error, TopicResult& result) {
  auto& item = result.partition_result.push_back(arena);
  item.partition_id = partition;
  item.error_code = error;
  item.error_message = text_of(error);
}

TopicResult& topic_result(Arena& arena, std::string_view topic, Response& response) {
  auto& result = response.replica_election_results.push_back(arena);
  result.topic = topic;
  return result;
}

void elect_listed(const Request::TopicPartitions& wanted, Election election, PartitionChanges& changes,
                  Response& response) {
  Arena& arena = changes.context().arena;
  TopicResult& result = topic_result(arena, wanted.topic, response);
  const Topic* topic = changes.topics().find(wanted.topic);
  for (PartitionIndex index : wanted.partitions) {
    const Partition* partition = topic == nullptr ? nullptr : changes.topics().partition(*topic, index);
    const ErrorCode error =
        partition == nullptr ? ErrorCode::unknown_topic_or_partition : elect(*topic, *partition, election, changes);
    answer(arena, index, error, result);
  }
}

// Only the partitions that are indexed as in need of the election are looked at.
void elect_everywhere(Election election, PartitionChanges& changes, Response& response) {
  Arena& arena = changes.context().arena;
  std::map<TopicOrdinal, TopicResult*> results;
  const Topics& topics = changes.topics();
  response.replica_election_results.reserve(arena, topics.all().size());
  for (const auto& [ordinal, topic] : topics.all()) results[ordinal] = &topic_result(arena, topic.name, response);
  for (const Partition& partition : election == Election::preferred ? topics.imbalanced() : topics.leaderless()) {
    if (changes.records().size() > max_records_per_user_operation) return;  // refused as a whole: no more work for it
    const ErrorCode error = elect(topics.topic_of(partition), partition, election, changes);
    if (error != ErrorCode::election_not_needed) answer(arena, partition.index, error, *results[partition.topic]);
  }
}

}  // namespace

Response elect_leaders(const HandlerContext& context, const Request& request, RecordList& records) {
  Response response;
  if (!request.topic_partitions.is_null() && request.topic_partitions.empty()) return response;
  const auto election = election_of_type(request.election_type);
  if (!election) return refusal(request, ErrorCode::invalid_request, context.arena);
  PartitionChanges changes(context, records);
  if (request.topic_partitions.is_null()) {
    elect_everywhere(*election, changes, response);
  } else {
    for (const auto& wanted : request.topic_partitions) elect_listed(wanted, *election, changes, response);
  }
  return response;
}

}  // namespace hayward::core
