// Maps with warps of other sizes than 32 threads: AMD's mfma layouts, and blocked layouts for AMD's GPUs, have 64.
// Sources: AMD CDNA3 ISA reference, "Matrix arithmetic instructions" (v_mfma_f32_32x32x8_f16: lane l holds column l %
// 32, register r row 8*(r/4) + 4*(l/32) + r % 4); the comments of Triton's TritonGPUAttrDefs.td.
#include "layouts/Catalogue.h"
#include "layouts/cost/Coalescing.h"
#include "layouts/cost/Conflicts.h"
#include "layouts/cost/Relayout.h"
#include "layouts/Diff.h"
#include "layouts/Equal.h"
#include "layouts/Explain.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/MapJson.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::layouts {
namespace {

const std::string kMfma =
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], isTransposed = false}>";
const std::string kBlocked64 =
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [0, 1]}>";
const std::string kBlocked32 =
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>";

Layout parsed(const std::string &written) {
  Result<Layout> layout = parseLayout(Source::make("test", written));
  EXPECT_TRUE(layout) << written << "\n" << (layout ? "" : render(layout.error()));
  return *layout;
}

ElementMap mapOf(const std::string &written, const Shape &shape) { return *elementMapOf(parsed(written), shape); }

template <typename T> std::string message(const Result<T> &result) {
  return result ? "no error" : result.error().front().message;
}

TEST(WarpSize, BelongsToTheMap) {
  ElementMap mosaic = *ElementMap::of(catalogue::wgmma(), {64, 8});
  EXPECT_EQ(mosaic.threadsPerWarp(), 32);
  EXPECT_EQ(mosaic.warps(), 4);
  ElementMap mfma = mapOf(kMfma, {64, 32});
  EXPECT_EQ(mfma.threads(), 128);
  EXPECT_EQ(mfma.threadsPerWarp(), 64);
  EXPECT_EQ(mfma.warps(), 2);
  EXPECT_EQ(mfma.warpOf(104), 1);
  EXPECT_EQ(mfma.laneOf(104), 40);
  EXPECT_EQ(mapOf("tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = " + kMfma + ", kWidth = 4}>>", {64, 32})
                .threadsPerWarp(),
            64);
  EXPECT_EQ(mapOf("#ttg.slice<{dim = 1, parent = " + kMfma + "}>", {64}).threadsPerWarp(), 64);
  EXPECT_EQ(mapOf("#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[1, 0]]}}>", {32, 16})
                .threadsPerWarp(),
            32);
  EXPECT_EQ(mapOf(kBlocked64, {8, 64}).threadsPerWarp(), 64);
  // A layout of less than a warp fits warps of any larger size.
  ElementMap few =
      mapOf("#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [16], warpsPerCTA = [1], order = [0]}>", {64});
  EXPECT_TRUE(few.inWarpsOf(16) && few.inWarpsOf(32) && few.inWarpsOf(64));
  EXPECT_FALSE(few.inWarpsOf(8));
  EXPECT_FALSE(mfma.inWarpsOf(32));
}

TEST(WarpSize, MfmaAccumulatorsLieAsTheInstructionSays) {
  ElementMap map = mapOf(kMfma, {64, 32});
  ASSERT_EQ(map.registers(), 16);
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 32; ++column) {
      std::vector<Owner> owners = map.owners(row * 32 + column);
      ASSERT_EQ(owners.size(), 1u);
      int thread = owners[0].thread, inTile = static_cast<int>(row % 32);
      EXPECT_EQ(map.warpOf(thread), row / 32);
      EXPECT_EQ(map.laneOf(thread), column + 32 * (inTile / 4 % 2)) << row << " " << column;
      EXPECT_EQ(owners[0].reg, inTile / 8 * 4 + inTile % 4);
    }
}

TEST(WarpSize, BlockedLayoutsOf64ThreadsAWarp) {
  ElementMap map = mapOf(kBlocked64, {32, 32}); // wraps twice over the rows
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t column = 0; column < 32; ++column) {
      Owner owner = map.owners(row * 32 + column).front();
      EXPECT_EQ(map.warpOf(owner.thread), row / 8 % 2);
      EXPECT_EQ(map.laneOf(owner.thread), row % 8 + 8 * (column / 4));
      EXPECT_EQ(owner.reg, row / 16 * 4 + column % 4);
    }
}

