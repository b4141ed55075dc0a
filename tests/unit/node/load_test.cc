// What cannot be loaded is told by one line.
#include <gtest/gtest.h>

#include "engine/core/image/image.h"
#include "samples.h"
#include "schemas/records/broker_registration_change_record.h"
#include "tests/node_machine/machine.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/batch/control.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/unregister_broker_record.h"

namespace hayward::core {
namespace {

// Appends a batch as some other program may have.
void put(Machine& machine, BatchBuilder builder) {
  auto batch = std::make_shared<EncodedBatch>();
  batch->base = machine.disk.end();
  batch->last = Offset{builder.next_offset().value - 1};
  batch->epoch = Epoch{1};
  batch->bytes = builder.finish();
  machine.disk.batches.push_back(batch);
  machine.disk.flushed = machine.disk.end();
}

TEST(Load, ARecordThatCannotBeAppliedIsNamed) {  // cases.md row 67
  Machine machine;
  machine.bring_up();
  const std::int64_t offset = machine.disk.end().value;
  BatchBuilder builder(machine.disk.end(), Epoch{1}, 1);
  records::UnregisterBrokerRecord record;
  record.broker_id = NodeId{3};
  record.broker_epoch = BrokerEpoch{9};
  builder.add(record, 0);
  put(machine, std::move(builder));
  const auto booted = machine.boot();
  ASSERT_FALSE(booted);
  EXPECT_NE(booted.error().find("UnregisterBroker"), std::string::npos) << booted.error();
  EXPECT_NE(booted.error().find("offset " + std::to_string(offset)), std::string::npos) << booted.error();
  EXPECT_EQ(booted.error().find('\n'), std::string::npos);
}

TEST(Load, Row67_TheEpochsThatDoNotMatchAreTold) {  // cases.md row 67
  Machine machine;
  machine.bring_up();
  start_broker(machine);
  machine.settle();
  const BrokerRegistration& broker = machine.node().image().cluster().brokers().begin()->second;
  BatchBuilder builder(machine.disk.end(), Epoch{1}, 1);
  records::BrokerRegistrationChangeRecord record;
  record.broker_id = broker.id;
  record.broker_epoch = BrokerEpoch{broker.epoch.value + 1000};
  record.fenced = 1;
  builder.add(record, 1);
  const std::string epochs[] = {std::to_string(broker.epoch.value), std::to_string(record.broker_epoch.value)};
  put(machine, std::move(builder));
  const auto booted = machine.boot();
  ASSERT_FALSE(booted);
  EXPECT_NE(booted.error().find("BrokerRegistrationChange"), std::string::npos) << booted.error();
  for (const std::string& told : epochs) EXPECT_NE(booted.error().find(told), std::string::npos) << booted.error();
}

// cases.md row 61: the tools of 4.4 put the bootstrap records into the zero checkpoint, those before into a file beside
// it. Both are read, and what they say is written into the empty log.
TEST(Load, Row61_BootstrapRecordsInTheZeroCheckpoint) {
  Machine machine;
  machine.config.bootstrap_records.clear();
  BatchBuilder builder(Offset{0}, Epoch{0}, 1);
  records::FeatureLevelRecord level;
  level.name = "metadata.version";
  level.feature_level = 26;
  builder.add(level, 0);
  auto& batches = machine.disk.snapshots.at(0).batches;
  batches.insert(batches.begin() + 1, builder.finish());
  machine.bring_up();
  EXPECT_EQ(machine.failure(), "");
  ASSERT_TRUE(machine.node().view().active);
  std::string log;
  for (const BatchPtr& batch : machine.disk.batches) log += describe_batch(batch->bytes) + "\n";
  EXPECT_NE(log.find("metadata.version=26"), std::string::npos) << log;
}

TEST(Load, AGapIsNamed) {
  Machine machine;
  machine.bring_up();
  machine.disk.batches.erase(machine.disk.batches.begin() + 1);
  const auto booted = machine.boot();
  ASSERT_FALSE(booted);
  EXPECT_NE(booted.error().find("expected base offset"), std::string::npos) << booted.error();
}

TEST(Load, AnEndThatIsMissingIsNamed) {
  Machine machine;
  machine.bring_up();
  LogState state = machine.disk.state();
  Node node(machine.config, state);
  Effects effects;
  node.start(machine.now(), effects);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_NE(describe(effects[0]).find("expected the log to be loaded up to"), std::string::npos);
}

TEST(Load, AnUnknownKraftVersionIsNamed) {
  Machine machine;
  machine.bring_up();
  BatchBuilder builder(machine.disk.end(), Epoch{1}, 1, BatchKind::control);
  records::KRaftVersionRecord record;
  record.kraft_version = 2;
  add_control(builder, record);
  put(machine, std::move(builder));
  const auto booted = machine.boot();
  ASSERT_FALSE(booted);
  EXPECT_NE(booted.error().find("KRaftVersion"), std::string::npos);
}

TEST(Load, DamagedBatchesNeverAssert) {
  Machine machine({.bootstrap_features = true});
  machine.bring_up();
  const std::vector<BatchPtr> whole = machine.disk.batches;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (std::size_t at = 0; at < whole[i]->bytes.size(); ++at) {
      auto damaged = std::make_shared<EncodedBatch>(*whole[i]);
      damaged->bytes[at] ^= std::byte{0x55};
      machine.disk.batches = whole;
      machine.disk.batches[i] = damaged;
      (void)machine.boot();  // an error or not: the checksum is the host's to check
    }
  }
}

}  // namespace
}  // namespace hayward::core
