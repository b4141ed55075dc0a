// See dispatch.h.
#include "engine/core/control/dispatch.h"

#include <memory>
#include <string>
#include <utility>

#include "engine/core/control/envelope.h"
#include "engine/core/control/fetch.h"
#include "engine/core/control/fetch_snapshot.h"
#include "engine/core/control/handlers.h"
#include "engine/core/control/served.h"
#include "schemas/messages/api_keys.h"

namespace hayward::core {
namespace {

using messages::ApiKey;

constexpr std::int64_t denials_told_every_ms = 60'000;

RequestContext context_of(const Request& request, const Time& now) {
  RequestContext context;
  context.api_key = request.api_key;
  context.api_version = request.api_version;
  context.listener = request.listener;
  context.client_address = request.client_address;
  context.now = now;
  context.arrival = request.arrival;
  context.client_id = request.client_id;
  return context;
}

void close(const Request& request, std::string reason, Effects& out) {
  out.push_back(CloseConnection{request.connection, std::move(reason)});
}

// The answer does not say it (P2), so the log does, once a minute.
void tell_of_denial(NodeState& node, const RequestContext& context, Effects& out) {
  if (context.now.mono < node.tell_of_denials_at) return;
  node.tell_of_denials_at = {context.now.mono.ns + ms_to_ns(denials_told_every_ms)};
  const Requester who = requester(context.principal.type, context.principal.name, context.client_address);
  out.push_back(LogLine{LogLine::Level::warn, who.principal + " at " + who.host +
                                                  " may not do CLUSTER_ACTION: it is not served as a replica (api " +
                                                  std::to_string(context.api_key) + ")"});
}

// Only where there are other voters can leadership be lost before the answer may go out.
std::unique_ptr<KeptRequest> kept(const NodeState& node, const Request& request) {
  return node.quorum.is_only_voter() ? nullptr : std::make_unique<KeptRequest>(request);
}

// What an answer shows must not be undone later: it goes out once everything that has been written so far is
// committed, be it the handler's own records or what it has read (C12).
// A follower's image holds nothing that could be undone.
void answer_after_pending(NodeState& node, const Request& request, Reply reply, Effects& out) {
  if (node.quorum.leading() == nullptr || node.high_watermark() >= node.log.end()) {
    out.push_back(std::move(reply));
    return;
  }
  node.parked.park(node.log.end(), std::move(reply), kept(node, request));
}

void send(NodeState& node, const Request& request, Outcome outcome, Effects& out) {
  if (node.failed) return;
  if (outcome.malformed) {
    close(request, "malformed body of api " + std::to_string(request.api_key), out);
    return;
  }
  if (outcome.wait == Outcome::Wait::for_leader) {
    node.leader_waits.park(request);
    return;
  }
  if (outcome.wait == Outcome::Wait::for_voter) {
    node.voter_probe->request = std::make_unique<KeptRequest>(request);
    return;
  }
  Reply reply{request.connection, std::move(outcome.answer)};
  if (outcome.until_unregistered)
    node.unregistrations.push_back({*outcome.until_unregistered, std::move(reply), kept(node, request)});
  else if (outcome.wait == Outcome::Wait::nothing)
    out.push_back(std::move(reply));
  else
    answer_after_pending(node, request, std::move(reply), out);
}

}  // namespace

void handle_request(NodeState& node, const Request& request, const Time& now, Effects& out) {
  const ServedApi* api = find_served(request.api_key);
  const bool served = api != nullptr && (api->has(request.api_version) || request.api_key == api_versions_key);
  if (!served) {
    close(request, "api " + std::to_string(request.api_key) + " is not served", out);
    return;
  }
  const RequestContext context = context_of(request, now);
  const Decision access = access_of(request.api_key).check(node.authorizer, context);
  if (access == Decision::denied && is_replicas_api(request.api_key)) tell_of_denial(node, context, out);
  switch (static_cast<ApiKey>(request.api_key)) {
    case ApiKey::fetch:
      fetch(node, request, access, now, out);
      break;
    case ApiKey::fetch_snapshot:
      fetch_snapshot(node, request, access, now, out);
      break;
    default: {
      HandlerCall call{node, context, request.correlation_id, request.body, now, out, access, new_records(node)};
      const Handler handler = find_handler(request.api_key);
      send(node, request, handler != nullptr ? handler(call) : envelope(call), out);
    }
  }
  node.arena.reset();
}

}  // namespace hayward::core
