// `hayward load`: model brokers against a controller, Hayward's or Java's, and what its answers took.
// Owner: tools. The main thread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "tools/descriptor_limit.h"
#include "tools/exit_code.h"
#include "tools/load/report.h"
#include "tools/load/runner.h"
#include "tools/load/target.h"
#include "tools/load/threshold.h"
#include "tools/server/random_seed.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {
namespace {

constexpr const char* description =
    "Put a load on a controller, Hayward's or Java's: model brokers register, are unfenced, heartbeat, die and return; "
    "topics are created and in-sync replicas changed meanwhile";
constexpr const char* footer = R"(Phases, in the order given:
  register, unfence  every broker registers, then heartbeats until it is told that it is unfenced; always first
  steady             heartbeats for --duration: closed loop, or --rate a second
  create             --topics topics by --clients connections
  alter-partition    --alter-partitions changes of in-sync replicas, as leaders ask for them
  kill               the last --kill brokers send a last heartbeat at once and are heard no more. Read from the metadata
                     log: the time from the end of their session until each partition they led has a new leader or none
  return             they register again and are unfenced
In create, alter-partition, kill and return the living brokers heartbeat every --heartbeat-interval; what that took is a
phase of its own: create/heartbeats and so on.

With --rate the loop is open: latency counts from the time at which a request was meant to be sent, however late the
answer before it came. Without, each broker sends its next heartbeat when the last one is answered.

A threshold is [PHASE.]METRIC>VALUE or <VALUE; without PHASE it holds for every phase. METRIC: p50 p90 p99 p99.9 p99.99
max mean (with us, ms or s), errors unanswered ok sent rate. Given any, they alone decide between exit codes 0 and 1;
without, every error and unanswered request fails the run.

Works against any Kafka controller of 4.0 or newer; what it registers and creates stays there.

Examples:
  300 brokers, 10,000 heartbeats a second, half a minute; fails when one in a thousand takes longer than 5 ms:
    hayward load --controller 127.0.0.1:9093 --brokers 300 --rate 10000 --duration 30 --fail-if 'steady.p99.9>5ms'
  Topics from 16 clients at once, 10 partitions each, and how the brokers' heartbeats fare beside it:
    hayward load --phases register,unfence,create --brokers 3 --clients 16 --topics 1000 --partitions 10
  40 of 340 brokers die with 200,000 partitions; a third of these has a replica on one that lives:
    hayward load --phases register,unfence,create,kill,return --brokers 340 --kill 40 --survivors 33 --topics 2000 \
      --partitions 100 --replication-factor 3 --clients 4 --fail-if 'kill/heartbeats.errors>0' --fail-if 'kill.max>2s'
Exit codes: 0 passed; 1 failed (see above); 2 wrong arguments; 4 nobody answers.)";

struct Options {
  std::string controller = "127.0.0.1:9093";
  std::string phases = "register,unfence,steady";
  std::string json;  // file; "-": standard output instead of the text
  bool quiet = false;
  std::vector<std::string> fail_if;
  RunOptions run;
};

int complain(const std::string& what, ExitCode code) {
  std::fprintf(stderr, "hayward: %s\n", what.c_str());
  return code;
}

// Empty: the options fit together.
std::string conflict(const LoadOptions& load, std::size_t threads) {
  const auto has = [&](Part part) { return std::ranges::find(load.parts, part) != load.parts.end(); };
  if (load.kill > load.brokers) return "--kill: expected at most --brokers";
  if (has(Part::kill) && load.kill == 0) return "--phases: kill wants --kill N";
  if (load.survivors_percent >= 0 && load.kill == 0) return "--survivors wants --kill N";
  if (threads > load.brokers) return "--threads: expected at most --brokers";
  return {};
}

bool write_json(const std::string& path, const std::string& text) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fputs(text.c_str(), file) >= 0 && std::fputc('\n', file) >= 0;
  return (file == stdout ? std::fflush(file) : std::fclose(file)) == 0 && written;
}

int report(const LoadOutcome& outcome, const Options& options, const std::string& address) {
  if (options.json != "-") std::fputs(report_text(outcome).c_str(), stdout);
  if (!options.json.empty() &&
      !write_json(options.json, report_json(outcome, address, options.run.load, options.run.threads))) {
    return complain("--json: cannot write " + options.json, exit_failed);
  }
  if (!outcome.problem.empty()) return complain(address + ": " + outcome.problem, exit_failed);
  for (const std::string& line : outcome.missed) complain(line, exit_failed);
  const bool failed = options.fail_if.empty() ? failures(outcome) > 0 : !outcome.missed.empty();
  return failed ? exit_failed : exit_ok;
}

