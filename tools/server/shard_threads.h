// The shards beside the controller's, each on a thread of its own with its ring and its net.
// Owner: tools; the main thread, which is shard 0's.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "engine/host/driver/driver_settings.h"
#include "engine/host/driver/shard_set.h"
#include "engine/host/ring/ring.h"
#include "net/server.h"

namespace hayward::tools {

class ShardThreads {
 public:
  // Shards 1 .. settings.shards - 1, running when it returns; or why not. `cores`: by shard, -1 for any; `controller`: shard
  // 0's port, which is woken when there is mail for it, and outlives this.
  static std::expected<std::unique_ptr<ShardThreads>, std::string> start(const driver::Settings& settings,
                                                                         const std::vector<int>& cores,
                                                                         ring::Port& controller,
                                                                         const net::ServerConfig& net,
                                                                         const driver::LogLine& log_line);
  ~ShardThreads();  // stops and joins
  ShardThreads(const ShardThreads&) = delete;
  ShardThreads& operator=(const ShardThreads&) = delete;

  driver::ShardSet& set() { return *set_; }

 private:
  struct Shard;
  ShardThreads() = default;

  driver::SharedLogEnd log_end_{0};
  std::vector<std::unique_ptr<Shard>> shards_;
  std::unique_ptr<driver::ShardSet> set_;
};

}  // namespace hayward::tools
