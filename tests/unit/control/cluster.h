// An image with brokers in it, and handlers run on it: each decision is replayed at once, kept as text, and
// followed by a check of the invariants.
// Owner: the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/authorizer/authorizer.h"
#include "engine/core/control/context.h"
#include "engine/core/control/leader_and_isr.h"
#include "engine/core/image/image.h"
#include "engine/core/invariants.h"
#include "engine/core/records.h"

namespace hayward::core {

using Lines = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

inline DirectoryId directory(std::uint64_t n) { return DirectoryId{Uuid{9, n}}; }
Ids ids(std::span<const NodeId> nodes);

class TestCluster {
 public:
  struct Options {
    std::int16_t metadata_version = 30;
    bool elr = false;
    int brokers = 3;  // 1..n: unfenced, without rack, with directory(id * 100)
  };
  struct Broker {
    std::int32_t id = 0;
    std::optional<std::string> rack{};
    bool fenced = false;
    bool shutting_down = false;
    std::vector<DirectoryId> dirs{};  // none given: directory(id * 100)
    std::optional<std::vector<DirectoryId>> cordoned{};
    std::vector<FeatureRange> features{};  // none given: all that this version knows
  };
  explicit TestCluster(Options options);
  TestCluster() : TestCluster(Options{}) {}

  void add_broker(const Broker& broker);
  void add_controller(std::int32_t id, const std::vector<FeatureRange>& features);
  BrokerEpoch epoch_of(std::int32_t broker) const { return image.cluster().broker(NodeId{broker})->epoch; }

  // Only the registration: partitions stay as they are.
  void mark_fenced(std::int32_t broker, bool fenced);
  // What the broker handlers do: partition changes and registration changes.
  void fence(const Ids& brokers);
  void unfence(std::int32_t broker);
  void lose_unclean(std::int32_t broker);  // fenced, and what it had not synced is lost

  // A topic of one partition whose state is given; leader: the first of isr unless given.
  struct PartitionState {
    Ids replicas;
    Ids isr;
    Ids elr{};
    Ids last_known{};
    std::optional<std::int32_t> leader{};
    Ids adding{};
    Ids removing{};
    bool recovering = false;
  };
  TopicId add_topic(std::string_view name, const PartitionState& state);
  void set_config(std::int8_t type, std::string_view resource, std::string_view key, std::string_view value);

  const Topic& topic(std::string_view name) const;
  const Partition& partition(std::string_view topic, std::int32_t index = 0) const;
  // "leader 1 epoch 0/0 isr [1 2 3]" and whatever is not empty or at rest.
  std::string state(std::string_view topic, std::int32_t index = 0) const;

  // Runs a handler (context, records) and replays what it adds.
  template <class Handler>
  auto run(Handler&& handler, std::int16_t api_version = 100) {
    request.api_version = api_version;
    const HandlerContext context{image, config, request, next_offset(), arena, prng, authorizer, ineligible, lost_directories};
    RecordList records(next_offset(), image.features());
    auto result = handler(context, records);
    atomic = records.atomic();
    replay(records);
    return result;
  }
  Offset next_offset() const { return Offset{image.last_offset().value + 1}; }

  Image image;
  NodeConfig config;
  Authorizer authorizer{{}};  // none is configured
  RequestContext request;
  std::vector<NodeId> ineligible;
  std::vector<LostDirectory> lost_directories;
  Arena arena;
  Prng prng{7};
  Lines lines;          // records of the last run
  bool atomic = false;  // of the last run

 private:
  void replay(const RecordList& records);
  template <class Record>
  void write(const Record& record);

  InvariantHistory history_;
  std::uint64_t next_topic_ = 1;
};

// A record as one short line.
std::string describe(Bytes frame, const Image& image);

}  // namespace hayward::core
