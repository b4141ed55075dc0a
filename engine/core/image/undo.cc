// UndoLog: each change is one exchange; undoing is the same exchange again, newest first.
// Owner: engine/core/image. Shard 0.
#include "engine/core/image/undo.h"

#include <map>
#include <utility>
#include <vector>

#include "engine/core/image/frozen_image.h"
#include "schemas/runtime/assert.h"

namespace hayward::core {
namespace {

struct Exchanger {
  ImageParts& parts;
  void operator()(PartitionChange& c) { parts.topics.exchange_partition(c.topic, c.index, c.other); }
  void operator()(std::unique_ptr<BrokerChange>& c) { parts.cluster.exchange_broker(c->id, c->other); }
  void operator()(std::unique_ptr<ControllerChange>& c) { parts.cluster.exchange_controller(c->id, c->other); }
  void operator()(TopicChange& c) { parts.topics.exchange_topic(c.ordinal, c.other); }
  void operator()(ConfigChange& c) { parts.configs.exchange(c.resource, c.key, c.other); }
  void operator()(FeatureChange& c) { parts.features.exchange(c.name, c.other, c.changed_at); }
  void operator()(AclChange& c) { parts.acls.exchange(c.id, c.other); }
  void operator()(ScramChange& c) { parts.scram.exchange(c.key, c.other); }
  void operator()(std::unique_ptr<TokenChange>& c) { parts.delegation_tokens.exchange(c->token_id, c->other); }
  void operator()(QuotaChange& c) { parts.client_quotas.exchange(c.entity, c.key, c.other); }
  void operator()(ProducerIdsChange& c) { std::swap(parts.producer_ids, c.other); }
  void operator()(TransactionChange& c) { std::swap(parts.transaction_start, c.other); }
  void operator()(std::unique_ptr<AbortedRecords>&) {
    HAYWARD_ASSERT(false, "a transaction holds no abort; UndoLog itself undoes one");
  }
};

}  // namespace

void UndoLog::report_to(FrozenImage* frozen) {
  HAYWARD_ASSERT(frozen == nullptr || frozen_ == nullptr, "one snapshot at a time");
  frozen_ = frozen;
}

void UndoLog::exchange(ImageParts& parts, Change& change) {
  if (frozen_ != nullptr) frozen_->before(change);
  std::visit(Exchanger{parts}, change);
}

void UndoLog::apply(ImageParts& parts, Offset offset, Change change) {
  const Offset start = parts.transaction_start;
  exchange(parts, change);
  if (offset <= committed_ && parts.transaction_start == no_offset) {
    note_committed(change);
    trim(parts);  // a transaction may just have ended
    return;
  }
  if (start != no_offset && parts.transaction_start == no_offset) ended_.push_back({start, offset});
  entries_.push_back({offset, std::move(change)});
}

void UndoLog::set_committed(const ImageParts& parts, Offset offset) {
  if (offset <= committed_) return;
  committed_ = offset;
  trim(parts);
}

// A transaction is kept whole until its end is committed: going back to within it opens it again, and then it
// may be aborted.
void UndoLog::trim(const ImageParts& parts) {
  while (!ended_.empty() && ended_.front().end <= committed_) ended_.pop_front();
  const Offset keep_from = ended_.empty() ? parts.transaction_start : ended_.front().start;
  while (!entries_.empty() && entries_.front().offset <= committed_ &&
         (keep_from == no_offset || entries_.front().offset < keep_from)) {
    note_committed(entries_.front().change);
    entries_.pop_front();
  }
}

void UndoLog::note_committed(const Change& change) {
  if (const auto* acl = std::get_if<AclChange>(&change)) committed_acls_.push_back(acl->id);
}

// What is committed under an id is what its oldest uncommitted change has replaced, or else what is there. (The
// records of an aborted transaction don't count: its abort has put back what was there before.)
std::vector<std::pair<Uuid, std::optional<Acl>>> UndoLog::take_committed_acls(const ImageParts& parts) {
  std::map<Uuid, std::optional<Acl>> changed;
  for (const Uuid& id : std::exchange(committed_acls_, {})) {
    const Acl* present = parts.acls.find(id);
    changed.emplace(id, present == nullptr ? std::nullopt : std::optional(*present));
  }
  if (!changed.empty()) {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      const auto* acl = std::get_if<AclChange>(&entry->change);
      if (acl == nullptr) continue;
      if (const auto at = changed.find(acl->id); at != changed.end()) at->second = acl->other;
    }
  }
  std::vector<std::pair<Uuid, std::optional<Acl>>> result;
  result.reserve(changed.size());
  for (auto& [id, acl] : changed) result.emplace_back(id, std::move(acl));
  return result;
}

void UndoLog::undo_newest(ImageParts& parts) {
  UndoEntry entry = std::move(entries_.back());
  entries_.pop_back();
  if (auto* aborted = std::get_if<std::unique_ptr<AbortedRecords>>(&entry.change)) {
    std::vector<UndoEntry>& again = (*aborted)->entries;
    for (auto record = again.rbegin(); record != again.rend(); ++record) {
      exchange(parts, record->change);
      entries_.push_back(std::move(*record));
    }
  } else {
    exchange(parts, entry.change);
  }
}

void UndoLog::revert_to(ImageParts& parts, Offset offset) {
  HAYWARD_ASSERT(offset >= committed_, "C13: what is committed is not undone");
  while (!entries_.empty() && entries_.back().offset > offset) undo_newest(parts);
  while (!ended_.empty() && ended_.back().end > offset) ended_.pop_back();
}

void UndoLog::abort_from(ImageParts& parts, Offset start, Offset offset) {
  auto aborted = std::make_unique<AbortedRecords>();
  while (!entries_.empty() && entries_.back().offset >= start) {
    exchange(parts, entries_.back().change);
    aborted->entries.push_back(std::move(entries_.back()));
    entries_.pop_back();
  }
  if (offset > committed_) entries_.push_back({offset, std::move(aborted)});
  trim(parts);
}

}  // namespace hayward::core
