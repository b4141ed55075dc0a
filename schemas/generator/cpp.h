// How a field looks in C++: its type, initialiser, tests for default and null, and the conditions on
// `version` that guard it. Shared by the emitters.
// Owner: schemas/generator (build time only).
#pragma once

#include <string>

#include "schemas/generator/table.h"

namespace hayward::generator {

// Text of generated code, line by line, indented by block.
class Code {
 public:
  void line(const std::string& text = {}) { text_ += text.empty() ? "\n" : std::string(depth_ * 2, ' ') + text + "\n"; }
  void open(const std::string& text) {
    line(text);
    ++depth_;
  }
  void close(const std::string& text = "}") {
    --depth_;
    line(text);
  }
  void dedent() { --depth_; }
  void add(const Code& block) { text_ += block.text_; }
  // Whether `word` occurs as an identifier, not as a member or a part of a longer one.
  bool mentions(std::string_view word) const;
  explicit Code(std::size_t depth = 0) : depth_(depth) {}
  const std::string& text() const { return text_; }

 private:
  std::size_t depth_;
  std::string text_;
};

// "Table" or "Table::Struct".
std::string qualified(const Table& table, const std::string& struct_name);

std::string element_type(const Field& field);  // as written inside the message's struct
std::string member_type(const Field& field);
std::string initializer(const Field& field);  // " = 5", "{-1}" or "{}"; never empty, for designated use

// True when `x.member` holds the default.
std::string is_default(const Table& table, const Field& field);
std::string is_not_default(const Table& table, const Field& field);

// A condition on `version` for being in `range`, given that it is in `context`: empty for always.
std::string condition(VersionRange range, VersionRange context);
// The same as a boolean expression: "true", "false" or a condition.
std::string expression(VersionRange range, VersionRange context);

// The smallest encoded size of an element, as an expression of `version` over `context`; at least 1.
std::string min_size(const Table& table, const Field& field, VersionRange context);

// Whether `==` needs writing out (std::span has none).
bool holds_bytes(const Struct& s);

}  // namespace hayward::generator
