#include "tools/quorum/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "schemas/batch/batch_reader.h"
#include "schemas/batch/control.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"

namespace hayward::tools {
namespace {

constexpr std::int16_t fetch_version = 17;  // every controller from 4.0 on
constexpr std::int32_t max_bytes = 1 << 20;
// A leader in order writes a record at least every 500 ms (NoOp), and hands over at once; one that fell silent is
// replaced after a fetch timeout of 2 s at the earliest.
constexpr std::int64_t handed_over_ms = 1500;

using Partition = messages::FetchResponse::PartitionData;

// Where the epoch that holds the records up to `beyond` began: by a fetch that claims the epoch before it for `beyond`,
// which the leader corrects.
struct Asked {
  std::int64_t offset;
  Epoch last_epoch;
};

std::expected<Partition, std::string> fetch(Client& leader, const QuorumView& view, Asked asked) {
  Arena arena;
  messages::FetchRequest request;  // replica -1: no replica, the leader keeps no account of it
  if (!view.cluster_id.empty()) request.cluster_id = view.cluster_id;
  request.max_bytes = max_bytes;
  auto& topic = request.topics.push_back(arena);
  topic.topic_id = metadata_topic_id;
  auto& partition = topic.partitions.push_back(arena);
  partition.current_leader_epoch = view.epoch;
  partition.fetch_offset = Offset{asked.offset};
  partition.last_fetched_epoch = asked.last_epoch;
  const auto answer = leader.call<messages::FetchResponse>(request, fetch_version);
  if (!answer) return std::unexpected(answer.error());
  if (answer->error_code != ErrorCode::none) return std::unexpected("the log: " + std::string(name(answer->error_code)));
  if (answer->responses.size() != 1 || answer->responses[0].partitions.size() != 1) {
    return std::unexpected("the log: expected one partition in the answer");
  }
  const Partition& found = answer->responses[0].partitions[0];
  if (found.error_code != ErrorCode::none) return std::unexpected("the log: " + std::string(name(found.error_code)));
  return found;
}

std::vector<NodeId> ids(const auto& voters) {
  std::vector<NodeId> result;
  for (const auto& v : voters) result.push_back(v.voter_id);
  std::ranges::sort(result);
  return result;
}

// The LeaderChange at `start`, and how long before it the last record of an earlier epoch was written.
std::optional<LeaderChange> find_change(const Partition& partition, std::int64_t start) {
  Bytes bytes = partition.records.value_or(Bytes{});
  std::optional<std::int64_t> before_ms;
  while (const auto header = check_batch(bytes)) {
    if (header->base_offset.value < start) before_ms = header->max_timestamp_ms;
    if (header->base_offset.value == start) {
      RecordIterator records(*header, bytes);
      const auto record = records.next();
      Arena arena;
      const auto control = record && header->is_control() ? decode_control(*record, arena)
                                                          : std::unexpected(BatchError::control_type);
      const auto* change = control ? std::get_if<records::LeaderChangeMessage>(&*control) : nullptr;
      if (change == nullptr) return std::nullopt;
      LeaderChange found{header->epoch, change->leader_id, start, header->max_timestamp_ms, {}, ids(change->granting_voters), ids(change->voters)};
      if (before_ms) found.quiet_ms = std::max<std::int64_t>(0, found.time_ms - *before_ms);
      return found;
    }
    bytes = bytes.subspan(header->size());
  }
  return std::nullopt;
}

std::expected<std::optional<LeaderChange>, std::string> change_at(Client& leader, const QuorumView& view, Asked at) {
  if (at.offset > 0) {  // with the batch before it, unless the log begins here
    const auto around = fetch(leader, view, {at.offset - 1, at.last_epoch});
    if (!around) return std::unexpected(around.error());
    if (auto change = find_change(*around, at.offset)) return change;
  }
  const auto from = fetch(leader, view, at);
  if (!from) return std::unexpected(from.error());
  return find_change(*from, at.offset);
}

std::string seconds(std::int64_t ms) { return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000); }

}  // namespace

std::expected<std::vector<LeaderChange>, std::string> read_history(Client& leader, const QuorumView& view, std::size_t count) {
  std::vector<LeaderChange> history;
  Epoch epoch = view.epoch;
  std::int64_t beyond = view.log_end;
  while (history.size() < count && epoch.value > 0 && beyond > 0) {
    const auto corrected = fetch(leader, view, {beyond, Epoch{epoch.value - 1}});
    if (!corrected) return std::unexpected(corrected.error());
    const auto [before, start] = corrected->diverging_epoch;
    if (start.value < 0 || start.value >= beyond) break;  // the log begins later
    const auto change = change_at(leader, view, {start.value, Epoch{std::max(before.value, 0)}});
    if (!change) return std::unexpected(change.error());
    if (!*change) break;
    history.push_back(**change);
    epoch = before;
    beyond = start.value;
  }
  return history;
}

std::string why_changed(const QuorumView& view, const std::vector<LeaderChange>& history) {
  if (history.empty()) return {};
  const LeaderChange& now = history[0];
  if (history.size() < 2) return now.offset == 0 ? "it is the first leader of this log" : "";
  const LeaderChange& before = history[1];
  const std::string failed = now.epoch.value - before.epoch.value > 1
                                 ? fmt::format(", after {} without a winner", now.epoch.value - before.epoch.value - 1 == 1
                                                                                  ? "an election"
                                                                                  : fmt::format("{} elections", now.epoch.value - before.epoch.value - 1))
                                 : std::string();
  if (before.leader == now.leader) return "it led before too: it was restarted, or had lost touch with a majority" + failed;
  const ReplicaView* former = view.find(before.leader);
  if (former == nullptr || !former->voter) return fmt::format("{} led before and is no voter any more", before.leader.value) + failed;
  if (former->state == ReplicaState::silent) {
    return fmt::format("{} led before; it is down or cut off", before.leader.value) + failed;
  }
  if (!now.quiet_ms) return fmt::format("{} led before", before.leader.value) + failed;
  if (*now.quiet_ms <= handed_over_ms) {
    return fmt::format("{} led before and was followed within {}, as when it is stopped in order or its process ends", before.leader.value,
                       seconds(*now.quiet_ms)) + failed;
  }
  return fmt::format("{} led before and had written nothing for {}, as when it hangs, crashes or is cut off", before.leader.value,
                     seconds(*now.quiet_ms)) + failed;
}

}  // namespace hayward::tools
