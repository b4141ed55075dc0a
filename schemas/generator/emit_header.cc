// The header of one table: structs with the schema's defaults, and the three functions.
#include "schemas/generator/cpp.h"
#include "schemas/generator/emit.h"

namespace hayward::generator {
namespace {

void emit_struct(Code& code, const Struct& s, const std::string& name) {
  code.open("struct " + name + " {");
  for (const Field& f : s.fields) code.line(member_type(f) + " " + f.member + initializer(f) + ";");
  if (!s.fields.empty()) code.line();
  code.line("friend bool operator==(const " + name + "&, const " + name + "&)" +
            (holds_bytes(s) ? ";" : " = default;"));
  code.close("};");
}

}  // namespace

std::string emit_header(const Table& table, const Target& target) {
  Code code;
  code.line("// " + table.name + ", generated from schemas/" + target.kind + " by schemas/generator.");
  code.line("#pragma once");
  code.line();
  code.line("#include <cstdint>");
  code.line("#include <optional>");
  code.line("#include <string_view>");
  code.line();
  code.line("#include \"schemas/runtime/codec.h\"");
  code.line();
  code.line("namespace hayward::" + target.kind + " {");
  code.line();
  code.open("struct " + table.name + " {");
  const auto constant = [&](const std::string& name, int value) {
    code.line("static constexpr std::int16_t " + name + " = " + std::to_string(value) + ";");
  };
  if (table.key) constant("api_key", *table.key);
  constant("min_version", table.versions.first);
  constant("max_version", table.versions.last);
  constant("first_flexible_version", table.flexible.empty() ? open_end : table.flexible.first);
  code.line();
  for (const Struct& s : table.structs) {
    if (&s == &table.root()) continue;
    emit_struct(code, s, s.name);
    code.line();
  }
  for (const Field& f : table.root().fields) code.line(member_type(f) + " " + f.member + initializer(f) + ";");
  if (!table.root().fields.empty()) code.line();
  code.line("friend bool operator==(const " + table.name + "&, const " + table.name + "&)" +
            (holds_bytes(table.root()) ? ";" : " = default;"));
  code.close("};");
  code.line();
  code.line("// False: malformed, or a version outside [min_version, max_version]. Strings and bytes are views of the");
  code.line("// input, arrays live in the arena; bytes after the message are left to the caller.");
  code.line("bool decode(Reader& reader, std::int16_t version, Arena& arena, " + table.name + "& out);");
  code.line("// Fields that `version` lacks are left out of size and encoding.");
  code.line("std::size_t encoded_size(const " + table.name + "& message, std::int16_t version);");
  code.line("void encode(Writer& writer, const " + table.name + "& message, std::int16_t version);");
  code.line("// Whether `version` can carry everything that is set (ignorable fields aside).");
  code.line("bool representable(const " + table.name + "& message, std::int16_t version);");
  code.line();
  code.line("}  // namespace hayward::" + target.kind);
  return code.text();
}

}  // namespace hayward::generator
