// See line.h.
#include "tools/load/line.h"

#include <cerrno>

#include "net/frame.h"
#include "schemas/runtime/assert.h"
#include "schemas/runtime/writer.h"

namespace hayward::tools {
namespace {

constexpr std::int64_t reconnect_ns = 100'000'000;
constexpr std::int32_t max_answer_bytes = 64 << 20;
constexpr std::size_t correlation_at = 8;  // size, api key, api version

}  // namespace

Line::Line(ring::Port& port, std::size_t slot, const sockaddr_storage& address, socklen_t address_length)
    : port_(port), slot_(slot), address_(address), address_length_(address_length) {
  const auto bind = [this](ring::Operation& operation, ring::Operation::Handler handler) {
    operation.owner = this;
    operation.handler = handler;
  };
  bind(connect_,
       [](ring::Operation& o, const ring::Completion& c) { static_cast<Line*>(o.owner)->on_connect(c.result); });
  bind(send_, [](ring::Operation& o, const ring::Completion& c) { static_cast<Line*>(o.owner)->on_send(c.result); });
  bind(recv_, [](ring::Operation& o, const ring::Completion& c) { static_cast<Line*>(o.owner)->on_recv(c); });
  bind(shutdown_, [](ring::Operation& o, const ring::Completion&) { static_cast<Line*>(o.owner)->wind_down(); });
  bind(close_, [](ring::Operation& o, const ring::Completion&) { static_cast<Line*>(o.owner)->on_close(); });
  bind(retry_, [](ring::Operation& o, const ring::Completion&) { static_cast<Line*>(o.owner)->on_retry(); });
}

void Line::open() {
  stay_closed_ = false;
  if (state_ == State::closed && !retry_.in_flight) dial();
}

void Line::close() {
  stay_closed_ = true;
  user_ = nullptr;
  if (state_ == State::open || state_ == State::connecting) fail(0);
}

void Line::on_retry() {
  if (!stay_closed_) dial();
}

void Line::dial() {
  state_ = State::connecting;
  shut_ = false;
  fd_ = port_.make_socket(address_.ss_family);
  if (fd_ < 0) {  // no descriptors left: as a connection that broke
    const int error = -fd_;
    on_close();
    if (user_ != nullptr) user_->on_lost(*this, error);
    return;
  }
  port_.connect(connect_, fd_, reinterpret_cast<const sockaddr*>(&address_), address_length_);
}

void Line::on_connect(std::int32_t result) {
  if (state_ != State::connecting) return wind_down();
  if (result < 0) return fail(-result);
  state_ = State::open;
  arm_recv();
  if (user_ != nullptr) user_->on_ready(*this);
}

void Line::send(Bytes frame, std::int32_t correlation_id) {
  HAYWARD_ASSERT(ready(), "one request at a time");
  busy_ = true;
  out_.assign(frame.begin(), frame.end());
  Writer(MutableBytes(out_).subspan(correlation_at, 4)).write_i32(correlation_id);
  sent_ = 0;
  send_rest();
}

void Line::send_rest() {
  rest_ = {out_.data() + sent_, out_.size() - sent_};
  port_.send(send_, fd_, {&rest_, 1});
}

void Line::on_send(std::int32_t result) {
  if (state_ != State::open) return wind_down();
  if (result <= 0) return fail(-result);
  sent_ += static_cast<std::size_t>(result);
  if (sent_ < out_.size()) return send_rest();
  if (!in_.empty()) take({});
}

void Line::on_recv(const ring::Completion& completion) {
  if (completion.result > 0) {
    if (state_ == State::open) take(completion.buffer);
    port_.release_buffer(completion.buffer_id);
  }
  if (state_ != State::open) return wind_down();
  if (completion.result == -ENOBUFS || (completion.result > 0 && !completion.more)) return arm_recv();
  if (completion.result <= 0) fail(-completion.result);
}

void Line::take(Bytes bytes) {
  if (!in_.empty()) {
    in_.insert(in_.end(), bytes.begin(), bytes.end());
    bytes = in_;
  }
  const net::Frame frame = net::next_frame(bytes, max_answer_bytes);
  if (frame.status == net::FrameStatus::incomplete) {
    if (in_.empty()) in_.assign(bytes.begin(), bytes.end());
    return;
  }
  // One request at a time: an answer nobody waits for, or bytes behind it, are not Kafka's protocol.
  const bool sound = frame.status == net::FrameStatus::complete && busy_ && frame.consumed == bytes.size();
  if (!sound) return fail(EPROTO);
  if (send_.in_flight) {  // answered before the send was reported: wait for that
    if (in_.empty()) in_.assign(bytes.begin(), bytes.end());
    return;
  }
  const Buffer kept = std::move(in_);  // in_ is free for the next answer, kept holds this one
  in_.clear();
  give_answer(frame.payload);
}

void Line::give_answer(Bytes payload) {
  busy_ = false;
  if (user_ == nullptr) return;
  user_->on_answer(*this, payload);
}

void Line::fail(int error) {
  state_ = State::closing;
  busy_ = false;
  wind_down();
  if (user_ != nullptr) user_->on_lost(*this, error);
}

// Called after each completion while closing: everything in flight must end before the descriptor may go.
void Line::wind_down() {
  if (state_ != State::closing || close_.in_flight) return;
  if (connect_.in_flight || send_.in_flight || recv_.in_flight || shutdown_.in_flight) {
    if (!shut_) {
      shut_ = true;
      port_.shutdown(shutdown_, fd_, SHUT_RDWR);
    }
    return;
  }
  port_.close(close_, fd_);
}

void Line::on_close() {
  fd_ = -1;
  in_.clear();
  state_ = State::closed;
  if (stay_closed_) return;
  port_.timeout(retry_, port_.now_ns() + reconnect_ns);
}

}  // namespace hayward::tools