int load_verb(Options options) {
  LoadOptions& load = options.run.load;
  auto parts = parse_parts(options.phases);
  if (!parts) return complain("--phases: " + parts.error(), exit_usage);
  load.parts = std::move(*parts);
  std::vector<Threshold> thresholds;
  for (const std::string& text : options.fail_if) {
    auto threshold = parse_threshold(text);
    if (!threshold) return complain("--fail-if " + threshold.error(), exit_usage);
    thresholds.push_back(std::move(*threshold));
  }
  if (const std::string wrong = conflict(load, options.run.threads); !wrong.empty()) return complain(wrong, exit_usage);
  const auto found = find_controller(options.controller);
  if (!found) return complain(found.error(), exit_unavailable);
  raise_descriptor_limit();
  if (load.cluster_id.empty()) load.cluster_id = found->cluster_id;
  load.fetch_version = found->fetch_version;
  options.run.target = found->target;
  options.run.seed = random_seed();
  load.topic_prefix = fmt::format("load-{:08x}-", static_cast<std::uint32_t>(options.run.seed));
  if (!options.quiet) {
    options.run.progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  }
  auto outcome = run_load(options.run);
  if (!outcome) return complain(outcome.error(), exit_unavailable);
  outcome->missed = missed(thresholds, outcome->phases);
  return report(*outcome, options, found->address);
}

void add_broker_options(CLI::App& verb, Options& options) {
  LoadOptions& load = options.run.load;
  verb.add_option("--controller,--bootstrap-controller", options.controller, "host:port of a controller's listener")->capture_default_str();
  verb.add_option("--phases", options.phases, "which, separated by commas (see below)")->capture_default_str();
  verb.add_option("--cluster-id", load.cluster_id, "what the brokers say; default: what the controller says");
  verb.add_option("--brokers", load.brokers, "how many model brokers, a connection each")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  verb.add_option("--first-id", load.first_id, "the first one's id; the others follow")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--observers", load.observers, "so many of them fetch the metadata log, on a connection of their own")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  verb.add_option("--threads", options.run.threads, "that carry the load, with a ring each")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  verb.add_option("--rate", load.rate_per_s, "steady: heartbeats a second of all brokers together; 0: closed loop")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--duration", load.duration_s, "steady: seconds")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  verb.add_option("--heartbeat-interval", load.heartbeat_interval_s, "seconds, of each living broker in other phases")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
}

void add_topic_options(CLI::App& verb, LoadOptions& load) {
  verb.add_option("--topics", load.topics, "create: how many, each with a request of its own")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--partitions", load.partitions, "create: of each topic")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  verb.add_option("--replication-factor", load.replication_factor, "create: of each topic")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb.add_option("--clients", load.clients, "create, alter-partition: connections, a request at a time each")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  verb.add_option("--survivors", load.survivors_percent,
                  "create: replicas are placed on the brokers that kill will end, but for one replica of so many\n"
                  "partitions in a hundred; default: the controller places them")
      ->check(CLI::Range(0, 100));
  verb.add_option("--alter-partitions", load.alter_partitions, "alter-partition: requests")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--kill", load.kill, "kill: how many brokers, the last ones")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  verb.add_option("--give-up", load.give_up_s, "seconds to wait for registrations, unfencing, and what the dead led")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  verb.add_option("--session-timeout", load.session_timeout_s, "kill: the controller's, in seconds")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str();
}

}  // namespace

void add_load(CLI::App& app, Verb& chosen) {
  auto* verb = app.add_subcommand("load", description);
  auto options = std::make_shared<Options>();
  add_broker_options(*verb, *options);
  add_topic_options(*verb, options->run.load);
  verb->add_option("--fail-if", options->fail_if, "a threshold; may be given several times");
  verb->add_option("--json", options->json, "a file for the report as JSON; -: standard output, instead of the text");
  verb->add_flag("--quiet", options->quiet, "no line a second about what goes on");
  verb->footer(footer);
  verb->callback([&chosen, options] { chosen = [options] { return load_verb(*options); }; });
}

}  // namespace hayward::tools
