#include "tools/config/listener_config.h"

#include <algorithm>
#include <set>
#include <utility>

#include <unistd.h>

#include "tools/config/listeners.h"
#include "tools/config/text.h"

namespace hayward::config {
namespace {

// The protocol of each controller listener; anything but PLAINTEXT is refused until security is there.
void check_protocols(Settings& s, const std::vector<core::Endpoint>& listeners) {
  const auto map = parse_protocol_map(s.text("listener.security.protocol.map"));
  if (!map) {
    s.faults.push_back(map.error());
    return;
  }
  for (const auto& listener : listeners) {
    const auto at = std::ranges::find(*map, listener.listener, &ProtocolOf::listener);
    if (at == map->end() && s.given("listener.security.protocol.map")) {
      s.faults.push_back("listener.security.protocol.map: expected an entry for " + listener.listener + ", found \"" +
                         s.text("listener.security.protocol.map") + "\"");
    } else if (at != map->end() && at->protocol != 0) {
      s.faults.push_back("listener.security.protocol.map: expected " + listener.listener +
                         ":PLAINTEXT (TLS and SASL are not supported by Hayward yet), found another protocol");
    }
  }
}

void check_bindings(Settings& s, const std::vector<core::Endpoint>& listeners, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const auto& listener : listeners) {
    if (!seen.insert(listener.listener).second)
      s.faults.push_back("listeners: expected each name once, found " + listener.listener + " twice");
    if (std::ranges::find(names, listener.listener) == names.end()) {
      s.faults.push_back("listeners: expected only the names of controller.listener.names (" + joined(names) + "), found " +
                         listener.listener);
    }
    const auto same_port = [&](const core::Endpoint& other) {
      return &other != &listener && other.port == listener.port && other.port != 0 && other.host == listener.host;
    };
    if (std::ranges::any_of(listeners, same_port))
      s.faults.push_back("listeners: expected each address once, found port " + std::to_string(listener.port) + " twice");
  }
  for (const auto& name : names) {
    if (!seen.contains(name)) s.faults.push_back("listeners: expected an entry for " + name + " of controller.listener.names, found none");
  }
  const std::string inter_broker = upper(s.text("inter.broker.listener.name"));
  if (!inter_broker.empty() && std::ranges::find(names, inter_broker) != names.end())
    s.faults.push_back("inter.broker.listener.name: expected a broker's listener, found the controller listener " + inter_broker);
}

// This machine's name, what Kafka advertises for a wildcard bind.
std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

bool is_wildcard(const std::string& host) { return host.empty() || host == "0.0.0.0" || host == "::"; }

// What peers are told: advertised.listeners where given, else the bind address; never a wildcard.
void read_advertised(Settings& s, const std::vector<core::Endpoint>& listeners, core::NodeConfig& node,
                     const std::string& own_host) {
  const auto advertised = parse_listeners("advertised.listeners", s.text("advertised.listeners"));
  if (!advertised) {
    s.faults.push_back(advertised.error());
    return;
  }
  for (core::Endpoint endpoint : listeners) {
    const auto at = std::ranges::find(*advertised, endpoint.listener, &core::Endpoint::listener);
    if (at != advertised->end()) {
      endpoint.host = at->host;
      endpoint.port = at->port;
      if (is_wildcard(endpoint.host))
        s.faults.push_back("advertised.listeners: expected a host that others can reach, found \"" + at->host + "\"");
    } else if (is_wildcard(endpoint.host)) {
      endpoint.host = own_host;
    }
    node.advertised.push_back(std::move(endpoint));
  }
}

}  // namespace

void read_listeners(Settings& s, core::NodeConfig& node, NetSettings& net, const std::vector<std::string>& names) {
  if (names.empty()) s.faults.push_back("controller.listener.names: expected the name of a controller listener, found nothing");
  auto listeners = parse_listeners("listeners", s.text("listeners"));
  if (!listeners) {
    s.faults.push_back(listeners.error());
    return;
  }
  check_bindings(s, *listeners, names);
  check_protocols(s, *listeners);
  // The first of controller.listener.names is the one that goes into voter records and outgoing traffic.
  const auto first = std::ranges::find_if(*listeners, [&](const auto& e) { return !names.empty() && e.listener == names[0]; });
  if (first != listeners->end()) std::rotate(listeners->begin(), first, first + 1);
  for (const auto& l : *listeners) net.listeners.push_back({l.listener, l.host, l.port});
  read_advertised(s, *listeners, node, host_name());
}

}  // namespace hayward::config
