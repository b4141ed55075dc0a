// See connection.h.
#include "net/connection.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace hayward::net {
namespace {

bool is_peer_close(std::int32_t result) { return result == 0 || result == -ECONNRESET || result == -EPIPE; }

}  // namespace

Connection::Connection(ConnectionHost& host, std::uint32_t slot)
    : host_(host), id_{slot, 1, host.config.shard}, input_(host.config.request_max_bytes) {
  for (ring::Operation* op : {&recv_, &recv_cancel_, &send_, &send_cancel_, &close_}) op->owner = this;
  using ring::Completion;
  using ring::Operation;
  recv_.handler = [](Operation& op, const Completion& c) { static_cast<Connection*>(op.owner)->on_recv(c); };
  send_.handler = [](Operation& op, const Completion& c) { static_cast<Connection*>(op.owner)->on_send(c); };
  close_.handler = [](Operation& op, const Completion&) { static_cast<Connection*>(op.owner)->on_closed(); };
  recv_cancel_.handler = [](Operation& op, const Completion& c) {
    auto& self = *static_cast<Connection*>(op.owner);
    self.on_cancel(c, self.recv_);
  };
  send_cancel_.handler = [](Operation& op, const Completion& c) {
    auto& self = *static_cast<Connection*>(op.owner);
    self.on_cancel(c, self.send_);
  };
}

void Connection::open(ring::Fd fd, std::string_view listener, const core::ClientAddress& address) {
  state_ = State::open;
  fd_ = fd;
  listener_ = listener;
  address_ = address;
  update_recv();
}

void Connection::adopt(const driver::Handover& handover) {
  state_ = State::open;
  adopted_ = true;
  fd_ = handover.fd;
  listener_ = handover.listener;
  address_ = handover.address;
  input_.append(handover.unread);
  host_.stats.buffered_bytes += handover.unread.size();
  for (const MonoTime arrival : handover.arrivals) {
    if (const std::optional<Bytes> payload = input_.announce(arrival)) announce(*payload, arrival);
  }
  pump();
  update_recv();
}

// --- receiving

void Connection::on_recv(const ring::Completion& completion) {
  if (!completion.buffer.empty()) {
    if (is_open()) take_in(completion.buffer);
    host_.port.release_buffer(completion.buffer_id);
  }
  // -ENOBUFS: the buffers were with completions that have been handled by now. -ECANCELED: our own doing.
  const bool goes_on = completion.result > 0 || completion.result == -ENOBUFS || completion.result == -ECANCELED;
  if (!completion.more && !goes_on) close_on_result(completion.result);
  update_recv();
}

void Connection::take_in(Bytes bytes) {
  host_.stats.bytes_in += bytes.size();
  host_.on_active(*this);
  const MonoTime now{host_.port.now_ns()};
  if (input_.empty()) bytes = hand_on_in_place(bytes, now);
  if (is_open() && !bytes.empty()) keep(bytes, now);
}

// Whole frames go on without a copy; returns what must be kept.
Bytes Connection::hand_on_in_place(Bytes bytes, MonoTime now) {
  while (is_open() && !muted()) {
    const Frame frame = next_frame(bytes, host_.config.request_max_bytes);
    if (frame.status == FrameStatus::bad_size) close_bad_size(frame, bytes);
    if (frame.status != FrameStatus::complete) break;
    if (!hand_on(frame.payload, now, /*announced=*/false)) break;
    bytes = bytes.subspan(frame.consumed);
  }
  return bytes;
}

void Connection::keep(Bytes bytes, MonoTime now) {
  const std::size_t own = input_.size() + bytes.size();
  if (own > host_.config.read_ahead_bytes &&
      host_.stats.buffered_bytes + bytes.size() > host_.config.buffered_bytes_max) {
    return close(CloseReason::out_of_buffer_room);
  }
  input_.append(bytes);
  host_.stats.buffered_bytes += bytes.size();
  while (const std::optional<Bytes> payload = input_.announce(now)) announce(*payload, now);
  pump();
}

