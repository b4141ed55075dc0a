// Request and response frames as a broker writes and reads them, without the length in front.
// Owner: tests/sim/brokers.
#pragma once

#include <cstdint>

#include "schemas/messages/request_header.h"
#include "schemas/messages/response_header.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/bytes.h"

namespace hayward::sim {

// All requests of a model broker are flexible: header version 2.
template <class Request>
Buffer request_frame(const Request& request, std::int16_t version, std::int32_t correlation_id) {
  messages::RequestHeader header;
  header.request_api_key = Request::api_key;
  header.request_api_version = version;
  header.correlation_id = correlation_id;
  header.client_id = "model-broker";
  Buffer frame(encoded_size(header, 2) + encoded_size(request, version));
  Writer writer(frame);
  encode(writer, header, 2);
  encode(writer, request, version);
  return frame;
}

// False: not an answer to `correlation_id`, or malformed. Views of `frame` and the arena.
template <class Response>
bool read_response(Bytes frame, std::int16_t version, std::int32_t correlation_id, Arena& arena, Response& out) {
  Reader reader(frame);
  messages::ResponseHeader header;
  if (!decode(reader, 1, arena, header) || header.correlation_id != correlation_id) return false;
  return decode(reader, version, arena, out) && reader.remaining() == 0;
}

}  // namespace hayward::sim
