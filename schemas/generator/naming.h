// From Kafka's names to ours.
// Owner: schemas/generator (build time only).
#pragma once

#include <string>
#include <string_view>

namespace hayward::generator {

// "ThrottleTimeMs" -> "throttle_time_ms"; "KRaftVersion" -> "kraft_version".
std::string snake_case(std::string_view name);

// snake_case, refused if it is a word of the language.
std::string member_name(std::string_view name);

}  // namespace hayward::generator
