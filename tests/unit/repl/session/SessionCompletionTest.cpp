// The completions that Tab offers.
#include "repl/session/Session.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::repl {
namespace {

class CompletionTest : public testing::Test {
protected:
  Session session_;

  void SetUp() override {
    ASSERT_TRUE(session_.entry(Source::make(
        "<t>", "zebra_count = 1\ndef zebra_herd(stripes, *, colour=1):\n  return stripes\n\nwords = 'a b'")));
  }
  std::vector<std::string> at(const std::string &text) { return session_.complete(text, text.size()).candidates; }
  bool offers(const std::string &text, const std::string &candidate) {
    return std::ranges::count(at(text), candidate) == 1;
  }
};

using Words = std::vector<std::string>;

TEST_F(CompletionTest, Names) {
  EXPECT_EQ(at("zebra_"), (Words{"zebra_count", "zebra_herd("}));
  EXPECT_EQ(session_.complete("x = zebra_", 10).from, 4u);
  EXPECT_TRUE(offers("sho", "show("));
  EXPECT_TRUE(offers("WGMMA_TR", "WGMMA_TRANSPOSED"));
  EXPECT_TRUE(offers("lamb", "lambda"));
  EXPECT_TRUE(at("").empty());
  EXPECT_TRUE(at("no_such_name").empty() || at("no_such_name") == Words{"no_such_name"});
}

TEST_F(CompletionTest, NamesOfTheTextBeingTyped) { EXPECT_TRUE(offers("def f(operand):\n  return oper", "operand")); }

TEST_F(CompletionTest, Members) {
  EXPECT_TRUE(offers("WGMMA.red", "reduce("));
  EXPECT_TRUE(offers("WGMMA.", "vector_length"));
  EXPECT_TRUE(offers("words.spl", "split("));
  EXPECT_TRUE(offers("'a b'.spl", "split("));
  EXPECT_TRUE(offers("f(WGMMA.til", "tiling"));
  EXPECT_TRUE(at("zebra_herd(1).a").empty());
  EXPECT_TRUE(at("nothing.").empty());
  EXPECT_TRUE(at("1.").empty());
}

TEST_F(CompletionTest, KeywordArguments) {
  EXPECT_EQ(at("show(WGMMA, sh").front(), "shape=");
  EXPECT_FALSE(offers("show(WGMMA, (64, 8), sh", "shape="));
  EXPECT_FALSE(offers("show(WGMMA, shape=(64, 8), sh", "shape="));
  EXPECT_TRUE(offers("show(WGMMA, (64, 8), ", "dtype="));
  EXPECT_EQ(at("zebra_herd("), (Words{"colour=", "stripes="}));
  EXPECT_EQ(at("zebra_herd(3, "), (Words{"colour="}));
  EXPECT_EQ(at("zebra_herd([1, 2], {'a': 1}, col"), (Words{"colour="}));
  EXPECT_TRUE(at("zebra_herd(3 + col").empty());
  EXPECT_TRUE(at("words[col").empty());
  EXPECT_TRUE(at("def show(sha").empty() || !offers("def show(sha", "shape="));
}

TEST_F(CompletionTest, NothingInStringsAndComments) {
  EXPECT_TRUE(at("'zebra_").empty());
  EXPECT_TRUE(at("x = 1 # zebra_").empty());
  EXPECT_TRUE(at("'''a\nzebra_").empty());
  EXPECT_FALSE(at("'#' + zebra_").empty());
  EXPECT_FALSE(at("# a\nzebra_").empty());
}

TEST_F(CompletionTest, TheCursorMayStandAnywhere) {
  std::string text = "show(zebra_count.\xC3\xA4 ) [{'";
  for (size_t cursor = 0; cursor <= text.size() + 3; ++cursor) {
    Completion found = session_.complete(text, cursor);
    EXPECT_LE(found.from, cursor);
  }
  EXPECT_EQ(commonBeginning({"zebra_count", "zebra_herd("}), "zebra_");
  EXPECT_EQ(commonBeginning({}), "");
}

} // namespace
} // namespace lanescope::repl
