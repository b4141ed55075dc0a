// What every handler in control/ is given. A handler is a pure function of (image, request) to
// (records, answer): it never touches the image, adds what is to be written to a RecordList, and
// returns the response struct, whose strings and arrays live in the context's arena. Records of an
// item that fails are not added.
// Owner: the node (engine/core/node.h) makes one per request. Shard 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/prng.h"
#include "engine/base/time.h"
#include "engine/core/start.h"
#include "engine/core/types.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/ids.h"

namespace hayward::core {

class Authorizer;  // engine/core/authorizer/authorizer.h
class Image;       // engine/core/image/image.h
class MutationQuota;  // engine/core/control/mutation_quota.h
class RecordList;  // engine/core/records.h

// Who asks. Without SASL or TLS it is User:ANONYMOUS; inside an Envelope it is the original client.
struct Principal {
  std::string type = "User";
  std::string name = "ANONYMOUS";
  bool token_authenticated = false;
};

struct RequestContext {
  std::int16_t api_key = 0;
  std::int16_t api_version = 0;
  Principal principal;
  bool forwarded = false;  // came inside an Envelope
  std::string_view listener;
  ClientAddress client_address;
  Time now;
  MonoTime arrival;
  std::optional<std::string_view> client_id;
};

// A registered directory that a broker has lost, while its partitions still move away from it.
struct LostDirectory {
  NodeId broker;
  DirectoryId directory;
  friend constexpr auto operator<=>(const LostDirectory&, const LostDirectory&) = default;
};

struct HandlerContext {
  const Image& image;
  const NodeConfig& config;
  const RequestContext& request;
  Offset next_offset;  // where the first record of this request will be written
  Arena& arena;
  Prng& prng;
  const Authorizer& authorizer;  // asked through control/access.h
  // Brokers whose fencing or draining goes on in slices: no handler makes one of them a leader, an ISR
  // member or a new partition's first replica any more. Ascending.
  std::span<const NodeId> ineligible_brokers{};
  // Registered still, but nobody leads or is led from there any more. Ascending.
  std::span<const LostDirectory> lost_directories{};
  // Charged for partitions that are created and deleted; nullptr: without bound.
  MutationQuota* mutation_quota = nullptr;
};

// The most records that one user operation may write; more is POLICY_VIOLATION and writes nothing.
inline constexpr std::size_t max_records_per_user_operation = 10'000;

}  // namespace hayward::core
