// Maps as Triton attributes: the simplest form, the exact form, and the reasons why some maps have none.
#include "layouts/notation/triton/TritonPrinter.h"
#include "layouts/AddressMap.h"
#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/triton/LinearText.h"
#include "layouts/notation/triton/Triton.h"
#include "layouts/SharedMemory.h"
#include "layouts/support/Text.h"
#include "layouts/TmemMap.h"
#include "tests/unit/layouts/TritonSupport.h"

namespace lanescope::layouts {
namespace {

std::string print(const Placement &placement) {
  Result<std::string> text = tritonText(placement);
  return text ? *text : "error: " + text.error().front().message;
}

TEST(TritonPrinter, MosaicLayouts) {
  auto mosaic = [](const RegisterLayout &layout, const Shape &shape) {
    Placement map = placed(Layout(layout), shape);
    std::string text = print(map);
    Result<Layout> again = parse(text);
    EXPECT_TRUE(again) << text;
    if (again)
      EXPECT_TRUE(same(map, placed(*again, shape))) << text;
    return text;
  };
  EXPECT_EQ(mosaic(catalogue::wgmma(), {64, 64}),
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>");
  EXPECT_EQ(mosaic(catalogue::wgmma(), {64, 8}), // also one tile of mma.sync
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>");
  EXPECT_EQ(mosaic(catalogue::wgmmaRow(), {64}).substr(0, 30), "#ttg.slice<{dim = 1, parent = ");
  EXPECT_EQ(mosaic(*WGStridedFragLayout::make({64, 64}, 4), {64, 64}),
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>");
  EXPECT_EQ(mosaic(catalogue::tcgen05(), {128, 64}).substr(0, 14), "#ttg.linear<{r"); // 32 rows in each warp
}

TEST(TritonPrinter, SharedAndTensorMemory) {
  auto shared = [](const SmemMap &map) { return print(Placement(AddressMap::of(map))); };
  EXPECT_EQ(shared(*SmemMap::of({128, 128}, 16, {8, 64}, 128)).substr(0, 20),
            "#ttg.shared_linear<{"); // the tiles are in row-major order
  EXPECT_EQ(shared(*SmemMap::of({128, 64}, 16, {8, 64}, 128)),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>");
  EXPECT_EQ(shared(*SmemMap::of({64, 64}, 16, {}, std::nullopt)),
            "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>");
  EXPECT_EQ(print(placed(*parse("#ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>"), {64, 32})),
            "#ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>");
  Result<TmemMap> tmem = TmemMap::of(*catalogue::tmemDefault(1), {128, 64}, 32);
  EXPECT_EQ(print(Placement(*tmem)).substr(0, 54), "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64");
}

TEST(TritonPrinter, SaysWhyThereIsNone) {
  Placement strided = placed(Layout(RegisterLayout(*WGStridedFragLayout::make({96, 64}, 4))), {96, 64});
  EXPECT_EQ(print(strided),
            "error: Triton's layouts are linear: each thread has 48 values, which is not a power of two, so "
            "the layout has no linear form");
  // Registers move along both dimensions at once: the layout is linear, but no attribute can express it.
  LinearLayout odd = *LinearLayout::make({{"register", {{1, 1}, {0, 1}}},
                                          {"lane", {{2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 2}}},
                                          {"warp", {{0, 4}, {0, 8}}},
                                          {"block", {}}},
                                         {{"dim0", 32}, {"dim1", 16}});
  std::string text = print(placed(LinearForeign::make(odd), {32, 16}));
  EXPECT_EQ(text, "error: Triton has no such layout: the basis [1, 1] of `register` moves along two dimensions; in "
                  "`generic_linear` only those of `warp` may; `linear` gives its linear form");
  EXPECT_EQ(*linearText(placed(LinearForeign::make(odd), {32, 16})), odd.toString());
}

} // namespace
} // namespace lanescope::layouts
