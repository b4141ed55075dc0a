// Records about brokers' and controllers' registrations.
// Owner: engine/core/image. Shard 0.
#include <algorithm>

#include "engine/core/image/replay.h"
#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/fence_broker_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/register_controller_record.h"
#include "schemas/records/unfence_broker_record.h"
#include "schemas/records/unregister_broker_record.h"

namespace hayward::core {
namespace {

std::string text(NodeId id) { return "broker " + std::to_string(id.value); }

// Of two entries with one name the later takes the place of the first.
template <class T>
void put_by_name(std::vector<T>& list, std::string T::*name, T item) {
  const auto at = std::ranges::find(list, item.*name, name);
  if (at == list.end()) list.push_back(std::move(item));
  else *at = std::move(item);
}

template <class Array>
std::vector<Endpoint> endpoints_of(const Array& from) {
  std::vector<Endpoint> endpoints;
  for (const auto& e : from) {
    put_by_name(endpoints, &Endpoint::listener,
                {std::string(e.name), std::string(e.host), e.port, e.security_protocol});
  }
  return endpoints;
}

template <class Array>
std::vector<FeatureRange> features_of(const Array& from) {
  std::vector<FeatureRange> features;
  for (const auto& f : from) {
    put_by_name(features, &FeatureRange::name, {std::string(f.name), f.min_supported_version, f.max_supported_version});
  }
  return features;
}

// The directories in Kafka's order; refused if one is repeated or another broker's.
std::expected<std::vector<DirectoryId>, Mismatch> log_dirs_of(const Cluster& cluster, NodeId broker,
                                                              const Array<DirectoryId>& from) {
  std::vector<DirectoryId> dirs(from.begin(), from.end());
  std::ranges::sort(dirs, directory_less);
  if (const auto twice = std::ranges::adjacent_find(dirs); twice != dirs.end()) {
    return mismatch("each log directory once", twice->to_string() + " twice");
  }
  for (DirectoryId dir : dirs) {
    const BrokerRegistration* owner = cluster.owner_of_dir(dir);
    if (owner && owner->id != broker) {
      return mismatch("log directory " + dir.to_string() + " of " + text(broker), "it is registered by " + text(owner->id));
    }
  }
  return dirs;
}

std::expected<BrokerRegistration, Mismatch> find_broker(const Cluster& cluster, NodeId id, BrokerEpoch epoch) {
  const std::string expected = text(id) + " registered with epoch " + std::to_string(epoch.value);
  const BrokerRegistration* registration = cluster.broker(id);
  if (!registration) return mismatch(expected, "no such broker");
  if (registration->epoch != epoch) return mismatch(expected, "epoch " + std::to_string(registration->epoch.value));
  return *registration;
}

void put_broker(ReplayContext& context, BrokerRegistration registration) {
  const NodeId id = registration.id;
  context.make(std::make_unique<BrokerChange>(BrokerChange{id, std::move(registration)}));
}

Applied set_fenced(ReplayContext& context, NodeId id, BrokerEpoch epoch, bool fenced) {
  auto registration = find_broker(context.parts.cluster, id, epoch);
  if (!registration) return std::unexpected(std::move(registration.error()));
  registration->fenced = fenced;
  put_broker(context, std::move(*registration));
  return {};
}

}  // namespace

Applied apply(ReplayContext& context, const records::RegisterBrokerRecord& record) {
  auto log_dirs = log_dirs_of(context.parts.cluster, record.broker_id, record.log_dirs);
  if (!log_dirs) return std::unexpected(std::move(log_dirs.error()));
  BrokerRegistration registration;
  registration.id = record.broker_id;
  registration.epoch = record.broker_epoch;
  registration.incarnation_id = record.incarnation_id;
  registration.is_migrating_zk_broker = record.is_migrating_zk_broker;
  registration.endpoints = endpoints_of(record.end_points);
  registration.features = features_of(record.features);
  if (record.rack) registration.rack = std::string(*record.rack);
  registration.fenced = record.fenced;
  registration.in_controlled_shutdown = record.in_controlled_shutdown;
  registration.log_dirs = std::move(*log_dirs);
  if (!record.cordoned_log_dirs.is_null()) {
    registration.cordoned_log_dirs.emplace(record.cordoned_log_dirs.begin(), record.cordoned_log_dirs.end());
  }
  registration.register_offset = context.offset;
  put_broker(context, std::move(registration));
  return {};
}

Applied apply(ReplayContext& context, const records::UnregisterBrokerRecord& record) {
  auto registration = find_broker(context.parts.cluster, record.broker_id, record.broker_epoch);
  if (!registration) return std::unexpected(std::move(registration.error()));
  context.make(std::make_unique<BrokerChange>(BrokerChange{record.broker_id, std::nullopt}));
  return {};
}

Applied apply(ReplayContext& context, const records::FenceBrokerRecord& record) {
  return set_fenced(context, record.id, record.epoch, true);
}

Applied apply(ReplayContext& context, const records::UnfenceBrokerRecord& record) {
  return set_fenced(context, record.id, record.epoch, false);
}

Applied apply(ReplayContext& context, const records::BrokerRegistrationChangeRecord& record) {
  auto registration = find_broker(context.parts.cluster, record.broker_id, record.broker_epoch);
  if (!registration) return std::unexpected(std::move(registration.error()));
  if (record.fenced < -1 || record.fenced > 1) {
    return mismatch("Fenced of -1, 0 or 1", std::to_string(record.fenced));
  }
  if (record.in_controlled_shutdown < 0 || record.in_controlled_shutdown > 1) {
    return mismatch("InControlledShutdown of 0 or 1", std::to_string(record.in_controlled_shutdown));
  }
  if (record.fenced != 0) registration->fenced = record.fenced == 1;
  if (record.in_controlled_shutdown == 1) registration->in_controlled_shutdown = true;
  if (!record.log_dirs.empty()) {
    auto log_dirs = log_dirs_of(context.parts.cluster, record.broker_id, record.log_dirs);
    if (!log_dirs) return std::unexpected(std::move(log_dirs.error()));
    registration->log_dirs = std::move(*log_dirs);
  }
  if (!record.cordoned_log_dirs.is_null()) {
    registration->cordoned_log_dirs.emplace(record.cordoned_log_dirs.begin(), record.cordoned_log_dirs.end());
  }
  put_broker(context, std::move(*registration));
  return {};
}

Applied apply(ReplayContext& context, const records::RegisterControllerRecord& record) {
  ControllerRegistration registration;
  registration.id = record.controller_id;
  registration.incarnation_id = record.incarnation_id;
  registration.zk_migration_ready = record.zk_migration_ready;
  registration.endpoints = endpoints_of(record.end_points);
  registration.features = features_of(record.features);
  context.make(std::make_unique<ControllerChange>(ControllerChange{record.controller_id, std::move(registration)}));
  return {};
}

}  // namespace hayward::core
