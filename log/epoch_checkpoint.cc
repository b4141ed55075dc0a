#include "log/epoch_checkpoint.h"

#include <charconv>
#include <optional>
#include <utility>

namespace hayward::log {
namespace {

std::unexpected<LogError> fault(const std::string& path, std::string expected, std::string_view found,
                                LogError::Kind kind = LogError::Kind::format) {
  return std::unexpected(LogError{kind, path, std::move(expected), "\"" + std::string(found) + "\"",
                                  "delete the file: it is rebuilt from the log"});
}

// Takes the next line off `text`; nullopt at the end.
std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<core::EpochStart> parse_entry(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto epoch = parse_number<std::int32_t>(line.substr(0, space));
  const auto start = parse_number<std::int64_t>(line.substr(space + 1));
  if (!epoch || !start || *epoch < 0 || *start < 0) return std::nullopt;
  return core::EpochStart{Epoch{*epoch}, Offset{*start}};
}

}  // namespace

Result<std::vector<core::EpochStart>> parse_epoch_checkpoint(std::string_view text, const std::string& path) {
  std::vector<core::EpochStart> epochs;
  const auto version = next_line(text);
  if (!version) return epochs;
  if (*version != "0") return fault(path, "version 0 in the first line", *version, LogError::Kind::version);
  const auto count_line = next_line(text);
  if (!count_line) return epochs;
  const auto count = parse_number<std::int64_t>(*count_line);
  if (!count || *count < 0) return fault(path, "the number of entries in the second line", *count_line);
  while (const auto line = next_line(text)) {
    const auto entry = parse_entry(*line);
    if (!entry) return fault(path, "a line \"EPOCH OFFSET\"", *line);
    if (!epochs.empty() && (entry->epoch <= epochs.back().epoch || entry->start < epochs.back().start))
      return fault(path, "epochs and offsets to rise", *line);
    epochs.push_back(*entry);
  }
  if (static_cast<std::int64_t>(epochs.size()) != *count)
    return fault(path, std::to_string(*count) + " entries", std::to_string(epochs.size()));
  return epochs;
}

std::string render_epoch_checkpoint(const std::vector<core::EpochStart>& epochs) {
  std::string text = "0\n" + std::to_string(epochs.size()) + "\n";
  for (const auto& entry : epochs)
    text += std::to_string(entry.epoch.value) + " " + std::to_string(entry.start.value) + "\n";
  return text;
}

Result<TopicId> parse_partition_metadata(std::string_view text, const std::string& path) {
  constexpr std::string_view prefix = "topic_id: ";
  const auto version = next_line(text);
  if (version != "version: 0")
    return fault(path, "\"version: 0\" in the first line", version.value_or(""), LogError::Kind::version);
  const auto line = next_line(text);
  if (!line || !line->starts_with(prefix)) return fault(path, "a line \"topic_id: ...\"", line.value_or(""));
  const auto uuid = Uuid::parse(line->substr(prefix.size()));
  if (!uuid) return fault(path, "a uuid of 22 base64url characters", *line);
  return TopicId{*uuid};
}

std::string render_partition_metadata(TopicId topic) {
  return "version: 0\ntopic_id: " + topic.to_string();
}

}  // namespace hayward::log
