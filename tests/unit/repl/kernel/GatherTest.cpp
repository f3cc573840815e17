// Copies that only sm_100a has, on the emulator: rows that an array selects, and loads that two blocks share.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

const KernelOptions kBlackwell{.arch = "sm_100a", .device = "emulator"};

void expectRunsThere(const std::string &text) {
  Snippet done(text, kBlackwell);
  EXPECT_TRUE(done.ok) << text << "\n" << done.errors;
}

void expectErrorThere(const std::string &text, const std::string &place, const std::string &message) {
  Snippet done(text, kBlackwell);
  EXPECT_FALSE(done.ok) << text;
  EXPECT_EQ(done.place(), place) << text << "\n" << done.errors;
  EXPECT_NE(done.errors.find(message), std::string::npos) << message << "\n" << done.errors;
}

struct Variant {
  int swizzle; // 16: no swizzle
  bool wide;   // i32 if true, i16 if not
  bool by16;   // TMA_INDICES if true, TMA_INDICES_4 if not

  const char *dtype() const { return wide ? "i32" : "i16"; }
  const char *layout() const { return by16 ? "TMA_INDICES" : "TMA_INDICES_4"; }
  int elements() const { return swizzle / (wide ? 4 : 2); } // in one row of the swizzle
  int columns() const { return swizzle == 16 ? 128 : elements(); }
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (int swizzle : {16, 32, 64, 128})
    for (bool wide : {true, false})
      for (bool by16 : {true, false})
        all.push_back({swizzle, wide, by16});
  return all;
}

std::string transforms(const Variant &v, bool tiled) {
  std::string list;
  if (tiled)
    list += text("TilingTransform((8, ", v.swizzle == 16 ? 2 * v.elements() : v.elements(), ")), ");
  if (v.swizzle != 16)
    list += text("SwizzleTransform(", v.swizzle, "), ");
  return "transforms=(" + list + ")";
}

/// The rows come in a scrambled order without repeats: 37 and 128 have no common divisor.
std::string settings(int rows, int columns, int taken, const std::string &dtype, const std::string &index) {
  return text("R, C, W, N, T, I = 128, ", columns, ", ", taken, ", ", rows, ", ", dtype, ", ", index,
              "\nx = arange(R * C).reshape((R, C)).astype(T)\nidx = (arange(N) * 37 % 128).astype(I)\n");
}

const char *const kRowByRow = R"(
for i in range(N):
  assert max_error(got(i), wanted(i)) == 0, (i,)
)";

