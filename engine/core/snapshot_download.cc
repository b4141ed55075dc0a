// See snapshot_download.h.
#include "engine/core/snapshot_download.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "engine/core/node_state.h"
#include "engine/core/raft/control_records.h"
#include "engine/core/raft/peer_answer.h"
#include "engine/core/raft/turn.h"
#include "schemas/batch/control.h"
#include "schemas/messages/fetch_snapshot_request.h"
#include "schemas/messages/fetch_snapshot_response.h"

namespace hayward::core {
namespace {

using messages::FetchSnapshotRequest;
using messages::FetchSnapshotResponse;

void give_up(NodeState& node) {
  node.download.reset();
  if (auto* follower = node.quorum.as<raft::Follower>()) follower->wanted_snapshot.reset();
}

bool send_request(NodeState& node, const Time& now, Effects& out) {
  raft::Turn turn = node.raft_turn(now, out);
  const raft::Follower& follower = *node.quorum.as<raft::Follower>();
  FetchSnapshotRequest request;
  request.cluster_id = node.config.cluster_id;
  request.replica_id = node.config.node_id;
  request.max_bytes = node.config.fetch_snapshot_max_bytes;
  FetchSnapshotRequest::PartitionSnapshot partition;
  partition.partition = raft::metadata_partition;
  partition.current_leader_epoch = node.quorum.epoch();
  partition.snapshot_id = {node.download->id().end, node.download->id().epoch};
  partition.position = node.download->position();
  partition.replica_directory_id = node.config.directory_id;
  FetchSnapshotRequest::TopicSnapshot topic;
  topic.name = raft::metadata_topic;
  topic.partitions.push_back(node.arena, partition);
  request.topics.push_back(node.arena, topic);
  return raft::send(turn, follower.leader, follower.leader_endpoints, raft::Lane::fetches, request);
}

// Takes the piece in. False: it is not what was asked for.
bool take_in(NodeState& node, const FetchSnapshotResponse::PartitionSnapshot& p, Effects& out) {
  SnapshotDownload& download = *node.download;
  const Bytes bytes = p.unaligned_records.value_or(Bytes{});
  const std::int64_t end = p.position + static_cast<std::int64_t>(bytes.size());
  const bool ours = SnapshotId{p.snapshot_id.end_offset, p.snapshot_id.epoch} == download.id() &&
                    p.position == download.position() && (download.size == 0 || p.size == download.size);
  if (!ours || bytes.empty() || end > p.size) return false;
  const auto added = download.add(bytes);
  const bool last = end == p.size;
  if (!added || (last && !download.whole())) {
    out.push_back(LogLine{LogLine::Level::error, "a snapshot from " + raft::name_of(node.quorum.leader()) + ": " +
                                                     (added ? "it ends too early" : added.error())});
    return false;
  }
  download.size = p.size;
  download.writing = true;
  node.log.set_loading(true);
  out.push_back(WriteSnapshotPart{download.id(), p.position, Buffer(bytes.begin(), bytes.end()), last,
                                  download.last_contained_wall_ms()});
  return true;
}

// What the authorizer has to learn: every ACL of the snapshot, and the end of those that are not in it.
void refresh_authorizer(NodeState& node, Effects& out) {
  std::map<Uuid, std::optional<Acl>> changes;
  for (const auto& [id, acl] : node.authorizer.acls()) changes[id] = std::nullopt;
  for (const auto& [id, acl] : node.image.acls().all()) changes[id] = acl;
  if (node.authorizer.catch_up({changes.begin(), changes.end()})) {
    out.push_back(PublishClusterAccess{node.authorizer.published()});
  }
}

// The log is the snapshot now.
void install(NodeState& node, Effects& out) {
  SnapshotDownload& download = *node.download;
  const SnapshotId id = download.id();
  out.push_back(LogLine{LogLine::Level::info, "loaded the leader's snapshot: the log begins at offset " +
                                                  std::to_string(id.end.value)});
  node.log.replaced_by({id, download.size});
  node.tail.clear();
  node.voters.replaced_by(Offset{id.end.value - 1}, download.voters(), download.kraft_version());
  node.snapshotter.drop();
  node.image.take(std::move(download.image()));
  node.image.advance(Offset{id.end.value - 1});
  node.image.take_committed_acls();  // which refresh_authorizer tells of
  refresh_authorizer(node, out);
  node.image_end = id.end;
  node.last_append_wall_ms = download.last_contained_wall_ms();
  node.committed = std::max(node.committed, id.end);
  give_up(node);
}

}  // namespace

// --- its content

std::expected<void, std::string> SnapshotDownload::add(Bytes bytes) {
  position_ += static_cast<std::int64_t>(bytes.size());
  rest_.insert(rest_.end(), bytes.begin(), bytes.end());
  Bytes left = rest_;
  while (left.size() >= batch_format::records_at) {
    const auto header = check_batch(left);
    if (!header && header.error() == BatchError::truncated) {
      const auto start = parse_batch_header(left);
      if (start && start->size() <= 2 * max_batch_bytes) break;
      return std::unexpected("a batch that is too large");
    }
    if (!header) return std::unexpected("expected a valid record batch, found " + std::string(name(header.error())));
    if (auto loaded = load(*header, left.first(header->size())); !loaded) return loaded;
    left = left.subspan(header->size());
  }
  rest_.erase(rest_.begin(), rest_.end() - static_cast<std::ptrdiff_t>(left.size()));
  return {};
}

std::expected<void, std::string> SnapshotDownload::load(const BatchHeader& header, Bytes batch) {
  const Offset last{id_.end.value - 1};
  RecordIterator records(header, batch);
  while (const auto record = records.next()) {
    if (!header.is_control()) {
      const auto replayed = image_.replay(record->value.value_or(Bytes{}), last, ReplaySource::snapshot);
      if (!replayed) return std::unexpected(replayed.error().to_string());
      continue;
    }
    const auto control = decode_control(*record, arena_);
    if (!control) return std::unexpected(std::string(name(control.error())));
    if (const auto* head = std::get_if<records::SnapshotHeaderRecord>(&*control)) {
      last_contained_wall_ms_ = head->last_contained_log_timestamp;
    } else if (const auto* version = std::get_if<records::KRaftVersionRecord>(&*control)) {
      kraft_version_ = version->kraft_version;
    } else if (const auto* voters = std::get_if<records::VotersRecord>(&*control)) {
      voters_ = raft::from_record(*voters);
    } else if (std::holds_alternative<records::SnapshotFooterRecord>(*control)) {
      saw_footer_ = true;
    }
    arena_.reset();
  }
  if (records.error()) return std::unexpected(std::string(name(*records.error())));
  if (kraft_version_ < 0 || kraft_version_ > raft::max_kraft_version) {
    return std::unexpected("kraft.version " + std::to_string(kraft_version_));
  }
  return {};
}

// --- its way here

MonoTime poll_download(NodeState& node, const Time& now, Effects& out) {
  const auto* follower = node.quorum.as<raft::Follower>();
  const bool wanted = follower != nullptr && follower->wanted_snapshot && !node.stopping;
  if (node.download && (!wanted || node.download->id() != *follower->wanted_snapshot)) {
    if (node.download->writing) return mono_never;  // what is on its way to the disk is waited for
    node.download.reset();
  }
  if (!wanted) return mono_never;
  if (follower->wanted_snapshot->end <= node.committed) {  // R8: nothing that is committed is replaced
    give_up(node);
    return now.mono;
  }
  if (!node.download) {
    node.download = std::make_unique<SnapshotDownload>(*follower->wanted_snapshot, node.config.unstable_feature_versions);
  }
  if (node.download->writing) return mono_never;
  const MonoTime free_at = node.links.free_at(follower->leader, raft::Lane::fetches);
  if (now.mono < free_at) return free_at;
  send_request(node, now, out);
  node.arena.reset();
  return mono_never;
}

void download_answered(NodeState& node, const PeerReply& reply, const Time& now, Effects& out) {
  raft::Turn turn = node.raft_turn(now, out);
  const auto request = node.links.answered(reply, now.mono, node.raft_prng);
  if (!request || reply.failed) return;
  const auto response = raft::read_answer<FetchSnapshotResponse>(turn, reply);
  const auto* p = response ? raft::only_partition(response->topics) : nullptr;
  if (p != nullptr) {
    raft::learn(turn, p->current_leader.leader_epoch, p->current_leader.leader_id,
                raft::endpoints_of(turn, *response, p->current_leader.leader_id));
  }
  auto* follower = node.quorum.as<raft::Follower>();
  const bool current = follower != nullptr && follower->leader == reply.peer &&
                       request->epoch == node.quorum.epoch() && node.download && !node.download->writing;
  if (!current) return;
  if (p == nullptr || p->error_code != ErrorCode::none || !take_in(node, *p, out)) {
    // Whatever it was (Java's errors here say nothing): the next Fetch tells what to do.
    give_up(node);
    node.links.rest(reply.peer, raft::Lane::fetches, now.mono, node.raft_prng);
    return;
  }
  follower->fetch_deadline = turn.fetch_timeout();
  follower->fetched = true;
}

void download_written(NodeState& node, const SnapshotPartWritten& written, const Time& now, Effects& out) {
  if (!node.download || !node.download->writing || node.download->id() != written.id) return;
  node.download->writing = false;
  node.log.set_loading(false);
  if (auto* follower = node.quorum.as<raft::Follower>()) {  // a slow disk is not the leader's silence
    follower->fetch_deadline = node.raft_turn(now, out).fetch_timeout();
  }
  if (!written.ok)
    give_up(node);
  else if (written.installed)
    install(node, out);
}

}  // namespace hayward::core
