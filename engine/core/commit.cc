// See commit.h.
#include "engine/core/commit.h"

#include "engine/core/activation.h"
#include "engine/core/control/fetch.h"

namespace hayward::core {

void log_flushed(NodeState& node, Offset end, const Time& now, Effects& out) {
  node.log.flushed_to(end);
  raft::Leader* leader = node.quorum.leading();
  if (leader == nullptr || !leader->flushed(end, node.voters.last())) return;

  const Offset high_watermark = leader->high_watermark();
  node.image.set_committed(Offset{high_watermark.value - 1});
  // Before any answer that waited for it: who may do what is known as it is committed.
  if (node.authorizer.catch_up(node.image.take_committed_acls())) {
    out.push_back(PublishClusterAccess{node.authorizer.published()});
  }
  node.published_features.committed(high_watermark, node.image.features());
  node.parked.release(high_watermark, out);
  answer_fetches(node, node.fetches.take_behind(high_watermark), now, out);
  node.snapshotter.release(high_watermark, out);
  if (!node.active && !node.stopping) activate(node, now, out);
}

}  // namespace hayward::core
