// Single warps, named barriers, stores into other blocks, and dependent launches, on the emulator. Each snippet checks
// its own numbers. Planted mistakes are reported at their place.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

//===------------------------------------ warp-level code ---------------------------------------------------------===//

// As in upstream's test, each warp's copy shows its index.
// inventory: PW axis_index
TEST(Warps, AxisIndex) {
  expectRuns(R"(mesh = WarpMesh(axis_name="warp")
@kernel(scratch=[SMEM((1, 128), i32), SMEM((1, 128), i32)])
def k(out: Out((2, 128), i32), ones_tile, threes):
  ones_tile[...] = ones((1, 128), i32)
  threes[...] = ones((1, 128), i32) * 3
  commit_smem()
  def body():
    warp = axis_index("warp")
    if warp == 1:
      copy_smem_to_gmem(ones_tile, out.at[0:1])
    if warp == 3:
      copy_smem_to_gmem(threes, out.at[1:2])
  core_map(mesh)(body)
  wait_smem_to_gmem(0)
out = k()
assert max_error(out[0], ones((128,), i32)) == 0 and max_error(out[1], ones((128,), i32) * 3) == 0
)");
}

TEST(Warps, EachOfEachWarpgroupWritesItsNumber) {
  expectRuns(R"(@kernel(num_threads=2, thread_name="wg", grid=(3,), grid_names=("g",))
def k(out: Out((3, 2, 4), i32)):
  g, wg = axis_index("g"), axis_index("wg")
  def body():
    w = axis_index("w")
    out[g, wg, w] = g * 100 + wg * 10 + w + axis_size("w") * 1000
  core_map(WarpMesh("w"))(body)
out = k()
assert [[[out[g, wg, w] for w in range(4)] for wg in range(2)] for g in range(3)] == [
  [[4000 + g * 100 + wg * 10 + w for w in range(4)] for wg in range(2)] for g in range(3)]
)");
}

// inventory: PW scalar_load
TEST(Warps, ScalarLoad) {
  expectRuns(R"(@kernel(scratch=[SMEM((128,), i32)])
def k(x: GMEM((1,), i32), out: Out((2,), i32), tile):
  tile[...] = broadcasted_iota(i32, (128,), 0) * 3
  def body():
    if axis_index("warp") == 1:
      out[0] = x[0]
      out[1] = tile[x[0] % 128]
  core_map(WarpMesh(axis_name="warp"))(body)
x = full((1,), 4321, i32)
out = k(x)
assert [out[0], out[1]] == [4321, 4321 % 128 * 3]
)");
}

// inventory: PW non_scalar_load_raises
// inventory: PW errors_when_closing_over_array
TEST(Warps, ArraysAreRefused) {
  auto kernel = [](const std::string &before, const std::string &body) {
    return "@kernel(scratch=[SMEM((128,), f32)])\ndef k(x: GMEM((128,), f32), out: Out((128,), f32), tile):\n" +
           before + "  def body():\n" + body +
           "  core_map(WarpMesh(axis_name=\"warp\"))(body)\nk(zeros((128,), f32))\n";
  };
  expectError(kernel("", "    y = x[...]\n"), "4:9", "`x` of shape (128,) cannot be read by one warp");
  expectError(kernel("", "    y = load(x, (ds(0, 64),))\n"), "4:9", "cannot be read by one warp");
  expectError(kernel("", "    tile[...] = 1.0\n"), "4:5", "`tile` of shape (128,) cannot be written by one warp");
  expectError(kernel("  y = x[...]\n", "    z = y + 1\n"), "5:9", "an array belongs to the warpgroup");
  expectError(kernel("  y = x[...]\n", "    out[0] = sum(y)\n"), "5:14", "an array belongs to the warpgroup");
  expectError(kernel("", "    z = broadcasted_iota(i32, (128,), 0)\n"), "4:9", "an array belongs to the warpgroup");
}

