// `hayward status`: asks a running controller for the quorum, its brokers and their leases, and offsets.
// Owner: tools. The main thread.
#include <cinttypes>
#include <cstdio>

#include <fmt/format.h>

#include "schemas/messages/hayward_status_request.h"
#include "schemas/messages/hayward_status_response.h"
#include "tools/client/client.h"
#include "tools/exit_code.h"
#include "tools/json.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {
namespace {

using Status = messages::HaywardStatusResponse;

struct Options {
  std::string controller = "127.0.0.1:9093";
  int timeout_ms = 5000;
  bool json = false;
};

const char* broker_state(const Status::Broker& broker) {
  if (broker.fenced) return "fenced";
  return broker.in_controlled_shutdown ? "shutting down" : "unfenced";
}

std::string age(std::int64_t ms) { return ms < 0 ? "none" : fmt::format("{:.1f} s", static_cast<double>(ms) / 1000); }

void print_text(const Status& s) {
  fmt::print("node {} of cluster {}, Hayward {}, up {}\n", s.node_id.value, s.cluster_id, s.version, age(s.uptime_ms));
  fmt::print("role:      {}\n", s.is_active ? "active controller" : "not active");
  fmt::print("quorum:    leader {}, epoch {}\n", s.leader_id.value, s.epoch.value);
  for (const auto& v : s.voters)
    fmt::print("           voter {} at {}:{}, log end {}, directory {}\n", v.id.value, v.host, v.port, v.log_end_offset.value,
               v.directory_id.to_string());
  for (const auto& o : s.observers)
    fmt::print("           observer {}, log end {}, fetched {} ago\n", o.id.value, o.log_end_offset.value, age(o.last_fetch_age_ms));
  fmt::print("log:       {} to {}, flushed {}, committed {}\n", s.log_start_offset.value, s.log_end_offset.value,
             s.flushed_offset.value, s.high_watermark.value);
  for (const auto& snapshot : s.snapshots)
    fmt::print("           snapshot {}-{}, {} bytes\n", snapshot.end_offset.value, snapshot.epoch.value, snapshot.size);
  fmt::print("metadata:  version {}, {} topics, {} partitions\n", s.metadata_version, s.topic_count, s.partition_count);
  fmt::print("brokers:   {}\n", s.brokers.size());
  for (const auto& b : s.brokers)
    fmt::print("           {:>6} {:<13} {}:{}  epoch {}, last heartbeat {} ago, leads {} of {} replicas, metadata offset {}\n",
               b.id.value, broker_state(b), b.host, b.port, b.epoch.value, age(b.lease_age_ms), b.leader_count, b.replica_count,
               b.metadata_offset.value);
}

void add_brokers(Json& json, const Status& s) {
  json.key("brokers").begin_array();
  for (const auto& b : s.brokers) {
    json.begin_object();
    json.key("id").value(b.id.value).key("epoch").value(b.epoch.value).key("state").value(broker_state(b));
    json.key("host").value(b.host).key("port").value(b.port).key("rack").value(b.rack);
    json.key("lease_age_ms").value(b.lease_age_ms).key("metadata_offset").value(b.metadata_offset.value);
    json.key("leaders").value(b.leader_count).key("replicas").value(b.replica_count);
    json.end_object();
  }
  json.end_array();
}

void add_quorum(Json& json, const Status& s) {
  json.key("quorum").begin_object().key("leader").value(s.leader_id.value).key("epoch").value(s.epoch.value);
  json.key("voters").begin_array();
  for (const auto& v : s.voters) {
    json.begin_object().key("id").value(v.id.value).key("directory_id").value(v.directory_id.to_string());
    json.key("host").value(v.host).key("port").value(v.port).key("log_end").value(v.log_end_offset.value).end_object();
  }
  json.end_array().key("observers").begin_array();
  for (const auto& o : s.observers) {
    json.begin_object().key("id").value(o.id.value).key("log_end").value(o.log_end_offset.value);
    json.key("last_fetch_age_ms").value(o.last_fetch_age_ms).end_object();
  }
  json.end_array().end_object();
}

void print_json(const Status& s) {
  Json json;
  json.begin_object();
  json.key("node").value(s.node_id.value).key("cluster").value(s.cluster_id).key("version").value(s.version);
  json.key("uptime_ms").value(s.uptime_ms).key("active").value(s.is_active);
  add_quorum(json, s);
  json.key("log").begin_object().key("start").value(s.log_start_offset.value).key("end").value(s.log_end_offset.value);
  json.key("flushed").value(s.flushed_offset.value).key("high_watermark").value(s.high_watermark.value);
  json.key("snapshots").begin_array();
  for (const auto& snapshot : s.snapshots) {
    json.begin_object().key("end").value(snapshot.end_offset.value).key("epoch").value(snapshot.epoch.value);
    json.key("bytes").value(snapshot.size).end_object();
  }
  json.end_array().end_object();
  json.key("metadata").begin_object().key("version").value(s.metadata_version).key("topics").value(s.topic_count);
  json.key("partitions").value(s.partition_count).end_object();
  add_brokers(json, s);
  json.end_object();
  std::puts(json.text().c_str());
}

int status(const Options& options) {
  auto client = Client::connect(options.controller, options.timeout_ms);
  auto answer = client ? client->call<Status>(messages::HaywardStatusRequest{}, 0)
                       : std::expected<Status, std::string>(std::unexpected(client.error()));
  if (!answer) {
    std::fprintf(stderr, "hayward: %s\n", answer.error().c_str());
    return exit_unavailable;
  }
  options.json ? print_json(*answer) : print_text(*answer);
  return exit_ok;
}

}  // namespace

void add_status(CLI::App& app, Verb& chosen) {
  auto* verb = app.add_subcommand("status", "Ask a running Hayward controller about its quorum, brokers, leases and offsets");
  auto options = std::make_shared<Options>();
  verb->add_option("--controller,--bootstrap-controller", options->controller, "host:port of its listener")->capture_default_str();
  verb->add_option("--timeout-ms", options->timeout_ms, "how long to wait for it")->capture_default_str();
  verb->add_flag("--json", options->json, "one JSON object instead of text");
  verb->callback([&chosen, options] { chosen = [options] { return status(*options); }; });
}

}  // namespace hayward::tools
