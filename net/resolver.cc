// See resolver.h.
#include "net/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace hayward::net {
namespace {

// At once; more wait. A quorum has few controllers, and of those few whose names are slow.
constexpr int most_threads = 8;

using Place = std::pair<std::string, std::uint16_t>;

// What the shard and the threads share. The threads keep it alive: a name that takes long to resolve holds up nobody's end.
struct Shared {
  Shared(int event_fd, LookUp function) : fd(event_fd), look_up(std::move(function)) {}
  ~Shared() { ::close(fd); }
  const int fd;
  const LookUp look_up;
  std::mutex mutex;
  std::deque<Place> questions;
  std::deque<std::pair<Place, Addresses>> answers;
  int threads = 0;
  bool over = false;
};

void run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (!shared->over && !shared->questions.empty()) {
    const Place place = std::move(shared->questions.front());
    shared->questions.pop_front();
    lock.unlock();
    Addresses addresses = shared->look_up(place.first, place.second);
    lock.lock();
    shared->answers.emplace_back(place, std::move(addresses));
    ::eventfd_write(shared->fd, 1);
  }
  --shared->threads;
}

class ThreadedResolver final : public Resolver {
 public:
  ThreadedResolver(ring::Port& port, LookUp look_up) : port_(port), look_up_(std::move(look_up)) {
    read_.owner = this;
    read_.handler = [](ring::Operation& self, const ring::Completion& completion) {
      static_cast<ThreadedResolver*>(self.owner)->on_read(completion);
    };
  }
  ~ThreadedResolver() override {
    if (!shared_) return;
    const std::lock_guard lock(shared_->mutex);
    shared_->over = true;
  }

  void resolve(const std::string& host, std::uint16_t port, Done done) override {
    if (const Addresses numeric = numeric_address(host, port); !numeric.empty()) return done(numeric);
    if (!shared_ && !begin()) return done({});
    const Place place{host, port};
    std::vector<Done>& waiting = waiting_[place];
    waiting.push_back(std::move(done));
    if (waiting.size() > 1 || ask(place)) return;
    answer(place, {});
  }

 private:
  bool begin() {
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    if (fd < 0) return false;
    shared_ = std::make_shared<Shared>(fd, look_up_);
    listen();
    return true;
  }

  // False: there is no thread to look it up.
  bool ask(const Place& place) {
    const std::lock_guard lock(shared_->mutex);
    shared_->questions.push_back(place);
    if (shared_->threads == most_threads) return true;
    try {
      std::thread(run, shared_).detach();
      ++shared_->threads;
    } catch (const std::system_error&) {
      if (shared_->threads > 0) return true;
      shared_->questions.clear();
      return false;
    }
    return true;
  }

  void listen() { port_.read(read_, shared_->fd, counter_, 0); }

  void on_read(const ring::Completion& completion) {
    if (completion.result == -ECANCELED) return;
    std::deque<std::pair<Place, Addresses>> answers;
    {
      const std::lock_guard lock(shared_->mutex);
      answers.swap(shared_->answers);
    }
    listen();
    for (const auto& [place, addresses] : answers) answer(place, addresses);
  }

  void answer(const Place& place, const Addresses& addresses) {
    const auto at = waiting_.find(place);
    if (at == waiting_.end()) return;
    const std::vector<Done> waiting = std::move(at->second);
    waiting_.erase(at);
    for (const Done& done : waiting) done(addresses);
  }

  ring::Port& port_;
  LookUp look_up_;
  std::shared_ptr<Shared> shared_;
  std::map<Place, std::vector<Done>> waiting_;
  ring::Operation read_;
  std::array<std::byte, 8> counter_{};
};

}  // namespace

Addresses system_look_up(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  Addresses addresses, others;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    ResolvedAddress& address = (at->ai_family == AF_INET ? addresses : others).emplace_back();
    std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
    address.length = at->ai_addrlen;
  }
  addresses.insert(addresses.end(), others.begin(), others.end());
  return addresses;
}

Addresses numeric_address(const std::string& host, std::uint16_t port) {
  ResolvedAddress address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.length = sizeof(*v4);
  } else if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.length = sizeof(*v6);
  } else {
    return {};
  }
  return {address};
}

std::unique_ptr<Resolver> make_resolver(ring::Port& port, LookUp look_up) {
  return std::make_unique<ThreadedResolver>(port, std::move(look_up));
}

}  // namespace hayward::net
