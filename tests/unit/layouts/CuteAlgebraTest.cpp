// CuTe's algebra: the examples of its documents, and CUTLASS's Python model.
#include "layouts/cute/Atoms.h"
#include "layouts/cute/Division.h"
#include "tests/unit/layouts/CuteSupport.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace lanescope::layouts::cute {
namespace {

// media/docs/cpp/cute/02_layout_algebra.md of NVIDIA/cutlass.
TEST(CuteAlgebra, TheGuidesExamples) {
  EXPECT_EQ(cppText(coalesce(plain("(_2,(_1,_6)):(_1,(_6,_2))"))), "_12:_1");
  EXPECT_EQ(shown(coalesce(plain("(2,(1,6)):(1,(6,2))"), *readCuteTuple("(1,1)"))), "(2,6):(1,2)");
  EXPECT_EQ(shown(composition(plain("(6,2):(8,2)"), plain("(4,3):(3,1)"))), "((2,2),3):((24,2),8)");
  EXPECT_EQ(shown(composition(plain("20:2"), plain("(5,4):(4,1)"))), "(5,4):(8,2)");
  EXPECT_EQ(cppText(*composition(plain("(_10,_2):(_16,_4)"), plain("(_5,_4):(_1,_5)"))), "(_5,(_2,_2)):(_16,(_80,_4))");
  EXPECT_EQ(shown(composition(plain("(3,6,2,8):(1000,100,10,1)"), plain("16:9"))),
            "(2,2,4):(300,10,1)"); // the guide writes `(1,2,2,4)`
  EXPECT_EQ(shown(composition(plain("(12,(4,8)):(59,(13,1))"), tiler("(3:4,8:2)"))), "(3,(2,4)):(236,(26,1))");
  EXPECT_EQ(shown(composition(plain("(12,(4,8)):(59,(13,1))"), tiler("(3,8)"))), "(3,(4,2)):(59,(13,1))");
  for (auto [layout, target, wanted] :
       std::initializer_list<std::tuple<const char *, int, const char *>>{{"4:1", 24, "6:4"},
                                                                          {"6:4", 24, "4:1"},
                                                                          {"(4,6):(1,4)", 24, "1:24"},
                                                                          {"4:2", 24, "(2,3):(1,8)"},
                                                                          {"(2,4):(1,6)", 24, "3:2"},
                                                                          {"(2,2):(1,6)", 24, "(3,2):(2,12)"}})
    if (Result<Layout> found = complement(plain(layout), target); std::string(wanted) != "1:24")
      EXPECT_EQ(shown(found), wanted) << layout;
    else
      EXPECT_EQ(found->size(), 1) << layout; // nothing remains, so the stride has no meaning
  EXPECT_EQ(shown(logicalDivide(plain("(4,2,3):(2,1,8)"), tiler("4:2"))), "((2,2),(2,3)):((4,1),(2,8))");
  const char *matrix = "(9,(4,8)):(59,(13,1))", *tile = "(3:3,(2,4):(1,8))";
  EXPECT_EQ(shown(logicalDivide(plain(matrix), tiler(tile))),
            // The guide's picture shows the tile (3,(2,4)):(177,(13,2))
            "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  Result<Layout> zipped = zippedDivide(plain(matrix), tiler(tile));
  ASSERT_TRUE(zipped);
  EXPECT_EQ(zipped->mode(0), *composition(plain(matrix), tiler(tile)));
  EXPECT_EQ(dslText(zipped->mode(0)), "(3,(2,4)):(177,(13,2))");
  EXPECT_EQ(shown(logicalProduct(plain("(2,2):(4,1)"), tiler("6:1"))), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(shown(logicalProduct(plain("(2,2):(4,1)"), tiler("(4,2):(2,1)"))), "((2,2),(4,2)):((4,1),(8,2))");
  EXPECT_EQ(shown(blockedProduct(plain("(2,5):(5,1)"), plain("(3,4):(1,3)"))), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(shown(rakedProduct(plain("(2,5):(5,1)"), plain("(3,4):(1,3)"))), "((3,2),(4,5)):((10,5),(30,1))");
}

// media/docs/cutlass_compiler/cute_dialect.rst of NVIDIA/cutlass.
TEST(CuteAlgebra, TheDialectsExamples) {
  using Divide = Result<Layout> (*)(const Layout &, const Tiler &);
  struct Case {
    Divide operation;
    const char *layout, *tiler, *result;
  };
  for (const auto &[operation, layout, tile, result] : {
           Case{flatDivide, "(6,8):(8,1)", "(3,4)", "(3,4,2,2):(8,1,24,4)"},
           Case{flatDivide, "(6,8):(8,1)", "[(3):(1);(4):(1)]", "((3),(4),2,2):((8),(1),24,4)"},
           Case{logicalDivide, "(6,8):(8,1)", "(3,4)", "((3,2),(4,2)):((8,24),(1,4))"},
           Case{logicalDivide, "(6,8):(8,1)", "[3:1;4:1]", "((3,2),(4,2)):((8,24),(1,4))"},
           Case{logicalDivide, "(6,8):(8,1)", "[[3:1];4:1]", "(((3,2)),(4,2)):(((8,24)),(1,4))"},
           Case{tiledDivide, "(6,8):(8,1)", "(3,4)", "((3,4),2,2):((8,1),24,4)"},
           Case{tiledDivide, "(6,8):(8,1)", "[(3):(1);(4):(1)]", "(((3),(4)),2,2):(((8),(1)),24,4)"},
           Case{zippedDivide, "(6,8):(8,1)", "(3,4)", "((3,4),(2,2)):((8,1),(24,4))"},
           Case{zippedDivide, "(6,8):(8,1)", "[(3):(1);(4):(1)]", "(((3),(4)),(2,2)):(((8),(1)),(24,4))"},
           Case{logicalProduct, "(3,4):(4,1)", "(2,5):(1,2)", "((3,4),(2,5)):((4,1),(12,24))"},
           Case{zippedProduct, "(3,4):(4,1)", "(2,5):(1,2)", "((3,4),(2,5)):((4,1),(12,24))"},
           Case{tiledProduct, "(3,4):(4,1)", "(2,5):(1,2)", "((3,4),2,5):((4,1),12,24)"},
           Case{flatProduct, "(3,4):(4,1)", "(2,5):(1,2)", "(3,4,2,5):(4,1,12,24)"},
       })
    EXPECT_EQ(shown(operation(plain(layout), tiler(tile))), result) << layout << " by " << tile;
  EXPECT_EQ(shown(blockedProduct(plain("(3,4):(4,1)"), plain("(2,5):(1,2)"))), "((3,2),(4,5)):((4,12),(1,24))");
  EXPECT_EQ(shown(rakedProduct(plain("(3,4):(4,1)"), plain("(2,5):(1,2)"))), "((2,3),(5,4)):((12,4),(24,1))");
  EXPECT_EQ(shown(composition(plain("(20):(2)"), plain("(5,4):(4,1)"))), "(5,4):(8,2)");
  EXPECT_EQ(shown(composition(plain("(4,8):(1,4)"), tiler("(2,4)"))), "(2,4):(1,4)");
  EXPECT_EQ(shown(leftInverse(plain("(4,3):(3,1)"))), "(3,4):(4,1)");
  EXPECT_EQ(shown(leftInverse(plain("(4,3):(1,4)"))), "12:1");
  EXPECT_EQ(shown(leftInverse(plain("(4,3):(1@0,1@1)"))), "12:1"); // the dialect's (4,3):(1,4), coalesced
  EXPECT_EQ(shown(rightInverse(plain("(4,3):(1,4)"))), "12:1");
  EXPECT_EQ(shown(rightInverse(plain("(4,3):(3,1)"))), "(3,4):(4,1)");
  EXPECT_EQ(shown(rightInverse(plain("(2,4):(1,2)"))), "8:1");
  EXPECT_EQ(shown(complement(plain("3:1"), 3)), "1:0"); // nothing remains
  EXPECT_EQ(shown(complement(plain("3:2"), 6)), "2:1");
  EXPECT_EQ(dslText(coalesce(plain("(3,(4,5)):(8,(1,4))"))), "(3,20):(8,1)");
  EXPECT_EQ(dslText(coalesce(plain("(?,4):(1,4)"))), "(?,4):(1,4)");
  EXPECT_EQ(dslText(coalesce(plain("(4,5):(?,4)"))), "(4,5):(?,4)");
  EXPECT_EQ(dslText(coalesce(plain("(?):(?)"))), "?:?");
  EXPECT_EQ(dslText(coalesce(plain("(4,5,?):(1,4,?)"))), "(20,?):(1,?)");
  EXPECT_EQ(dslText(coalesce(plain("(4,5,?,3,2):(1,4,?,1,3)"))), "(20,?,6):(1,?,1)");
}

TEST(CuteAlgebra, AgreesWithPycute) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/golden/cute_algebra.txt");
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("#"))
      continue;
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= line.size();) {
      size_t end = std::min(line.find(" | ", begin), line.size());
      parts.push_back(line.substr(begin, end - begin));
      begin = end + 3;
    }
    ASSERT_GE(parts.size(), 3u);
    const std::string &operation = parts[0];
    Layout a = plain(parts[1]), wanted = plain(parts.back());
    Result<Layout> found = operation == "coalesce"          ? Result<Layout>(coalesce(a))
                           : operation == "right_inverse"   ? rightInverse(a)
                           : operation == "left_inverse"    ? leftInverse(a)
                           : operation == "complement"      ? complement(a, std::stoll(parts[2]))
                           : operation == "composition"     ? composition(a, plain(parts[2]))
                           : operation == "logical_divide"  ? logicalDivide(a, Tiler::of(plain(parts[2])))
                           : operation == "zipped_divide"   ? zippedDivide(a, Tiler::of(plain(parts[2])))
                           : operation == "logical_product" ? logicalProduct(a, Tiler::of(plain(parts[2])))
                                                            : error("test", "no such operation " + operation);
    ASSERT_TRUE(found) << line << "\n" << render(found.error());
    // Strides of size-1 modes have no meaning, and either side may keep or drop such modes within a mode.
    auto canonical = [](const Layout &layout) {
      std::string out;
      for (size_t i = 0; i < layout.rank(); ++i)
        out += dslText(coalesce(layout.mode(i))) + " ";
      return out;
    };
    EXPECT_EQ(canonical(*found), canonical(wanted)) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 600);
}

