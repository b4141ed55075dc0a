// Reads the text form of Java properties (java.util.Properties.load): '#' and '!' comments, '=', ':'
// or white space after the key, backslash escapes and continued lines, \uXXXX (to UTF-8). Used for
// server.properties and meta.properties.
// Owner: engine/base. Start-up.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

namespace hayward {

struct PropertiesError {
  int line = 0;      // 1 is the first
  std::string what;
};

// A key given twice keeps its last value, as in Java. The one fault is a malformed \u escape.
using Properties = std::map<std::string, std::string>;
std::expected<Properties, PropertiesError> parse_properties(std::string_view text);

}  // namespace hayward
