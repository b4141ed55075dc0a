// The way back: what each uncommitted record replaced, so that the image can return to the committed
// offset when leadership is lost, and to the start of a transaction that is aborted. An entry holds one
// entity's other state; exchanging it with the image's is both the change and its undoing. A snapshot that is being written
// hears of each exchange before it is made.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/image/parts.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

struct BrokerChange {
  NodeId id;
  std::optional<BrokerRegistration> other;
};
struct ControllerChange {
  NodeId id;
  std::optional<ControllerRegistration> other;
};
struct TopicChange {
  TopicOrdinal ordinal = 0;
  std::unique_ptr<DetachedTopic> other;
};
struct PartitionChange {
  TopicOrdinal topic = 0;
  PartitionIndex index;
  std::optional<Partition> other;
};
struct ConfigChange {
  ConfigResource resource;
  std::string key;
  std::optional<std::string> other;
};
struct FeatureChange {
  std::string name;
  std::optional<std::int16_t> other;
  Offset changed_at;
};
struct AclChange {
  Uuid id;
  std::optional<Acl> other;
};
struct ScramChange {
  ScramKey key;
  std::optional<ScramCredential> other;
};
struct TokenChange {
  std::string token_id;
  std::optional<DelegationToken> other;
};
struct QuotaChange {
  QuotaEntity entity;
  std::string key;
  std::optional<double> other;
};
struct ProducerIdsChange {
  ProducerIds other;
};
struct TransactionChange {
  Offset other;
};

// The records of a transaction that was aborted: undone, but to be done again if the abort is undone.
struct AbortedRecords;

// Large ones are boxed, so that the entry for a partition, the common case, sets the size.
using Change = std::variant<PartitionChange, std::unique_ptr<BrokerChange>, std::unique_ptr<ControllerChange>, TopicChange,
                            ConfigChange, FeatureChange, AclChange, ScramChange, std::unique_ptr<TokenChange>, QuotaChange,
                            ProducerIdsChange, TransactionChange, std::unique_ptr<AbortedRecords>>;

struct UndoEntry {
  Offset offset;
  Change change;
};

struct AbortedRecords {
  std::vector<UndoEntry> entries;  // newest first
};

class FrozenImage;

class UndoLog {
 public:
  // Makes the change of the record at `offset`, and remembers it unless that is committed already and no transaction
  // is open. Offsets never fall.
  void apply(ImageParts& parts, Offset offset, Change change);
  // Nothing at or below `offset` will be undone, but for the records of a transaction whose end is not committed.
  void set_committed(const ImageParts& parts, Offset offset);
  // Undoes everything above `offset`, newest first. `offset` >= committed.
  void revert_to(ImageParts& parts, Offset offset);
  // Undoes everything from `start` on; that is itself a change at `offset` that can be undone.
  void abort_from(ImageParts& parts, Offset start, Offset offset);

  // ACLs that committed records have changed since the last call: ids, and what is committed under each.
  std::vector<std::pair<Uuid, std::optional<Acl>>> take_committed_acls(const ImageParts& parts);

  // From now on `frozen` is told of each change before it is made; nullptr: nobody is.
  void report_to(FrozenImage* frozen);
  bool reports() const { return frozen_ != nullptr; }

  Offset committed() const { return committed_; }
  std::size_t size() const { return entries_.size(); }

 private:
  // Exchanges the change's state for the image's.
  void exchange(ImageParts& parts, Change& change);
  void trim(const ImageParts& parts);
  void undo_newest(ImageParts& parts);
  void note_committed(const Change& change);

  struct EndedTransaction {
    Offset start;
    Offset end;
  };

  std::deque<UndoEntry> entries_;            // ascending by offset
  std::deque<EndedTransaction> ended_;       // by End records that are not committed yet
  std::vector<Uuid> committed_acls_;         // changed, and not taken yet
  Offset committed_ = no_offset;
  FrozenImage* frozen_ = nullptr;            // of the snapshot that is being written
};

}  // namespace hayward::core
