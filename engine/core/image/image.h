// The metadata image: what the records of the metadata log add up to. It changes by replay only; handlers
// read it. Everything that has been appended is in it; what is not committed yet can be undone.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/image/parts.h"
#include "engine/core/image/replay_error.h"
#include "engine/core/image/undo.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// A snapshot may hold no transaction records.
enum class ReplaySource : std::uint8_t { log, snapshot };

class Image {
 public:
  // `unstable_feature_versions`: whether levels above the latest production one are known.
  explicit Image(bool unstable_feature_versions = false) : unstable_feature_versions_(unstable_feature_versions) {}
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  Image(Image&&) = delete;

  // Applies one record (the value of a record of a data batch: frame version, key, version, body). For a
  // record of a snapshot, `offset` is the snapshot's last contained offset. An error changes nothing:
  // the node must stop, as Kafka's do.
  std::expected<void, ReplayError> replay(Bytes record_frame, Offset offset, ReplaySource source = ReplaySource::log);

  // Becomes what `other`, loaded from a snapshot, is; nothing of it can be undone. Neither may be frozen.
  void take(Image&& other);

  // A record (NoOp, control) that changes nothing was passed.
  void advance(Offset offset) { last_offset_ = offset; }
  // Offset of the last record replayed; -1: none.
  Offset last_offset() const { return last_offset_; }

  // Everything up to `offset` is committed: it can not be undone any more. Called ahead of replaying records that are
  // known to be committed, it spares keeping what they replace.
  void set_committed(Offset offset) { undo_.set_committed(parts_, offset); }
  // ACLs that committed records have changed since the last call: ids, and what is committed under each now.
  std::vector<std::pair<Uuid, std::optional<Acl>>> take_committed_acls() { return undo_.take_committed_acls(parts_); }
  // Back to what it was after the record at `offset` (>= the committed offset).
  void revert_to(Offset offset);

  // The image as it is now, for a snapshot that is written in slices: one at a time, not outliving the image.
  std::unique_ptr<FrozenImage> freeze();

  // The last offset whose state readers may see: below an open transaction, at most `committed`.
  Offset stable_offset(Offset committed) const {
    return in_transaction() && transaction_start() <= committed ? Offset{transaction_start().value - 1} : committed;
  }
  bool in_transaction() const { return parts_.transaction_start != no_offset; }
  // -1: no transaction is open.
  Offset transaction_start() const { return parts_.transaction_start; }

  // Brokers whose registration has changed, by a record or by going back, since the last call.
  std::set<NodeId> take_changed_brokers() { return parts_.cluster.take_changed_brokers(); }

  const Features& features() const { return parts_.features; }
  const Cluster& cluster() const { return parts_.cluster; }
  const Topics& topics() const { return parts_.topics; }
  const Configs& configs() const { return parts_.configs; }
  const ClientQuotas& client_quotas() const { return parts_.client_quotas; }
  const ProducerIds& producer_ids() const { return parts_.producer_ids; }
  const Acls& acls() const { return parts_.acls; }
  const Scram& scram() const { return parts_.scram; }
  const DelegationTokens& delegation_tokens() const { return parts_.delegation_tokens; }

  // Equal for images of equal content, whatever way they came about (broker register offsets and feature
  // change offsets are left out: a snapshot does not carry them).
  std::uint64_t hash() const;

  // Changes that could still be undone.
  std::size_t undo_size() const { return undo_.size(); }

 private:
  bool unstable_feature_versions_;
  ImageParts parts_;
  UndoLog undo_;
  Arena arena_;  // one record's arrays at a time
  Offset last_offset_ = no_offset;
};

}  // namespace hayward::core
