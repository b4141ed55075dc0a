// Which records are shown: by offset and by type.
// Owner: tools/inspect. Any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace hayward::tools {

struct Selection {
  std::int64_t from = 0;
  std::int64_t to = std::numeric_limits<std::int64_t>::max();  // included
  std::string type;                                           // as type_key() gives it; empty: every type

  bool offsets_limited() const { return from > 0 || to < std::numeric_limits<std::int64_t>::max(); }
};

// Brings "PartitionChange", "PartitionChangeRecord" and "PARTITION_CHANGE_RECORD" to one form.
std::string type_key(std::string_view name);
// Whether some record or control record has this key.
bool is_known_type(std::string_view key);

}  // namespace hayward::tools