TEST(CuteAlgebra, ResultsKeepWhatIsStatic) {
  EXPECT_EQ(cppText(*composition(plain("(_6,2):(_8,_2)"), plain("(_4,_3):(_3,_1)"))), "((_2,_2),_3):((_24,_2),_8)");
  EXPECT_EQ(cppText(*composition(plain("(6,_2):(_8,_2)"), plain("(_4,_3):(_3,_1)"))), "((2,2),3):((_24,2),_8)");
  EXPECT_EQ(cppText(coalesce(plain("(_4,8):(_1,_4)"))), "32:_1");
}

TEST(CuteAlgebra, WhatIsNoLayoutIsAnErrorWithTheModes) {
  auto message = [](const Result<Layout> &result) { return result ? dslText(*result) : result.error()[0].message; };
  EXPECT_EQ(message(composition(plain("(4,3):(1,10)"), plain("3:2"))),
            "`(4,3):(1,10)` cannot be composed with the mode `3:2`: the shape divisibility condition fails at mode 0, "
            "`4:1`: 3 is not a multiple of 2");
  EXPECT_EQ(message(composition(plain("(6,2):(1,10)"), plain("4:4"))),
            "`(6,2):(1,10)` cannot be composed with the mode `4:4`: the stride divisibility condition fails at mode 0, "
            "`6:1`: 6 is not a multiple of 4");
  // Each mode composes, but their sum carries. CuTe accepts this and computes another function.
  EXPECT_EQ(
      message(composition(plain("(2,2):(1,10)"), plain("(2,2):(1,1)"))),
      "`(2,2):(1,10)` composed with `(2,2):(1,1)` is no layout: at index 3 it is 10, where the composition of its "
      "modes gives 2");
  EXPECT_EQ(message(complement(plain("(2,2):(2,3)"), 24)),
            "`(2,2):(2,3)` has no complement: its mode `2:3` overlaps the values below 4 that its other modes reach");
  EXPECT_EQ(message(leftInverse(plain("(2,2):(2,3)"))), "`(2,2):(2,3)` has no left inverse that is a layout: its mode "
                                                        "`2:3` has a stride that is not a multiple of 2");
  EXPECT_EQ(message(logicalDivide(plain("24:1"), tiler("(4,6)"))),
            "the tiler `[4:1;6:1]` has 2 modes, but `24:1` has 1");
  EXPECT_EQ(
      message(composition(plain("(?,4):(1,4)"), plain("4:1"))),
      "a composition needs numbers, but `(?,4):(1,4)` has `?`, which only a running kernel knows; put a number in "
      "its place");
  EXPECT_EQ(message(complement(plain("(4,3):(1@0,1@1)"), 24)),
            "a complement needs integer strides, but those of `(4,3):(1@0,1@1)` give coordinates (`@`)");
  EXPECT_EQ(message(composition(plain("(4,3):(1,4)"), plain("3:1@2"))), "`@2` points at a mode that `(4,3):(1,4)` does "
                                                                        "not have");
  EXPECT_EQ(message(coalesce(plain("(4,5):(1,4)"), *readCuteTuple("(1,1,1)"))),
            "the profile `(1,1,1)` has 3 modes, but `(4,5):(1,4)` has 2");
  EXPECT_EQ(message(logicalProduct(plain("1048576:1"), tiler("1048576:1048576"))).substr(0, 16), "(1048576,1048576");
  EXPECT_EQ(message(logicalProduct(plain("1152921504606846976:1"), tiler("2:1"))),
            "the product of `1152921504606846976:1` and `2:1` is too large");
}

