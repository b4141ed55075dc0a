// Effects and records as text (machine.h), so that a transcript reads like the log and the wire.
#include <sstream>
#include <variant>

#include "tests/node_machine/machine.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/batch/control.h"
#include "schemas/records/begin_transaction_record.h"
#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/config_record.h"
#include "schemas/records/feature_level_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/partition_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/register_controller_record.h"
#include "schemas/records/topic_record.h"

namespace hayward::core {
namespace {

std::string to_text(ConnectionId id) { return "conn " + std::to_string(id.slot); }
std::string to_text(SnapshotId id) { return std::to_string(id.end.value) + "-" + std::to_string(id.epoch.value); }

template <class Nodes>
std::string list(const Nodes& nodes) {
  std::string text = "[";
  for (const NodeId node : nodes) text += (text.size() > 1 ? " " : "") + std::to_string(node.value);
  return text + "]";
}

template <class Record>
Record body(const records::Frame& frame, Arena& arena) {
  return records::decode_body<Record>(frame, arena).value();
}

std::string describe_value(Bytes value) {
  Arena arena;
  const records::Frame frame = records::parse_frame(value).value();
  std::ostringstream out;
  out << records::find_record_type(static_cast<std::int32_t>(frame.type))->name << " v" << frame.version;
  using records::RecordType;
  switch (frame.type) {
    case RecordType::begin_transaction:
      out << " \"" << body<records::BeginTransactionRecord>(frame, arena).name.value_or("") << "\"";
      break;
    case RecordType::feature_level: {
      const auto r = body<records::FeatureLevelRecord>(frame, arena);
      out << " " << r.name << "=" << r.feature_level;
      break;
    }
    case RecordType::config: {
      const auto r = body<records::ConfigRecord>(frame, arena);
      out << " type " << int{r.resource_type} << " \"" << r.resource_name << "\" " << r.name << "="
          << r.value.value_or("null");
      break;
    }
    case RecordType::register_controller: {
      const auto r = body<records::RegisterControllerRecord>(frame, arena);
      out << " " << r.controller_id.value << " endpoints " << r.end_points.size() << " features " << r.features.size();
      break;
    }
    case RecordType::register_broker: {
      const auto r = body<records::RegisterBrokerRecord>(frame, arena);
      out << " " << r.broker_id.value << " epoch " << r.broker_epoch.value << (r.fenced ? " fenced" : " unfenced");
      break;
    }
    case RecordType::broker_registration_change: {
      const auto r = body<records::BrokerRegistrationChangeRecord>(frame, arena);
      out << " " << r.broker_id.value << " fenced " << int{r.fenced} << " shutdown " << int{r.in_controlled_shutdown};
      break;
    }
    case RecordType::topic:
      out << " " << body<records::TopicRecord>(frame, arena).name;
      break;
    case RecordType::partition: {
      const auto r = body<records::PartitionRecord>(frame, arena);
      out << " " << r.partition_id.value << " replicas " << list(r.replicas) << " isr " << list(r.isr) << " leader "
          << r.leader.value;
      break;
    }
    case RecordType::partition_change: {
      const auto r = body<records::PartitionChangeRecord>(frame, arena);
      out << " " << r.partition_id.value << " leader " << r.leader.value;
      if (!r.isr.is_null()) out << " isr " << list(r.isr);
      break;
    }
    default:
      break;
  }
  return out.str();
}

struct DescribeControl {
  std::string operator()(const records::LeaderChangeMessage& m) const {
    std::string voters = "[";
    for (const auto& v : m.voters) voters += (voters.size() > 1 ? " " : "") + std::to_string(v.voter_id.value);
    return "LeaderChange v" + std::to_string(m.version) + " leader " + std::to_string(m.leader_id.value) + " voters " +
           voters + "]";
  }
  std::string operator()(const records::KRaftVersionRecord& m) const {
    return "KRaftVersion " + std::to_string(m.kraft_version);
  }
  std::string operator()(const records::VotersRecord& m) const {
    std::string text = "Voters";
    for (const auto& v : m.voters) {
      text += " " + std::to_string(v.voter_id.value) + "@";
      for (const auto& e : v.endpoints)
        text += std::string(e.name) + "://" + std::string(e.host) + ":" + std::to_string(e.port);
    }
    return text;
  }
  std::string operator()(const records::SnapshotHeaderRecord&) const { return "SnapshotHeader"; }
  std::string operator()(const records::SnapshotFooterRecord&) const { return "SnapshotFooter"; }
};

struct DescribeEffect {
  std::string operator()(const Append& e) const {
    return "append " + std::to_string(e.batch->base.value) + ".." + std::to_string(e.batch->last.value) + " epoch " +
           std::to_string(e.batch->epoch.value) + (e.batch->control ? " control" : "") + ": " +
           describe_batch(e.batch->bytes);
  }
  std::string operator()(const PersistQuorumState& e) const {
    return "persist quorum-state epoch " + std::to_string(e.state.epoch.value) + " leader " +
           std::to_string(e.state.leader.value) + " voted " + std::to_string(e.state.voted.value) + " kraft.version " +
           std::to_string(e.state.kraft_version);
  }
  std::string operator()(const Truncate& e) const { return "truncate " + std::to_string(e.end.value); }
  std::string operator()(const Reply& e) const { return "reply " + to_text(e.connection); }
  std::string operator()(const ReplyWithRecords& e) const {
    return "reply " + to_text(e.connection) + " with records " + std::to_string(e.from.value) + ".." +
           std::to_string(e.to.value - 1);
  }
  std::string operator()(const ReplyWithSnapshotBytes& e) const {
    return "reply " + to_text(e.connection) + " with " + std::to_string(e.length) + " bytes of snapshot " +
           to_text(e.id) + " from " + std::to_string(e.position);
  }
  std::string operator()(const CloseConnection& e) const { return "close " + to_text(e.connection) + ": " + e.reason; }
  std::string operator()(const SendToPeer& e) const { return "send to " + std::to_string(e.peer.value) + ": " + describe_request(e); }
  std::string operator()(const WriteSnapshot& e) const {
    std::string text = (e.begins ? "write snapshot " : "go on with snapshot ") + to_text(e.id) + (e.ends ? ":" : ", more to come:");
    for (const Buffer& batch : e.batches) text += "\n    " + describe_batch(batch);
    return text;
  }
  std::string operator()(const WriteSnapshotPart& e) const {
    return "write " + std::to_string(e.bytes.size()) + " bytes of snapshot " + to_text(e.id) + " from " +
           std::to_string(e.position) + (e.last ? ", the last" : "");
  }
  std::string operator()(const ArmTimer&) const { return "arm timer"; }
  std::string operator()(const ResetLeases& e) const {
    return "reset leases, epoch " + std::to_string(e.controller_epoch.value);
  }
  std::string operator()(const GrantLease& e) const {
    return "grant lease to broker " + std::to_string(e.broker.id.value) + " epoch " +
           std::to_string(e.broker.epoch.value);
  }
  std::string operator()(const DropLease& e) const { return "drop lease of broker " + std::to_string(e.broker.value); }
  std::string operator()(const PublishClusterAccess& e) const {
    return std::string("publish who may act on the cluster: ") +
           (!e.rules->enabled() ? "everybody" : e.rules->ready() ? "as the ACLs say" : "super users");
  }
  std::string operator()(const PublishBroker& e) const {
    return "publish broker " + std::to_string(e.broker.id.value) + " epoch " + std::to_string(e.broker.epoch.value) +
           (e.fenced ? " fenced" : " unfenced");
  }
  std::string operator()(const WithdrawBroker& e) const { return "withdraw broker " + std::to_string(e.broker.value); }
  std::string operator()(const SignOfLife&) const { return "sign of life"; }
  std::string operator()(const PublishLog& e) const {
    return !e.leader ? "publish no log" : "publish the log up to " + std::to_string(e.high_watermark.value);
  }
  std::string operator()(const LogLine& e) const { return "log: " + e.text; }
  std::string operator()(const Fail& e) const { return "FAIL: " + e.reason; }
  std::string operator()(const Stopped&) const { return "stopped"; }
};

// Every byte that leaves the node.
struct EffectBytes {
  TraceHash& trace;

