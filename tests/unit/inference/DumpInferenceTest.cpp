// Inference on dumps: JAX's attributes, JAX's system of constraints, and the reasons for a value's layout.
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/StatedTarget.h"
#include "core/ir/KernelModule.h"
#include "core/ir/KernelModuleImpl.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace lanescope;
using namespace lanescope::core;

namespace {

std::string golden(const std::string &path) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/golden/jax_dumps/" + path);
  std::ostringstream content;
  content << file.rdbuf();
  EXPECT_FALSE(content.str().empty()) << path;
  return content.str();
}

constexpr const char *kDumps[] = {"add_Warpgroup/k_4", "tma_Warpgroup/k_5", "wgmma_Warpgroup/k_7"};

class DumpInference : public testing::Test {
protected:
  Result<KernelModule> read(const std::string &text) {
    return parseModule(context_, Source::make("dump.mlir", text), ModuleChecks::Structure);
  }
  IrContext context_ = makeGpuContext();
};

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

} // namespace

TEST_F(DumpInference, ModulesStateTheirTarget) {
  auto nameOf = [&](const std::string &attributes) {
    auto module = read("module attributes {" + attributes + "} {}");
    return module ? std::string(machineOf(*module->impl().module).name) : render(module.error());
  };
  const std::string major = "mosaic_gpu.arch_major = ", minor = ", mosaic_gpu.arch_minor = ";
  EXPECT_EQ(nameOf(major + "10 : i32" + minor + "0 : i32"), "sm_100a");
  EXPECT_EQ(nameOf(major + "9 : i32"), "sm_90a");                    // the minor number is 0
  EXPECT_EQ(nameOf(major + "8 : i32" + minor + "8 : i32"), "sm_87"); // not in the table
  EXPECT_EQ(nameOf(major + "7 : i32" + minor + "5 : i32"), "sm_80"); // older than the table
  EXPECT_EQ(nameOf(""), defaultGpuTarget().name);
  EXPECT_EQ(nameOf(major + "\"ten\"" + minor + "0 : i32"), defaultGpuTarget().name);
  EXPECT_EQ(nameOf(major + "10 : ui32" + minor + "0 : i32"), defaultGpuTarget().name);
}

TEST_F(DumpInference, LayoutsAreJaxs) {
  for (std::string dump : kDumps) {
    auto after = read(golden(dump + ".after_layout_inference.txt"));
    ASSERT_TRUE(after) << render(after.error());
    for (const char *stage : {".before_layout_inference.txt", ".after_layout_inference.txt"}) {
      auto module = read(golden(dump + stage));
      ASSERT_TRUE(module) << render(module.error());
      auto inferred = layOutDump(*module, {});
      ASSERT_TRUE(inferred) << render(inferred.error());
      EXPECT_EQ(moduleText(*module), moduleText(*after)) << dump << stage;
    }
  }
}

TEST_F(DumpInference, SystemsAreJaxs) {
  for (std::string dump : kDumps) {
    auto module = read(golden(dump + ".before_layout_inference.txt"));
    ASSERT_TRUE(module) << render(module.error());
    auto system = constraintSystemOf(*module);
    ASSERT_TRUE(system) << render(system.error());
    EXPECT_EQ(trimmed(*system), trimmed(golden(dump + ".constraint_system.txt")));
  }
}

TEST_F(DumpInference, ChainsEndWhereTheLayoutIsSaid) {
  const std::string text = golden("wgmma_Warpgroup/k_7.before_layout_inference.txt");
  SourceRef source = Source::make("dump.mlir", text);
  auto module = parseModule(context_, source);
  ASSERT_TRUE(module) << render(module.error());
  const uint32_t at = static_cast<uint32_t>(text.find("\"mosaic_gpu.vector_store\""));
  auto reasons = layoutReasons(*module, {source, at, at + 1}, {});
  ASSERT_TRUE(reasons) << render(reasons.error());
  ASSERT_EQ(reasons->size(), 1U);
  EXPECT_EQ(reasons->front().value, "operand 0");
  ASSERT_GE(reasons->front().steps.size(), 2U);
  const LayoutReason &end = reasons->front().steps.back();
  EXPECT_EQ(end.words, "`WGMMA`, as this operation says");
  EXPECT_EQ(text.substr(end.span.begin).substr(0, 40).find("wgmma") != std::string::npos, true)
      << text.substr(end.span.begin, 40);
}

TEST_F(DumpInference, OperationsOutsideOfModules) {
  // The reader returns no module here, and inference must not look for the region around the operations.
  const std::string text = R"(%0 = "llvm.mlir.undef"() : () -> vector<64x64xf32>
"mosaic_gpu.debug_print"(%0) <{format = "{}"}> : (vector<64x64xf32>) -> ()
)";
  auto module = read(text);
  if (module)
    (void)layOutDump(*module, {});
  auto backwards = read(text.substr(text.find('\n') + 1) + text.substr(0, text.find('\n') + 1));
  EXPECT_FALSE(backwards) << "a value that is used before it is there";
}

TEST_F(DumpInference, ErrorsHaveTheirPlaces) {
  const std::string text = R"(module {
  func.func @f(%x: vector<64x64xf32>) {
    %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
    return
  }
}
)";
  auto module = read(text);
  ASSERT_TRUE(module) << render(module.error());
  auto inferred = layOutDump(*module, {});
  ASSERT_FALSE(inferred);
  EXPECT_EQ(inferred.error().front().kind, "layout");
  auto unknown = layOutDump(*module, {.arch = "sm_12", .fuel = {}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().front().message.find("sm_12"), std::string::npos);
}
