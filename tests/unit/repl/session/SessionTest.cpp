// A session: its output, the state it keeps, and the requests that show() sends to a window.
#include "repl/terminal/Repl.h"

#include "layouts/Catalogue.h"
#include "repl/lang/values/LayoutObjects.h"
#include "repl/session/Show.h"
#include "repl/session/Table.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lanescope::repl {
namespace {

struct SessionFixture {
  std::string written;
  std::vector<Shown> shown;
  bool window = false;
  std::unique_ptr<Session> session;

  explicit SessionFixture(SessionOptions options = {}) {
    options.kernels.device = "emulator";
    options.output = [this](std::string_view text) { written += text; };
    options.onShow = [this](const Shown &what) {
      shown.push_back(what);
      return window;
    };
    session = std::make_unique<Session>(std::move(options));
  }
  /// The output of an entry, or its errors.
  std::string entry(const std::string &text) {
    written.clear();
    auto done = session->entry(Source::make("<t>", text));
    return done ? written : render(done.error());
  }
};

TEST(SessionTest, EchoesExpressionsOfEntriesAndNotOfFiles) {
  SessionFixture f;
  EXPECT_EQ(f.entry("x = 2\nx + 1\n'a'\nNone"), "3\n'a'\n");
  EXPECT_EQ(f.entry("_"), "'a'\n");
  f.written.clear();
  ASSERT_TRUE(f.session->run(Source::make("f.py", "x + 1\nprint(x)")));
  EXPECT_EQ(f.written, "2\n");
}

TEST(SessionTest, SaysWhyATextThatLooksLikeALayoutIsShownAsText) {
  SessionFixture f;
  std::string said = f.entry("show('Layout<Shape<_4,_8>,Stride<_8>>')");
  EXPECT_NE(said.find("'Layout<Shape<_4,_8>,Stride<_8>>'"), std::string::npos) << said;
  EXPECT_NE(said.find("note: shown as text: it looks like a layout, but "), std::string::npos) << said;
  EXPECT_EQ(f.entry("show('hello')"), "'hello'\n");
}

TEST(SessionTest, ShowsLayoutsOfOtherLanguagesAndTwoAgainstEachOther) {
  SessionFixture f;
  f.entry("show(layout('((_4,_8),(_2,_2)):((_32,_1),(_16,_8))'), (16, 8))");
  ASSERT_EQ(f.shown.size(), 1u);
  EXPECT_EQ(std::get<ShownView>(f.shown[0]).spec.shape, (layouts::Shape{16, 8}));
  EXPECT_NE(f.written.find("T31"), std::string::npos) << f.written;
  f.entry("show(WGMMA, (64, 16), view='diff', against=WGMMA_ACC_32BIT)");
  ASSERT_EQ(f.shown.size(), 2u);
  EXPECT_TRUE(std::get<ShownView>(f.shown[1]).against == layouts::Layout(layouts::catalogue::wgmmaAcc32Bit()));
  EXPECT_NE(f.entry("show(WGMMA, view='diff')").find("add `against=`"), std::string::npos);
  EXPECT_NE(f.entry("show(WGMMA, against=WGMMA)").find("a second layout is for"), std::string::npos);
  EXPECT_EQ(f.shown.size(), 2u);
}

TEST(SessionTest, ViewIsReadAsItsTextIs) {
  SessionFixture f;
  f.entry("view('WGMMA', shape=(64, 16), dtype=f16, view='lanes', colour='register', select=(9, 2), theme='dark')");
  ASSERT_EQ(f.shown.size(), 1u) << f.written;
  const viz::ViewSpec &spec = std::get<ShownView>(f.shown[0]).spec;
  EXPECT_EQ(spec, *viz::parseView(Source::make("v", viz::viewText(spec))));
  EXPECT_EQ(spec.layout, "WGMMA");
  EXPECT_EQ(spec.view, viz::View::Lanes);
  EXPECT_EQ(spec.dtype, layouts::Dtype::F16);
  EXPECT_TRUE(std::holds_alternative<viz::ElementPlace>(spec.select));
  EXPECT_NE(f.entry("view('WGMMA', shape=(64, 16), colour=3)").find("error:"), std::string::npos);
  EXPECT_NE(f.entry("view('WGMMA', shape=(63, 16))").find("error:"), std::string::npos);
  EXPECT_EQ(f.shown.size(), 1u);
}

TEST(SessionTest, AFailingEntryChangesNothing) {
  SessionFixture f;
  f.entry("x = [1]");
  EXPECT_NE(f.entry("x.append(2); y = 5; x[7]").find("error:"), std::string::npos);
  EXPECT_EQ(f.entry("x"), "[1]\n");
  EXPECT_NE(f.entry("y").find("error:"), std::string::npos);
  EXPECT_EQ(f.entry("_"), "[1]\n");
}

TEST(SessionTest, LayoutsAreWrittenAsTextAndGrid) {
  SessionFixture f;
  std::string out = f.entry("WGMMA");
  EXPECT_NE(out.find("TiledLayout("), std::string::npos) << out;
  EXPECT_NE(out.find(" 9 T4   r1.0"), std::string::npos) << out;
  EXPECT_EQ(out.find("16 T32"), std::string::npos) << "more than the first rows are echoed";
  EXPECT_NE(f.entry("show(WGMMA)").find("16 T32"), std::string::npos);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);

