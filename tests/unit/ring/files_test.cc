// File operations, on every back-end.
#include <fcntl.h>

#include "tests/unit/ring/machine.h"

namespace hayward::ring {
namespace {

using Files = OnEveryPort;
HAYWARD_ON_EVERY_PORT(Files);

TEST_P(Files, WrittenDurablyIsReadBack) {
  const Fd fd = must_open(port(), path("f"), O_RDWR | O_CREAT | O_EXCL);
  ASSERT_GE(fd, 0);
  const std::string a(3000, 'a'), b(2000, 'b');
  const iovec parts[] = {part(a), part(b)};
  const auto put = wait_for(port(), [&](Port& p, Operation& op) { p.write(op, fd, parts, 10, true); });
  EXPECT_EQ(put, 5000);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.fsync(op, fd, true); }), 0);
  EXPECT_EQ(read_all(port(), path("f"), O_RDONLY), std::string(10, '\0') + a + b);
  EXPECT_EQ(port().file_size(path("f").c_str()), 5010);
  port().drop_cache(fd, 0, 0);
  EXPECT_EQ(read_all(port(), path("f"), O_RDONLY), std::string(10, '\0') + a + b);
}

TEST_P(Files, ErrorsComeAsNegativeErrno) {
  EXPECT_EQ(must_open(port(), path("none"), O_RDONLY), -ENOENT);
  EXPECT_EQ(must_open(port(), path("no/f"), O_RDWR | O_CREAT), -ENOENT);
  EXPECT_EQ(port().file_size(path("none").c_str()), -ENOENT);
  const iovec one = part("x");
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.write(op, 9999, {&one, 1}, 0, false); }), -EBADF);
  const Fd reader = must_open(port(), path("f"), O_RDONLY | O_CREAT);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.write(op, reader, {&one, 1}, 0, false); }), -EBADF);
  EXPECT_EQ(must_open(port(), path("f"), O_RDWR | O_CREAT | O_EXCL), -EEXIST);
  EXPECT_EQ(must_open(port(), path(""), O_RDWR), -EISDIR);
  int error = 0;
  EXPECT_TRUE(port().list_directory(path("none").c_str(), error).empty());
  EXPECT_EQ(error, -ENOENT);
}

TEST_P(Files, TruncateShortensAndExtends) {
  const Fd fd = must_open(port(), path("f"), O_RDWR | O_CREAT);
  ASSERT_EQ(write_all(port(), fd, "abcdef", 0, false), 0);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.truncate(op, fd, 3); }), 0);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.truncate(op, fd, 5); }), 0);
  EXPECT_EQ(read_all(port(), path("f"), O_RDONLY), std::string("abc\0\0", 5));
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.truncate(op, 9999, 5); }), -EBADF);
}

TEST_P(Files, FallocateKeepsTheSize) {
  const Fd fd = must_open(port(), path("f"), O_RDWR | O_CREAT);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.fallocate(op, fd, 0, 1 << 20); }), 0);
  EXPECT_EQ(port().file_size(path("f").c_str()), 0);
}

TEST_P(Files, NamesAreMadeMovedAndTakenAway) {
  const std::string sub = path("sub"), from = path("sub/b"), to = path("sub/a"), c = path("sub/c");
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.make_directory(op, sub.c_str(), 0755); }), 0);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.make_directory(op, sub.c_str(), 0755); }), -EEXIST);
  ASSERT_EQ(write_all(port(), must_open(port(), from, O_RDWR | O_CREAT), "text", 0, false), 0);
  ASSERT_EQ(write_all(port(), must_open(port(), c, O_RDWR | O_CREAT), "c", 0, false), 0);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.rename(op, from.c_str(), to.c_str()); }), 0);
  const Fd directory = must_open(port(), sub, O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.fsync(op, directory, false); }), 0);
  EXPECT_EQ(read_all(port(), to, O_RDONLY), "text");
  int error = 1;
  EXPECT_EQ(port().list_directory(sub.c_str(), error), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(error, 0);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.unlink(op, to.c_str()); }), 0);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.unlink(op, to.c_str()); }), -ENOENT);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.unlink(op, sub.c_str()); }), -EISDIR);
}

TEST_P(Files, TheLockExcludesAnotherDescription) {
  const Fd first = must_open(port(), path(".lock"), O_RDWR | O_CREAT);
  const Fd second = must_open(port(), path(".lock"), O_RDWR);
  EXPECT_EQ(port().try_lock(first), 0);
  EXPECT_EQ(port().try_lock(first), 0) << "held already";
  EXPECT_EQ(port().try_lock(second), -EAGAIN);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.close(op, first); }), 0);
  EXPECT_EQ(port().try_lock(second), 0);
  EXPECT_EQ(wait_for(port(), [&](Port& p, Operation& op) { p.close(op, first); }), -EBADF);
}

// More at once than the submission and the completion queue hold: nothing is lost.
TEST_P(Files, MoreOperationsThanTheQueuesHold) {
  const Fd fd = must_open(port(), path("f"), O_RDWR | O_CREAT);
  constexpr std::size_t count = 5000;
  struct Slot {
    Operation operation;
    char byte;
    iovec vector;
  };
  std::vector<Slot> slots(count);
  static std::size_t completed;
  completed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    slots[i].operation.handler = [](Operation&, const Completion& c) { completed += c.result == 1; };
    slots[i].byte = static_cast<char>('a' + i % 26);
    slots[i].vector = {&slots[i].byte, 1};
    port().write(slots[i].operation, fd, {&slots[i].vector, 1}, i, false);
  }
  EXPECT_TRUE(run_until(port(), [&] { return completed == count; }));
  const std::string text = read_all(port(), path("f"), O_RDONLY);
  ASSERT_EQ(text.size(), count);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(text[i], static_cast<char>('a' + i % 26));
}

TEST_P(Files, MorePartsThanOneCallTakesIsAShortWrite) {
  const Fd fd = must_open(port(), path("f"), O_RDWR | O_CREAT);
  const std::vector<iovec> parts(1500, part("x"));
  const auto put = wait_for(port(), [&](Port& p, Operation& op) { p.write(op, fd, parts, 0, false); });
  EXPECT_GT(put, 0);
  EXPECT_LE(put, 1500);
}

}  // namespace
}  // namespace hayward::ring
