// Copies that threads make without TMA (`cp.async`): every swizzle and width, with a barrier and with groups. The
// registers of one thread then read what another thread copied.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

#include <cstdlib>

namespace lanescope::repl {
namespace {

// inventory: CP cp_async_tiled
TEST(CpAsync, TiledInEveryWidth) {
  bool full = std::getenv("LANESCOPE_FULL") != nullptr;
  int number = 0;
  for (const char *dtype : {"f32", "f16", "f8e5m2", "i4"})
    for (int swizzle : {16, 32, 64, 128})
      for (const char *shape : {"(64, 128)", "(128, 32)"})
        for (bool barrier : {false, true}) {
          int bits = std::string(dtype) == "i4" ? 4 : std::string(dtype) == "f8e5m2" ? 8 : dtype[1] == '1' ? 16 : 32;
          if ((shape[1] == '6' ? 128 : 32) % (8 * swizzle / bits) != 0 || (number++ % 3 != 0 && !full))
            continue;
          Snippet done(
              text("T, S, swizzle, waits = ", dtype, ", ", shape, ", ", swizzle, ", ", barrier ? "True" : "False", R"(
how = (TilingTransform((8, 8 * swizzle // T.bits)),) + ((SwizzleTransform(swizzle),) if swizzle > 16 else ())
@kernel(scratch=[SMEM(S, T, transforms=how), Barrier()])
def k(x: GMEM(S, T), out: Out(S, T), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded if waits else None, implementation="cp_async")
  if waits:
    barrier_wait(loaded)
  else:
    wait_gmem_to_smem(0)
  store(out, load(tile, layout=SMEM_GMEM_COPY(S, T, swizzle), optimized=True), optimized=False)
x = (random(S, i32, seed=swizzle, low=-8, high=8)).astype(T)
assert max_error(k(x).astype(f32), x.astype(f32)) == 0
assert "cp.async.c" in ptx(k).text
)"));
          EXPECT_TRUE(done.ok) << dtype << swizzle << shape << barrier << done.errors;
        }
}

// Slices of 4-bit arrays are slices of bytes: known and computed starts, and a squeezed dimension.
TEST(CpAsync, SlicesOfFourBits) {
  Snippet done(R"(@kernel(grid=(2,), scratch=[SMEM((8, 64), u4), SMEM((64,), u4), Barrier()])
def k(x: GMEM((3, 32, 256), u4), out: Out((2, 8, 64), u4), row: Out((2, 64), u4), tile, line, loaded):
  i = program_id(0)
  copy_gmem_to_smem(x.at[i + 1, ds(i * 8, 8), ds(i * 64, 64)], tile)
  copy_gmem_to_smem(x.at[2, i + 3, 128:192], line, loaded, implementation="cp_async")
  barrier_wait(loaded)
  wait_gmem_to_smem(0)
  out[i] = load(tile, layout=WG_STRIDED((8, 64), 4))
  row[i] = load(line, layout=WGMMA_COL)
x = random((3, 32, 256), i32, seed=2, low=0, high=16).astype(u4)
out, row = k(x)
for i in range(2):
  assert max_error(out[i].astype(i32), x[i + 1, i * 8:i * 8 + 8, i * 64:i * 64 + 64].astype(i32)) == 0
  assert max_error(row[i].astype(i32), x[2, i + 3, 128:192].astype(i32)) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
  auto kernel = [](const std::string &slice) {
    return "@kernel(grid=(2,), scratch=[SMEM((8, 64), u4)])\n"
           "def k(x: GMEM((32, 256), u4), out: Out((8, 64), u4), tile):\n"
           "  copy_gmem_to_smem(x.at[0:8, " +
           slice + "], tile)\n  wait_gmem_to_smem(0)\nk(zeros((32, 256), u4))\n";
  };
  expectError(kernel("3:67"), "are multiples of 2");
  expectError(kernel("ds(program_id(0), 64)"), "are multiples of 2");
  expectError(kernel("2:66"), "multiples of 1 bytes only");
}

} // namespace
} // namespace lanescope::repl
