// What socket operations do, on a SimNetwork, and how they go wrong.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "schemas/runtime/assert.h"
#include "tests/sim/ring/sim_port.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t connect_patience_ns = 127'000'000'000;  // as Linux: 6 retries
constexpr std::int64_t connect_retry_ns = 1'000'000'000;
constexpr auto poison = std::byte{0xdd};  // what a buffer holds that was given back

Completion result(std::int32_t value) { return {.result = value}; }

void put_address(const SocketName& name, sockaddr_storage& out) {
  const sockaddr_in address = SimNetwork::address(name.host, name.port);
  std::memcpy(&out, &address, sizeof address);
}

}  // namespace

void SimPort::attach(SimNetwork& network, Host host, const RingOptions& options) {
  network_ = &network;
  host_ = host;
  buffer_bytes_ = options.recv_buffer_bytes;
  buffers_.resize(options.recv_buffers * buffer_bytes_);
  for (unsigned id = options.recv_buffers; id-- > 0;) free_buffers_.push_back(static_cast<std::uint16_t>(id));
}

// --- making sockets

Fd SimPort::add_socket(SocketPtr socket) {
  auto description = std::make_shared<Description>();
  description->socket = std::move(socket);
  description->network = network_;
  const Fd fd = free_fd();
  descriptors_[fd] = std::move(description);
  return fd;
}

Fd SimPort::make_socket(int) {
  if (crashed_ || network_ == nullptr) return crashed_ ? -ESHUTDOWN : -ENETDOWN;
  return add_socket(network_->make(*this, host_));
}

Fd SimPort::make_listener(const sockaddr* address, socklen_t, int backlog, bool reuse_port) {
  const Fd fd = make_socket(address->sa_family);
  if (fd < 0) return fd;
  const int error = network_->listen(description_of(fd)->socket, address, backlog, reuse_port);
  if (error == 0) return fd;
  descriptors_.erase(fd);
  return error;
}

int SimPort::local_address(Fd fd, sockaddr_storage& out) {
  const DescriptionPtr found = description_of(fd);
  if (found == nullptr || found->socket == nullptr) return -EBADF;
  put_address(found->socket->name, out);
  return 0;
}

int SimPort::peer_address(Fd fd, sockaddr_storage& out) {
  const DescriptionPtr found = description_of(fd);
  if (found == nullptr || found->socket == nullptr) return -EBADF;
  if (!found->socket->connected) return -ENOTCONN;
  put_address(found->socket->peer_name, out);
  return 0;
}

// --- submission

SimPort::Pending& SimPort::submit_on_socket(Operation& operation, Kind kind, Fd fd) {
  Pending& pending = submit(operation, kind);
  if (crashed_) return pending;
  pending.file = description_of(fd);
  if (pending.file == nullptr) {
    pending.settled = -EBADF;
  } else if (pending.file->socket == nullptr) {
    pending.settled = -ENOTSOCK;
  }
  return pending;
}

void SimPort::accept_multishot(Operation& operation, Fd listener) {
  submit_on_socket(operation, Kind::accept, listener);
}

void SimPort::connect(Operation& operation, Fd fd, const sockaddr* address, socklen_t) {
  Pending& pending = submit_on_socket(operation, Kind::connect, fd);
  pending.give_up_ns = now_ns() + connect_patience_ns;
  if (!pending.settled && !SimNetwork::parse(address, host_, pending.peer)) pending.settled = -ENETUNREACH;
}

void SimPort::recv_multishot(Operation& operation, Fd fd) { submit_on_socket(operation, Kind::recv_multishot, fd); }

void SimPort::recv(Operation& operation, Fd fd, MutableBytes into) {
  submit_on_socket(operation, Kind::recv, fd).into = into;
}

void SimPort::send(Operation& operation, Fd fd, std::span<const iovec> parts) {
  submit_on_socket(operation, Kind::send, fd).parts = parts;
}

void SimPort::shutdown(Operation& operation, Fd fd, int how) {
  submit_on_socket(operation, Kind::shutdown, fd).flags = how;
}

void SimPort::release_buffer(std::uint16_t buffer_id) {
  HAYWARD_ASSERT(handed_out_.erase(buffer_id) == 1, "a buffer is given back once");
  std::fill_n(buffers_.begin() + static_cast<std::ptrdiff_t>(buffer_id * buffer_bytes_), buffer_bytes_, poison);
  free_buffers_.push_back(buffer_id);
}

// --- what they do

