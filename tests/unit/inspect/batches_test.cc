// What `inspect` tells of batches and records: fields, filters, and damage of every kind, after which it goes on.
#include "log/names.h"
#include "schemas/records/client_quota_record.h"
#include "tests/unit/inspect/inspect_fixture.h"
#include "tools/record_json/record_json.h"

namespace hayward::tools {
namespace {

using Offsets = std::vector<std::int64_t>;

TEST_F(InspectTest, ShowsEveryFieldByKafkasName) {
  const auto told = inspect(put(segment_name, join({leader_change(0, 1), topics(1, 2)})));
  EXPECT_EQ(faults, 0u) << text;
  EXPECT_EQ(offsets(told), (Offsets{0, 1, 2}));
  const simdjson::dom::element file = told["files"].at(0);
  EXPECT_EQ(std::string_view(file["kind"]), "segment");
  EXPECT_EQ(std::int64_t(file["end_offset"]), 3);
  const simdjson::dom::element change = file["batches"].at(0)["records"].at(0);
  EXPECT_EQ(std::string_view(change["type"]), "LEADER_CHANGE");
  EXPECT_EQ(std::int64_t(change["data"]["leaderId"]), 3000);
  const simdjson::dom::element topic = file["batches"].at(1)["records"].at(1);
  EXPECT_EQ(std::string_view(topic["type"]), "TopicRecord");
  EXPECT_EQ(std::int64_t(topic["version"]), 0);
  EXPECT_EQ(simdjson::minify(topic["data"]), R"({"name":"t2","topicId":"AAAAAAAAAAEAAAAAAAAAAg"})");
}

TEST_F(InspectTest, FiltersByOffsetAndType) {
  const std::string path = put(segment_name, join({leader_change(0, 1), topics(1, 3), topics(4, 3), leader_change(7, 2)}));
  Selection selection;
  selection.from = 2;
  selection.to = 4;
  EXPECT_EQ(offsets(inspect(path, selection)), (Offsets{2, 3, 4}));
  selection.type = type_key("LEADER_CHANGE");
  EXPECT_EQ(offsets(inspect(path, selection)), Offsets{});
  selection = {};
  selection.type = type_key("LeaderChange");
  EXPECT_EQ(offsets(inspect(path, selection)), (Offsets{0, 7}));
  EXPECT_TRUE(is_known_type(type_key("PARTITION_CHANGE_RECORD")));
  EXPECT_TRUE(is_known_type(type_key("PartitionChange")));
  EXPECT_FALSE(is_known_type(type_key("PartitionChanged")));
}

TEST_F(InspectTest, GoesOnAfterABatchWhoseContentIsDamaged) {
  const Buffer first = topics(0);
  Buffer second = topics(1, 2);
  second.back() ^= std::byte{1};
  const auto told = inspect(put(segment_name, join({first, second, topics(3)})));
  EXPECT_EQ(offsets(told), (Offsets{0, 3}));
  ASSERT_EQ(faults, 1u) << text;
  EXPECT_EQ(fault(told), segment_name + ":" + std::to_string(first.size()) + ": expected an intact batch, found batch checksum differs; " +
                             std::to_string(second.size()) + " bytes passed over");
}

TEST_F(InspectTest, FindsTheNextBatchAfterADamagedLength) {
  for (const int byte : {8, 9, 10, 11, 16}) {  // the length, and the format's number
    Buffer second = topics(1, 2);
    second[static_cast<std::size_t>(byte)] ^= std::byte{0x41};
    const auto told = inspect(put(segment_name, join({topics(0), second, topics(3), topics(4)})));
    EXPECT_EQ(offsets(told), (Offsets{0, 3, 4})) << byte << " " << text;
    EXPECT_EQ(faults, 1u) << byte << " " << text;
  }
}

TEST_F(InspectTest, NeverFailsToTellAFlippedBit) {
  const Buffer last = topics(3);
  const Buffer whole = join({topics(0), topics(1, 2), last});
  // Kafka's checksum leaves the epoch out: in the last batch nothing contradicts a higher one.
  const std::size_t free_from = whole.size() - last.size() + batch_format::epoch_at, free_to = free_from + 4;
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    if (byte >= free_from && byte < free_to) continue;
    Buffer damaged = whole;
    damaged[byte] ^= std::byte{0x10};
    const auto told = inspect(put(segment_name, damaged));
    EXPECT_GE(faults, 1u) << "byte " << byte;
    EXPECT_GE(offsets(told).size(), 2u) << "byte " << byte;
  }
}

TEST_F(InspectTest, TellsWhereAFileIsCut) {
  const Buffer first = topics(0), second = topics(1);
  for (const std::size_t left : {std::size_t{1}, std::size_t{60}, std::size_t{61}, second.size() - 1}) {
    Buffer cut = join({first, second});
    cut.resize(first.size() + left);
    const auto told = inspect(put(segment_name, cut));
    EXPECT_EQ(offsets(told), Offsets{0});
    ASSERT_EQ(faults, 1u) << text;
    EXPECT_NE(fault(told).find(":" + std::to_string(first.size()) + ": expected a batch"), std::string::npos) << fault(told);
  }
}

TEST_F(InspectTest, TellsGapsAndEpochsThatFall) {
  const auto gap = inspect(put(segment_name, join({topics(0), topics(2)})));
  EXPECT_EQ(offsets(gap), (Offsets{0, 2}));
  ASSERT_EQ(faults, 1u);
  EXPECT_NE(fault(gap).find("expected a batch at offset 1, found one at offset 2"), std::string::npos);
  const auto fall = inspect(put(segment_name, join({topics(0, 1, 5), topics(1, 1, 4)})));
  ASSERT_EQ(faults, 1u);
  EXPECT_NE(fault(fall).find("expected epoch 5 or later, found epoch 4"), std::string::npos);
}

TEST_F(InspectTest, ShowsRecordsThatItDoesNotKnow) {
  BatchBuilder batch(Offset{1}, Epoch{1}, 1'750'000'000'000);
  const Buffer frame{std::byte{1}, std::byte{99}, std::byte{3}, std::byte{0xFF}};  // frame version 1, type 99, version 3
  batch.add(std::nullopt, frame);
  BatchBuilder control(Offset{2}, Epoch{1}, 1'750'000'000'000, BatchKind::control);
  const Buffer key{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{42}};
  control.add(Bytes(key), frame);
  const Buffer first = topics(0), unknown = batch.finish();
  const auto told = inspect(put(segment_name, join({first, unknown, control.finish(), topics(3)})));
  EXPECT_EQ(offsets(told), (Offsets{0, 1, 2, 3}));
  ASSERT_EQ(faults, 2u) << text;
  EXPECT_NE(fault(told).find("at offset 1, found unknown record type 99: unknown record type"), std::string::npos) << fault(told);
  EXPECT_NE(fault(told, 1).find("at offset 2, found unknown control type 42: control record type is unknown"), std::string::npos);
  const auto position = std::int64_t(told["faults"].at(0)["position"]);
  EXPECT_GT(position, static_cast<std::int64_t>(first.size() + 61));
  EXPECT_LT(position, static_cast<std::int64_t>(first.size() + unknown.size()));
  const simdjson::dom::element record = told["files"].at(0)["batches"].at(1)["records"].at(0);
  EXPECT_EQ(std::string_view(record["type"]), "unknown record type 99");
  EXPECT_EQ(std::int64_t(record["version"]), 3);
  EXPECT_EQ(std::string_view(record["undecoded"]), "AWMD/w==");
}

TEST_F(InspectTest, WantsAHeaderAndAFooterInASnapshot) {
  BatchBuilder header(Offset{0}, Epoch{1}, 1, BatchKind::control), footer(Offset{2}, Epoch{1}, 1, BatchKind::control);
  add_control(header, records::SnapshotHeaderRecord{});
  add_control(footer, records::SnapshotFooterRecord{});
  const Buffer head = header.finish(), foot = footer.finish();
  const std::string name = "00000000000000000009-0000000001.checkpoint";
  const auto whole = inspect(put(name, join({head, topics(1), foot})));
  EXPECT_EQ(faults, 0u) << text;
  EXPECT_EQ(std::int64_t(whole["files"].at(0)["end_offset"]), 9);
  const auto cut = inspect(put(name, join({head, topics(1)})));
  ASSERT_EQ(faults, 1u);
  EXPECT_NE(fault(cut).find("expected SNAPSHOT_FOOTER as the last record, found TopicRecord"), std::string::npos);
  inspect(put(name, Buffer{}));
  EXPECT_EQ(faults, 2u) << text;
}

std::string topic_named(std::string_view name) {
  Json json;
  records::TopicRecord record;
  record.name = name;
  write_json(json, record, 0);
  return json.take();
}

TEST(RecordJson, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(topic_named("a\"b\\c\n\x01"), R"({"name":"a\"b\\c\u000a\u0001","topicId":"AAAAAAAAAAAAAAAAAAAAAA"})");
  const auto name_of = [](std::string_view name) { return topic_named(name).substr(9, topic_named(name).find("\",\"topicId") - 9); };
  EXPECT_EQ(name_of("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\xB4"), "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x90\xB4");
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(name_of("\xFFx"), replaced + "x");
  EXPECT_EQ(name_of("\xC3"), replaced);                                        // cut short
  EXPECT_EQ(name_of("\xC0\xAF"), replaced + replaced);                         // overlong
  EXPECT_EQ(name_of("\xED\xA0\x80"), replaced + replaced + replaced);          // half of a surrogate pair
  EXPECT_EQ(name_of("\xF4\x90\x80\x80"), replaced + replaced + replaced + replaced);
}

TEST(RecordJson, WritesNumbersThatJsonLacksAsText) {
  Json json;
  records::ClientQuotaRecord record;
  record.value = std::numeric_limits<double>::infinity();
  write_json(json, record, 0);
  EXPECT_NE(json.text().find(R"("value":"Infinity")"), std::string::npos) << json.text();
}

TEST(RecordJson, LeavesOutTaggedFieldsAtTheirDefault) {
  Arena arena;
  Json json;
  records::PartitionChangeRecord record;
  record.partition_id = PartitionIndex{3};
  record.isr.push_back(arena, NodeId{1});
  write_json(json, record, 2);
  EXPECT_EQ(json.text(), R"({"partitionId":3,"topicId":"AAAAAAAAAAAAAAAAAAAAAA","isr":[1]})");
}

}  // namespace
}  // namespace hayward::tools
