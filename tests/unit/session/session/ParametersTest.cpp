// `param(…)`: its value, setting it from outside, and the errors for invalid values.
#include "repl/session/Session.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

class ParametersTest : public testing::Test {
protected:
  std::string kindOf(const std::string &text) {
    auto done = session_->entry(Source::make("<t>", text));
    return done ? "" : done.error()[0].kind;
  }
  /// The output of `entry`, or its errors.
  std::string entry(const std::string &text) {
    written_.clear();
    auto done = session_->entry(Source::make("<t>", text));
    return done ? written_ : render(done.error());
  }
  void start(std::map<std::string, std::string> given) {
    session_ = std::make_unique<Session>(
        SessionOptions{.parameters = std::move(given), .output = [this](std::string_view text) { written_ += text; }});
  }
  void SetUp() override { start({}); }

  std::string written_;
  std::unique_ptr<Session> session_;
};

TEST_F(ParametersTest, DefaultsAndValuesOfEachType) {
  EXPECT_EQ(entry("param('stages', 4, range(2, 7), 'steps in flight')"), "4\n");
  const SnippetParameter &stages = session_->parameters().declared().at(0);
  EXPECT_EQ(stages.about, "steps in flight");
  EXPECT_EQ(stages.choices.size(), 5u);
  EXPECT_TRUE(stages.ranged);
  Parameters &all = session_->parameters();
  all.set("stages", "6");
  all.set("dtype", "bf16");
  all.set("tile", "(128,256)");
  all.set("fast", "false");
  all.set("rate", "0.5");
  all.set("name", "a b");
  EXPECT_EQ(entry("param('stages', 4, range(2, 7))"), "6\n");
  EXPECT_EQ(entry("param('dtype', f16, (f16, bf16))"), "bf16\n");
  EXPECT_EQ(entry("param('tile', (64, 64), [(64, 64), (128, 256)])"), "(128, 256)\n");
  EXPECT_EQ(entry("param('fast', True)"), "False\n");
  EXPECT_EQ(entry("param('rate', 0.25)"), "0.5\n");
  EXPECT_EQ(entry("param('name', 'x')"), "'a b'\n");
  EXPECT_EQ(entry("param('other', f32)"), "f32\n");
  EXPECT_EQ(entry("set_param('stages', 3)\nparam('stages', 4, range(2, 7))"), "3\n");
  EXPECT_EQ(entry("set_param('stages', None)\nparam('stages', 4, range(2, 7))"), "4\n");
}

TEST_F(ParametersTest, MistakesAreSaidAtTheirPlaces) {
  EXPECT_NE(entry("param('stages', 9, range(2, 7))").find("the default 9 is not among the choices 2, 3, 4, 5, 6"),
            std::string::npos);
  EXPECT_NE(entry("param('x', None)").find("must be a bool, an int, a float, a str or a dtype"), std::string::npos);
  EXPECT_NE(entry("param('x', 1, range(0, 100000))").find("at most 4096 choices"), std::string::npos);
  EXPECT_NE(entry("param('x', 1, ())").find("at least one choice"), std::string::npos);
  EXPECT_NE(entry("param('', 1)").find("must have a name"), std::string::npos);
  EXPECT_NE(entry("param('x', 1, 5)").find("a range, a tuple or a list"), std::string::npos);
  std::string twice = entry("a = param('x', 1)\nb = param('x', 2)");
  EXPECT_NE(twice.find("declared twice"), std::string::npos) << twice;
  EXPECT_NE(twice.find("here it is declared first"), std::string::npos) << twice;
  EXPECT_EQ(kindOf("a = param('x', 1)\nb = param('x', 2)"), "parameter-twice");
  EXPECT_EQ(entry("[param('y', 1) for i in range(3)]"), "[1, 1, 1]\n"); // one call that runs three times
}

TEST_F(ParametersTest, AValueThatIsNoChoiceIsAnErrorFromOutsideAndARemarkFromASlider) {
  start({{"stages", "9"}});
  EXPECT_NE(entry("param('stages', 4, range(2, 7))").find("is set to 9, but takes one of 2, 3, 4, 5, 6"),
            std::string::npos);
  EXPECT_EQ(kindOf("param('stages', 4, range(2, 7))"), "parameter-value");
  start({{"n", "1.5"}});
  EXPECT_NE(entry("param('n', 4)").find("takes a value of type int"), std::string::npos);
  start({});
  session_->parameters().set("stages", "9");
  std::string kept = entry("param('stages', 4, range(2, 7))");
  EXPECT_NE(kept.find("keeps its default 4"), std::string::npos) << kept;
  EXPECT_TRUE(kept.ends_with("4\n")) << kept;
}

TEST_F(ParametersTest, WhatNothingDeclaresIsNamed) {
  start({{"stagse", "5"}});
  EXPECT_EQ(entry("param('stages', 4)"), "4\n");
  Diagnostics unknown = session_->parameters().undeclared();
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].kind, "no-parameter");
  EXPECT_NE(unknown[0].message.find("did you mean `stages`?"), std::string::npos) << unknown[0].message;
}

TEST_F(ParametersTest, KernelsAreMadeWithThem) {
  session_->parameters().set("factor", "3");
  EXPECT_EQ(entry("factor = param('factor', 2, range(1, 9))\n"
                  "@kernel\n"
                  "def times(x: GMEM((64, 64), f32), out: Out((64, 64), f32)):\n"
                  "  out[...] = x[...] * factor\n\n"
                  "print(times(ones((64, 64), f32))[0, 0])"),
            "3.0\n");
}

} // namespace
} // namespace lanescope::repl
