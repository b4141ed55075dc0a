// `hayward load`: model brokers against a controller, Hayward's or Java's, and what its answers took.
// Owner: tools. The main thread.
#include "tools/load/load.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "engine/host/ring/uring.h"
#include "schemas/messages/describe_cluster_request.h"
#include "schemas/messages/describe_cluster_response.h"
#include "tools/client/client.h"
#include "tools/exit_code.h"
#include "tools/load/report.h"
#include "tools/server/random_seed.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {
namespace {

constexpr ring::RingOptions ring_options{.entries = 2048, .recv_buffers = 1024, .recv_buffer_bytes = 4096};
constexpr const char* description =
    "Put a load on a controller, Hayward's or Java's: model brokers register, are unfenced and heartbeat; topics are "
    "created";
constexpr const char* footer =
    "With --rate the loop is open: latency counts from the time at which a request was meant to be sent, however late\n"
    "the answer before it came. Without, each broker sends its next heartbeat when the last one is answered.\n"
    "Works against any Kafka controller; what it registers and creates stays there.\n"
    "Example: hayward load --controller 127.0.0.1:9093 --brokers 300 --rate 10000 --duration 30\n"
    "Exit codes: 0 every request was answered without error; 1 some were not; 2 wrong arguments; 4 nobody answers.";

struct Options {
  std::string controller = "127.0.0.1:9093";
  bool json = false;
  LoadOptions load;
};

struct Found {
  std::string address;
  std::string cluster_id;
  LoadTarget target;
};

// The active controller, as the one that was named knows it.
std::expected<Found, std::string> ask_for_active(Client& client, const std::string& address) {
  constexpr std::int8_t controllers = 2;
  messages::DescribeClusterRequest request;
  request.endpoint_type = controllers;
  const auto answer = client.call<messages::DescribeClusterResponse>(request, 1);
  if (!answer) return std::unexpected(answer.error());
  if (answer->error_code != ErrorCode::none) {
    return std::unexpected(address + ": expected a controller, found " + std::string(name(answer->error_code)));
  }
  for (const auto& node : answer->brokers) {
    if (node.broker_id != answer->controller_id) continue;
    return Found{fmt::format("{}:{}", node.host, node.port), std::string(answer->cluster_id), {}};
  }
  return std::unexpected(address + ": expected an active controller, found none");
}

// Waits a little for one that has just started: until it has read its metadata it refuses this question.
std::expected<Found, std::string> find_controller(const std::string& address) {
  constexpr int timeout_ms = 5000;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  auto client = Client::connect(address, timeout_ms);
  if (!client) return std::unexpected(client.error());
  auto found = ask_for_active(*client, address);
  while (!found && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    found = ask_for_active(*client, address);
  }
  if (!found) return found;
  const auto active = Client::connect(found->address, timeout_ms);
  if (!active) return std::unexpected(active.error());
  found->target.length = active->peer_address(found->target.address);
  return found;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int report(const Load& load, const Options& options, const std::string& address) {
  if (options.json)
    std::puts(report_json(load, address, options.load).c_str());
  else
    std::fputs(report_text(load).c_str(), stdout);
  if (!load.problem().empty()) std::fprintf(stderr, "hayward: %s: %s\n", address.c_str(), load.problem().c_str());
  return load.problem().empty() && failures(load) == 0 ? exit_ok : exit_failed;
}

int run_load(Options options) {
  const auto found = find_controller(options.controller);
  if (!found) {
    std::fprintf(stderr, "hayward: %s\n", found.error().c_str());
    return exit_unavailable;
  }
  raise_descriptor_limit();
  auto port = ring::create_uring(ring_options);
  if (!port) {
    std::fprintf(stderr, "hayward: %s\n", port.error().what.c_str());
    return exit_unavailable;
  }
  if (options.load.cluster_id.empty()) options.load.cluster_id = found->cluster_id;
  const std::uint64_t seed = random_seed();
  options.load.topics.prefix = fmt::format("load-{:08x}-", static_cast<std::uint32_t>(seed));
  ring::Port& ring = **port;
  const auto turn_until = [&ring](const std::function<bool()>& condition) {
    while (!condition()) ring.run_once(true);
  };
  Load::Progress progress;
  if (!options.json) {
    progress = [&ring, begin_ns = ring.now_ns()](const PhaseResult& result) {
      const double elapsed_s = static_cast<double>(ring.now_ns() - begin_ns) / 1e9;
      std::fprintf(stderr, "%s\n", progress_text(result, elapsed_s).c_str());
    };
  }
  Load load(ring, found->target, options.load, seed, turn_until, progress);
  load.run();
  const int code = report(load, options, found->address);
  port->reset();  // before what its operations point to
  return code;
}

}  // namespace

void add_load(CLI::App& app, Verb& chosen) {
  auto* verb = app.add_subcommand("load", description);
  auto options = std::make_shared<Options>();
  LoadOptions& load = options->load;
  verb->add_option("--controller", options->controller, "host:port of a controller's listener")->capture_default_str();
  verb->add_option("--cluster-id", load.cluster_id, "what the brokers say; default: what the controller says");
  verb->add_option("--brokers", load.brokers, "how many model brokers, a connection each")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  verb->add_option("--first-id", load.first_id, "the first one's id; the others follow")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--rate", load.rate_per_s, "heartbeats a second of all brokers together; 0: closed loop")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--duration", load.duration_s, "seconds of heartbeats; 0: none")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  verb->add_option("--create-topics", load.topics.count, "then create so many topics, each with a request of its own")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--partitions", load.topics.partitions, "of each topic")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--replication-factor", load.topics.replication_factor, "of each topic")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--clients", load.clients, "connections that create topics, a request at a time each")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  verb->add_flag("--json", options->json, "one JSON object instead of text, and no progress lines");
  verb->footer(footer);
  verb->callback([&chosen, options] { chosen = [options] { return run_load(*options); }; });
}

}  // namespace hayward::tools
