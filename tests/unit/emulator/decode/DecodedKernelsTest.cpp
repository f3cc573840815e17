// A decoded kernel is kept for later runs.
#include "core/gpu/emulator/DecodedKernels.h"

#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

using namespace emulator;

SourceRef sourceOf(const std::string &body, const std::string &name = "k.ptx") {
  Kernel kernel;
  kernel.body = body;
  return Source::make(name, kernel.ptx());
}

Launch launchFor(const std::string &body) {
  Kernel kernel;
  kernel.body = body;
  std::vector<Array> arrays{u32Array({0}), u32Array({0})};
  return launchOf(kernel, arrays);
}

TEST(DecodedKernels, TheSameTextIsDecodedOnce) {
  DecodedKernels kernels;
  Launch launch = launchFor("ret;");
  auto first = kernels.get(sourceOf("ret;"), launch, nullptr), again = kernels.get(sourceOf("ret;"), launch, nullptr);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->get(), again->get());
}

TEST(DecodedKernels, AnythingElseIsDecodedAnew) {
  DecodedKernels kernels;
  Launch launch = launchFor("ret;");
  auto decoded = [&](const SourceRef &ptx, const Launch &how, const SourceRef &snippet) {
    auto kernel = kernels.get(ptx, how, snippet);
    EXPECT_TRUE(kernel);
    return kernel ? *kernel : nullptr; // keeps it, so that no other kernel gets its address
  };
  auto first = decoded(sourceOf("ret;"), launch, nullptr);
  EXPECT_NE(decoded(sourceOf("mov.b32 %r1, 1;\nret;"), launch, nullptr), first);
  EXPECT_NE(decoded(sourceOf("ret;", "other.ptx"), launch, nullptr), first);
  EXPECT_NE(decoded(sourceOf("ret;"), launch, Source::make("k.py", "x = 1\n")), first);
  Launch larger = launch;
  larger.dynamicSmem = 1024;
  EXPECT_NE(decoded(sourceOf("ret;"), larger, nullptr), first);
}

TEST(DecodedKernels, WhatCannotBeDecodedIsNotKept) {
  DecodedKernels kernels;
  Launch launch = launchFor("ret;");
  EXPECT_FALSE(kernels.get(sourceOf("no.such.instruction %r1;\nret;"), launch, nullptr));
  EXPECT_TRUE(kernels.get(sourceOf("ret;"), launch, nullptr));
}

/// An observer of one run puts its own handlers into the code; the next run has none of them.
TEST(DecodedKernels, ARunLeavesTheKernelAsItWas) {
  Kernel kernel;
  kernel.body = "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 4;\nadd.s64 %d2, %d51, %d1;\n"
                "st.global.u32 [%d2], %r1;\nret;";
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(32)), u32Array(std::vector<uint32_t>(32))};
  SourceRef ptx = Source::make("k.ptx", kernel.ptx());
  Launch launch = launchOf(kernel, arrays);
  DecodedKernels kernels;
  auto decoded = kernels.get(ptx, launch, nullptr);
  ASSERT_TRUE(decoded);
  std::vector<Handler> before;
  for (const Instr &instr : (*decoded)->program.code)
    before.push_back(instr.run);
  std::vector<Array> outputs;
  for (uint64_t seed : {0u, 1u, 2u}) {
    EmulatorOptions options{.seed = seed, .bounds = true, .decoded = &kernels};
    auto result = emulate(ptx, launch, arrays, options);
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    if (outputs.empty())
      outputs = result->outputs;
    EXPECT_EQ(result->outputs[1].bytes, outputs[1].bytes);
  }
  for (size_t pc = 0; pc < before.size(); ++pc)
    EXPECT_EQ((*decoded)->program.code[pc].run, before[pc]);
}

} // namespace
} // namespace lanescope::core::test
