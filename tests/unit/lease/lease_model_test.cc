// LeaseTable against the plainest model, a sorted map of exact deadlines, over random histories with
// stalls, late arrivals, new incarnations, lower offsets and resets.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "engine/base/prng.h"
#include "engine/core/lease/lease_table.h"

namespace hayward::core {
namespace {

class History {
 public:
  explicit History(std::uint64_t seed)
      : prng_(seed),
        session_ns_((1 + pick(20'000)) * 1'000'000),
        now_(pick(1'000'000'000)),
        last_turn_(now_),
        table_(session_ns_, {now_}) {}

  void step() {
    turn();
    const auto inputs = pick(4);
    for (std::int64_t i = 0; i < inputs; ++i) input();
    expire();
  }

  std::uint64_t expired = 0;
  std::uint64_t stalls = 0;
  std::uint64_t ignored = 0;

 private:
  std::int64_t pick(std::int64_t bound) { return static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(bound))); }

  // The loop's next turn: mostly in time, seldom after a stall.
  void turn() {
    const std::int64_t wake = table_.next_wake().ns;
    const bool stall = prng_.chance(1, 60);
    std::int64_t to = now_ + pick(session_ns_ / 10 + 1);
    if (stall) to = now_ + pick(session_ns_ * 3);
    else if (wake != INT64_MAX) to = std::max(now_, std::min(to, wake));
    now_ = to;
    const std::int64_t gap = now_ - last_turn_;
    const std::int64_t expected = gap > session_ns_ / 4 && !model_.empty() ? gap : 0;
    ASSERT_EQ(table_.observe({now_}), expected);
    stalled_turn_ = expected > 0;
    stalls += stalled_turn_;
    for (auto& [id, lease] : model_) lease.deadline += expected;
    if (stalled_turn_) stalls_.push_back({last_turn_, now_});
    last_turn_ = now_;
  }

  void input() {
    const auto id = static_cast<std::int32_t>(pick(12));
    const auto found = model_.find(id);
    const std::int64_t epoch = found != model_.end() && !prng_.chance(1, 8) ? found->second.epoch : pick(5);
    const BrokerIncarnation broker{NodeId{id}, BrokerEpoch{epoch}};
    const std::int64_t arrival = now_ - (prng_.chance(1, 5) ? pick(session_ns_ / 8 + 1) : 0);
    const auto kind = pick(20);
    if (kind == 0) {
      table_.drop(NodeId{id});
      model_.erase(id);
    } else if (kind == 1 && prng_.chance(1, 10)) {
      table_.reset(Epoch{++controller_epoch_});
      reset();
    } else if (kind < 6) {
      grant(broker, arrival);
    } else {
      touch(broker, arrival);
    }
  }

  // What of our stalls came after the arrival is owed to it.
  std::int64_t deadline_of(std::int64_t arrival) const {
    std::int64_t owed = 0;
    for (auto stall = stalls_.rbegin(); stall != stalls_.rend() && stall->end > arrival; ++stall) {
      owed += stall->end - std::max(stall->begin, arrival);
    }
    return arrival + session_ns_ + owed;
  }

  void grant(BrokerIncarnation broker, std::int64_t from) {
    const std::int64_t offset = pick(100) - 1;
    table_.grant(broker, Offset{offset}, {from});
    Lease& lease = model_[broker.id.value];
    if (lease.epoch != broker.epoch.value) lease = {};
    lease.epoch = broker.epoch.value;
    lease.offset = std::max(lease.offset, offset);
    const Visit& visit = visits_[broker.id.value];
    if (visit.epoch == broker.epoch.value && visit.offset >= offset) from = std::max(from, visit.arrival);
    lease.deadline = std::max(lease.deadline, deadline_of(from));
    lease.contact = std::max(lease.contact, from);
  }

  void touch(BrokerIncarnation broker, std::int64_t arrival) {
    const std::int64_t log_end = 80 + pick(20);
    const std::int64_t offset = prng_.chance(1, 4) ? pick(110) - 1 : 70 + pick(30);
    const auto result = table_.touch(broker, Offset{offset}, Offset{log_end}, {arrival});
    const auto found = model_.find(broker.id.value);
    if (found == model_.end() || found->second.epoch != broker.epoch.value) {
      EXPECT_EQ(result, LeaseTable::Touch::no_lease);
      visit(broker, offset, log_end, arrival);
    } else if (offset < found->second.offset) {
      EXPECT_EQ(result, LeaseTable::Touch::lower_offset);
      ++ignored;
    } else {
      EXPECT_EQ(result, LeaseTable::Touch::renewed);
      found->second.deadline = std::max(found->second.deadline, deadline_of(arrival));
      found->second.contact = std::max(found->second.contact, arrival);
      if (offset < log_end) found->second.offset = offset;
    }
  }

  // No lease is left, but when everybody was heard of; offsets begin anew.
  void reset() {
    for (auto& [id, visit] : visits_) visit.mark = -1;
    for (const auto& [id, lease] : model_) {
      Visit& visit = visits_[id];
      if (lease.epoch >= visit.epoch) visit = {lease.epoch, lease.offset, -1, lease.contact};
    }
    model_.clear();
  }

  // Older incarnations than the one seen last are passed over; an offset beyond the log's end sets no mark.
  void visit(BrokerIncarnation broker, std::int64_t offset, std::int64_t log_end, std::int64_t arrival) {
    Visit& visit = visits_[broker.id.value];
    if (broker.epoch.value < visit.epoch) return;
    if (broker.epoch.value > visit.epoch) visit = {.epoch = broker.epoch.value};
    if (offset < visit.mark) return;
    if (offset < log_end) visit.mark = offset;
    visit.offset = offset;
    visit.arrival = std::max(visit.arrival, arrival);
  }

  // L1: nothing whose deadline has not passed. L2: everything whose deadline is more than a tick old,
  // unless this is the turn of a stall (L4).
  void expire() {
    const auto mail = table_.expire({now_});
    if (mail) {
      ASSERT_FALSE(stalled_turn_);
      EXPECT_EQ(mail->controller_epoch, Epoch{controller_epoch_});
      for (const BrokerIncarnation& broker : mail->brokers) {
        const auto found = model_.find(broker.id.value);
        ASSERT_NE(found, model_.end()) << "told twice, or never granted";
        EXPECT_EQ(found->second.epoch, broker.epoch.value);
        EXPECT_LT(found->second.deadline, now_) << "L1";
        model_.erase(found);
        ++expired;
      }
    }
    for (const auto& [id, lease] : model_) {
      EXPECT_TRUE(stalled_turn_ || lease.deadline + table_.tick_ns() > now_) << "L2: broker " << id;
      EXPECT_EQ(table_.find(NodeId{id})->offset.value, lease.offset);
    }
    EXPECT_EQ(table_.size(), model_.size());
  }

  struct Lease {
    std::int64_t epoch = -1;
    std::int64_t deadline = INT64_MIN;
    std::int64_t offset = -1;
    std::int64_t contact = INT64_MIN;
  };
  Prng prng_;
  std::int64_t session_ns_;
  std::int64_t now_;
  std::int64_t last_turn_;
  LeaseTable table_;
  std::map<std::int32_t, Lease> model_;
  struct Stall {
    std::int64_t begin;
    std::int64_t end;
  };
  std::vector<Stall> stalls_;
  struct Visit {
    std::int64_t epoch = -1;
    std::int64_t offset = -1;
    std::int64_t mark = -1;
    std::int64_t arrival = INT64_MIN;
  };
  std::map<std::int32_t, Visit> visits_;
  std::int32_t controller_epoch_ = 0;
  bool stalled_turn_ = false;
};

TEST(LeaseModel, AgreesWithASortedMap) {
  std::uint64_t expired = 0, stalls = 0, ignored = 0;
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    History history(seed);
    for (int step = 0; step < 1500 && !testing::Test::HasFailure(); ++step) history.step();
    expired += history.expired;
    stalls += history.stalls;
    ignored += history.ignored;
  }
  EXPECT_GT(expired, 1000u);
  EXPECT_GT(stalls, 1000u);
  EXPECT_GT(ignored, 1000u);
}

}  // namespace
}  // namespace hayward::core
