// Stores that combine with the value in memory.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// inventory: LS atomic_store, atomic_store_strided, PE atomic_add
TEST(Atomics, EveryOperation) {
  std::vector<Case> cases;
  for (const char *layout :
       {"WGMMA", "None", "WGMMA_ACC_32BIT", "TCGEN05", "WGStridedFragLayout(shape=(128, 64), vec_size=2)",
        "WGStridedFragLayout(shape=(128, 64), vec_size=4)", "WGStridedFragLayout(shape=(128, 64), vec_size=8)"})
    for (const char *dtype : {"f32", "f16", "bf16", "i32", "u32"})
      for (const char *op : {"add", "min", "max", "and", "or", "xor"})
        for (bool shared : {false, true}) {
          bool isFloat = dtype[0] == 'f' || dtype[0] == 'b';
          bool half = isFloat && std::string(dtype) != "f32", extremum = op[0] == 'm';
          bool alone = std::string(layout) == "WGMMA_ACC_32BIT"; // a register holds one element
          if (isFloat && std::string(op) != "add" && (!half || !extremum || shared || alone))
            continue;
          cases.push_back({text(layout, "_", dtype, "_", op, shared ? "_smem" : "_gmem"),
                           text("L, T = ", layout, ", ", dtype, R"(
@kernel(grid=(2,), scratch=[SMEM((128, 64), T)])
def k(x: GMEM((128, 64), T), y: GMEM((128, 64), T), out: InOut((128, 64), T), tile):
  v = load(x, layout=L, optimized=False)
)",
                                shared ? text("  tile[...] = load(y, layout=L, optimized=False)\n  atomic_", op,
                                              "(tile, v)\n  out[...] = load(tile, layout=L, optimized=False)\n")
                                       : text("  atomic_", op, "(out, v)\n"),
                                R"(
x = random((128, 64), i32, seed=1, low=0, high=9).astype(T)
y = random((128, 64), i32, seed=2, low=0, high=9).astype(T)
out = k(x, y, y).astype(i64)
blocks = )",
                                shared ? 1 : 2, R"(
for r in range(0, 128, 31):
  for c in range(0, 64, 13):
    a, b = int(x[r, c]), int(y[r, c])
    wanted = {"add": b + blocks * a, "min": min(a, b), "max": max(a, b), "and": a & b, "or": a | b,
              "xor": b ^ a if blocks == 1 else b}[")",
                                op, R"("]
    assert out[r, c] == wanted
)")});
        }
  runCases("LS atomic_store", cases, 30);
  expectError("@kernel()\ndef k(o: InOut((128,), f32)):\n  atomic_max(o, full((128,), 1.0))\nk(zeros((128,)))\n",
              "there is no atomic `max`");
  expectError("@kernel()\ndef k(o: InOut((64,), f32)):\n  atomic_add(o, layout_cast(full((64,), 1.0), WGMMA_ROW))\n"
              "k(zeros((64,)))\n",
              "several threads hold each element");
}

// PTX ISA, `red`: one instruction handles a vector in global memory, or a pair of halves in shared memory.
TEST(Atomics, AreVectorsWhereThereAreSome) {
  auto instruction = [](const char *dtype, int vec, const char *op, bool shared) {
    Snippet done(text("T, V, S = ", dtype, ", ", vec, R"(, (128, 64)
@kernel(scratch=[SMEM(S, T)])
def k(x: GMEM(S, T), out: InOut(S, T), tile):
  v = load(x, layout=WGStridedFragLayout(shape=S, vec_size=V))
)",
                      shared ? "  tile[...] = x[...]\n" : "", "  atomic_", op, shared ? "(tile, v)\n" : "(out, v)\n",
                      R"(
print(ptx(k, zeros(S, T), zeros(S, T)).text)
)"));
    EXPECT_TRUE(done.ok) << done.errors;
    size_t at = done.printed.find("red.relaxed.gpu.");
    EXPECT_NE(at, std::string::npos);
    std::string rest = at == std::string::npos ? "" : done.printed.substr(at + 16);
    return rest.substr(0, rest.find(' '));
  };
  EXPECT_EQ(instruction("f32", 4, "add", false), "global.add.v4.f32");
  EXPECT_EQ(instruction("f32", 4, "add", true), "shared::cta.add.f32");
  EXPECT_EQ(instruction("f16", 8, "add", false), "global.add.noftz.v4.f16x2");
  EXPECT_EQ(instruction("bf16", 4, "max", false), "global.max.noftz.v2.bf16x2");
  EXPECT_EQ(instruction("bf16", 2, "add", false), "global.add.noftz.bf16x2");
  EXPECT_EQ(instruction("f16", 2, "min", false), "global.min.noftz.v2.f16");
  EXPECT_EQ(instruction("f16", 8, "add", true), "shared::cta.add.noftz.f16x2");
  EXPECT_EQ(instruction("i32", 4, "max", false), "global.max.s32");
}

// The same place in another block has its own state space and 64-bit addresses.
TEST(Atomics, InOtherBlocks) {
  Snippet done(R"(
@kernel(cluster=(2,), cluster_names=("c",), scratch=[SMEM((128, 64), i32), ClusterBarrier(collective_axes=("c",))])
def k(x: GMEM((2, 128, 64), i32), out: Out((2, 128, 64), i32), tile, done):
  me = axis_index("c")
  tile[...] = x[me]
  barrier_arrive(done)
  barrier_wait(done)
  atomic_add(cluster_ref(tile, c=1 - me), x[me] * 2)
  barrier_arrive(done)
  barrier_wait(done)
  out[me] = tile[...]
x = random((2, 128, 64), i32, seed=1, low=0, high=9)
out = k(x).astype(f32)
assert max_error(out[0], x[0].astype(f32) + x[1].astype(f32) * 2) == 0
assert max_error(out[1], x[1].astype(f32) + x[0].astype(f32) * 2) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// An H200 adds halves in another block as integers, whatever the PTX says.
TEST(Atomics, OnlyIntegersInOtherBlocks) {
  Snippet done(R"(
@kernel(cluster=(2,), cluster_names=("c",), scratch=[SMEM((128, 64), f16)])
def k(x: GMEM((128, 64), f16), tile):
  atomic_add(cluster_ref(tile, c=1 - axis_index("c")), x[...])
k(zeros((128, 64), f16))
)");
  EXPECT_FALSE(done.ok);
  EXPECT_NE(done.errors.find("are for 32-bit integers, not `f16`"), std::string::npos) << done.errors;
}

} // namespace
} // namespace lanescope::repl
