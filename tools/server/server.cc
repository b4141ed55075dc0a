#include "tools/server/server.h"

#include <cstdio>
#include <memory>

#include "engine/base/prng.h"
#include "engine/core/control/served.h"
#include "engine/core/node.h"
#include "engine/host/driver/driver.h"
#include "engine/host/ring/uring.h"
#include "engine/host/shard/shard_thread.h"
#include "log/log.h"
#include "net/peers.h"
#include "net/resolver.h"
#include "net/server.h"
#include "tools/exit_code.h"
#include "tools/server/random_seed.h"
#include "tools/server/directories.h"
#include "tools/server/operator_log.h"
#include "tools/server/shard_count.h"
#include "tools/server/shard_threads.h"
#include "tools/server/stop_signal.h"

namespace hayward::tools {
namespace {

using Level = core::LogLine::Level;

log::LogOptions log_options(const config::LogSettings& settings, bool accept_data_loss) {
  log::LogOptions options;
  options.directory = settings.metadata_dir;
  options.segment_bytes = settings.segment_bytes;
  options.segment_ms = settings.segment_ms;
  options.retention_bytes = settings.retention_bytes;
  options.retention_ms = settings.retention_ms;
  options.delete_delay_ms = settings.delete_delay_ms;
  options.accept_data_loss = accept_data_loss;
  return options;
}

std::vector<net::ListenerSpec> listener_specs(const config::NetSettings& settings) {
  std::vector<net::ListenerSpec> specs;
  for (const auto& listener : settings.listeners) {
    specs.push_back({listener.name, listener.host, listener.port, settings.backlog, settings.send_buffer_bytes,
                     settings.receive_buffer_bytes});
  }
  return specs;
}

net::ServerConfig net_config(const config::NetSettings& settings) {
  net::ServerConfig config;
  config.request_max_bytes = settings.request_max_bytes;
  config.idle_ms = settings.idle_ms;
  config.max_connections = settings.max_connections;
  config.max_connections_per_ip = settings.max_connections_per_ip;
  return config;
}

// Everything of one running controller, in the order in which it is made. The other shards' threads and the ring go first
// at the end: once they run no more, nothing else is in flight.
class Controller {
 public:
  Controller(const config::ServerConfig& config, OperatorLog& out) : config_(config), out_(out) {}
  ~Controller() {
    threads_.reset();
    port_.reset();
  }

  // exit_ok, or why there is no controller (told on standard error).
  int open(bool accept_data_loss) {
    if (const int code = read_directories()) return code;
    if (const int code = open_ring()) return code;
    if (const int code = open_log(accept_data_loss)) return code;
    if (const int code = open_net()) return code;
    if (const int code = load_node()) return code;
    return serve();
  }

  int run() {
    stop_ = std::make_unique<StopSignal>(*port_, [this] {
      out_.line(Level::info, "stopping: asked by a signal");
      driver_->stop();
    });
    driver_->start();
    while (driver_->run_once(true)) {
    }
    if (driver_->outcome() == driver::Driver::Outcome::stopped) {
      out_.line(Level::info, "stopped");
      return exit_ok;
    }
    std::fprintf(stderr, "hayward: %s\n", driver_->failure().c_str());
    return exit_failed;
  }

 private:
  static int refuse(int code, const std::string& line) {
    std::fprintf(stderr, "hayward: %s\n", line.c_str());
    return code;
  }

  int read_directories() {
    const auto identity = read_identity(config_.log, config_.node.node_id);
    if (!identity) return refuse(exit_refused, identity.error());
    auto bootstrap = read_bootstrap_records(config_.log);
    if (!bootstrap) return refuse(exit_refused, bootstrap.error());
    node_config_ = config_.node;
    node_config_.cluster_id = identity->cluster_id;
    node_config_.directory_id = identity->directory_id;
    Prng prng(random_seed());
    node_config_.incarnation_id = IncarnationId{prng.uuid()};
    node_config_.random_seed = prng.next();
    node_config_.bootstrap_source = bootstrap->empty() ? "the default bootstrap" : "bootstrap.checkpoint";
    node_config_.bootstrap_records = std::move(*bootstrap);
    return exit_ok;
  }

  int open_ring() {
    auto port = ring::create_uring({});
    if (!port) return refuse(exit_unavailable, port.error().what);
    port_ = std::move(*port);
    return exit_ok;
  }