  SessionFixture coloured(SessionOptions{.colour = true});
  EXPECT_NE(coloured.entry("WGMMA").find("\x1b[38;5;"), std::string::npos);
}

TEST(SessionTest, EveryNamedLayoutHasAPicture) {
  int pictures = 0;
  for (const layouts::CatalogueEntry &entry : layouts::catalogueEntries()) {
    if (entry.callable || !entry.parameters.empty())
      continue;
    auto layout = entry.make({});
    ASSERT_TRUE(layout) << entry.name;
    auto text = shownText(*toShown(Value(*layout)), {});
    EXPECT_TRUE(text) << entry.name << ": " << (text ? "" : render(text.error()));
    ++pictures;
  }
  EXPECT_GT(pictures, 10);
}

/// show() draws the layout that a text describes, or the first layout in a pasted piece of a module or printout.
TEST(SessionTest, ShowsWhatIsPasted) {
  SessionFixture f;
  f.window = true;
  const std::string blocked = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
                              "order = [1, 0]}>";
  auto last = [&]() -> const ShownView & { return std::get<ShownView>(f.shown.back()); };
  EXPECT_EQ(f.entry("show('WGMMA', (64, 32), f16)"), "");
  EXPECT_TRUE(last().layout == layouts::Layout(layouts::RegisterLayout(layouts::catalogue::wgmma())));
  EXPECT_EQ(last().spec.shape, (layouts::Shape{64, 32}));
  // An attribute, a type, a line of a module, and a module with an alias, as a compiler prints it.
  const std::string alias = "#blocked = " + blocked, type = "tensor<128x64xf16, " + blocked + ">";
  for (const std::string &pasted :
       {type, "%acc = arith.constant dense<0.0> : " + type,
        alias + "\nmodule {\n  tt.func @f(%x: tensor<128x64xf16, #blocked>) {\n    tt.return\n  }\n}"}) {
    f.shown.clear();
    EXPECT_EQ(f.entry("show(\"\"\"" + pasted + "\"\"\")"), "") << pasted;
    ASSERT_EQ(f.shown.size(), 1u) << pasted;
    EXPECT_EQ(layouts::languageOf(*last().layout), "triton") << pasted;
    EXPECT_EQ(last().spec.shape, (layouts::Shape{128, 64})) << pasted;
    EXPECT_EQ(last().spec.dtype, layouts::Dtype::F16) << pasted;
  }
  EXPECT_EQ(f.entry("show(WGMMA, (64, 32), view='diff', against='WGMMA_TRANSPOSED')"), "");
  EXPECT_TRUE(last().against == layouts::Layout(layouts::RegisterLayout(layouts::catalogue::wgmmaTransposed())));
  // A text that does not parse is an error at its place if a layout is expected; otherwise it is only a string.
  EXPECT_NE(f.entry("show('local(2, 1).special(8)', (64, 32))").find("expected `spatial`"), std::string::npos);
  EXPECT_NE(f.entry("show(WGMMA, view='diff', against='local(2, 1).special(8)')").find("expected `spatial`"),
            std::string::npos);
  size_t before = f.shown.size();
  EXPECT_NE(f.entry("show('no layout')").find("no layout"), std::string::npos);
  EXPECT_NE(f.entry("show('12')").find("12"), std::string::npos);
  EXPECT_EQ(f.shown.size(), before);
}

