// Java's reading of properties files, rule by rule.
#include "engine/base/properties.h"

#include <gtest/gtest.h>

namespace hayward {
namespace {

Properties parse(std::string_view text) {
  auto parsed = parse_properties(text);
  EXPECT_TRUE(parsed.has_value());
  return parsed.value_or(Properties{});
}

TEST(Properties, SeparatorsAndComments) {
  const auto p = parse("# c\n! d\n  a=1\nb : 2\nc 3\nd\ne=\r\nf=x=y\r\n\n");
  const Properties expected{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", ""}, {"e", ""}, {"f", "x=y"}};
  EXPECT_EQ(p, expected);
}

TEST(Properties, LastValueOfAKeyCounts) { EXPECT_EQ(parse("a=1\na=2").at("a"), "2"); }

TEST(Properties, ContinuedLines) {
  EXPECT_EQ(parse("a=1,\\\n   2,\\\n 3\nb=x\\\\\nc=y").at("a"), "1,2,3");
  EXPECT_EQ(parse("b=x\\\\\nc=y").at("c"), "y") << "an even number of backslashes continues nothing";
}

TEST(Properties, Escapes) {
  EXPECT_EQ(parse("a\\ b=\\tc\\u00e9\\:").at("a b"), "\tc\xc3\xa9:");
  EXPECT_FALSE(parse_properties("x=1\na=\\u12g4").has_value());
  EXPECT_EQ(parse_properties("x=1\na=\\u12g4").error().line, 2);
}

TEST(Properties, EndsAnywhere) {
  for (const char* text : {"a=\\", "a\\", "\\", "a=\\u", "=", ":", " "}) (void)parse_properties(text);
}

}  // namespace
}  // namespace hayward
