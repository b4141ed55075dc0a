#include "tools/config/server_config.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <unistd.h>

#include "tools/config/kafka_keys.h"
#include "tools/config/listeners.h"
#include "tools/config/security_config.h"
#include "tools/config/text.h"

namespace hayward::config {
namespace {

// Reads values that have been checked already; faults of meaning are collected.
class Settings {
 public:
  explicit Settings(const Properties& properties) : properties_(properties) {}

  bool given(std::string_view key) const { return properties_.contains(std::string(key)); }
  std::string text(std::string_view key) const {
    const auto at = properties_.find(std::string(key));
    if (at != properties_.end()) return std::string(trim(at->second));
    const Key* known = find_key(key);
    return std::string(known ? known->default_value : std::string_view{});
  }
  bool boolean(std::string_view key) const { return lower(text(key)) == "true"; }
  template <class T>
  void integer(std::string_view key, T& into) const {
    if (const auto value = parse_integer(text(key))) into = static_cast<T>(*value);
  }

  Faults faults;

 private:
  const Properties& properties_;
};

// The authorizer's own keys, which stand outside Kafka's definition.
bool is_authorizer_key(std::string_view name) {
  return name == "super.users" || name == "allow.everyone.if.no.acl.found";
}

void refuse(Faults& faults, const std::string& name) {
  faults.push_back(name + ": not supported by Hayward yet; expected it absent or at its default. Remove it, or keep this "
                   "node on Kafka's own controller");
}

// "listener.name.<name>.<key>": security keys are refused, the others have nothing to set.
void check_prefixed(const std::string& name, Faults& faults, std::vector<std::string>& unused) {
  if (name.find(".ssl.") != std::string::npos || name.find(".sasl.") != std::string::npos ||
      name.ends_with("principal.builder.class")) {
    refuse(faults, name);
  } else {
    unused.push_back(name);
  }
}

void check_unknown(const std::string& name, std::vector<std::string>& notes) {
  std::string note = "unknown key " + name + " in the configuration: it has no effect";
  if (const auto nearest = nearest_key(name); !nearest.empty()) note += "; did you mean " + std::string(nearest) + "?";
  notes.push_back(std::move(note));
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Each key on its own: type, range, and what Hayward does with it.
void check_keys(const Properties& properties, Faults& faults, std::vector<std::string>& notes) {
  std::vector<std::string> unused, broker;
  for (const auto& [name, value] : properties) {
    const Key* key = find_key(name);
    if (!key) {
      if (name.starts_with("listener.name.")) check_prefixed(name, faults, unused);
      else if (name.starts_with("config.providers.")) refuse(faults, name);
      else if (!is_authorizer_key(name)) check_unknown(name, notes);
      continue;
    }
    if (const auto expected = check_value(*key, trim(value))) {
      faults.push_back(name + ": expected " + *expected + ", found \"" + value + "\"");
    } else if (key->use == Use::refused && trim(value) != key->default_value) {
      refuse(faults, name);
    } else if (key->use == Use::unused) {
      unused.push_back(name);
    } else if (key->use == Use::broker) {
      broker.push_back(name);
    }
  }
  if (!unused.empty()) notes.push_back("these keys set nothing in Hayward: " + joined(unused));
  if (!broker.empty()) notes.push_back("these keys are for brokers and have no effect on a controller: " + joined(broker));
}

void read_identity(Settings& s, core::NodeConfig& node) {
  if (const auto roles = split_list(s.text("process.roles")); roles != std::vector<std::string>{"controller"}) {
    s.faults.push_back("process.roles: expected controller, found \"" + s.text("process.roles") +
                       "\"; Hayward is a controller only, brokers stay Kafka's");
  }
  if (!s.given("node.id")) s.faults.push_back("node.id: expected a number of 0 or more, found nothing");
  s.integer("node.id", node.node_id.value);
  std::int32_t legacy = -1;
  s.integer("broker.id", legacy);
  if (legacy != -1 && legacy != node.node_id.value) {
    s.faults.push_back("broker.id: expected the same as node.id (" + std::to_string(node.node_id.value) + "), found " +
                       std::to_string(legacy) + "; remove broker.id");
  }
}

void read_quorum(Settings& s, core::NodeConfig& node, NetSettings& net, const std::string& controller_listener) {
  const auto voters = parse_voters("controller.quorum.voters", s.text("controller.quorum.voters"), controller_listener);
  const auto servers = parse_servers("controller.quorum.bootstrap.servers", s.text("controller.quorum.bootstrap.servers"));
  if (!voters) s.faults.push_back(voters.error());
  if (!servers) s.faults.push_back(servers.error());
  if (!voters || !servers) return;
  node.static_voters = *voters;
  node.bootstrap_servers = *servers;
  if (voters->empty() && servers->empty()) {
    s.faults.push_back("controller.quorum.bootstrap.servers: expected host:port of the controllers (or "
                       "controller.quorum.voters), found neither");
  }
  if (!voters->empty() && std::ranges::none_of(*voters, [&](const auto& v) { return v.id == node.node_id; })) {
    s.faults.push_back("controller.quorum.voters: expected node.id " + std::to_string(node.node_id.value) +
                       " among the voters, found \"" + s.text("controller.quorum.voters") + "\"");
  }
  std::set<NodeId> ids;
  for (const auto& voter : *voters) {
    if (!ids.insert(voter.id).second)
      s.faults.push_back("controller.quorum.voters: expected each id once, found " + std::to_string(voter.id.value) + " twice");
  }
  node.auto_join = s.boolean("controller.quorum.auto.join.enable");
  s.integer("controller.quorum.election.timeout.ms", node.election_timeout_ms);
  s.integer("controller.quorum.fetch.timeout.ms", node.fetch_timeout_ms);
  s.integer("controller.quorum.fetch.max.bytes", node.fetch_max_bytes);
  s.integer("controller.quorum.fetch.snapshot.max.bytes", node.fetch_snapshot_max_bytes);
  s.integer("controller.quorum.request.timeout.ms", net.peer_request_timeout_ms);
}

void read_controller(Settings& s, core::NodeConfig& node) {
  s.integer("broker.session.timeout.ms", node.broker_session_timeout_ms);
  s.integer("broker.heartbeat.interval.ms", node.broker_heartbeat_interval_ms);
  s.integer("metadata.max.idle.interval.ms", node.max_idle_interval_ms);
  s.integer("internal.metadata.max.batch.size.in.bytes", node.max_batch_bytes);
  s.integer("metadata.log.max.record.bytes.between.snapshots", node.snapshot_bytes);
  s.integer("metadata.log.max.snapshot.interval.ms", node.snapshot_interval_ms);
  s.integer("num.partitions", node.num_partitions);
  s.integer("default.replication.factor", node.default_replication_factor);
  s.integer("unclean.leader.election.interval.ms", node.unclean_election_interval_ms);
  s.integer("leader.imbalance.check.interval.seconds", node.leader_imbalance_check_interval_s);
  node.delete_topic_enable = s.boolean("delete.topic.enable");
  node.auto_leader_rebalance_enable = s.boolean("auto.leader.rebalance.enable");
  node.unstable_feature_versions = s.boolean("unstable.feature.versions.enable");
}

void read_log(Settings& s, LogSettings& log) {
  const std::string dirs = s.given("log.dirs") ? s.text("log.dirs") : s.text("log.dir");
  for (const auto& dir : split_list(dirs)) log.log_dirs.emplace_back(dir);
  if (log.log_dirs.empty()) {
    s.faults.push_back("log.dirs: expected at least one directory, found none");
    return;
  }
  log.metadata_dir = s.given("metadata.log.dir") ? std::filesystem::path(s.text("metadata.log.dir")) : log.log_dirs[0];
  if (std::ranges::find(log.log_dirs, log.metadata_dir) == log.log_dirs.end()) log.log_dirs.push_back(log.metadata_dir);
  s.integer("metadata.log.segment.bytes", log.segment_bytes);
  if (s.given("internal.metadata.log.segment.bytes")) s.integer("internal.metadata.log.segment.bytes", log.segment_bytes);
  s.integer("metadata.log.segment.ms", log.segment_ms);
  s.integer("metadata.max.retention.bytes", log.retention_bytes);
  s.integer("metadata.max.retention.ms", log.retention_ms);
  s.integer("internal.metadata.delete.delay.millis", log.delete_delay_ms);
}

void read_sockets(Settings& s, NetSettings& net) {
  if (s.given("socket.listen.backlog.size")) s.integer("socket.listen.backlog.size", net.backlog);
  s.integer("socket.send.buffer.bytes", net.send_buffer_bytes);
  s.integer("socket.receive.buffer.bytes", net.receive_buffer_bytes);
  s.integer("socket.request.max.bytes", net.request_max_bytes);
  s.integer("connections.max.idle.ms", net.idle_ms);
  s.integer("max.connections", net.max_connections);
  s.integer("max.connections.per.ip", net.max_connections_per_ip);
}

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

}  // namespace

std::expected<ServerConfig, Faults> read_server_config(const Properties& properties) {
  ServerConfig config;
  Settings s(properties);
  check_keys(properties, s.faults, config.notes);
  if (!s.faults.empty()) return std::unexpected(std::move(s.faults));
  std::vector<std::string> names = split_list(upper(s.text("controller.listener.names")));
  read_identity(s, config.node);
  read_listeners(s, config.node, config.net, names);
  read_quorum(s, config.node, config.net, names.empty() ? "" : names[0]);
  read_controller(s, config.node);
  read_security(properties, config.node, s.faults, config.notes);
  read_log(s, config.log);
  read_sockets(s, config.net);
  s.integer("hayward.shards", config.shards.count);
  config.shards.pin = s.boolean("hayward.shards.pin");
  for (const auto& [name, value] : properties) config.node.static_configs[name] = value;
  if (!s.faults.empty()) return std::unexpected(std::move(s.faults));
  return config;
}

std::expected<Properties, Faults> load_properties(const std::string& path, const std::vector<std::string>& overrides) {
  std::ifstream file(path);
  if (!file) return std::unexpected(Faults{path + ": expected a readable server.properties file, found none there"});
  std::stringstream text;
  text << file.rdbuf();
  auto properties = parse_properties(text.str());
  if (!properties)
    return std::unexpected(Faults{path + ", line " + std::to_string(properties.error().line) + ": " + properties.error().what});
  for (const auto& item : overrides) {
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      return std::unexpected(Faults{"--override: expected key=value, found \"" + item + "\""});
    (*properties)[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return *properties;
}

}  // namespace hayward::config
