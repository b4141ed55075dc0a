// A controller's settings, read from server.properties and checked as Kafka checks them at start.
// Owner: tools/config. Start-up; the result is handed to core, log and net.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/properties.h"
#include "engine/core/start.h"

namespace hayward::config {

struct Listener {
  std::string name;   // e.g. CONTROLLER
  std::string host;   // "" binds every address
  std::uint16_t port = 0;
};

// Times in ms, sizes in bytes; the comment is the server.properties key.
struct LogSettings {
  std::filesystem::path metadata_dir;                // metadata.log.dir, else the first of log.dirs
  std::vector<std::filesystem::path> log_dirs;       // log.dirs, else log.dir; metadata_dir is always among them
  std::int64_t segment_bytes = 1 << 30;              // metadata.log.segment.bytes
  std::int64_t segment_ms = 604800000;               // metadata.log.segment.ms
  std::int64_t retention_bytes = 104857600;          // metadata.max.retention.bytes
  std::int64_t retention_ms = 604800000;             // metadata.max.retention.ms
  std::int64_t delete_delay_ms = 60000;              // internal.metadata.delete.delay.millis
};

struct NetSettings {
  std::vector<Listener> listeners;                   // listeners, controller.listener.names' first one first
  // socket.listen.backlog.size. Kafka's default is 50; of 300 brokers that come back at once the kernel then drops
  // the first packet of many, and they try again a second later.
  std::int32_t backlog = 4096;
  std::int32_t send_buffer_bytes = 102400;           // socket.send.buffer.bytes; -1: the system's
  std::int32_t receive_buffer_bytes = 102400;        // socket.receive.buffer.bytes; -1: the system's
  std::int32_t request_max_bytes = 104857600;        // socket.request.max.bytes
  std::int32_t peer_request_timeout_ms = 2000;       // controller.quorum.request.timeout.ms
  std::int64_t idle_ms = 600000;                     // connections.max.idle.ms
  std::int32_t max_connections = INT32_MAX;          // max.connections
  std::int32_t max_connections_per_ip = INT32_MAX;   // max.connections.per.ip
};

struct ShardSettings {
  std::int32_t count = 0;  // hayward.shards; 0: as many as the machine suggests
  bool pin = false;        // hayward.shards.pin: each shard's thread on a core of its own
};

struct ServerConfig {
  core::NodeConfig node;   // ids of cluster, directory and incarnation come from the directory later
  LogSettings log;
  NetSettings net;
  ShardSettings shards;
  std::vector<std::string> notes;   // one line each, for the log at start: keys that set nothing, unknown keys
};

// Every fault found, one line each: what was expected, what was found, what to do.
using Faults = std::vector<std::string>;

std::expected<ServerConfig, Faults> read_server_config(const Properties& properties);

// Reads `path` and lays `overrides` ("key=value") over it.
std::expected<Properties, Faults> load_properties(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace hayward::config
