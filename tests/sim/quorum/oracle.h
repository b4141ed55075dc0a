// What raft and the controllers must hold, whatever happens (docs/invariants.md), judged from outside: from what is on
// the simulated disks, from what is said on the network, and from what an operator could see of each node. It shares
// nothing with the engine but the schemas and the ids.
// Owner: QuorumWorld.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/batch.h"
#include "oracle_log.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/ids.h"

namespace hayward::sim {

using Id = std::int32_t;

// A node's stable storage, as of now.
struct DiskView {
  const std::vector<BatchPtr>* batches = nullptr;
  Offset flushed{0};
  Offset start{0};
};

// A node, as it shows itself.
struct NodeSight {
  Id id = 0;
  std::uint64_t incarnation = 0;  // of the process
  Epoch epoch{0};
  NodeId leader = no_node;
  bool leads = false;             // says so of itself
  Offset high_watermark = no_offset;
  Offset log_end{0};
  Offset image_offset = no_offset;
  std::uint64_t image_hash = 0;
};

struct PersistedState {
  Epoch epoch{0};
  NodeId leader = no_node;
  NodeId voted = no_node;
};

class Oracle {
 public:
  Oracle(std::vector<Id> voters, std::int64_t fetch_timeout_ns) : voters_(std::move(voters)), fetch_timeout_ns_(fetch_timeout_ns) {}

  // --- what happened
  void persisted(Id node, const PersistedState& state);
  void asked(Id from, Id to, std::int16_t api_key, std::int16_t version, Bytes body, Offset flushed);
  void answered(Id from, Id to, std::int16_t api_key, std::int16_t version, Bytes body);
  void fetch_reached(Id leader, Id voter, std::int64_t now_ns);
  void truncates(Id node, bool leads, Offset end, const DiskView& disk);
  void stepped(const NodeSight& sight, const std::map<Id, DiskView>& disks, std::int64_t now_ns);
  void restarted(Id node);
  // A client's write, which carries these bytes, was acknowledged.
  void acknowledged(Bytes mark);
  void expect(Bytes mark);

  const std::optional<std::string>& violation() const { return violation_; }
  const OracleLog& log() const { return log_; }
  std::size_t leaders() const { return leaders_.size(); }

 private:
  void broken(const std::string& what);
  void leads(Id node, Epoch epoch, const char* who_says);
  void check_answer_leader(Id from, Id to, Epoch epoch, NodeId leader, std::size_t endpoints, bool can_carry,
                           bool claimed);
  void check_high_watermark(const NodeSight& sight, const std::map<Id, DiskView>& disks);
  void check_log(const NodeSight& sight, const DiskView& disk);
  void check_image(const NodeSight& sight);
  void check_one_change(const NodeSight& sight, const DiskView& disk);
  void check_quorum_kept(const NodeSight& sight, const DiskView& disk, std::int64_t now_ns);
  // As its log has them: a record counts from when it is there (R14).
  std::vector<Id> voters_of(const DiskView& disk) const;
  bool has_durably(const DiskView& disk, const EncodedBatch& batch) const;

  struct Node {
    PersistedState persisted;
    std::map<std::int32_t, Id> votes;      // by epoch
    Offset checked{0};                     // log below this was compared with the committed one
    Offset high_watermark = no_offset;     // in this incarnation, in this epoch
    Epoch epoch{0};
    bool led = false;
    std::int64_t leads_since_ns = -1;
    std::map<Id, std::int64_t> heard_ns;   // voters' fetches that reached it
    std::vector<Id> voters;                // while it leads
  };

  std::vector<Id> voters_;  // at first
  std::int64_t fetch_timeout_ns_;
  OracleLog log_;
  std::map<Id, Node> nodes_;
  std::map<std::int32_t, Id> leaders_;                               // by epoch
  std::map<std::int32_t, std::pair<Id, std::uint64_t>> led_by_;      // by epoch: node and process
  std::map<std::int64_t, std::uint64_t> images_;                     // by offset
  std::vector<Buffer> expected_;                                     // marks that may come up
  std::set<Buffer> committed_marks_;
  std::optional<std::string> violation_;
};

}  // namespace hayward::sim
