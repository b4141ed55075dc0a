// Request frames as they go on the wire: size, header version 2, body. All requests of a load are flexible ones.
// Owner: `hayward load`. Pure.
#pragma once

#include <cstdint>

#include "schemas/messages/request_header.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/writer.h"

namespace hayward::tools {

// Correlation id 0: the line puts the right one in.
template <class Request>
Buffer load_frame(const Request& request, std::int16_t version) {
  messages::RequestHeader header;
  header.request_api_key = Request::api_key;
  header.request_api_version = version;
  header.client_id = "hayward-load";
  const std::size_t size = encoded_size(header, 2) + encoded_size(request, version);
  Buffer frame(4 + size);
  Writer writer(frame);
  writer.write_i32(static_cast<std::int32_t>(size));
  encode(writer, header, 2);
  encode(writer, request, version);
  return frame;
}

}  // namespace hayward::tools
