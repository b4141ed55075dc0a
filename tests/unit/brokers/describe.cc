// Records as text: what changed and nothing else, so that a test reads like the log.
#include <sstream>

#include "schemas/records/broker_registration_change_record.h"
#include "schemas/records/frame.h"
#include "schemas/records/partition_change_record.h"
#include "schemas/records/register_broker_record.h"
#include "schemas/records/register_controller_record.h"
#include "schemas/records/unregister_broker_record.h"
#include "world.h"

namespace hayward::core {
namespace {

template <class Record>
Record decoded(const records::Frame& frame, Arena& arena) {
  return records::decode_body<Record>(frame, arena).value();
}

std::string list(std::span<const NodeId> nodes) {
  std::string text = "[";
  for (const NodeId node : nodes) text += (text.size() > 1 ? " " : "") + std::to_string(node.value);
  return text + "]";
}

std::string list(std::span<const DirectoryId> dirs) {
  std::string text = "[";
  for (const DirectoryId dir : dirs) text += (text.size() > 1 ? " " : "") + std::to_string(dir.value.lo);
  return text + "]";
}

void describe_partition_change(const records::PartitionChangeRecord& record, const Image& image, std::ostream& out) {
  const Topic* topic = image.topics().find(record.topic_id);
  out << " " << (topic != nullptr ? topic->name : "?");
  if (!record.isr.is_null()) out << " isr " << list(record.isr);
  if (record.leader != NodeId{-2}) out << " leader " << record.leader.value;
  if (record.leader_recovery_state != -1) out << " recovery " << int{record.leader_recovery_state};
  if (!record.eligible_leader_replicas.is_null()) out << " elr " << list(record.eligible_leader_replicas);
  if (!record.last_known_elr.is_null()) out << " last_known " << list(record.last_known_elr);
}

void describe_registration_change(const records::BrokerRegistrationChangeRecord& record, std::ostream& out) {
  out << " " << record.broker_id.value;
  if (record.fenced != 0) out << (record.fenced > 0 ? " fence" : " unfence");
  if (record.in_controlled_shutdown != 0) out << " shutdown";
  if (!record.log_dirs.empty()) out << " dirs " << list(record.log_dirs);
  if (!record.cordoned_log_dirs.is_null()) out << " cordoned " << list(record.cordoned_log_dirs);
}

void describe_registration(const records::RegisterBrokerRecord& record, std::ostream& out) {
  out << " " << record.broker_id.value << " epoch " << record.broker_epoch.value;
  out << (record.fenced ? " fenced" : " unfenced") << (record.in_controlled_shutdown ? " shutdown" : "");
}

}  // namespace

std::string describe(Bytes bytes, const Image& image) {
  Arena arena;
  const records::Frame frame = records::parse_frame(bytes).value();
  std::ostringstream out;
  for (const records::RecordInfo& info : records::record_types) {
    if (info.key == static_cast<std::int16_t>(frame.type)) out << info.name;
  }
  out << " v" << frame.version;
  switch (frame.type) {
    case records::RecordType::partition_change:
      describe_partition_change(decoded<records::PartitionChangeRecord>(frame, arena), image, out);
      break;
    case records::RecordType::broker_registration_change:
      describe_registration_change(decoded<records::BrokerRegistrationChangeRecord>(frame, arena), out);
      break;
    case records::RecordType::register_broker:
      describe_registration(decoded<records::RegisterBrokerRecord>(frame, arena), out);
      break;
    case records::RecordType::unregister_broker: {
      const auto record = decoded<records::UnregisterBrokerRecord>(frame, arena);
      out << " " << record.broker_id.value << " epoch " << record.broker_epoch.value;
      break;
    }
    case records::RecordType::register_controller:
      out << " " << decoded<records::RegisterControllerRecord>(frame, arena).controller_id.value;
      break;
    default: break;
  }
  return out.str();
}

}  // namespace hayward::core
