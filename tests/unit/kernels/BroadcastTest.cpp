// Arrays repeated along new dimensions and along dimensions of size 1, in strided, tiled and replicated layouts, and
// constants in every layout.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

/// Broadcasts `x` of shape `from`, read by `load`, to `to`. `dims` are the places of x's dimensions in `to` (Python; R
/// is the difference of the ranks).
std::string repeated(const std::string &from, const std::string &to, const std::string &load, const std::string &cast,
                     const std::string &dims = "tuple([R + i for i in range(len(A))])") {
  return text("A, B = ", from, ", ", to, "\nR = len(B) - len(A)\ndims = ", dims, R"(
@kernel()
def k(x: GMEM(A, f16), out: Out(B, f16)):
  v = broadcast_in_dim()",
              load, ", B, dims)\n  out[...] = ", cast, R"(
x = random(A, f16, seed=1)
lined_up = [1] * len(B)
for i in range(len(A)):
  lined_up[dims[i]] = A[i]
assert max_error(k(x), x.reshape(tuple(lined_up)) + zeros(B, f16)) == 0
)");
}

// inventory: FA broadcast_in_dim_major_strided, broadcast_in_dim_major_wgmma, broadcast_major_strided
// inventory: PE broadcast_in_dim_wg_strided_majormost_dim, broadcast_in_dim_size_one_dimension
TEST(Broadcasts, AlongLeadingDimensions) {
  std::vector<Case> cases;
  auto add = [&](const char *from, const char *to) {
    cases.push_back({text(from, to), repeated(from, to, "load(x, layout=WG_STRIDED(A, 1))", "v")});
    cases.push_back({text(from, to, "default"), repeated(from, to, "x[...]", "v")});
    cases.push_back({text(from, to, "same"),
                     repeated(from, to, "load(x, layout=WG_STRIDED(A, 1))", "layout_cast(v, WG_STRIDED(B, 1))")});
  };
  for (const char *to : {"(4, 128)", "(2, 128)", "(64, 128)", "(1, 3, 1, 2, 4, 128)"})
    add("(128,)", to);
  add("(1, 128)", "(4, 128)");
  add("(1, 128)", "(2, 4, 128)");
  add("(1, 256)", "(2, 256)");
  add("(1, 1, 128)", "(2, 4, 128)");
  for (const char *from : {"(1, 1, 128)", "(1, 1, 1, 1, 1, 128)", "(2, 4, 128)", "(1, 1, 1, 2, 4, 128)"})
    add(from, "(1, 3, 1, 2, 4, 128)");
  add("(2, 8, 8)", "(2, 8, 8)");
  for (const char *shapes : {"(128,), (128, 128)", "(64,), (128, 64)", "(128,), (64, 128)"}) {
    std::string both = shapes, from = both.substr(0, both.find("), ") + 1), to = both.substr(both.find("), ") + 3);
    cases.push_back(
        {text("wgmma", to), repeated(from, to, "load(x, layout=WGMMA_COL)", "layout_cast(v, WGMMA)", "(1,)")});
  }
  runCases("FA broadcast", cases, 16);
}

// inventory: PE broadcast_wg_strided_majormost_dim
TEST(Broadcasts, BesideOtherArrays) {
  for (const char *shape : {"(4, 128)", "(2, 4, 128)"})
    runCases("PE broadcast_wg_strided", {{shape, text("S = ", shape, R"(
@kernel()
def k(x: GMEM((128,), f32), y: GMEM(S, f32), out: Out(S, f32)):
  v = load(x, layout=WG_STRIDED((128,), 1))
  out[...] = broadcast_in_dim(v, S, (len(S) - 1,)) + load(y, layout=WG_STRIDED(S, 1))
x, y = random((128,), f32, seed=1), random(S, f32, seed=2)
assert max_error(k(x, y), x + y) == 0
)")}});
}

// inventory: FA broadcast_splat
TEST(Broadcasts, ConstantsInEveryLayout) {
  std::vector<Case> cases;
  for (const char *layout :
       {"None", "WG_STRIDED((128, 128), 4)", "TCGEN05", "TMA_INDICES", "WGMMA", "TMA_INDICES_4",
        "TCGEN05_M64_COLLECTIVE(128)", "SMEM_GMEM_COPY((128, 128), i32, 128)", "TCGEN05_TMEM_NATIVE"})
    cases.push_back({layout, text("L = ", layout, R"(
@kernel()
def k(out: Out((128, 128), i32)):
  store(out, broadcast_in_dim(full((128,), 42, i32), (128, 128), (0,), layout=L), optimized=False)
assert max_error(k(), full((128, 128), 42, i32)) == 0
)")});
  runCases("FA broadcast_splat", cases, 5);
}

// inventory: PE replicated_layout
TEST(Broadcasts, EveryWarpHoldsAll) {
  runCases("PE replicated_layout", {{"f32", R"(
L = TiledLayout(tiling=Tiling(tiles=((32,), (1,))), warp_dims=(Replicated(times=4),), lane_dims=(-2,), vector_dim=-1)
@kernel()
def k(x: GMEM((32,), f32), out: Out((32,), f32)):
  out[...] = load(x, layout=L)
x = arange(32).astype(f32)
assert max_error(k(x), x) == 0
)"}});
}

TEST(Broadcasts, Mistakes) {
  auto kernel = [](const std::string &from, const std::string &to, const std::string &dims) {
    return text("@kernel()\ndef k(x: GMEM(", from, ", f32), out: Out(", to,
                ", f32)):\n  v = load(x, layout=WG_STRIDED(", from, ", 1))\n  out[...] = broadcast_in_dim(v, ", to,
                ", ", dims, ")\nk(zeros(", from, "))\n");
  };
  // Other threads would need each element.
  expectError(kernel("(128,)", "(128, 4)", "(0,)"), "is not spread along these dimensions");
  expectError(kernel("(128, 1)", "(128, 4)", "(0, 1)"), "is not spread along these dimensions");
  expectError(kernel("(128, 2)", "(128, 4)", "(0, 1)"), "a dimension of size 2 cannot be spread over one of size 4");
}

} // namespace
} // namespace lanescope::repl
