// See envelope.h.
#include "engine/core/control/envelope.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/control/access.h"
#include "engine/core/control/handlers.h"
#include "engine/core/control/served.h"
#include "schemas/messages/api_keys.h"
#include "schemas/messages/default_principal_data.h"
#include "schemas/messages/envelope_request.h"
#include "schemas/messages/envelope_response.h"
#include "schemas/messages/request_header.h"

namespace hayward::core {
namespace {

using namespace messages;

// Kafka's list, whether they are served here or not.
constexpr std::int16_t forwardable[] = {19, 20, 30, 31, 33, 37, 38, 39, 40, 43, 44,
                                        45, 46, 49, 51, 55, 57, 64, 67, 80, 81};
constexpr std::int16_t highest_kafka_key = 92;

bool is_forwardable(std::int16_t key) {
  return std::binary_search(std::begin(forwardable), std::end(forwardable), key);
}
// Not one of ours, or a number that is no API at all.
bool is_unknown(std::int16_t key) { return key < 0 || key > highest_kafka_key; }

std::optional<Principal> read_principal(const std::optional<Bytes>& bytes, Arena& arena) {
  if (!bytes) return std::nullopt;
  Reader reader(*bytes);
  const std::int16_t version = reader.read_i16();
  DefaultPrincipalData data;
  if (!reader.ok() || !decode(reader, version, arena, data)) return std::nullopt;
  return Principal{std::string(data.type), std::string(data.name), data.token_authenticated};
}

std::optional<ClientAddress> read_address(Bytes bytes) {
  if (bytes.size() != 4 && bytes.size() != 16) return std::nullopt;
  ClientAddress address;
  address.length = static_cast<std::uint8_t>(bytes.size());
  std::transform(bytes.begin(), bytes.end(), address.bytes.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return address;
}

// The header is of version 1 or 2 by the api's version, which stands at its head.
bool read_header(Reader& reader, Bytes bytes, Arena& arena, RequestHeader& header) {
  Reader head(bytes);
  const std::int16_t key = head.read_i16();
  const std::int16_t version = head.read_i16();
  if (!head.ok() || is_unknown(key)) return false;
  const ApiInfo* api = find_api(key);
  return decode(reader, api == nullptr ? 1 : api->request_header_version(version), arena, header);
}

Outcome wrap(const HandlerCall& outer, ErrorCode error, std::optional<Bytes> inner, Outcome::Wait wait) {
  EnvelopeResponse response;
  response.error_code = error;
  response.response_data = inner;
  return encode_outcome(outer, response, wait);
}

Outcome refuse(const HandlerCall& outer, ErrorCode error) {
  return wrap(outer, error, std::nullopt, Outcome::Wait::nothing);
}

Outcome forward(HandlerCall& outer, const RequestContext& context, std::int32_t correlation_id, Bytes body) {
  const Decision access = access_of(context.api_key).check(outer.node.authorizer, context);
  HandlerCall inner{outer.node, context, correlation_id, body, outer.now, outer.out, access, new_records(outer.node)};
  const Outcome outcome = find_handler(context.api_key)(inner);
  if (outcome.malformed) return refuse(outer, ErrorCode::unsupported_version);
  if (outcome.not_controller) return refuse(outer, ErrorCode::not_controller);
  Outcome wrapped = wrap(outer, ErrorCode::none, outcome.answer, outcome.wait);
  wrapped.until_unregistered = outcome.until_unregistered;
  return wrapped;
}

}  // namespace

Outcome envelope(HandlerCall& call) {
  return decoded<EnvelopeRequest>(call, [&](const EnvelopeRequest& request) {
    Arena& arena = call.node.arena;
    const std::optional<Principal> principal = read_principal(request.request_principal, arena);
    if (!principal) return refuse(call, ErrorCode::principal_deserialization_failure);
    const std::optional<ClientAddress> address = read_address(request.client_host_address);
    if (!address) return refuse(call, ErrorCode::invalid_request);
    RequestHeader header;
    Reader reader(request.request_data);
    if (!read_header(reader, request.request_data, arena, header)) return refuse(call, ErrorCode::unsupported_version);
    if (!is_forwardable(header.request_api_key)) return refuse(call, ErrorCode::invalid_request);
    if (!is_served(header.request_api_key, header.request_api_version)) {
      return refuse(call, ErrorCode::unsupported_version);
    }
    RequestContext context = call.context;
    context.api_key = header.request_api_key;
    context.api_version = header.request_api_version;
    context.principal = *principal;
    context.forwarded = true;
    context.client_address = *address;
    context.client_id = header.client_id;
    return forward(call, context, header.correlation_id, reader.rest());
  });
}

}  // namespace hayward::core
