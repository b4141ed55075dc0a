// See peers.h.
#include "net/peers.h"

#include "schemas/messages/fetch_request.h"
#include "schemas/messages/fetch_snapshot_request.h"

namespace hayward::net {

Peers::Peers(ring::Port& port, Resolver& resolver, PeersConfig config, driver::PeerEvents events)
    : port_(port), resolver_(resolver), config_(std::move(config)), events_(std::move(events)) {}

Peers::~Peers() = default;

void Peers::send(core::SendToPeer&& request) {
  const bool fetches = request.api_key == messages::FetchRequest::api_key ||
                       request.api_key == messages::FetchSnapshotRequest::api_key;
  auto& link = links_[{request.peer, fetches}];
  if (!link) {
    link = std::make_unique<PeerLink>(port_, resolver_, config_,
                                      [this](const core::PeerReply& reply) { events_.replied(reply); });
  }
  link->send(std::move(request));
}

void Peers::stop() {
  for (auto& [key, link] : links_) link->stop();
}

bool Peers::quiet() const {
  for (const auto& [key, link] : links_) {
    if (!link->quiet()) return false;
  }
  return true;
}

}  // namespace hayward::net
