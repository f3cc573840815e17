// Dumps as pages: grouping of files, the values computed for a module, the comparison of two modules, and a module with
// an added cast.
#include "core/data/Files.h"
#include "core/gpu/dumps/CompareDumps.h"
#include "core/gpu/dumps/Edits.h"
#include "core/gpu/dumps/PageText.h"
#include "layouts/Catalogue.h"
#include "tests/unit/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::dumps;
namespace fs = std::filesystem;

namespace {

const fs::path kDumps = LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps";
constexpr std::string_view kWgmma =
    "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>";
constexpr std::string_view kTransposed =
    "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2, 2], [2, 1]], warp_dims = [-10], lane_dims = [-6, -3, -5], "
    "vector_dim = -2>";

KernelPage pageFrom(std::string text) {
  auto page = pageOf(Source::make("k.mlir", std::move(text)));
  EXPECT_TRUE(page) << (page ? "" : render(page.error()));
  return page ? *std::move(page) : KernelPage();
}

KernelPage golden(const std::string &kernel) {
  auto files = findDumps(kDumps / kernel);
  EXPECT_TRUE(files) << (files ? "" : render(files.error()));
  return readPage(files->front());
}

/// A module whose warpgroup statements are in a loop of four rounds, or outside it.
std::string module(const std::string &body) {
  return "module {\n  func.func @k() {\n    %c0 = arith.constant 0 : index\n    %c1 = arith.constant 1 : index\n    "
         "%c4 = "
         "arith.constant 4 : index\n" +
         body + "    return\n  }\n}\n";
}

std::string smem(const std::string &name, int offset, const std::string &type) {
  return "    " + name + " = \"mosaic_gpu.slice_smem\"() <{offset = " + std::to_string(offset) +
         " : i32}> {out_transforms = [[]]} : () -> memref<" + type + ", #gpu.address_space<workgroup>>\n";
}

std::string load(const std::string &name, const std::string &from, const std::string &type, const std::string &vector,
                 std::string_view layout, const std::string &transforms = "[]") {
  return "    " + name + " = \"mosaic_gpu.vector_load\"(" + from + ") {in_transforms = [" + transforms +
         "], out_layouts = [" + std::string(layout) + "]} : (memref<" + type +
         ", #gpu.address_space<workgroup>>) -> vector<" + vector + ">\n";
}

class DumpFolder : public testing::Test {
protected:
  void put(const std::string &name, const std::string &content = "x") {
    fs::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(writeFile(folder_ / name, content));
  }
  std::vector<std::string> names(const std::string &path = "") {
    auto found = findDumps(folder_ / path);
    std::vector<std::string> out;
    if (!found)
      return {found.error().front().kind};
    for (const DumpFiles &kernel : *found)
      out.push_back(kernel.name);
    return out;
  }

  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
};

} // namespace

TEST_F(DumpFolder, GroupsFilesByName) {
  for (const char *name : {"k_10.ptx", "k_9.ptx", "k_9.before_layout_inference.txt", "k_9.after_layout_inference.txt",
                           "k_9.constraint_system.txt", "k_9.resources.txt", "k_9.sass", "k_9.sass_ctrl", "k_9.ptxas",
                           "notes.txt", "k_9.png"})
    put(name);
  EXPECT_EQ(names(), (std::vector<std::string>{"k_9", "k_10"})); // sorted by number
  auto found = findDumps(folder_);
  EXPECT_EQ((*found)[0].files.size(), 8U);
  EXPECT_EQ((*found)[1].files.size(), 1U);
  EXPECT_EQ(names("k_1"), (std::vector<std::string>{"k_10"}));
  EXPECT_EQ(names("k_9"), (std::vector<std::string>{"k_9"}));
  EXPECT_EQ(names("nothing"), (std::vector<std::string>{"no-dumps"}));
  EXPECT_TRUE(looksLikeDumps(folder_ / "k_9"));
  EXPECT_FALSE(looksLikeDumps(folder_ / "k_9.ptx")); // this is a file
  EXPECT_FALSE(looksLikeDumps(folder_ / "nothing"));
  auto one = findOneDump(folder_);
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().front().kind, "several-kernels");
}

