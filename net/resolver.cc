// See resolver.h.
#include "net/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace hayward::net {
namespace {

struct Question {
  std::uint64_t number = 0;
  std::string host;
  std::uint16_t port = 0;
};

// What the shard and the thread share. The thread keeps it alive: a name that takes long to resolve holds up nobody's end.
struct Shared {
  explicit Shared(int event_fd) : fd(event_fd) {}
  ~Shared() { ::close(fd); }
  const int fd;
  std::mutex mutex;
  std::condition_variable asked;
  std::deque<Question> questions;
  std::deque<std::pair<std::uint64_t, ResolvedAddress>> answers;
  bool over = false;
};

ResolvedAddress look_up(const Question& question) {
  ResolvedAddress address;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(question.host.c_str(), std::to_string(question.port).c_str(), &hints, &found) != 0) return address;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  const addrinfo* chosen = found;
  for (const addrinfo* at = found; at != nullptr && chosen->ai_family != AF_INET; at = at->ai_next) {
    if (at->ai_family == AF_INET) chosen = at;
  }
  std::memcpy(&address.storage, chosen->ai_addr, chosen->ai_addrlen);
  address.length = chosen->ai_addrlen;
  return address;
}

void run(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->asked.wait(lock, [&] { return shared->over || !shared->questions.empty(); });
    if (shared->over) return;
    const Question question = std::move(shared->questions.front());
    shared->questions.pop_front();
    lock.unlock();
    const ResolvedAddress address = look_up(question);
    lock.lock();
    shared->answers.emplace_back(question.number, address);
    ::eventfd_write(shared->fd, 1);
  }
}

class SystemResolver final : public Resolver {
 public:
  explicit SystemResolver(ring::Port& port) : port_(port) {
    read_.owner = this;
    read_.handler = [](ring::Operation& self, const ring::Completion& completion) {
      static_cast<SystemResolver*>(self.owner)->on_read(completion);
    };
  }
  ~SystemResolver() override {
    if (!shared_) return;
    const std::lock_guard lock(shared_->mutex);
    shared_->over = true;
    shared_->asked.notify_all();
  }

  void resolve(const std::string& host, std::uint16_t port, Done done) override {
    if (const ResolvedAddress address = numeric_address(host, port); address.ok()) return done(address);
    if (!shared_ && !begin()) return done({});
    waiting_[++last_] = std::move(done);
    const std::lock_guard lock(shared_->mutex);
    shared_->questions.push_back({last_, host, port});
    shared_->asked.notify_one();
  }

 private:
  bool begin() {
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    if (fd < 0) return false;
    auto shared = std::make_shared<Shared>(fd);
    try {
      std::thread(run, shared).detach();
    } catch (const std::system_error&) {
      return false;
    }
    shared_ = std::move(shared);
    listen();
    return true;
  }

  void listen() { port_.read(read_, shared_->fd, counter_, 0); }

  void on_read(const ring::Completion& completion) {
    if (completion.result == -ECANCELED) return;
    std::deque<std::pair<std::uint64_t, ResolvedAddress>> answers;
    {
      const std::lock_guard lock(shared_->mutex);
      answers.swap(shared_->answers);
    }
    listen();
    for (const auto& [number, address] : answers) {
      const auto at = waiting_.find(number);
      if (at == waiting_.end()) continue;
      const Done done = std::move(at->second);
      waiting_.erase(at);
      done(address);
    }
  }

  ring::Port& port_;
  std::shared_ptr<Shared> shared_;
  std::map<std::uint64_t, Done> waiting_;
  std::uint64_t last_ = 0;
  ring::Operation read_;
  std::array<std::byte, 8> counter_{};
};

}  // namespace

ResolvedAddress numeric_address(const std::string& host, std::uint16_t port) {
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
  }
  return address;
}

std::unique_ptr<Resolver> make_system_resolver(ring::Port& port) { return std::make_unique<SystemResolver>(port); }

}  // namespace hayward::net
