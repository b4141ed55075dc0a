// Transactions, and going back to an earlier offset.
#include "tests/unit/image/image_fixture.h"

namespace hayward::core::testing {
namespace {

using TransactionReplay = ImageTest;

TEST_F(TransactionReplay, TheStableOffsetIsBelowAnOpenTransaction) {
  apply(records::NoOpRecord{});
  EXPECT_EQ(image_.stable_offset(Offset{0}), Offset{0});
  apply(records::BeginTransactionRecord{"t"});
  apply(topic("foo", 1));
  EXPECT_TRUE(image_.in_transaction());
  EXPECT_EQ(image_.transaction_start(), Offset{1});
  EXPECT_EQ(image_.stable_offset(Offset{2}), Offset{0});
  EXPECT_EQ(image_.stable_offset(Offset{0}), Offset{0});
  apply(records::EndTransactionRecord{});
  EXPECT_FALSE(image_.in_transaction());
  EXPECT_EQ(image_.stable_offset(Offset{3}), Offset{3});
  EXPECT_NE(image_.topics().find("foo"), nullptr);
}

TEST_F(TransactionReplay, MarkersOutOfPlaceAreRefused) {
  EXPECT_NE(refuse(records::EndTransactionRecord{}).find("an open transaction"), std::string::npos);
  EXPECT_NE(refuse(records::AbortTransactionRecord{}).find("an open transaction"), std::string::npos);
  apply(records::BeginTransactionRecord{});
  EXPECT_NE(refuse(records::BeginTransactionRecord{}).find("began at offset 0"), std::string::npos);
  for (const Buffer& bytes : {frame(records::BeginTransactionRecord{}), frame(records::EndTransactionRecord{}),
                              frame(records::AbortTransactionRecord{})}) {
    EXPECT_FALSE(image_.replay(bytes, next_, ReplaySource::snapshot).has_value());
  }
}

TEST_F(TransactionReplay, AbortDropsTheTransactionEvenWhenItsRecordsWereCommitted) {
  apply(topic("before", 1));
  const std::uint64_t before = image_.hash();
  apply(records::BeginTransactionRecord{});
  apply(topic("foo", 2));
  apply(partition(2, 0, {1}, 1));
  apply(records::RemoveTopicRecord{topic_id(1)});
  image_.set_committed(Offset{4});
  apply(records::AbortTransactionRecord{"Controller failover"});
  EXPECT_EQ(image_.hash(), before);
  EXPECT_FALSE(image_.in_transaction());
  EXPECT_EQ(image_.undo_size(), 1u);  // the abort itself
  image_.set_committed(Offset{5});
  EXPECT_EQ(image_.undo_size(), 0u);
}

TEST_F(TransactionReplay, AnAbortCanBeUndoneAndWhatItDroppedUndoneInItsTurn) {
  const std::uint64_t before = image_.hash();
  apply(records::BeginTransactionRecord{});
  apply(topic("foo", 1));
  apply(partition(1, 0, {1, 2}, 1));
  const std::uint64_t within = image_.hash();
  apply(records::AbortTransactionRecord{});
  apply(topic("after", 2));
  image_.revert_to(Offset{2});
  EXPECT_EQ(image_.hash(), within);
  EXPECT_TRUE(image_.in_transaction());
  EXPECT_EQ(image_.last_offset(), Offset{2});
  image_.revert_to(no_offset);
  EXPECT_EQ(image_.hash(), before);
  EXPECT_FALSE(image_.in_transaction());
}

// Found by the random log: the transaction's beginning must outlive its own commit until the end is committed too.
TEST_F(TransactionReplay, ATransactionReopenedByRevertCanBeAbortedWhole) {
  const std::uint64_t before = image_.hash();
  apply(records::BeginTransactionRecord{});
  apply(topic("foo", 1));
  apply(records::EndTransactionRecord{});
  image_.set_committed(Offset{1});
  image_.revert_to(Offset{1});
  EXPECT_TRUE(image_.in_transaction());
  next_ = Offset{2};
  apply(records::AbortTransactionRecord{});
  EXPECT_FALSE(image_.in_transaction());
  EXPECT_EQ(image_.hash(), before);
}

TEST_F(TransactionReplay, RevertGoesBackToTheCommittedOffset) {  // cases.md row 65
  apply(broker(1, 0, true));
  apply(topic("foo", 1));
  apply(partition(1, 0, {1}, 1));
  image_.set_committed(Offset{2});
  EXPECT_EQ(image_.undo_size(), 0u);
  const std::uint64_t committed = image_.hash();
  apply(records::UnfenceBrokerRecord{node(1), BrokerEpoch{0}});
  apply(records::FeatureLevelRecord{"metadata.version", 30});
  apply(records::RemoveTopicRecord{topic_id(1)});
  apply(topic("foo", 2));
  image_.revert_to(Offset{2});
  EXPECT_EQ(image_.hash(), committed);
  EXPECT_EQ(image_.topics().find("foo")->id, topic_id(1));
  EXPECT_EQ(image_.features().changed_at(), no_offset);
  EXPECT_EQ(image_.last_offset(), Offset{2});
}

TEST_F(TransactionReplay, KnownToBeCommittedNothingIsKept) {
  image_.set_committed(Offset{1'000});
  for (std::uint64_t t = 1; t < 100; ++t) apply(topic("t" + std::to_string(t), t));
  EXPECT_EQ(image_.undo_size(), 0u);
}

}  // namespace
}  // namespace hayward::core::testing
