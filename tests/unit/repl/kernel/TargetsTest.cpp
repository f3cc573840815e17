// Kernels for GPUs other than Hopper: what runs on each, and what a target refuses at the line that needs it.
#include "tests/unit/repl/KernelSupport.h"

#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

#include <fstream>

namespace lanescope::repl {
namespace {

/// One of each group of targets that have the same features here. `tests/cli/targets.py --all` runs all targets.
constexpr const char *kDifferent[] = {"sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_110a", "sm_120a"};

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
  EXPECT_EQ(machineFor("sm_103f").name, "sm_103a");
  EXPECT_EQ(machineFor("sm_101").name, "sm_100");
  EXPECT_EQ(machineFor("sm_101f").name, "sm_100f");
  EXPECT_EQ(machineFor("sm_101a").name, "sm_100a");
  EXPECT_EQ(machineFor("sm_130").name, "sm_121");
}

/// The names of the targets with a feature.
std::string targetsWith(bool core::GpuTarget::*feature) {
  std::string out;
  for (const core::GpuTarget &target : core::gpuTargets())
    if (target.*feature)
      out += text(out.empty() ? "" : " ", target.name.substr(3));
  return out;
}

/// What ptxas of CUDA 13.0 accepts; `tests/cli/targets.py --ptxas` asks it again.
TEST(Targets, HaveWhatPtxasAccepts) {
  using core::GpuTarget;
  const std::string specific = "100f 100a 103a 110f 110a", cards = "120f 120a 121a";
  EXPECT_EQ(targetsWith(&GpuTarget::wgmma), "90a");
  EXPECT_EQ(targetsWith(&GpuTarget::setmaxnreg), "90a " + specific + " " + cards);
  EXPECT_EQ(targetsWith(&GpuTarget::narrowFloats), specific + " " + cards);
  EXPECT_EQ(targetsWith(&GpuTarget::controlMulticast), specific + " " + cards);
  EXPECT_EQ(targetsWith(&GpuTarget::tcgen05), specific);
  EXPECT_EQ(targetsWith(&GpuTarget::tmaScatter), specific);
  EXPECT_EQ(targetsWith(&GpuTarget::pairedCopies), specific);
  EXPECT_EQ(targetsWith(&GpuTarget::narrowMma), cards);
  EXPECT_EQ(targetsWith(&GpuTarget::tensorShift), "100a 103a 110a");
  EXPECT_EQ(targetsWith(&GpuTarget::tensorIntegers), "100a 110a");
  EXPECT_EQ(targetsWith(&GpuTarget::tensorReductions), "103a 110f 110a");
  EXPECT_EQ(targetsWith(&GpuTarget::tma), "90 90a 100 100f 100a 103 103a 110 110f 110a 120 120f 120a 121 121a");
  EXPECT_EQ(targetsWith(&GpuTarget::tmaGather), "100 100f 100a 103 103a 110 110f 110a 120 120f 120a 121 121a");
}

/// Messages name the target of the same GPU that has what is missing, or else the first one.
TEST(Targets, NameOneThatHasTheFeature) {
  using core::findGpuTarget, core::GpuTarget, core::targetWith;
  EXPECT_EQ(targetWith(&GpuTarget::tcgen05, *findGpuTarget("sm_103")).name, "sm_103a");
  EXPECT_EQ(targetWith(&GpuTarget::tcgen05, *findGpuTarget("sm_80")).name, "sm_100a");
  EXPECT_EQ(targetWith(&GpuTarget::tcgen05, *findGpuTarget("sm_121")).name, "sm_100a");
  EXPECT_EQ(targetWith(&GpuTarget::narrowFloats, *findGpuTarget("sm_120")).name, "sm_120a");
  EXPECT_EQ(targetWith(&GpuTarget::tensorReductions, *findGpuTarget("sm_100a")).name, "sm_103a");
}

TEST(Targets, BaselinesLackWhatIsSpecific) {
  const std::string registers =
      "@kernel()\ndef k(out: Out((128,), f32)):\n"
      "  set_max_registers(40, action=\"decrease\")\n  out[...] = full((128,), 0, f32)\nk()\n";
  for (const char *arch : {"sm_90", "sm_100", "sm_120"})
    expectRefused(arch, registers, "3:3", "needs sm_90a, or a newer target that ends in `a` or `f`");
  for (const char *arch : {"sm_100f", "sm_120f"})
    expectRuns(arch, registers);
  const std::string tensor = "@kernel(scratch=[TMEM((128, 128), f32)])\ndef k(x: InOut((128,), f32), t):\n"
                             "  x[...] = x[...] + 1\nk(zeros((128,), f32))\n";
  expectRefused("sm_110", tensor, "1:18",
                "sm_110 has no tensor memory, which sm_110a has; compile with `--arch sm_110a`");
  const std::string product =
      R"(@kernel(scratch=[SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), ACC((64, 64), f32)])
def k(out: Out((64, 64), f32), t, acc):
  wgmma(acc, t, t)
  out[...] = acc[...]
k()
)";
  expectRefused("sm_90", product, "3:3", "on sm_90 multiply with `mma`, or compile for sm_90a");
  expectRefused("sm_100", product, "3:3", "on sm_100 multiply with `mma`");
  expectRefused("sm_100f", product, "3:3", "on sm_100f multiply with `tcgen05_mma`");
  const std::string narrow = "@kernel()\ndef k(x: GMEM((64, 64), f4e2m1fn), out: Out((64, 64), f32)):\n"
                             "  out[...] = x[...].astype(f32)\nk(zeros((64, 64), f4e2m1fn))\n";
  expectRefused("sm_120", narrow, "3:14", "need sm_120a");
  expectRuns("sm_120f", narrow);
  // PTX of the user's own.
  auto inlined = [](std::string_view instruction) {
    return text("@kernel()\ndef k(out: InOut((128,), i32)):\n  out[...] = inline_ptx(\"{ ", instruction,
                " mov.b32 $0, $1; }\", out[...], dtype=i32)\nk(zeros((128,), i32))\n");
  };
  expectRefused("sm_100f", inlined("tcgen05.shift.cta_group::1.down [$1];"), "3:14",
                "`tcgen05.shift` needs sm_100a, sm_103a or sm_110a");
  expectRefused("sm_120",
                inlined("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {a,a,a,a},{b,b,b,b},{b,b},"
                        "{a,a,a,a};"),
                "3:14", "needs sm_120a, sm_120f or sm_121a");
}

