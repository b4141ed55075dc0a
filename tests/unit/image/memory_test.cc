// What a partition costs in memory at replication factor 3, indexes included. The target is 200 bytes.
#include <malloc.h>

#include <cstdio>

#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {
namespace {

constexpr std::int32_t brokers = 50;
constexpr std::size_t target_bytes = 200;

std::size_t allocated() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

// Bytes a partition of `topics` topics with `per_topic` partitions each, in random use of 50 brokers.
void measure(std::size_t topics, std::int32_t per_topic, std::size_t most) {
  Image image;
  Arena arena;
  image.set_committed(Offset{INT64_MAX});  // as when loading: nothing is kept for going back
  const std::size_t before = allocated();
  std::int64_t offset = 0;
  std::uint32_t spread = 0;
  for (std::uint64_t t = 1; t <= topics; ++t) {
    const std::string name = "topic-" + std::to_string(t);
    ASSERT_TRUE(image.replay(frame(records::TopicRecord{name, topic_id(t)}), Offset{offset++}).has_value());
    for (std::int32_t p = 0; p < per_topic; ++p) {
      arena.reset();
      records::PartitionRecord record;
      record.topic_id = topic_id(t);
      record.partition_id = PartitionIndex{p};
      spread = spread * 1664525 + 1013904223;
      const auto first = static_cast<std::int32_t>((spread >> 8) % brokers);
      for (std::int32_t r = 0; r < 3; ++r) {
        record.replicas.push_back(arena, NodeId{(first + r * 7) % brokers});
        record.directories.push_back(arena, dir_id(static_cast<std::uint64_t>(first + r)));
      }
      record.isr = record.replicas;
      record.leader = record.replicas[0];
      ASSERT_TRUE(image.replay(frame(record), Offset{offset++}).has_value());
    }
  }
  const std::size_t partitions = topics * static_cast<std::size_t>(per_topic);
  ASSERT_EQ(image.topics().partition_count(), partitions);
  const std::size_t by_count = image.topics().memory_bytes() / partitions;
  const std::size_t by_allocator = (allocated() - before) / partitions;
  std::printf("%zu partitions in %zu topics: %zu bytes a partition counted, %zu by the allocator (object %zu)\n", partitions,
              topics, by_count, by_allocator, sizeof(Partition));
  EXPECT_LT(by_count, most);
  EXPECT_LT(by_allocator, most);  // 0 under sanitizers, whose allocator is another
}

TEST(ImageMemory, APartitionTakesLessThan200Bytes) { measure(1'000, 100, target_bytes); }
TEST(ImageMemory, ManySmallTopicsPayForTheirNames) { measure(20'000, 3, 350); }

}  // namespace
}  // namespace hayward::core::testing