TEST(SessionTest, ShowGivesDataToAWindow) {
  SessionFixture f;
  f.window = true;
  EXPECT_EQ(f.entry("show(WGMMA, (128, 32), f16, color=\"lane\", view=\"lanes\")"), "");
  ASSERT_EQ(f.shown.size(), 1u);
  const viz::ViewSpec &layout = std::get<ShownView>(f.shown[0]).spec;
  EXPECT_EQ(layout.shape, (layouts::Shape{128, 32}));
  EXPECT_EQ(layout.dtype, layouts::Dtype::F16);
  EXPECT_EQ(layout.colourBy, viz::ColourBy::Lane);
  EXPECT_EQ(layout.view, viz::View::Lanes);

  EXPECT_EQ(f.entry("show(smem_map((16, 64), bf16, tiling=(8, 64), swizzle=128), color=\"row\")"), "");
  const viz::ViewSpec &smem = std::get<ShownView>(f.shown.at(1)).spec;
  EXPECT_EQ(smem.view, viz::View::Smem);
  EXPECT_EQ(smem.shape, (layouts::Shape{16, 64}));
  EXPECT_EQ(smem.dtype, layouts::Dtype::BF16);
  EXPECT_EQ(smem.swizzle, 128);
  EXPECT_EQ(smem.tiling, (layouts::Shape{8, 64}));
  EXPECT_EQ(smem.smemColour, viz::SmemColour::Row);

  EXPECT_EQ(f.entry("show(WGMMA, (64, 64), f16, view=\"smem\", tiling=(8, 64), swizzle=128)"), "");
  const auto &owned = std::get<ShownView>(f.shown.at(2));
  EXPECT_EQ(owned.spec.smemColour, viz::SmemColour::Warp);
  EXPECT_TRUE(owned.layout == layouts::Layout(layouts::RegisterLayout(layouts::catalogue::wgmma())));
}

TEST(SessionTest, KernelsTheirResultsAndTracesAreShown) {
  SessionFixture f;
  f.entry("@kernel(grid=(1,), num_threads=1)\n"
          "def twice(x: GMEM((128,), f32), out: Out((128,), f32)):\n"
          "  with region(\"double\"):\n"
          "    out[...] = x[...] * 2\n");
  EXPECT_EQ(f.entry("result = run(twice, ones((128,), f32), profile=True)\nresult.outputs[0][5]"), "2.0\n");
  std::string timeline = f.entry("show(result.trace)");
  EXPECT_NE(timeline.find("warpgroup 0"), std::string::npos) << timeline;
  EXPECT_NE(timeline.find("double"), std::string::npos) << timeline;
  EXPECT_EQ(f.entry("result.trace"), timeline);
  EXPECT_NE(f.entry("result").find("kernel twice"), std::string::npos);
  EXPECT_NE(f.entry("show(twice)").find(".visible .entry twice"), std::string::npos);
  EXPECT_NE(f.entry("ptx(twice)").find(".visible .entry twice"), std::string::npos);
  ASSERT_EQ(f.shown.size(), 2u);
  EXPECT_EQ(std::get<ShownTrace>(f.shown[0]).trace->tracks.size(), 1u);
  EXPECT_EQ(std::get<ShownCode>(f.shown[1]).pages.at(0).title, "snippet");
  ASSERT_TRUE(f.session->lastTrace());
  EXPECT_EQ(f.session->kernels().launches().size(), 1u);
}