TEST(Warps, OtherMistakes) {
  auto kernel = [](const std::string &body, const std::string &after = "") {
    return "@kernel(scratch=[SMEM((128,), f32), Barrier()])\n"
           "def k(x: GMEM((128,), f32), out: Out((128,), f32), tile, bar):\n"
           "  def body():\n" +
           body + "  core_map(WarpMesh(axis_name=\"warp\"))(body)\n" + after + "k(zeros((128,), f32))\n";
  };
  expectError(kernel("    set_max_registers(40, \"decrease\")\n"), "4:5",
              "`set_max_registers` is for a whole warpgroup");
  expectError(kernel("    core_map(WarpMesh(\"w\"))(lambda: None)\n"), "4:5", "`core_map` is for a whole warpgroup");
  expectError(kernel("    return 1\n"), "5:3", "the warps give nothing back");
  expectError(kernel("    axis_index(\"lane\")\n"), "4:16", "it has `warp`");
  expectError("@kernel()\ndef k(out: Out((1,), i32)):\n  got = []\n  def body():\n    got.append(axis_index(\"w\"))\n"
              "  core_map(WarpMesh(\"w\"))(body)\n  out[0] = got[0] + 1\nk()\n",
              "7:12", "warp-level code, that is not being traced any more");
  expectError(
      "@kernel(thread_name=\"w\")\ndef k(out: Out((1,), i32)):\n  core_map(WarpMesh(\"w\"))(lambda: None)\nk()\n",
      "3:12", "has an axis `w` already");
  expectError("@kernel()\ndef k(out: Out((1,), i32)):\n  axis_index(\"warp\")\nk()\n", "3:14", "names no axes");
  expectError("WarpMesh(\"\")\n", "1:10", "an axis needs a name");
}

// inventory: PW scalar_binary_op
TEST(Warps, ScalarBinaryOperations) {
  const std::pair<const char *, const char *> operations[] = {
      {"add", "a + b"},         {"sub", "a - b"},         {"mul", "a * b"}, {"div", "a // b"},
      {"rem", "a % b"},         {"and", "a & b"},         {"or", "a | b"},  {"xor", "a ^ b"},
      {"max", "maximum(a, b)"}, {"min", "minimum(a, b)"}, {"gt", "a > b"},  {"lt", "a < b"},
      {"ge", "a >= b"},         {"le", "a <= b"},         {"eq", "a == b"}, {"ne", "a != b"}};
  // One kernel for all operations; only warp 2 computes.
  std::string body, host = "wanted = []\n";
  int at = 0;
  for (auto [name, expression] : operations) {
    body += text("      out[", at++, "] = 0 + (", expression, ")\n");
    host += text("wanted.append(int(", expression, "))\n");
  }
  expectRuns(
      text("@kernel()\ndef k(x: GMEM((2,), i32), out: Out((", at, ",), i32)):\n  def body():\n",
           "    if axis_index(\"warp\") == 2:\n      a, b = x[0], x[1]\n", body,
           "  core_map(WarpMesh(axis_name=\"warp\"))(body)\n", "def maximum_of(a, b):\n  return a if a > b else b\n",
           "for a, b in [(7, 5), (5, 7), (6, 6)]:\n"
           "  x = zeros((2,), i32)\n  x[0] = a\n  x[1] = b\n  out = k(x)\n  ",
           "wanted = [a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, max(a, b), min(a, b), int(a > b), "
           "int(a < b), int(a >= b), int(a <= b), int(a == b), int(a != b)]\n",
           "  got = [out[i] for i in range(", at, ")]\n  assert got == wanted, f\"{got} {wanted}\"\n"));
}

// inventory: PW single_warp_loop
TEST(Warps, SingleWarpLoop) {
  for (bool inWarp : {true, false})
    expectRuns(text(R"(@kernel(scratch=[SMEM((10, 128), i32)])
def k(out: Out((10, 128), i32), tile):
  tile[...] = broadcasted_iota(i32, (10, 128), 0)
  commit_smem()
  def body():
    if axis_index("warp") == 0:
      for i in range(10):
        copy_smem_to_gmem(tile.at[i], out.at[i])
)",
                    inWarp ? "      wait_smem_to_gmem(0)\n" : "", "  core_map(WarpMesh(axis_name=\"warp\"))(body)\n",
                    inWarp ? "" : "  wait_smem_to_gmem(0)\n",
                    R"(out = k()
assert [out[i, 77] for i in range(10)] == list(range(10))
assert [out[i, 0] for i in range(10)] == list(range(10))
)"));
}

