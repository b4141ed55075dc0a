#include "schemas/generator/cpp.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace hayward::generator {
namespace {

std::string literal(const Field& f) {
  const std::string number = std::to_string(f.fallback.integer);
  if (f.kind == Kind::boolean) return f.fallback.integer ? "true" : "false";
  if (f.lift == "ErrorCode") return f.fallback.integer ? "static_cast<ErrorCode>(" + number + ")" : "ErrorCode::none";
  return f.lift.empty() ? number : f.lift + "{" + number + "}";
}

bool optional_in_cpp(const Field& f) { return !f.is_array && (!f.nullable.empty() || f.kind == Kind::records); }

std::size_t min_size_at(const Table& table, const Struct& s, int version);

std::size_t min_size_at(const Table& table, const Field& f, int version, bool as_element) {
  const bool compact = table.flexible.contains(version) && !f.never_compact;
  if (f.is_array && !as_element) return compact ? 1 : 4;
  switch (f.kind) {
    case Kind::boolean:
    case Kind::int8:
      return 1;
    case Kind::int16:
    case Kind::uint16:
      return 2;
    case Kind::int32:
      return 4;
    case Kind::int64:
    case Kind::float64:
      return 8;
    case Kind::uuid:
      return 16;
    case Kind::string:
      return compact ? 1 : 2;
    case Kind::bytes:
    case Kind::records:
      return compact ? 1 : 4;
    case Kind::structure:
      return min_size_at(table, table.find(f.struct_name), version);
  }
  std::unreachable();
}

std::size_t min_size_at(const Table& table, const Struct& s, int version) {
  std::size_t size = table.flexible.contains(version) ? 1 : 0;  // the count of tagged fields
  for (const Field& f : s.fields) {
    if (f.versions.contains(version) && !f.tag) size += min_size_at(table, f, version, false);
  }
  return size;
}

// The positive test and its negation.
std::pair<std::string, std::string> default_tests(const Table& table, const Field& f) {
  const std::string x = "x." + f.member;
  if (f.is_array) {
    if (f.fallback.is_null) return {x + ".is_null()", "!" + x + ".is_null()"};
    if (f.nullable.empty()) return {x + ".empty()", "!" + x + ".empty()"};
    return {"(!" + x + ".is_null() && " + x + ".empty())", "(" + x + ".is_null() || !" + x + ".empty())"};
  }
  if (f.kind == Kind::records || (optional_in_cpp(f) && f.fallback.is_null)) {
    return {"!" + x, x};
  }
  if (optional_in_cpp(f)) return {"(" + x + " && " + x + "->empty())", "(!" + x + " || !" + x + "->empty())"};
  switch (f.kind) {
    case Kind::boolean:
      return f.fallback.integer ? std::pair{x, "!" + x} : std::pair{"!" + x, x};
    case Kind::string:
    case Kind::bytes:
      return {x + ".empty()", "!" + x + ".empty()"};
    case Kind::uuid:
      return {x + ".is_zero()", "!" + x + ".is_zero()"};
    case Kind::structure: {
      const std::string blank = qualified(table, f.struct_name) + "{}";
      return {x + " == " + blank, x + " != " + blank};
    }
    default:
      return {x + " == " + literal(f), x + " != " + literal(f)};
  }
}

}  // namespace

bool Code::mentions(std::string_view word) const {
  const auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text_.find(word); at != std::string::npos; at = text_.find(word, at + 1)) {
    const char before = at > 0 ? text_[at - 1] : ' ';
    const char after = at + word.size() < text_.size() ? text_[at + word.size()] : ' ';
    if (!joins(before) && before != '.' && !joins(after)) return true;
  }
  return false;
}

std::string qualified(const Table& table, const std::string& struct_name) {
  return struct_name == table.name ? table.name : table.name + "::" + struct_name;
}

std::string element_type(const Field& f) {
  if (!f.lift.empty()) return f.lift;
  switch (f.kind) {
    case Kind::boolean:
      return "bool";
    case Kind::int8:
      return "std::int8_t";
    case Kind::int16:
      return "std::int16_t";
    case Kind::uint16:
      return "std::uint16_t";
    case Kind::int32:
      return "std::int32_t";
    case Kind::int64:
      return "std::int64_t";
    case Kind::float64:
      return "double";
    case Kind::uuid:
      return "Uuid";
    case Kind::string:
      return "std::string_view";
    case Kind::bytes:
    case Kind::records:
      return "Bytes";
    case Kind::structure:
      return f.struct_name;
  }
  std::unreachable();
}

std::string member_type(const Field& f) {
  if (f.is_array) return "Array<" + element_type(f) + ">";
  if (optional_in_cpp(f)) return "std::optional<" + element_type(f) + ">";
  return element_type(f);
}

std::string initializer(const Field& f) {
  if (f.is_array) return f.fallback.is_null ? " = " + member_type(f) + "::null()" : "{}";
  if (!f.fallback.text.empty()) give_up(f.name + ": a default text other than the empty one");
  if (optional_in_cpp(f)) {
    if (f.fallback.is_null || f.kind == Kind::records) return "{}";
    return f.kind == Kind::string ? " = std::string_view{}" : " = Bytes{}";
  }
  switch (f.kind) {
    case Kind::uuid:
    case Kind::string:
    case Kind::bytes:
    case Kind::structure:
      return "{}";
    default:
      break;
  }
  if (!f.lift.empty() && f.lift != "ErrorCode") {
    return "{" + (f.fallback.integer ? std::to_string(f.fallback.integer) : "") + "}";
  }
  return " = " + literal(f);
}

std::string is_default(const Table& table, const Field& f) { return default_tests(table, f).first; }
std::string is_not_default(const Table& table, const Field& f) { return default_tests(table, f).second; }

std::string condition(VersionRange range, VersionRange context) {
  const VersionRange both = range.meet(context);
  if (both.empty()) return "false";
  const bool low = both.first > context.first;
  const bool high = both.last < context.last;
  if (low && high && both.first == both.last) return "version == " + std::to_string(both.first);
  if (low && high) return "version >= " + std::to_string(both.first) + " && version <= " + std::to_string(both.last);
  if (low) return "version >= " + std::to_string(both.first);
  if (high) return "version <= " + std::to_string(both.last);
  return "";
}

std::string expression(VersionRange range, VersionRange context) {
  const std::string text = condition(range, context);
  return text.empty() ? "true" : text;
}

std::string min_size(const Table& table, const Field& f, VersionRange context) {
  std::string text;
  std::size_t before = 0;
  for (int version = context.first; version <= context.last; ++version) {
    const std::size_t size = std::max<std::size_t>(1, min_size_at(table, f, version, true));
    const std::string number = std::to_string(size) + "u";
    if (version == context.first)
      text = number;
    else if (size != before)
      text = "version >= " + std::to_string(version) + " ? " + number + " : " + text;
    before = size;
  }
  return text;
}

bool holds_bytes(const Struct& s) {
  return std::ranges::any_of(s.fields, [](const Field& f) { return f.kind == Kind::bytes || f.kind == Kind::records; });
}

}  // namespace hayward::generator
