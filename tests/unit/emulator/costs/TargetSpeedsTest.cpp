// The rates that depend on the target: tensor cores, the L2 cache and DRAM.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "core/gpu/emulator/machine/TensorRate.h"

namespace lanescope::core::test {
namespace {

using emulator::mmaCycles;

/// Dense TFLOPS (or TOPS) of all multiprocessors at a clock of the given MHz.
double teraflops(std::string_view target, uint32_t bits, bool floatSums, double megahertz) {
  const GpuTarget &gpu = *findGpuTarget(target);
  constexpr uint64_t kMany = uint64_t{1} << 30;
  double perCycle = static_cast<double>(kMany) /
                    static_cast<double>(mmaCycles(gpu, {.products = kMany, .bits = bits, .floatSums = floatSums}));
  return 2 * perCycle * gpu.multiprocessors * megahertz * 1e6 / 1e12;
}

// NVIDIA's architecture papers and data sheets, dense rates.
TEST(TargetSpeeds, TensorCoresHaveTheRatesOfTheDataSheets) {
  struct Case {
    const char *target;
    uint32_t bits;
    bool floatSums;
    double megahertz, teraflops;
  };
  const Case cases[] = {
      {"sm_80", 16, true, 1410, 312},     {"sm_80", 32, true, 1410, 156},    {"sm_80", 8, false, 1410, 624},
      {"sm_80", 4, false, 1410, 1248},    {"sm_80", 64, false, 1410, 19.5},  {"sm_86", 16, false, 1695, 142},
      {"sm_86", 16, true, 1695, 71},      {"sm_86", 32, true, 1695, 35.6},   {"sm_86", 8, false, 1695, 284},
      {"sm_87", 8, false, 1300, 85},      {"sm_89", 16, false, 2520, 330.3}, {"sm_89", 16, true, 2520, 165.2},
      {"sm_89", 8, true, 2520, 330.3},    {"sm_89", 32, true, 2520, 82.6},   {"sm_90", 64, false, 1980, 67},
      {"sm_120a", 16, true, 2407, 209.5}, {"sm_120a", 8, true, 2407, 419},   {"sm_120a", 8, false, 2407, 838},
      {"sm_120a", 4, true, 2407, 1676},   {"sm_121a", 4, true, 2540, 500},
  };
  for (const Case &one : cases)
    EXPECT_NEAR(teraflops(one.target, one.bits, one.floatSums, one.megahertz), one.teraflops, one.teraflops * 0.01)
        << one.target << ", " << one.bits << " bits";
}

TEST(TargetSpeeds, EveryTargetHasThem) {
  for (const GpuTarget &target : gpuTargets()) {
    EXPECT_GT(target.speeds.dramBytes, 0) << target.name;
    EXPECT_GT(target.speeds.l2Bytes, target.speeds.dramBytes) << target.name;
    EXPECT_GE(target.speeds.products, target.speeds.floatProducts) << target.name;
    EXPECT_GT(target.speeds.floatProducts, target.speeds.doubleProducts) << target.name;
    EXPECT_GT(target.speeds.doubleProducts, 0) << target.name;
  }
}

/// The cycles of eight warps with 32 products each.
uint64_t cyclesOf(const std::string &target, const std::string &product) {
  Kernel kernel;
  kernel.target = target;
  kernel.threads = 256;
  for (int n = 0; n < 32; ++n)
    kernel.body += product;
  kernel.body += "ret;";
  auto result = run(kernel, {u32Array({0}), u32Array({0})});
  EXPECT_TRUE(result) << errorText(result.error());
  return result ? static_cast<uint64_t>(result->timeUs * 1000 + 0.5) : 0; // a cycle is a nanosecond
}

TEST(TargetSpeeds, AManyProductsTakeAsLongAsTheTensorCoresNeed) {
  const std::string product = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, "
                              "%r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};\n",
                    halves = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, "
                             "{%r5, %r6}, {%r1, %r2};\n";
  constexpr uint64_t kProducts = 8 * 32;
  for (const char *target : {"sm_86", "sm_89", "sm_120a"})
    EXPECT_GE(cyclesOf(target, product), kProducts * 8) << target; // 2048 products, 256 a cycle
  EXPECT_LT(cyclesOf("sm_80", product), kProducts * 8);
  EXPECT_LT(cyclesOf("sm_86", halves), cyclesOf("sm_86", product));
}

TEST(TargetSpeeds, MemoryHasTheRateOfTheTargetsGpu) {
  // Each thread reads 16 bytes of its own: 1 MiB.
  Kernel kernel;
  kernel.threads = 256;
  kernel.blocks = 256;
  kernel.body = "mov.u32 %r1, %ctaid.x;\nshl.b32 %r1, %r1, 8;\nmov.u32 %r2, %tid.x;\nadd.u32 %r1, %r1, %r2;\n"
                "mul.wide.u32 %d1, %r1, 16;\nadd.s64 %d1, %d1, %d50;\nld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%d1];\n"
                "ret;";
  EmulatorOptions options;
  options.bounds = true;
  auto note = [&](const std::string &target) {
    kernel.target = target;
    auto result = run(kernel, {u32Array(std::vector<uint32_t>(1 << 18)), u32Array({0})}, options);
    EXPECT_TRUE(result) << errorText(result.error());
    return result ? result->note : "";
  };
  constexpr int64_t kBytes = 1 << 20;
  for (auto [target, perCycle] : {std::pair("sm_80", 1446),
                                  {"sm_86", 552},
                                  {"sm_89", 400},
                                  {"sm_90a", 2290},
                                  {"sm_100a", 3800},
                                  {"sm_120a", 744},
                                  {"sm_121a", 107}}) {
    std::string said = note(target), wanted = "1048576 of DRAM " + std::to_string(kBytes / perCycle);
    EXPECT_NE(said.find(wanted + ";"), std::string::npos) << target << ": " << said;
  }
}

} // namespace
} // namespace lanescope::core::test