// inventory: PW debug_print
TEST(Warps, DebugPrint) {
  Snippet done(R"(@kernel()
def k(out: Out((1,), i32)):
  def body():
    debug_print("warp {}", axis_index("warp"))
    if axis_index("warp") == 2:
      debug_print("two")
  core_map(WarpMesh(axis_name="warp"))(body)
k()
)");
  ASSERT_TRUE(done.ok) << done.errors;
  for (const char *line : {"warp 0\n", "warp 1\n", "warp 2\n", "warp 3\n", "two\n"}) {
    size_t first = done.printed.find(line);
    EXPECT_NE(first, std::string::npos) << line << done.printed;
    EXPECT_EQ(done.printed.find(line, first + 1), std::string::npos) << "twice: " << line << done.printed;
  }
}

// One warp copies in; another warp waits and copies out. The arrival is a warp's.
// inventory: PW copy_gmem_to_smem_from_different_warps
TEST(Warps, CopiesFromDifferentWarps) {
  for (bool waitInWarp : {false, true})
    expectRuns(text(R"(@kernel(scratch=[SMEM((32, 32), f32), Barrier()])
def k(x: GMEM((64, 32), f32), out: Out((32, 32), f32), tile, bar):
  def body():
    warp = axis_index("warp")
    if warp == 0:
      copy_gmem_to_smem(x.at[32:64], tile, bar)
    if warp == 1:
      barrier_wait(bar)
      copy_smem_to_gmem(tile, out)
)",
                    waitInWarp ? "      wait_smem_to_gmem(0)\n" : "",
                    "  core_map(WarpMesh(axis_name=\"warp\"))(body)\n", waitInWarp ? "" : "  wait_smem_to_gmem(0)\n",
                    "x = random((64, 32), f32, seed=1)\nassert max_error(k(x), x[32:64]) == 0\n"));
}

// Warps as producer and consumer of a ring, with the warpgroup's arrays at the end. A barrier for two arrivals gets one
// from each warp.
TEST(Warps, RingBetweenWarps) {
  expectRuns(R"(@kernel(scratch=[SMEM((2, 64), f32), SMEM((64,), f32), Barrier(num_barriers=2), Barrier(num_barriers=2),
                Barrier(num_arrivals=2)])
def k(x: GMEM((9, 64), f32), out: Out((9, 64), f32), ring, last, full, empty, done):
  def body():
    warp = axis_index("warp")
    if warp == 3:
      for i in range(9):
        if i >= 2:
          barrier_wait(empty.at[i % 2])
        copy_gmem_to_smem(x.at[i], ring.at[i % 2], full.at[i % 2])
      barrier_arrive(done)
    elif warp == 1:
      for i in range(9):
        barrier_wait(full.at[i % 2])
        copy_smem_to_gmem(ring.at[i % 2], out.at[i])
        wait_smem_to_gmem(0)
        barrier_arrive(empty.at[i % 2])
      barrier_arrive(done)
  core_map(WarpMesh(axis_name="warp"))(body)
  barrier_wait(done)
x = random((9, 64), f32, seed=3)
assert max_error(k(x), x) == 0
)");
}

TEST(Warps, LoopsOverGridsAreShared) {
  expectRuns(R"(@kernel()
def k(out: Out((5, 3), i32)):
  def body():
    def one(place):
      i, j = place
      out[i, j] = i * 10 + j + 100 * axis_index("warp")
    nd_loop((5, 3), collective_axes="warp")(one)
  core_map(WarpMesh(axis_name="warp"))(body)
out = k()
for i in range(5):
  for j in range(3):
    assert out[i, j] == i * 10 + j + 100 * ((i * 3 + j) % 4)
)");
}

// A warp-level wait without an arrival: the emulator reports it, and names the warp.
TEST(Warps, DeadlockNamesTheWarp) {
  Snippet done(R"(@kernel(scratch=[Barrier()])
def k(out: Out((1,), i32), bar):
  def body():
    if axis_index("warp") == 2:
      barrier_wait(bar)
  core_map(WarpMesh(axis_name="warp"))(body)
k()
)");
  EXPECT_FALSE(done.ok);
  EXPECT_EQ(done.place(), "5:7") << done.errors;
  EXPECT_NE(done.errors.find("warp 2"), std::string::npos) << done.errors;
}

