// The walk that `inspect` shows: every fault named, and on behind it.
#include "log/batch_walk.h"

#include "tests/unit/log/log_fixture.h"

namespace hayward::log {
namespace {

class BatchWalkTest : public testing::Test {
 protected:
  void add(const BatchPtr& batch) { file.insert(file.end(), batch->bytes.begin(), batch->bytes.end()); }
  std::vector<WalkedBatch> walk(std::optional<Offset> first = Offset{0}) {
    std::vector<WalkedBatch> all;
    BatchWalk walk(file, first);
    std::uint64_t at = 0;
    while (auto item = walk.next()) {
      EXPECT_EQ(item->position, at) << "nothing is left out";
      EXPECT_GT(item->size, 0u);
      at += item->size;
      all.push_back(*item);
    }
    EXPECT_EQ(at, file.size());
    return all;
  }
  Buffer file;
};

TEST_F(BatchWalkTest, AGoodFileHasNoFaults) {
  for (std::int64_t base = 0; base < 5; ++base) add(make_batch(base, 1));
  const auto items = walk();
  ASSERT_EQ(items.size(), 5u);
  for (const auto& item : items) EXPECT_EQ(item.fault, "");
  EXPECT_EQ(items[3].header->base_offset, Offset{3});
}

TEST_F(BatchWalkTest, FaultsAreNamedAndTheWalkGoesOn) {
  for (std::int64_t base = 0; base < 5; ++base) add(make_batch(base, 1));
  const std::size_t one = file.size() / 5;
  file[one + 70] ^= std::byte{1};
  file[3 * one + 16] = std::byte{1};  // magic
  const auto items = walk();
  ASSERT_EQ(items.size(), 5u);
  EXPECT_NE(items[1].fault.find("checksum"), std::string::npos) << items[1].fault;
  EXPECT_TRUE(items[1].header);
  EXPECT_NE(items[3].fault.find("magic"), std::string::npos) << items[3].fault;
  EXPECT_FALSE(items[3].header);
  EXPECT_NE(items[4].fault.find("at offset 3, found one at offset 4"), std::string::npos) << items[4].fault;
}

TEST_F(BatchWalkTest, OrderAndTheTornEnd) {
  add(make_batch(7, 3));
  add(make_batch(8, 2));
  add(make_batch(9, 2));
  file.resize(file.size() - 1);
  const auto items = walk(std::nullopt);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].fault, "");
  EXPECT_NE(items[1].fault.find("epoch 3 or later"), std::string::npos);
  EXPECT_NE(items[2].fault.find("a batch of"), std::string::npos) << items[2].fault;
}

}  // namespace
}  // namespace hayward::log
