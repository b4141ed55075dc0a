#include "tools/inspect/small_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "log/epoch_checkpoint.h"
#include "log/meta_properties.h"
#include "log/names.h"
#include "log/quorum_state.h"
#include "schemas/batch/crc32c.h"
#include "schemas/runtime/reader.h"
#include "tools/inspect/file_bytes.h"

namespace hayward::tools {
namespace {

constexpr std::int64_t largest_small_file = 64 << 20;  // Java gives an index 10 MiB of room

// Tells the facts of a file that `parse` makes of its text; parse(text, path) gives a log::Result.
template <class Parse, class Tell>
void inspect_text(Printer& printer, const std::string& path, std::string_view kind, Parse parse, Tell tell) {
  printer.begin_file(path, kind);
  Facts facts;
  if (const auto content = read_whole(printer, path)) {
    const auto parsed = parse(as_text(*content), path);
    if (parsed) tell(facts, *parsed);
    else printer.fault({path, 0, parsed.error().expected, parsed.error().found});
  }
  printer.end_file(facts);
}

std::string list_of(const auto& items, auto write_item) {
  Json json;
  json.begin_array();
  for (const auto& item : items) write_item(json, item);
  return json.end_array().take();
}

}  // namespace

std::optional<Buffer> read_whole(Printer& printer, const std::string& path) {
  auto file = FileBytes::open(path);
  if (!file) {
    if (file.error() == ENOENT) return std::nullopt;  // gone since it was listed
    printer.fault({path, 0, "to be read", log::errno_text(file.error())});
    return std::nullopt;
  }
  if (file->size() > largest_small_file) {
    printer.fault({path, 0, "at most 64 MiB", std::to_string(file->size()) + " bytes"});
    return std::nullopt;
  }
  const Bytes bytes = file->at(0, static_cast<std::size_t>(file->size()));
  if (file->error() != 0) {
    printer.fault({path, static_cast<std::int64_t>(bytes.size()), "to be read", log::errno_text(file->error())});
    return std::nullopt;
  }
  return Buffer(bytes.begin(), bytes.end());
}

void inspect_meta_properties(Printer& printer, const std::string& path) {
  inspect_text(printer, path, "meta.properties", log::parse_meta_properties, [](Facts& facts, const log::MetaProperties& meta) {
    facts.add("version", meta.version).add("cluster_id", meta.cluster_id);
    facts.add("node_id", meta.node_id ? std::optional(meta.node_id->value) : std::nullopt);
    facts.add("directory_id", meta.directory_id ? std::optional(meta.directory_id->to_string()) : std::nullopt);
  });
}

void inspect_quorum_state(Printer& printer, const std::string& path) {
  inspect_text(printer, path, "quorum state", log::parse_quorum_state, [](Facts& facts, const core::QuorumState& state) {
    facts.add("data_version", state.kraft_version).add("leader", state.leader.value).add("epoch", state.epoch.value);
    facts.add("voted", state.voted.value);
    if (state.kraft_version == 0)
      facts.add_json("voters", list_of(state.voters, [](Json& json, NodeId voter) { json.value(voter.value); }));
    else
      facts.add("voted_directory", state.voted_directory.to_string());
  });
}

std::vector<core::EpochStart> inspect_epoch_checkpoint(Printer& printer, const std::string& path) {
  std::vector<core::EpochStart> epochs;
  inspect_text(printer, path, "epochs", log::parse_epoch_checkpoint, [&](Facts& facts, const std::vector<core::EpochStart>& found) {
    epochs = found;
    facts.add_json("epochs", list_of(found, [](Json& json, const core::EpochStart& entry) {
      json.begin_object().key("epoch").value(entry.epoch.value).key("start").value(entry.start.value).end_object();
    }));
  });
  return epochs;
}

void inspect_partition_metadata(Printer& printer, const std::string& path) {
  inspect_text(printer, path, "topic id", log::parse_partition_metadata,
               [](Facts& facts, const TopicId& topic) { facts.add("topic_id", topic.to_string()); });
}

void inspect_producer_snapshot(Printer& printer, const std::string& path) {
  printer.begin_file(path, "producer snapshot");
  Facts facts;
  if (const auto content = read_whole(printer, path)) {
    Reader reader{Bytes(*content)};
    const std::int16_t version = reader.read_i16();
    const std::uint32_t crc = reader.read_u32();
    const Bytes covered = reader.rest();
    const std::int32_t producers = reader.read_i32();
    if (!reader.ok()) printer.fault({path, 0, "10 bytes or more", std::to_string(content->size()) + " bytes"});
    else if (version != 1) printer.fault({path, 0, "version 1", "version " + std::to_string(version)});
    else if (crc != crc32c(covered)) printer.fault({path, 2, "checksum " + std::to_string(crc32c(covered)), std::to_string(crc)});
    else facts.add("producers", producers);
  }
  printer.end_file(facts);
}

bool is_locked(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  struct flock lock {};
  lock.l_type = F_RDLCK;  // asked about, never taken
  lock.l_whence = SEEK_SET;
  const bool held = ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(fd);
  return held;
}

void inspect_lock(Printer& printer, const std::string& path) {
  printer.begin_file(path, "lock");
  printer.end_file(Facts().add("held", is_locked(path)));
}

std::optional<log::FlushMark> read_flush_mark(const std::string& path) {
  auto file = FileBytes::open(path);
  return file ? log::decode_flush_mark(file->at(0, log::flush_mark_file_bytes)) : std::nullopt;
}

void inspect_flush_mark(Printer& printer, const std::string& path, const std::optional<log::FlushMark>& mark, std::string_view fit) {
  printer.begin_file(path, "flush mark");
  Facts facts;
  if (mark) {
    facts.add("end", mark->end.value).add("epoch", mark->epoch.value).add("sequence", mark->sequence);
    facts.add("segment_base", mark->segment_base.value).add("position", mark->position);
    if (!fit.empty()) facts.add("fit", fit);
  } else {
    printer.fault({path, 0, "at least one intact slot", "none"});
  }
  printer.end_file(facts);
}

}  // namespace hayward::tools
