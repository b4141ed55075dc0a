#include "tools/config/server_config.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tools/config/key_checks.h"
#include "tools/config/listener_config.h"
#include "tools/config/listeners.h"
#include "tools/config/security_config.h"
#include "tools/config/settings.h"
#include "tools/config/text.h"

namespace hayward::config {
namespace {

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
  s.integer("controller.quota.window.num", node.mutation_quota_samples);
  s.integer("controller.quota.window.size.seconds", node.mutation_quota_sample_s);
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
