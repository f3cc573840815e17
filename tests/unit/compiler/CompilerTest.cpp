// The pipeline's guarantees: stages are kept if a later one fails, every error has a place, and the PTX has `.loc`
// lines.
#include "tests/unit/compiler/KernelText.h"

#include "core/gpu/codegen/Assembler.h"
#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::core;
using namespace lanescope::core::testing;
namespace catalogue = lanescope::layouts::catalogue;

namespace {

KernelStages stagesOf(const std::string &text, CompileOptions options = {}) {
  auto module = parseModule(compiler().context(), Source::make("test.mlir", text));
  if (!module) {
    KernelStages failed;
    failed.diagnostics = std::move(module.error());
    return failed;
  }
  return compiler().compile(std::move(*module), options);
}

/// The message of the only error.
std::string onlyError(const KernelText &kernel) {
  KernelStages stages = stagesOf(kernel.text());
  EXPECT_FALSE(stages.kernel);
  std::string message;
  int errors = 0;
  for (const Diagnostic &diagnostic : stages.diagnostics)
    if (diagnostic.severity == Severity::Error) {
      message = diagnostic.message;
      EXPECT_TRUE(diagnostic.span.source) << message;
      ++errors;
    }
  EXPECT_EQ(errors, 1) << render(stages.diagnostics);
  return message;
}

KernelText copyKernel(const std::string &type, layouts::Shape global, layouts::Shape part, layouts::Shape tile,
                      int swizzle) {
  KernelText k;
  k.argument("x", type, global, "in");
  k.smemBytes = layouts::elementCount(part) * (type == "f32" ? 4 : 2) + 8;
  k.body = buffer("tile", 0, part, type, tile, swizzle) + barrier(k.smemBytes - 8) +
           asyncLoad("x", global, "tile", part, type) + waitParity(0);
  return k;
}

KernelText meeting(const layouts::RegisterLayout &one, const layouts::RegisterLayout &other) {
  KernelText k;
  std::string array = "vector<64x64xf32>", global = "memref<64x64xf32>";
  k.argument("x", "f32", {64, 64}, "in").argument("out", "f32", {64, 64}, "out");
  k.body = load("a", "x", global, array) + load("b", "x", global, array) +
           text("    %c = mosaic_gpu.layout_cast x(%a : ", array, ") {new_layout = ", layouts::mlirText(one), "}\n",
                "    %d = mosaic_gpu.layout_cast x(%b : ", array, ") {new_layout = ", layouts::mlirText(other), "}\n",
                "    %e = arith.addf %c, %d : ", array, "\n") +
           store("e", "out", global, array);
  return k;
}

} // namespace

TEST(Compiler, KeepsTheStagesBeforeAFailure) {
  CompileOptions options;
  options.keepTexts = true;
  KernelStages good = stagesOf(meeting(catalogue::wgmma(), catalogue::wgmma()).text(), options);
  ASSERT_TRUE(good.kernel) << render(good.diagnostics);
  for (const char *id : {"ir", "laid-out", "nvvm", "llvm", "ptx"})
    EXPECT_TRUE(good.find(id)) << id;
  KernelStages bad = stagesOf(meeting(catalogue::wgmma(), catalogue::wgmmaTransposed()).text(), options);
  EXPECT_TRUE(bad.find("ir"));
  EXPECT_FALSE(bad.find("laid-out"));
  EXPECT_FALSE(bad.kernel);
}

TEST(Compiler, StopsWhereAsked) {
  CompileOptions options;
  options.until = "laid-out";
  options.keepTexts = true;
  KernelStages stages = stagesOf(meeting(catalogue::wgmma(), catalogue::wgmma()).text(), options);
  EXPECT_TRUE(stages.find("laid-out"));
  EXPECT_FALSE(stages.find("nvvm"));
  EXPECT_FALSE(stages.kernel);
  EXPECT_FALSE(hasErrors(stages.diagnostics));
}

