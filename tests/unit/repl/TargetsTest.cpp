// Kernels for GPUs other than Hopper: what runs on each, and what a target refuses at the line that needs it.
#include "tests/unit/repl/KernelSupport.h"

#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

std::vector<std::string> targetsWithoutTma() {
  std::vector<std::string> out;
  for (const core::GpuTarget &target : core::gpuTargets())
    if (!target.tma)
      out.emplace_back(target.name);
  return out;
}

void expectRuns(const std::string &arch, const std::string &snippet) {
  Snippet ran(snippet, {.arch = arch, .device = "emulator"});
  EXPECT_TRUE(ran.ok) << arch << "\n" << snippet << "\n" << ran.errors;
  EXPECT_EQ(ran.errors, "") << arch << "\n" << snippet;
}

void expectRefused(const std::string &arch, const std::string &snippet, const std::string &place,
                   const std::string &message) {
  Snippet refused(snippet, {.arch = arch, .device = "emulator"});
  EXPECT_FALSE(refused.ok) << arch << "\n" << snippet;
  EXPECT_NE(refused.errors.find(text(":", place, ": error: ")), std::string::npos) << arch << "\n" << refused.errors;
  EXPECT_NE(refused.errors.find(message), std::string::npos) << arch << "\n" << refused.errors;
}

/// A tile that passes through shared memory, in and out, on each target.
std::string through(std::string_view dtype, std::string_view transforms, std::string_view shape) {
  return text("@kernel(scratch=[SMEM(", shape, ", ", dtype, transforms, "), Barrier()])\ndef k(x: GMEM(", shape, ", ",
              dtype, "), out: Out(", shape, ", ", dtype, R"(), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  tile[...] = tile[...] + tile[...]
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = arange(1, 1 + 64 * 64).reshape((64, 64)).astype()",
              dtype, ").reshape(", shape, ")\nassert max_error(k(x), x + x) == 0\n");
}

/// PTX ISA, ".target": baseline, family- and architecture-specific targets.
TEST(Targets, AreFoundByNameAndCapability) {
  using core::baselineFor, core::findGpuTarget, core::machineFor;
  EXPECT_EQ(findGpuTarget(9, 0)->name, "sm_90a");
  EXPECT_EQ(findGpuTarget(10, 0)->name, "sm_100a");
  EXPECT_EQ(findGpuTarget(11, 0)->name, "sm_110a");
  EXPECT_EQ(findGpuTarget(10, 7), nullptr);
  EXPECT_EQ(baselineFor(8, 8)->name, "sm_87");
  EXPECT_EQ(baselineFor(10, 7)->name, "sm_103");
  EXPECT_EQ(baselineFor(13, 0)->name, "sm_121");
  EXPECT_EQ(baselineFor(7, 5), nullptr);
  EXPECT_EQ(machineFor("sm_100f").name, "sm_100f");
  EXPECT_EQ(machineFor("sm_88").name, "sm_87");
}

TEST(Targets, BaselinesLackWhatIsSpecific) {
  const std::string registers =
      "@kernel()\ndef k(out: Out((128,), f32)):\n"
      "  set_max_registers(40, action=\"decrease\")\n  out[...] = full((128,), 0, f32)\nk()\n";
  for (const char *arch : {"sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"})
    expectRefused(arch, registers, "3:3", "needs sm_90a, or a newer target that ends in `a` or `f`");
  for (const char *arch : {"sm_100f", "sm_110f", "sm_120f"})
    expectRuns(arch, registers);
}

TEST(Targets, CopiesWithAndWithoutTma) {
  for (const core::GpuTarget &target : core::gpuTargets()) {
    std::string arch(target.name);
    expectRuns(arch, through("f32", "", "(64, 64)"));
    expectRuns(arch, through("f32", ", transforms=(TilingTransform((8, 32)), SwizzleTransform(128))", "(64, 64)"));
    expectRuns(arch, through("i32", ", transforms=(TilingTransform((8, 8)), SwizzleTransform(32))", "(128, 32)"));
  }
}

