#include "Fixtures.h"
#include "Golden.h"

#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Utf8.h"
#include "tests/unit/TemporaryFolder.h"
#include "viz/export/Export.h"
#include "viz/export/Html.h"
#include "viz/export/LinePacking.h"
#include "viz/export/PackedPage.h"
#include "viz/export/Png.h"
#include "viz/export/Svg.h"
#include "viz/export/TerminalCanvas.h"
#include "viz/export/TerminalText.h"
#include "viz/scene/Page.h"

#include <cairo/cairo.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lanescope::viz::test {
namespace {

Scene rowScene() { return drawn(layoutScene(any(catalogue::wgmmaRow()), {64}, Dtype::F32)); }
Scene smem() { return drawn(smemScene({.shape = {8, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128})); }

std::string rendered(const Scene &scene, std::string_view format) {
  Result<std::string> out = renderScene(scene, format);
  EXPECT_TRUE(out.has_value()) << format;
  return out.value_or("");
}

TEST(Golden, Svg) {
  EXPECT_EQ(compareGolden("wgmma_row_64.svg", rendered(rowScene(), "svg")), "");
  EXPECT_EQ(compareGolden("trace.svg", rendered(traceScene(smallTrace()), "svg")), "");
}

TEST(Golden, Text) {
  EXPECT_EQ(compareGolden("wgmma_64x8.txt", terminalText(wgmma(), {.width = 80})), "");
  EXPECT_EQ(
      compareGolden("wgmma_64x8_256.txt", terminalText(wgmma(), {.width = 80, .colour = TerminalColour::Ansi256})), "");
  EXPECT_EQ(compareGolden("smem_8x64_f16_128.txt", rendered(smem(), "txt")), "");
  EXPECT_EQ(compareGolden("trace.txt", terminalText(traceScene(smallTrace()), {.width = 100})), "");
}

/// The line of a trace with one track: its name, and a slice over half of the time with the name `slice`.
std::string trackLine(const std::string &track, const std::string &slice) {
  core::Trace trace;
  trace.names = {slice};
  trace.tracks.push_back({1, 1, "SM 0", track, {{0, 0, 1000, 1500}, {0, 0, 1999, 2000}}});
  std::string out =
      terminalText(traceScene(std::make_shared<const core::Trace>(std::move(trace))), {.width = 60, .barWidth = 20});
  size_t at = out.find("|");
  size_t begin = out.rfind('\n', at) + 1;
  return out.substr(begin, out.find('\n', at) - begin);
}

TEST(Text, SlicesFillTheColumnsOfATerminal) {
  std::string plain = trackLine("track", "abcdefgh");
  for (const char *name :
       {"中文abcd", "中文中文", "e\u0301bcdefgh", "😀bcdefg", "中文中文中文中文", "a中文中文中文中文"}) {
    std::string line = trackLine("track", name);
    EXPECT_EQ(columnCount(line), columnCount(plain)) << line;
    EXPECT_EQ(columnCount(std::string_view(line).substr(0, line.find('|'))), static_cast<int64_t>(plain.find('|')));
  }
  EXPECT_EQ(columnCount(trackLine("中文", "a")), columnCount(trackLine("abcd", "a")));
}

TEST(Golden, Csv) {
  EXPECT_EQ(compareGolden("wgmma_row_64.csv", rendered(rowScene(), "csv")), "");
  EXPECT_EQ(compareGolden("trace.csv", rendered(traceScene(smallTrace()), "csv")), "");
}

/// Checks that each element of `markup` closes in order. Scripts, styles and comments must have been cut out.
std::string unbalanced(std::string_view markup) {
  std::vector<std::string> open;
  for (size_t at = 0; (at = markup.find('<', at)) != std::string_view::npos;) {
    size_t end = markup.find('>', at);
    if (end == std::string_view::npos)
      return "an unfinished tag";
    std::string_view tag = markup.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with('!') || tag.starts_with('?') || tag.ends_with('/'))
      continue;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1))
        return "</" + std::string(tag.substr(1)) + "> without its start";
      open.pop_back();
    } else {
      open.emplace_back(tag.substr(0, tag.find_first_of(" \n")));
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is left open";
}

void cutOut(std::string &text, std::string_view from, std::string_view to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;) {
    size_t end = text.find(to, at);
    ASSERT_NE(end, std::string::npos);
    text.erase(at, end + to.size() - at);
  }
}

