// What a broker puts into an Envelope: a client's request, and who it is.
// Owner: the test.
#pragma once

#include <algorithm>

#include "schemas/messages/default_principal_data.h"
#include "schemas/messages/request_header.h"
#include "schemas/runtime/bytes.h"
#include "schemas/runtime/writer.h"

namespace hayward::core {

using namespace messages;

inline Buffer principal(std::int16_t version = 0) {
  DefaultPrincipalData data;
  data.type = "User";
  data.name = "alice";
  Buffer bytes(2 + encoded_size(data, 0));
  Writer writer(bytes);
  writer.write_i16(version);
  encode(writer, data, 0);
  return bytes;
}

template <class Request>
Buffer inner(const Request& request, std::int16_t version = Request::max_version, std::int16_t key = Request::api_key) {
  RequestHeader header;
  header.request_api_key = key;
  header.request_api_version = version;
  header.correlation_id = 4711;
  header.client_id = "client";
  const std::int16_t header_version = version >= Request::first_flexible_version ? 2 : 1;
  const std::int16_t body_version = std::min(version, Request::max_version);
  Buffer bytes(encoded_size(header, header_version) + encoded_size(request, body_version));
  Writer writer(bytes);
  encode(writer, header, header_version);
  encode(writer, request, body_version);
  return bytes;
}

}  // namespace hayward::core
