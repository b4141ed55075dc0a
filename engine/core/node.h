// Shard 0's machine: the whole controller as one deterministic state machine. The host feeds it what
// recovery found, then one event at a time; it answers with effects. The same events give the same
// effects, byte for byte.
// Owner: the host's driver. Shard 0.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "engine/base/time.h"
#include "engine/core/effect.h"
#include "engine/core/event.h"
#include "engine/core/start.h"
#include "schemas/runtime/bytes.h"

namespace hayward::core {

class Image;
struct NodeState;  // engine/core/node_state.h

// What of the node the host may look at between events (logging, the simulator's invariants, tests).
struct NodeView {
  Epoch epoch{0};
  NodeId leader = no_node;
  bool active = false;  // activation is done: requests that write are served
  Offset high_watermark = no_offset;
  Offset log_end{0};
};

class Node {
 public:
  Node(const NodeConfig& config, const LogState& log);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Before start(), in this order: every batch of the newest snapshot (log.snapshots.back(); 0-0 is one),
  // then every batch of the log from that snapshot's end (else from log.start) on. `batch` is one whole
  // batch whose CRC has been checked. The error is one line that names offset, record, expectation and
  // finding; the node cannot be used after it.
  std::expected<void, std::string> load_snapshot(Bytes batch);
  std::expected<void, std::string> load_batch(Bytes batch);

  // Begins the first election. May end in a Fail effect (a voter set this node cannot serve).
  void start(const Time& now, Effects& out);

  // Appends to `out` what `event` brings about, in the order in which it must be carried out.
  void step(const Time& now, const Event& event, Effects& out);

  NodeView view() const;
  const Image& image() const;

 private:
  std::unique_ptr<NodeState> state_;
};

}  // namespace hayward::core
