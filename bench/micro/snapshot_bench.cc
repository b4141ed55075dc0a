// How long shard 0 is held by one slice of a snapshot, in a cluster of 1,000,000 topic configs, 100,000 ACLs and 100,000
// partitions: the longest is what everybody else waits for. In CPU time, for others may use the machine too.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>

#include "engine/core/image/image.h"
#include "engine/core/image/snapshot_writer.h"
#include "schemas/records/access_control_entry_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

constexpr std::uint64_t topics = 100'000;
constexpr std::uint64_t acls = 100'000;
constexpr std::size_t slice_entries = 4096;  // NodeConfig's
constexpr const char* config_keys[] = {"cleanup.policy",      "retention.ms",    "retention.bytes", "segment.bytes",
                                       "segment.ms",          "max.message.bytes", "flush.ms",      "compression.type",
                                       "min.insync.replicas", "index.interval.bytes"};

template <class Record>
void replay(Image& image, const Record& record, benchmark::State& state) {
  Buffer frame;
  records::append_frame(frame, record, Record::max_version);
  if (!image.replay(frame, Offset{image.last_offset().value + 1})) state.SkipWithError("a record was refused");
}

void load(Image& image, benchmark::State& state) {
  image.set_committed(Offset{1'000'000'000});
  replay(image, records::FeatureLevelRecord{"metadata.version", 30}, state);
  Arena arena;
  for (std::uint64_t t = 1; t <= topics; ++t) {
    arena.reset();
    const std::string name = "topic-" + std::to_string(t);
    const TopicId id{Uuid{0x1000, t}};
    replay(image, records::TopicRecord{name, id}, state);
    records::PartitionRecord partition;
    partition.topic_id = id;
    for (std::int32_t r = 0; r < 3; ++r) partition.replicas.push_back(arena, NodeId{r});
    partition.isr = partition.replicas;
    partition.leader = NodeId{0};
    replay(image, partition, state);
    for (const char* key : config_keys) replay(image, records::ConfigRecord{2, name, key, "1234567"}, state);
  }
  for (std::uint64_t a = 1; a <= acls; ++a) {
    const std::string name = "topic-" + std::to_string(a);
    replay(image, records::AccessControlEntryRecord{Uuid{a * 0x9e3779b97f4a7c15, a}, 2, name, 3, "User:alice", "*", 3, 3}, state);
  }
}

double cpu_us() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void SnapshotSlices(benchmark::State& state) {
  Image image;
  load(image, state);
  double least_longest_us = std::numeric_limits<double>::max();  // of the quietest round
  std::size_t slices = 0;
  std::size_t largest = 0;
  for (auto _ : state) {
    slices = 0;
    double longest_us = 0;
    double begun_us = cpu_us();
    SnapshotWriter writer(image, {});
    while (!writer.done()) {
      std::size_t bytes = 0;
      const std::vector<Buffer> batches = writer.next(slice_entries);
      longest_us = std::max(longest_us, cpu_us() - begun_us);
      for (const Buffer& batch : batches) bytes += batch.size();
      largest = std::max(largest, bytes);
      ++slices;
      begun_us = cpu_us();
    }
    least_longest_us = std::min(least_longest_us, longest_us);
  }
  state.counters["longest us"] = least_longest_us;
  state.counters["slices"] = static_cast<double>(slices);
  state.counters["largest slice bytes"] = static_cast<double>(largest);
}
BENCHMARK(SnapshotSlices)->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace
}  // namespace hayward::core