  int open_log(bool accept_data_loss) {
    auto log = log::Log::open(*port_, log_options(config_.log, accept_data_loss));
    if (!log) return refuse(exit_refused, log.error().to_line());
    log_ = std::move(*log);
    for (const auto& note : log_->notes()) out_.line(Level::warn, note);
    return exit_ok;
  }

  int open_net() {
    auto listeners = net::open_listeners(listener_specs(config_.net));
    if (!listeners) return refuse(exit_unavailable, listeners.error());
    listeners_ = std::move(*listeners);
    return exit_ok;
  }

  int load_node() {
    node_ = std::make_unique<core::Node>(node_config_, log_->state());
    const auto loaded = log_->replay_now([this](Bytes batch) { return node_->load_snapshot(batch); },
                                         [this](Bytes batch) { return node_->load_batch(batch); });
    if (!loaded) {
      const std::string directory = config_.log.metadata_dir.string();
      return refuse(exit_refused, loaded.error() + "; hayward inspect --records " + directory + " shows it");
    }
    driver::Controller controller{
        [this](const Time& now, core::Effects& out) { node_->start(now, out); },
        [this](const Time& now, const core::Event& event, core::Effects& out) { node_->step(now, event, out); }};
    settings_ = {node_config_.broker_session_timeout_ms, node_config_.fetch_timeout_ms, shard_count(config_.shards)};
    driver_ = std::make_unique<driver::Driver>(*port_, settings_, log_->state().end, std::move(controller), write_line());
    return exit_ok;
  }

  // Everything that serves, over all shards; connections come in from here on.
  int serve() {
    const auto cores = config_.shards.pin ? cores_to_pin(settings_.shards) : std::vector<int>(settings_.shards, -1);
    if (cores[0] >= 0 && shard::pin_to_core(cores[0]) != 0) {
      return refuse(exit_unavailable, "hayward.shards.pin: core " + std::to_string(cores[0]) + " cannot be used");
    }
    net_ = std::make_unique<net::Server>(*port_, net_config(config_.net), core::served_apis(), driver_->net_events(),
                                         write_line());
    if (settings_.shards > 1) {
      auto threads = ShardThreads::start(settings_, cores, *port_, net_config(config_.net), write_line());
      if (!threads) return refuse(exit_unavailable, threads.error());
      threads_ = std::move(*threads);
    }
    resolver_ = net::make_resolver(*port_);
    peers_ = std::make_unique<net::Peers>(
        *port_, *resolver_,
        net::PeersConfig{.client_id = "raft-client-" + std::to_string(node_config_.node_id.value),
                         .request_timeout_ms = config_.net.peer_request_timeout_ms},
        driver_->peer_events());
    log_->start(driver_->log_events());
    driver_->attach({*log_, *net_, peers_.get(), threads_ ? &threads_->set() : nullptr});
    net_->listen(std::move(listeners_));
    out_.line(Level::info, "running on " + std::to_string(settings_.shards) + (settings_.shards == 1 ? " shard" : " shards"));
    return exit_ok;
  }

  driver::LogLine write_line() {
    return [this](Level level, const std::string& text) { out_.line(level, text); };
  }

  const config::ServerConfig& config_;
  OperatorLog& out_;
  core::NodeConfig node_config_;
  driver::Settings settings_;
  std::unique_ptr<ring::Port> port_;
  std::unique_ptr<ShardThreads> threads_;
  std::unique_ptr<log::Log> log_;
  std::vector<net::OpenListener> listeners_;
  std::unique_ptr<core::Node> node_;
  std::unique_ptr<driver::Driver> driver_;
  std::unique_ptr<net::Server> net_;
  std::unique_ptr<net::Resolver> resolver_;
  std::unique_ptr<net::Peers> peers_;
  std::unique_ptr<StopSignal> stop_;
};

}  // namespace

int run_server(const config::ServerConfig& config, bool accept_data_loss) {
  block_stop_signals();
  OperatorLog out;
  out.line(Level::info, "Hayward " HAYWARD_VERSION ", node " + std::to_string(config.node.node_id.value));
  for (const auto& note : config.notes) out.line(Level::warn, note);
  Controller controller(config, out);
  if (const int code = controller.open(accept_data_loss)) return code;
  for (const auto& listener : config.net.listeners)
    out.line(Level::info, "ready on " + listener.name + "://" + listener.host + ":" + std::to_string(listener.port));
  return controller.run();
}

}  // namespace hayward::tools
