// The log of the controller as an onlooker sees it, on a thread and a connection of its own so that reading it does not
// disturb what is measured: what has fallen with brokers that died, and when it was all settled again. Only what is
// committed counts.
// Owner: `hayward load`. on_... its own thread; the rest any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tools/load/cluster_view.h"
#include "tools/load/histogram.h"
#include "tools/load/observer.h"

namespace hayward::tools {

// What became of the partitions that the doomed led.
struct Fall {
  std::uint64_t led = 0;         // before
  std::uint64_t moved = 0;       // to another leader
  std::uint64_t leaderless = 0;  // none could take over
  std::uint64_t waiting = 0;     // still with the dead
  Histogram after_expiry;        // of what has moved or lost its leader: from when the last one's session was over
  std::uint64_t fenced = 0;      // of the doomed
  std::uint64_t too_early = 0;   // moved or fenced before even the first one's session was over
  std::int64_t first_ns = 0;     // of the changes: times of the port's clock; 0: none yet
  std::int64_t last_ns = 0;
  std::int64_t last_fenced_ns = 0;
};

class Watch final : public ObserverSink {
 public:
  void on_batches(Bytes batches) override;
  void on_fetched(const Answer& answer) override;

  // Whether a fetch sent after `ns` found nothing new: the view is as of then or later.
  bool caught_up_since(std::int64_t ns) const { return caught_up_ns_.load(std::memory_order_acquire) >= ns; }
  // These brokers will be heard no more; the first one's session ends at first_expiry_ns, the last one's at expiry_ns.
  void doom(std::vector<NodeId> brokers, std::int64_t first_expiry_ns, std::int64_t expiry_ns);
  // Every doomed broker is fenced and leads nothing.
  bool settled() const { return settled_.load(std::memory_order_acquire); }
  Fall fall() const;
  std::size_t partitions() const;
  std::vector<LedPartition> altered_candidates(std::size_t limit) const;

 private:
  struct Pending {
    Offset last;
    Buffer bytes;
  };
  void apply(Bytes batch, std::int64_t seen_ns);
  void note(const ClusterView::Change& change, std::int64_t seen_ns);

  std::atomic<std::int64_t> caught_up_ns_ = 0;
  std::atomic<bool> settled_ = false;
  mutable std::mutex mutex_;
  ClusterView view_;
  std::deque<Pending> pending_;  // read and not committed; its own thread only
  std::vector<NodeId> doomed_;   // sorted
  std::int64_t first_expiry_ns_ = 0;
  std::int64_t expiry_ns_ = 0;
  Fall fall_;
};

}  // namespace hayward::tools
