// Connections to the other controllers of the quorum: carries out SendToPeer.
// Owner: the controller shard; all calls and call-backs on its thread.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "engine/host/driver/ports.h"
#include "net/peer_link.h"

namespace hayward::net {

class Peers final : public driver::PeerPort {
 public:
  Peers(ring::Port& port, Resolver& resolver, PeersConfig config, driver::PeerEvents events);
  // Not while anything is in flight: after stop()'s effect, or when the port runs no more.
  ~Peers() override;

  void send(core::SendToPeer&& request) override;
  void stop() override;
  bool quiet() const;

 private:
  // Fetches wait long; nothing else waits behind them.
  using Key = std::pair<NodeId, bool>;

  ring::Port& port_;
  Resolver& resolver_;
  const PeersConfig config_;
  driver::PeerEvents events_;
  std::map<Key, std::unique_ptr<PeerLink>> links_;  // one for each voter, ever; few
};

}  // namespace hayward::net
