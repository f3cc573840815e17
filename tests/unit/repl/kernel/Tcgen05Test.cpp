// `tcgen05_mma` in snippets, on the emulator, against the host's matrix product. The parameter spaces are upstream's;
// without LANESCOPE_FULL=1 a sample of them runs.
#include "Tcgen05Support.h"

namespace lanescope::repl {
namespace {

int bitsOf(std::string_view dtype) {
  return dtype == "f32" || dtype == "i32" ? 32 : dtype == "f16" || dtype == "bf16" ? 16 : dtype == "f4e2m1fn" ? 4 : 8;
}

/// out = a @ b: (m, k) x (k, n), by one block or by two.
struct Product {
  std::string_view a = "f16", b = "f16", acc = "f32";
  int m = 128, n = 128, k = 128, aSwizzle = 128, bSwizzle = 128;
  bool aTransposed = false, bTransposed = false; // stored in the other order
  bool aInTmem = false, pair = false;
};

/// Integers have only a few bits, so that i32 does not overflow; floats lie in [-1, 1].
std::string input(std::string_view name, std::string_view dtype, int seed) {
  const char *scaled = dtype == "u8"   ? "floor((random(SHAPE, f32, seed=SEED) + 1) * 127)"
                       : dtype == "i8" ? "floor(random(SHAPE, f32, seed=SEED) * 127)"
                                       : "random(SHAPE, f32, seed=SEED)";
  std::string made = scaled;
  for (auto [from, to] : {std::pair<std::string, std::string>("SHAPE", text(name, "shape")), {"SEED", text(seed)}})
    made.replace(made.find(from), from.size(), to);
  return text(name, " = (", made, ").astype(", dtype, ")\n");
}

std::string transforms(std::string_view dtype, int swizzle) {
  return text("transforms=(TilingTransform((8, ", swizzle * 8 / bitsOf(dtype), ")), SwizzleTransform(", swizzle, "))");
}

std::string snippet(const Product &p) {
  int blocks = p.pair ? 2 : 1;
  const char *bound = p.acc == "i32"     ? "max_error(result, expected) == 0"
                      : p.acc == "f16"   ? "allclose(result, expected, atol=2e-2, rtol=8e-4)"
                      : bitsOf(p.a) == 8 ? "allclose(result, expected, atol=1e-4, rtol=1e-5)"
                                         : "allclose(result, expected, atol=2e-5, rtol=1e-6)";
  std::string copies =
      p.pair ? text("copy_gmem_to_smem(a, at, loaded, collective_axes=\"x\", partitioned_axis=", p.aTransposed ? 1 : 0,
                    ")\n  copy_gmem_to_smem(b, bt, loaded, collective_axes=\"x\", partitioned_axis=",
                    p.bTransposed ? 0 : 1, ")\n  if axis_index(\"x\") == 0:\n    barrier_wait(loaded)\n")
             : text("copy_gmem_to_smem(a, at, loaded)\n  copy_gmem_to_smem(b, bt, loaded)\n  barrier_wait(loaded)\n");
  std::string left = p.aInTmem ? "left" : p.aTransposed ? "at.T" : "at";
  // Each block of a pair reads its own rows; its own threads store the operand in tensor memory.
  std::string store =
      p.aInTmem
          ? text(p.pair ? "  async_store_tmem(left, load(a.at[ds(axis_index(\"x\") * M, M)], layout=tmem_native_layout("
                        : "  async_store_tmem(left, load(at, layout=tmem_native_layout(",
                 32 / bitsOf(p.a), "), optimized=False))\n  commit_tmem()\n")
          : text();
  std::string meet =
      p.pair && p.aInTmem ? "  barrier_arrive(stored)\n  if axis_index(\"x\") == 0:\n    barrier_wait(stored)\n" : "";
  return text(
      "m, n, k = ", p.m, ", ", p.n, ", ", p.k, "\nM, N = m // ", blocks, ", n // ", blocks,
      "\nashape = ", p.aTransposed ? "(k, m)" : "(m, k)", "\nbshape = ", p.bTransposed ? "(n, k)" : "(k, n)",
      "\n@kernel(scratch=[SMEM(", p.aTransposed ? "(k, M)" : "(M, k)", ", ", p.a, ", ", transforms(p.a, p.aSwizzle),
      "), SMEM(", p.bTransposed ? "(N, k)" : "(k, N)", ", ", p.b, ", ", transforms(p.b, p.bSwizzle), "), TMEM((M, n), ",
      p.acc, p.acc == "f16" ? ", packed=False" : "", p.pair ? ", collective=True" : "",
      "), Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)",
      p.aInTmem ? text(", TMEM((M, k), ", p.a, ", packed=True", p.pair ? ", collective=True" : "", ")") : text(),
      p.pair && p.aInTmem ? ", ClusterBarrier(collective_axes=(\"x\",), orders_tensor_core=True)" : "", "]",
      p.pair ? ", cluster=(2,), cluster_names=(\"x\",)" : "", ")\ndef mm(a: GMEM(ashape, ", p.a, "), b: GMEM(bshape, ",
      p.b, "), out: Out((m, n), ", p.acc, "), at, bt, acc, loaded, done", p.aInTmem ? ", left" : "",
      p.pair && p.aInTmem ? ", stored" : "", "):\n  ", copies, store, meet, "  tcgen05_mma(acc, ", left, ", ",
      p.bTransposed ? "bt.T" : "bt", ", done, accumulate=False", p.pair ? ", collective_axis=\"x\"" : "",
      ")\n  barrier_wait(done)\n  out", p.pair ? "[ds(axis_index(\"x\") * M, M)]" : "[...]",
      " = async_load_tmem(acc)\n  wait_load_tmem()\n\n", input("a", p.a, 3), input("b", p.b, 4),
      "left = ", p.aTransposed ? "transpose(a.astype(f32))" : "a.astype(f32)",
      "\nright = ", p.bTransposed ? "transpose(b.astype(f32))" : "b.astype(f32)",
      "\nresult, expected = mm(a, b).astype(f32), left @ right\nassert ", bound,
      ", f\"off by {max_error(result, expected)}\"\n");
}

void sweep(const std::vector<Product> &products, size_t stride) {
  for (size_t i = 0; i < products.size(); i += full() ? 1 : stride)
    expectRunsThere(snippet(products[i]));
}

/// A row of the swizzle must fit both operands, and half of the columns if there are 64 rows.
bool fits(const Product &p) {
  int aRow = p.aSwizzle * 8 / bitsOf(p.a), bRow = p.bSwizzle * 8 / bitsOf(p.b), blocks = p.pair ? 2 : 1;
  int m = p.m / blocks, n = p.n / blocks;
  if (p.k % aRow != 0 || p.k % bRow != 0 || (p.aTransposed && m % aRow != 0) || (!p.bTransposed && n % bRow != 0))
    return false;
  if (p.m == 64 && bRow > n / 2)
    return false;
  // The columns that one instruction reads consist of whole tiles.
  int taken = std::min(p.m == 64 ? n / 2 : n, 256 / blocks);
  return p.bTransposed || taken % bRow == 0;
}

// inventory: TC mma_basic_float, TC dialect/tcgen05_mma, PT simple_matmul
TEST(Tcgen05, Floats) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f16", "bf16", "f8e5m2", "f8e4m3fn"})
    for (std::string_view acc : {"f32", "f16"})
      for (int m : {64, 128})
        for (int n : {64, 128, 192, 224, 256, 512})
          for (int swizzle : {32, 64, 128})
            for (bool a : {false, true})
              for (bool b : {false, true}) {
                Product p{dtype, dtype, acc, m, n, 2 * swizzle * 8 / bitsOf(dtype), swizzle, swizzle, a, b};
                if ((acc == "f32" || dtype != "bf16") && fits(p))
                  products.push_back(p);
              }
  sweep(products, 29);
}

// inventory: TC dialect/tcgen05_mma_mixed_fp8
TEST(Tcgen05, MixedNarrowFloats) {
  std::vector<Product> products;
  for (auto [a, b] : {std::pair("f8e4m3fn", "f8e5m2"), std::pair("f8e5m2", "f8e4m3fn")})
    for (int m : {64, 128})
      products.push_back({a, b, "f32", m, 256, 256, 128, 128, false, true});
  sweep(products, 3);
}

TEST(Tcgen05, SingleFloatsAsTf32) {
  Product p{"f32", "f32", "f32", 128, 64, 64, 128, 128, false, true};
  std::string exact = snippet(p); // inputs of few bits, which tf32 represents exactly
  for (const char *name : {"ashape", "bshape"}) {
    std::string from = text("(random(", name);
    exact.replace(exact.find(from), 1, "(floor(512 * ");
    size_t close = exact.find(")).astype(f32)", exact.find(name + std::string(", f32, seed")));
    exact.replace(close, 2, ")) / 512)");
  }
  expectRunsThere(exact);
}

// inventory: TC mma_basic_int, PT integer_matmul
TEST(Tcgen05, Integers) {
  std::vector<Product> products;
  for (std::string_view dtype : {"i8", "u8"})
    for (int m : {64, 128})
      for (int n : {64, 128, 160, 192, 256, 512})
        for (int swizzle : {32, 64, 128})
          for (bool a : {false, true})
            for (bool b : {false, true}) {
              Product p{dtype, dtype, "i32", m, n, 2 * swizzle, swizzle, swizzle, a, b};
              if (fits(p) && n / (m == 64 ? 2 : 1) % 16 == 0)
                products.push_back(p);
            }
  sweep(products, 37);
}

// inventory: TC mma_different_swizzle
TEST(Tcgen05, DifferentSwizzles) {
  std::vector<Product> products;
  for (int m : {64, 128})
    for (int n : {128, 256, 512})
      for (int left : {32, 64, 128})
        for (int right : {32, 64, 128})
          for (bool a : {false, true})
            for (bool b : {false, true}) {
              Product p{"f16", "f16", "f32", m, n, 128, left, right, a, b};
              if (left != right && fits(p))
                products.push_back(p);
            }
  sweep(products, 31);
}

// inventory: TC mma_lhs_tmem_float, TC mma_lhs_tmem_integer
TEST(Tcgen05, LeftOperandInTensorMemory) {
  std::vector<Product> products;
  for (auto [dtype, acc] :
       {std::pair("f16", "f32"), {"f16", "f16"}, {"bf16", "f32"}, {"i8", "i32"}, {"u8", "i32"}, {"f8e4m3fn", "f32"}})
    for (int n : {64, 128, 160, 256}) {
      Product p{dtype, dtype, acc, 128, n, 2 * 32 * 8 / bitsOf(dtype), 32, 32, false, false, true};
      if (fits(p))
        products.push_back(p);
    }
  sweep(products, 5);
}

// inventory: TC mma_collective, TC dialect/tcgen05_collective_mma, PT simple_collective_matmul,
// TC mma_collective_lhs_tmem
TEST(Tcgen05, TwoBlocks) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f16", "bf16", "f8e4m3fn"})
    for (int m : {128, 256})
      for (int n : {128, 160, 256})
        for (int swizzle : {32, 64, 128})
          for (bool a : {false, true})
            for (bool b : {false, true}) {
              Product p{dtype,   dtype,   "f32", m, n,     2 * swizzle * 8 / bitsOf(dtype),
                        swizzle, swizzle, a,     b, false, true};
              if (fits(p))
                products.push_back(p);
            }
  for (int n : {128, 192, 224, 256}) {
    Product p{"f16", "f16", "f32", 256, n, 64, 32, 32, false, false, true, true};
    if (fits(p))
      products.push_back(p);
  }
  sweep(products, 23);
  if (!full())
    expectRunsThere(snippet({"f16", "f16", "f32", 256, 128, 64, 32, 32, false, false, true, true}));
}