TEST(CuteAlgebra, RecastsKeepTheBytes) {
  EXPECT_EQ(shown(recast(plain("(8,64):(64,1)"), 16, 32)), "(8,32):(32,1)");
  EXPECT_EQ(shown(recast(plain("(8,32):(32,1)"), 32, 16)), "(8,64):(64,1)");
  EXPECT_EQ(shown(recast(plain("(8,64):(64,1)"), 16, 16)), "(8,64):(64,1)");
  EXPECT_EQ(shown(recast(plain("(8,6):(6,1)"), 16, 24)), "(8,4):(4,1)");
  EXPECT_EQ(shown(upcast(plain("(8,3):(3,1)"), 2)),
            "error: elements 2 times as wide do not fit the mode `8:3`: neither "
            "of 3 and 2 divides the other");
  EXPECT_EQ(shown(downcast(plain("(8,3):(6,2)"), 2)),
            "error: `(8,3):(6,2)` has no mode of stride 1 whose elements could "
            "be split in 2");
  // A wide element covers the narrow elements at twice its offset and next to it, each once.
  auto halves = [](const Layout &wide) {
    std::multiset<int64_t> out;
    for (int64_t offset : valuesOf(wide)) {
      out.insert(2 * offset);
      out.insert(2 * offset + 1);
    }
    return out;
  };
  auto all = [](const Layout &layout) {
    std::vector<int64_t> values = valuesOf(layout);
    return std::multiset<int64_t>(values.begin(), values.end());
  };
  Random random(5);
  int wider = 0, narrower = 0;
  for (int n = 0; n < 4000; ++n) {
    Layout a = randomLayout(random, false);
    if (a.size() > 1000)
      continue;
    if (Result<Layout> wide = upcast(a, 2); wide && wide->size() * 2 == a.size()) {
      ++wider;
      ASSERT_EQ(halves(*wide), all(a)) << cppText(a);
    }
    std::vector<Leaf> strides = leavesOf(a.stride);
    if (Result<Layout> narrow = downcast(a, 2); narrow && std::ranges::count(strides, 1, &Leaf::value) == 1) {
      ++narrower;
      ASSERT_EQ(halves(a), all(*narrow)) << cppText(a);
    }
  }
  EXPECT_GT(wider, 500);
  EXPECT_GT(narrower, 500);
}