std::string gathers(const Variant &v, int rows, int start, int columns, bool tiled, const std::string &index) {
  return settings(rows, start + columns, columns, v.dtype(), index) + text("@kernel(scratch=[SMEM((N, W), T, ",
                                                                           transforms(v, tiled), R"(), Barrier()])
def k(x: GMEM((R, C), T), idx: GMEM((N,), I), out: Out((N, W), T), tile, b):
  rows = load(idx, layout=)",
                                                                           v.layout(), R"(, optimized=False)
  copy_gmem_to_smem(x.at[rows, )",
                                                                           start, R"(:], tile, b)
  barrier_wait(b)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
y = k(x, idx)
def got(i): return y[i, :]
def wanted(i): return x[int(idx[i]), )",
                                                                           start, ":]\n", kRowByRow);
}

// inventory: CP tma_gather_basic
TEST(Gather, Rows) {
  for (const Variant &v : variants())
    for (const char *index : {"u32", "u8"})
      expectRunsThere(gathers(v, v.by16 ? 48 : 12, v.columns(), v.columns(), false, index));
}

// inventory: CP tma_gather_tiled (tiles row by row)
TEST(Gather, IntoTiles) {
  for (const Variant &v : variants())
    expectRunsThere(gathers(v, v.by16 ? 48 : 16, v.columns(), 2 * v.columns(), true, "u32"));
}

// inventory: PC copy_gmem_to_smem_gather
// inventory: CP dialect/tma_gather (each dtype of index with its layout left to inference)
TEST(Gather, LayoutOfTheIndicesIsInferred) {
  for (const char *index : {"u32", "u16", "u8"})
    for (int rows : {64, 12})
      expectRunsThere(settings(rows, 192, 128, "bf16", index) + R"(
@kernel(scratch=[SMEM((N, W), T, transforms=(TilingTransform((4, 64)), SwizzleTransform(128))), Barrier()])
def k(x: GMEM((R, C), T), idx: GMEM((N,), I), out: Out((N, W), T), tile, b):
  copy_gmem_to_smem(x.at[idx[...], 64:], tile, b)
  barrier_wait(b)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
y = k(x, idx)
def got(i): return y[i, :].astype(f32)
def wanted(i): return x[int(idx[i]), 64:].astype(f32)
)" + kRowByRow);
  for (const char *extra : {"layout=TMA_INDICES", "layout=TMA_INDICES_4"})
    for (const char *how : {"", ", transforms=(TilingTransform((8, 32)), SwizzleTransform(128))"})
      expectRunsThere(settings(64, 192, 128, "i32", "u32") + text(R"(
@kernel(scratch=[SMEM((N, W), T)",
                                                                  how, R"(), Barrier()])
def k(x: GMEM((R, C), T), idx: GMEM((N,), I), out: Out((N, W), T), tile, b):
  rows = load(idx, )",
                                                                  extra, R"(, optimized=False)
  copy_gmem_to_smem(x.at[rows, 64:], tile, b)
  barrier_wait(b)
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
y = k(x, idx)
def got(i): return y[i, :]
def wanted(i): return x[int(idx[i]), 64:]
)",
                                                                  kRowByRow));
}

// inventory: CP tma_scatter_tiled (tiles row by row)
// inventory: PC copy_smem_to_gmem_scatter
TEST(Gather, Scatters) {
  for (const Variant &v : variants())
    for (bool tiled : {true, false})
      expectRunsThere(settings(v.by16 ? 64 : 16, 2 * v.columns(), v.columns(), v.dtype(), "u32") +
                      text("@kernel(scratch=[SMEM((N, W), T, ", transforms(v, tiled), R"(), Barrier()])
def k(x: GMEM((N, W), T), idx: GMEM((N,), I), out: InOut((R, C), T), tile, b):
  copy_gmem_to_smem(x, tile, b)
  barrier_wait(b)
  rows = load(idx, layout=)",
                           v.layout(), R"(, optimized=False)
  copy_smem_to_gmem(tile, out.at[rows, W:])
  wait_smem_to_gmem(0)
x = x[0:N, 0:W]
y = k(x, idx, full((R, C), -7, T))
def got(i): return y[int(idx[i]), W:]
def wanted(i): return x[i, :]
assert max_error(y[:, 0:W], full((R, W), -7, T)) == 0
untouched = [r for r in range(R) if r not in [int(idx[i]) for i in range(N)]]
for r in untouched:
  assert max_error(y[r, :], full((C,), -7, T)) == 0
)",
                           kRowByRow));
}

/// Rows and columns beyond the array's end are zeros.
TEST(Gather, OverTheEnd) {
  expectRunsThere(R"(
@kernel(scratch=[SMEM((16, 64), f32), Barrier()])
def k(x: GMEM((8, 96), f32), idx: GMEM((16,), u32), out: Out((16, 64), f32), tile, b):
  copy_gmem_to_smem(x.at[idx[...], ds(64, 64)], tile, b)
  barrier_wait(b)
  out[...] = tile[...]
x = random((8, 96), f32, seed=1)
y = k(x, arange(16).astype(u32))
assert max_error(y[0:8, 0:32], x[:, 64:]) == 0
assert max_error(y[8:, :], zeros((8, 64), f32)) == 0 and max_error(y[:, 32:], zeros((16, 32), f32)) == 0
)");
}

/// The same row for all, and rows that the kernel computes.
TEST(Gather, ComputedIndices) {
  expectRunsThere(R"(
@kernel(scratch=[SMEM((2, 16, 64), f32), Barrier()])
def k(x: GMEM((32, 64), f32), out: Out((2, 16, 64), f32), tile, b):
  copy_gmem_to_smem(x.at[full((16,), 5, u32), :], tile.at[0], b)
  barrier_wait(b)
  rows = broadcasted_iota(u32, (16,), 0, layout=TMA_INDICES)
  copy_gmem_to_smem(x.at[31 - rows, :], tile.at[1], b)
  barrier_wait(b)
  out[...] = tile[...]
x = random((32, 64), f32, seed=1)
y = k(x)
for i in range(16):
  assert max_error(y[0, i, :], x[5, :]) == 0 and max_error(y[1, i, :], x[31 - i, :]) == 0
)");
}

/// A missing wait is reported, as for other copies.
TEST(Gather, ReadBeforeItCame) {
  expectErrorThere(R"(@kernel(scratch=[SMEM((16, 64), f32), Barrier()])
def k(x: GMEM((32, 64), f32), out: Out((16, 64), f32), tile, b):
  copy_gmem_to_smem(x.at[full((16,), 5, u32), :], tile, b)
  out[...] = tile[...]
k(zeros((32, 64), f32))
)",
                   "4:14", "the missing wait: phase 0 (parity 0) of the mbarrier `b`");
}

