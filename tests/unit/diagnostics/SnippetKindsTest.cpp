// A snippet for each kind of diagnostic that one line of the language, or of a layout's notation, provokes.
// docs/diagnostics.md explains each kind.
#include "repl/session/Session.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::repl {
namespace {

struct Case {
  const char *kind;
  std::string snippet;
};

/// The kinds of all diagnostics for the snippet: its errors, and notes on how texts were read.
std::vector<std::string> kindsOf(const std::string &snippet) {
  std::vector<std::string> out;
  auto take = [&](const Diagnostics &diagnostics) {
    for (const Diagnostic &diagnostic : diagnostics)
      out.push_back(diagnostic.kind);
  };
  Session session({.kernels = {.device = "emulator"}, .remarks = take});
  if (auto done = session.run(Source::make("test.py", snippet)); !done)
    take(done.error());
  return out;
}

void expectKinds(const std::vector<Case> &cases) {
  for (const Case &one : cases) {
    std::vector<std::string> kinds = kindsOf(one.snippet);
    EXPECT_NE(std::ranges::find(kinds, one.kind), kinds.end())
        << one.kind << "\n"
        << one.snippet << "\ngives " << (kinds.empty() ? "nothing" : kinds.front());
  }
}

/// `lines` are the kernel's, indented by two.
std::string kernel(const std::string &lines) {
  return "@kernel(grid=(1,), num_threads=1)\n"
         "def k(x: GMEM((64, 64), f32), out: Out((64, 64), f32)):\n" +
         lines + "\nrun(k, ones((64, 64), f32))\n";
}

constexpr char kBlocked[] = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
                            "order = [1, 0]}>";

TEST(DiagnosticKinds, OfTheLanguage) {
  expectKinds({{"bad-escape", R"~('\xZZ')~"},
               {"bad-number", "1_"},
               {"division-by-zero", "1 // 0"},
               {"format", "f'{3:zz}'"},
               {"indentation", "if True:\n  1\n 2"},
               {"index-range", "(1, 2)[5]"},
               {"invalid-utf8", "x = 'a\xff'"},
               {"nesting", "x = " + std::string(120, '(') + "1"},
               {"no-attribute", "'a'.nothing"},
               {"syntax", "x = = 1"},
               {"too-large", "a = [1]\nb = [1]\nfor i in range(300):\n  a = [a]\n  b = [b]\na == b"},
               {"unclosed-bracket", "x = (1"},
               {"unexpected-character", "x = $"},
               {"unmatched-bracket", "x = 1)"},
               {"unpack", "a, b = 1, 2, 3"},
               {"unterminated-string", "x = 'a"}});
}

TEST(DiagnosticKinds, OfKernels) {
  expectKinds({{"no-attribute", kernel("  v = x.nothing\n  out[...] = x[...]")},
               {"warp-level", kernel("  def body():\n    v = x[...]\n"
                                     "  core_map(WarpMesh(axis_name='w'))(body)\n  out[...] = x[...]")}});
}

TEST(DiagnosticKinds, OfCompiling) {
  Session session({.kernels = {.device = "none"}});
  auto done = session.run(Source::make("test.py", kernel("  v = x[...]\n  print_layout('{}', v)\n  out[...] = v")));
  ASSERT_TRUE(done) << render(done.error());
  const Diagnostics &said = session.kernels().launches().back().stages->diagnostics;
  EXPECT_TRUE(std::ranges::any_of(said, [](const Diagnostic &one) { return one.kind == "print-layout"; }));
  Session other({.kernels = {.arch = "sm_20", .device = "none"}});
  done = other.run(Source::make("test.py", kernel("  out[...] = x[...]")));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].kind, "arch");
}

TEST(DiagnosticKinds, OfBankConflicts) {
  Session session({.kernels = {.device = "none"}});
  auto done = session.run(Source::make("test.py", R"(
@kernel(grid=(1,), scratch=[SMEM((64, 128), f32)])
def rewrite(x: GMEM((64, 128), f32), out: Out((64, 128), f32), tile):
  tile[...] = load(x, layout=WGMMA)
  commit_smem()
  out[...] = load(tile, layout=WGMMA)
run(rewrite, ones((64, 128), f32))
)"));
  ASSERT_TRUE(done) << render(done.error());
  const Diagnostics &said = session.kernels().launches().back().stages->diagnostics;
  EXPECT_TRUE(std::ranges::any_of(said, [](const Diagnostic &one) {
    return one.severity == Severity::Note && one.kind == "bank-conflicts";
  })) << render(said);
}

TEST(DiagnosticKinds, OfLongTraces) {
  Session session({.kernels = {.device = "emulator"}});
  auto done = session.run(Source::make("test.py", R"(
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((128,), f32), Barrier()])
def k(x: GMEM((128,), f32), out: Out((128,), f32), tile, loaded):
  for i in range(17000):
    copy_gmem_to_smem(x, tile, loaded)
    barrier_wait(loaded)
  out[...] = tile[...]
run(k, ones((128,), f32), profile=True)
)"));
  ASSERT_TRUE(done) << render(done.error());
  ASSERT_TRUE(session.lastTrace());
  const Diagnostics &warnings = session.lastTrace()->warnings;
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const Diagnostic &one) { return one.kind == "trace-flights"; }));
}

