// A kernel's use of a multiprocessor's resources. The number of blocks follows CUDA's occupancy calculator for compute
// capability 9.0.
#include "core/gpu/codegen/Resources.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

TEST(Resources, BlocksThatFit) {
  const GpuTarget &target = *findGpuTarget("sm_90a");
  struct Case {
    int threads, registers;
    int64_t shared;
    int blocks;
    std::string_view limit;
  };
  for (const Case &c :
       {Case{128, 40, 0, 12, "registers"}, Case{128, 32, 0, 16, "threads"}, Case{32, 16, 0, 32, "blocks"},
        Case{128, 255, 0, 2, "registers"}, Case{384, 168, 0, 1, "registers"},
        Case{128, 40, 33 * 1024, 6, "shared memory"}, Case{128, 0, 227 * 1024, 1, "shared memory"},
        Case{128, 0, 228 * 1024, 0, "shared memory"}, Case{1024, 64, 0, 1, "registers"},
        Case{1024, 32, 1024, 2, "threads"}, Case{100, 40, 0, 12, "registers"}}) {
    Occupancy got = occupancyOf(target, c.threads, c.registers, c.shared);
    EXPECT_EQ(got.blocks, c.blocks) << c.threads << " " << c.registers << " " << c.shared;
    EXPECT_EQ(got.limit, c.limit) << c.threads << " " << c.registers << " " << c.shared;
  }
}

TEST(Resources, ReadsWhatPtxasSays) {
  auto report = parseAssemblyReport("ptxas info    : Function properties for k\n"
                                    "    16 bytes stack frame, 120 bytes spill stores, 140 bytes spill loads\n"
                                    "ptxas info    : Used 168 registers, used 1 barriers, 4096 bytes smem\n");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->registers, 168);
  EXPECT_EQ(report->spillStoreBytes, 120);
  EXPECT_EQ(report->spillLoadBytes, 140);
  EXPECT_EQ(report->staticSharedBytes, 4096);
  for (const char *other : {"", " registers", "Used registers", "99999999999999999999 registers"})
    EXPECT_FALSE(parseAssemblyReport(other)) << other;
}

TEST(Resources, WordsAndNotes) {
  KernelResources taken{.threads = 128, .sharedBytes = 33 * 1024, .assembly = {}, .occupancy = {6, "shared memory"}};
  EXPECT_EQ(resourceWords(taken),
            "128 threads; 33 KiB of shared memory; 6 blocks fit a multiprocessor, limited by shared "
            "memory (registers unknown: there is no `ptxas`)");
  EXPECT_FALSE(spillNote("k", taken));
  taken.assembly = AssemblyReport{.registers = 40};
  EXPECT_EQ(resourceWords(taken), "128 threads of 40 registers, no spills; 33 KiB of shared memory; 6 blocks fit a "
                                  "multiprocessor, limited by shared memory");
  taken.assembly = AssemblyReport{.registers = 255, .spillStoreBytes = 8, .spillLoadBytes = 8};
  EXPECT_FALSE(spillNote("k", taken));
  taken.assembly->spillLoadBytes = 1200;
  auto note = spillNote("k", taken);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->kind, "spills");
  EXPECT_EQ(note->severity, Severity::Note);
  EXPECT_NE(note->message.find("each thread spills 8 bytes to local memory and reads 1200 back"), std::string::npos);
}

} // namespace
} // namespace lanescope::core
