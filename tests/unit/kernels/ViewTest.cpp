// References: reshaped, sliced and transposed; and what they refuse. Data pass through memory as the view describes.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// inventory: VW unsqueeze, unfold, reshape, fold_not_strided
TEST(Views, Reshaped) {
  std::vector<Case> cases;
  auto add = [&](const char *name, const char *from, const char *to) {
    cases.push_back({text(name, from, to), text("A, B = ", from, ", ", to, R"(
def count(shape):
  n = 1
  for size in shape:
    n *= size
  return n
N = count(A)
@kernel()
def k(x: GMEM(A, f32), out: Out(B, f32)):
  if N % 128 == 0:
    out[...] = x.reshape(B)[...]
  else:
    view, flat = x.reshape(B).reshape(N), out.reshape(N)
    for i in static_range(N):
      flat[i] = view[i]
x = arange(N).reshape(A).astype(f32)
assert max_error(k(x).reshape(N), x.reshape(N)) == 0
)")});
  };
  for (const char *to : {"(1, 8, 16)", "(8, 1, 16)", "(8, 16, 1)"})
    add("unsqueeze", "(8, 16)", to);
  add("unfold", "(8, 16)", "(2, 2, 2, 16)");
  add("unfold", "(8, 16)", "(8, 2, 2, 4)");
  add("fold", "(8, 2, 8)", "(16, 8)");
  add("fold", "(8, 2, 8)", "(8, 16)");
  add("drop_1s", "(1, 1, 5, 1, 1, 2, 1, 1)", "(5, 1, 2)");
  add("add_1s", "(5, 1, 2)", "(1, 1, 5, 1, 1, 2, 1, 1)");
  add("fold", "(1, 5, 2, 1)", "(1, 10, 1)");
  add("un", "(1, 10, 1)", "(1, 5, 2, 1)");
  add("arbitrary", "(2 * 5, 7 * 3)", "(2, 7, 5, 3)");
  runCases("VW reshape", cases, cases.size());
  expectRuns(R"(
@kernel()
def k(x: GMEM((1, 1, 1), f32), out: Out((1, 1, 1), f32)):
  one = x.reshape(())
  out.at[0, 0, 0].reshape(1, 1, -1)[0, 0, 0] = one[...] * 2
assert k(full((1, 1, 1), 3.0))[0, 0, 0] == 6
)");
}

// Slices with strides of a larger array, with each row or column separately.
// inventory: VW unsqueeze, unfold, fold_strided
TEST(Views, StridedPartsReshaped) {
  for (int dim : {0, 1, 2})
    expectRuns(text("dim = ", dim, R"(
x = arange(8 * 16).reshape((8, 16)).astype(f32)
B = ((1, 8, 16), (8, 1, 16), (8, 16, 1))[dim]
@kernel()
def k(x: GMEM((8, 16), f32), out: Out(B, f32)):
  for i in static_range(8):
    part = x.at[i:i + 1].reshape(*((1, 1, 16), (1, 1, 16), (1, 16, 1))[dim])
    there = (out.at[:, i:i + 1] if dim == 0 else out.at[i:i + 1]).reshape(16)
    there[...] = load(part.reshape(16), layout=WGMMA_COL)
assert max_error(k(x).reshape((8, 16)), x) == 0
)"));
  for (int dim : {0, 1})
    expectRuns(text("dim = ", dim, R"(
x = arange(8 * 16).reshape((8, 16)).astype(f32)
B = (2, 2, 2, 16) if dim == 0 else (8, 2, 2, 4)
@kernel()
def k(x: GMEM((8, 16), f32), out: Out(B, f32)):
  for i in static_range((4, 2)[dim]):
    # The dimension that is not unfolded is sliced.
    part = (x.at[:, 4 * i:4 * i + 4].reshape(2, 2, 2, 4) if dim == 0 else x.at[4 * i:4 * i + 4].reshape(4, 2, 2, 4))
    there = out.at[:, :, :, 4 * i:4 * i + 4] if dim == 0 else out.at[4 * i:4 * i + 4]
    for a in static_range(part.shape[0]):
      for b in static_range(part.shape[1]):
        for c in static_range(part.shape[2]):
          for d in static_range(part.shape[3]):
            there[a, b, c, d] = part[a, b, c, d]
assert max_error(k(x), x.reshape(B)) == 0
)"));
  // The shape, the part that is taken, and the shape with two or three dimensions from 1 on folded into one.
  struct Fold {
    const char *whole, *part, *folded;
    bool works;
  };
  for (const Fold &fold :
       {Fold{"(4, 4, 4)", "...", "(4, 16)", true}, Fold{"(4, 4, 4, 4, 4)", ":, :, :, :, 0", "(4, 16, 4)", true},
        Fold{"(4, 4, 4, 4)", "...", "(4, 16, 4)", true}, Fold{"(4, 4, 16, 4)", ":, :, :4", "(4, 16, 4)", false},
        Fold{"(4, 4, 4, 16)", ":, :, :, :4", "(4, 64)", false}}) {
    std::string snippet = text("A, B = ", fold.whole, ", ", fold.folded, "\n", R"(
@kernel()
def k(x: GMEM(A, f32), out: Out(B, f32)):
  part = x.at[)",
                               fold.part, R"(].reshape(B)
  for i in static_range(B[0]):
    for j in static_range(B[1]):
      if len(B) == 2:
        out[i, j] = part[i, j]
      else:
        for c in static_range(B[2]):
          out[i, j, c] = part[i, j, c]
n = 1
for size in A:
  n *= size
x = arange(n).reshape(A).astype(f32)
assert max_error(k(x), x[)",
                               fold.part, "].reshape(B)) == 0\n");
    if (fold.works)
      expectRuns(snippet);
    else
      expectError(snippet, "is not contiguous in memory where");
  }
}

TEST(Views, ReshapeMistakes) {
  auto with = [](const char *view) {
    return text("@kernel(scratch=[SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))])\n"
                "def k(x: GMEM((8, 16), f32), out: Out((128,), f32), tile):\n  out[...] = ",
                view, "\nk(zeros((8, 16)))\n");
  };
  expectError(with("x.reshape(7, 16)[...]"), "has 128 elements, which the shape (7, 16) does not have");
  expectError(with("x.reshape(-1, -1)[...]"), "does not have");
  expectError(with("x.reshape(0, 16)[...]"), "a shape has no size 0");
  expectError(with("x.reshape(4.0, 32)[...]"), "a shape is made of ints");
  expectError(with("x.T.reshape(128)[...]"), "is not contiguous in memory");
  // Tiles of eight rows cannot be split into parts of three rows.
  expectError("@kernel(scratch=[SMEM((24, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))])\n"
              "def k(out: Out((8, 3, 64), f16), tile):\n  out[...] = tile.reshape(8, 3, 64)[...]\nk()\n",
              "it lies in memory by tiles of 8");
}

// Tiled and swizzled memory under another shape. TMA checks the places.
// inventory: DK memref_expand_shape, PM reshape_tiled_with_indexing
TEST(Views, TiledMemoryReshaped) {
  for (const char *shapes : {"(4, 64, 64), (4, 64, 64)", "(4, 64, 64), (4, 4, 16, 64)",
                             "(4, 8, 16, 64), (4, 8, 2, 8, 64)", "(4, 64, 64), (2, 2, 64, 64)"})
    for (const char *how : {"()", "(TilingTransform((8, 64)), SwizzleTransform(128))",
                            "(TilingTransform((32,)), SwizzleTransform(64))"}) {
      if (std::string(shapes).ends_with("2, 8, 64)") && std::string(how).find("32") != std::string::npos)
        continue; // the tile makes six dimensions, and TMA has five
      expectRuns(text("(A, B), how = (", shapes, "), ", how, R"(
@kernel(scratch=[SMEM(A, bf16, transforms=how), Barrier()])
def k(x: GMEM(A, bf16), out: Out(B, bf16), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile.reshape(B), out)
  wait_smem_to_gmem(0)
x = random(A, bf16, seed=1)
assert max_error(k(x).astype(f32), x.reshape(B).astype(f32)) == 0
)"));
    }
  expectRuns(R"(
A, B = (2, 64, 2, 64), (64, 128)
@kernel(scratch=[SMEM((2, 64, 128), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier()])
def k(x: GMEM(A, f16), out: Out((2, 64, 128), f16), tile, loaded):
  copy_gmem_to_smem(x.reshape(2, 64, 128), tile, loaded)
  barrier_wait(loaded)
  for i in range(2):
    out[i] = load(tile.reshape(A).at[i].reshape(B), layout=WGMMA, optimized=True)
x = random(A, f16, seed=1)
assert max_error(k(x), x.reshape((2, 64, 128))) == 0
)");
}

// A row of swizzled memory may begin anywhere in the swizzle's pattern. It is loaded by TMA and by registers.
// inventory: DK subview, PM slice_untiled_dim
TEST(Views, SlicesOfSharedMemory) {
  struct One {
    const char *shape, *how, *part, *size;
  };
  for (const One &one :
       {One{"(2, 3, 128, 64)", "()", "start, 0, ds(start * 96, 32)", "(32, 64)"},
        One{"(3, 128, 64)", "(TilingTransform((32, 64)), SwizzleTransform(128))", "start * 2, ds(start * 96, 32)",
            "(32, 64)"},
        One{"(128, 128)", "(TilingTransform((64,)), SwizzleTransform(128))", "start, 64:128", "(64,)"}})
    for (const char *start : {"1", "program_id(0) + 1"})
      expectRuns(text("S, P, how = ", one.shape, ", ", one.size, ", ", one.how, R"(
@kernel(scratch=[SMEM(S, bf16, transforms=how), Barrier()])
def k(x: GMEM(S, bf16), out: Out(P, bf16), again: Out(P, bf16), tile, loaded):
  start = )",
                      start, R"(
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  part = tile.at[)",
                      one.part, R"(]
  copy_smem_to_gmem(part, out)
  again[...] = load(part, layout=WGMMA_ROW if len(P) == 1 else WG_STRIDED(P, 1), optimized=len(P) == 1 or None)
  wait_smem_to_gmem(0)
x = random(S, bf16, seed=1)
part = x[1, 0, 96:128] if len(S) == 4 else x[2, 96:128] if len(S) == 3 else x[1, 64:128]
out, again = k(x)
assert max_error(out.astype(f32), part.astype(f32)) == 0 and max_error(again.astype(f32), part.astype(f32)) == 0
)"));
}

// inventory: VW parse_indices (the empty slice -2:0 is an error here), parse_indices_oob
TEST(Views, Indices) {
  auto with = [](const std::string &index, bool good) {
    return text(R"(
@kernel()
def k(x: GMEM((2, 3, 4), f32), out: Out((24,), f32)):
  part = x.at[)",
                index, R"(]
  n = 1
  for size in part.shape:
    n *= size
  flat = out.at[:n]
  for i in static_range(n):
    a, b, c = (0, 0, i) if part.ndim < 3 else (i // (part.shape[1] * part.shape[2]), i // part.shape[2] % part.shape[1], i % part.shape[2])
    out[i] = part[a, b, c] if part.ndim == 3 else part[i // part.shape[1], i % part.shape[1]]
x = arange(24).reshape((2, 3, 4)).astype(f32)
)",
                good ? text("want = x[", index, "].reshape(-1)\nassert max_error(k(x)[:want.size], want) == 0\n")
                     : "k(x)\n");
  };
  for (const char *index : {"1", "-1", ":2, :3", ":1, 1:3", "-2:", "-2:-1"})
    expectRuns(with(index, true));
  expectRuns(R"(
@kernel()
def k(x: GMEM((2, 64), f32), out: Out((2, 64), f32)):
  out[...] = x[ds(0, 2)]
x = arange(128).reshape((2, 64)).astype(f32)
assert max_error(k(x), x) == 0
)");
  for (const char *index : {"42", "-42", ":42", "0:42", "-42:0", "-4:-42"})
    expectError(with(index, false), "outside of dimension 0");
  expectError(
      "@kernel(scratch=[SMEM((2, 64), f32)])\ndef k(out: Out((4, 64), f32), tile):\n  out[...] = tile[ds(0, 4)]\nk()\n",
      "outside of dimension 0");
  expectError(with("-2:0", false), "is empty");
}

// inventory: VW copy_basic, copy_swizzle, copy_swizzle_noop
TEST(Views, CopiedByThreads) {
  expectRuns(R"(
@kernel()
def k(x: GMEM((2, 5, 3), i32), out: Out((2, 5, 3), i32)):
  for i in range(2):
    for a in range(5):
      for b in range(3):
        out[i, a, b] = x[i, a, b]
x = arange(30).reshape((2, 5, 3)).astype(i32)
assert max_error(k(x), x) == 0
)");
  // Swizzled memory is also read without the swizzle, by two views of one buffer.
  expectRuns(R"(
S, how = (8, 32), (TilingTransform((8, 32)), SwizzleTransform(128))
@kernel(scratch=[Union(SMEM(S, f32, transforms=how), SMEM(S, f32))])
def k(x: GMEM(S, f32), out: Out(S, f32), again: Out(S, f32), views):
  swizzled, plain = views
  swizzled[...] = x[...]
  again[...] = load(swizzled, layout=WGStridedFragLayout(shape=S, vec_size=1))
  out[...] = plain[...]
x = arange(256).reshape(S).astype(f32)
out, again = k(x)
assert max_error(again, x) == 0
for i in range(8):
  for j in range(8):
    js = j ^ i
    assert max_error(out[i, 4 * j:4 * j + 4], x[i, 4 * js:4 * js + 4]) == 0
)");
}

// inventory: DK wgmma_row_col_store, vector_extract_strided_slice
TEST(Views, RowsColumnsAndCuts) {
  for (const char *layout : {"WGMMA_ROW", "WGMMA_COL"})
    expectRuns(text("L = ", layout, R"(
@kernel(scratch=[SMEM((64,), f32)])
def k(out: Out((64,), f32), tile):
  tile[...] = layout_cast(full((64,), 42.0), L)
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
assert max_error(k(), full((64,), 42.0)) == 0
)"));
  expectRuns(R"(
@kernel()
def k(x: GMEM((128, 128), f32), out: Out((64, 64), f32)):
  v = load(x, layout=WGMMA)
  out[...] = v[0:64, 64:128]
x = random((128, 128), f32, seed=1)
assert max_error(k(x), x[0:64, 64:128]) == 0
)");
}

// A constant with any number of elements: no element is written twice, because two writes would have no order.
TEST(Views, SmallConstantsInSharedMemory) {
  for (const char *shape : {"(3, 50)", "(1,)", "(129,)"})
    expectRuns(text("S = ", shape, R"(
@kernel(scratch=[SMEM(S, f32)])
def k(out: Out(S, f32), tile):
  tile[...] = full(S, 2.0)
  n = 1
  for size in S:
    n *= size
  to, of = out.reshape(n), tile.reshape(n)
  for i in range(n):
    to[i] = of[i]
assert max_error(k(), full(S, 2.0)) == 0
)"));
}

// inventory: PM load_to_strided_layout_with_indexing, P9 load_to_wgmma_row_col_layout_with_indexing
TEST(Views, LoadedRowByRow) {
  std::vector<Case> cases;
  auto add = [&](const char *layout, int m, bool shared) {
    cases.push_back(
        {text(layout, m, shared), text("L, M = ", layout, ", ", m, R"(
@kernel(scratch=[SMEM((2, M), f32), SMEM((2, M), f32), Barrier()])
def k(x: GMEM((2, M), f32), out: Out((2, M), f32), source, target, loaded):
  copy_gmem_to_smem(x, source, loaded)
  barrier_wait(loaded)
  for i in range(2):
    target[i] = load()",
                                       shared ? "source.at[i], layout=L, optimized=True" : "x.at[i], layout=L",
                                       R"()
  commit_smem()
  copy_smem_to_gmem(target, out)
  wait_smem_to_gmem(0)
x = arange(2 * M).reshape((2, M)).astype(f32)
assert max_error(k(x), x) == 0
)")});
  };
  for (bool shared : {false, true}) {
    for (const char *layout : {"WGStridedFragLayout(shape=(128,), vec_size=1)", "None"})
      add(layout, 128, shared);
    for (const char *layout : {"WGMMA_ROW", "WGMMA_COL"})
      for (int m : {64, 128, 192})
        add(layout, m, shared);
  }
  runCases("PM rows", cases, cases.size());
}

// inventory: PM swizzled_blockspec_shapes, tile_slicing
TEST(Views, BlocksAndTilesOfThem) {
  expectRuns(R"(
how = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(grid=(1, 2), scratch=[SMEM((128, 64), f16, transforms=how), Barrier()])
def k(x: GMEM((128, 128), f16), out: Out((128, 128), f16), tile, loaded):
  copy_gmem_to_smem(x.at[:, ds(program_id(1) * 64, 64)], tile, loaded)
  barrier_wait(loaded)
  assert tile.shape == (128, 64)
  tile[...] = tile[...]
  commit_smem()
  copy_smem_to_gmem(tile, out.at[:, ds(program_id(1) * 64, 64)])
  wait_smem_to_gmem(0)
x = arange(128 * 128).reshape((128, 128)).astype(f16)
assert max_error(k(x), x) == 0
)");
  expectRuns(R"(
how = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(scratch=[SMEM((256, 128), u16, transforms=how), Barrier()])
def k(x: GMEM((256, 128), u16), out: Out((64, 64), u16), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  acc = layout_cast(full((64, 64), 0, u16), WGMMA)
  for row in range(256 // 64):
    for col in static_range(128 // 64):
      acc += tile[ds(row * 64, 64), ds(col * 64, 64)]
  out[...] = acc
x = arange(256 * 128).reshape((256, 128)).astype(u16)
y = x.astype(i32).reshape((4, 64, 2, 64)).sum(2).sum(0)
assert max_error(k(x).astype(i32), y & 65535) == 0
)");
}

// inventory: P9 load_row_input_to_wgmma_with_transforms
TEST(Views, RowAsOperandOfWgmma) {
  for (const char *layout : {"WGMMA_ROW", "WGMMA_COL"})
    expectRuns(text("L, row = ", layout, ", ", layout == std::string("WGMMA_ROW"), R"(
M, K, N = 64, 128, 192
I = (M if row else K,)
@kernel(scratch=[SMEM(I, f16), SMEM((K, N), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), ACC((M, N), f32), Barrier(num_barriers=2)])
def k(x: GMEM(I, f16), y: GMEM((K, N), f16), out: Out((M, N), f32), xs, ys, acc, loaded):
  copy_gmem_to_smem(x, xs, loaded[0])
  copy_gmem_to_smem(y, ys, loaded[1])
  barrier_wait(loaded[0])
  barrier_wait(loaded[1])
  a = broadcast_in_dim(load(xs, layout=L), (M, K), (0 if row else 1,))
  wgmma(acc, a, ys)
  out[...] = acc[...]
x = random(I, f16, seed=1)
y = random((K, N), f16, seed=2)
wide = (zeros((M, K), f32) + (x.astype(f32).reshape((M, 1)) if row else x.astype(f32).reshape((1, K))))
assert allclose(k(x, y), wide @ y.astype(f32), rtol=1e-3, atol=1e-4)
)"));
}

} // namespace
} // namespace lanescope::repl
