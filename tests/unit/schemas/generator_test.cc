// The generator: ranges, names, conditions, and tables that it must refuse.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "schemas/generator/cpp.h"
#include "schemas/generator/naming.h"

namespace hayward::generator {
namespace {

TEST(Generator, Ranges) {
  EXPECT_TRUE(parse_range("none").empty());
  EXPECT_EQ(parse_range("3").last, 3);
  EXPECT_EQ(parse_range("2-7").first, 2);
  EXPECT_EQ(parse_range("2-7").last, 7);
  EXPECT_EQ(parse_range("5+").last, open_end);
  for (const char* bad : {"", "+", "-1", "2-", "2-x", "2 - 7", "2+7", "x"}) {
    EXPECT_EXIT(parse_range(bad), testing::ExitedWithCode(1), "no version range") << bad;
  }
}

TEST(Generator, Names) {
  EXPECT_EQ(snake_case("ThrottleTimeMs"), "throttle_time_ms");
  EXPECT_EQ(snake_case("timeoutMs"), "timeout_ms");
  EXPECT_EQ(snake_case("KRaftVersionFeature"), "kraft_version_feature");
  EXPECT_EQ(snake_case("MinKRaftVersion"), "min_kraft_version");
  EXPECT_EQ(snake_case("HMAC"), "hmac");
  EXPECT_EQ(snake_case("ACLEntry"), "acl_entry");
  EXPECT_EXIT(member_name("Operator"), testing::ExitedWithCode(1), "C\\+\\+ word");
}

TEST(Generator, Conditions) {
  const VersionRange context{2, 7};
  EXPECT_EQ(condition(parse_range("0+"), context), "");
  EXPECT_EQ(condition(parse_range("5+"), context), "version >= 5");
  EXPECT_EQ(condition(parse_range("0-3"), context), "version <= 3");
  EXPECT_EQ(condition(parse_range("4"), context), "version == 4");
  EXPECT_EQ(condition(parse_range("3-4"), context), "version >= 3 && version <= 4");
  EXPECT_EQ(condition(parse_range("0-1"), context), "false");
  EXPECT_EQ(expression(parse_range("2-7"), context), "true");
}

class TableFile : public testing::Test {
 protected:
  // The table that `fields` make in a message of versions 0-2, flexible from 1.
  Table load(const std::string& fields) {
    std::ofstream(path_)
        << R"({"name": "T", "type": "request", "key": 1, "versions": "0-2", "flexible": "1+", "fields": [)" << fields
        << "]}";
    return load_table(path_, {});
  }
  ~TableFile() override { std::remove(path_.c_str()); }

  const std::string path_ = testing::TempDir() + "/hayward_table_" + std::to_string(::getpid()) + ".json";
};

TEST_F(TableFile, SmallestSizesByVersion) {
  const Table table = load(R"({"name": "A", "type": "[]S", "versions": "0+", "fields": [
      {"name": "X", "type": "int32", "versions": "0+"}, {"name": "Y", "type": "string", "versions": "2+"}]},
      {"name": "B", "type": "[]string", "versions": "0+"})");
  EXPECT_EQ(min_size(table, table.root().fields[0], table.versions), "version >= 2 ? 6u : version >= 1 ? 5u : 4u");
  EXPECT_EQ(min_size(table, table.root().fields[1], table.versions), "version >= 1 ? 1u : 2u");
}

TEST_F(TableFile, RefusesWhatItCannotDo) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(load(R"({"name": "A", "type": "[]Missing", "versions": "0+"})"), refused, "no struct Missing");
  EXPECT_EXIT(load(R"({"name": "A", "type": "int32", "versions": "0+", "nullable": "0+"})"), refused, "can be null");
  EXPECT_EXIT(load(R"({"name": "A", "type": "string", "versions": "0+", "default": null})"), refused, "not nullable");
  EXPECT_EXIT(load(R"({"name": "A", "type": "int32", "versions": "0+", "tag": 0})"), refused, "not flexible");
  EXPECT_EXIT(load(R"({"name": "A", "versions": "0+"})"), refused, "hayward_table_");
  EXPECT_EXIT(load(R"({"name": )"), refused, "hayward_table_");
}

}  // namespace
}  // namespace hayward::generator
