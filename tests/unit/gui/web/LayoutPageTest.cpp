// The web page's view of layouts, as the page uses it: requests and answers in JSON.
#include "viz/web/LayoutPage.h"

#include "viz/export/Export.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <random>
#include <sstream>

namespace lanescope::viz {
namespace {

using nlohmann::json;

json ask(LayoutPage &page, const json &request) { return json::parse(page.call(request.dump())); }

json style() {
  return {{"glyph", 0.6},    {"scale", 1},           {"lit", 0xFFFFFFFFu},
          {"litShare", 0.1}, {"hatch", 0x60000000u}, {"empty", 0xFFF8F6F4u}};
}
json frameOf(LayoutPage &page, const std::string &pane, int64_t have = -1) {
  return ask(
      page,
      {{"do", "frame"}, {"pane", pane}, {"width", 800}, {"height", 600}, {"style", style()}, {"have", have}})["frame"];
}
json paneOf(const json &answer, const std::string &name) {
  for (const json &pane : answer["state"]["panes"])
    if (pane["name"] == name)
      return pane;
  return nullptr;
}

TEST(LayoutPage, startsWithALayoutAndTheNamesOfItsFields) {
  LayoutPage page;
  json answer = ask(page, {{"do", "start"}, {"theme", "light"}});
  EXPECT_EQ(answer["state"]["input"]["layout"], "WGMMA");
  EXPECT_EQ(answer["names"]["panes"].size(), kPanes);
  EXPECT_GT(answer["names"]["catalogue"].size(), 20u);
  EXPECT_EQ(paneOf(answer, "array")["scene"]["rows"], 64);
  EXPECT_FALSE(paneOf(answer, "smem")["open"]);
}

TEST(LayoutPage, aFrameIsSentOnceAndThenOnlyWhatIsLit) {
  LayoutPage page;
  ask(page, {{"do", "start"}});
  json first = frameOf(page, "array");
  EXPECT_TRUE(first["base"]);
  EXPECT_GT(first["cells"]["count"], 0);
  ask(page, {{"do", "fit"}, {"pane", "array"}});
  first = frameOf(page, "array");
  EXPECT_EQ(first["cells"]["count"], 64 * 32);
  json again = frameOf(page, "array", first["version"]);
  EXPECT_FALSE(again["base"]);
  EXPECT_FALSE(again.contains("cells"));
  ask(page, {{"do", "zoom"}, {"pane", "array"}, {"factor", 2}, {"x", 10}, {"y", 10}});
  EXPECT_TRUE(frameOf(page, "array", first["version"])["base"]);
  // A page that has lost its picture gets it again.
  EXPECT_TRUE(frameOf(page, "array", -1)["base"]);
}

TEST(LayoutPage, pointingLightsTheElementInEveryPicture) {
  LayoutPage page;
  ask(page, {{"do", "start"}});
  frameOf(page, "array"), frameOf(page, "threads");
  json lit = ask(page, {{"do", "arrow"}, {"pane", "array"}, {"rows", 0}, {"columns", 0}})["lit"];
  lit = ask(page, {{"do", "arrow"}, {"pane", "array"}, {"rows", 9}, {"columns", 2}})["lit"];
  EXPECT_EQ(lit["words"][0], "element (9, 2) is held by warp 0, lane 5 in register 1, position 0");
  EXPECT_FALSE(lit["steps"].empty());
  EXPECT_GT(frameOf(page, "threads")["lit"]["count"], 0);
  EXPECT_EQ(frameOf(page, "array")["chosen"]["count"], 1);
  lit = ask(page, {{"do", "unpin"}})["lit"];
  EXPECT_TRUE(lit["words"].empty());
}

TEST(LayoutPage, errorsHaveTheirFieldAndPlaceAndThePicturesStay) {
  LayoutPage page;
  ask(page, {{"do", "start"}});
  json answer = ask(page, {{"do", "set"}, {"fields", {{"layout", "WGMA"}}}});
  ASSERT_EQ(answer["state"]["facts"]["problems"].size(), 1u);
  json problem = answer["state"]["facts"]["problems"][0];
  EXPECT_EQ(problem["field"], "layout");
  EXPECT_EQ(problem["column"], 1);
  EXPECT_TRUE(paneOf(answer, "array").contains("scene"));
}

TEST(LayoutPage, aLayoutThatDoesNotApplyToTheShapeGetsItsOwn) {
  LayoutPage page;
  ask(page, {{"do", "start"}});
  json answer = ask(page, {{"do", "set"}, {"fields", {{"layout", "TCGEN05"}}}});
  EXPECT_EQ(answer["state"]["input"]["shape"], "128x8");
  EXPECT_EQ(answer["state"]["message"], "The layout does not apply to 64x32, so the shape is now 128x8.");
  EXPECT_TRUE(paneOf(answer, "array").contains("scene"));
  // A shape that the user has chosen stays, with the error.
  answer = ask(page, {{"do", "set"}, {"fields", {{"shape", "64x64"}}}});
  EXPECT_EQ(answer["state"]["input"]["shape"], "64x64");
  EXPECT_FALSE(paneOf(answer, "array").contains("scene"));
  EXPECT_EQ(answer["state"]["message"], "");
}

TEST(LayoutPage, badRequestsChangeNothing) {
  LayoutPage page;
  json before = ask(page, {{"do", "start"}});
  before = ask(page, {{"do", "share"}});
  for (const char *request : {"",
                              "{",
                              "[]",
                              "null",
                              "{}",
                              R"({"do": 3})",
                              R"({"do": "fly"})",
                              R"({"do": "set"})",
                              R"({"do": "set", "fields": {"swizzle": 31}})",
                              R"({"do": "set", "fields": {"swizzle": "128"}})",
                              R"({"do": "set", "fields": {"colour": "red"}})",
                              R"({"do": "set", "fields": {"colourBy": "custom"}})",
                              R"({"do": "set", "fields": {"stage": "never", "layout": "TCGEN05"}})",
                              R"({"do": "frame", "pane": "array"})",
                              R"({"do": "frame", "pane": "nowhere"})",
                              R"({"do": "choose", "index": 99})",
                              R"({"do": "choose", "index": -1})",
                              R"({"do": "load"})",
                              R"({"do": "load", "state": {}})",
                              R"({"do": "load", "state": {"view": 7}})",
                              R"({"do": "load", "state": {"view": "view("}})",
                              R"({"do": "load", "state": {"layout": "WGMMA", "access": "ld.shared.b999"}})",
                              R"({"do": "export", "pane": "array", "format": "exe"})"}) {
    json answer = json::parse(page.call(request));
    EXPECT_TRUE(answer.contains("error")) << request << "\n" << answer.dump();
    EXPECT_FALSE(answer["error"]["message"].get<std::string>().empty());
    EXPECT_EQ(ask(page, {{"do", "share"}}), before) << request;
  }
}

TEST(LayoutPage, anErrorSaysWhichValuesAFieldTakes) {
  LayoutPage page;
  ask(page, {{"do", "start"}});
  auto message = [&](const json &fields) {
    return ask(page, {{"do", "set"}, {"fields", fields}})["error"]["message"].get<std::string>();
  };
  EXPECT_EQ(message({{"swizzle", 31}}), "`swizzle` cannot be `31`; it is 0, 32, 64 or 128, in bytes");
  EXPECT_EQ(message({{"swizzle", "128"}}), "`swizzle` cannot be `128`; it is 0, 32, 64 or 128, in bytes");
  EXPECT_EQ(message({{"layout", {1, 2}}}), "`layout` cannot be this value; it is a text");
  EXPECT_EQ(message({{"transpose", "yes"}}), "`transpose` cannot be `yes`; it is true or false");
  EXPECT_EQ(message({{"colour", "red"}}), "the page has no field `colour`");
  EXPECT_TRUE(message({{"access", "ldmatrix.x3"}}).starts_with("`access` cannot be `ldmatrix.x3`; it is one of "))
      << message({{"access", "ldmatrix.x3"}});
}

TEST(LayoutPage, theExportedTextIsThatOfTheProgram) {
  LayoutPage page;
  ask(page, {{"do", "start"}});
  for (const char *format : {"json", "svg", "csv", "tex", "txt"}) {
    json answer = ask(page, {{"do", "export"}, {"pane", "array"}, {"format", format}});
    Result<Scene> scene =
        viewScene({.layout = "WGMMA", .shape = {64, 32}, .dtype = layouts::Dtype::F32, .view = View::Grid});
    ASSERT_TRUE(scene);
    EXPECT_EQ(answer["text"], *renderScene(*scene, format)) << format;
  }
}

/// A random state of the page, through its own requests.
void change(LayoutPage &page, std::mt19937 &random) {
  auto one = [&](std::initializer_list<const char *> of) { return std::data(of)[random() % of.size()]; };
  ask(page, {{"do", "set"},
             {"fields",
              {{"layout", one({"WGMMA", "TCGEN05", "(8,4):(4,1)", "local(2, 1).spatial(8, 4).local(1, 2)",
                               "mma.m16n8k16.f16", "S[(8,64):(64@m,1@m)]", "\"quotes\\ and\nlines"})},
               {"shape", one({"64x16", "128x32", "16x8", "8x4", "8x64"})},
               {"dtype", one({"f16", "f32", "i8"})},
               {"compare", one({"", "WGMMA_TRANSPOSED", "TCGEN05"})},
               {"colourBy", one({"warp", "lane", "register", "vector"})},
               {"tiling", one({"auto", "none", "8x32"})},
               {"swizzle", random() % 2 ? 64 : 0},
               {"stage", one({"before", "after", "both"})},
               {"access", one({"", "ld.shared.b32", "ldmatrix.x4"})}}}});
  for (const char *pane : {"threads", "smem", "tmem", "second", "diff"})
    ask(page, {{"do", "open"}, {"pane", pane}, {"open", random() % 2 == 0}});
  if (random() % 2)
    ask(page, {{"do", "arrow"}, {"pane", "array"}, {"rows", random() % 8}, {"columns", random() % 4}});
}

TEST(LayoutPage, aLinkGivesTheSameState) {
  std::mt19937 random(7);
  LayoutPage page;
  ask(page, {{"do", "start"}});
  for (int i = 0; i < 40; ++i) {
    change(page, random);
    json shared = ask(page, {{"do", "share"}});
    LayoutPage other;
    ask(other, {{"do", "start"}});
    json loaded = ask(other, {{"do", "load"}, {"state", shared}});
    ASSERT_FALSE(loaded.contains("error")) << shared.dump() << loaded.dump();
    EXPECT_EQ(ask(other, {{"do", "share"}}), shared);
  }
}

TEST(LayoutPage, theViewIsALineThatTheProgramTakes) {
  LayoutPage page;
  ask(page, {{"do", "start"}});
  EXPECT_EQ(ask(page, {{"do", "view"}})["text"],
            "view(\"WGMMA\", shape=(64, 32), dtype=f32, view=\"grid\"); view(\"WGMMA\", shape=(64, 32), dtype=f32, "
            "view=\"lanes\")");
}

TEST(LayoutPage, everySampleIsDrawn) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/viz/web/page/samples.json");
  json samples = json::parse(file);
  ASSERT_GT(samples.size(), 5u);
  for (const json &sample : samples) {
    LayoutPage page;
    ask(page, {{"do", "start"}});
    json answer = ask(page, {{"do", "load"}, {"state", sample["state"]}});
    ASSERT_TRUE(answer.contains("state")) << sample.dump() << answer.dump();
    EXPECT_TRUE(answer["state"]["facts"]["problems"].empty()) << sample.dump() << answer["state"]["facts"].dump();
    for (const json &pane : answer["state"]["panes"])
      EXPECT_EQ(pane.contains("scene"), pane["open"].get<bool>()) << sample.dump() << pane.dump();
  }
}

} // namespace
} // namespace lanescope::viz
