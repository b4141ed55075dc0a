// See server.h: slots of connections, accepting and its limits, idleness, throttling, the end.
#include "net/server.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <set>
#include <utility>

#include "engine/host/ring/deadline_timer.h"
#include "net/acceptor.h"
#include "net/address.h"
#include "net/connection.h"
#include "net/report.h"

namespace hayward::net {
namespace {

constexpr std::int64_t accept_retry_ns = ms_to_ns(100);  // after an error, out of descriptors say

}  // namespace

struct Server::Impl final : ConnectionHost {
  Impl(ring::Port& port_in, const ServerConfig& config_in, std::span<const core::ServedApi> apis_in,
       driver::NetEvents events_in, LogLine log)
      : ConnectionHost(port_in, config_in, apis_in, std::move(events_in)),
        report(std::move(log)),
        timer(port_in, [](void* owner) { static_cast<Impl*>(owner)->on_timer(); }, this) {}

  void on_active(Connection& connection) override;
  void on_throttled(Connection& connection, std::int64_t until_ns) override;
  void on_closing(Connection& connection, CloseReason reason, const std::string& detail) override;
  void on_leaving(Connection& connection) override;
  void on_released(Connection& connection) override;

  void listen(OpenListener listener);
  void on_accepted(const Acceptor& acceptor, ring::Fd fd);
  void on_accept_failed(const Acceptor& acceptor, int error);
  void update_accepting();
  Connection& enter_free_slot();
  void adopt(driver::Handover&& handover);
  std::uint64_t open_anywhere() const { return stats.connections + elsewhere; }
  Connection* find(core::ConnectionId id);
  void on_timer();
  void close_idle(std::int64_t now_ns);
  void end_throttles(std::int64_t now_ns);
  void arm();
  void stop(std::function<void()> done);
  void finish_stop();

