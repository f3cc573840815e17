// Unordered copies that fill the same shared memory. They are correct as long as no instruction reads their data.
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

std::string waitFor(int number) {
  std::string n = std::to_string(number);
  return "W" + n + ": mbarrier.try_wait.parity.shared.b64 %p1, [bar" + n + "], 0;\n@!%p1 bra W" + n + ";\n";
}

/// Copies array `number`, whose elements are all the number plus one, to the tile, and signals the mbarrier of that
/// number.
std::string copyOf(int number) {
  std::string bar = "[bar" + std::to_string(number) + "]";
  return "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, " + bar +
         ", 1024;\n@%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d" +
         std::to_string(50 + number) + "], 1024, " + bar + ";\n";
}

constexpr char kRead[] = R"(
mul.wide.u32 %d0, %r0, 4;
mov.u32 %r2, tile;
mad.lo.u32 %r2, %r0, 4, %r2;
ld.shared.u32 %r3, [%r2];
add.s64 %d1, %d54, %d0;
st.global.u32 [%d1], %r3;
)";

RunResult ran(const std::string &body) {
  Kernel kernel;
  kernel.params = 5;
  kernel.declarations = ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar0;\n"
                        ".shared .align 8 .b64 bar1;\n.shared .align 8 .b64 bar2;";
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 0;\n";
  for (int n = 0; n < 3; ++n)
    kernel.body += "@%p0 mbarrier.init.shared.b64 [bar" + std::to_string(n) + "], 1;\n";
  kernel.body += "bar.sync 0;\n" + body + "ret;";
  std::vector<Array> arrays;
  for (uint32_t n = 0; n < 4; ++n)
    arrays.push_back(u32Array(std::vector<uint32_t>(256, n + 1)));
  arrays.push_back(u32Array(std::vector<uint32_t>(32)));
  auto result = run(kernel, arrays);
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? *result : RunResult{};
}

TEST(UnreadCopy, IsANote) {
  RunResult result = ran(copyOf(0) + copyOf(1) + waitFor(0) + waitFor(1));
  ASSERT_EQ(result.diagnostics.size(), 1u) << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].kind, "unread-copy");
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Note);
}

TEST(UnreadCopy, IsAFaultWhenItIsRead) {
  for (const std::string &before : {std::string(), std::string("bar.sync 0;\n")}) {
    RunResult result = ran(copyOf(0) + copyOf(1) + waitFor(0) + waitFor(1) + before + kRead);
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_EQ(result.diagnostics[0].kind, "copy-not-awaited") << errorText(result.diagnostics);
    EXPECT_EQ(result.diagnostics[0].severity, Severity::Error);
    EXPECT_TRUE(mentions(result.diagnostics, "`cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes` writes"))
        << errorText(result.diagnostics);
  }
}

TEST(UnreadCopy, MayBeReplaced) {
  // The next copy comes after both.
  RunResult result = ran(copyOf(0) + copyOf(1) + waitFor(0) + waitFor(1) + copyOf(2) + waitFor(2) + kRead);
  ASSERT_EQ(result.diagnostics.size(), 1u) << errorText(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].kind, "unread-copy");
  EXPECT_EQ(words(result.outputs[4]), std::vector<uint32_t>(32, 3));
  // If it comes after only one of them, it is a third unordered copy.
  for (int waited : {0, 1}) {
    result = ran(copyOf(0) + copyOf(1) + waitFor(waited) + copyOf(2) + waitFor(2) + kRead + waitFor(1 - waited));
    EXPECT_TRUE(hasErrors(result.diagnostics)) << waited;
  }
  // A thread's own store also has to come after both.
  result = ran(copyOf(0) + copyOf(1) + waitFor(1) + "st.shared.u32 [tile], %r0;\n" + waitFor(0));
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].kind, "copy-not-awaited") << errorText(result.diagnostics);
}

TEST(UnreadCopy, AReadBeforeTheSecondIsToldAsEver) {
  RunResult result = ran(copyOf(0) + waitFor(0) + kRead + "bar.sync 0;\n" + copyOf(1) + waitFor(1));
  EXPECT_FALSE(hasErrors(result.diagnostics)) << errorText(result.diagnostics);
}

} // namespace
} // namespace lanescope::core::test
