// Messages with parameters, and the table that lists the parameters of each kind.
#include "layouts/support/Diagnostic.h"
#include "layouts/support/Nearest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace lanescope {
namespace {

using Parameters = std::vector<MessageParameter>;

TEST(Message, NamesItsPartsAsParameters) {
  Message message("index {index} is outside a {container} of length {size}", 7, "list", 3u);
  EXPECT_EQ(message.words, "index 7 is outside a list of length 3");
  EXPECT_EQ(message.parameters,
            (Parameters{{"index", int64_t{7}}, {"container", std::string("list")}, {"size", int64_t{3}}}));
}

TEST(Message, LeavesUnnamedPartsInTheWordsAlone) {
  Message message("name `{name}` is not defined{}", std::string("x"), layouts::didYouMean("y"));
  EXPECT_EQ(message.words, "name `x` is not defined; did you mean `y`?");
  EXPECT_EQ(message.parameters, (Parameters{{"name", std::string("x")}}));
  EXPECT_EQ(Message("a{}b", "").words, "ab");
}

TEST(Message, DoubledBracesStandForThemselves) {
  EXPECT_EQ(Message("{{{name}}} and }}{{", 'x').words, "{x} and }{");
  EXPECT_EQ(Message("a single `}` without parts").words, "a single `}` without parts");
  EXPECT_EQ(Message("{}", "{name}").words, "{name}") << "a part is no form";
}

TEST(Message, KeepsIntegersThatDoNotFitAsDigits) {
  Message message("{low} {high}", std::numeric_limits<int64_t>::min(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(message.parameters[0].value, ParameterValue(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(message.parameters[1].value, ParameterValue(std::string("18446744073709551615")));
}

TEST(Message, TakesParametersThatItDoesNotShow) {
  Message message = Message("no `{name}`", "a").with("nearest", "b").with("other", "").with("count", 0);
  EXPECT_EQ(message.parameters,
            (Parameters{{"name", std::string("a")}, {"nearest", std::string("b")}, {"count", int64_t{0}}}));
}

TEST(Message, ItsParametersGoIntoTheDiagnostic) {
  Diagnostics said = error("unknown-name", Message("name `{name}` is not defined", "x")).error();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].message, "name `x` is not defined");
  EXPECT_EQ(said[0].parameters, (Parameters{{"name", std::string("x")}}));
  EXPECT_TRUE(error("unknown-name", "words alone").error()[0].parameters.empty());
}

TEST(KindParameters, AreListedByName) {
  EXPECT_EQ(parametersOf("unknown-name"), "name: text, nearest: text");
  EXPECT_EQ(parametersOf("no such kind"), "");
  EXPECT_TRUE(declares("unknown-name", {}));
  EXPECT_TRUE(declares("unknown-name", {{"name", std::string("x")}}));
  EXPECT_FALSE(declares("unknown-name", {{"nam", std::string("x")}}));
  EXPECT_FALSE(declares("unknown-name", {{"ame", std::string("x")}}));
  EXPECT_FALSE(declares("unknown-name", {{"name", int64_t{1}}})) << "a text is listed, not an integer";
  EXPECT_FALSE(declares("race", {{"name", std::string("x")}})) << "a kind without a row";
  EXPECT_TRUE(declares("nesting", {{"limit", int64_t{200}}}));
  EXPECT_TRUE(declares("nesting", {{"limit", std::string("18446744073709551615")}})) << "digits of a large integer";
}

#ifndef NDEBUG
TEST(KindParametersDeathTest, StopAMessageWithAnotherParameter) {
  EXPECT_DEATH((void)error("unknown-name", Message("{colour}", "red")), "KindParameters.inc");
}
#endif

} // namespace
} // namespace lanescope
