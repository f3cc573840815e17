// Arrays that a run reads in their caller's memory (core/data/ArrayBytes.h).
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {
namespace {

constexpr uint32_t kCount = 4096, kThreads = 128;

/// An array in the test's own memory, lent for a run.
struct Lent {
  alignas(16) std::array<uint32_t, kCount> memory{};
  std::shared_ptr<BytesLoan> loan =
      std::make_shared<BytesLoan>(reinterpret_cast<const std::byte *>(memory.data()), sizeof memory);

  Lent() {
    for (uint32_t i = 0; i < kCount; ++i)
      memory[i] = i;
  }
  Array array() const { return {Dtype::U32, {kCount}, ArrayBytes::lent(loan)}; }
  bool unchanged() const {
    for (uint32_t i = 0; i < kCount; ++i)
      if (memory[i] != i)
        return false;
    return true;
  }
};

/// Each thread of the grid has its element of the first array at %d41, with its value in %r0, and of the second array
/// at %d42.
Kernel elementwise(const std::string &body) {
  Kernel kernel;
  kernel.threads = kThreads;
  kernel.blocks = kCount / kThreads;
  kernel.body = "mov.u32 %r50, %tid.x;\nmov.u32 %r51, %ctaid.x;\nmad.lo.u32 %r50, %r51, 128, %r50;\n"
                "mul.wide.u32 %d40, %r50, 4;\nadd.s64 %d41, %d50, %d40;\nadd.s64 %d42, %d51, %d40;\n"
                "ld.global.b32 %r0, [%d41];\n" +
                body + "ret;\n";
  return kernel;
}

const Array zeros = Array::zeros(Dtype::U32, {kCount});

TEST(LentArrays, AreReadInPlace) {
  Lent x;
  for (uint32_t threads : {1u, 3u}) {
    auto result = run(elementwise("add.u32 %r1, %r0, 5;\nst.global.b32 [%d42], %r1;\n"), {x.array(), zeros},
                      {.threads = threads});
    ASSERT_TRUE(result) << errorText(result.error());
    EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    EXPECT_TRUE(result->outputs[0].bytes.isLent());
    EXPECT_EQ(std::as_const(result->outputs[0].bytes).data(), x.loan->data());
    EXPECT_EQ(words(result->outputs[1])[kCount - 1], kCount + 4);
  }
}

// However a kernel writes, the caller's array keeps its values, and the run has the results of a copy.
TEST(LentArrays, AreCopiedWhenTheKernelWritesThem) {
  const char *const ways[] = {
      "add.u32 %r1, %r0, 5;\nst.global.b32 [%d41], %r1;\n",
      "red.global.add.u32 [%d41], 5;\n",
      "atom.global.add.u32 %r1, [%d41], 5;\n",
      "mov.u64 %d1, %d41;\nadd.u32 %r1, %r0, 5;\nst.b32 [%d1], %r1;\n",
  };
  for (const char *way : ways)
    for (uint32_t threads : {1u, 3u})
      for (bool keepGoing : {false, true}) {
        Lent x;
        auto result = run(elementwise(way), {x.array(), zeros}, {.keepGoing = keepGoing, .threads = threads});
        ASSERT_TRUE(result) << errorText(result.error());
        EXPECT_TRUE(result->diagnostics.empty()) << way << errorText(result->diagnostics);
        EXPECT_TRUE(x.unchanged()) << way;
        for (uint32_t i = 0; i < kCount; i += 511)
          EXPECT_EQ(words(result->outputs[0])[i], i + 5) << way;
      }
}

TEST(LentArrays, AreCopiedWhenACopyOfTheKernelWritesThem) {
  Lent x;
  Kernel kernel;
  kernel.declarations = ".shared .align 128 .b8 tile[128];";
  kernel.body = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nmad.lo.u32 %r3, %r1, 4, %r2;\nst.shared.b32 [%r3], 7;\n"
                "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra end;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%d50], [%r2], 128;\ncp.async.bulk.commit_group;\n"
                "cp.async.bulk.wait_group 0;\nend: ret;\n";
  auto result = run(kernel, {x.array(), zeros});
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_TRUE(x.unchanged());
  EXPECT_EQ(words(result->outputs[0])[31], 7U);
  EXPECT_EQ(words(result->outputs[0])[32], 32U);
}

// Buffers that are known to be written are copied at once, and nothing runs twice.
TEST(LentArrays, AreCopiedAtOnceIfTheKernelIsKnownToWriteThem) {
  Lent x;
  Kernel kernel = elementwise("st.global.b32 [%d41], 1;\n");
  std::vector<Array> arrays{x.array(), zeros};
  const std::vector<uint32_t> written{0};
  EmulatorStatistics statistics;
  auto result = emulate(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), arrays,
                        {.threads = 1, .written = written}, &statistics);
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(x.unchanged());
  EXPECT_FALSE(result->outputs[0].bytes.isLent());
}

// A fault of the kernel stays a fault, with its place.
TEST(LentArrays, KeepFaults) {
  Lent x;
  auto beyond = run(elementwise("ld.global.b32 %r1, [%d41+16384];\nst.global.b32 [%d42], %r1;\n"), {x.array(), zeros});
  ASSERT_TRUE(beyond) << errorText(beyond.error());
  EXPECT_TRUE(mentions(beyond->diagnostics, "reads 4 bytes at byte 16384")) << errorText(beyond->diagnostics);
  auto racing = run(elementwise("st.global.b32 [%d50], %r0;\n"), {x.array(), zeros});
  ASSERT_TRUE(racing) << errorText(racing.error());
  EXPECT_TRUE(mentions(racing->diagnostics, "writes without an order between them")) << errorText(racing->diagnostics);
  EXPECT_TRUE(x.unchanged());
}

} // namespace
} // namespace lanescope::core::test
