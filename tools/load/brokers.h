// Model brokers as far as a controller's broker side sees them: they register as a 4.3 broker with one log directory,
// ask to be unfenced, and heartbeat. One that does not fetch (observer.h) says that it has read up to where the log
// ended when it had registered.
// Owner: `hayward load`. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"
#include "tools/load/phase.h"

namespace hayward::tools {

class Observer;

struct LoadBroker {
  NodeId id;
  IncarnationId incarnation;
  DirectoryId directory;
  BrokerEpoch epoch{-1};  // -1: not registered
  bool fenced = true;
  const Observer* observer = nullptr;  // knows what it has read
  Buffer heartbeat;                    // the frame, made at registration
};

// What it says from now on that it has read; unless it has an observer, whose word counts.
void set_read(LoadBroker& broker, Offset last);

// Which brokers a piece of work is about: `count` of `all` from place `first` on.
struct BrokerRange {
  std::vector<LoadBroker>& all;
  std::size_t first = 0;
  std::size_t count = 0;
};

// One for each id; incarnations and directories drawn from `prng`.
std::vector<LoadBroker> make_brokers(const std::vector<std::int32_t>& ids, Prng& prng);

// Each broker registers once.
class RegisterWork final : public Work {
 public:
  RegisterWork(BrokerRange brokers, std::string cluster_id)
      : brokers_(brokers), cluster_id_(std::move(cluster_id)), asked_(brokers.count) {}
  bool has_next(std::size_t slot) override { return !asked_[slot - brokers_.first]; }
  Bytes request(std::size_t slot) override;
  std::optional<ErrorCode> answer(std::size_t slot, Bytes body) override;
  bool finished() const override { return answered_ == brokers_.count; }

 private:
  BrokerRange brokers_;
  std::string cluster_id_;
  std::vector<bool> asked_;
  std::size_t answered_ = 0;
  Buffer frame_;
  Arena arena_;
};

// Heartbeats: until every broker is told that it is unfenced, one of each, or without end.
class HeartbeatWork final : public Work {
 public:
  enum class Until : std::uint8_t { unfenced, once, stopped };
  HeartbeatWork(BrokerRange brokers, Until until) : brokers_(brokers), until_(until), begun_(brokers.count) {}
  bool has_next(std::size_t slot) override;
  Bytes request(std::size_t slot) override;
  std::optional<ErrorCode> answer(std::size_t slot, Bytes body) override;
  bool finished() const override;

 private:
  BrokerRange brokers_;
  Until until_;
  std::vector<bool> begun_;
  std::size_t answered_ = 0;
  std::size_t unfenced_ = 0;
  Arena arena_;
};

}  // namespace hayward::tools
