// Mailboxes, and shards on threads of their own that speak by them.
#include <sched.h>

#include <thread>

#include "engine/host/shard/mailbox.h"
#include "engine/host/shard/shard_thread.h"
#include "tests/unit/ring/machine.h"

namespace hayward::shard {
namespace {

TEST(Mailbox, IsBoundedAndInOrder) {
  Mailbox<int> box(4);
  int out = -1;
  EXPECT_FALSE(box.pop(out));
  EXPECT_EQ(out, -1);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(box.push(int{i}));
    EXPECT_FALSE(box.push(4)) << "full";
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(box.pop(out));
      EXPECT_EQ(out, i);
    }
    EXPECT_FALSE(box.pop(out));
  }
}

TEST(Mailbox, WhatDidNotFitIsUntouchedAndWhatWasPoppedIsGone) {
  Mailbox<std::shared_ptr<int>> box(1);
  const auto item = std::make_shared<int>(7);
  EXPECT_TRUE(box.push(std::shared_ptr<int>(item)));
  auto refused = item;
  EXPECT_FALSE(box.push(std::move(refused)));
  EXPECT_EQ(refused, item);
  refused.reset();
  std::shared_ptr<int> out;
  EXPECT_TRUE(box.pop(out));
  out.reset();
  EXPECT_EQ(item.use_count(), 1) << "the mailbox keeps nothing";
}

TEST(Mailbox, TwoThreadsLoseNothing) {
  constexpr std::uint64_t count = 200'000;
  Mailbox<std::unique_ptr<std::uint64_t>> box(64);
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      auto item = std::make_unique<std::uint64_t>(i);
      while (!box.push(std::move(item))) std::this_thread::yield();
    }
  });
  std::unique_ptr<std::uint64_t> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    while (!box.pop(out)) std::this_thread::yield();
    ASSERT_EQ(*out, i);
  }
  writer.join();
}

TEST(ShardThread, TwoShardsPlayPingPongByWakesAlone) {
  constexpr int rounds = 2000;
  Mailbox<int> to_b(2), to_a(2);
  int last = -1;
  std::binary_semaphore finished{0};
  std::unique_ptr<ShardThread> a, b;
  const auto body_b = [&](ring::Port&, ShardLoop& loop) {
    loop.run([&] {
      int ball = 0;
      while (to_b.pop(ball)) {
        EXPECT_TRUE(to_a.push(ball + 1));
        a->wake();
      }
    });
  };
  const auto body_a = [&](ring::Port&, ShardLoop& loop) {
    loop.run([&] {
      while (to_a.pop(last)) {
        if (last == rounds) {
          finished.release();
        } else {
          EXPECT_TRUE(to_b.push(int{last}));
          b->wake();
        }
      }
    });
  };
  a = std::move(ShardThread::start({.name = "a", .core = -1, .ring = {}}, body_a).value());
  b = std::move(ShardThread::start({.name = "b", .core = -1, .ring = {}}, body_b).value());
  // The main thread is a's only writer until the ball is in play.
  EXPECT_TRUE(to_a.push(0));
  a->wake();
  finished.acquire();
  b.reset();
  a.reset();
  EXPECT_EQ(last, rounds);
}

TEST(ShardThread, RunsOnItsCoreOrSaysWhyNot) {
  int on_core = -1;
  const int core = sched_getcpu();
  auto started = ShardThread::start({.name = "pinned", .core = core, .ring = {}},
                                    [&](ring::Port&, ShardLoop&) { on_core = sched_getcpu(); });
  ASSERT_TRUE(started.has_value());
  started->reset();
  EXPECT_EQ(on_core, core);
  const auto refused =
      ShardThread::start({.name = "nowhere", .core = 1023, .ring = {}}, [](ring::Port&, ShardLoop&) {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().error, EINVAL);
  EXPECT_NE(refused.error().what.find("core 1023"), std::string::npos);
}

TEST(ShardLoop, AStopBeforeTheRunEndsItAtOnce) {
  ring::RealMachine machine;
  ShardLoop loop(machine.port());
  loop.stop();
  int rounds = 0;
  loop.run([&] { ++rounds; });
  EXPECT_EQ(rounds, 0);
}

}  // namespace
}  // namespace hayward::shard