TEST(Targets, ARingOfTilesAndAProduct) {
  const std::string product = R"(
swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(scratch=[SMEM((2, 64, 64), f16, transforms=swizzled), SMEM((2, 64, 64), f16, transforms=swizzled),
                 Barrier(num_barriers=2, num_arrivals=2)])
def k(a: GMEM((64, 256), f16), b: GMEM((256, 64), f16), out: Out((64, 64), f32), at, bt, loaded):
  def fetch(i):
    copy_gmem_to_smem(a.at[:, ds(i * 64, 64)], at.at[i % 2], loaded.at[i % 2])
    copy_gmem_to_smem(b.at[ds(i * 64, 64), :], bt.at[i % 2], loaded.at[i % 2])
  total = full((64, 64), 0, f32)
  fetch(0)
  for i in range(4):
    if i < 3:
      fetch(i + 1)
    barrier_wait(loaded.at[i % 2])
    total = mma(total, load(at.at[i % 2], layout=MMA_LHS(f16)), load(bt.at[i % 2], layout=MMA_RHS(f16)))
  out[...] = total
a, b = random((64, 256), f16, seed=0), random((256, 64), f16, seed=1)
assert allclose(k(a, b), a.astype(f32) @ b.astype(f32), atol=1e-3)
)";
  for (const core::GpuTarget &target : core::gpuTargets())
    expectRuns(std::string(target.name), product);
}

TEST(Targets, GroupsOfCopiesAndWarps) {
  for (const std::string &arch : targetsWithoutTma()) {
    expectRuns(arch, R"(
@kernel(scratch=[SMEM((64, 64), f32)])
def k(x: GMEM((64, 64), f32), out: Out((64, 64), f32), tile):
  copy_gmem_to_smem(x, tile)
  wait_gmem_to_smem(0)
  out[...] = tile[...] * 3
x = random((64, 64), f32, seed=1)
assert max_error(k(x), x * 3) == 0
)");
    // Each warp copies its own rows, and the barrier counts a warp as it counts a warpgroup.
    expectRuns(arch, R"(
@kernel(scratch=[SMEM((64, 64), f32), Barrier(num_arrivals=4)])
def k(x: GMEM((64, 64), f32), out: Out((64, 64), f32), tile, loaded):
  @core_map(WarpMesh(axis_name="warp"))
  def copies():
    rows = ds(axis_index("warp") * 16, 16)
    copy_gmem_to_smem(x.at[rows, :], tile.at[rows, :], loaded)
  barrier_wait(loaded)
  out[...] = tile[...] + 1
x = random((64, 64), f32, seed=1)
assert max_error(k(x), x + 1) == 0
)");
  }
}

/// One warpgroup copies, and two compute. Before sm_90 no warpgroup can give its registers to another.
TEST(Targets, WarpSpecialisedPipelines) {
  for (const std::string &arch : targetsWithoutTma()) {
    auto pipeline = [](std::string_view registers) {
      return text(R"(@kernel(num_threads=3, thread_name="wg")
def k(x: GMEM((128, 256), f32), out: Out((128, 256), f32)):
  def body(indices, a, o):
    part = ds(axis_index("wg") * 64, 64)
    o[part] = a[part] * 2
  spec = BlockSpec((128, 32), lambda i: (0, i))
  emit_pipeline_warp_specialized(body, grid=(8,), memory_registers=)",
                  registers, R"(, wg_axis="wg", num_compute_wgs=2, in_specs=[spec],
      out_specs=[spec])(x, out)
x = random((128, 256), f32, seed=1)
assert max_error(k(x), x * 2) == 0
)");
    };
    expectRuns(arch, pipeline("None"));
    Snippet refused(pipeline("40"), {.arch = arch, .device = "emulator"});
    EXPECT_NE(refused.errors.find("`memory_registers=None` of a pipeline"), std::string::npos) << refused.errors;
  }
}

