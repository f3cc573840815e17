// Which stores could matter if they became visible late (StorePairs), and what a late store does (LateStores). Each
// kernel has two blocks of one thread.
#include "core/gpu/emulator/replay/LateStores.h"
#include "core/gpu/emulator/PreparedRun.h"
#include "core/gpu/emulator/replay/RepeatedRun.h"
#include "core/gpu/emulator/replay/StorePairs.h"
#include "layouts/support/Text.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <memory>
#include <string>
#include <vector>

namespace lanescope::core::test {
namespace {

using namespace emulator;

constexpr int kX = 0, kY = 1, kFirst = 2, kSecond = 3; // words of the buffer; block n leaves its answer in kFirst + n

std::string store(int word, const char *how = "relaxed") {
  return text("st.", how, ".gpu.global.u32 [%d50+", 4 * word, "], 1;\n");
}
std::string load(int word, const char *how = "relaxed") {
  return text("ld.", how, ".gpu.global.u32 %r1, [%d50+", 4 * word, "];\n");
}
/// Loads until the word is 1.
std::string await(int word) { return "L: " + load(word, "acquire") + "setp.ne.u32 %p1, %r1, 1;\n@%p1 bra L;\n"; }
std::string answer(int word) { return text("st.global.u32 [%d50+", 4 * word, "], %r1;\n"); }

/// A launch of two blocks that can run under perturbations. The places of `lines` are those of Program::code.
class TwoBlocks {
public:
  TwoBlocks(const std::string &first, const std::string &second) {
    Kernel kernel;
    kernel.params = 1;
    kernel.blocks = 2;
    kernel.threads = 1;
    kernel.body = "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p9, %r0, 1;\n@%p9 bra SECOND;\n" + first + "ret;\nSECOND:\n" +
                  second + "ret;\n";
    launch_ = launchOf(kernel, arrays_);
    ptx_ = Source::make("k.ptx", kernel.ptx());
    auto made = PreparedRun::of(ptx_, launch_, options_);
    EXPECT_TRUE(made) << (made ? "" : errorText(made.error()));
    prepared_ = std::move(*made);
    runs_ = std::make_unique<RepeatedRun>(prepared_->program, launch_, arrays_, options_, prepared_->grid);
  }

  const Program &program() const { return prepared_->program; }
  /// The first instruction with the opcode, in the code of the first or the second block.
  uint32_t find(std::string_view opcode, bool inSecond = false) const {
    bool begun = !inSecond;
    for (uint32_t pc = 0; pc < program().code.size(); ++pc) {
      std::string_view name = program().function->instructions[program().code[pc].source].opcode;
      if (begun && name.starts_with(opcode))
        return pc;
      begun = begun || name == "ret";
    }
    ADD_FAILURE() << "no " << opcode;
    return 0;
  }
  std::vector<StorePair> pairs() const {
    StorePairs pairs(program());
    EXPECT_TRUE(runs_->under(pairs));
    return pairs.found();
  }
  /// The buffer after a run in which the first block's first strong store is late.
  std::vector<uint32_t> late(LateStores::Stops stops, LateStores::Until until = LateStores::Until::Hidden) {
    LateStores perturbation(program(), find("st.relaxed"), 0, stops, until);
    auto result = runs_->under(perturbation);
    EXPECT_TRUE(result);
    finding_ = perturbation.finding();
    return result ? words(result->outputs[0]) : std::vector<uint32_t>(8);
  }
  /// The finding of the last call of late().
  const std::optional<Diagnostic> &finding() const { return finding_; }
  std::vector<size_t> arrays() const {
    StorePairs pairs(program());
    EXPECT_TRUE(runs_->under(pairs));
    return pairs.arrays();
  }

private:
  std::vector<Array> arrays_{u32Array(std::vector<uint32_t>(8))};
  EmulatorOptions options_;
  Launch launch_;
  SourceRef ptx_;
  std::unique_ptr<PreparedRun> prepared_;
  std::unique_ptr<RepeatedRun> runs_;
  std::optional<Diagnostic> finding_;
};

std::string dekker(int mine, int other, int block, const std::string &between = "") {
  return store(mine) + between + load(other) + answer(kFirst + block);
}

TEST(StorePairs, TwoThreadsThatEachStoreAndLoadTheOther) {
  TwoBlocks blocks(dekker(kX, kY, 0), dekker(kY, kX, 1));
  std::vector<StorePair> pairs = blocks.pairs();
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].store, blocks.find("st.relaxed"));
  EXPECT_EQ(pairs[0].access, blocks.find("ld.relaxed"));
  EXPECT_EQ(pairs[0].cluster, 0u);
  EXPECT_EQ(pairs[1].store, blocks.find("st.relaxed", true));
  EXPECT_EQ(pairs[1].cluster, 1u);
  EXPECT_EQ(blocks.arrays().front(), 0u);
}

