// See shard_threads.h.
#include "tools/server/shard_threads.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "engine/core/control/served.h"
#include "engine/host/driver/lease_shard.h"
#include "engine/host/shard/shard_thread.h"

namespace hayward::tools {

// What a thread builds on itself; it goes after the thread, and with it the ring, is gone.
struct ShardThreads::Shard {
  driver::ShardLink link;
  std::unique_ptr<driver::LeaseShard> leases;
  std::unique_ptr<net::Server> net;
  std::unique_ptr<shard::ShardThread> thread;
};

std::expected<std::unique_ptr<ShardThreads>, std::string> ShardThreads::start(const driver::Settings& settings,
                                                                              const std::vector<int>& cores,
                                                                              ring::Port& controller,
                                                                              const net::ServerConfig& net,
                                                                              const driver::LogLine& log_line) {
  std::unique_ptr<ShardThreads> threads(new ShardThreads);
  std::vector<driver::ShardSet::Other> others;
  for (std::uint16_t index = 1; index < settings.shards; ++index) {
    Shard& shard = *threads->shards_.emplace_back(std::make_unique<Shard>());
    net::ServerConfig config = net;  // connections are counted where they are accepted
    config.shard = index;
    config.max_connections = config.max_connections_per_ip = std::numeric_limits<std::int32_t>::max();
    const auto body = [&shard, &log_end = threads->log_end_, &controller, settings, config, log_line, index](
                          ring::Port& port, shard::ShardLoop& loop) {
      shard.leases = std::make_unique<driver::LeaseShard>(
          port, settings, index, shard.link, log_end, [&controller] { controller.wake(); }, log_line);
      shard.net = std::make_unique<net::Server>(port, config, core::served_apis(), shard.leases->net_events(), log_line);
      shard.leases->attach(*shard.net);
      while (!loop.stopped()) shard.leases->run_once(true);
    };
    auto thread = shard::ShardThread::start({"shard-" + std::to_string(index), cores[index], {}}, body);
    if (!thread) return std::unexpected(thread.error().what);
    shard.thread = std::move(*thread);
    others.push_back({shard.link, [&shard] { shard.thread->wake(); }});
  }
  threads->set_ = std::make_unique<driver::ShardSet>(settings, std::move(others), threads->log_end_);
  return threads;
}

// Threads first: a running one may refer to any part of the others.
ShardThreads::~ShardThreads() {
  for (const auto& shard : shards_) shard->thread.reset();
}

}  // namespace hayward::tools
