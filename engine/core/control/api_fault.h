// Why one item of a request was refused: the code, and the text for people (nullopt where Kafka sends null).
// Owner: engine/core/control. Any shard.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/control/context.h"
#include "engine/core/control/mutation_quota.h"
#include "schemas/runtime/error_code.h"

namespace hayward::core {

struct ApiFault {
  ErrorCode code = ErrorCode::none;
  std::optional<std::string> text;
};

// The fault's text in the answer's arena.
inline std::optional<std::string_view> text_of(const ApiFault& fault, Arena& arena) {
  if (!fault.text) return std::nullopt;
  return arena.copy(*fault.text);
}

inline ApiFault too_many_records() {
  return {ErrorCode::policy_violation, "The request would write more than " +
                                           std::to_string(max_records_per_user_operation) + " records: split it up"};
}

// Charges the client's mutation quota; the fault if it may have no more for now.
inline std::optional<ApiFault> charge_mutations(const HandlerContext& context, std::size_t partitions) {
  if (context.mutation_quota == nullptr || context.mutation_quota->charge(partitions)) return std::nullopt;
  return ApiFault{ErrorCode::throttling_quota_exceeded, std::nullopt};  // Kafka has no text for it
}

}  // namespace hayward::core