  void operator()(const Append& e) const { trace.add(e.batch->bytes); }
  void operator()(const Reply& e) const { trace.add(e.bytes); }
  void operator()(const ReplyWithRecords& e) const {
    trace.add(e.head);
    trace.add(e.tail);
  }
  void operator()(const ReplyWithSnapshotBytes& e) const {
    trace.add(e.head);
    trace.add(e.tail);
  }
  void operator()(const WriteSnapshot& e) const {
    for (const Buffer& batch : e.batches) trace.add(batch);
  }
  void operator()(const ArmTimer& e) const { trace.add(static_cast<std::uint64_t>(e.at.ns)); }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

std::string describe_batch(Bytes batch) {
  const auto header = check_batch(batch);
  if (!header) return "bad batch: " + std::string(name(header.error()));
  Arena arena;
  RecordIterator records(*header, batch);
  std::string text;
  while (const auto record = records.next()) {
    if (!text.empty()) text += "; ";
    text += header->is_control() ? std::visit(DescribeControl{}, decode_control(*record, arena).value())
                                 : describe_value(*record->value);
  }
  return text;
}

std::string describe(const Effect& effect) { return std::visit(DescribeEffect{}, effect); }

void add_to_trace(TraceHash& trace, const Effect& effect) {
  trace.add(as_bytes(describe(effect)));
  std::visit(EffectBytes{trace}, effect);
}

}  // namespace hayward::core
