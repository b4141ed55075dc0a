// The shards' answers to observers' fetches (observers/observer_fetches.h) beside the controller's to the same fetches: byte
// by byte the same, or left to the controller.
#include <gtest/gtest.h>

#include <functional>

#include "engine/core/observers/observer_fetches.h"
#include "schemas/messages/fetch_request.h"
#include "tests/node_machine/machine.h"

namespace hayward::core {
namespace {

using messages::FetchRequest;

constexpr NodeId observer{100};

class ObserverAnswers : public ::testing::Test {
 protected:
  ObserverAnswers() {
    machine.bring_up();
    leases.grant({observer, BrokerEpoch{7}}, no_offset, machine.now().mono);
    begin = machine.disk.end();
    tell();
    write();
    write();
  }

  // What the node says of its log reaches the shard, with what has been committed since.
  void tell() {
    for (const Effect& effect : machine.effects()) {
      if (const auto* news = std::get_if<PublishLog>(&effect)) last_news = *news;
    }
    std::vector<BatchPtr> batches;
    for (const BatchPtr& batch : machine.disk.batches) {
      if (batch->base >= std::max(begin, told) && batch->last < last_news.high_watermark) batches.push_back(batch);
    }
    if (!batches.empty()) told = Offset{batches.back()->last.value + 1};
    shard.publish(last_news, begin, batches, answers);
  }
  // One committed record more.
  void write() {
    machine.pass_ms(500);
    machine.flush();
    tell();
  }
  std::int64_t end() const { return machine.disk.end().value; }

  FetchRequest request(std::int64_t offset, std::int64_t high_watermark) {
    arena.reset();
    FetchRequest fetch;
    fetch.cluster_id = test_cluster;
    fetch.replica_id = fetch.replica_state.replica_id = observer;
    fetch.max_wait_ms = 400;
    fetch.max_bytes = 1 << 20;
    FetchRequest::FetchPartition partition;
    partition.fetch_offset = Offset{offset};
    partition.current_leader_epoch = partition.last_fetched_epoch = machine.node().view().epoch;
    partition.high_watermark = Offset{high_watermark};
    partition.replica_directory_id = DirectoryId{Uuid{0xb, 100}};
    FetchRequest::FetchTopic topic;
    topic.topic_id = metadata_topic_id;
    topic.partitions.push_back(arena, partition);
    fetch.topics.push_back(arena, topic);
    return fetch;
  }
  FetchRequest::FetchPartition& partition_of(FetchRequest& fetch) { return fetch.topics[0].partitions[0]; }

  // Asks both; whether the shard takes it.
  bool ask(std::uint32_t slot, const FetchRequest& fetch, std::int16_t version = FetchRequest::max_version) {
    machine.ask(slot, fetch, version);
    return ask_shard(slot, fetch, version);
  }
  bool ask_shard(std::uint32_t slot, const FetchRequest& fetch, std::int16_t version = FetchRequest::max_version) {
    Buffer body(encoded_size(fetch, version));
    Writer writer(body);
    encode(writer, fetch, version);
    Request to_shard;
    to_shard.connection = {slot, 1, 1};
    to_shard.api_key = FetchRequest::api_key;
    to_shard.api_version = version;
    const auto* asked = machine.find_answer(slot);
    to_shard.correlation_id = asked == nullptr ? 0 : asked->correlation_id;
    to_shard.body = body;
    to_shard.listener = "CONTROLLER";
    return shard.take(to_shard, machine.disk.end(), machine.now(), answers);
  }
  // All that it has answered; each as the controller has.
  std::size_t same_answers() {
    for (const ObserverFetches::Answer& answer : answers) {
      Buffer bytes = answer.head;
      if (!answer.batches.empty()) {
        Buffer records;
        for (const BatchPtr& b : answer.batches) records.insert(records.end(), b->bytes.begin(), b->bytes.end());
        Buffer length(uvarint_size(records.size() + 1));
        Writer(length).write_uvarint(records.size() + 1);
        const Buffer* const parts[] = {&length, &records, &answer.tail};
        for (const Buffer* part : parts) bytes.insert(bytes.end(), part->begin(), part->end());
      }
      const auto* by_controller = machine.find_answer(answer.connection.slot);
      EXPECT_TRUE(by_controller->answered) << answer.connection.slot;
      EXPECT_EQ(bytes, by_controller->bytes) << answer.connection.slot;
    }
    const std::size_t count = answers.size();
    answers.clear();
    return count;
  }

