// See observer_fetches.h.
#include "engine/core/observers/observer_fetches.h"

#include <algorithm>

#include "engine/core/control/answer.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/runtime/assert.h"
#include "schemas/runtime/reader.h"

namespace hayward::core {
namespace {

using messages::FetchRequest;
using messages::FetchResponse;

constexpr PartitionIndex metadata_partition{0};
constexpr std::int16_t first_with_replica_state = 15;
constexpr std::int16_t first_with_node_endpoints = 17;

NodeId replica_of(const FetchRequest& fetch, std::int16_t version) {
  return version >= first_with_replica_state ? fetch.replica_state.replica_id : fetch.replica_id;
}

const Endpoint* endpoint_on(const LeaderFacts& leader, std::string_view listener) {
  const auto at = std::ranges::find(leader.endpoints, listener, &Endpoint::listener);
  return at == leader.endpoints.end() ? nullptr : &*at;
}

}  // namespace

std::optional<NodeId> fetching_replica(const Request& request) {
  if (request.api_key != FetchRequest::api_key) return std::nullopt;
  Arena arena;
  FetchRequest fetch;
  Reader reader(request.body);
  if (!decode(reader, request.api_version, arena, fetch)) return std::nullopt;
  return replica_of(fetch, request.api_version);
}

// --- what is published

void ObserverFetches::publish(const PublishLog& news, Offset begin, std::span<const BatchPtr> batches, Answers& out) {
  if (news.leader != leader_) answer_all(out);
  if (!news.leader || !leader_ || news.leader->epoch != leader_->epoch) {
    window_.clear();
    window_size_ = 0;
    window_begin_ = begin;
    contacts_.clear();
    high_watermark_ = news.high_watermark;
  }
  leader_ = news.leader;
  if (!leader_) return;
  log_start_ = news.log_start;
  add(batches);
  if (news.high_watermark == high_watermark_) return;
  HAYWARD_ASSERT(news.high_watermark > high_watermark_, "R7: the high watermark only rises while leading");
  high_watermark_ = news.high_watermark;
  answer_all(out);
}

void ObserverFetches::add(std::span<const BatchPtr> batches) {
  for (const BatchPtr& batch : batches) {
    HAYWARD_ASSERT(window_.empty() ? batch->base == window_begin_ : batch->base.value == window_.back()->last.value + 1,
                   "what is committed comes without gaps");
    window_size_ += batch->bytes.size();
    window_.push_back(batch);
  }
  while (window_.size() > 1 && (window_size_ > window_bytes || window_.front()->last < log_start_)) drop_oldest();
}

void ObserverFetches::drop_oldest() {
  window_size_ -= window_.front()->bytes.size();
  window_begin_ = Offset{window_.front()->last.value + 1};
  window_.pop_front();
}

// --- fetches

const FetchRequest::FetchPartition* ObserverFetches::steady_partition(const FetchRequest& fetch, NodeId replica) const {
  if (fetch.topics.size() != 1 || fetch.topics[0].topic_id != metadata_topic_id || fetch.topics[0].partitions.size() != 1) {
    return nullptr;
  }
  const FetchRequest::FetchPartition& asked = fetch.topics[0].partitions[0];
  const bool well_formed = asked.partition == metadata_partition && fetch.max_wait_ms >= 0 && fetch.max_bytes >= 0 &&
                           fetch.cluster_id.value_or(leader_->cluster_id) == leader_->cluster_id;
  const bool in_epoch = asked.current_leader_epoch == leader_->epoch && asked.last_fetched_epoch == leader_->epoch;
  // Offset 0 may be answered by a snapshot.
  const bool at_hand = asked.fetch_offset > Offset{0} && asked.fetch_offset >= std::max(window_begin_, log_start_) &&
                       asked.fetch_offset <= high_watermark_;
  const bool observes = replica != leader_->id && !std::ranges::binary_search(leader_->voters, replica) &&
                        leases_.find(replica).has_value();
  return well_formed && in_epoch && at_hand && observes ? &asked : nullptr;
}

bool ObserverFetches::take(const Request& request, Offset log_end, const Time& now, Answers& out) {
  if (!leader_ || request.api_key != FetchRequest::api_key) return false;
  if (endpoint_on(*leader_, request.listener) == nullptr) return false;  // P5: what to say then is the controller's to know
  FetchRequest fetch;
  Reader reader(request.body);
  arena_.reset();
  if (!decode(reader, request.api_version, arena_, fetch)) return false;
  const NodeId replica = replica_of(fetch, request.api_version);
  const FetchRequest::FetchPartition* asked = steady_partition(fetch, replica);
  if (asked == nullptr) return false;

  contacts_.insert_or_assign(replica, ObserverContact{replica, asked->replica_directory_id, asked->fetch_offset, log_end, now});
  const Call call{.connection = request.connection,
                  .correlation_id = request.correlation_id,
                  .version = request.api_version,
                  .listener = request.listener,
                  .fetch_offset = asked->fetch_offset,
                  .max_bytes = std::min(fetch.max_bytes, leader_->max_bytes)};
  const bool may_wait = asked->fetch_offset == high_watermark_ && asked->high_watermark >= high_watermark_;
  if (may_wait && fetch.max_wait_ms > 0) {
    const MonoTime deadline = now.mono + ms_to_ns(fetch.max_wait_ms);
    const bool inserted = parked_.try_emplace(call.connection, Waiting{call, deadline}).second;
    HAYWARD_ASSERT(inserted, "a connection has one request under way at a time");
    by_deadline_.emplace(deadline, call.connection);
  } else {
    answer(call, out);
  }
  return true;
}

void ObserverFetches::answer_due(MonoTime now, Answers& out) {
  while (next_deadline() <= now) {
    const auto at = parked_.find(by_deadline_.begin()->second);
    answer(at->second.call, out);
    parked_.erase(at);
    by_deadline_.erase(by_deadline_.begin());
  }
}

void ObserverFetches::forget(ConnectionId connection) {
  const auto at = parked_.find(connection);
  if (at == parked_.end()) return;
  by_deadline_.erase({at->second.deadline, connection});
  parked_.erase(at);
}

std::optional<ObserverContacts> ObserverFetches::take_contacts() {
  if (contacts_.empty()) return std::nullopt;
  ObserverContacts contacts{.epoch = leader_->epoch, .observers = {}};
  for (const auto& [id, contact] : contacts_) contacts.observers.push_back(contact);
  contacts_.clear();
  return contacts;
}

// --- answers

void ObserverFetches::answer_all(Answers& out) {
  for (const auto& [connection, waiting] : parked_) answer(waiting.call, out);
  parked_.clear();
  by_deadline_.clear();
}

// Whole batches from the one that holds the fetch offset, at most max_bytes but at least one.
std::vector<BatchPtr> ObserverFetches::batches_for(const Call& call) const {
  std::vector<BatchPtr> batches;
  std::size_t left = static_cast<std::size_t>(call.max_bytes);
  for (auto at = std::ranges::lower_bound(window_, call.fetch_offset, {}, [](const BatchPtr& b) { return b->last; });
       at != window_.end(); ++at) {
    const std::size_t size = (*at)->bytes.size();
    if (!batches.empty() && size > left) break;
    left -= std::min(left, size);
    batches.push_back(*at);
  }
  return batches;
}

void ObserverFetches::answer(const Call& call, Answers& out) {
  FetchResponse::PartitionData partition;
  partition.partition_index = metadata_partition;
  partition.high_watermark = high_watermark_;
  partition.log_start_offset = log_start_;
  partition.current_leader = {leader_->id, leader_->epoch};
  partition.records = Bytes{};
  FetchResponse::FetchableTopicResponse topic;
  topic.topic_id = metadata_topic_id;
  auto& records = topic.partitions.push_back(arena_, partition).records;
  FetchResponse response;
  response.responses.push_back(arena_, topic);
  if (call.version >= first_with_node_endpoints) {
    const Endpoint& endpoint = *endpoint_on(*leader_, call.listener);
    response.node_endpoints.push_back(
        arena_, {.node_id = leader_->id, .host = endpoint.host, .port = endpoint.port, .rack = std::nullopt});
  }

  Answer& answer = out.emplace_back();
  answer.connection = call.connection;
  answer.batches = batches_for(call);
  if (answer.batches.empty()) {
    answer.head = encode_answer(call.correlation_id, call.version, response);
  } else {
    SplitAnswer split = split_answer(call.correlation_id, call.version, response, records);
    answer.head = std::move(split.head);
    answer.tail = std::move(split.tail);
  }
  ++answered_;
  arena_.reset();
}

}  // namespace hayward::core