TEST(CuteAlgebra, TilesOfAnMma) {
  // SM80_16x8x16 over 2x2 warps (include/cute/atom/mma_traits_sm80.hpp), computed by hand: warp w has atom (w%2, w/2).
  TiledMma mma;
  mma.shape = {16, 8, 16};
  mma.atom = {plain("((4,8),(2,2,2)):((32,1),(16,8,128))"), plain("((4,8),(2,2)):((16,1),(8,64))"),
              plain("((4,8),(2,2)):((32,1),(16,8))")};
  mma.threads = plain("(32,2,2,1):(1,32,64,0)");
  for (auto [operand, rows, columns] :
       {std::tuple{TiledMma::A, 32, 16}, {TiledMma::B, 16, 16}, {TiledMma::C, 32, 16}}) {
    Result<TiledMma::Tile> tile = mma.operand(operand);
    ASSERT_TRUE(tile) << render(tile.error());
    EXPECT_EQ(tile->tile, (std::array<int64_t, 2>{rows, columns}));
    ASSERT_EQ(tile->layout.mode(0).size(), 128);
    const Layout &atom = mma.atom[operand];
    int64_t atomRows = operand == TiledMma::B ? 8 : 16;
    for (int64_t thread = 0; thread < 128; ++thread) {
      int64_t m = thread / 32 % 2, n = thread / 64;
      int64_t first = operand == TiledMma::B ? n : m, second = operand == TiledMma::C ? n : 0;
      for (int64_t value = 0; value < tile->layout.mode(1).size(); ++value) {
        int64_t inAtom = slowValue(atom, thread % 32 + 32 * value);
        int64_t row = inAtom % atomRows + first * atomRows, column = inAtom / atomRows + second * 8;
        ASSERT_EQ(slowValue(tile->layout, thread + 128 * value), row + column * rows) << operand << " " << thread;
      }
    }
  }
  mma.threads = plain("(32,2):(1,32)");
  EXPECT_EQ(mma.operand(TiledMma::C).error()[0].message, "ThrLayoutVMNK `(32,2):(1,32)` must have four modes");
}

} // namespace
} // namespace lanescope::layouts::cute
