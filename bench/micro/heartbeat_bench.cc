// What a heartbeat costs before and after the network: reading it, renewing the lease, writing the answer.
#include <benchmark/benchmark.h>

#include <vector>

#include "engine/base/prng.h"
#include "engine/core/lease/lease_mail.h"
#include "engine/core/lease/lease_table.h"
#include "schemas/messages/broker_heartbeat_request.h"
#include "schemas/messages/broker_heartbeat_response.h"
#include "schemas/runtime/arena.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::core {
namespace {

constexpr std::int64_t session_ns = 9'000'000'000;

BrokerIncarnation broker(std::int64_t n) {
  return {NodeId{static_cast<std::int32_t>(1000 + n)}, BrokerEpoch{10'000 + n}};
}

// One lease after the other in a drawn order, the clock going on by 30,000 heartbeats a second; the table's turn
// (observe, expire) comes with every 32nd, as many as one reaping of the ring brings under load.
void LeaseTouch(benchmark::State& state) {
  const auto brokers = state.range(0);
  MonoTime now{1'000'000'000};
  LeaseTable leases(session_ns, now);
  for (std::int64_t i = 0; i < brokers; ++i) leases.grant(broker(i), no_offset, now);
  Prng prng(1);
  std::vector<BrokerIncarnation> order;
  for (int i = 0; i < 4096; ++i)
    order.push_back(broker(static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(brokers)))));
  std::size_t at = 0;
  std::int64_t offset = 0;
  for (auto _ : state) {
    now = now + 33'333;
    if (at % 32 == 0) {
      leases.observe(now);
      benchmark::DoNotOptimize(leases.expire(now));
    }
    benchmark::DoNotOptimize(leases.touch(order[at++ % order.size()], Offset{++offset}, Offset{INT64_MAX}, now));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(LeaseTouch)->Arg(300)->Arg(10'000);

Buffer heartbeat_body() {
  messages::BrokerHeartbeatRequest request;
  request.broker_id = NodeId{1001};
  request.broker_epoch = BrokerEpoch{12345};
  request.current_metadata_offset = Offset{99999};
  request.cordoned_log_dirs = {};
  Buffer body(encoded_size(request, 2));
  Writer writer(body);
  encode(writer, request, 2);
  return body;
}

void HeartbeatHeadRead(benchmark::State& state) {
  const Buffer body = heartbeat_body();
  for (auto _ : state) benchmark::DoNotOptimize(read_heartbeat_head(body));
}
BENCHMARK(HeartbeatHeadRead);

void HeartbeatDecode(benchmark::State& state) {
  const Buffer body = heartbeat_body();
  Arena arena;
  for (auto _ : state) {
    arena.reset();
    Reader reader(body);
    messages::BrokerHeartbeatRequest request;
    if (!decode(reader, 2, arena, request)) state.SkipWithError("not decoded");
    benchmark::DoNotOptimize(request);
  }
}
BENCHMARK(HeartbeatDecode);

void HeartbeatAnswerEncode(benchmark::State& state) {
  messages::BrokerHeartbeatResponse response;
  response.is_caught_up = true;
  Buffer out(64);
  for (auto _ : state) {
    Writer writer(MutableBytes(out).first(encoded_size(response, 2)));
    encode(writer, response, 2);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(HeartbeatAnswerEncode);

}  // namespace
}  // namespace hayward::core