TEST(Gather, NeedsBlackwell) {
  const std::string kernel = R"(@kernel(scratch=[SMEM((16, 64), f32), Barrier()])
def k(x: InOut((32, 64), f32), tile, b):
  rows = full((16,), 5, u32)
)";
  expectError(kernel + "  copy_gmem_to_smem(x.at[rows, :], tile, b)\nk(zeros((32, 64), f32))\n", "4:3",
              "by TMA on sm_100 and newer, and this kernel is for sm_90a; compile with `--arch sm_100a`");
  expectError(kernel + "  copy_smem_to_gmem(tile, x.at[rows, :])\nk(zeros((32, 64), f32))\n", "4:3",
              "where tensor memory is, and this kernel is for sm_90a; compile with `--arch sm_100a`");
}

TEST(Gather, Mistakes) {
  auto in = [](const std::string &line, const std::string &shape = "(32, 64)",
               const std::string &tile = "(16, 64), f32", const std::string &rows = "full((16,), 5, u32)") {
    return "@kernel(scratch=[SMEM(" + tile + "), Barrier()])\ndef k(x: InOut(" + shape +
           ", f32), tile, b):\n  rows = " + rows + "\n  " + line + "\nk(zeros(" + shape + ", f32))\n";
  };
  const std::string load = "copy_gmem_to_smem(x.at[rows, :], tile, b)";
  expectErrorThere(in("copy_gmem_to_smem(x.at[:, rows], tile, b)"), "4:26", "which it indexes along another");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, :, :], tile, b)", "(32, 4, 64)"), "4:26",
                   "of an array of 2 dimensions, and `x` has shape (32, 4, 64)");
  expectErrorThere(in(load, "(32, 64)", "(16, 64), f32", "full((16,), 5, i32)"), "4:26",
                   "convert them with `.astype(u32)`");
  expectErrorThere(in(load, "(32, 64)", "(16, 64), f32", "full((4, 4), 5, u32)"), "4:26", "an array of 1 dimension");
  expectErrorThere(in("copy_gmem_to_smem(x.at[8:].at[rows, :], tile, b)"), "4:33", "add its start to the array");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, :].at[3:5], tile, b)"), "4:38", "slice the array instead");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, 3], tile, b)", "(32, 64)", "(16,), f32"), "4:3",
                   "takes a slice of the columns");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, :], tile)"), "4:3", "needs TMA, and so a barrier");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, :], tile, b, predicate=program_id(0) == 4)"), "4:3",
                   "has no predicate");
  expectErrorThere(in("copy_smem_to_gmem(tile, x.at[rows, :], reduction_op=\"add\")"), "4:3", "overwrites");
  expectErrorThere(in("async_prefetch(x.at[rows, :])"), "4:3", "is not prefetched");
  expectErrorThere(in("y = x[rows, :]"), "4:7", "only copies to and from shared memory");
  expectErrorThere(in("y = load(x, (rows,))"), "4:7", "only copies to and from shared memory");
  expectErrorThere(in("y = tile[rows, :]"), "4:12", "copies gather them from global memory");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, 0:4], tile, b)", "(32, 64)", "(16, 4), f32"), "4:3",
                   "not a multiple of 128; take more columns");
  expectErrorThere(in(load, "(32, 64)", "(10, 64), f32", "full((10,), 5, u32)"), "4:3", "make it a multiple of 4");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, 2:34], tile, b)", "(32, 64)", "(16, 32), f32"), "4:3",
                   "starts at multiples of 16 bytes only");
  expectErrorThere(in(load, "(32, 512)", "(16, 512), f32"), "4:3", "TMA takes at most 256");
  expectErrorThere(in("copy_gmem_to_smem(x.at[rows, 0:32], tile, b)", "(32, 33)", "(16, 32), f32"), "4:3",
                   "TMA needs multiples of 16");
  expectErrorThere(in(load, "(32, 64)", "(16, 64), f32, transforms=(TilingTransform((2, 64)),)"), "4:3",
                   "2 of them together");
}

