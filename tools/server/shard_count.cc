// See shard_count.h.
#include "tools/server/shard_count.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace hayward::tools {
namespace {

constexpr int most_shards_by_default = 4;

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The tightest quota on the way from the process's cgroup up to the root.
int cores_of_cgroup() {
  const std::string membership = content_of("/proc/self/cgroup");
  const auto unified = membership.find("0::");
  std::string path = unified == std::string::npos ? "" : membership.substr(unified + 3);
  path = path.substr(0, path.find('\n'));
  if (path == "/") path.clear();
  int least = 0;
  while (true) {
    const int cores = cores_of_quota(content_of("/sys/fs/cgroup" + path + "/cpu.max"));
    if (cores > 0) least = least == 0 ? cores : std::min(least, cores);
    if (path.empty()) return least;
    path.resize(path.rfind('/'));
  }
}

}  // namespace

int cores_of_quota(std::string_view cpu_max) {
  const auto space = cpu_max.find(' ');
  if (space == std::string_view::npos) return 0;
  std::int64_t quota = 0, period = 0;
  const char* end = cpu_max.data() + cpu_max.size();
  if (std::from_chars(cpu_max.data(), cpu_max.data() + space, quota).ec != std::errc{}) return 0;
  if (std::from_chars(cpu_max.data() + space + 1, end, period).ec != std::errc{} || period <= 0) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(quota / period, 1, 1024));
}

std::uint16_t shard_count(const config::ShardSettings& settings) {
  if (settings.count > 0) return static_cast<std::uint16_t>(settings.count);
  int cores = std::max(1, static_cast<int>(allowed_cores().size()));
  if (const int quota = cores_of_cgroup(); quota > 0) cores = std::min(cores, quota);
  return static_cast<std::uint16_t>(std::min(cores, most_shards_by_default));
}

std::vector<int> cores_to_pin(std::uint16_t shards) {
  const std::vector<int> cores = allowed_cores();
  std::vector<int> result;
  for (std::size_t i = 0; i < shards; ++i) result.push_back(cores.empty() ? -1 : cores[i % cores.size()]);
  return result;
}

}  // namespace hayward::tools
