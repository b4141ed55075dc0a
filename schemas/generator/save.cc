#include "schemas/generator/save.h"

#include <fstream>
#include <iterator>

#include "schemas/generator/table.h"

namespace hayward::generator {

void save(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ifstream old(path, std::ios::binary);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) give_up("cannot write " + path.string());
}

}  // namespace hayward::generator