TEST(Svg, IsBalancedAndEscaped) {
  LayoutSceneOptions options;
  options.name = "a<b> & \"c\" \xff\x01";
  std::string svg = toSvg(wgmma({64, 8}, options));
  EXPECT_EQ(unbalanced(svg), "");
  EXPECT_NE(svg.find("a&lt;b&gt; &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_EQ(validUtf8(svg).find("\xef\xbf\xbd\xef\xbf\xbd\xef"), std::string::npos);
  EXPECT_NE(svg.find("<title>element (9, 2) is held by warp 0, lane 5"), std::string::npos);
  EXPECT_NE(svg.find(">T127</text>"), std::string::npos); // the label is text
}

TEST(Html, IsWholeAndSelfContained) {
  for (const Scene &scene : {rowScene(), smem(), traceScene(smallTrace())}) {
    std::string html = plainPage(toHtml(scene));
    const nlohmann::json page = dataOf(html);
    ASSERT_FALSE(page.is_discarded());
    EXPECT_FALSE(page["hint"].get<std::string>().empty());
    const nlohmann::json &data = page["scenes"];
    ASSERT_EQ(data.size(), 1u);
    EXPECT_EQ(data[0]["tips"].size(), scene.body.boxes.size());
    EXPECT_EQ(data[0]["boxSets"].size(), scene.body.boxes.size());
    EXPECT_EQ(data[0]["elements"].size(), scene.body.boxes.size());
    EXPECT_EQ(data[0]["sets"].size(), scene.linkSets.size());
    EXPECT_EQ(html.find("src="), std::string::npos);
    EXPECT_EQ(html.find("href="), std::string::npos);
    EXPECT_EQ(html.find("@import"), std::string::npos);
    size_t classes = 0;
    for (size_t i = 0; (i = html.find("class=\"b\"", i)) != std::string::npos; ++i)
      ++classes;
    EXPECT_EQ(classes, scene.body.boxes.size()); // the page's script relies on it
    cutOut(html, "<script type=\"application/json\">", "</script>");
    cutOut(html, "<script type=\"module\">", "</script>");
    cutOut(html, "<style>", "</style>");
    EXPECT_EQ(unbalanced(html), "");
  }
}

TEST(Html, TextCannotEndTheScript) {
  core::Trace trace = *smallTrace();
  trace.names[0] = "</script><b>";
  std::string html = plainPage(toHtml(traceScene(std::make_shared<const core::Trace>(trace))));
  EXPECT_EQ(html.find("</script><b>"), std::string::npos);
}

TEST(Html, LargePagesAreCompressed) {
  const Scene scene = wgmma({64, 64});
  std::string html = toHtml(scene);
  EXPECT_NE(html.find("id=\"packed\""), std::string::npos);
  EXPECT_LT(html.size(), 60'000u);
  EXPECT_EQ(html, toHtml(scene)) << "the same picture is the same file";
  std::string plain = plainPage(html);
  EXPECT_GT(plain.size(), 900'000u);
  EXPECT_NE(plain.find(">T127</text>"), std::string::npos);
  EXPECT_LT(toHtml(wgmma({256, 256})).size(), 600'000u);
  const Scene three[] = {wgmma({64, 64}), wgmma({64, 64}, {.view = View::Lanes}),
                         drawn(smemScene({.shape = {64, 64}, .dtype = Dtype::F16, .tiling = {8, 64}, .swizzle = 128}))};
  EXPECT_LT(toHtml(three).size(), 300'000u);
  EXPECT_EQ(toHtml(Scene{}).find("id=\"packed\""), std::string::npos);
}

TEST(Html, PackedLinesComeBack) {
  std::string many;
  for (int i = 0; i < 500; ++i)
    many += "<rect x=\"" + std::to_string(i * 7) + "." + std::to_string(i % 90 + 10) + "\" fill=\"#0" +
            std::to_string(i % 3) + "a1f0\"/>\n";
  for (const std::string &text : {std::string(), std::string("\n"), std::string("\n\n7"), std::string("a\n7\n"),
                                  std::string("0 00 007 10 -3 1e9 99999999999999999999999 1.50"),
                                  std::string("\"quoted\" \\ \t {\"a\":[1,2]} é €"), many}) {
    EXPECT_EQ(unpackedLines(packedLines(text)), text);
  }
  EXPECT_LT(core::gzipped(packedLines(many)).size() * 3, core::gzipped(many).size());
}

TEST(Html, BytesInBase64) { // the examples of RFC 4648
  const std::pair<std::string, std::string> kExamples[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"},
                                                           {"\xff\xfe\xfd", "//79"}};
  for (const auto &[bytes, digits] : kExamples)
    EXPECT_EQ(base64(bytes), digits);
}

struct Image {
  cairo_surface_t *surface = nullptr;
  std::string_view rest;
  explicit Image(std::string_view png) : rest(png) {
    auto read = [](void *self, unsigned char *out, unsigned size) {
      auto &bytes = static_cast<Image *>(self)->rest;
      if (bytes.size() < size)
        return CAIRO_STATUS_READ_ERROR;
      std::memcpy(out, bytes.data(), size);
      bytes.remove_prefix(size);
      return CAIRO_STATUS_SUCCESS;
    };
    surface = cairo_image_surface_create_from_png_stream(read, this);
  }
  ~Image() { cairo_surface_destroy(surface); }
  Colour at(double x, double y) const {
    const unsigned char *row =
        cairo_image_surface_get_data(surface) + static_cast<ptrdiff_t>(y) * cairo_image_surface_get_stride(surface);
    uint32_t pixel;
    std::memcpy(&pixel, row + static_cast<ptrdiff_t>(x) * 4, 4);
    return {static_cast<uint8_t>(pixel >> 16), static_cast<uint8_t>(pixel >> 8), static_cast<uint8_t>(pixel)};
  }
};

TEST(Png, PixelsHaveTheBoxesColours) {
  Scene scene = wgmma();
  Page layout = page(scene);
  Image image(*toPng(scene, 1));
  ASSERT_EQ(cairo_surface_status(image.surface), CAIRO_STATUS_SUCCESS);
  EXPECT_EQ(cairo_image_surface_get_width(image.surface), static_cast<int>(layout.width));
  EXPECT_EQ(cairo_image_surface_get_height(image.surface), static_cast<int>(layout.height));
  for (const Box &box : scene.body.boxes) // a corner without border or label
    EXPECT_EQ(image.at(layout.bodyAt.x + box.rect.x + 3, layout.bodyAt.y + box.rect.y + 3), box.fill) << box.label;
  int ink = 0; // the labels are drawn
  const Rect &r = scene.body.boxes[0].rect;
  for (int y = 4; y < r.height - 4; ++y)
    for (int x = 4; x < r.width - 4; ++x)
      ink += image.at(layout.bodyAt.x + r.x + x, layout.bodyAt.y + r.y + y).r < 110;
  EXPECT_GT(ink, 20);
  EXPECT_EQ(image.at(1, 1), (Colour{255, 255, 255}));
}

TEST(Png, SizeIsLimited) {
  Scene scene = wgmma({128, 128});
  Image image(*toPng(scene, 50));
  EXPECT_LE(cairo_image_surface_get_width(image.surface), 32767);
  Scene endless;
  endless.body.width = 10;
  endless.body.height = 1e7;
  EXPECT_FALSE(toPng(endless).has_value());
}

TEST(Export, SuffixPicksTheFormat) {
  const TemporaryFolder folder;
  const std::pair<const char *, const char *> kBegins[] = {
      {"svg", "<?xml"},      {"png", "\x89PNG"},       {"pdf", "%PDF"},          {"html", "<!DOC"},
      {"txt", "WGMMA  (64"}, {"json", "{\"layout\":"}, {"csv", "row,col,thread"}};
  for (auto [suffix, begin] : kBegins) {
    std::string path = (folder / (std::string("x.") + suffix)).string();
    ASSERT_TRUE(exportScene(wgmma(), path).has_value()) << suffix;
    std::ifstream file(path, std::ios::binary);
    std::string head(std::strlen(begin), '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    EXPECT_EQ(head, begin);
  }
  EXPECT_FALSE(exportScene(wgmma(), "x.gif").has_value());
  EXPECT_FALSE(exportScene(wgmma(), "dir.d/x").has_value());
  EXPECT_FALSE(exportScene(wgmma(), "/nonexistent/folder/x.svg").has_value());
  EXPECT_FALSE(renderScene(Scene{}, "json").has_value());
  EXPECT_FALSE(renderScene(Scene{}, "csv").has_value());
  for (const char *format : {"svg", "png", "pdf", "html", "txt"})
    EXPECT_TRUE(renderScene(Scene{}, format).has_value()) << format; // an empty picture is valid
}

TEST(Json, IsTheElementMap) {
  nlohmann::json map = nlohmann::json::parse(rendered(wgmma(), "json"), nullptr, false);
  EXPECT_EQ(map["threads"], 128);
  EXPECT_EQ(map["map"][5], (std::vector<int>{10, 11, 74, 75}));
  nlohmann::json tmem = nlohmann::json::parse(
      rendered(drawn(layoutScene(*catalogue::tmemDefault(2), {128, 16}, Dtype::F16)), "json"), nullptr, false);
  EXPECT_EQ(tmem["packing"], 2);
  EXPECT_FALSE(nlohmann::json::parse(rendered(smem(), "json"), nullptr, false)["image"].empty());
  EXPECT_EQ(nlohmann::json::parse(rendered(traceScene(smallTrace()), "json"), nullptr, false)["displayTimeUnit"], "ns");
}

TEST(Terminal, FitsItsWidth) {
  for (int width : {40, 80, 120})
    for (const Scene &scene : {wgmma({64, 64}), wgmma({256, 256}), smem(), rowScene(), traceScene(smallTrace())}) {
      std::string out = terminalText(scene, {.width = width});
      std::string_view rest = out;
      while (!rest.empty()) {
        size_t end = rest.find('\n');
        ASSERT_NE(end, std::string_view::npos) << "the last line must end";
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        for (char c : line)
          EXPECT_GE(c, ' ') << line; // plain ASCII, no escapes
        EXPECT_LE(line.size(), static_cast<size_t>(width)) << line;
      }
    }
}

TEST(Terminal, SaysWhatItLeavesOut) {
  std::string out = terminalText(wgmma({64, 64}), {.width = 60, .maxRows = 8});
  EXPECT_NE(out.find("showing 8 of 64 rows and"), std::string::npos);
  EXPECT_EQ(terminalText(wgmma(), {.width = 100}).find("showing"), std::string::npos);
}

/// Also in colour: readable labels are worth more than an overview.
TEST(Terminal, CellsHaveLabelsAtEightyColumns) {
  for (TerminalColour mode : {TerminalColour::None, TerminalColour::Ansi256}) {
    std::string whole = terminalText(wgmma({64, 16}), {.width = 80, .colour = mode});
    EXPECT_NE(whole.find("127"), std::string::npos) << whole;
    EXPECT_NE(whole.find("(7 is T7: the terminal is too narrow for the letter)"), std::string::npos) << whole;
    EXPECT_EQ(whole.find("showing"), std::string::npos) << whole;
    std::string part = terminalText(wgmma({64, 64}), {.width = 80, .colour = mode});
    EXPECT_NE(part.find("T127"), std::string::npos) << part;
    EXPECT_NE(part.find("(showing 64 of 64 rows and 15 of 64 columns; "), std::string::npos) << part;
    EXPECT_NE(terminalText(wgmma({64, 8}), {.width = 80, .colour = mode}).find("T127"), std::string::npos);
  }
}

TEST(Terminal, ColoursEndWithTheLine) {
  for (TerminalColour mode : {TerminalColour::Ansi256, TerminalColour::TrueColour}) {
    std::string out = terminalText(wgmma(), {.width = 100, .colour = mode});
    EXPECT_NE(out.find(mode == TerminalColour::Ansi256 ? "48;5;" : "48;2;"), std::string::npos);
    size_t begin = 0;
    for (size_t end; (end = out.find('\n', begin)) != std::string::npos; begin = end + 1) {
      std::string_view line(out.data() + begin, end - begin);
      size_t last = line.rfind("\x1b[");
      if (last != std::string_view::npos)
        EXPECT_EQ(line.substr(last, 4), "\x1b[0m") << line;
    }
  }
  EXPECT_EQ(nearest256({255, 0, 0}), 196);
  EXPECT_EQ(nearest256({128, 128, 128}), 244);
}

} // namespace
} // namespace lanescope::viz::test
