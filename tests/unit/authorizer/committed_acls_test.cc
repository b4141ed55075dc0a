// The authorizer sees the committed ACLs and nothing else (cases.md 43 and 95): through transactions, aborts and
// lost leadership it always holds what a replay of the committed log alone would give.
#include <gtest/gtest.h>

#include <vector>

#include "engine/base/prng.h"
#include "engine/core/authorizer/authorizer.h"
#include "engine/core/image/image.h"
#include "schemas/records/abort_transaction_record.h"
#include "schemas/records/access_control_entry_record.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/end_transaction_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/remove_access_control_entry_record.h"

namespace hayward::core {
namespace {

template <class Record>
Buffer frame(const Record& record) {
  Buffer bytes;
  records::append_frame(bytes, record, 0);
  return bytes;
}

records::AccessControlEntryRecord acl_record(std::uint64_t id, std::string_view name) {
  records::AccessControlEntryRecord record;
  record.id = Uuid{0, id};
  record.resource_type = 2;
  record.resource_name = name;
  record.pattern_type = 3;
  record.principal = "User:a";
  record.host = "*";
  record.operation = 3;
  record.permission_type = 3;
  return record;
}

// A log, the image at its end, and the authorizer behind the high watermark.
class CommittedLog {
 public:
  CommittedLog() : authorizer({true, {}, false}) {}

  template <class Record>
  void append(const Record& record) {
    frames.push_back(frame(record));
    ASSERT_TRUE(image.replay(frames.back(), Offset{end() - 1}).has_value());
  }
  std::int64_t end() const { return static_cast<std::int64_t>(frames.size()); }
  void commit_to(std::int64_t high_watermark) {
    committed = high_watermark - 1;
    image.set_committed(Offset{committed});
    authorizer.catch_up(image.take_committed_acls());
  }
  void lose(std::int64_t from) {
    image.revert_to(Offset{from - 1});
    frames.resize(static_cast<std::size_t>(from));
  }
  std::map<Uuid, Acl> committed_alone() const {
    const auto replayed_to = [&](std::int64_t last, Image& into) {
      for (std::int64_t offset = 0; offset <= last; ++offset) {
        EXPECT_TRUE(into.replay(frames[static_cast<std::size_t>(offset)], Offset{offset}).has_value());
      }
    };
    Image whole, stable;
    replayed_to(committed, whole);
    replayed_to(whole.in_transaction() ? whole.transaction_start().value - 1 : committed, stable);
    return stable.acls().all();
  }

  Image image;
  Authorizer authorizer;
  std::vector<Buffer> frames;
  std::int64_t committed = -1;
};

bool may_read(const Authorizer& authorizer, std::string_view topic) {
  const Requester alice{"User:a", "10.0.0.1", true};
  return authorizer.rules().decide(alice, AclOperation::read, ResourceType::topic, topic) == Decision::allowed;
}

TEST(CommittedAcls, AnAclThatIsLostAgainHasOpenedNothing) {  // cases.md row 43
  CommittedLog log;
  log.append(acl_record(1, "old"));
  log.commit_to(1);
  EXPECT_TRUE(may_read(log.authorizer, "old"));
  log.append(acl_record(2, "new"));
  records::RemoveAccessControlEntryRecord removal;
  removal.id = Uuid{0, 1};
  log.append(removal);
  log.commit_to(1);
  EXPECT_FALSE(may_read(log.authorizer, "new"));
  EXPECT_TRUE(may_read(log.authorizer, "old"));
  log.lose(1);
  log.commit_to(1);
  EXPECT_FALSE(may_read(log.authorizer, "new"));
  EXPECT_TRUE(may_read(log.authorizer, "old"));
}

TEST(CommittedAcls, ATransactionIsSeenWholeAtItsEnd) {
  CommittedLog log;
  log.append(records::BeginTransactionRecord{});
  log.append(acl_record(1, "a"));
  log.append(acl_record(2, "b"));
  log.commit_to(2);
  EXPECT_FALSE(may_read(log.authorizer, "a"));
  log.append(records::EndTransactionRecord{});
  log.commit_to(3);
  EXPECT_FALSE(may_read(log.authorizer, "a"));
  log.commit_to(4);
  EXPECT_TRUE(may_read(log.authorizer, "a"));
  EXPECT_TRUE(may_read(log.authorizer, "b"));
}

TEST(CommittedAcls, SaysWhetherTheClusterIsConcerned) {
  CommittedLog log;
  EXPECT_TRUE(log.authorizer.catch_up({})) << "ready now";
  EXPECT_FALSE(log.authorizer.catch_up({}));
  Acl acl{2, "t", 3, "User:a", "*", 3, 3};
  EXPECT_FALSE(log.authorizer.catch_up({{Uuid{0, 1}, acl}}));
  acl.resource_type = 4;
  EXPECT_TRUE(log.authorizer.catch_up({{Uuid{0, 2}, acl}}));
  EXPECT_TRUE(log.authorizer.catch_up({{Uuid{0, 2}, std::nullopt}}));
}

// One step of a random life of the log.
void take_step(CommittedLog& log, Prng& prng) {
  const bool in_transaction = log.image.in_transaction();
  switch (prng.below(9)) {
    case 0:
    case 1: return log.append(acl_record(prng.below(6), prng.chance(1, 2) ? "a" : "b"));
    case 2: {
      const auto& acls = log.image.acls().all();
      if (acls.empty()) return;
      records::RemoveAccessControlEntryRecord removal;
      removal.id = std::next(acls.begin(), static_cast<std::ptrdiff_t>(prng.below(acls.size())))->first;
      return log.append(removal);
    }
    case 3:
      if (in_transaction) log.append(records::EndTransactionRecord{});
      return;
    case 4:
      if (in_transaction && prng.chance(1, 2)) log.append(records::AbortTransactionRecord{});
      return;
    case 5:
      if (!in_transaction) log.append(records::BeginTransactionRecord{});
      return;
    case 6:
    case 7: return log.commit_to(log.committed + 1 + static_cast<std::int64_t>(
                                     prng.below(static_cast<std::uint64_t>(log.end() - log.committed))));
    default:
      log.lose(log.committed + 1 + static_cast<std::int64_t>(
                   prng.below(static_cast<std::uint64_t>(log.end() - log.committed))));
  }
}

TEST(CommittedAcls, AreThoseOfTheCommittedLogAloneWhateverHappens) {
  std::size_t seen = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Prng prng(seed);
    CommittedLog log;
    for (int step = 0; step < 60; ++step) {
      take_step(log, prng);
      ASSERT_EQ(log.authorizer.acls(), log.committed_alone()) << "seed " << seed << ", step " << step;
      seen += log.authorizer.acls().size();
    }
  }
  EXPECT_GT(seen, 1000u);
}

}  // namespace
}  // namespace hayward::core
