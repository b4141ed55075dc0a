// What the image costs at 200,000 partitions of replication factor 3 on 40 brokers: loading a log of that size,
// changes about one broker, a snapshot, a hash.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "engine/core/image/image.h"
#include "engine/core/image/snapshot_writer.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

constexpr std::int32_t brokers = 40;
constexpr std::uint64_t topics = 2'000;
constexpr std::int32_t partitions_per_topic = 100;
constexpr std::int64_t partitions = static_cast<std::int64_t>(topics) * partitions_per_topic;

TopicId topic_id(std::uint64_t n) { return TopicId{Uuid{0x1000, n}}; }

template <class Record>
void append(std::vector<Buffer>& log, const Record& record) {
  records::append_frame(log.emplace_back(), record, Record::max_version);
}

// The log's records: metadata.version, then each topic with its partitions.
const std::vector<Buffer>& log_records() {
  static const std::vector<Buffer> log = [] {
    std::vector<Buffer> out;
    Arena arena;
    append(out, records::FeatureLevelRecord{"metadata.version", 30});
    for (std::uint64_t t = 1; t <= topics; ++t) {
      const std::string name = "topic-" + std::to_string(t);
      append(out, records::TopicRecord{name, topic_id(t)});
      for (std::int32_t p = 0; p < partitions_per_topic; ++p) {
        arena.reset();
        records::PartitionRecord record;
        record.topic_id = topic_id(t);
        record.partition_id = PartitionIndex{p};
        const auto first = static_cast<std::int32_t>((t * 7919 + static_cast<std::uint64_t>(p) * 31) % brokers);
        for (std::int32_t r = 0; r < 3; ++r) {
          const NodeId broker{(first + r * 7) % brokers};
          record.replicas.push_back(arena, broker);
          record.directories.push_back(arena, DirectoryId{Uuid{0x2000, static_cast<std::uint64_t>(broker.value)}});
        }
        record.isr = record.replicas;
        record.leader = record.replicas[0];
        record.leader_epoch = LeaderEpoch{0};
        record.partition_epoch = PartitionEpoch{0};
        append(out, record);
      }
    }
    return out;
  }();
  return log;
}

// Replays `log` from offset `from` on; the next offset.
std::int64_t replay(Image& image, const std::vector<Buffer>& log, std::int64_t from, benchmark::State& state) {
  for (const Buffer& record : log) {
    if (const auto applied = image.replay(record, Offset{from++}); !applied) {
      state.SkipWithError(applied.error().to_string().c_str());
      break;
    }
  }
  return from;
}

void load(Image& image, benchmark::State& state) {
  image.set_committed(Offset{static_cast<std::int64_t>(log_records().size()) - 1});
  replay(image, log_records(), 0, state);
}

void per_item_ns(benchmark::State& state, std::int64_t items) {
  state.SetItemsProcessed(state.iterations() * items);
  state.counters["s/item"] = benchmark::Counter(
      static_cast<double>(items), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void LoadLog(benchmark::State& state) {
  log_records();
  std::size_t bytes = 0;
  for (auto _ : state) {
    Image image;
    load(image, state);
    state.PauseTiming();
    bytes = image.topics().memory_bytes();
    state.ResumeTiming();
  }
  per_item_ns(state, static_cast<std::int64_t>(log_records().size()));
  state.counters["bytes/partition"] = static_cast<double>(bytes) / static_cast<double>(partitions);
}
BENCHMARK(LoadLog)->Unit(benchmark::kMillisecond);

// One broker leaves every ISR that it is in, uncommitted, and it is all undone.
void LeaveIsrsAndRevert(benchmark::State& state) {
  Image image;
  load(image, state);
  std::vector<Buffer> changes;
  for (const Partition& partition : image.topics().in_isr_of(NodeId{1})) {
    Arena arena;
    records::PartitionChangeRecord record;
    record.topic_id = image.topics().topic_of(partition).id;
    record.partition_id = partition.index;
    record.isr = Array<NodeId>();
    for (NodeId node : partition.isr()) {
      if (node != NodeId{1}) record.isr.push_back(arena, node);
    }
    if (partition.leader == NodeId{1}) record.leader = record.isr[0];
    append(changes, record);
  }
  const Offset committed = image.last_offset();
  image.set_committed(committed);
  for (auto _ : state) {
    replay(image, changes, committed.value + 1, state);
    image.revert_to(committed);
  }
  per_item_ns(state, static_cast<std::int64_t>(changes.size()));
}
BENCHMARK(LeaveIsrsAndRevert)->Unit(benchmark::kMillisecond);

void WriteSnapshot(benchmark::State& state) {
  Image image;
  load(image, state);
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    for (const Buffer& batch : write_snapshot(image, {})) bytes += batch.size();
  }
  per_item_ns(state, static_cast<std::int64_t>(log_records().size()));
  state.counters["file bytes"] = static_cast<double>(bytes);
}
BENCHMARK(WriteSnapshot)->Unit(benchmark::kMillisecond);

void Hash(benchmark::State& state) {
  Image image;
  load(image, state);
  for (auto _ : state) benchmark::DoNotOptimize(image.hash());
  per_item_ns(state, partitions);
}
BENCHMARK(Hash)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hayward::core