TEST_F(DumpFolder, PlainNamesAreTheOneKernels) {
  put("before.mlir"), put("kernel.ptx"), put("launch.json");
  EXPECT_EQ(names(), (std::vector<std::string>{folder_.filename().string()}));
  put("k_3.after_layout_inference.txt");
  auto found = findDumps(folder_);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ((*found)[0].name, "k_3");
  EXPECT_EQ((*found)[0].files.size(), 4U);
}

TEST_F(DumpFolder, FoldersBelowAreFound) {
  put("a/k_1.ptx"), put("b/kernel.ptx"), put("c/readme.md");
  EXPECT_EQ(names(), (std::vector<std::string>{"a/k_1", "b"}));
}

TEST_F(DumpFolder, DamagedFilesGiveAPartialPage) {
  put("k_1.before_layout_inference.txt", "module {"), put("k_1.after_layout_inference.txt", "\xff\xfe");
  put("k_1.ptx", "");
  auto found = findDumps(folder_);
  KernelPage page = readPage(found->front());
  EXPECT_FALSE(page.hasModule());
  EXPECT_FALSE(page.ptx);
  EXPECT_EQ(page.missing.size(), 3U) << pageText(page);
  EXPECT_TRUE(hasErrors(page.problems));
}

TEST(DumpPage, Matmul) {
  KernelPage page = golden("wgmma_Warpgroup");
  ASSERT_EQ(page.dump.ops.size(), 12U);
  EXPECT_TRUE(page.compared);
  EXPECT_TRUE(page.differences.empty());
  EXPECT_EQ(page.constraintsAgree, true);
  EXPECT_TRUE(page.relayouts.empty());
  EXPECT_EQ(page.registers, 64); // 64 x 128 f32 over 128 threads
  ASSERT_EQ(page.allocations.size(), 3U);
  EXPECT_EQ(page.allocations[0].offset, 0);
  EXPECT_EQ(page.allocations[0].size, 8192);
  EXPECT_EQ(page.allocations[0].first, 6U); // the copy writes first
  EXPECT_EQ(page.allocations[0].last, 10U); // the product reads last
  EXPECT_EQ(page.allocations[2].place, DumpValue::Place::Barrier);
  EXPECT_EQ(page.allocations[2].size, 8);
  // The product's operands name the places where they are made.
  const DumpOp &wgmma = page.dump.ops[10];
  EXPECT_EQ(wgmma.operands[0].source, (DumpSource{9, true, 0}));
  EXPECT_EQ(wgmma.operands[1].memory, 3U);
  ASSERT_TRUE(page.ptx);
  EXPECT_TRUE(page.ptx->hasPlaces);
  EXPECT_GT(page.ptx->total, 100);
}

TEST(DumpPage, LayoutsAreInferredBefore) {
  auto before = readSource(kDumps / "wgmma_Warpgroup/k_7.before_layout_inference.txt");
  auto page = pageOf(*before);
  ASSERT_TRUE(page) << render(page.error());
  EXPECT_TRUE(page->inferredHere);
  EXPECT_EQ(page->dump.ops[10].results[0].layout, layouts::RegisterLayout(layouts::catalogue::wgmma()));
}

