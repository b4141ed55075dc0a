// See peer_link.h. idle -> resolving -> connecting -> asking_versions -> open -> closing (until nothing is in flight and
// the descriptor is closed) -> idle.
#include "net/peer_link.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "schemas/messages/api_keys.h"
#include "schemas/messages/api_versions_request.h"
#include "schemas/messages/api_versions_response.h"
#include "schemas/messages/request_header.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/assert.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::net {
namespace {

using messages::ApiVersionsRequest;
using messages::ApiVersionsResponse;

constexpr std::int16_t asked_version = 3;  // that every controller since 2.4 has
constexpr std::size_t scratch_bytes = 65536;
constexpr std::size_t length_bytes = 4;

bool same_place(const core::Endpoint& a, const core::Endpoint& b) { return a.host == b.host && a.port == b.port; }

}  // namespace

PeerLink::PeerLink(ring::Port& port, Resolver& resolver, const PeersConfig& config, Replied replied)
    : port_(port),
      resolver_(resolver),
      config_(config),
      replied_(std::move(replied)),
      timeout_(
          port, [](void* owner) { static_cast<PeerLink*>(owner)->timed_out(); }, this) {
  const auto handle = [this](ring::Operation& operation, ring::Operation::Handler handler) {
    operation.owner = this;
    operation.handler = handler;
  };
  handle(connect_, [](ring::Operation& self, const ring::Completion& c) { static_cast<PeerLink*>(self.owner)->on_connected(c); });
  handle(send_, [](ring::Operation& self, const ring::Completion& c) { static_cast<PeerLink*>(self.owner)->on_sent(c); });
  handle(recv_, [](ring::Operation& self, const ring::Completion& c) { static_cast<PeerLink*>(self.owner)->on_received(c); });
  handle(close_, [](ring::Operation& self, const ring::Completion&) { static_cast<PeerLink*>(self.owner)->wind_down(); });
  for (ring::Operation& cancel : cancels_) {
    handle(cancel, [](ring::Operation& self, const ring::Completion& c) { static_cast<PeerLink*>(self.owner)->on_cancelled(c); });
  }
}

void PeerLink::send(core::SendToPeer request) {
  HAYWARD_ASSERT(!request_, "one request on a link at a time");
  request_ = std::move(request);
  transmitted_ = false;
  if (stopped_) return fail(false);
  timeout_.set(port_.now_ns() + ms_to_ns(config_.request_timeout_ms));
  if (state_ == State::open && !same_place(endpoint_, request_->endpoint)) close();
  if (state_ == State::idle) dial();
  else if (state_ == State::open) transmit();
}

// --- the dial

void PeerLink::dial() {
  state_ = State::resolving;
  if (!same_place(endpoint_, request_->endpoint)) {
    next_address_ = refusals_ = 0;
    proven_ = false;
  }
  endpoint_ = request_->endpoint;
  versions_.clear();
  const std::uint64_t number = ++dials_;
  resolver_.resolve(endpoint_.host, endpoint_.port, [this, number](const Addresses& addresses) {
    if (state_ != State::resolving || number != dials_) return;
    if (addresses.empty()) return fail(false);
    connect(addresses);
  });
}

void PeerLink::connect(const Addresses& addresses) {
  addresses_ = addresses.size();
  address_ = addresses[next_address_ % addresses_];
  const ring::Fd fd = port_.make_socket(address_.storage.ss_family);
  if (fd < 0) return connect_failed(false);
  fd_ = fd;
  state_ = State::connecting;
  port_.connect(connect_, fd_, reinterpret_cast<const sockaddr*>(&address_.storage), address_.length);
}

void PeerLink::on_connected(const ring::Completion& completion) {
  if (state_ != State::connecting) return wind_down();
  if (completion.result < 0) return connect_failed(completion.result == -ECONNREFUSED);
  proven_ = true;
  refusals_ = 0;
  ask_versions();
}

// "Refused" is the word that nobody is there: not said while another address of the host may still be the right one.
void PeerLink::connect_failed(bool refused) {
  refusals_ = refused ? refusals_ + 1 : 0;
  const bool nobody_is_there = refused && (proven_ || refusals_ >= addresses_);
  ++next_address_;
  proven_ = false;
  fail(nobody_is_there);
}

void PeerLink::ask_versions() {
  state_ = State::asking_versions;
  ApiVersionsRequest request;
  request.client_software_name = "hayward";
  request.client_software_version = "0.1.0";
  Buffer body(encoded_size(request, asked_version));
  Writer writer(body);
  encode(writer, request, asked_version);
  send_frame(ApiVersionsRequest::api_key, asked_version, body);
  receive();
}

void PeerLink::take_versions(Bytes body) {
  Arena arena;
  ApiVersionsResponse response;
  Reader reader(body);
  if (!decode(reader, asked_version, arena, response) || response.error_code != ErrorCode::none) return fail(false);
  for (const auto& api : response.api_keys) versions_[api.api_key] = api.max_version;
  state_ = State::open;
  if (request_) transmit();
}

// --- requests and answers

void PeerLink::transmit() {
  if (send_.in_flight) return;  // an answer may be here before our own send is reaped: then on_sent goes on
  const auto known = versions_.find(request_->api_key);
  const std::int16_t highest = known == versions_.end() ? std::int16_t{-1} : known->second;
  if (highest < request_->api_version) {
    const core::SendToPeer request = std::move(*request_);
    request_.reset();
    timeout_.set(INT64_MAX);
    core::PeerReply reply{.peer = request.peer, .api_key = request.api_key, .api_version = request.api_version,
                          .token = request.token, .failed = true, .refused = false, .highest_version = highest, .body = {}};
    return replied_(reply);
  }
  transmitted_ = true;
  send_frame(request_->api_key, request_->api_version, request_->body);
}

