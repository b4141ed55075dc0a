// A shard on a thread of its own follows the log by fetches while the controller's shard commits on another: what the thread
// sanitizer is shown of batches that both hold.
#include <atomic>
#include <thread>

#include "engine/host/driver/lease_shard.h"
#include "engine/host/driver/shard_set.h"
#include "schemas/messages/fetch_request.h"
#include "tests/unit/driver/fakes.h"

namespace hayward::driver {
namespace {

constexpr core::BrokerIncarnation broker{NodeId{7}, BrokerEpoch{40}};
constexpr std::int64_t first_offset = 100;
constexpr std::int64_t commits = 20'000;

// Fetches from where it stands; each answer is checked as it comes.
class Follower final : public NetPort {
 public:
  Follower(ShardLink& link, const SharedLogEnd& log_end, const Settings& settings)
      : shard_(port_, settings, 1, link, log_end, [] {}, [](core::LogLine::Level, const std::string&) {}) {
    shard_.attach(*this);
    events_ = shard_.net_events();
  }
  // Until it has read everything below `end`, or the controller has had enough.
  void run(Offset end, const std::atomic<bool>& enough) {
    while (next_ < end && !enough.load()) {
      if (!waits_) port_.turns.push_back([this] { fetch(); });
      shard_.run_once(false);
    }
  }
  Offset next() const { return next_; }
  std::uint64_t answered_there() const { return shard_.fetches().answered(); }

  void reply(core::ConnectionId, Buffer, std::int32_t) override { waits_ = false; }
  void reply_small(core::ConnectionId, Bytes) override {}
  void reply_with_slice(core::ConnectionId, Buffer, LogSlice slice, Buffer, bool) override {
    waits_ = false;
    for (const Bytes part : slice.parts) {
      ASSERT_EQ(as_text(part), std::to_string(next_.value));
      ++next_.value;
    }
  }
  void close_connection(core::ConnectionId, const std::string&) override {}
  void adopt(Handover&&) override {}
  void handed_over_ended(const core::ClientAddress&) override {}
  void stop(std::function<void()> done) override { done(); }

 private:
  void fetch() {
    Arena arena;
    messages::FetchRequest message;
    message.replica_state.replica_id = broker.id;
    message.max_wait_ms = 500;
    messages::FetchRequest::FetchPartition partition;
    partition.current_leader_epoch = partition.last_fetched_epoch = Epoch{3};
    partition.fetch_offset = next_;
    messages::FetchRequest::FetchTopic topic;
    topic.topic_id = metadata_topic_id;
    topic.partitions.push_back(arena, partition);
    message.topics.push_back(arena, topic);
    Buffer body(encoded_size(message, 18));
    Writer writer(body);
    encode(writer, message, 18);
    core::Request request;
    request.connection = {.slot = 4, .generation = 1, .shard = 1};
    request.api_key = messages::FetchRequest::api_key;
    request.api_version = 18;
    request.body = body;
    request.arrival = {port_.now};
    request.listener = "CONTROLLER";
    waits_ = true;
    events_.arrived(request);
    events_.request(request);
  }

  FakePort port_;
  LeaseShard shard_;
  NetEvents events_;
  Offset next_{first_offset};
  bool waits_ = false;
};

TEST(ShardThreads, AnObserverFollowsWhatIsCommittedElsewhere) {
  const Settings settings{.session_timeout_ms = 9000, .fetch_timeout_ms = 60'000, .shards = 2};
  ShardLink link;
  SharedLogEnd log_end{first_offset};
  Follower follower(link, log_end, settings);
  std::vector<std::string> calls;
  FakeNet net(calls);
  ShardSet set(settings, {{link, [] {}}}, log_end);
  set.attach(net);
  const auto leader = std::make_shared<const core::LeaderFacts>(core::LeaderFacts{
      .id = NodeId{3000},
      .epoch = Epoch{3},
      .cluster_id = "c",
      .endpoints = {{"CONTROLLER", "localhost", 9093, 0}},
      .voters = {},
      .max_bytes = 1 << 20});
  set.order(core::PublishClusterAccess{std::make_shared<const core::AccessRules>(core::AuthorizerConfig{})});
  set.order(core::ResetLeases{Epoch{3}});
  set.order(core::GrantLease{broker, Offset{-1}, {}});
  set.order(core::SignOfLife{{}});
  set.order(core::PublishLog{leader, Offset{first_offset}, Offset{0}});
  set.flush();

  constexpr Offset end{first_offset + commits};
  std::atomic<bool> enough = false;
  std::thread thread([&] { follower.run(end, enough); });
  std::uint64_t mailed = 0;
  const ShardSet::Receiver to{.event = [](core::Event) {},
                              .request = [&](const core::Request& request) {
                                ++mailed;  // too far behind: answered as by the log
                                set.reply(request.connection, {}, 0);
                              }};
  for (std::int64_t offset = first_offset; offset < end.value; ++offset) {
    auto batch = std::make_shared<EncodedBatch>();
    batch->base = batch->last = Offset{offset};
    const std::string text = std::to_string(offset);
    batch->bytes.assign(as_bytes(text).begin(), as_bytes(text).end());
    set.order(core::Append{std::move(batch)});
    set.set_log_end(Offset{offset + 1});
    set.order(core::PublishLog{leader, Offset{offset + 1}, Offset{0}});
    set.receive({}, to);
    set.flush();
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!set.flush() && std::chrono::steady_clock::now() < give_up) {
    set.receive({}, to);
    std::this_thread::yield();
  }
  while (!link.to_shard.empty() && std::chrono::steady_clock::now() < give_up) {
    set.receive({}, to);
    set.flush();
    std::this_thread::yield();
  }
  if (std::chrono::steady_clock::now() >= give_up) enough = true;
  thread.join();
  EXPECT_EQ(follower.next(), end);
  EXPECT_GT(follower.answered_there(), 0u);
  EXPECT_EQ(mailed, 0u);
}

}  // namespace
}  // namespace hayward::driver
