// linear and find_layouts in the snippet language.
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

TEST(LinearBuiltins, PrintsAsTriton) {
  EXPECT_EQ(run("linear(WGMMA, (64, 8))"), " - register=1 -> (0, 1)\n"
                                           "   register=2 -> (8, 0)\n"
                                           " - lane=1 -> (0, 2)\n"
                                           "   lane=2 -> (0, 4)\n"
                                           "   lane=4 -> (1, 0)\n"
                                           "   lane=8 -> (2, 0)\n"
                                           "   lane=16 -> (4, 0)\n"
                                           " - warp=1 -> (16, 0)\n"
                                           "   warp=2 -> (32, 0)\n"
                                           " - block is a size 1 dimension\n"
                                           "where out dims are: [dim0 (size 64), dim1 (size 8)]");
}

TEST(LinearBuiltins, Attributes) {
  EXPECT_EQ(run("f = linear(WGMMA, (64, 8)); f.rank, f.invertible, f.shape, len(f.matrix), len(f.matrix[0])"),
            "(9, True, (64, 8), 9, 9)");
  EXPECT_EQ(run("f = linear(WGMMA, (64, 8)); f.rows[8], f.columns[2], f.matrix[7], f.bases['warp']"),
            "('dim1 bit 2', 'lane 1', [0, 0, 1, 0, 0, 0, 0, 0, 0], [(16, 0), (32, 0)])");
  EXPECT_EQ(run("f = linear(WGMMA, (64, 8)); f.inverse.inverse.bases == f.bases, linear(f.layout).bases == f.bases"),
            "(True, True)");
  // A Triton layout keeps its zero bases: lanes beyond the tensor repeat it.
  EXPECT_EQ(run("linear(layout('#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = "
                "[0]}>'), (8,)).bases['lane']"),
            "[(1,), (2,), (4,), (0,), (0,)]");
}

TEST(LinearBuiltins, SaysWhyThereIsNone) {
  EXPECT_EQ(run("linear(WGStridedFragLayout(shape=(96, 64), vec_size=4), (96, 64))"),
            "1:8: each thread has 48 values, which is not a power of two, so the layout has no linear form");
}

TEST(LinearBuiltins, FindsLayouts) {
  EXPECT_EQ(
      run("t = find_layouts('#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order "
          "= [0]}>\\n%0 = op : tensor<64xf16, #b>\\n%1 = op : tensor<64xf16, #c>'); t['line'], t['name'], t['shape'], "
          "t['bits'], t['uses']"),
      "([1, 2, 3], ['#b', '%0', '%1'], [None, (64,), None], [None, 16, None], [1, 1, 1])");
  EXPECT_EQ(run("t = find_layouts('tensor<64xf16, #c>'); t['layout'][0][:26]"), "'error: `#c` is not defined'");
  EXPECT_EQ(run("len(find_layouts('nothing here')['layout'])"), "0");
  // The error of `layout()` for a piece of a module names `find_layouts`.
  Snippets session;
  std::string chunk = "layout('%0 = op : tensor<64xf16, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], "
                      "warpsPerCTA = [1], order = [0]}>>')";
  auto done = session.evaluator.run(Source::make("test.py", chunk), nullptr);
  ASSERT_FALSE(done);
  EXPECT_NE(render(done.error()).find("the text holds 1 layout; `find_layouts(…)` lists it"), std::string::npos)
      << render(done.error());
}

} // namespace
} // namespace lanescope::repl
