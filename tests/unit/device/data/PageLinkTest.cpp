// Links to the web page. tests/web/page.py has the same in the browser.
#include "core/data/PageLink.h"

#include <gtest/gtest.h>

#include <random>

namespace lanescope::core {
namespace {

Result<std::string> read(const std::string &link) { return pageState(Source::make("link", link)); }

TEST(PageLink, aStateSurvives) {
  std::mt19937 random(1);
  for (size_t size : {0, 1, 2, 3, 100, 70'000}) {
    std::string state(size, ' ');
    for (char &byte : state)
      byte = char(random() % 256);
    std::string fragment = pageFragment(state);
    EXPECT_TRUE(fragment.starts_with("#1="));
    EXPECT_EQ(fragment.find_first_of("+/= ", 3), std::string::npos);
    EXPECT_EQ(read(fragment).value_or("none"), state);
    EXPECT_EQ(read("http://localhost:8000/app/" + fragment).value_or("none"), state);
  }
}

TEST(PageLink, saysWhatIsWrong) {
  auto message = [](const std::string &link) {
    auto state = read(link);
    return state ? std::string("read") : state.error().front().message;
  };
  std::string good = pageFragment(R"({"layout": "WGMMA"})"), long_ = pageFragment(std::string(2 << 20, 'x'));
  EXPECT_EQ(message(good), "read");
  EXPECT_EQ(message("hello"), "this link cannot be read: it is cut off, or something was added to it");
  EXPECT_EQ(message("#1"), "this link cannot be read: it is cut off, or something was added to it");
  EXPECT_EQ(message("#1=a b"), "this link cannot be read: it is cut off, or something was added to it");
  EXPECT_EQ(message("#2" + good.substr(2)),
            "this link cannot be read: it is of version 2, and this program reads version 1");
  EXPECT_EQ(message(good.substr(0, good.size() - 6)), "this link cannot be read: it is damaged");
  EXPECT_EQ(message("#1="), "this link cannot be read: it is damaged");
  EXPECT_EQ(message(good + "AAAA"), "this link cannot be read: it is damaged");
  EXPECT_EQ(message(long_), "this link cannot be read: it is too long");
}

TEST(PageLink, isToldFromLayouts) {
  for (const char *link :
       {"#1=abc", "http://localhost:8000/app/#1=x", "https://example.com/#1=x", "#2=x", "https://example.com/app/"})
    EXPECT_TRUE(looksLikePageLink(link)) << link;
  for (const char *other : {"WGMMA", "#mosaic_gpu.TiledLayout<[[64, 8]]>", "#a = #ttg.blocked<{}>", "#linear", "x.py",
                            "#=1", "#1 = 2", "view(\"#1=x\")"})
    EXPECT_FALSE(looksLikePageLink(other)) << other;
}

} // namespace
} // namespace lanescope::core
