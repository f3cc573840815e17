// core/gpu/build without a language: the code that a caller emits, and the limits of shared memory.
#include "core/gpu/build/GpuBuilder.h"
#include "core/gpu/codegen/Compiler.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

using layouts::Dtype;

KernelFrame addFrame() {
  KernelFrame frame;
  frame.name = "add";
  frame.arguments = {{"x", ArgumentKind::In, Dtype::F32, {128}, {}}, {"out", ArgumentKind::Out, Dtype::F32, {128}, {}}};
  return frame;
}

TEST(KernelBuilder, AModuleIsValidAndCompiles) {
  Compiler compiler;
  auto builder = GpuBuilder::make(compiler.context(), addFrame());
  ASSERT_TRUE(builder);
  IrValue x = (*builder)->load((*builder)->argument(0), true);
  IrValue sum = (*builder)->binary(BinaryKind::Add, x, (*builder)->constant(Dtype::F32, {128}, 1.5));
  (*builder)->store(sum, (*builder)->argument(1), std::nullopt);
  auto module = (*builder)->finish();
  ASSERT_TRUE(module) << render(module.error());
  KernelStages stages = compiler.compile(*std::move(module), {.keepTexts = true});
  ASSERT_TRUE(stages.kernel) << render(stages.diagnostics);
  EXPECT_EQ(stages.kernel->name, "add");
  EXPECT_EQ(stages.kernel->outputs, std::vector<uint32_t>{1});
  EXPECT_NE(stages.find("ir")->text().find("dense<1.500000e+00>"), std::string::npos);
}

TEST(KernelBuilder, SharedMemoryIsCountedWithItsAlignmentAndTheProfiler) {
  KernelFrame frame = addFrame();
  EXPECT_EQ(GpuBuilder::sharedBytes(frame), 0);
  frame.buffers = {{"a", Dtype::F16, {8}, {}, {}}, {"b", Dtype::F32, {100}, {}, {}}};
  EXPECT_EQ(GpuBuilder::sharedBytes(frame), 1024 + 400);
  frame.barriers = {{"c", 1, 3, {}}};
  EXPECT_EQ(GpuBuilder::sharedBytes(frame), 1024 + 400 + 24);
  frame.profileEntries = 16;
  frame.warpgroups = 2;
  EXPECT_EQ(GpuBuilder::sharedBytes(frame), 1024 + 400 + 24 + 2 * 16 * 4);
}

TEST(KernelBuilder, TooMuchSharedMemoryNamesTheBuffers) {
  Compiler compiler;
  KernelFrame frame = addFrame();
  frame.buffers = {{"a", Dtype::F32, {227, 256}, {}, {}}};
  EXPECT_TRUE(GpuBuilder::make(compiler.context(), frame)) << "227 KiB is what there is";
  frame.barriers = {{"b", 1, 1, {}}};
  auto refused = GpuBuilder::make(compiler.context(), frame);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().kind, "shared-memory");
  ASSERT_EQ(refused.error().front().notes.size(), 1u);
  EXPECT_EQ(refused.error().front().notes[0].message, "`a` takes 227 KiB");
}

TEST(KernelBuilder, ADroppedLoopLeavesNothingBehind) {
  Compiler compiler;
  auto builder = *GpuBuilder::make(compiler.context(), addFrame());
  IrValue zero = builder->constant(Dtype::I32, {}, int64_t{0}), four = builder->constant(Dtype::I32, {}, int64_t{4});
  IrValue one = builder->constant(Dtype::I32, {}, int64_t{1});
  auto dropped = builder->forLoop(zero, four, one, {zero},
                                  [&](const IrValue &index, const auto &carried) -> Result<KernelBuilder::MaybeValues> {
                                    builder->binary(BinaryKind::Add, index, carried[0]);
                                    return KernelBuilder::MaybeValues();
                                  });
  ASSERT_TRUE(dropped);
  EXPECT_FALSE(*dropped);
  auto failed = builder->ifElse(
      builder->compare(CompareKind::Less, zero, four), [&]() -> Result<void> { return error("test", "no"); },
      []() -> Result<void> { return {}; },
      [](bool) -> Result<KernelBuilder::Values> { return KernelBuilder::Values(); });
  EXPECT_FALSE(failed);
  builder->store(builder->constant(Dtype::F32, {128}, 0.0), builder->argument(1), std::nullopt);
  auto module = builder->finish();
  ASSERT_TRUE(module) << render(module.error());
  KernelStages stages = compiler.compile(*std::move(module), {.keepTexts = true});
  const std::string &text = stages.find("ir")->text();
  EXPECT_EQ(text.find("scf."), std::string::npos) << text;
}

} // namespace
} // namespace lanescope::core
