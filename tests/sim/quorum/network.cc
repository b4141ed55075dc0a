// See network.h.
#include "network.h"

#include <string>
#include <utility>

namespace hayward::sim {

// By id, or where only an address is known, by that.
Id id_of(const core::SendToPeer& request) {
  return request.peer.value >= 0 ? request.peer.value : std::stoi(request.endpoint.host.substr(host_prefix.size()));
}

void Network::push(std::int64_t now_ns, Kind kind, std::uint64_t call, Buffer body) {
  const auto span = static_cast<std::uint64_t>(faults.max_delay_ns - faults.min_delay_ns + 1);
  const std::int64_t delay_ns =
      kind == Kind::timeout ? request_timeout_ns : faults.min_delay_ns + static_cast<std::int64_t>(prng_.below(span));
  packets_.push({now_ns + delay_ns, next_order_++, kind, call, std::move(body)});
}

bool Network::lost(Id from, Id to) {
  if (blocked(from, to)) return true;
  const bool drop = faults.drop_per_mille > 0 && prng_.below(1000) < faults.drop_per_mille;
  dropped += drop;
  return drop;
}

void Network::send(Id from, core::SendToPeer request, std::int64_t now_ns) {
  const std::uint64_t number = ++next_call_;
  const Id to = id_of(request);
  calls_[number] = {number, from, to, events_.process(from), 0, std::move(request), false};
  push(now_ns, Kind::timeout, number);
  if (lost(from, to)) return;
  push(now_ns, Kind::request, number);
  if (faults.duplicate_per_mille > 0 && prng_.below(1000) < faults.duplicate_per_mille) {
    push(now_ns, Kind::request, number);
    ++duplicated;
  }
  if (faults.reset_per_mille > 0 && prng_.below(1000) < faults.reset_per_mille) {
    push(now_ns, Kind::failure, number);
    ++reset;
  }
}

void Network::arrive(Call& call, std::int64_t now_ns) {
  const std::uint64_t process = events_.process(call.to);
  if (process == 0) {
    if (!lost(call.to, call.from)) push(now_ns, Kind::refusal, call.number);
    return;
  }
  // A doubled request comes by a connection of its own, where nobody waits for the answer.
  constexpr std::uint32_t double_bit = 0x20000000;
  const auto connection = static_cast<std::uint32_t>(call.number) | (call.to_process == process ? double_bit : 0);
  call.to_process = process;
  ++delivered;
  events_.arrived(call, connection);
}

void Network::answer(Id from, std::uint32_t connection, Buffer body, std::int64_t now_ns) {
  const auto at = calls_.find(connection);
  if (at == calls_.end() || at->second.over || lost(from, at->second.from)) return;
  push(now_ns, Kind::answer, connection, std::move(body));
}

void Network::end(Call& call, bool failed, bool refused_dial, Bytes body) {
  if (std::exchange(call.over, true)) return;
  if (events_.process(call.from) == call.from_process) events_.answered(call, failed, refused_dial, body);
}

void Network::process_ended(Id node, std::int64_t now_ns) {
  for (auto& [number, call] : calls_) {
    if (call.over) continue;
    if (call.from == node) {
      call.over = true;
      push(now_ns, Kind::close, number);
    } else if (call.to == node && call.to_process != 0 && !lost(node, call.from)) {
      push(now_ns, Kind::failure, number);
    }
  }
}

void Network::deliver(std::int64_t now_ns) {
  while (!packets_.empty() && packets_.top().at_ns <= now_ns) {
    const Packet packet = packets_.top();
    packets_.pop();
    const auto at = calls_.find(packet.call);
    if (at == calls_.end()) continue;
    Call& call = at->second;
    switch (packet.kind) {
      case Kind::request:
        if (!call.over) arrive(call, now_ns);
        break;
      case Kind::answer:
        end(call, false, false, packet.body);
        break;
      case Kind::refusal:
        refused += !call.over;
        end(call, true, true, {});
        break;
      case Kind::failure:
        end(call, true, false, {});
        break;
      case Kind::close:
        if (call.to_process != 0 && events_.process(call.to) == call.to_process) {
          events_.closed(call.to, static_cast<std::uint32_t>(call.number));
        }
        break;
      case Kind::timeout:
        timed_out += !call.over;
        end(call, true, false, {});
        calls_.erase(packet.call);  // nothing of it is under way any more
        break;
    }
  }
}

}  // namespace hayward::sim