// The lanes of a warp elect one lane. Nothing is computed twice, and there is no barrier of the warpgroup inside.
TEST(Warps, CodeIsTheWarps) {
  Snippet done(R"(@kernel(scratch=[SMEM((32, 32), f32), Barrier()])
def k(x: GMEM((32, 32), f32), out: Out((32, 32), f32), tile, bar):
  def body():
    if axis_index("warp") == 1:
      copy_gmem_to_smem(x, tile, bar)
  core_map(WarpMesh(axis_name="warp"))(body)
  barrier_wait(bar)
  out[...] = tile[...]
x = random((32, 32), f32, seed=1)
assert max_error(k(x), x) == 0
print(ptx(k, x))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  size_t sync = done.printed.find("bar.warp.sync"), copy = done.printed.find("cp.async.bulk.tensor");
  ASSERT_NE(sync, std::string::npos) << done.printed;
  ASSERT_NE(copy, std::string::npos) << done.printed;
  EXPECT_EQ(done.printed.substr(sync, copy - sync).find("barrier.cta.sync"), std::string::npos) << done.printed;
  EXPECT_NE(done.printed.find("elect.sync"), std::string::npos) << done.printed;
}

//===------------------------------------ scalars in shared memory ------------------------------------------------===//

// A load of an element that another thread has just written, and a store to an element that other threads may still
// read.
TEST(Warps, ScalarsInSharedMemoryAreOrdered) {
  expectRuns(R"(@kernel(scratch=[SMEM((128,), i32), SMEM((4,), i32)])
def k(out: Out((4,), i32), tile, w):
  tile[...] = broadcasted_iota(i32, (128,), 0)
  out[0] = tile[77]
  w[0] = tile[5] + 1
  out[1] = w[0]
  w[0] = w[0] + 2
  out[2] = w[0]
  n = 0
  for i in range(5):
    tile[i] = n
    n = n + tile[i + 1]
  out[3] = n
out = k()
assert [out[i] for i in range(4)] == [77, 6, 8, 15]
)");
}

//===------------------------------------ named barriers ----------------------------------------------------------===//

TEST(NamedBarriers, TwoOfThreeWarpgroupsMeet) {
  expectRuns(R"(@kernel(num_threads=3, thread_name="wg", scratch=[SMEM((2, 128), i32)])
def k(out: Out((3, 128), i32), tile):
  wg = axis_index("wg")
  if wg < 2:
    for i in range(3):
      tile[wg] = broadcasted_iota(i32, (128,), 0) + 1000 * wg + i
      named_barrier_sync(0, num_warpgroups=2)
      out[wg] = tile[1 - wg]
      named_barrier_sync(1, num_warpgroups=2)
  else:
    out[2] = broadcasted_iota(i32, (128,), 0)
out = k()
assert max_error(out[0], arange(128).astype(i32) + 1002) == 0
assert max_error(out[1], arange(128).astype(i32) + 2) == 0
)");
}

// One side only arrives, like a producer that need not wait.
TEST(NamedBarriers, ArriveDoesNotWait) {
  expectRuns(R"(@kernel(num_threads=2, thread_name="wg", scratch=[SMEM((128,), i32)])
def k(out: Out((128,), i32), tile):
  if axis_index("wg") == 0:
    tile[...] = broadcasted_iota(i32, (128,), 0) * 2
    named_barrier_arrive(3, num_warpgroups=2)
  else:
    named_barrier_sync(3, num_warpgroups=2)
    out[...] = tile[...]
assert max_error(k(), arange(128).astype(i32) * 2) == 0
)");
}

TEST(NamedBarriers, OfWarps) {
  expectRuns(R"(@kernel(scratch=[SMEM((4,), i32)])
def k(out: Out((2,), i32), w):
  def body():
    warp = axis_index("warp")
    if warp == 0 or warp == 3:
      w[warp] = warp + 5
      named_barrier_sync(0, num_warps=2)
      if warp == 0:
        out[0] = w[3]
      else:
        out[1] = w[0]
  core_map(WarpMesh(axis_name="warp"))(body)
out = k()
assert [out[0], out[1]] == [8, 5]
)");
}

TEST(NamedBarriers, Mistakes) {
  auto kernel = [](const std::string &body) {
    return "@kernel(num_threads=2, thread_name=\"wg\", scratch=[SMEM((2, 128), i32)])\n"
           "def k(out: Out((2, 128), i32), tile):\n  wg = axis_index(\"wg\")\n" +
           body + "k()\n";
  };
  expectError(kernel("  named_barrier_sync(13, num_warpgroups=2)\n"), "4:22", "has named barriers 0 to 12, not 13");
  expectError(kernel("  named_barrier_sync(-1, num_warpgroups=2)\n"), "4:22", "has named barriers 0 to 12, not -1");
  expectError(kernel("  named_barrier_sync(0, num_warpgroups=3)\n"), "4:40", "the block has 2 warpgroups, not 3");
  expectError(kernel("  named_barrier_sync(0)\n"), "4:3", "give one of `num_warpgroups=` and `num_warps=`");
  expectError(kernel("  named_barrier_sync(0, num_warpgroups=1, num_warps=4)\n"), "4:3",
              "give one of `num_warpgroups=` and `num_warps=`");
  expectError(kernel("  named_barrier_sync(0, num_warps=2)\n"), "4:35", "a whole warpgroup comes to this barrier");
  // Only the emulator can detect these mistakes.
  expectError(kernel("  if wg == 0:\n    named_barrier_sync(0, num_warpgroups=2)\n"), "5:5", "barrier");
  expectError(kernel("  if wg == 0:\n    named_barrier_sync(0, num_warpgroups=2)\n  else:\n"
                     "    named_barrier_sync(0, num_warpgroups=1)\n"),
              "5:5", "elsewhere");
  expectError(kernel("  tile[wg] = broadcasted_iota(i32, (128,), 0)\n  named_barrier_arrive(0, num_warpgroups=2)\n"
                     "  out[wg] = tile[1 - wg]\n"),
              "6:13", "without an order");
}

//===------------------------------------ other blocks, other kernels ---------------------------------------------===//

TEST(AsyncStores, AroundARing) {
  for (const char *dtype : {"i32", "f32", "f16", "i64"})
    expectRuns(text(R"(@kernel(grid=(1,), cluster=(4,), cluster_names=("c",), scratch=[SMEM((64, 64), )", dtype,
                    R"(), Barrier()])
def k(x: GMEM((4, 64, 64), )",
                    dtype, R"(), out: Out((4, 64, 64), )", dtype, R"(), tile, sent):
  c = axis_index("c")
  v = layout_cast(x[c], WGMMA)
  async_store_smem(v, tile, sent, c=(c + 1) % 4)
  barrier_wait(sent)
  out[c] = tile[...]
x = arange(4 * 64 * 64).reshape((4, 64, 64)).astype()",
                    dtype, R"()
out = k(x)
for c in range(4):
  assert max_error(out[(c + 1) % 4], x[c]) == 0
)"));
}

TEST(AsyncStores, Mistakes) {
  auto kernel = [](const std::string &body) {
    return "@kernel(cluster=(2,), cluster_names=(\"c\",), scratch=[SMEM((64, 64), f32), Barrier()])\n"
           "def k(x: GMEM((64, 64), f32), out: Out((64, 64), f32), tile, sent):\n" +
           body + "k(zeros((64, 64), f32))\n";
  };
  expectError(kernel("  async_store_smem(x[...], tile, sent)\n"), "3:3", "name the block by the cluster's axes");
  expectError(kernel("  async_store_smem(x[...], tile, sent, c=2)\n"), "3:42", "there is no block 2");
  expectError(kernel("  async_store_smem(x[...].astype(f16), tile, sent, c=1)\n"), "3:20", "an array of dtype f16");
  expectError(kernel("  async_store_smem(x[0], tile, sent, c=1)\n"), "3:20", "an array of shape (64,)");
  expectError(kernel("  async_store_smem(1, tile, sent, c=1)\n"), "3:20", "must be an array");
  expectError(
      kernel(
          "  v = load(x.at[0], (), layout=WGMMA_COL, optimized=False)\n  async_store_smem(v, tile.at[0], sent, c=1)\n"),
      "4:3", "several threads hold the same element");
  expectError(kernel("  async_store_smem(full((64, 64), 1.0, f32), tile, sent, c=1)\n"), "3:3",
              "several threads hold the same element");
  // A read before the data arrives; the emulator reports it.
  expectError(kernel("  async_store_smem(x[...], tile, sent, c=1 - axis_index(\"c\"))\n  out[...] = tile[...]\n"
                     "  barrier_wait(sent)\n"),
              "4:14", "");
}

TEST(DependentLaunch, RunsAlone) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  griddepcontrol_wait()
  v = x[...] + 1
  griddepcontrol_launch_dependents()
  out[...] = v
x = random((128,), f32, seed=0)
assert max_error(k(x), x + 1) == 0
print(ptx(k, x))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_NE(done.printed.find("griddepcontrol.wait"), std::string::npos);
  EXPECT_NE(done.printed.find("griddepcontrol.launch_dependents"), std::string::npos);
}

} // namespace
} // namespace lanescope::repl
