// See shard_leases.h.
#include "engine/core/lease/shard_leases.h"

#include "engine/core/lease/lease_mail.h"

namespace hayward::core {
namespace {

// How old the controller's knowledge of steady brokers may be while anything happens at all.
constexpr std::int64_t contacts_interval_ns = ms_to_ns(100);

}  // namespace

ShardLeases::ShardLeases(std::int64_t session_timeout_ms, std::int64_t fetch_timeout_ms, MonoTime now)
    : leases_(ms_to_ns(session_timeout_ms), now),
      steady_(leases_, ms_to_ns(fetch_timeout_ms)),
      turn_at_(now),
      drain_limit_ns_(ms_to_ns(session_timeout_ms) / 4),
      long_turn_ns_(ms_to_ns(session_timeout_ms) / 64),
      told_(now) {}

std::int64_t ShardLeases::begin_turn(MonoTime now) {
  turn_at_ = now;
  const std::int64_t gap_ns = leases_.observe(now);
  if (gap_ns > 0) drain_until_ = now + drain_limit_ns_;
  return gap_ns;
}

void ShardLeases::touch(const Request& request, Offset log_end) { touch_lease(leases_, access_, request, log_end); }

bool ShardLeases::apply(const Effect& effect) {
  if (const auto* publish = std::get_if<PublishBroker>(&effect)) {
    steady_.publish(*publish);
  } else if (const auto* withdraw = std::get_if<WithdrawBroker>(&effect)) {
    steady_.withdraw(withdraw->broker);
  } else if (const auto* life = std::get_if<SignOfLife>(&effect)) {
    steady_.show_life(life->at);
  } else if (std::holds_alternative<PublishLog>(effect)) {
    // There is but one shard: every fetch is the controller's.
  } else {
    if (std::holds_alternative<ResetLeases>(effect)) steady_.reset();
    return apply_lease_order(leases_, access_, effect);
  }
  return true;
}

ShardLeases::Mail ShardLeases::end_turn(unsigned completions, MonoTime now) {
  if (drain_until_) {
    // The turn that ends a drain lets leases run out, however long it was: one long turn after another must not put
    // off a dead broker's fencing for ever.
    if (completions == 0 || now >= *drain_until_) drain_until_.reset();
  } else if (now - turn_at_ > long_turn_ns_) {
    drain_until_ = now + drain_limit_ns_;
  }
  Mail mail;
  // As of the turn's begin: what came in since may hold a heartbeat that is not reaped yet.
  if (!drain_until_) mail.expired = leases_.expire(turn_at_);
  if (mail.expired || now - told_ >= contacts_interval_ns) {
    mail.contacts = leases_.take_contacts();
    told_ = now;
  }
  return mail;
}

}  // namespace hayward::core
