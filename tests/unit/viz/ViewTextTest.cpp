#include "Fixtures.h"

#include "layouts/notation/Notation.h"
#include "viz/scene/CellRaster.h"
#include "viz/scene/ViewText.h"

#include <random>

namespace lanescope::viz::test {
namespace {

Result<ViewSpec> read(std::string_view text) { return parseView(Source::make("view", std::string(text))); }

TEST(ViewText, Examples) {
  ViewSpec spec = *read(R"(view("WGMMA", shape=(64, 64), dtype=f16, view="lanes", colour="register", select=(9, 2),)"
                        R"( theme="dark"))");
  EXPECT_EQ(spec.layout, "WGMMA");
  EXPECT_EQ(spec.shape, (layouts::Shape{64, 64}));
  EXPECT_EQ(spec.dtype, Dtype::F16);
  EXPECT_EQ(spec.view, View::Lanes);
  EXPECT_EQ(spec.colourBy, ColourBy::Register);
  EXPECT_EQ(spec.select, Place(ElementPlace{{9, 2}}));
  EXPECT_EQ(spec.theme, ColourTheme::Dark);
  EXPECT_EQ(viewText(spec), R"(view("WGMMA", shape=(64, 64), dtype=f16, view="lanes", colour="register", )"
                            R"(select=(9, 2), theme="dark"))");
  EXPECT_EQ(viewText({}), "view(None)");
  EXPECT_EQ(read(" view ( layout = 'a \\'b\\\\' , color=\"bank\" , ) ")->layout, "a 'b\\");
  EXPECT_EQ(read("view(WGMMA, shape=8)")->shape, layouts::Shape{8});
  EXPECT_EQ(read("view(WGMMA, thread=5, register=1)")->select, Place(ThreadPlace{5, 1, -1}));
  EXPECT_EQ(read("view(WGMMA, cell=(3, 5))")->select, Place(TmemPlace{3, 5, -1}));
  EXPECT_EQ(read("view(WGMMA, zoom=(2, 0.5, 1e3))")->zoom, (ViewZoom{2, 0.5, 1000}));
  EXPECT_TRUE(looksLikeView("  view (x)"));
  EXPECT_FALSE(looksLikeView("viewer(x)"));
  EXPECT_FALSE(looksLikeView("WGMMA"));
}

TEST(ViewText, RoundTrips) {
  std::mt19937 random(7);
  auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  auto shape = [&](int most) {
    layouts::Shape out;
    for (int i = pick(most); i > 0; --i)
      out.push_back(pick(300));
    return out;
  };
  const char *kTexts[] = {"",  "WGMMA", "#ttg.blocked<{order = [1, 0]}>", "a\"b\\c\nd", "Sw<3,4,3> o (8,64):(64,1)",
                          "µ→"};
  for (int i = 0; i < 20000; ++i) {
    ViewSpec spec;
    spec.layout = kTexts[pick(6)];
    spec.against = kTexts[pick(6)];
    spec.shape = shape(4);
    spec.slice = shape(3);
    spec.tiling = shape(3);
    if (pick(2))
      spec.dtype = layouts::allDtypes()[static_cast<size_t>(pick(static_cast<int>(layouts::allDtypes().size())))];
    spec.view = static_cast<View>(pick(8));
    if (pick(3) == 0)
      spec.smemColour = static_cast<SmemColour>(pick(3));
    else
      spec.colourBy = static_cast<ColourBy>(pick(6));
    spec.swizzle = pick(129);
    spec.transpose = pick(2);
    spec.stage = static_cast<SmemStage>(pick(4));
    spec.wholeMemory = pick(2);
    spec.theme = static_cast<ColourTheme>(pick(2));
    if (pick(2))
      spec.zoom = ViewZoom{0.001 + pick(1000) / 7.0, pick(5000) / 3.0 - 700, -pick(50) / 9.0};
    switch (pick(5)) {
    case 0: spec.select = ElementPlace{shape(4)}; break;
    case 1: spec.select = ThreadPlace{pick(128), pick(3) - 1, pick(3) - 1}; break;
    case 2: spec.select = BytePlace{pick(1 << 20)}; break;
    case 3: spec.select = TmemPlace{pick(128), pick(512), pick(3) - 1}; break;
    default: break;
    }
    std::string written = viewText(spec);
    EXPECT_EQ(written.find('\n'), std::string::npos);
    Result<ViewSpec> back = read(written);
    ASSERT_TRUE(back.has_value()) << written << "\n" << render(back.error());
    ASSERT_TRUE(*back == spec) << written << "\n" << viewText(*back);
  }
}

TEST(ViewText, SeveralPictures) {
  auto readAll = [](std::string_view text) { return parseViews(Source::make("view", std::string(text))); };
  std::vector<ViewSpec> specs(3);
  specs[0].layout = "WGMMA", specs[0].select = ThreadPlace{5, 1, -1};
  specs[1].layout = "a;b", specs[1].swizzle = 64;
  EXPECT_EQ(viewsText(specs), R"(view("WGMMA", thread=5, register=1); view("a;b", swizzle=64); view(None))");
  Result<std::vector<ViewSpec>> back = readAll(viewsText(specs));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, specs);
  EXPECT_EQ(readAll("view(WGMMA)")->size(), 1u);
  EXPECT_EQ(readAll("view(WGMMA) ; view(X) ;\n")->size(), 2u);
  struct Case {
    std::string text;
    uint32_t begin;
    const char *message;
  };
  std::string many;
  for (int i = 0; i < 65; ++i)
    many += "view(x);";
  const Case kCases[] = {{"view(A); view(B, shape=x)", 23, "a tuple of numbers"},
                         {"view(A) view(B)", 8, "nothing may follow"},
                         {"view(A); thread", 9, "a call `view"},
                         {"view(A); view(B, register=1)", 9, "add `thread"},
                         {many, 64 * 8, "at most 64 views"}};
  for (const Case &c : kCases) {
    auto read = readAll(c.text);
    ASSERT_FALSE(read.has_value()) << c.text;
    EXPECT_NE(read.error()[0].message.find(c.message), std::string::npos) << c.text << ": " << read.error()[0].message;
    EXPECT_EQ(read.error()[0].span.begin, c.begin) << c.text;
  }
  EXPECT_FALSE(parseView(Source::make("view", "view(A); view(B)")).has_value());
}

TEST(ViewText, MistakesAreToldWhereTheyAre) {
  struct Case {
    const char *text;
    uint32_t begin;
    const char *message;
  };
  const Case kCases[] = {
      {"", 0, "a call `view"},
      {"show(1)", 0, "a call `view"},
      {"view", 4, "`(` is expected"},
      {"view(", 5, "`)` is expected"},
      {"view(WGMMA", 10, "`,` or `)`"},
      {"view(WGMMA) x", 12, "nothing may follow"},
      {"view(\"WGMMA)", 5, "does not end"},
      {"view(WGMMA, 3)", 12, "go by name"},
      {"view(WGMMA, size=3)", 12, "no argument `size`"},
      {"view(WGMMA, shape=(1, -2))", 22, "not negative"},
      {"view(WGMMA, shape=(1, (2,)))", 22, "whole number"},
      {"view(WGMMA, shape=\"64\")", 18, "a tuple of numbers"},
      {"view(WGMMA, view=\"pie\")", 17, "no such view"},
      {"view(WGMMA, dtype=f17)", 18, "a type such as"},
      {"view(WGMMA, colour=3)", 19, "no such colouring"},
      {"view(WGMMA, color=\"lane\", colour=\"lane\")", 26, "twice"},
      {"view(WGMMA, theme=blue)", 18, "light and dark"},
      {"view(WGMMA, zoom=(0, 1, 1))", 18, "above zero"},
      {"view(WGMMA, zoom=(1, 1))", 17, "three numbers"},
      {"view(WGMMA, transpose=1)", 22, "`True` or `False`"},
      {"view(WGMMA, swizzle=4096)", 20, "from 0 to 128"},
      {"view(WGMMA, register=1)", 0, "add `thread"},
      {"view(WGMMA, select=(1, 2), thread=3)", 0, "one thing"},
      {"view(WGMMA, cell=(1, 2, 3, 4))", 17, "a lane, a column"},
      {"view(WGMMA, byte=99999999999999999999)", 17, "whole number"},
      {"view(WGMMA, shape=@)", 18, "a value is expected"},
      {"view(\"a\\q\")", 7, "escape"},
  };
  for (const Case &c : kCases) {
    Result<ViewSpec> spec = read(c.text);
    ASSERT_FALSE(spec.has_value()) << c.text;
    EXPECT_NE(spec.error()[0].message.find(c.message), std::string::npos) << c.text << ": " << spec.error()[0].message;
    EXPECT_EQ(spec.error()[0].span.begin, c.begin) << c.text << ": " << spec.error()[0].message;
  }
  std::string deep(70000, '(');
  EXPECT_FALSE(read("view(" + deep).has_value());
}

TEST(ViewText, DrawsWhatItSays) {
  auto scene = [](std::string_view text) { return drawn(viewScene(*read(text))); };
  EXPECT_EQ(scene(R"(view("WGMMA", shape=(64, 8), view="lanes"))").grid.rows, 128);
  EXPECT_EQ(scene(R"(view("WGMMA", shape=(64, 16), view="flow", against="WGMMA"))").grid.rows, 128);
  EXPECT_EQ(scene(R"(view("WGMMA", shape=(64, 16), view="diff", against="WGMMA"))").subtitle, "unchanged: 1024");
  EXPECT_EQ(scene(R"(view("WGMMA", shape=(64, 8), view="f2", theme="dark"))").theme, ColourTheme::Dark);
  EXPECT_EQ(scene("view('tmem_default_layout()', shape=(128, 8))").grid.rows, 128);
  EXPECT_EQ(scene("view('tmem_default_layout()', shape=(128, 8), whole=True)").raster->columns(), 512);
  EXPECT_EQ(scene(R"(view(None, shape=(8, 64), dtype=f16, view="smem", tiling=(8, 64), swizzle=128))").grid.rows, 16);
  EXPECT_EQ(scene(R"(view(None, shape=(8, 64), dtype=f16, view="smem", tiling=(8, 64), swizzle=128, stage="before"))")
                .grid.rows,
            8);
  Scene owned = scene(R"(view("WGMMA", shape=(64, 64), dtype=f16, view="smem", tiling=(8, 64), swizzle=128))");
  EXPECT_NE(owned.body.boxes[0].tooltip.find("is held by warp"), std::string::npos);
  EXPECT_EQ(scene("view(\"WGStridedFragLayout(shape=(16, 128), vec_size=2)\")").grid.rows, 16);
}

TEST(ViewText, PicturesThatCannotBeAreErrors) {
  for (const char *text :
       {"view(None)", "view(None, shape=(8, 8))", "view(\"WGMMA\")", "view(\"NOPE\", shape=(64, 8))",
        "view(\"WGMMA\", shape=(65, 8))", "view(\"WGMMA\", shape=(64, 8), view=\"flow\")",
        "view(\"WGMMA\", shape=(64, 8), view=\"diff\", against=\"NOPE\")", "view(\"WGMMA\", shape=(0, 8))",
        "view(\"WGMMA\", shape=(64, 8), slice=(64,))", "view(\"WGMMA\", shape=(64, 8), swizzle=48)"})
    EXPECT_FALSE(viewScene(*read(text)).has_value()) << text;
}

TEST(ReadPicture, FillsInWhatFollowsFromTheLayout) {
  auto read = [](const char *layout, const ViewSpec &asked = {}) {
    auto parsed = layouts::parseLayout(Source::make("layout", layout));
    EXPECT_TRUE(parsed) << layout;
    return readPicture(asked, *parsed, layouts::ReadingSwitch::Flag);
  };
  auto wgmma = read("WGMMA");
  ASSERT_TRUE(wgmma);
  EXPECT_EQ(wgmma->spec.shape, (layouts::Shape{64, 8}));
  EXPECT_FALSE(wgmma->spec.memory) << "the layout has one memory";
  EXPECT_EQ(wgmma->memory, layouts::Memory::Registers);
  EXPECT_EQ(wgmma->note, "");
  EXPECT_EQ(read("WGMMA", {.shape = {128, 64}})->spec.shape, (layouts::Shape{128, 64}));
  // A plain layout of CuTe can be read for shared memory and for registers.
  auto plain = read("(8,4):(4,1)");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->spec.shape, (layouts::Shape{8, 4}));
  EXPECT_EQ(plain->spec.memory, layouts::Memory::Shared);
  EXPECT_NE(plain->note.find("--memory registers"), std::string::npos) << plain->note;
  auto threads = read("(8,4):(4,1)", {.memory = layouts::Memory::Registers});
  ASSERT_TRUE(threads);
  EXPECT_EQ(threads->spec.shape, (layouts::Shape{32}));
  EXPECT_EQ(threads->note, "");
  EXPECT_FALSE(read("WGMMA", {.memory = layouts::Memory::Shared}));
}

} // namespace
} // namespace lanescope::viz::test
