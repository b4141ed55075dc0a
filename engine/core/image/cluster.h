// The registered brokers and controllers.
// Owner: engine/core/image. Shard 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/types.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

// What a node says it can do: a feature's name and the levels it supports.
struct FeatureRange {
  std::string name;
  std::int16_t min = 0;
  std::int16_t max = 0;
  friend bool operator==(const FeatureRange&, const FeatureRange&) = default;
};

struct BrokerRegistration {
  NodeId id = no_node;
  BrokerEpoch epoch{-1};
  IncarnationId incarnation_id;
  bool is_migrating_zk_broker = false;
  std::vector<Endpoint> endpoints;           // of two with one name the last
  std::vector<FeatureRange> features;        // of two with one name the last
  std::optional<std::string> rack;
  bool fenced = true;
  bool in_controlled_shutdown = false;
  std::vector<DirectoryId> log_dirs;         // sorted as Kafka sorts them: by two signed 64-bit halves
  std::optional<std::vector<DirectoryId>> cordoned_log_dirs;  // as sent; nullopt: not known yet
  Offset register_offset = no_offset;        // of its RegisterBrokerRecord; heartbeats catch up to it

  // May lead and join ISRs.
  bool active() const { return !fenced && !in_controlled_shutdown; }
  // UNASSIGNED and MIGRATING count as online, LOST does not; without stored directories every one is.
  bool has_online_dir(DirectoryId directory) const;
  // False when every one of its directories is cordoned.
  bool has_uncordoned_dirs() const;
  // The directory that a new replica on this broker gets: MIGRATING without directories, the only one, or
  // UNASSIGNED among several.
  DirectoryId default_dir() const;
  const Endpoint* endpoint(std::string_view listener) const;
  // nullptr: the broker did not name it (treated as 0..0).
  const FeatureRange* feature(std::string_view name) const;

  friend bool operator==(const BrokerRegistration&, const BrokerRegistration&) = default;
};

struct ControllerRegistration {
  NodeId id = no_node;
  IncarnationId incarnation_id;
  bool zk_migration_ready = false;
  std::vector<Endpoint> endpoints;
  std::vector<FeatureRange> features;
  friend bool operator==(const ControllerRegistration&, const ControllerRegistration&) = default;
};

// Kafka's order of directory ids.
bool directory_less(DirectoryId a, DirectoryId b);

class Cluster {
 public:
  // Ascending by id.
  const std::map<NodeId, BrokerRegistration>& brokers() const { return brokers_; }
  const std::map<NodeId, ControllerRegistration>& controllers() const { return controllers_; }
  // nullptr: not registered.
  const BrokerRegistration* broker(NodeId id) const;
  const ControllerRegistration* controller(NodeId id) const;
  // Registered, unfenced, not in controlled shutdown.
  bool is_active(NodeId id) const;
  // The broker that has this directory registered; nullptr: none.
  const BrokerRegistration* owner_of_dir(DirectoryId directory) const;
  // The directory that a new replica on `id` gets (UNASSIGNED for a broker that is not registered). Below
  // directory assignment (metadata.version 17) the caller uses MIGRATING.
  DirectoryId default_dir(NodeId id) const;

  // Changes: each exchanges what is there for what is given, which is also how it is undone.
  void exchange_broker(NodeId id, std::optional<BrokerRegistration>& other);
  void exchange_controller(NodeId id, std::optional<ControllerRegistration>& other);

  // Brokers that have been exchanged since the last call.
  std::set<NodeId> take_changed_brokers() { return std::exchange(changed_brokers_, {}); }

 private:
  std::map<NodeId, BrokerRegistration> brokers_;
  std::map<NodeId, ControllerRegistration> controllers_;
  std::unordered_map<DirectoryId, NodeId> dir_owners_;  // lookups only
  std::set<NodeId> changed_brokers_;
};

}  // namespace hayward::core
