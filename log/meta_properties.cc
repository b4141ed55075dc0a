#include "log/meta_properties.h"

#include <charconv>
#include <utility>

#include "engine/base/properties.h"

namespace hayward::log {
namespace {

constexpr std::string_view advice = "restore the file from a backup or format the directory anew";

std::unexpected<LogError> fault(const std::string& path, std::string expected, std::string found,
                                LogError::Kind kind = LogError::Kind::format) {
  return std::unexpected(LogError{kind, path, std::move(expected), std::move(found), std::string(advice)});
}

std::optional<std::string> find(const Properties& properties, const std::string& key) {
  const auto at = properties.find(key);
  return at == properties.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::int32_t> parse_int(std::string_view text) {
  std::int32_t value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Java's Properties.store escapes these in values too.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (c == '\f') out += "\\f";
    else if (c == '\\' || c == '=' || c == ':' || c == '#' || c == '!' || (c == ' ' && out.empty())) (out += '\\') += c;
    else out += c;
  }
  return out;
}

}  // namespace

Result<MetaProperties> parse_meta_properties(std::string_view text, const std::string& path) {
  const auto properties = parse_properties(text);
  if (!properties)
    return fault(path, "Java properties", properties.error().what + " in line " + std::to_string(properties.error().line));
  MetaProperties meta;
  const std::string version = find(*properties, "version").value_or("0");
  if (version != "0" && version != "1")
    return fault(path, "version=0 or version=1", "version=" + version, LogError::Kind::version);
  meta.version = version == "1" ? 1 : 0;
  meta.cluster_id = find(*properties, "cluster.id");
  const std::string id_key = meta.version == 1 ? "node.id" : "broker.id";
  if (const auto id = find(*properties, id_key)) {
    const auto number = parse_int(*id);
    if (!number) return fault(path, id_key + " to be a number", "\"" + *id + "\"");
    meta.node_id = NodeId{*number};
  }
  if (meta.version == 1 && !meta.cluster_id) return fault(path, "a line cluster.id=...", "none");
  if (meta.version == 1 && !meta.node_id) return fault(path, "a line node.id=...", "none");
  if (const auto id = find(*properties, "directory.id")) {
    const auto uuid = Uuid::parse(*id);
    if (!uuid) return fault(path, "directory.id to be a uuid of 22 base64url characters", "\"" + *id + "\"");
    if (is_reserved(DirectoryId{*uuid})) return fault(path, "directory.id not to be a reserved one", *id);
    meta.directory_id = DirectoryId{*uuid};
  }
  return meta;
}

std::string render_meta_properties(const MetaProperties& meta) {
  std::string text = "#\n";
  const auto line = [&text](std::string_view key, std::string_view value) {
    text.append(key).append("=").append(escaped(value)).append("\n");
  };
  if (meta.node_id) line(meta.version == 1 ? "node.id" : "broker.id", std::to_string(meta.node_id->value));
  if (meta.directory_id) line("directory.id", meta.directory_id->to_string());
  line("version", std::to_string(meta.version));
  if (meta.cluster_id) line("cluster.id", *meta.cluster_id);
  return text;
}

}  // namespace hayward::log