TEST(DumpPage, CountsConflictsByLayoutAndTransforms) {
  std::string type = "64x64xf32", vector = "64x64xf32";
  KernelPage plain = pageFrom(module(smem("%s", 0, type) + load("%v", "%s", type, vector, kWgmma)));
  ASSERT_EQ(plain.transfers.size(), 1U);
  EXPECT_TRUE(plain.transfers[0].load);
  EXPECT_GT(plain.transfers[0].conflicts(), 0) << pageText(plain);
  KernelPage swizzled =
      pageFrom(module(smem("%s", 0, type) + load("%v", "%s", type, vector, kWgmma,
                                                 "[#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128 : i32>]")));
  ASSERT_EQ(swizzled.transfers.size(), 1U);
  EXPECT_EQ(swizzled.transfers[0].conflicts(), 0) << pageText(swizzled);
  EXPECT_GT(swizzled.transfers[0].wavefronts, 0);
  // Rows that are distributed one after another meet in no bank.
  KernelPage strided = pageFrom(
      module(smem("%s", 0, type) + load("%v", "%s", type, vector, "#mosaic_gpu.WGStridedFragLayout<[64, 64], 4>")));
  ASSERT_EQ(strided.transfers.size(), 1U);
  EXPECT_EQ(strided.transfers[0].conflicts(), 0) << pageText(strided);
  EXPECT_EQ(strided.transfers[0].instructions, "ld.shared.b128");
}

TEST(DumpPage, FindsRelayoutsWithTheirCost) {
  std::string w(kWgmma), t(kTransposed);
  KernelPage page = pageFrom(module(smem("%s", 0, "64x64xf16") + load("%v", "%s", "64x64xf16", "64x64xf16", kWgmma) +
                                    "    %t = mosaic_gpu.layout_cast x(%v : vector<64x64xf16>) {in_layouts = [" + w +
                                    "], new_layout = " + t + ", out_layouts = [" + t +
                                    "]}\n    %a = arith.addf %t, %t {in_layouts = [" + w + ", " + t +
                                    "], out_layouts = [" + w + "]} : vector<64x64xf16>\n"));
  ASSERT_EQ(page.relayouts.size(), 2U) << pageText(page); // at the cast, and at the first operand of the sum
  EXPECT_EQ(page.relayouts[0].op, 2U);
  EXPECT_EQ(page.relayouts[1].op, 3U);
  EXPECT_EQ(page.relayouts[1].operand, 0U);
  EXPECT_EQ(page.relayouts[0].mechanism, layouts::RelayoutMechanism::Shuffles);
  EXPECT_EQ(page.shuffles(), page.relayouts[0].counts.shuffles + page.relayouts[1].counts.shuffles);
  EXPECT_GT(page.shuffles(), 0);
}

TEST(DumpPage, MemoryIsInUseToTheEndOfItsLoop) {
  KernelPage page =
      pageFrom(module(smem("%s", 0, "64x64xf32") + smem("%r", 16384, "64x64xf32") +
                      "    scf.for %i = %c0 to %c4 step %c1 {\n" + load("%v", "%s", "64x64xf32", "64x64xf32", kWgmma) +
                      load("%w", "%r", "64x64xf32", "64x64xf32", kWgmma) + "    }\n"));
  ASSERT_EQ(page.allocations.size(), 2U);
  EXPECT_EQ(page.allocations[0].first, 2U);
  EXPECT_EQ(page.allocations[0].last, 3U); // the next round reads it again
  EXPECT_TRUE(page.transfers[0].inLoop);
}

TEST(DumpPage, WhatIfAResultHadAnotherLayout) {
  KernelPage page = golden("wgmma_Warpgroup");
  CastRequest request{.op = page.dump.ops[10].span,
                      .result = true,
                      .index = 0,
                      .to = layouts::RegisterLayout(layouts::catalogue::wgmmaTransposed())};
  auto edited = withCast(page.module, request);
  ASSERT_TRUE(edited) << render(edited.error());
  auto after = pageOf(*edited);
  ASSERT_TRUE(after) << render(after.error());
  Comparison comparison = compare(page, *after);
  EXPECT_EQ(comparison.matched.size(), 12U);
  ASSERT_EQ(comparison.onlySecond.size(), 1U);
  EXPECT_EQ(after->dump.ops[comparison.onlySecond[0]].name, "mosaic_gpu.layout_cast");
  ASSERT_EQ(comparison.relayoutsAfter.size(), 1U);
  EXPECT_GT(after->shuffles(), 0);
  ASSERT_EQ(comparison.changes.size(), 1U); // the store takes the new layout
  EXPECT_EQ(comparison.changes[0].first, 11U);
  // The comparison in the other direction.
  EXPECT_EQ(compare(*after, page).relayoutsBefore.size(), 1U);
  EXPECT_TRUE(compare(page, page).same());
  // A request at the cast itself changes the layout of that cast.
  request.op = after->dump.ops[comparison.onlySecond[0]].span;
  request.to = layouts::RegisterLayout(layouts::catalogue::wgmma());
  auto back = withCast(*edited, request);
  ASSERT_TRUE(back) << render(back.error());
  EXPECT_TRUE(pageOf(*back)->relayouts.empty());
}

