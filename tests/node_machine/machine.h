// The machine around a Node, as far as a test needs one: a log that keeps batches and is flushed when told, a
// clock that is moved by hand, connections that remember what they were asked and answered.
// Owner: the test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/trace.h"
#include "engine/core/node.h"
#include "engine/core/raft/log_view.h"
#include "schemas/runtime/reader.h"
#include "schemas/runtime/writer.h"

namespace hayward::core {

inline constexpr std::string_view test_cluster = "hayward-test-cluster-1";

enum class Format { dynamic_voters, static_voters };

struct MachineOptions {
  Format format = Format::dynamic_voters;
  std::int16_t metadata_version = 30;
  int voters = 1;                  // 1, 2, ...; this is the first; more than one are configured ones
  bool bootstrap_features = false;  // as `kafka-storage format` writes them; else metadata.version alone
  std::int64_t snapshot_bytes = 20971520;
  std::int64_t snapshot_interval_ms = 3600000;
};

// What lasts: survives a Node.
struct Disk {
  std::vector<BatchPtr> batches;
  Offset flushed{0};
  Offset start{0};
  Offset refetch_to{0};
  std::optional<QuorumState> quorum_state;
  struct Snapshot {
    SnapshotId id;
    std::vector<Buffer> batches;
  };
  std::vector<Snapshot> snapshots;

  Offset end() const { return batches.empty() ? start : Offset{batches.back()->last.value + 1}; }
  LogState state() const;
};

class Machine {
 public:
  explicit Machine(const MachineOptions& options = {});

  NodeConfig config;
  Disk disk;

  // Loads what the disk holds into a new node. The error is the loader's.
  std::expected<void, std::string> boot();
  // Loses what has not been flushed, and boots.
  std::expected<void, std::string> restart();
  // boot, start, and everything confirmed until the controller is active and its log flushed.
  void bring_up();
  // bring_up, after a loss of what has not been flushed.
  void bring_up_again();

  Node& node() { return *node_; }

  void start();
  // Steps and carries out: appends go to the disk unflushed, answers to answers(). Everything that came out is
  // in effects() until the next step.
  void step(const Event& event);
  void flush();                   // what has been appended becomes durable
  void persist();                 // quorum-state that was asked for becomes durable
  void pass_ms(std::int64_t ms);  // and ticks when armed
  void settle();                  // persist and flush until nothing is left to do

  // A request on connection `slot`, asked for at the present time.
  template <class Message>
  void ask(std::uint32_t slot, const Message& message, std::int16_t version = Message::max_version) {
    Buffer body(encoded_size(message, version));
    Writer writer(body);
    encode(writer, message, version);
    ask_bytes(slot, Message::api_key, version, body);
  }
  void ask_bytes(std::uint32_t slot, std::int16_t api_key, std::int16_t version, Bytes body);

  // The answer that came on `slot` for its last request; nullopt: none. Views live until the next step.
  template <class Response>
  std::optional<Response> answer(std::uint32_t slot) {
    const Answer* found = find_answer(slot);
    if (found == nullptr || found->closed) return std::nullopt;
    Reader reader(found->bytes);
    if (reader.read_i32() != found->correlation_id) return std::nullopt;
    if (found->version >= Response::first_flexible_version && Response::api_key != 18) reader.read_uvarint();
    Response response;
    if (!decode(reader, found->version, arena_, response) || reader.remaining() != 0) return std::nullopt;
    return response;
  }
  // Asks and expects the answer at once or after the log has been flushed.
  template <class Response, class Message>
  Response asked(const Message& message, std::int16_t version = Message::max_version) {
    ask(999, message, version);
    settle();
    return answer<Response>(999).value();
  }

  struct Answer {
    std::int16_t api_key = 0;
    std::int16_t version = 0;
    std::int32_t correlation_id = 0;
    bool answered = false;
    bool closed = false;
    Buffer bytes;                  // with records put in
    std::size_t record_bytes = 0;  // of what the log or a snapshot supplied
  };
  const Answer* find_answer(std::uint32_t slot) const;
  bool answered(std::uint32_t slot) const { return find_answer(slot) != nullptr && find_answer(slot)->answered; }
  bool closed(std::uint32_t slot) const { return find_answer(slot) != nullptr && find_answer(slot)->closed; }

  // The answer of `peer` to what this node last asked of it by the API; it must have.
  template <class Response>
  void peer_answers(NodeId peer, const Response& response) {
    const SendToPeer asked = take_asked(peer, Response::api_key);
    Buffer body(encoded_size(response, asked.api_version));
    Writer writer(body);
    encode(writer, response, asked.api_version);
    step(PeerReply{.peer = peer, .api_key = asked.api_key, .api_version = asked.api_version, .token = asked.token,
                   .failed = false, .refused = false, .highest_version = -1, .body = body});
  }
  void peer_fails(NodeId peer, std::int16_t api_key, bool refused);

  Effects& effects() { return effects_; }
  Time now() const { return now_; }
  std::uint64_t trace() const { return trace_.value(); }
  bool stopped() const { return stopped_; }
  const std::string& failure() const { return failure_; }

 private:
  SendToPeer take_asked(NodeId peer, std::int16_t api_key);
  void carry_out();
  void write_snapshot();
  void take(Effect& effect);
  Buffer records(const ReplyWithRecords& reply) const;
  void put_in(ConnectionId connection, const Buffer& head, Bytes slice, const Buffer& tail);

  std::unique_ptr<Node> node_;
  Time now_{{1'000'000'000}, 1'700'000'000'000};
  MonoTime armed_ = mono_never;
  Effects effects_;
  Arena arena_;
  std::map<std::uint32_t, Answer> answers_;
  std::vector<PersistQuorumState> to_persist_;
  std::vector<WriteSnapshot> to_write_;
  Disk::Snapshot part_;  // of a snapshot that has not ended
  std::vector<SendToPeer> asked_;  // not answered yet
  std::int32_t last_correlation_id_ = 0;
  TraceHash trace_;
  bool stopped_ = false;
  std::string failure_;
};

// One line for one effect; records by their content.
std::string describe(const Effect& effect);
std::string describe_request(const SendToPeer& send);
// The records of a batch, "; " between them.
std::string describe_batch(Bytes batch);
void add_to_trace(TraceHash& trace, const Effect& effect);

}  // namespace hayward::core
