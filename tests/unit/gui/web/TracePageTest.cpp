// The web page's view of traces, as the page uses it: requests and answers in JSON. tests/web/traces.py has the page.
#include "viz/web/TracePage.h"
#include "core/data/Files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanescope::viz {
namespace {

using nlohmann::json;

json ask(TracePage &page, const json &request) { return json::parse(page.call(request.dump())); }

std::string matmul() {
  auto bytes = core::readSource(LANESCOPE_SOURCE_DIR "/samples/traces/emulated_matmul.json.gz", core::FileRole::Trace);
  return *core::gunzip((*bytes)->text(), "matmul", 1 << 20);
}
json opened(TracePage &page, std::string text = matmul(), const char *name = "matmul.json") {
  page.file() = std::move(text);
  return ask(page, {{"do", "open"}, {"name", name}});
}
json frameOf(TracePage &page) {
  json style = {{"ground", 0xFFFFFFFFu}, {"ink", 0xFF000000u}, {"accent", 0xFFCA6008u}, {"rule", 0xFFD6CCC3u}};
  return ask(page, {{"do", "frame"}, {"width", 900}, {"height", 600}, {"scale", 1}, {"style", style}})["frame"];
}

TEST(TracePage, opensATraceAndDrawsIt) {
  TracePage page;
  EXPECT_EQ(ask(page, {{"do", "facts"}})["trace"], nullptr);
  json trace = opened(page)["trace"];
  EXPECT_EQ(trace["title"], "matmul.json");
  EXPECT_EQ(trace["previous"], "");
  EXPECT_TRUE(page.file().empty());
  json frame = frameOf(page);
  EXPECT_GT(frame["bars"]["count"], 40);
  EXPECT_EQ(frame["rows"][0]["name"], "SM 0");
  EXPECT_TRUE(frame["rows"][0]["heading"]);
  EXPECT_FALSE(frame["overlap"].is_null());
  EXPECT_TRUE(frame["occupancy"].is_null());
}

TEST(TracePage, aClickExplainsASlice) {
  TracePage page;
  opened(page);
  json label = frameOf(page)["labels"][0]; // x0, x1, y0, y1, name, ink
  json at = {{"x", label[0].get<double>() + 3}, {"y", label[2].get<double>() + 3}};
  json pointed = ask(page, {{"do", "point"}, {"x", at["x"]}, {"y", at["y"]}})["pointed"];
  EXPECT_TRUE(pointed["changed"]);
  EXPECT_EQ(pointed["slice"]["name"], label[4]);
  json panel = ask(page, {{"do", "click"}, {"x", at["x"]}, {"y", at["y"]}})["panel"];
  EXPECT_EQ(panel["slice"]["name"], label[4]);
  ASSERT_FALSE(panel["chain"].empty());
  ASSERT_TRUE(panel["chain"][0]["leads"]);
  json led = ask(page, {{"do", "go"}, {"to", "link"}, {"index", 0}})["panel"];
  EXPECT_TRUE(led["slice"].is_object());
  EXPECT_TRUE(ask(page, {{"do", "go"}, {"to", "nothing"}})["panel"]["slice"].is_null());
}

TEST(TracePage, theStateOfALinkIsTheSameAfterwards) {
  TracePage page;
  opened(page);
  frameOf(page);
  ask(page, {{"do", "go"}, {"to", "next"}});
  ask(page, {{"do", "go"}, {"to", "beside"}});
  ask(page, {{"do", "go"}, {"to", "focus"}});
  ask(page, {{"do", "go"}, {"to", "selectedRange"}});
  ask(page, {{"do", "set"}, {"fields", {{"path", true}, {"occupancy", true}, {"overlap", false}, {"search", "wait"}}}});
  frameOf(page); // limits how far the rows are scrolled
  json state = ask(page, {{"do", "share"}}), panel = ask(page, {{"do", "panel"}});
  TracePage other;
  opened(other);
  json loaded = ask(other, {{"do", "load"}, {"state", state}});
  EXPECT_EQ(loaded, panel);
  EXPECT_EQ(ask(other, {{"do", "share"}}), state);
}

TEST(TracePage, aSecondTraceIsCompared) {
  TracePage page;
  opened(page);
  json second = opened(page, matmul(), "again.json")["trace"];
  EXPECT_EQ(second["previous"], "matmul.json");
  json panel = ask(page, {{"do", "set"}, {"fields", {{"compare", true}}}})["panel"];
  EXPECT_FALSE(panel["comparison"].is_null());
  json frame = frameOf(page);
  EXPECT_GT(frame["ghosts"]["count"], 0);
  EXPECT_TRUE(
      json::parse(ask(page, {{"do", "text"}, {"what", "compare.json"}})["text"].get<std::string>()).is_object());
}

TEST(TracePage, badRequestsAndFilesChangeNothing) {
  TracePage page;
  opened(page);
  json before = ask(page, {{"do", "share"}});
  for (const char *text : {"", "{", "[1,2", "{\"traceEvents\": 3}", "\x1f\x8b", "[{\"ph\": \"X\"}]"})
    EXPECT_TRUE(opened(page, text).contains("error")) << text;
  for (json request : {json{{"do", "nothing"}}, json{{"do", "text"}, {"what", "pdf"}}, json{{"do", "load"}},
                       json{{"do", "set"}}, json(7), json::array()})
    EXPECT_TRUE(ask(page, request).contains("error")) << request;
  for (json state : {json{{"view", {1e300, -1e300}}}, json{{"view", {"a", 1}}}, json{{"selected", {9e99, -4}}},
                     json{{"selected", {0, 99999}}}, json{{"range", 4}}, json{{"scroll", "x"}}})
    EXPECT_FALSE(ask(page, {{"do", "load"}, {"state", state}}).contains("error")) << state;
  EXPECT_EQ(ask(page, {{"do", "facts"}})["trace"]["title"], before["name"]);
  TracePage empty;
  EXPECT_TRUE(ask(empty, {{"do", "load"}, {"state", json::object()}}).contains("error"));
  for (const char *to : {"next", "beside", "match", "focus", "zoom", "pan", "fold", "range", "overview", "link"})
    EXPECT_FALSE(ask(empty, {{"do", "go"}, {"to", to}}).contains("error")) << to;
  EXPECT_FALSE(frameOf(empty).is_null());
}

} // namespace
} // namespace lanescope::viz
