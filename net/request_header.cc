// Request headers; see request_header.h.
#include "net/request_header.h"

#include <algorithm>

#include "schemas/runtime/reader.h"

namespace hayward::net {
namespace {

// Tags this listener knows none of are skipped; each takes two bytes at least, which bounds the loop.
void skip_tagged_fields(Reader& in) {
  std::uint32_t count = in.read_uvarint();
  for (; count > 0 && in.ok(); --count) {
    in.read_uvarint();
    in.read_raw(in.read_uvarint());
  }
}

const core::ServedApi* find(std::span<const core::ServedApi> apis, std::int16_t key) {
  const auto at = std::ranges::lower_bound(apis, key, {}, &core::ServedApi::key);
  return at != apis.end() && at->key == key ? &*at : nullptr;
}

}  // namespace

HeaderError parse_request_header(Bytes payload, std::span<const core::ServedApi> apis, RequestHeader& out) {
  Reader in(payload);
  out.api_key = in.read_i16();
  out.api_version = in.read_i16();
  if (!in.ok()) return HeaderError::malformed;
  const core::ServedApi* api = find(apis, out.api_key);
  if (api == nullptr) return HeaderError::unknown_api;
  if (!api->has(out.api_version) && out.api_key != core::api_versions_key) return HeaderError::unsupported_version;
  out.correlation_id = in.read_i32();
  out.client_id = in.read_nullable_string(/*compact=*/false);  // classic in header v2 too
  if (api->flexible(out.api_version)) skip_tagged_fields(in);
  if (!in.ok()) return HeaderError::malformed;
  out.body = in.rest();
  return HeaderError::none;
}

}  // namespace hayward::net
