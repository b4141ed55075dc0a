// The two indexes: api keys of the request tables, record types of the metadata records.
#include <algorithm>

#include "schemas/generator/cpp.h"
#include "schemas/generator/emit.h"
#include "schemas/generator/naming.h"

namespace hayward::generator {
namespace {

void keep_sorted(std::vector<Table>& tables, const std::string& type) {
  std::erase_if(tables, [&](const Table& t) { return t.type != type; });
  std::ranges::sort(tables, {}, [](const Table& t) { return *t.key; });
}

std::string without_suffix(const std::string& name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

void emit_enum(Code& code, const std::string& name, const std::vector<Table>& tables, std::string_view suffix) {
  code.open("enum class " + name + " : std::int16_t {");
  for (const Table& t : tables) {
    code.line(snake_case(without_suffix(t.name, suffix)) + " = " + std::to_string(*t.key) + ",");
  }
  code.close("};");
  code.line();
}

void emit_find(Code& code, const std::string& info, const std::string& table, const std::string& function) {
  code.line("// nullptr for a key that is not in the table.");
  code.open("constexpr const " + info + "* " + function + "(std::int32_t key) {");
  code.open("for (const " + info + "& row : " + table + ") {");
  code.line("if (row.key == key) return &row;");
  code.close();
  code.line("return nullptr;");
  code.close();
  code.line();
}

std::string row(const Table& t, std::string_view suffix) {
  return "{" + std::to_string(*t.key) + ", \"" + without_suffix(t.name, suffix) + "\", " +
         std::to_string(t.versions.first) + ", " + std::to_string(t.versions.last) + ", " +
         std::to_string(t.flexible.empty() ? open_end : t.flexible.first) + "},";
}

void head(Code& code, const std::string& what, const std::string& kind) {
  code.line("// " + what + ", generated from schemas/" + kind + " by schemas/generator.");
  code.line("#pragma once");
  code.line();
  code.line("#include <cstdint>");
  code.line("#include <string_view>");
  code.line();
  code.line("namespace hayward::" + kind + " {");
  code.line();
}

}  // namespace

std::string emit_api_keys(std::vector<Table> tables) {
  keep_sorted(tables, "request");
  Code code;
  head(code, "Every api key with its name and versions", "messages");
  emit_enum(code, "ApiKey", tables, "Request");
  code.open("struct ApiInfo {");
  code.line("std::int16_t key;");
  code.line("std::string_view name;  // \"CreateTopics\"");
  code.line("std::int16_t min_version;");
  code.line("std::int16_t max_version;");
  code.line("std::int16_t first_flexible_version;  // 32767: none is flexible");
  code.line();
  code.line(
      "constexpr bool serves(std::int16_t version) const { return min_version <= version && version <= max_version; }");
  code.line("constexpr std::int16_t request_header_version(std::int16_t version) const {");
  code.line("  return version >= first_flexible_version ? 2 : 1;");
  code.line("}");
  code.line("// ApiVersions always answers with header 0, so that any client can read it.");
  code.line("constexpr std::int16_t response_header_version(std::int16_t version) const {");
  code.line("  return version >= first_flexible_version && key != 18 ? 1 : 0;");
  code.line("}");
  code.close("};");
  code.line();
  code.line("// By key. 30000 is Hayward's own status call, which is not advertised.");
  code.open("inline constexpr ApiInfo apis[] = {");
  for (const Table& t : tables) code.line(row(t, "Request"));
  code.close("};");
  code.line();
  emit_find(code, "ApiInfo", "apis", "find_api");
  code.line("}  // namespace hayward::messages");
  return code.text();
}

std::string emit_record_types(std::vector<Table> tables) {
  keep_sorted(tables, "metadata");
  Code code;
  head(code, "Every metadata record type with its versions", "records");
  emit_enum(code, "RecordType", tables, "Record");
  code.open("struct RecordInfo {");
  code.line("std::int16_t key;");
  code.line("std::string_view name;  // \"PartitionChange\"");
  code.line("std::int16_t min_version;");
  code.line("std::int16_t max_version;");
  code.line("std::int16_t first_flexible_version;");
  code.close("};");
  code.line();
  code.open("inline constexpr RecordInfo record_types[] = {");
  for (const Table& t : tables) code.line(row(t, "Record"));
  code.close("};");
  code.line();
  emit_find(code, "RecordInfo", "record_types", "find_record_type");
  code.line("}  // namespace hayward::records");
  return code.text();
}

}  // namespace hayward::generator
