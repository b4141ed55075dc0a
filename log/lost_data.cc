#include "log/lost_data.h"

#include <charconv>

namespace hayward::log {
namespace {

constexpr std::string_view head = "refetch to offset ";

}  // namespace

std::string render_lost_data(Offset end) { return std::string(head) + std::to_string(end.value) + "\n"; }

Result<Offset> parse_lost_data(std::string_view text, const std::string& path) {
  Offset end{0};
  if (text.starts_with(head) && text.ends_with('\n')) {
    const std::string_view number = text.substr(head.size(), text.size() - head.size() - 1);
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), end.value);
    if (error == std::errc{} && rest == number.data() + number.size() && end.value > 0) return end;
  }
  return std::unexpected(LogError{LogError::Kind::damaged, path, "\"" + std::string(head) + "N\"", "something else",
                                  "format the directory anew; or remove the file, if what this node lost may be lost for all"});
}

}  // namespace hayward::log
