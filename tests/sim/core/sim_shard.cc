// See sim_shard.h.
#include "sim_shard.h"

#include <algorithm>
#include <utility>

#include "engine/core/control/served.h"
#include "schemas/messages/request_header.h"

namespace hayward::sim {
namespace {

constexpr std::int64_t ms = 1'000'000;

// A turn that must follow at once.
constexpr std::int64_t next_turn_ns = 1000;

// Most mail takes microseconds, some of it waits for a loop that is busy.
std::int64_t mail_delay_ns(Prng& prng) {
  const auto below = [&](std::int64_t most) { return static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(most))); };
  return prng.chance(1, 20) ? below(50 * ms) : below(100'000);
}

}  // namespace

Buffer joined(const Buffer& head, Bytes slice, const Buffer& tail, bool compact_length) {
  Buffer length(10);
  Writer writer(length);
  writer.write_count(static_cast<std::int64_t>(slice.size()), compact_length);
  length.resize(writer.written());
  Buffer all = head;
  all.insert(all.end(), length.begin(), length.end());
  all.insert(all.end(), slice.begin(), slice.end());
  all.insert(all.end(), tail.begin(), tail.end());
  return all;
}

std::optional<core::Request> read_request(core::ConnectionId connection, Bytes frame, MonoTime arrival) {
  Reader reader(frame);
  Arena arena;
  messages::RequestHeader header;
  if (!decode(reader, 2, arena, header)) return std::nullopt;
  if (!core::is_served(header.request_api_key, header.request_api_version)) return std::nullopt;
  core::Request request;
  request.connection = connection;
  request.api_key = header.request_api_key;
  request.api_version = header.request_api_version;
  request.correlation_id = header.correlation_id;
  request.client_id = header.client_id;
  request.body = reader.rest();
  request.arrival = arrival;
  request.listener = "CONTROLLER";
  return request;
}

SimShard::SimShard(const driver::Settings& settings, std::uint16_t index, driver::ShardLink& near,
                   const driver::SharedLogEnd& log_end, std::uint64_t seed, const ShardWatch& watch,
                   std::int64_t now_ns)
    : index_(index), near_(near), prng_(seed), watch_(watch) {
  port_.now = now_ns;
  shard_ = std::make_unique<driver::LeaseShard>(port_, settings, index, far_, log_end, [] {},
                                                [](core::LogLine::Level, const std::string&) {});
  shard_->attach(*this);
  events_ = shard_->net_events();
}

// --- mail

template <class Mail>
void SimShard::Courier<Mail>::take(shard::Mailbox<Mail>& from, std::int64_t now_ns, Prng& prng) {
  Mail mail;
  while (from.pop(mail)) {
    const std::int64_t before = under_way.empty() ? 0 : under_way.back().first;
    under_way.emplace_back(std::max(before, now_ns + mail_delay_ns(prng)), std::move(mail));
  }
}

template <class Mail>
bool SimShard::Courier<Mail>::give(shard::Mailbox<Mail>& to, std::int64_t now_ns) {
  bool any = false;
  while (next_ns() <= now_ns && to.push(std::move(under_way.front().second))) {
    under_way.pop_front();
    any = true;
  }
  return any;
}

std::int64_t SimShard::next_wake_ns() const {
  std::int64_t own_ns = std::min(port_.next_timer_ns(), in_.next_ns());
  if (turn_again_ || !port_.inputs.empty()) own_ns = port_.now + next_turn_ns;
  return std::min(std::max(own_ns, paused_until_ns_), out_.next_ns());
}

void SimShard::run(std::int64_t now_ns) {
  in_.take(near_.to_shard, now_ns, prng_);
  if (now_ns >= paused_until_ns_) {
    const bool has_mail = in_.give(far_.to_shard, now_ns);
    if (has_mail || turn_again_ || !port_.inputs.empty() || port_.next_timer_ns() <= now_ns) {
      port_.now = now_ns;
      const std::int64_t stalled_ns = leases().leases().stalled_ns();
      // The stall is found out within the turn, before what it handles; the watch must know it as early.
      port_.begin = [this, stalled_ns] {
        events_.arrived(core::Request{});
        watch_.turn(index_, leases().leases().stalled_ns() - stalled_ns);
      };
      shard_->run_once(true);
      turn_again_ = leases().draining();
    }
  }
  const std::size_t before = out_.under_way.size();
  out_.take(far_.to_controller, now_ns, prng_);
  for (std::size_t i = before; i < out_.under_way.size(); ++i) {
    if (const auto* expiry = std::get_if<driver::MailedExpiry>(&out_.under_way[i].second)) watch_.mailed(expiry->expired);
  }
  out_.give(near_.to_controller, now_ns);
}

// --- connections

void SimShard::deliver(std::uint32_t slot, std::optional<Buffer> frame) {
  port_.inputs.push_back([this, slot, frame = std::move(frame)] {
    if (frame)
      take_in(here(slot), *frame, {port_.now}, /*announce=*/true);
    else
      events_.closed(here(slot));
  });
}

void SimShard::take_in(core::ConnectionId connection, Bytes frame, MonoTime arrival, bool announce) {
  const auto request = read_request(connection, frame, arrival);
  if (!request) return watch_.closed(accepted(connection));
  if (announce) {
    core::Request seen = *request;
    seen.connection = accepted(connection);
    watch_.arrived(index_, seen);
  }
  events_.arrived(*request);
  if (const auto owner = events_.owner(*request)) {
    events_.handed_over({.to = *owner,
                         .fd = static_cast<int>(connection.slot),
                         .listener = {},
                         .address = {},
                         .unread = Buffer(frame.begin(), frame.end()),
                         .arrivals = {arrival}});
  } else {
    events_.request(*request);
  }
}

void SimShard::adopt(driver::Handover&& handover) {
  const auto slot = static_cast<std::uint32_t>(handover.fd);
  watch_.adopted(slot);
  take_in(here(slot), handover.unread, handover.arrivals.front(), /*announce=*/false);
}

void SimShard::reply(core::ConnectionId connection, Buffer bytes, std::int32_t) {
  watch_.replied(accepted(connection), bytes);
}

void SimShard::reply_small(core::ConnectionId connection, Bytes bytes) {
  watch_.replied(accepted(connection), bytes);
}

void SimShard::reply_with_slice(core::ConnectionId connection, Buffer head, driver::LogSlice slice, Buffer tail,
                                bool compact_length) {
  Buffer all;
  for (const Bytes part : slice.parts) all.insert(all.end(), part.begin(), part.end());
  watch_.replied(accepted(connection), joined(head, all, tail, compact_length));
}

void SimShard::close_connection(core::ConnectionId connection, const std::string&) {
  watch_.closed(accepted(connection));
}

}  // namespace hayward::sim
