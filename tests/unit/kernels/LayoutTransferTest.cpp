// Register layouts on their way between global memory, shared memory and registers: every named layout, with and
// without the demand that shared memory is reached without bank conflicts; transposed on the way; and what is computed
// in a layout (a count, a constant) and stored from it.
#include "Cases.h"

#include "../repl/KernelSupport.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

/// Python that sets `how` to the widest tiling and swizzle that rows of `S` (of dtype `T`) allow, at most `widest`.
std::string widestTransforms(const std::string &widest = "128") {
  return text(R"(
bits = {i4: 4, i8: 8, f8e5m2: 8, bf16: 16, f16: 16, f32: 32}[T]
how = ()
for swizzle in (16, 32, 64, 128):
  if len(S) > 1 and S[-2] % 8 == 0 and S[-1] * bits // 8 % swizzle == 0 and swizzle <= )",
              widest, R"(:
    how = (TilingTransform((8, swizzle * 8 // bits)),) + ((SwizzleTransform(swizzle),) if swizzle > 16 else ())
)");
}

// Two tiles of each layout, under a dimension that the layout does not tile: global memory -> registers -> shared
// memory -> registers -> global memory. Upstream tries a splat (which holds no array) and optimized loads in
// TMEM_NATIVE (whose threads read rows of their own) no more than this does; the latter are an error here.
// inventory: DK smem_gmem_registers_load_store
TEST(LayoutTransfers, EveryLayoutThroughSharedMemory) {
  std::vector<Case> cases;
  for (const char *layout : {"WGMMA", "WG_STRIDED((128, 128), 8)", "TCGEN05", "TCGEN05_M64_COLLECTIVE(128)",
                             "TCGEN05_TMEM_NATIVE", "SMEM_GMEM_COPY((128, 128), T, 128)", "TMA_INDICES", "TMA_INDICES_4"})
    for (const char *dtype : {"bf16", "i8"})
      for (const char *optimized : {"True", "False", "None"}) {
        bool native = std::string(layout) == "TCGEN05_TMEM_NATIVE", strided = std::string(layout).starts_with("WG_S");
        if (native && std::string(optimized) != "False")
          continue;
        cases.push_back(
            {text(layout, dtype, optimized), text("T, demand = ", dtype, ", ", optimized, "\nL = ", layout, "\nS = ",
                                                  strided ? "(128, 128)"
                                                          : "(1,) + L.base_tile_shape[:-1] + (2 * "
                                                            "L.base_tile_shape[-1],)",
                                                  strided ? "\nhow = ()" : widestTransforms(), R"(
@kernel(scratch=[SMEM(S, T, transforms=how)])
def k(x: GMEM(S, T), out: Out(S, T), tile):
  store(tile, load(x, layout=L, optimized=False), optimized=demand)
  store(out, load(tile, layout=L, optimized=demand), optimized=False)
x = random(S, i32, seed=1, low=-100, high=100).astype(T)
assert max_error(k(x).astype(f32), x.astype(f32)) == 0
)")});
      }
  runCases("DK smem_gmem_registers_load_store", cases, 14);
}

} // namespace
} // namespace lanescope::repl
