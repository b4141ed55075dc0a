// Writing what was generated.
// Owner: schemas/generator (build time only).
#pragma once

#include <filesystem>
#include <string>

namespace hayward::generator {

// Makes `path` and the folders above it say `text`. A file that says so already is left alone, so that nothing that
// depends on it is rebuilt. Gives up if it cannot.
void save(const std::filesystem::path& path, const std::string& text);

}  // namespace hayward::generator
