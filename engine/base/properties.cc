#include "engine/base/properties.h"

namespace hayward {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\f'; }

// Joins a logical line's physical lines: an odd number of backslashes at the end continues it.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  int number() const { return first_; }

  // False at the end of the text. Leading white space and whole-line comments are skipped.
  bool next(std::string& line) {
    while (!rest_.empty()) {
      std::string_view natural = natural_line();
      first_ = number_;
      trim_left(natural);
      if (natural.empty() || natural[0] == '#' || natural[0] == '!') continue;
      line.assign(natural);
      while (continued(line)) {
        line.pop_back();
        if (rest_.empty()) break;
        std::string_view more = natural_line();
        trim_left(more);
        line.append(more);
      }
      return true;
    }
    return false;
  }

 private:
  static void trim_left(std::string_view& s) {
    while (!s.empty() && is_space(s[0])) s.remove_prefix(1);
  }
  static bool continued(const std::string& line) {
    const auto last = line.find_last_not_of('\\');
    const auto slashes = line.size() - (last == std::string::npos ? 0 : last + 1);
    return slashes % 2 == 1;
  }
  std::string_view natural_line() {
    ++number_;
    const auto end = rest_.find_first_of("\r\n");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    if (rest_.starts_with("\r\n")) rest_.remove_prefix(2);
    else if (!rest_.empty()) rest_.remove_prefix(1);
    return line;
  }

  std::string_view rest_;
  int number_ = 0;
  int first_ = 0;
};

void append_utf8(std::string& to, unsigned code) {
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xC0 | (code >> 6));
    to += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    to += static_cast<char>(0xE0 | (code >> 12));
    to += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    to += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool unescape_unicode(std::string_view hex, std::string& to) {
  if (hex.size() < 4) return false;
  unsigned code = 0;
  for (const char c : hex.substr(0, 4)) {
    const std::string_view digits = "0123456789abcdef";
    const auto digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit == std::string_view::npos) return false;
    code = code * 16 + static_cast<unsigned>(digit);
  }
  append_utf8(to, code);
  return true;
}

bool unescape(std::string_view raw, std::string& to) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      if (raw[i] != '\\') to += raw[i];
      continue;
    }
    switch (const char c = raw[++i]) {
      case 't': to += '\t'; break;
      case 'n': to += '\n'; break;
      case 'r': to += '\r'; break;
      case 'f': to += '\f'; break;
      case 'u':
        if (!unescape_unicode(raw.substr(i + 1), to)) return false;
        i += 4;
        break;
      default: to += c;
    }
  }
  return true;
}

// Where the key ends: the first separator that no backslash precedes.
std::size_t key_length(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size() && line[i] != '=' && line[i] != ':' && !is_space(line[i])) i += line[i] == '\\' ? 2 : 1;
  return i < line.size() ? i : line.size();
}

std::size_t value_start(std::string_view line, std::size_t i) {
  while (i < line.size() && is_space(line[i])) ++i;
  if (i < line.size() && (line[i] == '=' || line[i] == ':')) ++i;
  while (i < line.size() && is_space(line[i])) ++i;
  return i;
}

}  // namespace

std::expected<Properties, PropertiesError> parse_properties(std::string_view text) {
  Properties properties;
  Lines lines(text);
  std::string line;
  while (lines.next(line)) {
    const std::size_t length = key_length(line);
    std::string key, value;
    if (!unescape(std::string_view(line).substr(0, length), key) ||
        !unescape(std::string_view(line).substr(value_start(line, length)), value)) {
      return std::unexpected(PropertiesError{lines.number(), "malformed \\u escape: expected four hexadecimal digits"});
    }
    properties[std::move(key)] = std::move(value);
  }
  return properties;
}

}  // namespace hayward
