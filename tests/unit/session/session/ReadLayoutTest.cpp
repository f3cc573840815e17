// The layout that a text describes: expressions, notations, longer texts that contain one, and texts without a layout.
#include "repl/session/ReadLayout.h"

#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

constexpr char kModule[] =
    R"(#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
%0 = tt.load %p : tensor<64x32xf16, #blocked>
%1 = tt.load %q : tensor<32x32xf16, #blocked>)";

struct Reader {
  Session session{{.kernels = {.device = "none"}}};
  Result<ReadLayout> read(const std::string &text, bool tmem = false) {
    return readLayout(session, Source::make("<layout>", text), tmem);
  }
  std::string kind(const std::string &text) {
    auto layout = read(text);
    return layout ? "" : layout.error().front().kind;
  }
};

TEST(ReadLayout, AnInstructionThatIsNoneIsToldAsOne) {
  Reader reader;
  for (const char *text : {"mma.m16n8k16.f15", "  wgmma.m64n12k16.f16", "ldmatrix.x3"}) {
    auto layout = reader.read(text);
    ASSERT_FALSE(layout) << text;
    EXPECT_EQ(layout.error().front().message.find("attribute"), std::string::npos) << layout.error().front().message;
  }
}

TEST(ReadLayout, ExpressionsAndNotations) {
  Reader reader;
  auto named = reader.read("WGMMA");
  ASSERT_TRUE(named);
  EXPECT_EQ(layouts::catalogueName(named->layout), "WGMMA");
  EXPECT_FALSE(named->shape);
  EXPECT_TRUE(named->remarks.empty());
  auto computed = reader.read("tmem_half_lane_layout(64, 2)");
  ASSERT_TRUE(computed);
  auto cute = reader.read("((_4,_8),(_2,_2)):((_32,_1),(_16,_8))");
  ASSERT_TRUE(cute);
  EXPECT_TRUE(std::holds_alternative<layouts::Foreign>(cute->layout));
  auto older =
      reader.read("#triton_gpu.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
                  "order = [1, 0]}>");
  ASSERT_TRUE(older);
  ASSERT_EQ(older->remarks.size(), 1u);
  EXPECT_EQ(older->remarks[0].kind, "triton-spelling");
}

TEST(ReadLayout, ChunksGiveTheirFirstLayoutAndItsArray) {
  Reader reader;
  auto found = reader.read(kModule);
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(found->shape, (layouts::Shape{64, 32}));
  EXPECT_EQ(found->bitwidth, 16);
  ASSERT_EQ(found->remarks.size(), 1u);
  EXPECT_EQ(found->remarks[0].kind, "layout-found");
  EXPECT_NE(found->remarks[0].message.find("also holds"), std::string::npos) << found->remarks[0].message;
}

/// The type belongs to the request: a picture of the layout without it would be another one.
TEST(ReadLayout, OptionsWithATypeOfAnotherRankAreRefused) {
  Reader reader;
  for (const char *tool : {"", "triton-tensor-layout "}) {
    auto found = reader.read(std::string(tool) +
                             "-l \"#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = "
                             "[4, 1], order = [1, 0]}>\" -t \"tensor<4096xf16>\"");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().front().message, "the type has rank 1 and its layout rank 2");
  }
}

TEST(ReadLayout, TextsThatAreNone) {
  Reader reader;
  EXPECT_EQ(reader.kind(""), "empty-layout");
  EXPECT_EQ(reader.kind(" \n"), "empty-layout");
  EXPECT_EQ(reader.kind("1 + 1"), "not-a-layout"); // CuTe has layouts of a single integer
  EXPECT_EQ(reader.kind("nothing_of_that_name"), "unknown-name");
  EXPECT_EQ(reader.kind("#ttg.blocked<{"), "layout-syntax");
}

} // namespace
} // namespace lanescope::repl
