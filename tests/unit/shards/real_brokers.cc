// See real_brokers.h.
#include "tests/unit/shards/real_brokers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <iterator>

#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::tools {

std::int64_t real_now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

FrameSocket::FrameSocket(std::uint16_t port, std::uint8_t from)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffu) | from);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ended_ = ::bind(fd_, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 || ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0;
}

FrameSocket::~FrameSocket() { ::close(fd_); }

void FrameSocket::send(Bytes frame) {
  Buffer bytes(4);
  Writer(bytes).write_i32(static_cast<std::int32_t>(frame.size()));
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  if (::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) ended_ = true;
}

std::optional<Buffer> FrameSocket::receive() {
  std::byte room[16384];
  while (!ended_) {
    const ssize_t got = ::recv(fd_, room, sizeof room, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (got <= 0) ended_ = true;
    else received_.insert(received_.end(), room, room + got);
  }
  if (received_.size() < 4) return std::nullopt;
  Reader reader(received_);
  const auto size = static_cast<std::size_t>(reader.read_i32());
  if (received_.size() < 4 + size) return std::nullopt;
  Buffer frame(received_.begin() + 4, received_.begin() + 4 + static_cast<std::ptrdiff_t>(size));
  received_.erase(received_.begin(), received_.begin() + 4 + static_cast<std::ptrdiff_t>(size));
  return frame;
}

RealBrokers::RealBrokers(const Options& options) : options_(options), prng_(options.seed) {
  for (int i = 0; i < options.count; ++i) {
    sim::ModelBroker::Options broker;
    broker.id = NodeId{options.first_id + i};
    broker.cluster_id = options.cluster_id;
    broker.dirs = {DirectoryId{Uuid{3, 1000 + static_cast<std::uint64_t>(broker.id.value)}}};
    broker.heartbeat_interval_ms = options.heartbeat_interval_ms;
    broker.request_timeout_ms = 10'000;
    broker.recovery_ms = 50;
    brokers_.push_back(std::make_unique<sim::ModelBroker>(broker, prng_.next()));
  }
}

void RealBrokers::run(const std::atomic<bool>& stop) {
  for (const auto& broker : brokers_) broker->start(IncarnationId{prng_.uuid()}, false, real_now_ms());
  while (!stop.load()) turn();
  options_.breaks = 0;
  const std::int64_t give_up_ms = real_now_ms() + 10'000;
  while (!all_unfenced() && real_now_ms() < give_up_ms) turn();
}

void RealBrokers::turn() {
  std::vector<sim::OutFrame> frames;
  for (std::size_t i = 0; i < brokers_.size(); ++i) {
    frames.clear();
    brokers_[i]->run(real_now_ms(), frames);
    for (const sim::OutFrame& frame : frames) send(i, frame);
  }
  wait();
  receive();
  if (!lines_.empty() && prng_.chance(options_.breaks, 1000)) {
    auto at = std::next(lines_.begin(), static_cast<std::ptrdiff_t>(prng_.below(lines_.size())));
    if (at->second.socket) {
      ++broken_;
      drop(at->first.first, at->first.second, at->second);
    }
  }
}

void RealBrokers::send(std::size_t broker, const sim::OutFrame& frame) {
  Line& line = lines_[{broker, frame.channel}];
  if (!line.socket || line.connection != frame.connection) {
    line.socket = std::make_unique<FrameSocket>(options_.port);
    line.connection = frame.connection;
  }
  line.socket->send(frame.bytes);
}

void RealBrokers::wait() {
  std::vector<pollfd> polled;
  for (const auto& [key, line] : lines_) {
    if (line.socket) polled.push_back({.fd = line.socket->fd(), .events = POLLIN, .revents = 0});
  }
  ::poll(polled.data(), polled.size(), 2);
}

void RealBrokers::receive() {
  for (auto& [key, line] : lines_) {
    while (line.socket) {
      const auto frame = line.socket->receive();
      if (!frame) break;
      ++answers_;
      brokers_[key.first]->receive(key.second, line.connection, *frame, real_now_ms());
    }
    if (line.socket && line.socket->ended()) drop(key.first, key.second, line);
  }
}

void RealBrokers::drop(std::size_t broker, sim::Channel channel, Line& line) {
  line.socket.reset();
  brokers_[broker]->disconnected(channel, line.connection, real_now_ms());
}

bool RealBrokers::all_unfenced() const {
  for (const auto& broker : brokers_) {
    if (broker->state() != sim::ModelBroker::State::running || !broker->told_unfenced()) return false;
  }
  return true;
}

std::string RealBrokers::fault() const {
  std::string text;
  for (const auto& broker : brokers_) {
    if (const auto violation = broker->violation()) text += *violation + "; ";
  }
  if (!all_unfenced()) text += "not every broker is unfenced in the end";
  return text;
}

}  // namespace hayward::tools
