// The web page's console, as the page uses it. tests/web/snippets.py has the page.
#include "repl/web/SnippetPage.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanescope::repl {
namespace {

using nlohmann::json;

json ask(SnippetPage &page, const json &request) { return json::parse(page.call(request.dump())); }
json enter(SnippetPage &page, const std::string &text) { return ask(page, {{"do", "entry"}, {"text", text}})["entry"]; }
json parts(SnippetPage &page, const std::string &text) { return enter(page, text)["parts"]; }

TEST(SnippetPage, writesValuesAsTheReplDoes) {
  SnippetPage page;
  EXPECT_EQ(parts(page, "1 + 2")[0], json::parse(R"({"kind": "text", "text": "3\n"})"));
  EXPECT_EQ(parts(page, "x = 7"), json::array());
  EXPECT_EQ(parts(page, "x\n_ + 1")[0]["text"].get<std::string>().substr(0, 2), "7\n");
  EXPECT_NE(parts(page, "owners(WGMMA, (64, 8), (9, 2))")[0]["text"].get<std::string>().find("warp"),
            std::string::npos);
  EXPECT_EQ(parts(page, "print('a'); print('b')")[0]["text"], "a\nb\n");
}

TEST(SnippetPage, aPictureIsAView) {
  SnippetPage page;
  json part = parts(page, "show(WGMMA, (64, 16))")[0];
  EXPECT_EQ(part["kind"], "picture");
  EXPECT_TRUE(part["view"].get<std::string>().starts_with("view(\"WGMMA\", shape=(64, 16)"));
  EXPECT_FALSE(part["text"].get<std::string>().empty());
}

TEST(SnippetPage, anErrorIsAPartAndTheNamesStay) {
  SnippetPage page;
  parts(page, "x = [1]");
  json answer = enter(page, "x[0] = 5\nnothing");
  EXPECT_FALSE(answer["ok"]);
  EXPECT_EQ(answer["parts"][0]["kind"], "problem");
  EXPECT_EQ(parts(page, "x")[0]["text"], "[1]\n");
  EXPECT_FALSE(enter(page, "import jax")["parts"].empty());
  EXPECT_TRUE(ask(page, {{"do", "fly"}}).contains("error"));
}

TEST(SnippetPage, savedArraysStayInMemory) {
  SnippetPage page;
  EXPECT_TRUE(enter(page, "save('x.npy', ones((2, 2), f32))")["ok"]);
  EXPECT_NE(parts(page, "load('x.npy')")[0]["text"].get<std::string>().find('1'), std::string::npos);
}

TEST(SnippetPage, theOverviewFitsItsColumn) {
  SnippetPage page;
  auto about = [&](int width) { return ask(page, {{"do", "overview"}, {"width", width}})["about"].get<std::string>(); };
  std::string wide = about(100), narrow = about(60);
  EXPECT_TRUE(wide.contains("whether it is for the host, for kernels, or for both. Tab"));
  EXPECT_TRUE(wide.contains("Some things to begin with:\n\n"));
  EXPECT_TRUE(wide.contains("  draw a layout         show(WGMMA, (64, 16))\n"));
  EXPECT_FALSE(wide.contains("run("));
  EXPECT_TRUE(narrow.contains("  draw a layout\n    show(WGMMA, (64, 16))\n"));
  EXPECT_TRUE(narrow.contains("\nkeywords\n"));
}

TEST(SnippetPage, completesAndExplains) {
  SnippetPage page;
  json found = ask(page, {{"do", "complete"}, {"text", "owne"}, {"cursor", 4}})["completion"];
  EXPECT_EQ(found["from"], 0);
  EXPECT_EQ(found["candidates"], json::parse(R"(["owners("])"));
  EXPECT_NE(ask(page, {{"do", "about"}, {"text", "owners("}})["about"].get<std::string>().find("owners("),
            std::string::npos);
  EXPECT_EQ(ask(page, {{"do", "about"}, {"text", "none"}})["about"], "");
  EXPECT_TRUE(ask(page, {{"do", "more"}, {"text", "def f(x):"}})["more"]);
  EXPECT_FALSE(ask(page, {{"do", "more"}, {"text", "1"}})["more"]);
}

TEST(SnippetPage, limitsAnEntry) {
  SnippetPage page;
  json answer = enter(page, "for i in range(300000):\n  print('a long line of text')\n");
  EXPECT_NE(answer["parts"].back()["text"].get<std::string>().find("more than the page shows"), std::string::npos);
  EXPECT_FALSE(enter(page, "zeros((100000, 100000), f32)")["ok"]);
}

} // namespace
} // namespace lanescope::repl
