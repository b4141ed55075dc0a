// What one broker knows from the committed metadata log: brokers and partitions, kept by rules of its own,
// so that it can tell when the log says something impossible.
// Owner: a model broker, or a test that follows the log itself.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/records/frame.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::sim {

struct PartitionKey {
  TopicId topic;
  PartitionIndex index;
  friend auto operator<=>(const PartitionKey&, const PartitionKey&) = default;
};

class BrokerView {
 public:
  struct Broker {
    BrokerEpoch epoch{-1};
    IncarnationId incarnation;
    bool fenced = true;
    bool shutting_down = false;
    Offset registered_at{-1};
    Offset unfenced_at{-1};  // of the last record that unfenced it; -1: none
    bool may_join() const { return !fenced && !shutting_down; }
  };
  struct Partition {
    std::vector<NodeId> replicas;
    std::vector<NodeId> isr;
    NodeId leader{-1};
    LeaderEpoch leader_epoch{0};
    PartitionEpoch partition_epoch{0};
  };

  // One whole committed batch, in order. Control batches only move the offset.
  void apply(Bytes batch);
  // Back to knowing nothing; what was ever seen of leaders and epochs is forgotten too.
  void reset();
  // A whole snapshot: its batches, in order. Replaces everything; nothing in it is judged.
  void load_snapshot(Bytes batches, Offset last_contained);

  Offset offset() const { return offset_; }  // last applied; -1: none
  const std::map<NodeId, Broker>& brokers() const { return brokers_; }
  const Broker* broker(NodeId id) const;
  const std::map<PartitionKey, Partition>& partitions() const { return partitions_; }
  std::uint64_t fences() const { return fences_; }  // fence records seen
  // The first thing in the log that may not be (P8, C5-C8); nullopt: none.
  const std::optional<std::string>& violation() const { return violation_; }

 private:
  void apply_record(Offset offset, Bytes value);
  void apply_broker_record(Offset offset, const records::Frame& frame);
  void apply_partition_record(const records::Frame& frame);
  void register_broker(Offset offset, const records::Frame& frame);
  void change_registration(Offset offset, const records::Frame& frame);
  void change_partition(const records::Frame& frame);
  void note_leader(const PartitionKey& key, const Partition& partition);
  void fail(std::string what);

  Arena arena_;
  Offset offset_{-1};
  std::map<NodeId, Broker> brokers_;
  std::map<PartitionKey, Partition> partitions_;
  std::map<NodeId, BrokerEpoch> highest_epochs_;
  std::map<std::pair<PartitionKey, LeaderEpoch>, NodeId> leaders_;  // C5: for ever
  std::uint64_t fences_ = 0;
  bool in_snapshot_ = false;
  std::optional<std::string> violation_;
};

}  // namespace hayward::sim