TEST(Compiler, NamesBothLayoutsThatMeetAndWhereTheyComeFrom) {
  KernelStages stages = stagesOf(meeting(catalogue::wgmma(), catalogue::wgmmaTransposed()).text());
  ASSERT_EQ(stages.diagnostics.size(), 1u) << render(stages.diagnostics);
  const Diagnostic &problem = stages.diagnostics.front();
  EXPECT_EQ(problem.kind, "layout");
  EXPECT_NE(problem.message.find("`WGMMA` and `WGMMA_TRANSPOSED`"), std::string::npos) << problem.message;
  EXPECT_NE(problem.message.find("layout_cast"), std::string::npos);
  ASSERT_EQ(problem.notes.size(), 2u);
  EXPECT_NE(problem.notes[0].span.begin, problem.notes[1].span.begin);
  EXPECT_EQ(problem.span.source->lineText(problem.span.source->lineColumn(problem.span.begin).line).substr(0, 21),
            "    %e = arith.addf %");
}

TEST(Compiler, ListsTheConversionsThereAre) {
  KernelText k;
  std::string array = "vector<64x64xf32>";
  k.argument("x", "f32", {64, 64}, "in").argument("out", "f32", {64, 64}, "out");
  k.body =
      load("a", "x", "memref<64x64xf32>", array) +
      text("    %b = mosaic_gpu.layout_cast x(%a : ", array, ") {new_layout = ", layouts::mlirText(catalogue::wgmma()),
           "}\n    %c = mosaic_gpu.layout_cast x(%b : ", array,
           ") {new_layout = ", layouts::mlirText(*layouts::WGStridedFragLayout::make({64, 64}, 2)), "}\n") +
      store("c", "out", "memref<64x64xf32>", array);
  std::string message = onlyError(k);
  EXPECT_NE(message.find("no conversion from `WGMMA`"), std::string::npos) << message;
  EXPECT_NE(message.find("WGMMA <-> WGMMA_TRANSPOSED"), std::string::npos) << message;
}

TEST(Compiler, ChecksCopiesInTheUsersTerms) {
  struct {
    KernelText kernel;
    const char *says;
  } cases[] = {
      {copyKernel("f32", {64, 512}, {64, 512}, {}, 0), "at most 256"},
      {copyKernel("f16", {64, 72}, {64, 66}, {}, 0), "multiple of 16"},
      {copyKernel("f16", {100, 64}, {104, 64}, {8, 64}, 128), "not a multiple of the shared memory's tile size 8"},
      {copyKernel("f16", {64, 65}, {64, 64}, {}, 0), "stride of 130 bytes"},
      {copyKernel("f16", {64, 128}, {64, 128}, {8, 32}, 128),
       "the innermost dimension of the copy must be 128 bytes (64 elements), but it is 64"},
  };
  for (auto &[kernel, says] : cases) {
    std::string message = onlyError(kernel);
    EXPECT_NE(message.find(says), std::string::npos) << message;
  }
}

TEST(Compiler, LoadsThatHaveNoDefaultAskForALayout) {
  KernelText k;
  k.argument("x", "f32", {3, 5}, "in").argument("out", "f32", {3, 5}, "out");
  k.body =
      load("a", "x", "memref<3x5xf32>", "vector<3x5xf32>") + store("a", "out", "memref<3x5xf32>", "vector<3x5xf32>");
  EXPECT_NE(onlyError(k).find("layout="), std::string::npos);
}

TEST(Compiler, SharedMemoryHasALimit) {
  KernelText k;
  k.smemBytes = 228 * 1024;
  EXPECT_NE(onlyError(k).find("at most 232448"), std::string::npos);
}

TEST(Compiler, UnknownOperationsAreNamed) {
  KernelText k;
  k.body = "    %c = arith.constant 1.0 : f32\n    %d = math.cbrt %c : f32\n";
  EXPECT_NE(onlyError(k).find("`math.cbrt`"), std::string::npos);
}

TEST(Compiler, PtxNamesTheSnippetsLines) {
  KernelText k = meeting(catalogue::wgmma(), catalogue::wgmma());
  KernelStages stages = compileText(k.text());
  ASSERT_TRUE(stages.kernel);
  EXPECT_NE(stages.kernel->ptx.find("test.mlir\""), std::string::npos);
  std::string text = k.text();
  auto line = std::count(text.begin(), text.begin() + static_cast<long>(text.find("arith.addf")), '\n') + 1;
  EXPECT_NE(stages.kernel->ptx.find(lanescope::text(".loc\t1 ", line, " ")), std::string::npos);
}