/// As with TMA, zeros fill what is outside of the array, and nothing is written there.
TEST(Targets, CopiesReachOverTheEnd) {
  for (const core::GpuTarget &target : core::gpuTargets()) {
    std::string arch(target.name);
    expectRuns(arch, R"(
@kernel(grid=(2,), grid_names=("i",), scratch=[SMEM((64, 64), f32), Barrier()])
def k(x: GMEM((100, 96), f32), sums: Out((2, 64), f32), out: InOut((100, 96), f32), tile, loaded):
  i = axis_index("i")
  copy_gmem_to_smem(x.at[ds(i * 64, 64), ds(i * 64, 64)], tile, loaded)
  barrier_wait(loaded)
  sums[i] = sum(tile[...], axis=1)
  commit_smem()
  copy_smem_to_gmem(tile, out.at[ds(i * 64, 64), ds(i * 64, 64)])
  wait_smem_to_gmem(0)
x = round(random((100, 96), f32, seed=1) * 9)
sums, out = k(x, zeros((100, 96), f32))
assert max_error(sums[0], sum(x[:64, :64], axis=1)) == 0
assert max_error(sums[1, :36], sum(x[64:, 64:], axis=1)) == 0 and max_error(sums[1, 36:], zeros((28,), f32)) == 0
assert max_error(out[:64, :64], x[:64, :64]) == 0 and max_error(out[64:, 64:], x[64:, 64:]) == 0
assert max_error(out[:64, 64:], zeros((64, 32), f32)) == 0 and max_error(out[64:, :64], zeros((36, 64), f32)) == 0
)");
  }
}

/// Arithmetic, reductions across warps, atomics and conversions that every target has.
TEST(Targets, ArithmeticOnAll) {
  for (const std::string &arch : targetsWithoutTma()) {
    expectRuns(arch, R"(
@kernel()
def k(x: GMEM((64, 64), bf16), y: GMEM((64, 64), f16), rows: Out((64,), f32), out: Out((64, 64), bf16)):
  a, b = load(x, layout=WGMMA), load(y, layout=WGMMA)
  c = exp(a.astype(f32)) + tanh(b.astype(f32))
  rows[...] = sum(c, axis=1)
  out[...] = maximum(a * a + a, -a)
x, y = random((64, 64), bf16, seed=1), random((64, 64), f16, seed=2)
rows, out = k(x, y)
c = exp(x.astype(f32)) + tanh(y.astype(f32))
assert allclose(rows, sum(c, axis=1), atol=1e-3)
assert max_error(out.astype(f32), maximum(x * x + x, -x).astype(f32)) <= 0.02
)");
    expectRuns(arch, R"(
@kernel(grid=(2,), grid_names=("i",))
def k(x: GMEM((2, 128, 64), f32), out: InOut((128, 64), f32)):
  atomic_add(out, x[axis_index("i")])
x = round(random((2, 128, 64), f32, seed=1) * 8)
assert max_error(k(x, zeros((128, 64), f32)), x[0] + x[1]) == 0
)");
  }
}

