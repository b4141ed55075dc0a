#include "schemas/generator/naming.h"

#include <algorithm>
#include <cctype>

#include "schemas/generator/table.h"

namespace hayward::generator {
namespace {

bool upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

constexpr std::string_view reserved[] = {"default", "operator", "register", "delete", "new",  "public",   "private",
                                         "class",   "struct",   "enum",     "union",  "this", "template", "namespace"};

}  // namespace

std::string snake_case(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool in_kraft = i > 0 && name[i - 1] == 'K' && name.substr(i).starts_with("Raft");
    const bool starts_word =
        i > 0 && upper(name[i]) && !in_kraft && (!upper(name[i - 1]) || (i + 1 < name.size() && !upper(name[i + 1])));
    if (starts_word) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return out;
}

std::string member_name(std::string_view name) {
  std::string out = snake_case(name);
  if (std::ranges::find(reserved, out) != std::end(reserved)) give_up("field name is a C++ word: " + out);
  return out;
}

}  // namespace hayward::generator
