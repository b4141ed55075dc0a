// What the answers of refusals.h are made of, the same for many APIs.
// Owner: engine/core/control. Shard 0.
#pragma once

#include <cstddef>

#include "engine/core/control/refusals.h"

namespace hayward::core {

// An answer whose one error is at the top.
template <class Response>
Response at_the_top(ErrorCode error) {
  Response response;
  response.error_code = error;
  if constexpr (requires { response.error_message; }) response.error_message = refusal_text(error);
  return response;
}

// The error on one item of an answer.
template <class Item>
Item refused_item(ErrorCode error) {
  Item result;
  result.error_code = error;
  result.error_message = refusal_text(error);
  return result;
}

}  // namespace hayward::core