TEST(SessionTest, AKernelsTensorMemoryIsShown) {
  SessionFixture f({.kernels = {.arch = "sm_100a"}});
  f.entry("@kernel(scratch=[TMEM((128, 64), f32), TMEM((128, 32), bf16, packed=True)])\n"
          "def k(x: GMEM((128, 64), f32), out: Out((128, 64), f32), acc, left):\n"
          "  async_store_tmem(acc, x[...])\n"
          "  commit_tmem()\n"
          "  out[...] = async_load_tmem(acc)\n");
  f.entry("r = run(k, ones((128, 64), f32))");
  std::string picture = f.entry("show(k, view=\"tmem\")");
  EXPECT_NE(picture.find("2 arrays in 80 of 512 columns"), std::string::npos) << picture;
  EXPECT_NE(picture.find("`left`: (128, 32) bf16 in tmem_default_layout(packing=2), columns 64 to 79"),
            std::string::npos)
      << picture;
  ASSERT_EQ(f.shown.size(), 1u);
  EXPECT_EQ(std::get<ShownView>(f.shown[0]).spec.arrays.at(0).name, "acc");
  EXPECT_EQ(f.entry("show(r, view=\"tmem\")"), picture);
  EXPECT_NE(f.entry("show(k, (1, 2), view=\"tmem\")").find("shapes, dtypes and layouts of their own"),
            std::string::npos);
  f.entry("@kernel()\ndef no(x: GMEM((128,), f32), out: Out((128,), f32)):\n  out[...] = x[...]\n");
  f.entry("s = run(no, ones((128,), f32))");
  EXPECT_NE(f.entry("show(no, view=\"tmem\")").find("declares nothing in tensor memory"), std::string::npos);
}

TEST(SessionTest, ShowRefusesWhatDoesNotFit) {
  SessionFixture f;
  for (const char *text :
       {"show(WGMMA, (64, 9))", "show(WGMMA, color=\"thread\")", "show(WGMMA, view=\"grit\")",
        "show(WGMMA, tiling=(8, 64))", "show(3, (1, 2))", "show(tmem_default_layout(), view=\"smem\")",
        "show(smem_map((8, 64), f16), swizzle=5)", "show(smem_map((8, 64), f16), color=\"warp\")"}) {
    std::string out = f.entry(text);
    EXPECT_NE(out.find("<t>:1:"), std::string::npos) << text << " gave " << out;
    EXPECT_NE(out.find("error:"), std::string::npos) << text << " gave " << out;
  }
}

TEST(SessionTest, TablesOfColumnsAndOfRows) {
  SessionFixture f;
  EXPECT_EQ(f.entry("{'a': [1, 10], 'what': ['x', 'yz']}"), " a  what\n 1  x\n10  yz\n");
  EXPECT_EQ(f.entry("[{'n': 1, 'm': 2.5}, {'n': 3, 'm': 4.0}]"), "n    m\n1  2.5\n3  4.0\n");
  EXPECT_EQ(f.entry("{'a': [1], 'b': [1, 2]}"), "{'a': [1], 'b': [1, 2]}\n");
  EXPECT_EQ(f.entry("{}"), "{}\n");
  auto narrow = tableText(Value::dict({{"name", Value::list({"a_rather_long_name_of_a_thing", "b"})},
                                       {"n", Value::list({1, 2})},
                                       {"what", Value::list({"words that take some room", "x"})}}),
                          {.width = 40});
  EXPECT_EQ(narrow, "name           n  what\n"
                    "a_rather_long_name_of_a_thing\n"
                    "               1  words that take some\n"
                    "                  room\n"
                    "b              2  x\n");
  auto table = tableText(Value::dict({{"n", Value::list({1, 2, 3})}}), {.maxRows = 2});
  EXPECT_EQ(table, "n\n1\n2\n(1 more rows)\n");
}

TEST(SessionTest, TablesAlignTheColumnsOfATerminal) {
  auto table = tableText(Value::dict({{"名", Value::list({"中文", "e\u0301", "😀", "a\u200Db", "a\tb", "plain"})},
                                      {"n", Value::list({1, 20, 3, 4, 5, 6})}}),
                         {});
  // A joiner and a tab would move the cursor unseen, so they are written as escapes.
  EXPECT_EQ(table, "名         n\n"
                   "中文       1\n"
                   "e\u0301         20\n"
                   "😀         3\n"
                   "a\\u200db   4\n"
                   "a\\tb       5\n"
                   "plain      6\n");
  auto narrow =
      tableText(Value::list({Value::dict({{"n", 1}, {"what", "中文中文中文中文 中文中文 中文"}})}), {.width = 20});
  EXPECT_EQ(narrow, "n  what\n"
                    "1  中文中文中文中文\n"
                    "   中文中文 中文\n");
}

