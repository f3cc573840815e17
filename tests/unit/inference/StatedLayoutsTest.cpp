// Dumps as kernels: layouts that the module states are kept, the others are inferred, and impossible layouts are errors
// at their line.
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/inference/DumpKernels.h"
#include "core/gpu/ir/Context.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

using namespace lanescope;
using namespace lanescope::core;

namespace {

constexpr const char *kDumps[] = {"add_Warpgroup/k_4", "tma_Warpgroup/k_5", "wgmma_Warpgroup/k_7"};

std::string golden(const std::string &path) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps/" + path + "_layout_inference.txt");
  std::ostringstream content;
  content << file.rdbuf();
  EXPECT_FALSE(content.str().empty()) << path;
  return content.str();
}

std::string replaced(const std::string &text, const std::string &pattern, const std::string &by,
                     std::regex_constants::match_flag_type flags = std::regex_constants::format_default) {
  std::string out = std::regex_replace(text, std::regex(pattern), by, flags);
  EXPECT_NE(out, text) << pattern;
  return out;
}

class StatedLayouts : public testing::Test {
protected:
  /// The module's text with all layouts, or the error.
  std::string completed(const std::string &text) {
    auto module = parseModule(context_, Source::make("dump.mlir", text), ModuleChecks::Structure);
    if (!module)
      return render(module.error());
    auto done = completeLayouts(*module, {});
    return done ? moduleText(*module) : render(done.error());
  }
  /// The module as the printer prints it.
  std::string read(const std::string &text) {
    auto module = parseModule(context_, Source::make("dump.mlir", text), ModuleChecks::Structure);
    return module ? moduleText(*module) : render(module.error());
  }
  IrContext context_ = makeGpuContext();
};

} // namespace

TEST_F(StatedLayouts, ModulesOfJaxsStayAsTheyAre) {
  for (std::string dump : kDumps)
    EXPECT_EQ(completed(golden(dump + ".after")), read(golden(dump + ".after"))) << dump;
}

TEST_F(StatedLayouts, OthersThanJaxWouldInferAreKept) {
  const std::string text = replaced(golden("add_Warpgroup/k_4.after"), R"(WGStridedFragLayout<\[128, 128\], 2>)",
                                    "WGStridedFragLayout<[128, 128], 4>");
  EXPECT_EQ(completed(text), read(text));
}

TEST_F(StatedLayouts, WhatIsNotStatedFollows) {
  for (std::string dump : kDumps) {
    EXPECT_EQ(completed(golden(dump + ".before")), read(golden(dump + ".after"))) << dump;
    // Only one operation states a layout; all other layouts follow.
    if (dump.starts_with("add")) {
      const std::string one = replaced(golden(dump + ".before"), R"((optimized = true\}>) :)",
                                       "$1 {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 4>]} :");
      EXPECT_EQ(completed(one), read(replaced(golden(dump + ".after"), R"(WGStridedFragLayout<\[128, 128\], 2>)",
                                              "WGStridedFragLayout<[128, 128], 4>")));
    }
  }
}

TEST_F(StatedLayouts, ContradictionsAreErrorsAtTheirLines) {
  const std::string said = completed(
      replaced(golden("add_Warpgroup/k_4.after"), R"((vector_store.*)<\[128, 128\], 2>)", "$1<[128, 128], 4>"));
  EXPECT_NE(said.find("dump.mlir:60:7: error: there are no layouts for all operations"), std::string::npos) << said;
  EXPECT_NE(said.find("operand 0 is `WGStridedFragLayout(shape=(128, 128), vec_size=4)`"), std::string::npos) << said;
  EXPECT_NE(said.find("dump.mlir:59:13: note: but here"), std::string::npos) << said;
}

TEST_F(StatedLayouts, AttributesThatAreNoneOfTheirOperation) {
  const std::string dump = golden("add_Warpgroup/k_4.after");
  std::string said = completed(replaced(dump, R"((addf.*in_layouts = \[)[^,]*, [^,]*, [^,]*, )", "$1"));
  EXPECT_NE(said.find("dump.mlir:59:"), std::string::npos) << said;
  EXPECT_NE(said.find("`in_layouts` has 1 entries for 2 arrays"), std::string::npos) << said;
  said = completed(replaced(dump, R"((vector_store.*)<\[128, 128\], 2>)", "$1<[64, 128], 2>"));
  EXPECT_NE(said.find("a value of type 'vector<128x128xf32>' cannot have the layout"), std::string::npos) << said;
  said = completed(replaced(dump, R"((vector_store.*in_layouts = \[)[^\]]*\], 2>)", "$1 7 : i32"));
  EXPECT_NE(said.find("`in_layouts` has an entry that is no layout of such values"), std::string::npos) << said;
}

TEST_F(StatedLayouts, KernelsAreForTheirArchitectureOrTheOneThatIsAsked) {
  for (const char *stage : {".before", ".after"}) {
    auto kernel = readDumpKernel(context_, Source::make("dump.mlir", golden(std::string(kDumps[2]) + stage)));
    ASSERT_TRUE(kernel) << render(kernel.error());
    EXPECT_EQ(kernel->arch, "sm_90a");
  }
  auto unknown =
      readDumpKernel(context_, Source::make("dump.mlir", golden(std::string(kDumps[2]) + ".before")), "sm_12");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().front().kind, "layout");
}
