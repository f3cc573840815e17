// Tensor memory that is freed after a use of the value loaded from it, with and without tcgen05.wait::ld.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

/// The findings about a warp that loads a word of tensor memory, executes `between`, and frees the memory.
Diagnostics told(const std::string &between, std::vector<std::string> strict = {}) {
  Kernel kernel;
  kernel.target = "sm_100a";
  kernel.params = 1;
  kernel.declarations = ".shared .align 4 .b32 place;";
  kernel.body = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d50, %d1;\nmov.u32 %r1, place;\n"
                "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;\nbar.sync 0;\n"
                "ld.shared.u32 %r20, [place];\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r20], {%r0};\n"
                "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r20];\n" +
                between +
                "\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
                "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 32;\nst.global.u32 [%d1], %r3;\nret;";
  EmulatorOptions options;
  options.strictRules = std::move(strict);
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(32))}, options);
  return result ? result->diagnostics : result.error();
}

TEST(UnawaitedTmemLoad, AUseCountsAsTheWaitAndIsNoted) {
  const std::string use = "add.u32 %r3, %r2, 1;", wait = "tcgen05.wait::ld.sync.aligned;\n";
  Diagnostics found = told(use);
  ASSERT_EQ(found.size(), 1u) << errorText(found);
  EXPECT_EQ(found[0].kind, "unawaited-tmem-load");
  EXPECT_EQ(found[0].severity, Severity::Note);
  EXPECT_TRUE(mentions(found, "the missing wait: `tcgen05.wait::ld` in warp 0")) << errorText(found);
  found = told(use, {"unawaited-tmem-load"});
  ASSERT_EQ(found.size(), 1u) << errorText(found);
  EXPECT_EQ(found[0].severity, Severity::Error);
  EXPECT_TRUE(told(wait + use).empty());
  EXPECT_TRUE(told(use + "\n" + wait).empty());
}

TEST(UnawaitedTmemLoad, WithoutAUseTheLoadIsInFlight) {
  Diagnostics found = told("mov.b32 %r3, %r2;");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "tmem-freed-in-flight") << errorText(found);
}

} // namespace
} // namespace lanescope::core::test