  Report report;
  ring::DeadlineTimer timer;
  std::vector<std::unique_ptr<Acceptor>> acceptors;
  std::vector<std::unique_ptr<Connection>> slots;
  std::vector<std::uint32_t> free_slots;
  AddressCounts addresses;      // of those accepted here
  std::uint64_t elsewhere = 0;  // accepted here, handed over to another shard's server, and not ended yet
  std::list<Connection*> by_activity;                          // longest silent first
  std::set<std::pair<std::int64_t, std::uint32_t>> throttles;  // (until, slot)
  std::int64_t accept_again_ns = 0;                            // 0: no error to wait out
  std::int64_t stop_by_ns = INT64_MAX;
  std::function<void()> stopped;
  bool stopping = false;
};

// --- accepting

void Server::Impl::listen(OpenListener listener) {
  acceptors.push_back(std::make_unique<Acceptor>(
      port, std::move(listener),
      Acceptor::Events{.accepted = [this](const Acceptor& acceptor, ring::Fd fd) { on_accepted(acceptor, fd); },
                       .failed = [this](const Acceptor& acceptor, int error) { on_accept_failed(acceptor, error); },
                       .closed = [this] { finish_stop(); }}));
  acceptors.back()->resume();
}

void Server::Impl::on_accepted(const Acceptor& acceptor, ring::Fd fd) {
  ++stats.accepted;
  sockaddr_storage remote{};
  remote.ss_family = AF_UNSPEC;
  port.peer_address(fd, remote);
  const core::ClientAddress address = to_client_address(remote);
  Connection& connection = enter_free_slot();
  const bool too_many_here = addresses.add(address) > config.max_connections_per_ip;
  connection.open(fd, acceptor.listener().name, address);
  if (stopping)
    connection.close(CloseReason::stopping);
  else if (too_many_here)
    connection.close(CloseReason::too_many_from_address);
  else if (open_anywhere() > static_cast<std::uint64_t>(config.max_connections))
    connection.close(CloseReason::too_many_connections);
  update_accepting();
}

void Server::Impl::on_accept_failed(const Acceptor& acceptor, int error) {
  ++stats.accept_errors;
  const std::int64_t now_ns = port.now_ns();
  report.accept_failed(now_ns, acceptor.listener().name, error);
  accept_again_ns = now_ns + accept_retry_ns;
  arm();
}

// At the limit, new connections wait in the backlog (as with Kafka) until one of ours ends.
void Server::Impl::update_accepting() {
  if (stopping) return;
  const bool may = accept_again_ns == 0 && open_anywhere() < static_cast<std::uint64_t>(config.max_connections);
  for (const auto& acceptor : acceptors) may ? acceptor->resume() : acceptor->rest();
}

void Server::Impl::adopt(driver::Handover&& handover) {
  Connection& connection = enter_free_slot();
  connection.adopt(handover);
  if (stopping) connection.stop();
}

// A connection in a slot that was free.
Connection& Server::Impl::enter_free_slot() {
  if (free_slots.empty()) {
    free_slots.push_back(static_cast<std::uint32_t>(slots.size()));
    slots.push_back(std::make_unique<Connection>(*this, free_slots.back()));
  }
  Connection& connection = *slots[free_slots.back()];
  free_slots.pop_back();
  ++stats.connections;
  by_activity.push_back(&connection);
  connection.idle_entry = std::prev(by_activity.end());
  on_active(connection);
  return connection;
}

Connection* Server::Impl::find(core::ConnectionId id) {
  if (id.slot >= slots.size() || slots[id.slot]->id() != id) return nullptr;
  return slots[id.slot].get();
}

// --- what connections tell

void Server::Impl::on_active(Connection& connection) {
  connection.active_ns = port.now_ns();
  by_activity.splice(by_activity.end(), by_activity, connection.idle_entry);
  timer.set_if_earlier(connection.active_ns + ms_to_ns(config.idle_ms));
}

void Server::Impl::on_throttled(Connection& connection, std::int64_t until_ns) {
  throttles.emplace(until_ns, connection.id().slot);
  timer.set_if_earlier(until_ns);
}

void Server::Impl::on_closing(Connection& connection, CloseReason reason, const std::string& detail) {
  ++stats.closed[static_cast<std::size_t>(reason)];
  report.closed(port.now_ns(), reason, connection.address(), detail);
  by_activity.erase(connection.idle_entry);
  if (connection.adopted())
    events.handed_over_ended(connection.address());
  else
    addresses.remove(connection.address());
  if (connection.throttled()) throttles.erase({connection.throttled_until_ns(), connection.id().slot});
}

void Server::Impl::on_leaving(Connection& connection) {
  by_activity.erase(connection.idle_entry);
  if (!connection.adopted()) ++elsewhere;
}

void Server::Impl::on_released(Connection& connection) {
  --stats.connections;
  free_slots.push_back(connection.id().slot);
  update_accepting();
  finish_stop();
}

// --- time

void Server::Impl::on_timer() {
  const std::int64_t now_ns = port.now_ns();
  end_throttles(now_ns);
  close_idle(now_ns);
  if (accept_again_ns != 0 && accept_again_ns <= now_ns) {
    accept_again_ns = 0;
    update_accepting();
  }
  if (stop_by_ns <= now_ns) {
    stop_by_ns = INT64_MAX;
    for (const auto& connection : slots) connection->close(CloseReason::stopping);
  }
  arm();
}

// Silence while a request is with the node is ours, not the peer's.
void Server::Impl::close_idle(std::int64_t now_ns) {
  while (!by_activity.empty() && by_activity.front()->active_ns + ms_to_ns(config.idle_ms) <= now_ns) {
    Connection& connection = *by_activity.front();
    if (connection.with_node())
      on_active(connection);
    else
      connection.close(CloseReason::idle);
  }
}

void Server::Impl::end_throttles(std::int64_t now_ns) {
  while (!throttles.empty() && throttles.begin()->first <= now_ns) {
    Connection& connection = *slots[throttles.begin()->second];
    throttles.erase(throttles.begin());
    connection.unthrottle();
  }
}

void Server::Impl::arm() {
  std::int64_t next_ns = stop_by_ns;
  if (!by_activity.empty()) next_ns = std::min(next_ns, by_activity.front()->active_ns + ms_to_ns(config.idle_ms));
  if (!throttles.empty()) next_ns = std::min(next_ns, throttles.begin()->first);
  if (accept_again_ns != 0) next_ns = std::min(next_ns, accept_again_ns);
  timer.set(next_ns);
}

// --- the end

void Server::Impl::stop(std::function<void()> done) {
  stopping = true;
  stopped = std::move(done);
  stop_by_ns = port.now_ns() + ms_to_ns(config.stop_drain_ms);
  for (const auto& acceptor : acceptors) acceptor->close();
  for (const auto& connection : slots) connection->stop();
  arm();
  finish_stop();
}

void Server::Impl::finish_stop() {
  if (!stopping || !stopped || stats.connections > 0) return;
  for (const auto& acceptor : acceptors) {
    if (!acceptor->is_closed()) return;
  }
  stop_by_ns = INT64_MAX;
  std::exchange(stopped, nullptr)();
}

// --- the public face

Server::Server(ring::Port& port, const ServerConfig& config, std::span<const core::ServedApi> apis,
               driver::NetEvents events, LogLine log)
    : impl_(std::make_unique<Impl>(port, config, apis, std::move(events), std::move(log))) {}

Server::~Server() = default;

void Server::listen(std::vector<OpenListener> listeners) {
  for (OpenListener& listener : listeners) impl_->listen(std::move(listener));
}

void Server::reply(core::ConnectionId connection, Buffer bytes, std::int32_t throttle_ms) {
  if (Connection* c = impl_->find(connection)) c->reply(std::move(bytes), throttle_ms);
}

void Server::reply_small(core::ConnectionId connection, Bytes bytes) {
  if (Connection* c = impl_->find(connection)) c->reply_small(bytes);
}

void Server::reply_with_slice(core::ConnectionId connection, Buffer head, driver::LogSlice slice, Buffer tail,
                              bool compact_length) {
  if (Connection* c = impl_->find(connection)) {
    c->reply(std::move(head), std::move(slice), std::move(tail), compact_length);
  }
}

void Server::close_connection(core::ConnectionId connection, const std::string& reason) {
  if (Connection* c = impl_->find(connection)) c->refuse(reason);
}

void Server::adopt(driver::Handover&& handover) { impl_->adopt(std::move(handover)); }

void Server::handed_over_ended(const core::ClientAddress& address) {
  --impl_->elsewhere;
  impl_->addresses.remove(address);
  impl_->update_accepting();
}

void Server::stop(std::function<void()> done) { impl_->stop(std::move(done)); }

const Stats& Server::stats() const { return impl_->stats; }

}  // namespace hayward::net