// inventory: PW copy_gmem_to_smem_partitioned
TEST(PartitionedCopy, EachBlockTakesHalf) {
  for (bool warpLevel : {false, true})
    for (bool squeezed : {false, true}) {
      std::string copies;
      for (const char *each : {"a, s, p", "b, t, q"})
        copies += text(warpLevel ? "      " : "  ", "copy_gmem_to_smem(", each[0], squeezed ? ".at[0]" : "", each + 1,
                       ", collective_axes=\"c\", partitioned_axis=0)\n");
      if (warpLevel)
        copies = "  def one():\n    if axis_index(\"warp\") == 0:\n" + copies +
                 "  core_map(WarpMesh(axis_name=\"warp\"))(one)\n";
      std::string shape = squeezed ? "(1, 128, 128)" : "(128, 128)";
      expectRunsThere(
          text("@kernel(cluster=(2,), cluster_names=(\"c\",), scratch=[SMEM((64, 128), f32), SMEM((64, 128), "
               "f32), Barrier(), Barrier(), ClusterBarrier(collective_axes=(\"c\",))])\n"
               "def k(a: GMEM(",
               shape, ", f32), b: GMEM(", shape, ", f32), out: Out((128, 128), f32), s, t, p, q, all):\n", copies,
               R"(  c = axis_index("c")
  if c == 0:
    barrier_wait(p)
    barrier_wait(q)
  barrier_arrive(all)
  barrier_wait(all)
  out[ds(c * 64, 64)] = s[...] + t[...]
a, b = random((128, 128), f32, seed=1), random((128, 128), f32, seed=2)
assert max_error(k(a.reshape()",
               shape, "), b.reshape(", shape, ")), a + b) == 0\n"));
    }
}

/// The slice is along the other dimension, goes into swizzled tiles, or is part of the array. The second block may also
/// read too early.
TEST(PartitionedCopy, AnyDimension) {
  const std::string before = R"(@kernel(cluster=(2,), cluster_names=("c",), scratch=[
  SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier(), ClusterBarrier(collective_axes=("c",))])
def k(x: GMEM((4, 128, 256), f16), out: Out((2, 64, 64), f16), s, p, all):
  c = axis_index("c")
  copy_gmem_to_smem(x.at[2, 64:, 128:], s, p, collective_axes="c", partitioned_axis=1)
)";
  const std::string after = R"(  barrier_arrive(all)
  barrier_wait(all)
  out[c] = s[...]
x = random((4, 128, 256), f16, seed=1)
y = k(x)
assert max_error(y[0].astype(f32), x[2, 64:, 128:192].astype(f32)) == 0
assert max_error(y[1].astype(f32), x[2, 64:, 192:].astype(f32)) == 0
)";
  expectRunsThere(before + "  if c == 0:\n    barrier_wait(p)\n" + after);
  expectErrorThere(before + after, "8:12", "the missing wait: phase 0 (parity 0) of the mbarrier `p`");
}

// inventory: PT copy_gmem_to_smem_replicated, PT copy_gmem_to_smem_partitioned, CP tma_load_replicated (swizzled f32)
TEST(PartitionedCopy, TheFirstBlockWaitsForBoth) {
  const std::string before = R"(@kernel(cluster=(2,), cluster_names=("c",), scratch=[
  SMEM((64, 32), f32, transforms=(TilingTransform((8, 32)), SwizzleTransform(128))), SMEM((32, 32), f32),
  Barrier(num_arrivals=2), ClusterBarrier(collective_axes=("c",))])