TEST(SessionTest, InterruptStopsARunningLoop) {
  // The output's sink is called while the loop runs; it interrupts as another thread or a signal would.
  SessionOptions options;
  Session *running = nullptr;
  options.output = [&](std::string_view text) { running->interrupt(); };
  options.limits.steps = 1'000'000; // without the interruption the loop ends with another error
  Session session(std::move(options));
  running = &session;
  auto done = session.entry(Source::make("<t>", "while True:\n  print(1)"));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].kind, "interrupted");
  EXPECT_TRUE(session.entry(Source::make("<t>", "x = 1")));
}

TEST(SessionTest, NeedsMoreText) {
  EXPECT_TRUE(Session::needsMoreText("f(1,"));
  EXPECT_TRUE(Session::needsMoreText("if x:\n"));
  EXPECT_TRUE(Session::needsMoreText("if x:\n  y\n"));
  EXPECT_FALSE(Session::needsMoreText("if x:\n  y\n\n"));
  EXPECT_FALSE(Session::needsMoreText("x = 1\n"));
  EXPECT_TRUE(Session::needsMoreText("s = '''a\n"));
  EXPECT_FALSE(Session::needsMoreText("(1 + [2\n)\n"));
}

TEST(SessionBatchTest, StopsAtTheFirstError) {
  SessionFixture f;
  testing::internal::CaptureStderr();
  EXPECT_EQ(runBatch(*f.session, "<stdin>", "1 + 1\nx = 5\n1 // 0\nprint(x)\n"), 1);
  EXPECT_EQ(f.written, "2\n");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("<stdin>:3:"), std::string::npos);
  f.written.clear();
  EXPECT_EQ(runBatch(*f.session, "<stdin>", "x\ndef f(y):\n  return y\n\nf(3)"), 0);
  EXPECT_EQ(f.written, "5\n3\n");
}

class HistoryTest : public testing::Test {
protected:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("lanescope-history-" + std::to_string(getpid()));
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(HistoryTest, KeepsEntriesOfSeveralLines) {
  std::string path = folder_ / "state" / "history";
  {
    History history(path);
    history.add("x = 1\n");
    history.add("x = 1");
    history.add("  \n");
    history.add("def f(x):\n  return '\\n'\n\n");
  }
  EXPECT_EQ(History(path).entries(), (std::vector<std::string>{"x = 1", "def f(x):\n  return '\\n'"}));
  struct stat about{};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(HistoryTest, ForgetsTheOldest) {
  std::filesystem::create_directories(folder_);
  std::string path = folder_ / "history";
  {
    std::ofstream out(path);
    for (size_t i = 0; i < History::kMaxEntries + 10; ++i)
      out << "x = " << i << "\n";
  }
  History history(path);
  ASSERT_EQ(history.entries().size(), History::kMaxEntries);
  EXPECT_EQ(history.entries().front(), "x = 10");
  EXPECT_EQ(History(path).entries().size(), History::kMaxEntries);
}

TEST_F(HistoryTest, LivesWithoutAFile) {
  History nowhere("/proc/none/history");
  nowhere.add("x = 1");
  EXPECT_EQ(nowhere.entries().size(), 1u);
  History memory("");
  memory.add("y");
  EXPECT_EQ(memory.entries().size(), 1u);
}

TEST(Session, SaysHowATextWasRead) {
  std::vector<std::string> heard;
  SessionOptions options;
  options.remarks = [&](const Diagnostics &remarks) {
    for (const Diagnostic &remark : remarks)
      heard.push_back(render(remark));
  };
  SessionFixture fixture(std::move(options));
  fixture.entry(
      "w = layout('#triton_gpu.mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, "
      "8]}>')");
  ASSERT_EQ(heard.size(), 2u); // the older names of the dialect and the attribute
  EXPECT_NE(heard[0].find("<t>:1:13: note: `#triton_gpu.` is the older name of `#ttg.`"), std::string::npos)
      << heard[0];
  heard.clear();
  fixture.entry("x = layout('WGMMA')");
  EXPECT_TRUE(heard.empty());
  EXPECT_EQ(fixture.entry("find_layouts('nothing here')"), "line  name  shape  bits  uses  layout\n(no rows)\n");
}

} // namespace
} // namespace lanescope::repl