  Machine machine;
  LeaseTable leases{9'000'000'000, machine.now().mono};
  ObserverFetches shard{leases};
  ObserverFetches::Answers answers;
  PublishLog last_news;
  Offset begin, told{0};
  Arena arena;
};

TEST_F(ObserverAnswers, AreTheControllersInEveryVersionThatKnowsTopicIds) {
  for (std::int16_t version = 13; version <= FetchRequest::max_version; ++version) {
    for (std::int64_t offset = begin.value; offset <= end(); ++offset) {
      FetchRequest fetch = request(offset, end());
      fetch.max_wait_ms = 0;
      EXPECT_TRUE(ask(1, fetch, version)) << version << " " << offset;
      EXPECT_EQ(same_answers(), 1u);
      fetch.max_bytes = 1;
      EXPECT_TRUE(ask(1, fetch, version));
      EXPECT_EQ(same_answers(), 1u);
    }
  }
}

TEST_F(ObserverAnswers, WaitOnlyForWhatIsNews) {
  EXPECT_TRUE(ask(1, request(end(), end())));
  EXPECT_TRUE(ask(2, request(end(), FetchRequest::FetchPartition{}.high_watermark.value))) << "does not tell";
  EXPECT_TRUE(ask(3, request(end(), end() - 1))) << "does not know of the high watermark";
  EXPECT_EQ(same_answers(), 1u);
  EXPECT_TRUE(ask(4, request(end() - 1, end())));
  EXPECT_EQ(same_answers(), 1u);
  EXPECT_EQ(shard.next_deadline(), machine.now().mono + ms_to_ns(400));
}

TEST_F(ObserverAnswers, TellOfTheCommitTogether) {  // cases.md row 79
  for (const std::uint32_t slot : {1u, 2u}) {
    FetchRequest fetch = request(end(), end());
    fetch.max_wait_ms = 30'000;
    EXPECT_TRUE(ask(slot, fetch));
  }
  write();
  EXPECT_EQ(same_answers(), 2u);
  EXPECT_EQ(shard.answered(), 2u);
}

TEST_F(ObserverAnswers, ComeAtTheLatestAfterTheWait) {
  ask(1, request(end(), end()));
  ask(2, request(end(), end()));
  shard.forget({2, 1, 1});
  EXPECT_EQ(shard.next_deadline(), machine.now().mono + ms_to_ns(400));
  shard.answer_due(machine.now().mono + ms_to_ns(399), answers);
  EXPECT_TRUE(answers.empty());
  machine.pass_ms(400);
  shard.answer_due(machine.now().mono, answers);
  EXPECT_EQ(same_answers(), 1u);
}

// All that the leadership's end finds waiting goes, with what was true before; then nothing is taken any more.
TEST_F(ObserverAnswers, EndWithTheLeadership) {
  EXPECT_TRUE(ask(1, request(end(), end())));
  machine.step(Stop{});
  const auto ends = [](const Effect& e) { const auto* p = std::get_if<PublishLog>(&e); return p != nullptr && !p->leader; };
  ASSERT_TRUE(std::ranges::any_of(machine.effects(), ends));
  shard.publish(PublishLog{}, begin, {}, answers);
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_FALSE(ask_shard(2, request(end(), end())));
}

TEST_F(ObserverAnswers, LeaveTheRestToTheController) {
  using Change = std::function<void(FetchRequest&)>;
  const Change changes[] = {
      [](FetchRequest& f) { f.cluster_id = "another"; },
      [](FetchRequest& f) { f.replica_state.replica_id = NodeId{-1}; },
      [](FetchRequest& f) { f.replica_state.replica_id = NodeId{1}; },
      [](FetchRequest& f) { f.replica_state.replica_id = NodeId{101}; },  // has no lease here
      [](FetchRequest& f) { f.max_wait_ms = -1; },
      [](FetchRequest& f) { f.max_bytes = -1; },
      [](FetchRequest& f) { f.topics[0].topic_id = TopicId{Uuid{5, 5}}; },
      [](FetchRequest& f) { f.topics[0].partitions[0].partition = PartitionIndex{1}; },
      [this](FetchRequest& f) { partition_of(f).current_leader_epoch.value -= 1; },
      [this](FetchRequest& f) { partition_of(f).current_leader_epoch.value += 1; },
      [this](FetchRequest& f) { partition_of(f).last_fetched_epoch.value -= 1; },
      [this](FetchRequest& f) { partition_of(f).fetch_offset = Offset{0}; },
      [this](FetchRequest& f) { partition_of(f).fetch_offset.value = begin.value - 1; },
      [this](FetchRequest& f) { partition_of(f).fetch_offset.value = end() + 1; },
      [this](FetchRequest& f) { f.topics.push_back(arena, f.topics[0]); },
      [this](FetchRequest& f) { f.topics[0].partitions.push_back(arena, f.topics[0].partitions[0]); },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    FetchRequest fetch = request(end(), end());
    changes[i](fetch);
    EXPECT_FALSE(ask_shard(1, fetch)) << i;
  }
  EXPECT_EQ(shard.take_contacts(), std::nullopt);
}

TEST_F(ObserverAnswers, VotersFetchesAreTheControllers) {
  EXPECT_TRUE(ask_shard(1, request(end(), end())));
  LeaderFacts facts = *last_news.leader;
  facts.voters = {NodeId{1}, observer};
  PublishLog news = last_news;
  news.leader = std::make_shared<const LeaderFacts>(facts);
  shard.publish(news, begin, {}, answers);
  EXPECT_EQ(answers.size(), 1u) << "it waited as an observer";
  EXPECT_FALSE(ask_shard(2, request(end(), end())));
}

TEST_F(ObserverAnswers, ReachBackAsFarAsTheWindow) {
  auto batch = std::make_shared<EncodedBatch>();
  batch->base = batch->last = told;
  batch->bytes.resize(ObserverFetches::window_bytes - 100);
  last_news.high_watermark = Offset{told.value + 1};
  const BatchPtr batches[] = {batch};
  const std::int64_t before = told.value;
  shard.publish(last_news, begin, batches, answers);
  EXPECT_TRUE(ask_shard(1, request(before, before)));
  EXPECT_FALSE(ask_shard(1, request(begin.value, before))) << "older ones had to go";
}

TEST_F(ObserverAnswers, NothingBelowTheLogsStart) {
  last_news.log_start = told;
  shard.publish(last_news, begin, {}, answers);
  EXPECT_FALSE(ask_shard(1, request(told.value - 1, end())));
  EXPECT_TRUE(ask_shard(1, request(told.value, end())));
}

TEST_F(ObserverAnswers, TellTheControllerOfTheObserver) {
  ask_shard(1, request(end() - 1, end()));
  ask_shard(2, request(end(), end()));
  const auto contacts = shard.take_contacts();
  ASSERT_TRUE(contacts);
  ASSERT_EQ(contacts->observers.size(), 1u);
  EXPECT_EQ(contacts->epoch, machine.node().view().epoch);
  EXPECT_EQ(contacts->observers[0].replica, observer);
  EXPECT_EQ(contacts->observers[0].fetch_offset.value, end());
  EXPECT_EQ(contacts->observers[0].at.wall_ms, machine.now().wall_ms);
  EXPECT_FALSE(shard.take_contacts());
}

}  // namespace
}  // namespace hayward::core
