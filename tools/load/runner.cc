// See runner.h.
#include "tools/load/runner.h"

#include <algorithm>
#include <chrono>
#include <latch>
#include <map>
#include <mutex>
#include <optional>

#include "engine/host/shard/shard_thread.h"
#include "tools/load/load.h"

namespace hayward::tools {
namespace {

constexpr ring::RingOptions load_ring{.entries = 2048, .recv_buffers = 1024, .recv_buffer_bytes = 4096};
constexpr ring::RingOptions watch_ring{.entries = 64, .recv_buffers = 64, .recv_buffer_bytes = 65536};
constexpr std::int32_t watch_id = 999'999'999;  // an observer that is no broker

// The threads' results of each second, and what was printed of them last.
class Board {
 public:
  Board(std::size_t threads, std::function<void(const std::string&)> print)
      : threads_(threads), print_(std::move(print)), begin_(std::chrono::steady_clock::now()) {}

  void show(std::size_t thread, const std::vector<const PhaseResult*>& results) {
    const std::lock_guard lock(mutex_);
    threads_[thread].clear();
    for (const PhaseResult* result : results) threads_[thread].push_back(*result);
    if (thread == 0) print();
  }

 private:
  void print() {
    const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    std::map<std::string, PhaseResult> merged;
    for (const auto& results : threads_) {
      for (const PhaseResult& result : results) {
        const auto [at, fresh] = merged.try_emplace(result.name, result);
        if (!fresh) at->second.add(result);
      }
    }
    for (const auto& [name, result] : merged) {
      const auto before = printed_.find(name);
      const bool goes_on = before != printed_.end() && before->second.sent <= result.sent;
      print_(progress_text(result, goes_on ? before->second : PhaseResult{}, elapsed_s));
    }
    printed_ = std::move(merged);
  }

  std::mutex mutex_;
  std::vector<std::vector<PhaseResult>> threads_;
  std::map<std::string, PhaseResult> printed_;
  std::function<void(const std::string&)> print_;
  std::chrono::steady_clock::time_point begin_;
};

bool needs_watch(const LoadOptions& options) {
  return std::ranges::any_of(options.parts, [](Part p) { return p == Part::kill || p == Part::alter_partition; });
}

// The watch on its thread. What its ring works with outlives that.
struct WatchThread {
  Watch watch;
  std::unique_ptr<Line> line;
  std::unique_ptr<Observer> observer;
  std::unique_ptr<shard::ShardThread> thread;

  std::optional<std::string> start(const RunOptions& options) {
    auto started = shard::ShardThread::start(
        {.name = "load-watch", .core = -1, .ring = watch_ring}, [&](ring::Port& port, shard::ShardLoop& loop) {
          line = std::make_unique<Line>(port, 0, options.target.address, options.target.length);
          observer = std::make_unique<Observer>(
              port, *line, NodeId{watch_id}, FetchTerms{options.load.cluster_id, options.load.fetch_version}, &watch);
          line->open();
          observer->start();
          loop.run([] {});
        });
    if (!started) return started.error().what;
    thread = std::move(*started);
    return std::nullopt;
  }
};

struct LoadThread {
  std::unique_ptr<Load> load;  // outlives the ring that works for it
  std::unique_ptr<shard::ShardThread> thread;
};

}  // namespace

std::vector<PhaseResult> merge(const std::vector<std::vector<PhaseResult>>& threads) {
  std::vector<PhaseResult> merged;
  for (const auto& results : threads) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (i == merged.size()) {
        merged.push_back(results[i]);
      } else if (merged[i].name == results[i].name) {
        merged[i].add(results[i]);
      }
    }
  }
  return merged;
}

std::expected<LoadOutcome, std::string> run_load(const RunOptions& options) {
  std::optional<WatchThread> watch;
  if (needs_watch(options.load)) {
    if (auto error = watch.emplace().start(options)) return std::unexpected(*error);
  }
  Crew crew(options.threads);
  Board board(options.threads, options.progress);
  std::latch ended(static_cast<std::ptrdiff_t>(options.threads));
  std::vector<LoadThread> threads(options.threads);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    auto body = [&, i](ring::Port& port, shard::ShardLoop&) {
      const auto turn_until = [&port](const std::function<bool()>& condition) {
        while (!condition()) port.run_once(true);
      };
      Load::Progress progress;
      if (options.progress) progress = [&board, i](const auto& results) { board.show(i, results); };
      threads[i].load = std::make_unique<Load>(port, options.target, options.load, Load::Share{i, options.seed + i},
                                               crew, watch ? &watch->watch : nullptr, turn_until, progress);
      threads[i].load->run();
      ended.count_down();
    };
    auto started =
        shard::ShardThread::start({.name = "load-" + std::to_string(i), .core = -1, .ring = load_ring}, body);
    if (!started) {
      // Those that wait for this one would wait for ever: they fail at the next meeting, which this call attends for
      // it.
      crew.fail();
      for (std::size_t missing = i; missing < threads.size(); ++missing) {
        crew.arrive();
        ended.count_down();
      }
      ended.wait();
      return std::unexpected(started.error().what);
    }
    threads[i].thread = std::move(*started);
  }
  ended.wait();
  LoadOutcome outcome;
  std::vector<std::vector<PhaseResult>> results;
  for (LoadThread& thread : threads) {
    thread.thread.reset();
    results.push_back(thread.load->results());
    if (outcome.problem.empty()) outcome.problem = thread.load->problem();
  }
  outcome.phases = merge(results);
  return outcome;
}

}  // namespace hayward::tools