void SimPort::socket_may_go_on(SimSocket& socket, std::int64_t at_ns) {
  std::erase_if(socket.waiting, [&](Sequence sequence) {
    const auto found = pending_.find(sequence);
    if (found == pending_.end() || found->second.settled) return true;
    schedule(sequence, found->second, std::min(found->second.due_ns, std::max(at_ns, now_ns() + 1)));
    return false;
  });
}

SimPort::Outcome SimPort::on_socket(Sequence sequence, Pending& pending) {
  SimSocket& socket = *pending.file->socket;
  std::erase(socket.waiting, sequence);
  const Outcome outcome = try_socket(pending, socket);
  if (outcome) return outcome;
  std::int64_t again_ns = never;
  if (pending.kind == Kind::connect) {
    again_ns = now_ns() + connect_retry_ns;
  } else if (pending.kind != Kind::send) {
    again_ns = network_->next_input_ns(socket);
  }
  socket.waiting.push_back(sequence);
  schedule(sequence, pending, again_ns);
  return {};
}

SimPort::Outcome SimPort::try_socket(Pending& pending, SimSocket& socket) {
  switch (pending.kind) {
    case Kind::accept:
      return try_accept(socket);
    case Kind::connect:
      return try_connect(pending);
    case Kind::recv:
      return try_recv(socket, pending.into);
    case Kind::recv_multishot:
      return try_recv_multishot(socket);
    case Kind::send:
      return try_send(pending, socket);
    default:
      break;
  }
  return result(network_->shutdown(socket, pending.flags != SHUT_WR, pending.flags != SHUT_RD));
}

SimPort::Outcome SimPort::try_accept(SimSocket& listener) {
  if (!listener.listening) return result(-EINVAL);
  if (network_->next_input_ns(listener) > now_ns()) return {};
  if (strikes(faults_.accept_error_ppm, counts_.accept_errors)) return result(-EMFILE);
  const Fd fd = add_socket(network_->accept(listener, *this));
  return Completion{.result = fd, .more = !strikes(faults_.multishot_end_ppm, counts_.multishot_ends)};
}

SimPort::Outcome SimPort::try_connect(Pending& pending) {
  if (pending.file->socket->connected) return result(-EISCONN);
  switch (network_->connect(pending.file->socket, pending.peer)) {
    case SimNetwork::Connect::done:
      return result(0);
    case SimNetwork::Connect::refused:
      return result(-ECONNREFUSED);
    case SimNetwork::Connect::waits:
      break;
  }
  if (now_ns() >= pending.give_up_ns) return result(-ETIMEDOUT);
  return {};
}

SimPort::Outcome SimPort::try_recv(SimSocket& socket, MutableBytes into) {
  if (into.size() > 1 && strikes(faults_.small_receive_ppm, counts_.small_receives)) {
    into = into.first(std::min<std::size_t>(into.size(), 1 + prng_.below(8)));
  }
  const std::int32_t count = network_->recv(socket, into);
  if (count == -EAGAIN) return {};
  return result(count);
}

SimPort::Outcome SimPort::try_recv_multishot(SimSocket& socket) {
  const bool ready = !socket.connected || socket.read_shut || network_->next_input_ns(socket) <= now_ns();
  if (!ready) return {};
  if (free_buffers_.empty() || strikes(faults_.no_buffers_ppm, counts_.no_buffers)) return result(-ENOBUFS);
  const std::uint16_t id = free_buffers_.back();
  const MutableBytes buffer = MutableBytes(buffers_).subspan(id * buffer_bytes_, buffer_bytes_);
  Outcome outcome = try_recv(socket, buffer);
  if (!outcome || outcome->result <= 0) return outcome;
  free_buffers_.pop_back();
  handed_out_.insert(id);
  outcome->buffer = buffer.first(static_cast<std::size_t>(outcome->result));
  outcome->buffer_id = id;
  outcome->more = !strikes(faults_.multishot_end_ppm, counts_.multishot_ends);
  return outcome;
}

SimPort::Outcome SimPort::try_send(const Pending& pending, SimSocket& socket) {
  const Buffer all = gathered(pending.parts);
  Bytes bytes = all;
  if (bytes.size() > 1 && strikes(faults_.partial_send_ppm, counts_.partial_sends)) {
    bytes = bytes.first(1 + prng_.below(bytes.size() - 1));
  }
  const std::int32_t count = network_->send(socket, bytes);
  if (count == -EAGAIN) return {};
  return result(count);
}

}  // namespace hayward::sim
