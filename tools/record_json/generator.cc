// record_json_generator LIFT OUT TABLE.json...
// Writes OUT/tools/record_json/record_json.{h,cc}: a write_json() for every record table, with Kafka's field
// names and conventions (a tagged field at its default is left out, as on the wire), and one that decodes a
// framed metadata record and writes it. A program of its own, so that `inspect` costs the schemas nothing.
// Owner: tools/record_json (build time only).
#include <cctype>
#include <filesystem>

#include "schemas/generator/cpp.h"
#include "schemas/generator/naming.h"
#include "schemas/generator/save.h"
#include "schemas/generator/table.h"

namespace {

using namespace hayward::generator;

// "BrokerId" -> "brokerId"
std::string json_name(std::string name) {
  name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

std::string include_of(const Table& t) { return "#include \"schemas/records/" + snake_case(t.name) + ".h\""; }
std::string signature(const Table& t) {
  return "void write_json(Json& json, const records::" + t.name + "& record, std::int16_t version)";
}

// The statements that write one field of `x`.
void emit_field(Code& code, const Table& table, const Field& f, VersionRange context) {
  std::string guard = condition(f.versions, context);
  if (guard == "false") return;
  if (f.tag) guard += (guard.empty() ? "" : " && ") + is_not_default(table, f);
  if (!guard.empty()) code.open("if (" + guard + ") {");
  const std::string x = "x." + f.member;
  code.line("json.key(\"" + json_name(f.name) + "\");");
  const std::string item = f.kind == Kind::structure ? "write(json, item, version);" : "put(json, item);";
  if (f.is_array) {
    code.line("put_array(json, " + x + ", [&](const auto& item) { " + item + " });");
  } else {
    code.line(f.kind == Kind::structure ? "write(json, " + x + ", version);" : "put(json, " + x + ");");
  }
  if (!guard.empty()) code.close();
}

void emit_struct(Code& code, const Table& table, const Struct& s) {
  Code body(1);
  for (const Field& f : s.fields) emit_field(body, table, f, s.context);
  const std::string x = body.mentions("x") ? "& x" : "&";
  code.line("void write(Json& json, const " + qualified(table, s.name) + x + ", [[maybe_unused]] std::int16_t version) {");
  code.line("  json.begin_object();");
  code.add(body);
  code.line("  json.end_object();");
  code.line("}");
  code.line();
}

std::string emit_header(const std::vector<Table>& tables) {
  Code code;
  code.line("// Records as JSON, generated from schemas/records by tools/record_json.");
  code.line("#pragma once");
  code.line();
  for (const Table& t : tables) code.line(include_of(t));
  code.line("#include \"schemas/records/frame.h\"");
  code.line("#include \"tools/json.h\"");
  code.line();
  code.line("namespace hayward::tools {");
  code.line();
  code.line("// Each writes one object: the fields that `version` has, except tagged ones at their default.");
  for (const Table& t : tables) code.line(signature(t) + ";");
  code.line();
  code.line("// Decodes the framed record and writes it. Nothing is written at a fault.");
  code.line("std::expected<void, records::FrameError> write_json(Json& json, const records::Frame& frame, Arena& arena);");
  code.line();
  code.line("}  // namespace hayward::tools");
  return code.text();
}

void emit_dispatch(Code& code, const std::vector<Table>& tables) {
  code.open("std::expected<void, records::FrameError> write_json(Json& json, const records::Frame& frame, Arena& arena) {");
  code.line("switch (static_cast<std::int16_t>(frame.type)) {");
  for (const Table& t : tables) {
    if (t.type == "metadata")
      code.line("  case records::" + t.name + "::api_key: return write_body<records::" + t.name + ">(json, frame, arena);");
  }
  code.line("}");
  code.line("return std::unexpected(records::FrameError::unknown_type);");
  code.close();
}

std::string emit_source(const std::vector<Table>& tables) {
  Code code;
  code.line("// Generated from schemas/records by tools/record_json.");
  code.line("#include \"tools/record_json/record_json.h\"");
  code.line();
  code.line("#include \"tools/record_json/put.h\"");
  code.line();
  code.line("namespace hayward::tools {");
  code.line("namespace {");
  code.line();
  code.line("using namespace records;");
  code.line();
  for (const Table& t : tables) {
    for (const Struct& s : t.structs) emit_struct(code, t, s);
  }
  code.line("template <class Record>");
  code.open("std::expected<void, FrameError> write_body(Json& json, const Frame& frame, Arena& arena) {");
  code.line("const auto record = decode_body<Record>(frame, arena);");
  code.line("if (!record) return std::unexpected(record.error());");
  code.line("write(json, *record, frame.version);");
  code.line("return {};");
  code.close();
  code.line();
  code.line("}  // namespace");
  code.line();
  for (const Table& t : tables) code.line(signature(t) + " { write(json, record, version); }");
  code.line();
  emit_dispatch(code, tables);
  code.line();
  code.line("}  // namespace hayward::tools");
  return code.text();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) give_up("usage: record_json_generator LIFT OUT TABLE.json...");
  const Lift lift = load_lift(arguments[0]);
  std::vector<Table> tables;
  for (std::size_t i = 2; i < arguments.size(); ++i) tables.push_back(load_table(arguments[i], lift));
  const std::filesystem::path folder = std::filesystem::path(arguments[1]) / "tools/record_json";
  save(folder / "record_json.h", emit_header(tables));
  save(folder / "record_json.cc", emit_source(tables));
}
