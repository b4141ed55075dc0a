// See oracle.h. R, C and P are the ids of docs/invariants.md.
#include "oracle.h"

#include <algorithm>

#include "schemas/messages/begin_quorum_epoch_request.h"
#include "schemas/messages/begin_quorum_epoch_response.h"
#include "schemas/messages/end_quorum_epoch_request.h"
#include "schemas/messages/end_quorum_epoch_response.h"
#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_response.h"
#include "schemas/messages/vote_request.h"
#include "schemas/messages/vote_response.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/reader.h"

namespace hayward::sim {
namespace {

using namespace messages;

std::string text(Id node) { return "controller " + std::to_string(node); }
std::string in_epoch(Epoch epoch) { return " in epoch " + std::to_string(epoch.value); }

template <class Message>
std::optional<Message> decoded(Bytes body, std::int16_t version, Arena& arena) {
  Message message;
  Reader reader(body);
  if (!decode(reader, version, arena, message)) return std::nullopt;
  return message;
}

bool contains(Bytes haystack, Bytes needle) {
  return std::search(haystack.begin(), haystack.end(), needle.begin(), needle.end()) != haystack.end();
}

}  // namespace

void Oracle::broken(const std::string& what) {
  if (!violation_) violation_ = what;
}

void Oracle::leads(Id node, Epoch epoch, const char* who_says) {
  const auto [at, fresh] = leaders_.try_emplace(epoch.value, node);
  if (!fresh && at->second != node) {
    broken("R1: " + text(node) + " and " + text(at->second) + " both lead" + in_epoch(epoch) + " (" + who_says + ")");
  }
}

// --- what is on disk

void Oracle::persisted(Id id, const PersistedState& state) {
  Node& node = nodes_[id];
  if (state.epoch < node.persisted.epoch) {
    broken("R4: " + text(id) + " persisted epoch " + std::to_string(state.epoch.value) + " after " +
           std::to_string(node.persisted.epoch.value));
  }
  if (state.voted != no_node) {
    const auto [at, fresh] = node.votes.try_emplace(state.epoch.value, state.voted.value);
    if (!fresh && at->second != state.voted.value) {
      broken("R2: " + text(id) + " voted for " + text(at->second) + " and " + text(state.voted.value) +
             in_epoch(state.epoch));
    }
  }
  if (state.leader != no_node) leads(state.leader.value, state.epoch, "quorum-state");
  node.persisted = state;
}

void Oracle::truncates(Id id, bool leads, Offset end, const DiskView& disk) {
  if (leads) broken("R8: " + text(id) + " leads and cuts its log at " + std::to_string(end.value));
  for (const BatchPtr& batch : *disk.batches) {
    if (batch->base < end || batch->last.value >= log_.end()) continue;
    if (!log_.contradicts(batch->bytes)) {
      broken("R8: " + text(id) + " cuts its log at " + std::to_string(end.value) + ", below the committed end " +
             std::to_string(log_.end()));
      return;
    }
  }
  Node& node = nodes_[id];
  node.checked = std::min(node.checked, end);
}

bool Oracle::has_durably(const DiskView& disk, const EncodedBatch& wanted) const {
  if (disk.start > wanted.last) return true;  // a snapshot covers it
  const auto at = std::lower_bound(disk.batches->begin(), disk.batches->end(), wanted.base,
                                   [](const BatchPtr& batch, Offset base) { return batch->base < base; });
  return at != disk.batches->end() && (*at)->base == wanted.base && (*at)->last < disk.flushed &&
         (*at)->bytes == wanted.bytes;
}

std::vector<Id> Oracle::voters_of(const DiskView& disk) const {
  for (auto batch = disk.batches->rbegin(); batch != disk.batches->rend(); ++batch) {
    if (!(*batch)->control) continue;
    if (auto voters = voters_in((*batch)->bytes)) return std::move(*voters);
  }
  const std::vector<Id>* known = log_.voters_before(disk.start.value);
  return known == nullptr ? voters_ : *known;
}

// --- what is said

void Oracle::asked(Id from, Id to, std::int16_t api_key, std::int16_t version, Bytes body, Offset flushed) {
  Arena arena;
  const Node& node = nodes_[from];
  // Of an epoch that is over meanwhile it may still speak.
  const auto durable = [&](Epoch epoch, const char* what) {
    if (epoch > node.persisted.epoch) {
      broken("R3: " + text(from) + " sends " + what + in_epoch(epoch) + ", but quorum-state has epoch " +
             std::to_string(node.persisted.epoch.value));
    }
  };
  if (api_key == VoteRequest::api_key) {
    const auto& p = decoded<VoteRequest>(body, version, arena)->topics[0].partitions[0];
    durable(p.replica_epoch, "Vote");
    const bool present = !p.pre_vote && p.replica_epoch == node.persisted.epoch;
    if (present && node.persisted.voted.value != from) broken("R3: " + text(from) + " stands without its own vote");
    if (to == from) broken("P4: " + text(from) + " asks itself");
  } else if (api_key == BeginQuorumEpochRequest::api_key) {
    const auto& p = decoded<BeginQuorumEpochRequest>(body, version, arena)->topics[0].partitions[0];
    durable(p.leader_epoch, "BeginQuorumEpoch");
    leads(p.leader_id.value, p.leader_epoch, "BeginQuorumEpoch");
    if (p.leader_id.value != from) broken("R1: " + text(from) + " announces another leader");
  } else if (api_key == EndQuorumEpochRequest::api_key) {
    const auto request = decoded<EndQuorumEpochRequest>(body, version, arena);
    durable(request->topics[0].partitions[0].leader_epoch, "EndQuorumEpoch");
    if (request->leader_endpoints.empty()) broken("P5: EndQuorumEpoch without endpoints");
  } else if (api_key == FetchRequest::api_key) {
    const auto& p = decoded<FetchRequest>(body, version, arena)->topics[0].partitions[0];
    durable(p.current_leader_epoch, "Fetch");
    if (p.fetch_offset > flushed) {
      broken("R11: " + text(from) + " fetches from " + std::to_string(p.fetch_offset.value) + ", flushed only to " +
             std::to_string(flushed.value));
    }
  }
}

void Oracle::check_answer_leader(Id from, Id to, Epoch epoch, NodeId leader, std::size_t endpoints, bool can_carry,
                                 bool claimed) {
  const Node& node = nodes_[from];
  if (epoch > node.persisted.epoch) {
    broken("R3: " + text(from) + " answers" + in_epoch(epoch) + ", but quorum-state has epoch " +
           std::to_string(node.persisted.epoch.value));
  }
  if (leader == no_node) return;
  leads(leader.value, epoch, "an answer");
  if (leader.value == to && !claimed) broken("P4: " + text(from) + " tells " + text(to) + " that it leads" + in_epoch(epoch));
  if (can_carry && endpoints == 0) broken("P5: " + text(from) + " names a leader without its endpoint");
}

void Oracle::answered(Id from, Id to, std::int16_t api_key, std::int16_t version, Bytes body) {
  Arena arena;
  // Who says that it leads may hear so.
  const auto check = [&](const auto& response, bool can_carry, bool claimed) {
    if (!response) return broken(text(from) + " sends an answer that cannot be read");
    if (response->topics.empty()) return;
    const auto& p = response->topics[0].partitions[0];
    if (p.error_code == ErrorCode::invalid_request) broken("P1: " + text(from) + " answers 42 at the partition");
    check_answer_leader(from, to, p.leader_epoch, p.leader_id, response->node_endpoints.size(), can_carry, claimed);
  };
  if (api_key == VoteRequest::api_key) {
    const auto response = decoded<VoteResponse>(body, version, arena);
    check(response, version >= 1, false);
  } else if (api_key == BeginQuorumEpochRequest::api_key) {
    check(decoded<BeginQuorumEpochResponse>(body, version, arena), version >= 1, true);
  } else if (api_key == EndQuorumEpochRequest::api_key) {
    check(decoded<EndQuorumEpochResponse>(body, version, arena), version >= 1, true);
  } else if (api_key == FetchRequest::api_key) {
    const auto response = decoded<FetchResponse>(body, version, arena);
    if (!response) return broken(text(from) + " sends a Fetch answer that cannot be read");
    if (response->responses.empty()) return;
    const auto& p = response->responses[0].partitions[0];
    if (p.error_code == ErrorCode::invalid_request) broken("P1: " + text(from) + " answers 42 at the partition");
    if (!p.records) broken("P11: null records");
    check_answer_leader(from, to, p.current_leader.leader_epoch, p.current_leader.leader_id,
                        response->node_endpoints.size(), version >= 17, false);
    if (p.error_code == ErrorCode::none && p.current_leader.leader_id.value == from) {
      leads(from, p.current_leader.leader_epoch, "Fetch");
    }
  }
}

void Oracle::fetch_reached(Id leader, Id voter, std::int64_t now_ns) { nodes_[leader].heard_ns[voter] = now_ns; }

// --- what each node shows

void Oracle::restarted(Id id) {
  Node& node = nodes_[id];
  node.checked = Offset{0};
  node.high_watermark = no_offset;
  node.epoch = Epoch{0};
  node.leads_since_ns = -1;
}

void Oracle::check_high_watermark(const NodeSight& sight, const std::map<Id, DiskView>& disks) {
  Node& node = nodes_[sight.id];
  // A new leader does not know it until a record of its epoch is committed.
  if (sight.epoch != node.epoch || sight.leads != node.led) {
    node.epoch = sight.epoch;
    node.led = sight.leads;
    node.high_watermark = no_offset;
  }
  if (sight.high_watermark < node.high_watermark) {
    broken("R7: " + text(sight.id) + "'s high watermark fell to " + std::to_string(sight.high_watermark.value));
  }
  node.high_watermark = sight.high_watermark;
  if (sight.high_watermark.value <= log_.end()) return;
  // Newly committed, by what is on the disks of a majority; who has just seen to it may have resigned in the same step.
  std::optional<std::int32_t> last_epoch;
  const std::vector<Id> voters = voters_of(disks.at(sight.id));
  for (const BatchPtr& batch : *disks.at(sight.id).batches) {
    if (batch->base.value < log_.end() || batch->base >= sight.high_watermark) continue;
    std::size_t holders = 0;
    for (const Id voter : voters) holders += has_durably(disks.at(voter), *batch) ? 1 : 0;
    if (holders < voters.size() / 2 + 1) {
      broken("R10: " + text(sight.id) + " commits offset " + std::to_string(batch->base.value) + ", which " +
             std::to_string(holders) + " of " + std::to_string(voters.size()) + " voters have on disk");
    }
    log_.commit(batch->bytes);
    last_epoch = read_head(batch->bytes).epoch;
    std::erase_if(expected_, [&](const Buffer& mark) {
      const bool there = contains(batch->bytes, mark);
      if (there) committed_marks_.insert(mark);
      return there;
    });
  }
  if (last_epoch && *last_epoch != sight.epoch.value) {
    broken("R9: " + text(sight.id) + " commits a record of epoch " + std::to_string(*last_epoch) + in_epoch(sight.epoch));
  }
}

// R5, R6: what a node calls committed, and all that a leader has below the committed end, is the committed log.
void Oracle::check_log(const NodeSight& sight, const DiskView& disk) {
  Node& node = nodes_[sight.id];
  const bool newest = sight.leads && sight.epoch.value == leaders_.rbegin()->first;  // not one that was deposed meanwhile
  const Offset upto = newest ? Offset{log_.end()} : sight.high_watermark;
  if (sight.high_watermark.value > log_.end()) {
    broken("R5: " + text(sight.id) + "'s high watermark " + std::to_string(sight.high_watermark.value) +
           " is above what was ever committed");
  }
  if (newest && sight.log_end.value < log_.end()) {
    broken("R6: " + text(sight.id) + " leads" + in_epoch(sight.epoch) + " without all that is committed");
  }
  auto at = std::lower_bound(disk.batches->begin(), disk.batches->end(), node.checked,
                             [](const BatchPtr& batch, Offset base) { return batch->base < base; });
  for (; at != disk.batches->end() && (*at)->last < upto; ++at) {
    if ((*at)->last.value >= log_.end()) break;
    if (auto why = log_.contradicts((*at)->bytes)) broken("R5: " + text(sight.id) + ": " + *why);
    node.checked = Offset{(*at)->last.value + 1};
  }
}

void Oracle::check_image(const NodeSight& sight) {
  if (sight.leads || sight.image_offset < Offset{0}) return;
  if (sight.high_watermark >= Offset{0} && sight.image_offset >= sight.high_watermark) {
    broken("C15: " + text(sight.id) + "'s image is at " + std::to_string(sight.image_offset.value) +
           ", its high watermark at " + std::to_string(sight.high_watermark.value));
  }
  const auto [at, fresh] = images_.try_emplace(sight.image_offset.value, sight.image_hash);
  if (!fresh && at->second != sight.image_hash) {
    broken("C14: " + text(sight.id) + " has another image at offset " + std::to_string(sight.image_offset.value));
  }
}

// R14: a leader begins no change of who votes while another one, be it a leader's before it, is not committed.
void Oracle::check_one_change(const NodeSight& sight, const DiskView& disk) {
  if (!sight.leads) return;
  const std::vector<Id>* committed = log_.voters_before(log_.end());
  std::vector<Id> voters = committed == nullptr ? voters_ : *committed;
  int changes = 0;
  const auto uncommitted = std::lower_bound(disk.batches->begin(), disk.batches->end(), Offset{log_.end()},
                                            [](const BatchPtr& batch, Offset base) { return batch->base < base; });
  for (auto batch = uncommitted; batch != disk.batches->end(); ++batch) {
    if (!(*batch)->control) continue;
    auto next = voters_in((*batch)->bytes);
    if (!next || *next == voters) continue;
    voters = std::move(*next);
    if (++changes > 1) broken("R14: " + text(sight.id) + " leads with two changes of the voters that are not committed");
  }
}

// R16, with what a step may take on top.
void Oracle::check_quorum_kept(const NodeSight& sight, const DiskView& disk, std::int64_t now_ns) {
  Node& node = nodes_[sight.id];
  if (!sight.leads) {
    node.leads_since_ns = -1;
    return;
  }
  std::vector<Id> voters = voters_of(disk);
  if (node.leads_since_ns < 0) {
    node.leads_since_ns = now_ns;
    node.heard_ns.clear();
  } else if (voters != node.voters) {  // who comes new has time from now on
    for (const Id voter : voters) {
      if (std::find(node.voters.begin(), node.voters.end(), voter) == node.voters.end()) node.heard_ns[voter] = now_ns;
    }
  }
  node.voters = std::move(voters);
  std::vector<std::int64_t> heard;
  for (const Id voter : node.voters) {
    if (voter == sight.id) continue;
    const auto at = node.heard_ns.find(voter);
    heard.push_back(at == node.heard_ns.end() ? node.leads_since_ns : std::max(at->second, node.leads_since_ns));
  }
  std::sort(heard.rbegin(), heard.rend());
  const bool itself = heard.size() < node.voters.size();
  const std::size_t needed = node.voters.size() / 2 + (itself ? 0 : 1);
  if (needed == 0) return;
  constexpr std::int64_t slack_ns = 20'000'000;
  if (now_ns - heard[needed - 1] > fetch_timeout_ns_ * 3 / 2 + slack_ns) {
    broken("R16: " + text(sight.id) + " leads" + in_epoch(sight.epoch) + " though too few voters fetch");
  }
}

void Oracle::stepped(const NodeSight& sight, const std::map<Id, DiskView>& disks, std::int64_t now_ns) {
  if (sight.leads) {
    leads(sight.id, sight.epoch, "itself");
    const auto [at, fresh] = led_by_.try_emplace(sight.epoch.value, sight.id, sight.incarnation);
    if (!fresh && at->second.second != sight.incarnation) {
      broken("R12: " + text(sight.id) + " leads again after a restart" + in_epoch(sight.epoch));
    }
  }
  check_high_watermark(sight, disks);
  check_log(sight, disks.at(sight.id));
  check_image(sight);
  check_one_change(sight, disks.at(sight.id));
  check_quorum_kept(sight, disks.at(sight.id), now_ns);
}

void Oracle::expect(Bytes mark) {
  constexpr std::size_t most = 5000;  // what was refused never comes up; what was not does soon
  expected_.emplace_back(mark.begin(), mark.end());
  if (expected_.size() > most) expected_.erase(expected_.begin());
}

void Oracle::acknowledged(Bytes mark) {
  if (!committed_marks_.contains(Buffer(mark.begin(), mark.end()))) {
    broken("C12: a write was acknowledged that is not committed");
  }
}

}  // namespace hayward::sim
