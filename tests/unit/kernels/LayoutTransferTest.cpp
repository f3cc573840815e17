// Register layouts on the way between global memory, shared memory and registers: every named layout, with and without
// the requirement that shared memory is accessed without bank conflicts. Also transposed transfers, and values computed
// in a layout (a count, a constant) and stored from it.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

/// Python that sets `how` to the widest tiling and swizzle, at most `widest`, that rows of `S` (of dtype `T`) allow.
std::string widestTransforms(const std::string &widest = "128") {
  return text(R"(
how = ()
for swizzle in (16, 32, 64, 128):
  if len(S) > 1 and S[-2] % 8 == 0 and S[-1] * T.bits // 8 % swizzle == 0 and swizzle <= )",
              widest, R"(:
    how = (TilingTransform((8, swizzle * 8 // T.bits)),) + ((SwizzleTransform(swizzle),) if swizzle > 16 else ())
)");
}

// Two tiles of each layout, with an outer dimension that the layout does not tile, go from global memory through
// registers, shared memory and registers back to global memory. A splat holds no array to load. Each thread of
// TMEM_NATIVE reads its own row, so its loads run only without the requirement, as upstream's do.
// inventory: DK smem_gmem_registers_load_store
TEST(LayoutTransfers, EveryLayoutThroughSharedMemory) {
  std::vector<Case> cases;
  for (const char *layout :
       {"WGMMA", "WG_STRIDED((128, 128), 8)", "TCGEN05", "TCGEN05_M64_COLLECTIVE(128)", "TCGEN05_TMEM_NATIVE",
        "SMEM_GMEM_COPY((128, 128), T, 128)", "TMA_INDICES", "TMA_INDICES_4"})
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

// Between two buffers that TMA fills and empties, in each layout that Pallas names, with `optimized=True` where
// upstream has it. Splats hold no array, and the transposed layouts have their own test below.
// inventory: PE copy_layout
TEST(LayoutTransfers, EveryNameOfPallas) {
  std::vector<Case> cases;
  auto add = [&](const std::string &layout, const std::string &shape, const std::string &dtype,
                 const std::string &swizzle, const std::string &optimized) {
    cases.push_back({layout, text("T, S, demand = ", dtype, ", ", shape, ", ", optimized, "\nL = ", layout,
                                  layout.starts_with("WG_S") ? "\nhow = ()" : widestTransforms(swizzle), R"(
@kernel(scratch=[SMEM(S, T, transforms=how), SMEM(S, T, transforms=how), Barrier()])
def k(x: GMEM(S, T), out: Out(S, T), source, target, loaded):
  copy_gmem_to_smem(x, source, loaded)
  barrier_wait(loaded)
  store(target, load(source, layout=L, optimized=demand), optimized=demand)
  commit_smem()
  copy_smem_to_gmem(target, out)
  wait_smem_to_gmem(0)
x = (arange(S[0] * S[1]) % 251 - 125).reshape(S).astype(T)
assert max_error(k(x).astype(f32), x.astype(f32)) == 0
)")});
  };
  for (const char *layout : {"WGMMA", "WGMMA_8BIT", "WG_STRIDED((64, 128), 2)", "WGMMA_ACC_32BIT", "TMA_INDICES",
                             "SMEM_GMEM_COPY((64, 128), f32, 128)", "TMA_INDICES_4"})
    add(layout, "(64, 128)", "f32", "128", "True");
  for (const char *layout : {"WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X"})
    add(layout, "(64, 128)", "f8e5m2", "64", "True");
  for (const char *layout : {"TCGEN05", "TCGEN05_M64_COLLECTIVE(128)", "TCGEN05_TMEM_NATIVE"})
    add(layout, "(128, 128)", "f32", "128", "True");
  runCases("PE copy_layout", cases, 7);
}

// inventory: LS wgmma_tiled_layout, store_untiled
TEST(LayoutTransfers, CountsFromRegistersToGlobalMemory) {
  std::vector<Case> cases;
  auto add = [&](const std::string &dtype, const std::string &shape) {
    cases.push_back({text(dtype, shape), text("T, S = ", dtype, ", ", shape, R"(
assert WGMMA.registers_shape(S) == (S[0] // 64, S[1] // 8, 1, 1, 2, 1, 1, 1, 1)
@kernel()
def k(out: Out(S, T)):
  count = broadcasted_iota(i32, S, 0) * S[1] + broadcasted_iota(i32, S, 1)
  store(out, layout_cast(count.astype(T), WGMMA), optimized=False)
want = arange(S[0] * S[1]).reshape(S).astype(i32)
want = (want & 255) - select((want & 255) > 127, 256, 0) if T == i8 else want
assert max_error(k().astype(f32), want.astype(T).astype(f32)) == 0
)")});
  };
  for (const char *dtype : {"i32", "i16", "i8"})
    for (const char *shape : {"(128, 128)", "(64, 8)", "(64, 256)"})
      add(dtype, shape);
  for (const char *dtype : {"f16", "f32"})
    add(dtype, "(64, 64)");
  runCases("LS wgmma_tiled_layout", cases, cases.size());
}

// inventory: LS store_untiled_splat
TEST(LayoutTransfers, Constants) {
  std::vector<Case> cases;
  for (const char *what : {"f32, 256", "f16, 256", "f16, 128"})
    cases.push_back({what, text("T, N = ", what, R"(
@kernel()
def k(out: Out((N,), T)):
  out[...] = full((N,), 1.0, T)
assert max_error(k(), ones((N,), T)) == 0
)")});
  runCases("LS store_untiled_splat", cases);
}

// Global memory is read or written through a transposed reference, with a relayout between.
// inventory: DK transposed_load_store, PM transposed_load_store
TEST(LayoutTransfers, TransposedGlobalMemory) {
  std::vector<Case> cases;
  for (const char *shape : {"(128, 128)", "(1, 128, 128)"})
    for (bool source : {false, true})
      cases.push_back({text(shape, source), text("S, source = ", shape, ", ", source ? "True" : "False", R"(
order = (0, 2, 1) if len(S) == 3 else (1, 0)
A, B = (WGMMA_TRANSPOSED, WGMMA) if source else (WGMMA, WGMMA_TRANSPOSED)
@kernel()
def k(x: GMEM(S, f32), out: Out(S, f32)):
  source_ref = x.transpose(order) if source else x
  target_ref = out if source else out.transpose(order)
  target_ref[...] = layout_cast(load(source_ref, layout=A, optimized=False), B)
x = arange(128 * 128).reshape(S).astype(f32)
assert max_error(k(x).reshape((128, 128)), transpose(x.reshape((128, 128)))) == 0
)")});
  runCases("DK transposed_load_store", cases);
}

// One tile of shared memory is read and written through its transpose.
// inventory: P9 load_store_wgmma_transposed
TEST(LayoutTransfers, TransposedInPlace) {
  runCases("P9 load_store_wgmma_transposed", {{"f32", R"(
@kernel(scratch=[SMEM((8, 64), f32, transforms=(TilingTransform((8, 16)), SwizzleTransform(64))), Barrier()])
def k(x: GMEM((8, 64), f32), out: Out((8, 64), f32), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  v = load(tile.T, layout=WGMMA_TRANSPOSED)
  tile.T[...] = v + 1
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
x = random((8, 64), f32, seed=42)
assert max_error(k(x), x + 1) == 0
)"}});
}

// inventory: LS strided_copy_noncontig_subbyte
TEST(LayoutTransfers, RowsOfFourBits) {
  runCases("LS strided_copy_noncontig_subbyte", {{"i4", R"(
@kernel()
def k(x: GMEM((32, 2, 256), i4), out: Out((32, 256), i4)):
  out[...] = x[:, 1]
x = random((32, 2, 256), i32, seed=1, low=-8, high=8).astype(i4)
assert max_error(k(x).astype(i32), x[:, 1].astype(i32)) == 0
)"}});
}

// inventory: PM transposed_layout
TEST(LayoutTransfers, TransposedSharedMemory) {
  std::vector<Case> cases;
  for (const char *layouts : {"WGMMA, WGMMA_TRANSPOSED", "TCGEN05, TCGEN05_TRANSPOSED"})
    cases.push_back({layouts, text("T, S, (A, B) = f16, (256, 192), (", layouts, R"()
@kernel(scratch=[SMEM((192, 256), T, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))])
def k(out: Out((192, 256), T), tile):
  count = broadcasted_iota(T, S, 0, layout=A)
  count *= S[1]
  count += broadcasted_iota(T, S, 1, layout=A)
  tile.T[...] = layout_cast(count, B)
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
rows = (arange(256).astype(f16) * 192).reshape((256, 1)) + zeros(S, f16)
want = rows + arange(192).astype(f16).reshape((1, 192))
assert max_error(k(), transpose(want)) == 0
)")});
  runCases("PM transposed_layout", cases);
}

} // namespace
} // namespace lanescope::repl
