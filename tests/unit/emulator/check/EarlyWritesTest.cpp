// Loads of what their own block has written, too, without an acquire of the others' writes.
#include "core/gpu/emulator/replay/EarlyWrites.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/replay/OwnReads.h"
#include "core/gpu/emulator/replay/RepeatedRun.h"
#include "layouts/support/Text.h"
#include "tests/unit/emulator/SingleThreads.h"

#include <string>
#include <vector>

namespace lanescope::core::test {
namespace {

using namespace emulator;

const std::string kAdd = "red.relaxed.gpu.global.add.u32 [%d50], 5;\n",
                  kCount = "atom.release.gpu.global.add.u32 %r2, [%d50+4], 1;\n", kFence = "fence.acq_rel.gpu;\n",
                  kRead = "ld.relaxed.gpu.global.u32 %r3, [%d50];\n", kStore = "st.global.u32 [%d50+8], %r3;\nret;\n";

std::string isLast(uint32_t blocks) { return text("setp.ne.u32 %p1, %r2, ", blocks - 1, ";\n@%p1 ret;\n"); }

/// The block that reads is the one with the highest number: it polls the count.
std::string pollOf(uint32_t reader) {
  return text("mov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p2, %r4, ", reader,
              ";\n@%p2 ret;\nL: ld.relaxed.gpu.global.u32 %r2, [%d50+4];\nsetp.ne.u32 %p1, %r2, 4;\n@%p1 bra L;\n");
}

TEST(EarlyWrites, TheLastBlockReadsTheSumWithoutAnAcquire) {
  for (uint32_t blocks : {2u, 4u, 40u, 300u}) {
    EXPECT_EQ(firstFinding(kAdd + kCount + isLast(blocks) + kRead + kStore, blocks),
              "unfenced-acquire: `ld.relaxed.gpu.global.u32`")
        << blocks;
    EXPECT_EQ(firstFinding(kAdd + kCount + isLast(blocks) + kFence + kRead + kStore, blocks), "") << blocks;
    EXPECT_EQ(
        firstFinding(kAdd + "atom.acq_rel.gpu.global.add.u32 %r2, [%d50+4], 1;\n" + isLast(blocks) + kRead + kStore,
                     blocks),
        "")
        << blocks;
  }
}

TEST(EarlyWrites, AnyWriteOfTheBlockCounts) {
  const std::string store = "mov.u32 %r4, %ctaid.x;\nst.relaxed.gpu.global.u32 [%d50], %r4;\n",
                    used = "atom.relaxed.gpu.global.max.u32 %r5, [%d50], 9;\nsetp.gt.u32 %p3, %r5, 99;\n@%p3 ret;\n" +
                           kAdd;
  EXPECT_EQ(firstFinding(used + kCount + isLast(4) + kRead + kStore), "unfenced-acquire: `ld.relaxed.gpu.global.u32`");
  EXPECT_EQ(firstFinding(used + kCount + isLast(4) + kFence + kRead + kStore), "");
  // Only the order of the blocks decides which value is left.
  EXPECT_EQ(firstFinding(store + kCount + isLast(4) + kFence + kRead + kStore), "");
}

TEST(EarlyWrites, OneBlockPollsTheCountAndReads) {
  for (uint32_t reader : {0u, 2u, 3u}) {
    EXPECT_EQ(firstFinding(kAdd + kCount + pollOf(reader) + kRead + kStore),
              "unfenced-acquire: `ld.relaxed.gpu.global.u32`")
        << reader;
    EXPECT_EQ(firstFinding(kAdd + kCount + pollOf(reader) + kFence + kRead + kStore), "") << reader;
  }
}

TEST(EarlyWrites, APollReadsAgain) {
  // Each block polls the sum that it adds to.
  EXPECT_EQ(firstFinding(kAdd + "L: " + kRead + "setp.ne.u32 %p1, %r3, 20;\n@%p1 bra L;\n" + kStore), "");
}

TEST(EarlyWrites, NoBlockMayRunWhileTheOthersWait) {
  // The cluster that is to write first never does so.
  Kernel kernel = blocksOf("mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 3;\n@%p1 ret;\n" + kAdd + "ret;\n", 4);
  std::vector<Array> arrays{u32Array(std::vector<uint32_t>(4))};
  EmulatorOptions options;
  auto made = PreparedRun::of(Source::make("k.ptx", kernel.ptx()), launchOf(kernel, arrays), options);
  ASSERT_TRUE(made);
  const Launch launch = launchOf(kernel, arrays);
  RepeatedRun runs{(*made)->program, launch, arrays, options, (*made)->grid};
  EarlyWrites early((*made)->program, {.address = 0x100, .bytes = 4}, 3);
  OwnReads reads((*made)->program);
  auto result = runs.under({&early, &reads});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  EXPECT_TRUE(reads.found().empty());
}

} // namespace
} // namespace lanescope::core::test
