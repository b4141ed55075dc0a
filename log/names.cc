#include "log/names.h"

#include <charconv>

namespace hayward::log {
namespace {

constexpr std::size_t offset_digits = 20;
constexpr std::size_t epoch_digits = 10;

std::string padded(std::int64_t value, std::size_t width) {
  std::string digits = std::to_string(value);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

template <class T>
std::optional<T> parse_digits(std::string_view text) {
  T value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || value < 0 || text.front() == '-') return std::nullopt;
  return value;
}

}  // namespace

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  return path.append(name);
}

std::string segment_file_name(Offset base, std::string_view suffix) {
  return padded(base.value, offset_digits).append(suffix);
}

std::string snapshot_file_name(core::SnapshotId id) {
  return padded(id.end.value, offset_digits) + '-' + padded(id.epoch.value, epoch_digits) +
         std::string(checkpoint_suffix);
}

std::optional<Offset> parse_segment_file_name(std::string_view name, std::string_view suffix) {
  if (name.size() != offset_digits + suffix.size() || !name.ends_with(suffix)) return std::nullopt;
  const auto base = parse_digits<std::int64_t>(name.substr(0, offset_digits));
  return base ? std::optional(Offset{*base}) : std::nullopt;
}

std::optional<core::SnapshotId> parse_snapshot_file_name(std::string_view name) {
  constexpr std::size_t digits = offset_digits + 1 + epoch_digits;
  if (name.size() != digits + checkpoint_suffix.size() || !name.ends_with(checkpoint_suffix)) return std::nullopt;
  if (name[offset_digits] != '-') return std::nullopt;
  const auto end = parse_digits<std::int64_t>(name.substr(0, offset_digits));
  const auto epoch = parse_digits<std::int32_t>(name.substr(offset_digits + 1, epoch_digits));
  if (!end || !epoch) return std::nullopt;
  return core::SnapshotId{Offset{*end}, Epoch{*epoch}};
}

}  // namespace hayward::log