TEST(Compiler, DescribesTheLaunch) {
  KernelText k = copyKernel("f16", {256, 256}, {64, 128}, {8, 64}, 128);
  k.grid = {4, 2, 1};
  k.warpgroups = 2;
  KernelStages stages = compileText(k.text());
  ASSERT_TRUE(stages.kernel);
  const Launch &launch = stages.kernel->launch;
  EXPECT_EQ(launch.block[0], 256u);
  EXPECT_EQ(launch.grid, (std::array<uint32_t, 3>{4, 2, 1}));
  ASSERT_EQ(launch.params.size(), 1u);
  const auto &block = std::get<BytesParam>(launch.params[0]);
  ASSERT_EQ(block.tensorMaps.size(), 1u);
  const TensorMapSpec &map = block.tensorMaps[0];
  EXPECT_EQ(map.shape, (layouts::Shape{32, 4, 8, 64}));
  EXPECT_EQ(map.stridesBytes, (layouts::Shape{4096, 128, 512}));
  EXPECT_EQ(map.box, (layouts::Shape{8, 2, 8, 64}));
  EXPECT_EQ(map.swizzle, 128);
  ASSERT_EQ(block.pointers.size(), 1u);
  EXPECT_EQ(block.pointers[0].offset, 128u);
}

TEST(Compiler, ReportsLayoutsOnRequestAndPerValue) {
  KernelText k;
  std::string array = "vector<64x64xf16>", shared = sharedType({64, 64}, "f16");
  k.smemBytes = 64 * 64 * 2;
  k.body = buffer("tile", 0, {64, 64}, "f16", {8, 64}, 128) + load("a", "tile", shared, array) +
           text("    \"mosaic_gpu.print_layout\"(%a) <{format = \"a: {}\"}> : (", array, ") -> ()\n",
                "    \"mosaic_gpu.print_layout\"(%tile) <{format = \"tile: {}\"}> : (", shared, ") -> ()\n");
  KernelStages stages = compileText(k.text());
  ASSERT_EQ(stages.diagnostics.size(), 2u);
  EXPECT_EQ(stages.diagnostics[0].severity, Severity::Note);
  EXPECT_EQ(stages.diagnostics[0].message, "a: " + layouts::jaxText(layouts::RegisterLayout(catalogue::wgmma())));
  EXPECT_NE(stages.diagnostics[1].message.find("SwizzleTransform(swizzle=128)"), std::string::npos);
  ASSERT_TRUE(stages.kernel);
  bool found = false;
  for (const ValueLayout &value : stages.kernel->values)
    found |= value.type == "f16[64, 64]" && value.layout.find("TiledLayout") == 0;
  EXPECT_TRUE(found);
}

// inventory: PD print, print_array (rank 1)
TEST(Compiler, PrintsFromInsideTheKernel) {
  KernelText k;
  k.argument("x", "i32", {128}, "in");
  k.body = load("a", "x", "memref<128xi32>", "vector<128xi32>") +
           "    \"mosaic_gpu.debug_print\"(%a) <{format = \"a {}\"}> : (vector<128xi32>) -> ()\n"
           "    %c = arith.constant 2.5 : f32\n    %n = lanescope.program_id {dim = 0 : i32}\n"
           "    \"mosaic_gpu.debug_print\"(%c, %n) <{format = \"half {} of {}, 100%\"}> : (f32, i32) -> ()\n";
  RunResult result = runOnEmulator(k.text(), {pattern(Dtype::I32, {128})});
  EXPECT_NE(result.printed.find("half 2.5 of 0, 100%\n"), std::string::npos) << result.printed;
  EXPECT_NE(result.printed.find("a [3]: -9\n"), std::string::npos) << result.printed;
}

TEST(Assembler, SaysWhatItRefuses) {
  auto result = assemble("this is no PTX", "sm_90a");
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().front().kind == "ptx-rejected" || result.error().front().kind == "no-ptxas");
  auto text = disassemble({}); // an empty file is no cubin
  ASSERT_FALSE(text);
  EXPECT_TRUE(text.error().front().kind == "nvdisasm" || text.error().front().kind == "no-nvdisasm");
}