TEST(Targets, CopiesWithAndWithoutTma) {
  for (std::string arch : kDifferent) {
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
  for (const char *arch : kDifferent)
    expectRuns(arch, product);
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
  for (const char *arch : kDifferent) {
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

/// NaN of the same bits, by TMA and by threads. The barrier makes the stores of the threads visible, too: in the code
/// of warps, a lane reads what another lane has filled in.
TEST(Targets, CopiesFillWithNan) {
  for (const char *arch : {"sm_80", "sm_89", "sm_90a"})
    for (auto [dtype, bits, nan] : {std::tuple{"f32", "u32", "0x7FF77FF7"}, {"f16", "u16", "0x7FF7"}}) {
      expectRuns(arch, text(R"(
@kernel(grid=(2,), grid_names=("i",), scratch=[SMEM((64, 64), )",
                            dtype, R"(), Barrier()])
def k(x: GMEM((100, 64), )",
                            dtype, "), out: Out((2, 64, 64), ", bits, R"(), tile, loaded):
  i = axis_index("i")
  copy_gmem_to_smem(x.at[ds(i * 64, 64), ds(i * 16, 64)], tile, loaded, oob_mode="nan")
  barrier_wait(loaded)
  out[i] = bitcast(tile[...], )",
                            bits, R"()
x = random((100, 64), )",
                            dtype, R"(, seed=1)
out, expected = k(x), bitcast(x, )",
                            bits, R"()
assert max_error(out[0], expected[:64]) == 0 and max_error(out[1, :36, :48], expected[64:, 16:]) == 0
assert min(out[1, 36:]) == )",
                            nan, " and max(out[1, 36:]) == ", nan, " and min(out[1, :, 48:]) == ", nan,
                            " and max(out[1, :, 48:]) == ", nan, "\n"));
      expectRuns(arch, text(R"(
@kernel(scratch=[SMEM((64, 64), )",
                            dtype, R"(), Barrier(num_arrivals=4)])
def k(x: GMEM((40, 64), )",
                            dtype, "), out: Out((64, 64), ", bits, R"(), tile, loaded):
  @core_map(WarpMesh(axis_name="warp"))
  def copies():
    rows = ds(axis_index("warp") * 16, 16)
    copy_gmem_to_smem(x.at[rows, :], tile.at[rows, :], loaded, oob_mode="nan")
  barrier_wait(loaded)
  out[...] = bitcast(tile[...], )",
                            bits, R"()
out = k(zeros((40, 64), )",
                            dtype, "))\nassert max(out[:40]) == 0 and min(out[40:]) == ", nan, "\n"));
    }
}

/// Without the copy, the arrival comes, and the tile keeps its bytes.
TEST(Targets, CopiesHavePredicates) {
  for (const char *arch : {"sm_80", "sm_90a"})
    for (const char *fill : {"", ", oob_mode=\"nan\"", ", oob_mode=\"promise_in_bounds\""}) {
      expectRuns(arch, text(R"(
@kernel(grid=(4,), grid_names=("i",), scratch=[SMEM((64, 64), f32), Barrier()])
def k(x: GMEM((256, 64), f32), out: Out((256, 64), f32), tile, loaded):
  i = axis_index("i")
  rows = ds(i * 64, 64)
  tile[...] = full((64, 64), -1, f32)
  commit_smem()
  copy_gmem_to_smem(x.at[rows, :], tile, loaded, predicate=i % 2 == 1)",
                            fill, R"()
  barrier_wait(loaded)
  out[rows] = tile[...]
x = random((256, 64), f32, seed=1)
out = k(x)
for i in range(4):
  rows = ds(i * 64, 64)
  assert max_error(out[i * 64:i * 64 + 64], x[i * 64:i * 64 + 64] if i % 2 == 1 else full((64, 64), -1, f32)) == 0
)"));
      expectRuns(arch, text(R"(
@kernel(scratch=[SMEM((64, 64), f32), Barrier(num_arrivals=4)])
def k(x: GMEM((64, 64), f32), out: Out((64, 64), f32), tile, loaded):
  tile[...] = full((64, 64), -1, f32)
  commit_smem()
  @core_map(WarpMesh(axis_name="warp"))
  def copies():
    warp = axis_index("warp")
    copy_gmem_to_smem(x.at[ds(warp * 16, 16), :], tile.at[ds(warp * 16, 16), :], loaded, predicate=warp != 2)",
                            fill, R"()
  barrier_wait(loaded)
  out[...] = tile[...]
x = random((64, 64), f32, seed=1)
out = k(x)
assert max_error(out[:32], x[:32]) == 0 and max_error(out[48:], x[48:]) == 0 and max(out[32:48]) == -1
)"));
    }
  // A copy that the threads make has no predicate, as on newer GPUs.
  expectRefused("sm_80", R"(@kernel(grid=(2,), grid_names=("i",), scratch=[SMEM((64, 64), f32)])
def k(x: GMEM((64, 64), f32), tile):
  copy_gmem_to_smem(x, tile, predicate=axis_index("i") == 0)
k(zeros((64, 64), f32))
)",
                "3:40", "has no predicate; put it under `if`");
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
        "3:3", "`wgmma` is an instruction of sm_90a only");
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

/// kernels/ampere_matmul_8bit.py checks itself with integers, which every target has.
TEST(Targets, TheLibrarysProductOfEightBitFloats) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/kernels/ampere_matmul_8bit.py");
  std::string kernel((std::istreambuf_iterator<char>(file)), {});
  kernel = kernel.substr(0, kernel.find("# The check"));
  auto check = [&](std::string_view dtype) {
    return text(kernel, "a, b = [(random((128, 256), f32, seed=seed) * 4).astype(", dtype, R"() for seed in (0, 1)]
a_scale, b_scale = [random((128,), f32, seed=seed) for seed in (2, 3)]
result = make_ampere_matmul_8bit()",
                dtype, R"(, out_dtype=f32, stages=2)(a, b, a_scale, b_scale)
expected = (a.astype(f32) @ transpose(b.astype(f32))) * reshape(a_scale, (128, 1)) * reshape(b_scale, (1, 128))
assert allclose(result, expected, rtol=1e-3, atol=1e-2)
)");
  };
  expectRuns("sm_89", check("f8e4m3fn"));
  expectRuns("sm_120", check("f8e5m2"));
  Snippet refused(check("f8e4m3fn"), {.arch = "sm_80", .device = "emulator"});
  EXPECT_NE(refused.errors.find("`mma` of 8-bit floats needs sm_89 or newer, and this kernel is for sm_80"),
            std::string::npos)
      << refused.errors;
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
