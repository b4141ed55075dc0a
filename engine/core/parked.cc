// See parked.h.
#include "engine/core/parked.h"

#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::core {

KeptRequest::KeptRequest(const Request& original)
    : request(original),
      body_(original.body.begin(), original.body.end()),
      listener_(original.listener),
      client_id_(original.client_id.value_or("")) {
  request.body = body_;
  request.listener = listener_;
  if (request.client_id) request.client_id = client_id_;
}

std::vector<std::unique_ptr<KeptRequest>> Parked::take_requests() {
  std::vector<std::unique_ptr<KeptRequest>> requests;
  for (Waiting& waiting : waiting_) {
    if (waiting.request) requests.push_back(std::move(waiting.request));
  }
  waiting_.clear();
  return requests;
}

void Parked::park(Offset end, Reply reply, std::unique_ptr<KeptRequest> request) {
  HAYWARD_ASSERT(waiting_.empty() || waiting_.back().end <= end, "C12: later answers wait for at least as much");
  waiting_.push_back({end, std::move(reply), std::move(request)});
}

void Parked::release(Offset high_watermark, Effects& out) {
  while (!waiting_.empty() && waiting_.front().end <= high_watermark) {
    out.push_back(std::move(waiting_.front().reply));
    waiting_.pop_front();
  }
}

void Parked::forget(ConnectionId connection) {
  std::erase_if(waiting_, [&](const Waiting& w) { return w.reply.connection == connection; });
}

}  // namespace hayward::core
