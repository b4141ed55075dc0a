// `hayward quorum`: who leads, who lags, who may be stopped; adds and removes voters. Of Hayward's and Java's controllers alike.
// Owner: tools. The main thread.
#include <fmt/format.h>

#include <cstdio>

#include "tools/config/listeners.h"
#include "tools/exit_code.h"
#include "tools/quorum/ask.h"
#include "tools/quorum/change.h"
#include "tools/quorum/history.h"
#include "tools/quorum/print.h"
#include "tools/verbs/verbs.h"

namespace hayward::tools {
namespace {

constexpr const char* description = "Ask a quorum, Hayward's, Java's or mixed, who leads and who lags, whether a node may be stopped; add and remove voters";
constexpr const char* footer = R"(Any controller of the quorum will do as --bootstrap-controller: the leader is found from it, and followed when it changes.
Examples:
  Is all well, who leads, since when and why, who may be stopped now?
    hayward quorum status --bootstrap-controller 10.0.0.1:9093,10.0.0.2:9093
  Restart a node only when the quorum goes on without it:
    hayward quorum may-stop 3002 --bootstrap-controller 10.0.0.1:9093 && systemctl restart hayward
  Make a new controller a voter: format it with --no-initial-controllers, start it, and where its directory is run
    hayward quorum add --config server.properties --bootstrap-controller 10.0.0.1:9093
  Take one out (then stop it):
    hayward quorum remove 3001 --bootstrap-controller 10.0.0.1:9093
States: "current" is a voter that fetched, and had all of the leader's log, within --patience-ms; "behind" one that fetches
but has not; "silent" one that does not fetch. Times are the leader's. A voter that does not answer from here ("no answer") counts
as not up to date, whatever the leader still thinks of it. A leader needs a majority of voters to commit anything.
Exit codes: 0 all is well, yes, or done; 1 a voter is not up to date, no, or refused (nothing was changed); 2 wrong
arguments; 4 no controller answers or none leads.)";

struct Options {
  ChangeOptions change{{"127.0.0.1:9093"}};
  bool json = false;
  bool programs = false;
  std::size_t history = 3;
  std::int32_t node = -1;
  std::string config, directory, endpoint;
};

int complain(const std::string& line, int code) {
  std::fprintf(stderr, "hayward: %s\n", line.c_str());
  return code;
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

int status(const Options& options) {
  auto leader = find_leader(options.change.ask);
  if (!leader) return complain(leader.error(), exit_unavailable);
  if (options.change.ask.probe) probe(leader->view, options.programs);
  const auto history = read_history(leader->client, leader->view, options.history);
  if (!history) complain("when the leader changed is not known: " + history.error(), 0);
  const auto changes = history.value_or(std::vector<LeaderChange>{});
  print(options.json ? status_json(leader->view, changes) : status_text(leader->view, changes));
  return leader->view.healthy() ? exit_ok : exit_failed;
}

int replication(const Options& options) {
  const auto leader = find_leader(options.change.ask);
  if (!leader) return complain(leader.error(), exit_unavailable);
  print(options.json ? replication_json(leader->view) : replication_text(leader->view));
  return leader->view.healthy() ? exit_ok : exit_failed;
}

int may_stop_verb(const Options& options) {
  auto leader = find_leader(options.change.ask);
  if (!leader) return complain(leader.error(), exit_unavailable);
  if (options.change.ask.probe) probe(leader->view, false);
  const NodeId id{options.node};
  if (leader->view.find(id) == nullptr) {
    return complain(fmt::format("expected a voter or observer of this quorum, found {} (hayward quorum status lists them)", id.value), exit_usage);
  }
  const Verdict verdict = may_stop(leader->view, id);
  fmt::print("{} {} be stopped now: {}{}{}\n", id.value, verdict.allowed ? "may" : "must not", verdict.reason, verdict.advice.empty() ? "" : "; ",
             verdict.advice);
  return verdict.allowed ? exit_ok : exit_failed;
}

int finish(const Options& options, const std::expected<QuorumView, Refusal>& done, const std::string& what) {
  if (!done) return complain(done.error().line, done.error().exit_code);
  if (options.json) {
    print(replication_json(*done));
  } else {
    print(options.change.dry_run ? "would be " + what + "; nothing was changed\n" : what + "\n");
    print(replication_text(*done));
  }
  return exit_ok;
}

// What the options name, without a file.
std::expected<core::Voter, std::string> named_controller(const Options& options) {
  if (options.node < 0 || options.directory.empty() || options.endpoint.empty()) {
    return std::unexpected("expected --config FILE, or all of --id, --directory-id and --endpoint");
  }
  const auto directory = Uuid::parse(options.directory);
  if (!directory) return std::unexpected("--directory-id: expected 22 characters of base64url, found \"" + options.directory + "\"");
  auto endpoints = config::parse_listeners("--endpoint", options.endpoint);
  if (!endpoints) return std::unexpected(endpoints.error());
  core::Voter voter;
  voter.id = NodeId{options.node};
  voter.directory = DirectoryId{*directory};
  voter.endpoints = std::move(*endpoints);
  return voter;
}

int add(const Options& options) {
  const auto voter = options.config.empty() ? named_controller(options) : read_controller(options.config);
  if (!voter) return complain(voter.error(), exit_usage);
  return finish(options, add_voter(options.change, *voter), fmt::format("{} (directory {}) is a voter", voter->id.value, voter->directory.to_string()));
}

int remove(const Options& options) {
  std::optional<DirectoryId> directory;
  if (!options.directory.empty()) {
    const auto parsed = Uuid::parse(options.directory);
    if (!parsed) return complain("--directory-id: expected 22 characters of base64url, found \"" + options.directory + "\"", exit_usage);
    directory = DirectoryId{*parsed};
  }
  return finish(options, remove_voter(options.change, NodeId{options.node}, directory), fmt::format("{} is no voter any more", options.node));
}

using Run = int (*)(const Options&);

CLI::App* add_sub(CLI::App& quorum, Verb& chosen, const char* name, const char* text, const std::shared_ptr<Options>& options, Run run) {
  auto* sub = quorum.add_subcommand(name, text);
  auto& ask = options->change.ask;
  sub->add_option("--bootstrap-controller", ask.servers, "host:port,... of any of its controllers (plaintext listeners)")->capture_default_str();
  sub->add_option("--timeout-ms", ask.timeout_ms, "how long to look for a leader, and to let it work")->check(CLI::Range(1, 600000))->capture_default_str();
  sub->add_option("--patience-ms", ask.patience_ms, "how old a voter's last fetch may be")->check(CLI::Range(1, 600000))->capture_default_str();
  sub->add_flag("!--no-probe", ask.probe, "do not ask every voter whether it answers; trust the leader's word alone");
  sub->footer("hayward quorum --help has examples, states and exit codes.");
  sub->callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
  return sub;
}

void add_change_options(CLI::App* sub, const std::shared_ptr<Options>& options) {
  sub->add_flag("--dry-run", options->change.dry_run, "check everything, change nothing");
  sub->add_flag("--force", options->change.force, "ask the leader even where a check here says no");
  sub->add_flag("--json", options->json, "one JSON object instead of text");
}

}  // namespace

void add_quorum(CLI::App& app, Verb& chosen) {
  auto* quorum = app.add_subcommand("quorum", description);
  quorum->require_subcommand(1);
  quorum->footer(footer);
  auto options = std::make_shared<Options>();
  auto* status_sub = add_sub(*quorum, chosen, "status", "who leads, since when and why; who lags; who may be stopped now", options, status);
  status_sub->add_option("--history", options->history, "how many changes of leader to show")->check(CLI::Range(0, 100))->capture_default_str();
  status_sub->add_flag("--programs", options->programs,
                       "tell Hayward's controllers from others (a Java controller logs an error about this question)");
  status_sub->add_flag("--json", options->json, "one JSON object instead of text");
  auto* replication_sub = add_sub(*quorum, chosen, "replication", "log end, lag and last fetch of every voter and observer", options, replication);
  replication_sub->add_flag("--json", options->json, "one JSON object instead of text");
  auto* stop_sub = add_sub(*quorum, chosen, "may-stop", "may this node be stopped now? Exit code 0: yes, 1: no", options, may_stop_verb);
  stop_sub->add_option("node", options->node, "its id")->required()->check(CLI::NonNegativeNumber);
  auto* add_verb = add_sub(*quorum, chosen, "add", "make a running controller that has caught up a voter (kraft.version 1)", options, add);
  add_verb->add_option("-c,--config", options->config, "its server.properties; its directory must be readable here");
  add_verb->add_option("--id", options->node, "without --config: its id");
  add_verb->add_option("--directory-id", options->directory, "without --config: directory.id of its meta.properties");
  add_verb->add_option("--endpoint", options->endpoint, "without --config: NAME://host:port,... of its controller listeners");
  add_change_options(add_verb, options);
  auto* remove_verb = add_sub(*quorum, chosen, "remove", "take a voter out (kraft.version 1)", options, remove);
  remove_verb->add_option("node", options->node, "its id")->required()->check(CLI::NonNegativeNumber);
  remove_verb->add_option("--directory-id", options->directory, "needed only when two voters have this id");
  add_change_options(remove_verb, options);
}

}  // namespace hayward::tools