def k(x: GMEM((64, 32), f32), out: Out((2, 64, 32), f32), half: Out((2, 32, 32), f32), s, t, p, all):
  c = axis_index("c")
  copy_gmem_to_smem(x, s, p, collective_axes="c", leader_tracked=CopyPartition.REPLICATED)
  copy_gmem_to_smem(x, t, p, collective_axes="c", leader_tracked=CopyPartition.PARTITIONED(0))
)";
  const std::string after = R"(  barrier_arrive(all)
  barrier_wait(all)
  out[c] = s[...]
  half[c] = t[...]
x = random((64, 32), f32, seed=1)
y, z = k(x)
for c in range(2):
  assert max_error(y[c], x) == 0 and max_error(z[c], x[c * 32:c * 32 + 32]) == 0
)";
  expectRunsThere(before + "  if c == 0:\n    barrier_wait(p)\n" + after);
  expectErrorThere(before + after, "10:12", "the missing wait: phase 0 (parity 0) of the mbarrier `p`");
}

// inventory: PC copy_gmem_to_smem_raises_on_mismatched_shapes_partitioned
TEST(PartitionedCopy, Mistakes) {
  auto in = [](const std::string &tile, const std::string &axis, const std::string &cluster = "(2,)",
               const std::string &names = "(\"c\",)") {
    return "@kernel(cluster=" + cluster + ", cluster_names=" + names + ", scratch=[SMEM(" + tile +
           ", f16), Barrier()])\ndef k(x: GMEM((127, 64), f16), t, b):\n  copy_gmem_to_smem(x.at[" +
           (axis == "0" ? "0:127" : "0:126") + "], t, b, collective_axes=\"c\", partitioned_axis=" + axis +
           ")\nk(zeros((127, 64), f16))\n";
  };
  expectErrorThere(in("(63, 64)", "0"), "3:78", "dimension 0 of size 127 is not divided by the 2 blocks");
  expectErrorThere(in("(126, 64)", "1"), "3:21",
                   "the destination tile has shape (126, 64) but the source slice has shape (126, 64), and each of the "
                   "2 blocks takes half of it along dimension 1");
  expectErrorThere(in("(126, 32)", "1", "(2, 2)", "(\"c\", \"d\")"), "3:78", "a cluster of 2 blocks, and this has 4");
}

/// Hopper's own instructions are refused, and the rest runs. Sums of pairs are one instruction on Blackwell.
TEST(Blackwell, RunsWhatIsNotHoppersAlone) {
  expectRunsThere(R"(
@kernel()
def k(x: GMEM((128, 64), f32), y: GMEM((128, 64), f32), out: Out((128, 64), f32)):
  a, b = x[...], y[...]
  out[...] = (a + b) * a - b
x, y = random((128, 64), f32, seed=1), random((128, 64), f32, seed=2)
assert max_error(k(x, y), (x + y) * x - y) <= 1e-6
)");
  expectErrorThere(
      R"(@kernel(scratch=[SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), ACC((64, 64), f32)])
def k(out: Out((64, 64), f32), t, acc):
  wgmma(acc, t, t)
  out[...] = acc[...]
k()
)",
      "3:3", "an instruction of sm_90a only");
  Snippet older("@kernel\ndef k(x: InOut((128,), f32)):\n  x[...] = x[...] + 1\nk(zeros((128,), f32))\n",
                {.arch = "sm_75", .device = "emulator"});
  EXPECT_NE(
      older.errors.find("there is no code generation for `sm_75`; the supported architectures are `sm_80` (Ampere), "),
      std::string::npos)
      << older.errors;
  // The error does not say that an architecture that the user has not named lacks a feature.
  Snippet nearly("@kernel(scratch=[TMEM((128, 128), f32)])\ndef k(x: InOut((128,), f32), t):\n  x[...] = x[...] + 1\n"
                 "k(zeros((128,), f32))\n",
                 {.arch = "sm_101", .device = "emulator"});
  EXPECT_NE(nearly.errors.find("4:1: error: there is no code generation for `sm_101`"), std::string::npos)
      << nearly.errors;
}

} // namespace
} // namespace lanescope::repl
