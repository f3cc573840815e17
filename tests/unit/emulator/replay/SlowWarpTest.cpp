// A warp that runs only if the other warps of its block change nothing more, and plain stores below atomics of the same
// thread.
#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "layouts/support/Text.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <string>

namespace lanescope::core::test {
namespace {

const std::string kBarrier = "bar.sync 0;\n";

/// %r0: the thread's number; %p1: it is thread 0; %p2: it is thread 32. `space`: "shared" or "global"; the word is at
/// [%d40].
Kernel kernelOf(const std::string &body, uint32_t threads = 64, const std::string &space = "shared") {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = threads;
  kernel.declarations = ".shared .align 4 .b32 word;";
  kernel.body = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\nsetp.eq.u32 %p2, %r0, 32;\n" +
                (space == "shared" ? std::string("mov.u64 %d40, word;\n") : std::string("mov.u64 %d40, %d50;\n")) +
                body + "ret;\n";
  return kernel;
}
std::string clear(const std::string &space = "shared") { return "@%p1 st." + space + ".u32 [%d40], 5;\n"; }
std::string add(const std::string &space = "shared") { return "atom." + space + ".add.u32 %r1, [%d40], 1;\n"; }

/// The kind of the first fault under the schedule; "" if there is none.
std::string faultUnder(const Kernel &kernel, const char *schedule, std::vector<std::string> strictForms = {}) {
  EmulatorOptions options;
  options.seed = *parseSchedule(schedule);
  options.strictRules = std::move(strictForms);
  auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))}, options);
  if (!result)
    return errorText(result.error());
  for (const Diagnostic &finding : result->diagnostics)
    if (finding.severity == Severity::Error)
      return finding.kind;
  return "";
}

TEST(SlowWarp, ACounterThatIsClearedWhileOthersAdd) {
  Kernel faulty = kernelOf(clear() + add()), right = kernelOf(clear() + kBarrier + add());
  EXPECT_EQ(faultUnder(faulty, "0"), "") << "the first warp is first";
  EXPECT_EQ(faultUnder(faulty, "slow-warp-0"), "race");
  for (const char *schedule : {"0", "slow-warp-0", "slow-warp-1", "slow-warp-31"})
    EXPECT_EQ(faultUnder(right, schedule), "") << schedule;
}

TEST(SlowWarp, ASumThatIsReadBeforeAllHaveAdded) {
  const std::string read = "@%p1 ld.shared.u32 %r2, [%d40];\n@%p1 st.global.u32 [%d50], %r2;\n";
  Kernel faulty = kernelOf(clear() + kBarrier + add() + read),
         right = kernelOf(clear() + kBarrier + add() + kBarrier + read);
  EXPECT_EQ(faultUnder(faulty, "0"), "");
  EXPECT_EQ(faultUnder(faulty, "slow-warp-1"), "race");
  for (const char *schedule : {"0", "slow-warp-0", "slow-warp-1"})
    EXPECT_EQ(faultUnder(right, schedule), "") << schedule;
}

TEST(SlowWarp, GoesOnIfTheOthersPollForIt) {
  const std::string set = "@%p1 atom.shared.exch.b32 %r1, [%d40], 1;\n",
                    wait = "@!%p2 bra END;\nL: atom.shared.add.u32 %r1, [%d40], 0;\nsetp.ne.u32 %p3, %r1, 1;\n"
                           "@%p3 bra L;\nEND:\n";
  Kernel kernel = kernelOf("@%p1 st.shared.u32 [%d40], 0;\n" + kBarrier + set + wait);
  for (const char *schedule : {"0", "slow-warp-0", "slow-warp-1"})
    EXPECT_EQ(faultUnder(kernel, schedule), "") << schedule;
}

TEST(PlainBelowAtomic, AnotherWarpsAtomicMustComeAfterThePlainStore) {
  for (const char *space : {"shared", "global"}) {
    Kernel faulty = kernelOf(clear(space) + add(space), 64, space);
    EXPECT_EQ(faultUnder(faulty, "0", {"relaxed-in-block"}), "relaxed-in-block") << space;
    EXPECT_EQ(faultUnder(kernelOf(clear(space) + kBarrier + add(space), 64, space), "0", {"relaxed-in-block"}), "")
        << space;
  }
}

TEST(PlainBelowAtomic, AnotherBlocksAtomicMustComeAfterThePlainStore) {
  const std::string first = "mov.u32 %r5, %ctaid.x;\nsetp.eq.and.u32 %p1, %r5, 0, %p1;\n";
  Kernel faulty = kernelOf(first + clear("global") + kBarrier + add("global"), 32, "global");
  faulty.blocks = 3;
  EXPECT_EQ(faultUnder(faulty, "0"), "race");
  Kernel right = kernelOf(add("global") + kBarrier + add("global"), 32, "global");
  right.blocks = 3;
  EXPECT_EQ(faultUnder(right, "0"), "");
}

TEST(PlainBelowAtomic, OtherLanesOfTheWarp) {
  auto hazards = [](const Kernel &kernel) {
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))});
    return result ? result->diagnostics.size() : 99;
  };
  EXPECT_EQ(hazards(kernelOf(clear() + add(), 32)), 1u);
  EXPECT_EQ(hazards(kernelOf(clear() + "bar.warp.sync -1;\n" + add(), 32)), 0u);
}

TEST(VolatileLanes, ThatExecuteTogetherNeedABarrierOfTheWarp) {
  const std::string address = "shl.b32 %r3, %r0, 2;\nmov.u32 %r4, words;\nadd.u32 %r4, %r4, %r3;\n",
                    store = "st.volatile.shared.u32 [%r4], %r0;\n", sync = "bar.warp.sync -1;\n",
                    load = "ld.volatile.shared.u32 %r5, [%r4+4];\n";
  auto kinds = [](const std::string &body) {
    Kernel kernel = kernelOf(body, 32);
    kernel.declarations += "\n.shared .align 4 .b32 words[33];";
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(64))});
    return !result ? errorText(result.error()) : result->diagnostics.empty() ? "" : result->diagnostics[0].kind;
  };
  const std::string last = "@%p1 st.volatile.shared.u32 [words+128], 0;\n";
  EXPECT_EQ(kinds(address + last + store + load), "warp-synchronous");
  EXPECT_EQ(kinds(address + last + store + sync + load), "");
}

} // namespace
} // namespace lanescope::core::test
