// See load.h.
#include "engine/core/load.h"

#include <utility>
#include <variant>

#include "engine/core/raft/control_records.h"
#include "schemas/batch/batch_reader.h"
#include "schemas/batch/control.h"

namespace hayward::core {
namespace {

using Result = std::expected<void, std::string>;

std::string at(Offset offset) { return " at offset " + std::to_string(offset.value); }

std::string fault(std::string_view where, Offset offset, BatchError error) {
  return std::string(where) + at(offset) + ": expected a valid record batch, found " + std::string(name(error));
}

// Voters and kraft.version count from `key` on: the record's own offset, or a snapshot's last one.
Result load_control(NodeState& node, const ControlRecord& record, Offset key, Offset offset) {
  if (const auto* version = std::get_if<records::KRaftVersionRecord>(&record)) {
    if (version->kraft_version < 0 || version->kraft_version > raft::max_kraft_version) {
      return std::unexpected("record KRaftVersionRecord" + at(offset) + ": expected kraft.version 0 or 1, found " +
                             std::to_string(version->kraft_version));
    }
    if (!node.voters.add_kraft_version(key, version->kraft_version)) {
      return std::unexpected("record KRaftVersionRecord" + at(offset) + ": expected one in a snapshot, found another");
    }
  } else if (const auto* voters = std::get_if<records::VotersRecord>(&record)) {
    if (!node.voters.add_voters(key, raft::from_record(*voters))) {
      return std::unexpected("record VotersRecord" + at(offset) + ": expected one in a snapshot, found another");
    }
  }
  return {};
}

template <class LoadControl, class LoadData>
Result for_each_record(NodeState& node, std::string_view where, const BatchHeader& header, Bytes batch,
                       LoadControl&& load_control_record, LoadData&& load_data_record) {
  RecordIterator records(header, batch);
  while (const auto record = records.next()) {
    if (header.is_control()) {
      const auto control = decode_control(*record, node.arena);
      if (!control) return std::unexpected(fault(where, record->offset, control.error()));
      if (Result loaded = load_control_record(*control, record->offset); !loaded) return loaded;
      node.arena.reset();
    } else {
      if (!record->value)
        return std::unexpected(std::string(where) + at(record->offset) + ": expected a value, found null");
      if (Result loaded = load_data_record(*record->value, record->offset); !loaded) return loaded;
    }
  }
  if (records.error()) return std::unexpected(fault(where, header.base_offset, *records.error()));
  return {};
}

std::string to_text(const raft::VoterSet& voters) {
  std::string text = "[";
  for (const Voter& voter : voters.all()) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(voter.id.value);
    if (!voter.directory.is_zero()) text += " in directory " + voter.directory.to_string();
  }
  return text + "]";
}

}  // namespace

Result load_snapshot_batch(NodeState& node, Bytes batch) {
  const auto header = parse_batch_header(batch);
  if (!header) return std::unexpected(fault("snapshot batch", no_offset, header.error()));
  const SnapshotId id = node.log.snapshots().empty() ? raft::bootstrap_snapshot : node.log.snapshots().back().id;
  const Offset last{id.end.value - 1};
  node.load_position = node.image_end = node.committed = node.settled = id.end;
  node.voters.note_committed(id.end);
  node.image.set_committed(last);  // a snapshot is never undone: nothing of what it replaces is kept
  const auto load_data = [&](Bytes value, Offset offset) -> Result {
    if (id == raft::bootstrap_snapshot) {
      if (node.config.bootstrap_records.empty()) node.bootstrap_records.emplace_back(value.begin(), value.end());
      return {};
    }
    if (auto replayed = node.image.replay(value, last, ReplaySource::snapshot); !replayed) {
      return std::unexpected("snapshot, its own offset " + std::to_string(offset.value) + ": " +
                             replayed.error().to_string());
    }
    return {};
  };
  const auto load_control_record = [&](const ControlRecord& record, Offset offset) -> Result {
    if (const auto* snapshot_header = std::get_if<records::SnapshotHeaderRecord>(&record)) {
      node.last_append_wall_ms = snapshot_header->last_contained_log_timestamp;
    }
    return load_control(node, record, last, offset);
  };
  return for_each_record(node, "snapshot batch", *header, batch, load_control_record, load_data);
}

Result load_log_batch(NodeState& node, Bytes batch) {
  const auto header = parse_batch_header(batch);
  if (!header) return std::unexpected(fault("log batch", node.load_position, header.error()));
  if (node.load_position == no_offset) node.load_position = node.log.start();
  if (header->base_offset != node.load_position) {
    return std::unexpected("log batch: expected base offset " + std::to_string(node.load_position.value) + ", found " +
                           std::to_string(header->base_offset.value));
  }
  // All of it is on stable storage, and a lone voter's log is never cut: nothing will be undone. What others may have a
  // word in waits until it is known to be committed.
  const bool committed = node.tail.batches().empty() && node.quorum.is_only_voter();
  if (committed) node.image.set_committed(header->last_offset());
  const auto load_data = [&](Bytes value, Offset offset) -> Result {
    if (!committed) return {};
    if (auto replayed = node.image.replay(value, offset); !replayed)
      return std::unexpected(replayed.error().to_string());
    return {};
  };
  const auto load_control_record = [&](const ControlRecord& record, Offset offset) -> Result {
    if (committed) node.image.advance(offset);
    return load_control(node, record, offset, offset);
  };
  if (Result loaded = for_each_record(node, "log batch", *header, batch, load_control_record, load_data); !loaded) {
    return loaded;
  }
  node.load_position = Offset{header->last_offset().value + 1};
  if (!committed) {
    node.tail.add(raft::copy_of(*header, batch));  // for later, when it is known to be committed
    return {};
  }
  node.image_end = node.committed = node.settled = node.load_position;
  node.voters.note_committed(node.committed);
  node.last_append_wall_ms = header->max_timestamp_ms;
  node.snapshotter.appended(batch.size());
  return {};
}

std::optional<std::string> why_not_startable(const NodeState& node) {
  const Offset loaded = node.load_position == no_offset ? node.log.start() : node.load_position;
  if (loaded != node.log.end()) {
    return "expected the log to be loaded up to offset " + std::to_string(node.log.end().value) + ", found " +
           std::to_string(loaded.value);
  }
  const raft::VoterSet& voters = node.voters.last();
  if (voters.size() == 0 && node.config.bootstrap_servers.empty()) {
    return "no voters are known: expected controller.quorum.voters, or a directory that was formatted with a voter set";
  }
  // Who is no voter observes, unless there would be no other node to fetch from.
  const bool alone = voters.size() == 1 && voters.find(node.config.node_id) != nullptr;
  if (!voters.has(node.quorum.self()) && alone) {
    return "node " + std::to_string(node.config.node_id.value) + " in directory " +
           node.config.directory_id.to_string() + " is not in the voter set " + to_text(voters);
  }
  if (voters.size() > 1 && !node.config.advertised.empty() && node.config.advertised.front().security_protocol != 0) {
    return "listener " + node.config.advertised.front().listener +
           ": this version speaks PLAINTEXT to other controllers, and the voter set is " + to_text(voters);
  }
  return std::nullopt;
}

}  // namespace hayward::core
