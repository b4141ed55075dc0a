// Record batches: building one, checking one that came, and the checksum under both.
#include <benchmark/benchmark.h>

#include "schemas/batch/batch_reader.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/batch/crc32c.h"
#include "schemas/records/partition_record.h"
#include "schemas/runtime/arena.h"

namespace hayward {
namespace {

records::PartitionRecord partition(Arena& arena) {
  records::PartitionRecord record;
  record.topic_id = TopicId{Uuid{1, 2}};
  for (std::int32_t id = 1; id <= 3; ++id) {
    record.replicas.push_back(arena, NodeId{id});
    record.directories.push_back(arena, DirectoryId{Uuid{5, static_cast<std::uint64_t>(id)}});
  }
  record.isr = record.replicas;
  record.leader = NodeId{1};
  return record;
}

Buffer batch_of(std::int64_t records, const records::PartitionRecord& record) {
  BatchBuilder batch(Offset{1000}, Epoch{3}, 1'700'000'000'000);
  for (std::int64_t i = 0; i < records; ++i) batch.add(record, 2);
  return batch.finish();
}

void BatchBuild(benchmark::State& state) {
  Arena arena;
  const auto record = partition(arena);
  std::size_t bytes = 0;
  for (auto _ : state) bytes += batch_of(state.range(0), record).size();
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(BatchBuild)->Arg(1)->Arg(10)->Arg(1000);

void BatchCheckAndRead(benchmark::State& state) {
  Arena arena;
  const Buffer bytes = batch_of(state.range(0), partition(arena));
  for (auto _ : state) {
    const auto header = check_batch(bytes);
    if (!header) {
      state.SkipWithError("damaged");
      break;
    }
    RecordIterator records(*header, bytes);
    while (const auto record = records.next()) benchmark::DoNotOptimize(record->value);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(BatchCheckAndRead)->Arg(1)->Arg(1000);

void Crc(benchmark::State& state) {
  const Buffer bytes(static_cast<std::size_t>(state.range(0)), std::byte{0x5A});
  for (auto _ : state) benchmark::DoNotOptimize(crc32c(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Crc)->Arg(128)->Arg(4096)->Arg(1 << 20);

void CrcByTable(benchmark::State& state) {
  const Buffer bytes(static_cast<std::size_t>(state.range(0)), std::byte{0x5A});
  for (auto _ : state) benchmark::DoNotOptimize(crc32c_by_table(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(CrcByTable)->Arg(4096);

}  // namespace
}  // namespace hayward
