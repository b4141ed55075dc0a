// Plays testdata/*.txt: lines that begin with "> " are what happens, the others what the node does about it.
// The files are written anew from the first kind by HAYWARD_UPDATE=1 in the environment.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "script.h"

namespace hayward::core {
namespace {

std::filesystem::path folder() { return HAYWARD_TESTDATA; }

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Comments, blank lines and commands stay; what a command brings about follows it.
std::string played(const std::string& text) {
  Script script;
  std::stringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    const bool command = line.starts_with("> ");
    if (!command && !line.empty() && !line.starts_with("#")) continue;  // an earlier run's output
    out += line + "\n";
    if (!command) continue;
    for (const std::string& result : script.run(line.substr(2))) out += result + "\n";
  }
  return out;
}

class Transcript : public ::testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsWhatTheNodeDoes) {
  const std::filesystem::path file = folder() / GetParam();
  const std::string expected = text_of(file);
  const std::string actual = played(expected);
  if (std::getenv("HAYWARD_UPDATE") != nullptr)
    std::ofstream(file) << actual;
  else
    EXPECT_EQ(expected, actual) << "HAYWARD_UPDATE=1 writes the file anew";
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Testdata, Transcript, ::testing::ValuesIn(files()), [](const auto& test) {
  std::string name = test.param.substr(0, test.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace hayward::core
