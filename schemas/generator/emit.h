// The generated files of one table, and the indexes over all tables of a kind.
// Owner: schemas/generator (build time only).
#pragma once

#include <string>
#include <vector>

#include "schemas/generator/table.h"

namespace hayward::generator {

// Where generated code goes: "messages" or "records", folder and namespace alike.
struct Target {
  std::string kind;
  std::string out;  // the folder that include paths start from
};

std::string emit_header(const Table& table, const Target& target);
std::string emit_source(const Table& table, const Target& target);

// Parts of the source file.
std::string emit_decode(const Table& table);
std::string emit_encode(const Table& table);
std::string emit_representable(const Table& table);

// messages/api_keys.h: one row per request table.
std::string emit_api_keys(std::vector<Table> tables);
// records/record_type.h: one row per metadata record table.
std::string emit_record_types(std::vector<Table> tables);

// tests/conformance/KIND_codecs.cc: random content and a list by name, for tests.
std::string emit_codecs(const std::vector<Table>& tables, const Target& target);

}  // namespace hayward::generator