// Hands on what has been kept, until something is in progress again.
void Connection::pump() {
  while (is_open() && !muted()) {
    const std::optional<Input::Waiting> waiting = input_.front();
    if (!waiting) {
      if (input_.bad()) close_bad_size(input_.next(), input_.held());
      return;
    }
    if (!hand_on(waiting->payload, waiting->arrival, /*announced=*/true)) return;
    const std::size_t before = input_.size();
    input_.pop();
    host_.stats.buffered_bytes -= before - input_.size();
  }
}

core::Request Connection::make_request(const RequestHeader& header, MonoTime arrival) const {
  return {.connection = id_,
          .api_key = header.api_key,
          .api_version = header.api_version,
          .correlation_id = header.correlation_id,
          .client_id = header.client_id,
          .body = header.body,
          .arrival = arrival,
          .listener = listener_,
          .client_address = address_};
}

void Connection::announce(Bytes payload, MonoTime arrival) {
  RequestHeader header;
  if (!host_.events.arrived || parse_request_header(payload, host_.apis, header) != HeaderError::none) return;
  host_.events.arrived(make_request(header, arrival));
}

bool Connection::hand_on(Bytes payload, MonoTime arrival, bool announced) {
  RequestHeader header;
  const HeaderError error = parse_request_header(payload, host_.apis, header);
  if (error != HeaderError::none) {
    close_bad_header(error, header);
    return true;
  }
  const core::Request request = make_request(header, arrival);
  if (host_.events.owner) moving_to_ = host_.events.owner(request);
  if (moving_to_) return false;
  if (!announced && host_.events.arrived) host_.events.arrived(request);
  with_node_ = true;
  ++host_.stats.requests;
  host_.events.request(request);
  return true;
}

void Connection::close_bad_size(const Frame& frame, Bytes start) {
  std::string detail = "size " + std::to_string(frame.size);
  if (const char* protocol = guess_protocol(start)) detail += std::string("; looks like ") + protocol;
  close(CloseReason::bad_frame_size, detail);
}

void Connection::close_bad_header(HeaderError error, const RequestHeader& header) {
  if (error == HeaderError::malformed) return close(CloseReason::malformed_header);
  const std::string detail =
      "key " + std::to_string(header.api_key) + ", version " + std::to_string(header.api_version);
  close(error == HeaderError::unknown_api ? CloseReason::unknown_api : CloseReason::unsupported_version, detail);
}

// Reads while it may: unmuted, or muted with little kept. Stopping is back-pressure: TCP's window closes.
void Connection::update_recv() {
  if (!is_open()) return wind_down();
  if (moving_to_) return hand_over();
  const bool wanted = !muted() || input_.size() < host_.config.read_ahead_bytes;
  if (wanted && !recv_.in_flight) {
    host_.port.recv_multishot(recv_, fd_);
  } else if (!wanted && recv_.in_flight && !recv_cancel_.in_flight) {
    ++host_.stats.receive_pauses;
    host_.port.cancel(recv_cancel_, recv_);
  }
}

// Nothing is with the node or being sent, or its request would not have been looked at; what is left is the receive.
void Connection::hand_over() {
  if (recv_.in_flight && !recv_cancel_.in_flight) host_.port.cancel(recv_cancel_, recv_);
  if (recv_.in_flight || recv_cancel_.in_flight) return;
  driver::Handover handover{.to = *moving_to_,
                            .fd = fd_,
                            .listener = listener_,
                            .address = address_,
                            .unread = Buffer(input_.held().begin(), input_.held().end()),
                            .arrivals = input_.arrivals()};
  host_.on_leaving(*this);
  free_slot();
  host_.events.handed_over(std::move(handover));
}

// A cancel that took leaves the rest to its target's own completion; one that came too early or too late
// may have to be repeated.
void Connection::on_cancel(const ring::Completion& completion, const ring::Operation& target) {
  if (completion.result >= 0 && target.in_flight) return;
  update_recv();
}