void PeerLink::send_frame(std::int16_t api_key, std::int16_t api_version, Bytes body) {
  messages::RequestHeader header;
  header.request_api_key = api_key;
  header.request_api_version = api_version;
  header.correlation_id = ++correlation_id_;
  header.client_id = config_.client_id;
  const messages::ApiInfo* api = messages::find_api(api_key);
  const std::int16_t header_version = api->request_header_version(api_version);
  const std::size_t size = encoded_size(header, header_version) + body.size();
  output_.assign(length_bytes + size, std::byte{0});
  Writer writer(output_);
  writer.write_i32(static_cast<std::int32_t>(size));
  encode(writer, header, header_version);
  std::copy(body.begin(), body.end(), output_.end() - static_cast<std::ptrdiff_t>(body.size()));
  output_at_ = 0;
  send_rest();
}

void PeerLink::send_rest() {
  part_ = {output_.data() + output_at_, output_.size() - output_at_};
  port_.send(send_, fd_, std::span<const iovec>(&part_, 1));
}

void PeerLink::on_sent(const ring::Completion& completion) {
  if (state_ == State::closing) return wind_down();
  if (completion.result <= 0) return fail(false);
  output_at_ += static_cast<std::size_t>(completion.result);
  if (output_at_ < output_.size())
    send_rest();
  else if (state_ == State::open && request_ && !transmitted_)
    transmit();
}

void PeerLink::receive() {
  scratch_.resize(scratch_bytes);
  port_.recv(recv_, fd_, scratch_);
}

// The peer's end is noticed also between requests: the next one dials anew.
void PeerLink::on_received(const ring::Completion& completion) {
  if (state_ == State::closing) return wind_down();
  if (completion.result <= 0) return fail(false);
  input_.insert(input_.end(), scratch_.begin(), scratch_.begin() + completion.result);
  take_frames();
  if (state_ == State::asking_versions || state_ == State::open) receive();
}

void PeerLink::take_frames() {
  while (state_ != State::closing && state_ != State::idle && input_.size() >= length_bytes) {
    Reader reader(input_);
    const std::int32_t size = reader.read_i32();
    if (size < 4 || size > config_.largest_frame) return fail(false);
    const std::size_t whole = length_bytes + static_cast<std::size_t>(size);
    if (input_.size() < whole) return;
    const Buffer frame(input_.begin() + length_bytes, input_.begin() + static_cast<std::ptrdiff_t>(whole));
    input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(whole));
    take_frame(frame);
  }
}

void PeerLink::take_frame(Bytes frame) {
  Reader reader(frame);
  const bool expected = reader.read_i32() == correlation_id_ && (state_ == State::asking_versions || transmitted_);
  if (!expected) return fail(false);
  if (state_ == State::asking_versions) return take_versions(reader.rest());
  const core::SendToPeer request = std::move(*request_);
  const messages::ApiInfo* api = messages::find_api(request.api_key);
  bool readable = true;
  if (api->response_header_version(request.api_version) >= 1) {  // tagged fields, which nobody sends
    for (std::uint32_t tags = reader.read_uvarint(); tags > 0 && reader.ok(); --tags) {
      reader.read_uvarint();
      reader.read_raw(reader.read_uvarint());
    }
    readable = reader.ok();
  }
  if (!readable) return fail(false);
  request_.reset();
  transmitted_ = false;
  timeout_.set(INT64_MAX);
  replied_({.peer = request.peer, .api_key = request.api_key, .api_version = request.api_version,
            .token = request.token, .failed = false, .refused = false, .highest_version = -1, .body = reader.rest()});
}

// --- ends

void PeerLink::timed_out() {
  if (state_ == State::connecting) return connect_failed(false);
  fail(false);
}

void PeerLink::fail(bool refused) {
  timeout_.set(INT64_MAX);
  close();
  if (!request_) return;
  const core::SendToPeer request = std::move(*request_);
  request_.reset();
  transmitted_ = false;
  replied_({.peer = request.peer, .api_key = request.api_key, .api_version = request.api_version,
            .token = request.token, .failed = true, .refused = refused, .highest_version = -1, .body = {}});
}

void PeerLink::close() {
  if (state_ == State::idle || state_ == State::closing) return;
  if (fd_ < 0) {  // while resolving
    state_ = State::idle;
    return;
  }
  state_ = State::closing;
  cancel_all();
  wind_down();
}

void PeerLink::cancel_all() {
  std::size_t i = 0;
  for (ring::Operation* operation : {&connect_, &send_, &recv_}) {
    if (operation->in_flight && !cancels_[i].in_flight) port_.cancel(cancels_[i], *operation);
    ++i;
  }
}

// A cancel may come just when its target cannot be stopped; then another one is due, for the target may wait for ever.
void PeerLink::on_cancelled(const ring::Completion& completion) {
  if (state_ == State::closing && completion.result < 0) cancel_all();
  wind_down();
}

void PeerLink::wind_down() {
  if (state_ != State::closing || close_.in_flight) return;
  bool busy = connect_.in_flight || send_.in_flight || recv_.in_flight;
  for (const ring::Operation& cancel : cancels_) busy = busy || cancel.in_flight;
  if (busy) return;
  if (fd_ >= 0) {
    port_.close(close_, std::exchange(fd_, -1));
    return;
  }
  state_ = State::idle;
  input_.clear();
  if (request_ && !stopped_) dial();
}

void PeerLink::stop() {
  stopped_ = true;
  fail(false);
}

bool PeerLink::quiet() const { return state_ == State::idle && timeout_.quiet(); }

}  // namespace hayward::net
