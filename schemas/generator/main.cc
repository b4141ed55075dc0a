// schema_generator table KIND LIFT OUT TABLE.json   one .h and .cc below OUT/schemas/KIND
// schema_generator index KIND LIFT OUT TABLE.json...  api_keys.h or record_type.h there
// schema_generator codecs KIND LIFT OUT TABLE.json...  OUT/tests/conformance/KIND_codecs.cc, for tests
#include <filesystem>

#include "schemas/generator/emit.h"
#include "schemas/generator/naming.h"
#include "schemas/generator/save.h"

using namespace hayward::generator;

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 5) give_up("usage: table|index|codecs KIND LIFT OUT TABLE.json...");
  const Lift lift = load_lift(arguments[2]);
  const Target target{arguments[1], arguments[3]};
  const auto folder = std::filesystem::path(target.out) / "schemas" / target.kind;
  std::vector<Table> tables;
  for (std::size_t i = 4; i < arguments.size(); ++i) tables.push_back(load_table(arguments[i], lift));
  if (arguments[0] == "index") {
    if (target.kind == "messages")
      save(folder / "api_keys.h", emit_api_keys(tables));
    else
      save(folder / "record_type.h", emit_record_types(tables));
    return 0;
  }
  if (arguments[0] == "codecs") {
    save(std::filesystem::path(target.out) / "tests/conformance" / (target.kind + "_codecs.cc"),
         emit_codecs(tables, target));
    return 0;
  }
  for (const Table& table : tables) {
    const std::string stem = snake_case(table.name);
    save(folder / (stem + ".h"), emit_header(table, target));
    save(folder / (stem + ".cc"), emit_source(table, target));
  }
}
