// Diagnostic kinds that no snippet reaches directly: those of the libraries' own functions, of pictures and of files.
#include "core/data/Array.h"
#include "core/data/Files.h"
#include "core/gpu/emulator/coverage/Coverage.h"
#include "core/gpu/inference/DumpKernels.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/DumpListing.h"
#include "layouts/Catalogue.h"
#include "layouts/cost/SmemAccess.h"
#include "layouts/cute/CuteLayout.h"
#include "layouts/ElementMap.h"
#include "layouts/linear/LinearForm.h"
#include "layouts/notation/Find.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/tilus/TilusLayout.h"
#include "tests/unit/TemporaryFolder.h"
#include "viz/export/Export.h"
#include "viz/host/FieldText.h"
#include "viz/scene/DumpScene.h"
#include "viz/scene/MatrixScene.h"
#include "viz/scene/TmemArraysScene.h"
#include "viz/scene/ViewText.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace lanescope {
namespace {

using layouts::LinearLayout;

template <typename T> std::string kind(const Result<T> &result) { return result ? "" : result.error().front().kind; }

SourceRef source(std::string text) { return Source::make("test", std::move(text)); }

TEST(LibraryKinds, LinearLayouts) {
  using layouts::identity1D;
  LinearLayout four = identity1D(4, "lane", "dim0");
  EXPECT_EQ(kind(four.compose(identity1D(4, "other", "dim0"))), "linear-compose");
  EXPECT_EQ(kind((identity1D(2, "register", "dim0") * LinearLayout()).reshapeOutputs({{"dim0", 4}})), "linear-reshape");
  auto twice = LinearLayout::make({{"lane", {{1}, {1}}}}, {{"dim0", 2}});
  ASSERT_TRUE(twice);
  EXPECT_EQ(kind(twice->invert()), "linear-inverse");
  LinearLayout tall = identity1D(256, "row", "dim0") * identity1D(2, "col", "dim1");
  EXPECT_EQ(kind(layouts::tmemMapFrom(tall, layouts::RegisterLayout(layouts::catalogue::wgmma()), {256, 2}, 32)),
            "tmem-lanes");
}

TEST(LibraryKinds, Layouts) {
  using layouts::cute::IntTuple;
  IntTuple deep(2);
  for (int i = 0; i < 100; ++i)
    deep = IntTuple::of({deep});
  EXPECT_EQ(kind(layouts::cute::Layout::make(deep, deep)), "cute-depth");
  IntTuple wide;
  wide.isTuple = true;
  wide.items.assign(100000, IntTuple(2));
  EXPECT_EQ(kind(layouts::cute::Layout::make(wide, wide)), "cute-size");
  EXPECT_EQ(kind(layouts::cute::CuteLayout::make(layouts::cute::Parts())), "cute-parts");
  EXPECT_EQ(kind(layouts::catalogue::smemGmemCopy({64}, 16, 128)), "shape-rank");
  EXPECT_EQ(kind(layouts::AddressMap::make("m", {4}, 32, {0, 1})), "map-size");
  std::array<int32_t, 32> odd{};
  odd[3] = 4;
  EXPECT_EQ(kind(layouts::checkAlignment(*layouts::parseSmemOp("ld.shared.b64"), odd)), "smem-alignment");
  auto lanes = *layouts::tilus::spatial({8, 4});
  EXPECT_EQ(kind(layouts::tilus::permute(lanes, {0, 5})), "layout-dims");
  EXPECT_EQ(kind(layouts::tilus::divide(lanes, *layouts::tilus::spatial({3, 3}))), "layout-divide");
  EXPECT_EQ(kind(layouts::tilus::spatial({8, 4}, {0, 0})), "layout-ranks");
  EXPECT_EQ(kind(layouts::parseTmemLayout(source("(8,8):(8,1)"))), "layout-kind");
  EXPECT_EQ(kind(layouts::notation(
                *layouts::parseLayout(source("[TileTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128)]")), "cute",
                layouts::Shape{8, 64})),
            "layout-dtype");
}

TEST(LibraryKinds, ATextBeyondTheLimitSaysWhereReadingEnded) {
  std::string chunk;
  for (int i = 0; i < 4200; ++i)
    chunk += text("(8,", i + 1, "):(1,8)\n");
  auto found = layouts::findLayouts(source(chunk));
  ASSERT_EQ(found.size(), 4097u);
  EXPECT_EQ(kind(found.back().layout), "chunk-too-large");
  EXPECT_EQ(found.back().span.source->lineColumn(found.back().span.begin).line, 4097u);
  found = layouts::findLayouts(source("(8,8):(1,8)\n" + std::string(size_t{17} << 20, '\n')));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(kind(found.back().layout), "chunk-too-large");
}

TEST(LibraryKinds, Pictures) {
  EXPECT_EQ(kind(viz::f2Scene({}, "m")), "empty-matrix");
  viz::MatrixSubject matrix;
  matrix.rows = matrix.columns = {"bit 0"};
  EXPECT_EQ(kind(viz::f2Scene(matrix, "m")), "bad-matrix");
  matrix.rows.assign(1000, "bit");
  EXPECT_EQ(kind(viz::f2Scene(matrix, "m")), "picture-too-large");
  layouts::RegisterLayout wgmma = layouts::catalogue::wgmma();
  auto draw = [&](viz::LayoutSceneOptions options) {
    return viz::layoutScene(wgmma, {64, 16}, layouts::Dtype::F32, options);
  };
  EXPECT_EQ(kind(draw({.colourBy = viz::ColourBy::Custom})), "classes-missing");
  auto classes = std::make_shared<viz::ElementClasses>();
  classes->of.assign(64 * 16, 1 << 20);
  EXPECT_EQ(kind(draw({.colourBy = viz::ColourBy::Custom, .classes = classes})), "class-too-large");
  viz::SmemSpec smem{.shape = {8, 64}, .dtype = layouts::Dtype::F16, .tiling = {8, 64}, .swizzle = 128};
  EXPECT_EQ(kind(viz::smemScene(smem, {.colourBy = viz::SmemColour::Warp})), "owners-missing");
  EXPECT_EQ(kind(viz::parseView(source("view(1)"))), "bad-view");
  EXPECT_EQ(kind(viz::viewScene({.shape = {64, 16}})), "empty-layout");
  EXPECT_EQ(kind(viz::parseDtypeField("f99")), "unknown-dtype");
}

TEST(LibraryKinds, Selections) {
  auto scene = viz::layoutScene(layouts::RegisterLayout(layouts::catalogue::wgmma()), {64, 16}, layouts::Dtype::F32);
  ASSERT_TRUE(scene);
  EXPECT_EQ(kind(viz::selectionOf(viz::Scene(), viz::ElementPlace{{0, 0}})), "not-selectable");
  EXPECT_EQ(kind(viz::selectionOf(*scene, viz::BytePlace{3})), "not-selectable");
  EXPECT_EQ(kind(viz::selectionOf(*scene, viz::TmemPlace{})), "not-selectable");
  EXPECT_EQ(kind(viz::selectionOf(*scene, viz::ThreadPlace{128})), "no-such-place");
  EXPECT_EQ(kind(viz::selectionOf(*scene, viz::ElementPlace{{64, 0}})), "index-range");
}

TEST(LibraryKinds, Files) {
  auto scene = viz::layoutScene(layouts::RegisterLayout(layouts::catalogue::wgmma()), {64, 16}, layouts::Dtype::F32);
  ASSERT_TRUE(scene);
  std::vector<viz::Scene> two(2, *scene);
  EXPECT_EQ(kind(viz::renderScene(*scene, "bmp")), "unknown-format");
  EXPECT_EQ(kind(viz::renderScenes(two, "png")), "several-pictures");
  EXPECT_EQ(kind(viz::renderScene(viz::Scene(), "csv")), "no-subject");
  EXPECT_EQ(kind(viz::tmemArraysScene({})), "no-tensor-memory");
  EXPECT_EQ(kind(viz::exportScene(*scene, "/there/is/no/such/folder.svg")), "unwritable-file");
  EXPECT_EQ(kind(core::gunzip("\x1f\x8b nothing", "x.gz", 100)), "gzip");
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "x.npz";
  ASSERT_TRUE(core::writeFile(path, std::string_view("no zip")));
  EXPECT_EQ(kind(core::loadNpz(path)), "npz");
}

TEST(LibraryKinds, Dumps) {
  EXPECT_EQ(kind(core::readDump(source("module {}"))), "not-a-dump");
  core::IrContext context = core::makeGpuContext();
  EXPECT_EQ(kind(core::readDumpKernel(context, source("module {}"))), "dump-kernel");
  auto dump = core::readDump(source(R"(func.func @k(%x: vector<64x8xf32>) {
  %u = arith.negf %x {in_layouts = 7} : vector<64x8xf32>
  return
})"));
  ASSERT_TRUE(dump) << render(dump.error());
  ASSERT_FALSE(dump->warnings.empty());
  EXPECT_EQ(dump->warnings[0].kind, "dump-layout");
  EXPECT_EQ(kind(viz::dumpOpScene(dump->ops[0])), "no-layout");
}

TEST(LibraryKinds, GapsOfCoverage) {
  using core::CoveragePoint;
  auto gapOf = [](CoveragePoint point) {
    core::Coverage coverage;
    coverage.add({std::move(point)});
    Diagnostics gaps = coverage.gaps();
    return gaps.empty() ? std::string() : std::string(gaps.front().kind);
  };
  CoveragePoint wait{.kind = CoveragePoint::Kind::Wait, .words = "barrier_wait(b)", .inLoop = true};
  EXPECT_EQ(gapOf(wait), "coverage-never-reached");
  wait.reached = wait.waited = 2;
  wait.parity[0] = wait.parity[1] = true;
  wait.stages = {0};
  wait.allStages = {0, 8};
  EXPECT_EQ(gapOf(wait), "") << "one barrier is no pipeline";
  wait.stages = {0, 8};
  wait.allStages = {0, 8, 16};
  EXPECT_EQ(gapOf(wait), "coverage-stages");
  wait.stages = {0, 8, 16};
  EXPECT_EQ(gapOf(wait), "");
  CoveragePoint branch{
      .kind = CoveragePoint::Kind::Branch, .words = "if i > 0:", .inLoop = true, .reached = 3, .taken = true};
  EXPECT_EQ(gapOf(branch), "coverage-one-way");
  branch.fellThrough = true;
  EXPECT_EQ(gapOf(branch), "");
}

} // namespace
} // namespace lanescope
