#include "tools/inspect/record_line.h"

#include <algorithm>

#include "schemas/batch/control.h"
#include "schemas/records/frame.h"
#include "tools/inspect/selection.h"
#include "tools/record_json/base64.h"
#include "tools/record_json/record_json.h"

namespace hayward::tools {
namespace {

constexpr std::string_view control_names[] = {"LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS"};
constexpr std::int16_t first_control_type = static_cast<std::int16_t>(ControlType::leader_change);

DecodedRecord undecoded(RecordLine line, Bytes value, std::string_view fault) {
  line.decoded = false;
  line.data = Json().value(base64(value)).take();
  return {std::move(line), std::string(fault)};
}

DecodedRecord decode_control_line(RecordLine line, const BatchRecord& record, Arena& arena) {
  if (record.key && record.key->size() >= 4) {
    const std::int16_t type = Reader(record.key->subspan(2)).read_i16();
    const std::string_view name = control_type_name(type);
    line.type = name.empty() ? "unknown control type " + std::to_string(type) : std::string(name);
  }
  const auto control = decode_control(record, arena);
  if (!control) return undecoded(std::move(line), record.value.value_or(Bytes{}), name(control.error()));
  Json json;
  std::visit(
      [&](const auto& message) {
        using Message = std::decay_t<decltype(message)>;
        line.version = std::clamp(message.version, Message::min_version, Message::max_version);
        write_json(json, message, static_cast<std::int16_t>(line.version));
      },
      *control);
  line.data = json.take();
  return {std::move(line), std::nullopt};
}

// Type and version even of a frame that cannot be parsed further.
void name_unknown(Bytes value, RecordLine& line) {
  Reader reader(value);
  reader.read_uvarint();
  const std::uint32_t type = reader.read_uvarint();
  const std::uint32_t version = reader.read_uvarint();
  if (!reader.ok()) return;
  const auto* info = type <= INT16_MAX ? records::find_record_type(static_cast<std::int32_t>(type)) : nullptr;
  line.type = info ? std::string(info->name) + "Record" : "unknown record type " + std::to_string(type);
  if (version <= INT16_MAX) line.version = static_cast<std::int32_t>(version);
}

DecodedRecord decode_metadata_line(RecordLine line, const BatchRecord& record, Arena& arena) {
  const Bytes value = record.value.value_or(Bytes{});
  name_unknown(value, line);
  const auto frame = records::parse_frame(value);
  if (!frame) return undecoded(std::move(line), value, name(frame.error()));
  Json json;
  const auto written = write_json(json, *frame, arena);
  if (!written) return undecoded(std::move(line), value, name(written.error()));
  line.data = json.take();
  return {std::move(line), std::nullopt};
}

}  // namespace

std::string_view control_type_name(std::int16_t type) {
  const int index = type - first_control_type;
  return index >= 0 && index < static_cast<int>(std::size(control_names)) ? control_names[index] : std::string_view();
}

DecodedRecord decode_record(const BatchRecord& record, bool control, Arena& arena) {
  arena.reset();
  RecordLine line{record.offset, "unknown", -1, {}, true};
  return control ? decode_control_line(std::move(line), record, arena) : decode_metadata_line(std::move(line), record, arena);
}

std::string type_key(std::string_view name) {
  std::string key;
  for (const char c : name)
    if (c != '_') key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (key.ends_with("record")) key.resize(key.size() - 6);
  return key;
}

bool is_known_type(std::string_view key) {
  const auto is = [&](std::string_view name) { return type_key(name) == key; };
  return std::ranges::any_of(control_names, is) || std::ranges::any_of(records::record_types, is, &records::RecordInfo::name);
}

}  // namespace hayward::tools
