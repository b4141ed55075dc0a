// Changes of one resource's dynamic configs: worked out, checked as a whole, and turned into records.
// Owner: engine/core/control. Shard 0, active controller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/control/api_fault.h"
#include "engine/core/image/configs.h"
#include "engine/core/records.h"

namespace hayward::core {

// The numbers are IncrementalAlterConfigs' operations.
enum class ConfigOperation : std::int8_t { set = 0, remove = 1, append = 2, subtract = 3 };

struct ConfigAlteration {
  std::int8_t operation = 0;              // as it came: may be none of ConfigOperation
  std::optional<std::string_view> value;  // null with set: remove
};
// By key; of a key given twice the last counts.
using ConfigAlterations = std::map<std::string_view, ConfigAlteration>;

// Whose ELRs the changes of an operation make stale: a changed min.insync.replicas, with ELR on.
struct StaleElrs {
  std::vector<std::string> topics;
  bool all = false;
  // ClearElr records, topics first; they come after every config record of the operation.
  void add_records(RecordList& records) const;
};

// Whether the caller may alter the configs of `resource`: topic_, group_ or cluster_authorization_failed.
// alter_configs asks it.
std::optional<ApiFault> check_may_alter(const HandlerContext& context, const ConfigResource& resource);

// Adds the ConfigRecords; a fault has added nothing. Unchanged values are not recorded, except for brokers,
// who reload what they find recorded. `new_topic`: the topic is created in the same batch, so that it need
// not exist.
std::optional<ApiFault> alter_configs(const HandlerContext& context, const ConfigResource& resource,
                                      const ConfigAlterations& alterations, bool new_topic, RecordList& records,
                                      StaleElrs& stale_elrs);

}  // namespace hayward::core
