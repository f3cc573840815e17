// Stores that combine with what memory holds.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// inventory: LS atomic_store (no minima and maxima of halves), atomic_store_strided (no minima and maxima of halves),
// PE atomic_add
TEST(Atomics, EveryOperation) {
  std::vector<Case> cases;
  for (const char *layout : {"WGMMA", "None", "WGMMA_ACC_32BIT", "TCGEN05"})
    for (const char *dtype : {"f32", "f16", "bf16", "i32", "u32"})
      for (const char *op : {"add", "min", "max", "and", "or", "xor"})
        for (bool shared : {false, true}) {
          bool isFloat = dtype[0] == 'f' || dtype[0] == 'b';
          if (isFloat && std::string(op) != "add")
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
  runCases("LS atomic_store", cases, 24);
  expectError("@kernel()\ndef k(o: InOut((128,), f32)):\n  atomic_max(o, full((128,), 1.0))\nk(zeros((128,)))\n",
              "there is no atomic `max`");
  expectError("@kernel()\ndef k(o: InOut((64,), f32)):\n  atomic_add(o, layout_cast(full((64,), 1.0), WGMMA_ROW))\n"
              "k(zeros((64,)))\n",
              "several threads hold each element");
}

} // namespace
} // namespace lanescope::repl
