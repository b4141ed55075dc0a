// schema_generator table KIND LIFT OUT TABLE.json   one .h and .cc below OUT/schemas/KIND
// schema_generator index KIND LIFT OUT TABLE.json...  api_keys.h or record_type.h there
// schema_generator codecs KIND LIFT OUT TABLE.json...  OUT/tests/conformance/KIND_codecs.cc, for tests
// A file whose content would not change is left alone, so nothing that depends on it is rebuilt.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "schemas/generator/emit.h"
#include "schemas/generator/naming.h"

namespace {

using namespace hayward::generator;

void save(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ifstream old(path, std::ios::binary);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) give_up("cannot write " + path.string());
}

}  // namespace

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