/// Each block has 64 rows, and each thread reads one row: in registers this is the accumulator's own layout.
// inventory: PT tmem_store_load_collective (loads of a product alone)
TEST(Tcgen05, TwoBlocksOfHalfTheRowsReadRowByRow) {
  for (int n : {64, 128, 256})
    expectRunsThere(text("n = ", n, R"(
sw = (TilingTransform((8, 64)), SwizzleTransform(128))
L = TiledLayout(tiling=Tiling(tiles=((64, n), (32, n // 2), (1,))), warp_dims=(-4, -5), lane_dims=(-3,), vector_dim=-1)
@kernel(cluster=(2,), cluster_names=("x",),
        scratch=[SMEM((64, 64), f16, transforms=sw), SMEM((n // 2, 64), f16, transforms=sw),
                 TMEM((64, n), f32, collective=True), Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])
def mm(a: GMEM((128, 64), f16), b: GMEM((n, 64), f16), out: Out((128, n), f32), at, bt, acc, loaded, done):
  copy_gmem_to_smem(a, at, loaded, collective_axes="x", leader_tracked=CopyPartition.PARTITIONED(0))
  copy_gmem_to_smem(b, bt, loaded, collective_axes="x", leader_tracked=CopyPartition.PARTITIONED(0))
  member = axis_index("x")
  if member == 0:
    barrier_wait(loaded)
    tcgen05_mma(acc, at, bt.T, done, accumulate=False, collective_axis="x")
  barrier_wait(done)
  out[ds(member * 64, 64)] = async_load_tmem(acc, layout=L)
  wait_load_tmem()
a, b = random((128, 64), f16, seed=1), random((n, 64), f16, seed=2)
assert allclose(mm(a, b), a.astype(f32) @ transpose(b.astype(f32)), atol=1e-4)
)"));
}

/// Signed and unsigned bytes, chosen for each operand (PTX ISA, "Instruction descriptor": the types are independent).
TEST(Tcgen05, BytesOfEitherSign) {
  for (auto [left, right] : {std::pair("i8", "u8"), {"u8", "i8"}})
    expectRunsThere(text("A, B = ", left, ", ", right, R"(
sw = (TilingTransform((8, 128)), SwizzleTransform(128))
@kernel(scratch=[SMEM((128, 128), A, transforms=sw), SMEM((128, 128), B, transforms=sw), TMEM((128, 128), i32),
                 Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])
def mm(a: GMEM((128, 128), A), b: GMEM((128, 128), B), out: Out((128, 128), i32), at, bt, acc, loaded, done):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  tcgen05_mma(acc, at, bt.T, done, accumulate=False)
  barrier_wait(done)
  out[...] = async_load_tmem(acc)
  wait_load_tmem()
a = (arange(128 * 128) * 37 % 251 - 125).reshape((128, 128)).astype(i32).astype(A)
b = (arange(128 * 128) * 101 % 241 - 120).reshape((128, 128)).astype(i32).astype(B)
assert max_error(mm(a, b), a.astype(i32) @ transpose(b.astype(i32))) == 0
)"));
}

//===------------------------------------ accumulators, barriers --------------------------------------------------===//

/// `body` multiplies `at` by `bt` (128 x 128 of f16) into `acc`, which has `columns` columns, and signals `done`.
/// `check` can use `a`, `b` and `result`.
std::string whole(const std::string &columns, const std::string &body, const std::string &check,
                  const std::string &barrier = "Barrier(orders_tensor_core=True)") {
  return text(R"(sw = (TilingTransform((8, 64)), SwizzleTransform(128))
N = )",
              columns, R"(
@kernel(scratch=[SMEM((128, 128), f16, transforms=sw), SMEM((128, 128), f16, transforms=sw), TMEM((128, N), f32),
                 Barrier(num_arrivals=2), )",
              barrier, R"(])
def mm(a: GMEM((128, 128), f16), b: GMEM((128, 128), f16), out: Out((128, N), f32), at, bt, acc, loaded, done):
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
)",
              body, R"(  out[...] = async_load_tmem(acc)
  wait_load_tmem()
a, b = random((128, 128), f16, seed=1), random((128, 128), f16, seed=2)
result, product = mm(a, b), a.astype(f32) @ b.astype(f32)
)",
              check);
}

const std::string kIsProduct = "assert allclose(result, product, atol=1e-4)\n";

// inventory: PT manual_tcgen05_commit_arrive, PT simple_warp_specialized_matmul, PT matmul_alignment
TEST(Tcgen05, CommitsOfItsOwn) {
  expectRunsThere(whole("128",
                        "  tcgen05_mma(acc, at, bt, accumulate=False)\n  tcgen05_commit_arrive(done)\n"
                        "  barrier_wait(done)\n",
                        kIsProduct));
  expectRunsThere(whole("128", R"(  def warps():
    if axis_index("w") == 2:
      tcgen05_mma(acc, at, bt, done, accumulate=False)
  core_map(WarpMesh("w"))(warps)
  barrier_wait(done)
)",
                        kIsProduct));
}

TEST(Tcgen05, AccumulatesWhereToldSo) {
  expectRunsThere(whole("128", R"(  for step in range(4):
    tcgen05_mma(acc, at.at[:, ds(step % 2 * 64, 64)], bt.at[ds(step % 2 * 64, 64)], accumulate=step > 0)
  tcgen05_commit_arrive(done)
  barrier_wait(done)
)",
                        "assert allclose(result, 2 * product, atol=2e-4)\n"));
  expectRunsThere(whole("128", R"(  async_store_tmem(acc, full((128, 128), 3.0, f32))
  commit_tmem()
  tcgen05_mma(acc, at, bt, done)
  barrier_wait(done)
)",
                        "assert allclose(result, product + 3, atol=1e-4)\n"));
}

// inventory: PT matmul_with_sliced_accumulator
TEST(Tcgen05, SlicesOfAccumulators) {
  expectRunsThere(whole("256", R"(  for half in range(2):
    tcgen05_mma(acc.at[:, ds(half * 128, 128)], at, bt, accumulate=False)
  tcgen05_commit_arrive(done)
  barrier_wait(done)
  # Of another shape: the tensor core does not order it after those.
  tcgen05_mma(acc.at[:, 128:192], at, bt.at[:, :64], done)
  barrier_wait(done)
)",
                        R"(assert allclose(result[:, :128], product, atol=1e-4)
assert allclose(result[:, 128:192], 2 * product[:, :64], atol=2e-4) and allclose(result[:, 192:], product[:, 64:], atol=1e-4)
)"));
}

// inventory: PT mma_barrier_indexing
TEST(Tcgen05, BarriersOfGroups) {
  for (auto [count, index] :
       {std::pair("2", "0"), {"2", "1"}, {"(1, 2)", "0, 0"}, {"(1, 2)", "0, 1"}, {"(2, 1)", "1, 0"}})
    expectRunsThere(whole("128",
                          text("  tcgen05_mma(acc, at, bt, done.at[", index,
                               "], accumulate=False)\n  barrier_wait(done.at[", index, "])\n"),
                          kIsProduct, text("Barrier(num_barriers=", count, ", orders_tensor_core=True)")));
}

// inventory: PT matmul_with_smem_aliasing, PT matmul_with_tmem_aliasing
TEST(Tcgen05, OperandsInUnions) {
  expectRunsThere(R"(sw = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(scratch=[Union((SMEM((128, 128), f16, transforms=sw), SMEM((128, 128), f16, transforms=sw)),
                       SMEM((128, 128), f32)),
                 Union(TMEM((128, 128), f32), TMEM((128, 256), f16, packed=True)),
                 Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])
def mm(a: GMEM((128, 128), f16), b: GMEM((128, 128), f16), out: Out((128, 128), f32), shared, tensor, loaded, done):
  (at, bt), result = shared
  acc, other = tensor
  copy_gmem_to_smem(a, at, loaded)
  copy_gmem_to_smem(b, bt, loaded)
  barrier_wait(loaded)
  tcgen05_mma(acc, at, bt, done, accumulate=False)
  barrier_wait(done)
  result[...] = async_load_tmem(acc)
  wait_load_tmem()
  commit_smem()
  copy_smem_to_gmem(result, out)
  wait_smem_to_gmem(0)
a, b = random((128, 128), f16, seed=1), random((128, 128), f16, seed=2)
assert allclose(mm(a, b), a.astype(f32) @ b.astype(f32), atol=1e-4)
)");
}

} // namespace
} // namespace lanescope::repl