TEST(DiagnosticKinds, OfCute) {
  expectKinds({{"cute-basis", R"~(complement("(4,8):(1@0,1)", 64))~"},
               {"cute-congruence", "cute((4, 8), (1, (2, 3)))"},
               {"cute-divisibility", R"~(composition("(4,6):(1,5)", "8:3"))~"},
               {"cute-injective", R"~(complement(cute("(4,4):(1,2)"), 64))~"},
               {"cute-range", R"~(complement(cute("4:1"), 0))~"},
               {"cute-rank", R"~(logical_divide(cute("8:1"), "(2:1,2:1)"))~"},
               {"cute-shape", "cute((0, 8), (1, 4))"},
               {"cute-stride", R"~(cute("(4,8)", "(_,1)"))~"},
               {"cute-swizzle", R"~(layout("Sw<40,3,3> o (8,8):(8,1)"))~"},
               {"cute-unknown", R"~(element_map(layout("(?,8):(1,4)"), (4, 8)))~"},
               {"layout-operand", R"~(layout("LayoutA_TV: (4,8):(8,1)\nLayoutB_TV: (4,8):(8,1)\n"))~"},
               {"empty-shape", R"~(element_map(layout("(8,8):(8,1)"), (0, 8)))~"},
               {"map-range", R"~(element_map(layout("(8,8):(-1,8)"), (8, 8)))~"}});
}

TEST(DiagnosticKinds, OfTritonTilusAndTirx) {
  std::string blocked(kBlocked), older = blocked;
  older.replace(0, 5, "#triton_gpu.");
  expectKinds(
      {{"triton-attribute",
        R"~(layout("#ttg.blocked<{sizePerThread = [3, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"))~"},
       {"triton-value", R"~(layout("#ttg.blocked<{sizePerThread = [1, 1], order = [1, 0]}>"))~"},
       {"triton-spelling", "layout('" + older + "')"},
       {"layout-shape", "element_map(layout('" + blocked + "'), (3, 4, 5))"},
       {"shape-missing", "view('" + blocked + "')"},
       {"layout-modes",
        R"~(layout("register_layout(shape=[4, 4], mode_shape=[3, 4], spatial_modes=[0], local_modes=[1])"))~"},
       {"layout-axis", R"~(layout("S[(8, 8) : (1@TLane, 1@m)]"))~"},
       {"layout-extent", R"~(layout("S[(0, 8) : (1@m, 1@m)]"))~"},
       {"layout-overlap", R"~(owners(layout("S[(8, 4) : (1@tx, 1@tx)]"), (8, 4), (0, 0)))~"},
       {"layout-replica", R"~(element_map(layout("S[(8, 8) : (8@m, 1@m)] + R[2 : 64@m]"), (8, 8)))~"},
       {"layout-stride", R"~(layout("S[(8, 8) : (-1@m, 1@m)]"))~"},
       {"layout-swizzle", R"~(layout("ComposeLayout(3, 9, 2, S[(8,64)])"))~"}});
}

TEST(DiagnosticKinds, OfLayoutsAndInstructions) {
  expectKinds(
      {{"layout-syntax", R"~(layout("TiledLayout("))~"},
       {"layout-range",
        R"~(owners(layout("Fragment([8, 8] -> [1], replicate: 1, thread: 64, forward_thread: _i * 8 + _j - 9, forward_index: [0])"), (8, 8), (0, 0)))~"},
       {"instruction-name", R"~(fragment("mma.sync.nothing", "a"))~"},
       {"operand-shared", R"~(fragment("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", "b"))~"}});
}

TEST(DiagnosticKinds, OfPictures) {
  expectKinds({{"bad-slice", "show(WGMMA, (64, 16), slice=(1, 2, 3))"},
               {"colour-does-not-fit", "show(tmem_half_lane_layout(64, 2), (64, 64), f16, color='bank')"},
               {"empty-shape", "show(WGMMA, (0, 8))"},
               {"shown-as-text", "show('#ttg.blocked<{x')"},
               {"view-does-not-fit", "show(WGMMA, (64, 16), view='tmem')"}});
}

} // namespace
} // namespace lanescope::repl
