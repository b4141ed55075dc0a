// See options.h.
#include "tools/load/options.h"

#include <algorithm>
#include <optional>

namespace hayward::tools {
namespace {

constexpr std::string_view names[] = {"register", "unfence", "steady", "create", "alter-partition", "kill", "return"};

std::optional<Part> part_named(std::string_view text) {
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == text) return static_cast<Part>(i);
  }
  return std::nullopt;
}

// Empty: the order is one that can be run.
std::string wrong_order(const std::vector<Part>& parts) {
  bool dead = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if ((parts[i] == Part::register_) != (i == 0)) return "register is the first one, and only that";
    if (parts.size() > 1 && (parts[i] == Part::unfence) != (i == 1)) return "unfence is the second one, and only that";
    if (parts[i] == Part::kill && dead) return "return comes before the next kill";
    if (parts[i] == Part::return_ && !dead) return "return comes after a kill";
    if (parts[i] == Part::kill) dead = true;
    if (parts[i] == Part::return_) dead = false;
  }
  return {};
}

}  // namespace

std::string_view name(Part part) { return names[static_cast<std::size_t>(part)]; }

std::expected<std::vector<Part>, std::string> parse_parts(std::string_view text) {
  std::vector<Part> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto part = part_named(word);
    if (!part) {
      return std::unexpected("no such phase: \"" + std::string(word) +
                             "\"; expected some of register, unfence, steady, create, alter-partition, kill, return");
    }
    parts.push_back(*part);
    at = end + 1;
  }
  if (std::string wrong = wrong_order(parts); !wrong.empty()) return std::unexpected(std::move(wrong));
  return parts;
}

}  // namespace hayward::tools