TEST(Targets, RefuseWhatTheyLack) {
  for (const std::string &arch : targetsWithoutTma()) {
    expectRefused(arch, R"(@kernel(scratch=[SMEM((64, 64), f16), Barrier()])
def k(x: GMEM((64, 64), f16), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded, implementation="tma")
k(zeros((64, 64), f16))
)",
                  "3:53", text(arch, " has no TMA; leave the argument out: the threads copy"));
    expectRefused(arch, R"(@kernel(scratch=[SMEM((64, 64), f16), Barrier()])
def k(x: GMEM((64, 64), f16), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded, oob_mode="nan")
k(zeros((64, 64), f16))
)",
                  "3:47", text("NaN is filled in by TMA, which ", arch, " lacks"));
    expectRefused(arch, "@kernel()\ndef k(out: Out((128,), f32)):\n  set_max_registers(40, action=\"decrease\")\nk()\n",
                  "3:3", "leave it out (`memory_registers=None` of a pipeline); all warps have the same number");
    expectRefused(arch,
                  "@kernel(grid=(2,), cluster=(2,), cluster_names=(\"c\",))\ndef k(out: InOut((128,), f32)):\n"
                  "  out[...] = out[...] + 1\nk(zeros((128,), f32))\n",
                  "2:5", text("a cluster needs sm_90 or newer, and this kernel is for ", arch));
    expectRefused(
        arch,
        R"(@kernel(scratch=[SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), ACC((64, 64), f32)])
def k(out: Out((64, 64), f32), t, acc):
  wgmma(acc, t, t)
  out[...] = acc[...]
k()
)",
        "3:3", "`wgmma` is an instruction of sm_90a alone");
    expectRefused(arch,
                  "@kernel(scratch=[TMEM((128, 128), f32)])\ndef k(x: InOut((128,), f32), t):\n"
                  "  x[...] = x[...] + 1\nk(zeros((128,), f32))\n",
                  "1:18", text(arch, " has no tensor memory"));
    expectRefused(arch, R"(@kernel()
def k(out: InOut((128,), bf16)):
  atomic_add(out, out[...])
k(zeros((128,), bf16))
)",
                  "3:3", "there is no atomic `add` of `bf16` before sm_90: f32 and f16 can be added");
    expectRefused(arch, R"(@kernel(scratch=[SMEM((64, 64), f32)])
def k(out: Out((64, 64), f32), tile):
  tile[...] = full((64, 64), 1, f32)
  commit_smem()
  copy_smem_to_gmem(tile, out, reduction_op="add")
k()
)",
                  "5:3", "a copy that combines needs TMA");
    // PTX of the user's own is looked through as well.
    expectRefused(arch, R"(@kernel()
def k(out: InOut((128,), i32)):
  out[...] = inline_ptx("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 $0, 1, 0, p; }", out[...], dtype=i32)
k(zeros((128,), i32))
)",
                  "3:14", text("`elect.sync` needs sm_90 or newer, and this kernel is for ", arch));
    expectRefused(arch, R"(@kernel()
def k(out: InOut((128,), i32)):
  out[...] = inline_ptx("mapa.u32 $0, $1, 0;", out[...], dtype=i32)
k(zeros((128,), i32))
)",
                  "3:14", text("`mapa` needs sm_90 or newer, and this kernel is for ", arch));
  }
}

TEST(Targets, EightBitFloatsBeginWithAda) {
  const std::string converts = R"(@kernel()
def k(x: GMEM((64, 64), f8e4m3fn), out: Out((64, 64), f32)):
  out[...] = x[...].astype(f32)
x = random((64, 64), f32, seed=1).astype(f8e4m3fn)
assert max_error(k(x), x.astype(f32)) == 0
)";
  expectRuns("sm_89", converts);
  expectRefused("sm_80", converts, "3:14", "need sm_89 or newer, and this kernel is for sm_80");
}

TEST(Targets, AKernelsSharedMemoryIsTheTargets) {
  const std::string large = "@kernel(scratch=[SMEM((128 * 1024,), u8)])\ndef k(out: Out((128,), u8), tile):\n"
                            "  out[...] = tile[ds(0, 128)]\nk()\n";
  expectRefused("sm_86", large, "2:5", "needs 128 KiB of shared memory, but a block has 99 KiB");
  Snippet fits(large, {.arch = "sm_80", .device = "emulator"}); // unwritten memory is a finding; the size is none
  EXPECT_EQ(fits.errors.find("163"), std::string::npos) << fits.errors;
}

} // namespace
} // namespace lanescope::repl
