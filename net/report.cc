// See report.h.
#include "net/report.h"

#include <cstring>
#include <utility>

#include "engine/base/time.h"
#include "net/address.h"

namespace hayward::net {
namespace {

constexpr std::int64_t quiet_ns = ms_to_ns(10'000);

bool is_ordinary(CloseReason reason) {
  return reason == CloseReason::peer_closed || reason == CloseReason::idle || reason == CloseReason::stopping;
}

}  // namespace

void Report::closed(std::int64_t now_ns, CloseReason reason, const core::ClientAddress& address,
                    const std::string& detail) {
  if (is_ordinary(reason)) return;
  std::string text = "closed connection from " + to_text(address) + ": " + to_text(reason);
  if (!detail.empty()) text += " (" + detail + ")";
  line(closed_[static_cast<std::size_t>(reason)], now_ns, std::move(text));
}

void Report::accept_failed(std::int64_t now_ns, const std::string& listener, int error) {
  line(accept_, now_ns, "listener " + listener + ": cannot accept: " + std::strerror(error));
}

void Report::line(Gate& gate, std::int64_t now_ns, std::string text) {
  if (now_ns < gate.open_ns) {
    ++gate.held_back;
    return;
  }
  gate.open_ns = now_ns + quiet_ns;
  if (const std::uint64_t held_back = std::exchange(gate.held_back, 0); held_back > 0) {
    text += "; " + std::to_string(held_back) + " more such before";
  }
  if (log_) log_(core::LogLine::Level::warn, std::move(text));
}

}  // namespace hayward::net
