// Names looked up on threads, answered through a real ring. The name server is the test's own where it has to be slow.
#include "net/resolver.h"

#include <condition_variable>
#include <map>
#include <mutex>

#include "harness.h"

namespace hayward::net {
namespace {

// Answers each name with as many addresses as it has letters, "slow" not before it is let go.
class NameServer {
 public:
  Addresses look_up(const std::string& host, std::uint16_t port) {
    std::unique_lock lock(mutex_);
    ++asked_[host];
    if (host == "slow") let_go_.wait(lock, [&] { return open_; });
    Addresses addresses;
    while (addresses.size() < host.size()) addresses.push_back(numeric_address("127.0.0.1", port).front());
    return addresses;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    let_go_.notify_all();
  }
  int asked(const std::string& host) {
    const std::lock_guard lock(mutex_);
    return asked_[host];
  }

 private:
  std::mutex mutex_;
  std::condition_variable let_go_;
  bool open_ = false;
  std::map<std::string, int> asked_;
};

class ResolverTest : public testing::Test {
 protected:
  void TearDown() override {
    names->let_go();
    ring.reset();  // before what it still reads into
  }
  void ask(const std::string& host) {
    resolver->resolve(host, 9093, [this, host](const Addresses& addresses) { found[host].push_back(addresses.size()); });
  }
  bool turn_until(const std::function<bool()>& ready) {
    const std::int64_t until_ns = ring->now_ns() + 10'000'000'000;
    while (!ready() && ring->now_ns() < until_ns) {
      if (ring->run_once(/*wait=*/false) == 0) sched_yield();
    }
    return ready();
  }

  std::shared_ptr<NameServer> names = std::make_shared<NameServer>();
  std::unique_ptr<ring::Port> ring = ring::create_uring({}).value();
  // Threads may outlive the test: they hold the names.
  std::unique_ptr<Resolver> resolver =
      make_resolver(*ring, [names = names](const std::string& host, std::uint16_t port) { return names->look_up(host, port); });
  std::map<std::string, std::vector<std::size_t>> found;
};

TEST_F(ResolverTest, ASlowNameHoldsUpNoOther) {
  ask("slow");
  ask("quick");
  ASSERT_TRUE(turn_until([&] { return found.contains("quick"); }));
  EXPECT_EQ(found["quick"], std::vector<std::size_t>{5});
  EXPECT_FALSE(found.contains("slow"));
}

TEST_F(ResolverTest, WhoAsksAgainGetsTheAnswerThatIsOnItsWay) {
  ask("slow");
  ASSERT_TRUE(turn_until([&] { return names->asked("slow") == 1; }));
  ask("slow");
  ask("slow");
  names->let_go();
  ASSERT_TRUE(turn_until([&] { return found["slow"].size() == 3; }));
  EXPECT_EQ(names->asked("slow"), 1);
  ask("slow");
  ASSERT_TRUE(turn_until([&] { return found["slow"].size() == 4; }));
  EXPECT_EQ(names->asked("slow"), 2) << "each dial asks anew";
}

TEST_F(ResolverTest, AnAddressInNumbersIsNobodysToLookUp) {
  ask("127.0.0.1");
  ask("::1");
  EXPECT_EQ(found["127.0.0.1"], std::vector<std::size_t>{1});
  EXPECT_EQ(found["::1"], std::vector<std::size_t>{1});
}

TEST(SystemLookUp, FindsThisHostAndIpv4First) {
  const Addresses addresses = system_look_up("localhost", 9093);
  ASSERT_FALSE(addresses.empty());
  bool six = false;
  for (const ResolvedAddress& address : addresses) {
    EXPECT_FALSE(six && address.storage.ss_family == AF_INET);
    six = address.storage.ss_family == AF_INET6;
  }
  EXPECT_TRUE(system_look_up("no-such-name.invalid", 9093).empty());
}

}  // namespace
}  // namespace hayward::net