// --- sending

void Connection::reply(Buffer bytes, std::int32_t throttle_ms) {
  if (!is_open() || !with_node_) return;
  output_.set(std::move(bytes));
  begin_send(throttle_ms);
}

void Connection::reply_small(Bytes bytes) {
  if (!is_open() || !with_node_) return;
  output_.set_small(bytes);
  begin_send(0);
}

void Connection::reply(Buffer head, driver::LogSlice slice, Buffer tail, bool compact_length) {
  if (!is_open() || !with_node_) return;
  output_.set(std::move(head), std::move(slice), std::move(tail), compact_length);
  begin_send(0);
}

void Connection::begin_send(std::int32_t throttle_ms) {
  with_node_ = false;
  if (!output_.fits()) return close(CloseReason::refused_request, "answer too large");
  if (throttle_ms > 0) throttle_after_send_ns_ = host_.port.now_ns() + ms_to_ns(throttle_ms);
  send_rest();
}

void Connection::send_rest() { host_.port.send(send_, fd_, output_.parts()); }

void Connection::on_send(const ring::Completion& completion) {
  if (!is_open()) return wind_down();
  if (completion.result <= 0) return close_on_result(completion.result);
  host_.stats.bytes_out += static_cast<std::uint64_t>(completion.result);
  host_.on_active(*this);
  output_.advance(static_cast<std::size_t>(completion.result));
  if (!output_.done()) {
    ++host_.stats.partial_sends;
    return send_rest();
  }
  output_.clear();
  ++host_.stats.replies;
  if (close_when_done_) return close(*close_when_done_);
  if (const std::int64_t until_ns = std::exchange(throttle_after_send_ns_, 0); until_ns > host_.port.now_ns()) {
    throttled_until_ns_ = until_ns;
    host_.on_throttled(*this, until_ns);
  }
  pump();
  update_recv();
}

void Connection::unthrottle() {
  throttled_until_ns_ = 0;
  pump();
  update_recv();
}

// --- ending

void Connection::refuse(const std::string& reason) {
  if (!is_open()) return;
  if (send_.in_flight)
    close_when_done_ = CloseReason::refused_request;
  else
    close(CloseReason::refused_request, reason);
}

void Connection::stop() {
  if (!is_open()) return;
  if (with_node_ || send_.in_flight)
    close_when_done_ = CloseReason::stopping;
  else
    close(CloseReason::stopping);
}

void Connection::close_on_result(std::int32_t result) {
  if (is_peer_close(result))
    close(CloseReason::peer_closed);
  else
    close(CloseReason::io_error, std::strerror(-result));
}

void Connection::close(CloseReason reason, const std::string& detail) {
  if (!is_open()) return;
  state_ = State::closing;
  host_.on_closing(*this, reason, detail);
  if (host_.events.closed) host_.events.closed(id_);
  wind_down();
}

// The descriptor is closed only once the kernel holds nothing of ours.
void Connection::wind_down() {
  if (state_ != State::closing) return;
  if (recv_.in_flight && !recv_cancel_.in_flight) host_.port.cancel(recv_cancel_, recv_);
  if (send_.in_flight && !send_cancel_.in_flight) host_.port.cancel(send_cancel_, send_);
  if (recv_.in_flight || recv_cancel_.in_flight || send_.in_flight || send_cancel_.in_flight) return;
  if (!close_.in_flight) host_.port.close(close_, fd_);
}

void Connection::on_closed() { free_slot(); }

void Connection::free_slot() {
  state_ = State::free;
  fd_ = -1;
  with_node_ = false;
  adopted_ = false;
  moving_to_.reset();
  close_when_done_.reset();
  throttled_until_ns_ = 0;
  throttle_after_send_ns_ = 0;
  host_.stats.buffered_bytes -= input_.size();
  input_.clear();
  output_.clear();
  ++id_.generation;
  host_.on_released(*this);
}

}  // namespace hayward::net
