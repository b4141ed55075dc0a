// The checks behind ConfigCheck's kinds; config_def.cc is their only caller.
// Owner: engine/core/control; pure functions. Any shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/control/config_def.h"

namespace hayward::core {

// Why the number does not satisfy the check; nullopt: it does.
std::optional<std::string> check_number(const ConfigCheck& check, double as_double, std::int64_t number);
std::optional<std::string> check_string(const ConfigCheck& check, std::string_view text);
// Drops repeated entries where the check says so.
std::optional<std::string> check_list(const ConfigCheck& check, std::vector<std::string_view>& entries);

}  // namespace hayward::core