TEST(DumpPage, WhatIfIsRefusedWhereItCannotBe) {
  KernelPage page = golden("wgmma_Warpgroup");
  auto refused = [&](size_t op, bool result, size_t index, auto to) {
    auto edited = withCast(page.module, {.op = page.dump.ops[op].span, .result = result, .index = index, .to = to});
    if (edited)
      return std::string();
    EXPECT_EQ(edited.error().front().kind, "what-if");
    return edited.error().front().message;
  };
  layouts::RegisterLayout row = *layouts::WGStridedFragLayout::make({64, 64}, 2), wgmma = layouts::catalogue::wgmma();
  EXPECT_EQ(refused(3, true, 0, wgmma), "result 0 is no array in registers, so it has no register layout");
  EXPECT_EQ(refused(10, true, 0, SmemTransforms{}),
            "result 0 is no reference to shared memory, so it has no transforms");
  EXPECT_EQ(refused(10, true, 7, wgmma), "there is no result 7: it has 1");
  EXPECT_NE(refused(10, true, 0, row), "") << refused(10, true, 0, row);
  EXPECT_EQ(refused(10, true, 0, layouts::RegisterLayout(layouts::WGSplatFragLayout{{64, 128}})),
            "a splat is what a constant has; nothing is cast to one");
}

TEST(DumpPage, PtxByItsPlacesAndFamilies) {
  PtxSummary ptx =
      summaryOf(Source::make("k.ptx", ".target sm_90a\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"
                                      "mov.u32 %r1, 0; // first\n.loc 1 12 3\n@%p1 ld.shared.b32 %r1, [%r2];\n"
                                      "$L1:\nshfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;\n.loc 1 13 1, "
                                      "function_name $i, inlined_at 1 12 3\nret;\n}\n.file 1 \"/a/b/kernel.py\"\n"));
  EXPECT_EQ(ptx.target, "sm_90a");
  EXPECT_EQ(ptx.total, 4);
  EXPECT_EQ(ptx.instructions, (std::map<std::string, int64_t>{{"ld.shared", 1}, {"shfl.sync", 1}}));
  ASSERT_EQ(ptx.places.size(), 3U);
  EXPECT_EQ(ptx.places[0].place, "");
  EXPECT_EQ(ptx.places[1].place, "kernel.py:12");
  EXPECT_EQ(ptx.places[1].lines, (std::vector<uint32_t>{7, 9}));
  EXPECT_EQ(ptx.places[2].place, "kernel.py:13");
  EXPECT_EQ(ptxasWords("ptxas info : Used 168 registers, used 1 barriers\n0 bytes stack frame, 4 bytes spill stores, 8 "
                       "bytes spill loads"),
            "168 registers, 4 bytes spilled, 8 bytes read back");
  EXPECT_EQ(ptxasWords("nothing"), "");
}

TEST(DumpPage, SassByItsFamilies) {
  SassSummary sass =
      sassSummary("        .headerflags @\"EF_CUDA_SM90\"\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                  "        /*0010*/              @!P0 LDS.128 R4, [R2] ;  /* 0x0 */\n"
                  "        /*0020*/ UTMALDG.2D [UR4], [UR6] ;\n /* no address */ LDS R1 ;\n.L_1:\n");
  EXPECT_EQ(sass.total, 3);
  EXPECT_EQ(sass.instructions, (std::map<std::string, int64_t>{{"LDS", 1}, {"UTMALDG", 1}}));
  EXPECT_EQ(sassSummary("").total, 0);
}