TEST(StorePairs, OnlyASequentiallyConsistentFenceKeepsTheStoreAhead) {
  for (const char *fence : {"fence.acq_rel.gpu;\n", "fence.acq_rel.sys;\n"})
    EXPECT_EQ(TwoBlocks(dekker(kX, kY, 0, fence), dekker(kY, kX, 1, fence)).pairs().size(), 2u) << fence;
  for (const char *fence : {"fence.sc.gpu;\n", "membar.gl;\n", "bar.sync 0;\n"}) {
    std::vector<StorePair> pairs = TwoBlocks(dekker(kX, kY, 0, fence), dekker(kY, kX, 1)).pairs();
    ASSERT_EQ(pairs.size(), 1u) << fence;
    EXPECT_EQ(pairs[0].cluster, 1u) << fence;
  }
  EXPECT_EQ(TwoBlocks(dekker(kX, kY, 0, "fence.sc.cta;\n"), dekker(kY, kX, 1)).pairs().size(), 2u);
}

TEST(StorePairs, TwoLoadsOfTheOtherThreadAreLeftToStaleLoads) {
  EXPECT_TRUE(TwoBlocks(store(kX) + store(kY), await(kY) + load(kX) + answer(kSecond)).pairs().empty());
}

TEST(StorePairs, OneLoadMayReadTheSecondStoreOnly) {
  const std::string both = "ld.relaxed.gpu.global.u64 %d1, [%d50];\n";
  EXPECT_EQ(TwoBlocks(store(kX) + store(kY), both).pairs().size(), 1u);
  EXPECT_TRUE(TwoBlocks(store(kX) + store(kY, "release"), both).pairs().empty());
}

TEST(StorePairs, OnePlaceHasOneOrder) { EXPECT_TRUE(TwoBlocks(dekker(kX, kX, 0), dekker(kX, kX, 1)).pairs().empty()); }

TEST(StorePairs, NeedStrongLoadsAndStores) {
  EXPECT_TRUE(StorePairs::mayFind(TwoBlocks(dekker(kX, kY, 0), dekker(kY, kX, 1)).program()));
  EXPECT_FALSE(StorePairs::mayFind(TwoBlocks("st.global.u32 [%d50], 1;\n", "ld.global.u32 %r1, [%d50];\n").program()));
}

TEST(LateStores, BothThreadsMissTheOtherStore) {
  TwoBlocks blocks(dekker(kX, kY, 0), dekker(kY, kX, 1));
  std::vector<uint32_t> words = blocks.late(LateStores::Stops::Seen);
  EXPECT_EQ(words[kX], 1u);
  EXPECT_EQ(words[kSecond], 0u) << "the store of the first block is late";
  ASSERT_TRUE(blocks.finding());
  EXPECT_EQ(blocks.finding()->kind, "race");
  EXPECT_NE(blocks.finding()->notes.back().message.find("still loads the older value"), std::string::npos);
}

TEST(LateStores, AVisibleOneStopsItsWarpAlone) {
  TwoBlocks blocks(dekker(kX, kY, 0), dekker(kY, kX, 1));
  std::vector<uint32_t> words = blocks.late(LateStores::Stops::Seen, LateStores::Until::Visible);
  EXPECT_EQ(words[kSecond], 1u);
  EXPECT_FALSE(blocks.finding());
}

TEST(LateStores, AFenceMakesThemVisible) {
  for (auto stops : {LateStores::Stops::Seen, LateStores::Stops::Quiet}) {
    TwoBlocks blocks(dekker(kX, kY, 0, "fence.sc.gpu;\n"), dekker(kY, kX, 1, "fence.sc.gpu;\n"));
    std::vector<uint32_t> words = blocks.late(stops);
    EXPECT_TRUE(words[kFirst] == 1 || words[kSecond] == 1) << words[kFirst] << words[kSecond];
  }
}

TEST(LateStores, AReleaseMakesThemVisibleToItsReader) {
  for (const std::string &publishes : {store(kY, "release"), "fence.acq_rel.gpu;\n" + store(kY)})
    for (auto stops : {LateStores::Stops::Seen, LateStores::Stops::Quiet}) {
      TwoBlocks blocks(store(kX) + publishes, await(kY) + load(kX) + answer(kSecond));
      EXPECT_EQ(blocks.late(stops)[kSecond], 1u) << publishes;
      EXPECT_FALSE(blocks.finding());
    }
}

TEST(LateStores, WithoutAReleaseAReaderOfALaterStoreMayMissThem) {
  TwoBlocks blocks(store(kX) + store(kY), await(kY) + load(kX) + answer(kSecond));
  EXPECT_EQ(blocks.late(LateStores::Stops::Seen)[kSecond], 0u);
  EXPECT_TRUE(blocks.finding());
}

} // namespace
} // namespace lanescope::core::test
