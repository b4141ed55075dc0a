// batch_check: the same few record batches as Batches.java; one line of hex each.
#include <cstdio>
#include <string>

#include "schemas/batch/control.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/no_op_record.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/topic_record.h"

namespace {

using namespace hayward;

constexpr std::int64_t time_ms = 1'700'000'000'123;

void print(const Buffer& bytes) {
  for (const std::byte b : bytes) std::printf("%02x", static_cast<unsigned>(b));
  std::printf("\n");
}

Buffer data(Arena& arena) {
  BatchBuilder batch(Offset{5'000'000'000}, Epoch{7}, time_ms);
  records::FeatureLevelRecord feature;
  feature.name = "metadata.version";
  feature.feature_level = 30;
  batch.add(feature, 0);
  const std::string long_name(200, 't');
  records::TopicRecord topic;
  topic.name = long_name;
  topic.topic_id = TopicId{Uuid{1, 2}};
  batch.add(topic, 0);
  records::PartitionChangeRecord change;
  change.partition_id = PartitionIndex{3};
  change.topic_id = topic.topic_id;
  change.isr.push_back(arena, NodeId{1});
  change.isr.push_back(arena, NodeId{2});
  change.leader = NodeId{1};
  change.eligible_leader_replicas = {};
  batch.add(change, 2);
  for (int i = 0; i < 100; ++i) batch.add(records::NoOpRecord{}, 0);
  return batch.finish();
}

Buffer first_control_batch(Arena& arena) {
  BatchBuilder batch(Offset{0}, Epoch{2}, time_ms, BatchKind::control);
  records::LeaderChangeMessage change;
  change.leader_id = NodeId{3000};
  change.voters.push_back(arena, {.voter_id = NodeId{3000}, .voter_directory_id = DirectoryId{Uuid{8, 9}}});
  change.granting_voters = change.voters;
  add_control(batch, change);
  records::KRaftVersionRecord version;
  version.kraft_version = 1;
  add_control(batch, version);
  records::VotersRecord voters;
  auto& voter = voters.voters.push_back(arena);
  voter.voter_id = NodeId{3000};
  voter.voter_directory_id = DirectoryId{Uuid{8, 9}};
  voter.endpoints.push_back(arena, {.name = "CONTROLLER", .host = "localhost", .port = 40000});
  voter.kraft_version_feature = {.min_supported_version = 0, .max_supported_version = 1};
  add_control(batch, voters);
  return batch.finish();
}

}  // namespace

int main() {
  Arena arena;
  print(data(arena));
  print(first_control_batch(arena));
  BatchBuilder header(Offset{0}, Epoch{3}, time_ms, BatchKind::control);
  records::SnapshotHeaderRecord first;
  first.last_contained_log_timestamp = time_ms - 5;
  add_control(header, first);
  print(header.finish());
  BatchBuilder footer(Offset{777}, Epoch{3}, time_ms, BatchKind::control);
  add_control(footer, records::SnapshotFooterRecord{});
  print(footer.finish());
}
