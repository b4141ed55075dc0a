// How what was decided becomes batches: whole, cut, or between transaction records.
#include <gtest/gtest.h>

#include "engine/core/image/image.h"
#include "samples.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/messages/create_topics_request.h"
#include "schemas/messages/create_topics_response.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using messages::CreateTopicsRequest;
using messages::CreateTopicsResponse;

CreateTopicsRequest topics(Arena& arena, int count) {
  CreateTopicsRequest request;
  for (int i = 0; i < count; ++i) {
    CreateTopicsRequest::CreatableTopic topic;
    topic.name = arena.copy("topic-" + std::to_string(i));
    topic.num_partitions = 3;
    topic.replication_factor = 1;
    request.topics.push_back(arena, topic);
  }
  return request;
}

std::string log_from(const Machine& machine, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < machine.disk.batches.size(); ++i) {
    EXPECT_LE(machine.disk.batches[i]->bytes.size(), static_cast<std::size_t>(machine.config.max_batch_bytes));
    text += describe_batch(machine.disk.batches[i]->bytes) + "\n";
  }
  return text;
}

// The small batches come into force with the second start.
void make_batches_small(Machine& machine) {
  machine.config.max_batch_bytes = 600;
  machine.bring_up_again();
}

TEST(Append, AnAtomicGroupIsOneBatch) {
  Machine machine;
  machine.bring_up();
  start_broker(machine);
  const std::size_t before = machine.disk.batches.size();
  Arena arena;
  machine.asked<CreateTopicsResponse>(topics(arena, 5));
  EXPECT_EQ(machine.disk.batches.size(), before + 1);
}

TEST(Append, AnAtomicGroupThatFitsNoBatchIsATransaction) {  // cases.md row 34; C16
  Machine machine;
  machine.bring_up();
  start_broker(machine);
  make_batches_small(machine);
  const std::size_t before = machine.disk.batches.size();
  Arena arena;
  const auto response = machine.asked<CreateTopicsResponse>(topics(arena, 5));
  for (const auto& topic : response.topics) EXPECT_EQ(topic.error_code, ErrorCode::none);
  EXPECT_GT(machine.disk.batches.size(), before + 1);
  const std::string log = log_from(machine, before);
  EXPECT_TRUE(log.starts_with("BeginTransaction v0 \"\"; Topic v0 topic-0; ")) << log;
  EXPECT_TRUE(log.ends_with("; EndTransaction v0\n")) << log;
  EXPECT_EQ(machine.node().image().topics().all().size(), 5u);
  // Without its end it never was.
  const auto last = std::prev(machine.disk.batches.end());
  machine.disk.flushed = (*last)->base;
  machine.bring_up_again();
  EXPECT_EQ(machine.node().image().topics().all().size(), 0u);
}

TEST(Append, BelowTransactionsItIsRefused) {
  Machine machine({.metadata_version = 12});
  machine.bring_up();
  start_broker(machine);
  make_batches_small(machine);
  const std::size_t before = machine.disk.batches.size();
  Arena arena;
  const auto response = machine.asked<CreateTopicsResponse>(topics(arena, 5));
  for (const auto& topic : response.topics) EXPECT_EQ(topic.error_code, ErrorCode::policy_violation);
  EXPECT_EQ(machine.disk.batches.size(), before);
  EXPECT_EQ(machine.node().image().topics().all().size(), 0u);
}

TEST(Append, BootstrapRecordsAreCutWhereTheyMust) {
  Machine machine({.bootstrap_features = true});
  machine.config.max_batch_bytes = 150;
  machine.bring_up();
  EXPECT_TRUE(machine.node().view().active);
  EXPECT_GT(machine.disk.batches.size(), 4u);
  EXPECT_EQ(machine.node().image().features().level("transaction.version"), 2);
}

TEST(Append, BatchesAreKafkas) {  // records.md 3
  Machine machine;
  machine.bring_up();
  std::int64_t next = 0;
  for (const BatchPtr& batch : machine.disk.batches) {
    const auto header = check_batch(batch->bytes);
    ASSERT_TRUE(header.has_value());
    EXPECT_EQ(header->base_offset.value, next);
    EXPECT_EQ(header->base_offset, batch->base);
    EXPECT_EQ(header->last_offset(), batch->last);
    EXPECT_EQ(header->epoch, batch->epoch);
    EXPECT_EQ(header->base_timestamp_ms, machine.now().wall_ms);
    EXPECT_EQ(header->max_timestamp_ms, machine.now().wall_ms);
    EXPECT_EQ(header->attributes, batch->control ? 0x20 : 0);
    EXPECT_EQ(header->producer_id, -1);
    next = batch->last.value + 1;
  }
}

}  // namespace
}  // namespace hayward::core
