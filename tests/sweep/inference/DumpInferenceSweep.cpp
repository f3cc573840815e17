// Dumps whose layouts have many independent choices.
#include "core/gpu/inference/DumpInference.h"
#include "core/gpu/ir/Context.h"
#include "core/ir/KernelModule.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::core;

TEST(DumpInference, ContradictionsAreFoundAmongChoicesThatHaveNothingToDoWithThem) {
  // Each product's operands may have any of three swizzles. One operand is also sliced across its tiles.
  const std::string array = "vector<64x64xf32>", ref = "memref<64x64xf16, #gpu.address_space<workgroup>>";
  std::string text = "module {\n%a0 = arith.constant dense<0.0> : " + array + "\n";
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    text += "%l" + n + " = \"mosaic_gpu.slice_smem\"() <{offset = 0 : i32}> : () -> " + ref + "\n";
    text += "%r" + n + " = \"mosaic_gpu.slice_smem\"() <{offset = 0 : i32}> : () -> " + ref + "\n";
    if (i == 20)
      text += "%cut = memref.subview %r" + n + "[4, 0] [4, 64] [1, 1] : " + ref +
              " to memref<4x64xf16, strided<[64, 1], offset: 256>, #gpu.address_space<workgroup>>\n";
    text += "%a" + std::to_string(i + 1) + " = mosaic_gpu.wgmma accumulator(%a" + n + " : " + array + ") a(%l" + n +
            " : " + ref + ") b(%r" + n + " : " + ref + ") -> " + array + "\n";
  }
  IrContext context = makeGpuContext();
  auto module = parseModule(context, Source::make("dump.mlir", text + "}\n"), ModuleChecks::Structure);
  ASSERT_TRUE(module) << render(module.error());
  auto inferred = layOutDump(*module, {});
  ASSERT_FALSE(inferred);
  const Diagnostic &said = inferred.error().front();
  EXPECT_NE(said.message.find("here the tensor core reads tiles of eight rows"), std::string::npos) << said.message;
  ASSERT_EQ(said.notes.size(), 1U);
  EXPECT_NE(said.notes.front().message.find("but here tiles divide (4, 64)"), std::string::npos);
}
