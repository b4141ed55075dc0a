// The source file of one table, put together from its parts.
#include "schemas/generator/cpp.h"
#include "schemas/generator/emit.h"
#include "schemas/generator/naming.h"

namespace hayward::generator {
namespace {

void emit_equality(Code& code, const Table& table, const Struct& s) {
  const std::string name = qualified(table, s.name);
  code.line("bool operator==(const " + name + "& a, const " + name + "& b) {");
  std::string terms;
  for (const Field& f : s.fields) {
    const bool bytes = f.kind == Kind::bytes || f.kind == Kind::records;
    if (bytes && f.is_array) give_up(table.name + "." + f.name + ": arrays of bytes are not supported");
    if (!terms.empty()) terms += " &&\n         ";
    const std::string pair = "a." + f.member + (bytes ? ", " : " == ") + "b." + f.member;
    terms += bytes ? "same_bytes(" + pair + ")" : pair;
  }
  code.line("  return " + terms + ";");
  code.line("}");
  code.line();
}

}  // namespace

std::string emit_source(const Table& table, const Target& target) {
  const std::string range =
      std::to_string(table.versions.first) + " && version <= " + std::to_string(table.versions.last);
  Code head;
  head.line("// " + table.name + ", generated from schemas/" + target.kind + " by schemas/generator.");
  head.line("#include \"schemas/" + target.kind + "/" + snake_case(table.name) + ".h\"");
  head.line();
  head.line("namespace hayward::" + target.kind + " {");
  head.line("namespace {");
  head.line();
  Code tail;
  tail.line();
  for (const Struct& s : table.structs) {
    if (holds_bytes(s)) emit_equality(tail, table, s);
  }
  tail.open("bool decode(Reader& reader, std::int16_t version, Arena& arena, " + table.name + "& out) {");
  tail.line("out = " + table.name + "{};");
  tail.line("if (version < " + std::to_string(table.versions.first) + " || version > " +
            std::to_string(table.versions.last) + ") return false;");
  tail.line("read_struct(reader, version, arena, out);");
  tail.line("return reader.ok();");
  tail.close();
  tail.line();
  tail.open("std::size_t encoded_size(const " + table.name + "& message, std::int16_t version) {");
  tail.line("SizeCounter counter;");
  tail.line("write_struct(counter, message, version);");
  tail.line("return counter.size();");
  tail.close();
  tail.line();
  tail.open("void encode(Writer& writer, const " + table.name + "& message, std::int16_t version) {");
  tail.line("HAYWARD_ASSERT(version >= " + range + ", \"" + table.name + " has no such version\");");
  tail.line("write_struct(writer, message, version);");
  tail.close();
  tail.line();
  tail.line("}  // namespace hayward::" + target.kind);
  return head.text() + emit_decode(table) + emit_encode(table) + emit_representable(table) + tail.text();
}

}  // namespace hayward::generator
