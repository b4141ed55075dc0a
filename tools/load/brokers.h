// Model brokers as far as a controller's broker side sees them: they register as a 4.3 broker with one log directory,
// ask to be unfenced, and heartbeat. They fetch nothing: each says that it has read up to its own registration.
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

struct LoadBroker {
  NodeId id;
  IncarnationId incarnation;
  DirectoryId directory;
  BrokerEpoch epoch{-1};  // -1: not registered
  bool fenced = true;
  Buffer heartbeat;  // the frame, made at registration
};

// `count` brokers from first_id on; incarnations and directories drawn from `prng`.
std::vector<LoadBroker> make_brokers(std::int32_t first_id, std::size_t count, Prng& prng);

// Each broker registers once (slot: its place in the list).
class RegisterWork final : public Work {
 public:
  RegisterWork(std::vector<LoadBroker>& brokers, std::string cluster_id)
      : brokers_(brokers), cluster_id_(std::move(cluster_id)), asked_(brokers.size()) {}
  bool has_next(std::size_t slot) override { return !asked_[slot]; }
  Bytes request(std::size_t slot) override;
  std::optional<ErrorCode> answer(std::size_t slot, Bytes body) override;
  bool finished() const override { return answered_ == brokers_.size(); }

 private:
  std::vector<LoadBroker>& brokers_;
  std::string cluster_id_;
  std::vector<bool> asked_;
  std::size_t answered_ = 0;
  Buffer frame_;
  Arena arena_;
};

// Heartbeats: until every broker is told that it is unfenced, or without end.
class HeartbeatWork final : public Work {
 public:
  enum class Until : std::uint8_t { unfenced, stopped };
  HeartbeatWork(std::vector<LoadBroker>& brokers, Until until) : brokers_(brokers), until_(until) {}
  bool has_next(std::size_t slot) override { return until_ == Until::stopped || brokers_[slot].fenced; }
  Bytes request(std::size_t slot) override { return brokers_[slot].heartbeat; }
  std::optional<ErrorCode> answer(std::size_t slot, Bytes body) override;
  bool finished() const override { return until_ == Until::unfenced && unfenced_ == brokers_.size(); }

 private:
  std::vector<LoadBroker>& brokers_;
  Until until_;
  std::size_t unfenced_ = 0;
  Arena arena_;
};

}  // namespace hayward::tools