/// Owners, the steps of explain, and descriptions of places count lanes in the same way.
TEST(WarpSize, ExplainAndPlacesAgreeWithTheOwners) {
  Layout layout = parsed(kMfma);
  auto steps = explain(layout, {64, 32}, 32, {37, 9});
  ASSERT_TRUE(steps);
  // Row 37 is row 5 of the second tile: 8*0 + 4*1 + 1.
  for (const ExplainStep &step : *steps)
    if (step.what == "lane" || step.what == "warp" || step.what == "register")
      EXPECT_EQ(step.value, step.what == "lane" ? "41" : "1") << step.what;
  EXPECT_EQ(steps->back().value, "thread 105 (warp 1, lane 41) value 1");
  auto same = equal(parsed(kBlocked64), parsed(kBlocked32), {16, 64}, 16);
  ASSERT_TRUE(same && same->counterexample);
  EXPECT_FALSE(same->exact);
  same = equal(parsed(kMfma), parsed("spatial(2, 1).local(4, 1).spatial(2, 32).local(4, 1)"), {64, 32}, 16);
  EXPECT_TRUE(same && same->exact); // compared by threads, because Tilus has no warps
}

TEST(WarpSize, LinearFormsAndJson) {
  auto form = linearForm(Placement(mapOf(kMfma, {64, 32})));
  ASSERT_TRUE(form);
  EXPECT_EQ(form->inputBits("lane"), 6);
  EXPECT_EQ(form->inputBits("warp"), 1);
  EXPECT_NE(elementMapJson(mapOf(kMfma, {64, 32})).find(",\"replication\":1,\"threadsPerWarp\":64,\"map\":[["),
            std::string::npos);
  EXPECT_EQ(elementMapJson(mapOf(kBlocked32, {16, 64})).find("threadsPerWarp\":"), std::string::npos);
}

TEST(WarpSize, DifferencesWantTheSameWarps) {
  ElementMap mfma = mapOf(kMfma, {64, 32}), wide = mapOf(kBlocked64, {64, 32}), narrow = mapOf(kBlocked32, {64, 32});
  auto moved = diff(mfma, wide);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->moves[0], Move::None);
  EXPECT_EQ(moved->moves[4 * 32], Move::SameWarp); // moves from lane 32 to lane 4
  EXPECT_EQ(moved->moves[8 * 32], Move::OtherWarp);
  EXPECT_EQ(message(diff(mfma, narrow)),
            "one layout has warps of 64 threads, the other of 32; moves between warps need layouts with equal warps");
}

TEST(WarpSize, CostsAreThoseOfNvidiasWarps) {
  ElementMap mfma = mapOf(kMfma, {64, 32}), wide = mapOf(kBlocked64, {64, 32});
  EXPECT_EQ(message(relayout(mfma, wide, 32)), "the instructions of a relayout are counted for NVIDIA's warps of 32 "
                                               "threads; this layout's have 64");
  auto memory = placement(parsed("S[(64,32):(32,1)]"), {64, 32}, 32, Memory::Shared);
  ASSERT_TRUE(memory);
  auto counted = conflicts(*parseSmemOp("ld.shared.b32"), mfma, std::get<AddressMap>(*memory));
  EXPECT_EQ(message(counted), "bank conflicts are counted for NVIDIA's warps of 32 threads; this layout's have 64");
  EXPECT_EQ(counted.error().front().notes.front().message,
            "those of AMD's LDS are counted for `ds_read_b64`, `ds_write_b64` and others");
  EXPECT_EQ(message(coalescing(wide, {32, 1}, 32)),
            "memory transactions are counted for NVIDIA's warps of 32 threads; this layout's have 64");
}

/// A warp size that a notation cannot express is an error. A notation without warps is written by threads.
TEST(WarpSize, NotationsKeepTheWarps) {
  Layout mfma = parsed(kMfma);
  Shape shape = {64, 32};
  EXPECT_EQ(message(notation(mfma, "jax", shape)), "Mosaic GPU cannot write this layout: its warps are of 32 threads, "
                                                   "this layout's of 64");
  EXPECT_FALSE(notation(mfma, "mlir", shape));
  auto tirx = notation(mfma, "tirx", shape);
  ASSERT_TRUE(tirx) << message(tirx);
  EXPECT_NE(tirx->find("@tx"), std::string::npos) << *tirx;
  EXPECT_EQ(tirx->find("laneid"), std::string::npos) << *tirx;
  for (const char *language : {"tirx", "tilus", "cute", "linear"}) {
    auto written = notation(mfma, language, shape);
    ASSERT_TRUE(written) << language << ": " << message(written);
    auto same = equal(mfma, parsed(*written), shape, 16);
    EXPECT_TRUE(same && same->exact) << *written;
  }
  for (const std::string &own : {kMfma, kBlocked64}) {
    auto linear = notation(parsed(own), "linear", shape);
    ASSERT_TRUE(linear) << message(linear);
    EXPECT_EQ(mapOf(*linear, shape).threadsPerWarp(), 64) << *linear;
    auto triton = notation(parsed(*linear), "triton", shape);
    ASSERT_TRUE(triton) << message(triton);
    EXPECT_EQ(mapOf(*triton, shape).threadsPerWarp(), 64) << *triton;
  }
}

} // namespace
} // namespace lanescope::layouts
