// Block-scaled and sparse `tcgen05_mma` in snippets, on the emulator, against the host's matrix product. The parameter
// spaces are upstream's; without LANESCOPE_FULL=1 a sample of them runs.
#include "Tcgen05Support.h"

namespace lanescope::repl {
namespace {

/// out = (a * a_scale) @ (b * b_scale)^T, with a sparse `a`, or with both; b is (n, k).
struct Product {
  std::string_view a = "f8e4m3fn", b = "f8e4m3fn", scale = "f8e8m0fnu"; // "" if there is no scale
  int m = 128, n = 128, k = 256, aSwizzle = 128, bSwizzle = 128, block = 32;
  bool sparse = false, aInTmem = false, pair = false;
  bool bStoredAsKN = false;
};

int bitsOf(std::string_view dtype) { return dtype == "f16" || dtype == "bf16" ? 16 : dtype == "f4e2m1fn" ? 4 : 8; }

std::string transforms(std::string_view dtype, int swizzle) {
  return text("transforms=(TilingTransform((8, ", swizzle * 8 / bitsOf(dtype), ")), SwizzleTransform(", swizzle, "))");
}

/// `scaled(x, scale)`, `dense(stored, pairs)` and the inputs.
std::string host(const Product &p) {
  bool integer = p.a == "i8";
  std::string values = integer ? "floor(random(SHAPE, f32, seed=SEED) * 16)" : "random(SHAPE, f32, seed=SEED)";
  auto made = [&](const std::string &shape, int seed, std::string_view dtype) {
    std::string out = values;
    out.replace(out.find("SHAPE"), 5, shape);
    out.replace(out.find("SEED"), 4, text(seed));
    return text("(", out, ").astype(", dtype, ")\n");
  };
  std::string lines = text("a = ", made("ashape", 1, p.a), "b = ", made("bshape", 2, p.b));
  lines += "left, right = a.astype(f32), b.astype(f32)\n";
  if (!p.bStoredAsKN)
    lines += "right = transpose(right)\n";
  if (p.sparse)
    // Groups of 4 elements; for f4e2m1fn, groups of 4 pairs of neighbouring elements.
    lines += text("pair = ", p.a == "f4e2m1fn" ? 2 : 1, R"(
groups = k // (4 * pair)
chosen = floor((random((m, groups), f32, seed=5) + 1) * 3)
def where(*numbers):
  found = zeros((m, groups), f32)
  for number in numbers:
    found = found + (chosen == number).astype(f32)
  return found
first = where(3, 4) + where(5) * 2
second = where(0) + where(1, 3) * 2 + where(2, 4, 5) * 3
pairs, kept = zeros((m, groups, 2), f32), left.reshape((m, groups, 2, pair))
logical = zeros((m, groups, 4, pair), f32)
pairs[:, :, 0], pairs[:, :, 1] = first, second
for place in range(4):
  for each in range(pair):
    logical[:, :, place, each] = ((first == place).astype(f32) * kept[:, :, 0, each] +
                                  (second == place).astype(f32) * kept[:, :, 1, each])
left = logical.reshape((m, k))
)");
  if (!p.scale.empty())
    lines += text(R"(def powers(rows, seed):
  return exp2(floor(random((rows, k // block), f32, seed=seed) * 3)).astype()",
                  p.scale, R"()
def scaled(x, scale):
  rows = x.shape[0]
  return (x.reshape((rows, k // block, block)) * scale.astype(f32).reshape((rows, k // block, 1))).reshape((rows, k))
sa, sb = powers(m, 3), powers(n, 4)
left, right = scaled(left, sa), transpose(scaled(transpose(right), sb))
)");
  return lines;
}

std::string snippet(const Product &p) {
  bool scaled = !p.scale.empty();
  int stored = p.sparse ? 2 : 1;
  std::string acc = p.a == "i8" ? "i32" : "f32";
  std::string more, parameters, arguments, body, options, call;
  int arrivals = 2;
  auto add = [&](const std::string &name, const std::string &shared, const std::string &tensor,
                 const std::string &global, const std::string &copy) {
    more += text(", ", shared, ", ", tensor);
    parameters += text(", ", name, "g: GMEM(", global, ")");
    arguments += text(", ", name, "s, ", name, "t");
    body += text("  copy_gmem_to_smem(", name, "g, ", name, "s, loaded)\n");
    call += text("  ", copy, "(", name, "s, ", name, "t)\n");
    ++arrivals;
  };
  if (scaled) {
    std::string tiles = text("1, k // block // 4, 32, 16), ", p.scale);
    add("sa", "SMEM((" + tiles + ")", text("TMEM((128, k // block), ", p.scale, ", layout=scales_layout())"),
        "(" + tiles, "async_copy_scales_to_tmem");
    std::string rows = p.n > 128 ? "2" : "1";
    tiles = text(rows, ", k // block // 4, 32, 16), ", p.scale);
    add("sb", "SMEM((" + tiles + ")",
        text("TMEM((128 * ", rows, ", k // block), ", p.scale, ", layout=scales_layout())"), "(" + tiles,
        "async_copy_scales_to_tmem");
    options += ", a_scale=sat, b_scale=sbt";
  }
  if (p.sparse) {
    int per = p.a == "f4e2m1fn" ? 4 : 2; // elements of K per element of the metadata
    add("me", text("SMEM((1, k // ", 64 * per, ", 128, 64), u2)"),
        text("TMEM((128, k // ", per, "), u2, layout=sparse_meta_layout())"),
        text("(1, k // ", 64 * per, ", 128, 64), u2"), "async_copy_sparse_metadata_to_tmem");
    options += ", a_sparse_metadata=met";
  }
  std::string left = "at";
  if (p.aInTmem) {
    more += text(", TMEM(ashape, ", p.a, ", packed=True)");
    arguments += ", lt";
    body += "";
    left = "lt";
  }
  std::string store = p.aInTmem ? text("  async_store_tmem(lt, load(at, layout=tmem_native_layout(", 32 / bitsOf(p.a),
                                       "), optimized=False))\n  commit_tmem()\n")
                                : text();
  std::string formatted = scaled ? ", format_tcgen05_scales(sa), format_tcgen05_scales(sb)" : "";
  if (p.sparse)
    formatted += text(", format_tcgen05_sparse_metadata(pairs.astype(u2), ", p.a, ")");
  const char *bound = acc == "i32" ? "max_error(result, left @ right) == 0"
                      : scaled     ? "allclose(result, left @ right, atol=1e-3, rtol=1e-5)"
                                   : "allclose(result, left @ right, atol=7e-5, rtol=5e-6)";
  return text(
      "m, n, k, block = ", p.m, ", ", p.n, ", ", p.k, ", ", p.block, "\nashape, bshape = (m, k // ", stored, "), ",
      p.bStoredAsKN ? "(k, n)" : "(n, k)", "\n@kernel(scratch=[SMEM(ashape, ", p.a, ", ", transforms(p.a, p.aSwizzle),
      "), SMEM(bshape, ", p.b, ", ", transforms(p.b, p.bSwizzle), "), TMEM((m, n), ", acc,
      "), Barrier(num_arrivals=", arrivals, "), Barrier(orders_tensor_core=True)", more, "])\ndef mm(a: GMEM(ashape, ",
      p.a, "), b: GMEM(bshape, ", p.b, ")", parameters, ", out: Out((m, n), ", acc, "), at, bt, acc, loaded, done",
      arguments, "):\n  copy_gmem_to_smem(a, at, loaded)\n", "  copy_gmem_to_smem(b, bt, loaded)\n", body,
      "  barrier_wait(loaded)\n", store, call, "  tcgen05_mma(acc, ", left, ", ", p.bStoredAsKN ? "bt" : "bt.T",
      ", done, accumulate=False", options,
      ")\n  barrier_wait(done)\n  out[...] = async_load_tmem(acc)\n  wait_load_tmem()\n\n", host(p), "result = mm(a, b",
      formatted, ").astype(f32)\nassert ", bound, ", f\"off by {max_error(result, left @ right)}\"\n");
}

void sweep(const std::vector<Product> &products, size_t stride) {
  for (size_t i = 0; i < products.size(); i += full() ? 1 : stride)
    expectRunsThere(snippet(products[i]));
}

// inventory: TS mma_block_scaled_basic, TS dialect/simple_scaled_matmul, PT simple_scaled_matmul
TEST(Tcgen05Scaled, OneBlock) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f8e5m2", "f8e4m3fn", "f4e2m1fn"})
    for (auto [scale, block] : {std::pair("f8e8m0fnu", 32), {"f8e8m0fnu", 16}, {"f8e4m3fn", 16}})
      for (int n : {8, 32, 64, 128, 192, 256})
        for (int swizzle : {32, 128}) {
          if (block == 16 && dtype != "f4e2m1fn")
            continue;
          int k = std::max(4 * block, (swizzle == 32 ? 4 : 2) * swizzle * 8 / bitsOf(dtype));
          products.push_back({dtype, dtype, scale, 128, n, k, swizzle, swizzle, block});
        }
  sweep(products, 11);
}

TEST(Tcgen05Scaled, LeftOperandInTensorMemory) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f8e4m3fn"})
    for (int n : {64, 128, 256})
      products.push_back({dtype, dtype, "f8e8m0fnu", 128, n, 256, 128, 128, 32, false, true});
  sweep(products, 2);
}

TEST(Tcgen05Scaled, MixedNarrowFloats) { sweep({{"f8e5m2", "f8e4m3fn"}, {"f8e4m3fn", "f8e5m2"}}, 1); }

// inventory: TS mma_sparse, TS dialect/tcgen05_mma_sparse, PT simple_sparse_matmul
TEST(Tcgen05Sparse, OneBlock) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f16", "bf16", "i8", "f8e4m3fn", "f8e5m2"})
    for (int n : {16, 32, 128, 192, 256})
      for (int left : {32, 64, 128})
        for (int right : {64, 128})
          for (bool kn : {false, true}) {
            int row = right * 8 / bitsOf(dtype);
            if ((kn && n % row != 0) || 128 % (left * 8 / bitsOf(dtype)) != 0 || 256 % row != 0)
              continue;
            products.push_back({.a = dtype,
                                .b = dtype,
                                .scale = "",
                                .n = n,
                                .k = 256,
                                .aSwizzle = left,
                                .bSwizzle = right,
                                .sparse = true,
                                .bStoredAsKN = kn});
          }
  sweep(products, 19);
}

// inventory: TS mma_sparse_lhs_tmem
TEST(Tcgen05Sparse, LeftOperandInTensorMemory) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f16", "bf16"})
    for (int n : {128, 192, 256})
      products.push_back({.a = dtype, .b = dtype, .scale = "", .n = n, .k = 256, .sparse = true, .aInTmem = true});
  sweep(products, 4);
}

// inventory: TS mma_block_scaled_sparse, PT block_scaled_sparse_matmul
TEST(Tcgen05Sparse, WithBlockScales) {
  std::vector<Product> products;
  for (std::string_view dtype : {"f8e5m2", "f8e4m3fn"})
    for (int n : {128, 192, 256})
      products.push_back({.a = dtype, .b = dtype, .n = n, .k = 256, .block = 64, .sparse = true});
  sweep(products, 4);
}

// inventory: TS mma_block_scaled_sparse_f4
TEST(Tcgen05Sparse, FourBitsWithBlockScales) {
  std::vector<Product> products;
  for (auto [scale, base] : {std::pair("f8e8m0fnu", 32), {"f8e8m0fnu", 16}, {"f8e4m3fn", 16}})
    for (int n : {128, 256})
      products.push_back(
          {.a = "f4e2m1fn", .b = "f4e2m1fn", .scale = scale, .n = n, .k = 512, .block = 2 * base, .sparse = true});
  sweep(products, 4);
}

// inventory: TS mma_block_scaled_collective, PT collective_scaled_matmul
TEST(Tcgen05Scaled, TwoBlocks) {
  struct Case {
    const char *dtype, *scale;
    int bits, block, n;
  };
  std::vector<Case> cases;
  for (Case c : {Case{"f4e2m1fn", "f8e8m0fnu", 4, 32, 0},
                 {"f4e2m1fn", "f8e4m3fn", 4, 16, 0},
                 {"f8e4m3fn", "f8e8m0fnu", 8, 32, 0}})
    for (int n : {128, 256})
      cases.push_back({c.dtype, c.scale, c.bits, c.block, n});
  for (size_t i = 0; i < cases.size(); i += full() ? 1 : 3) {
    const Case &c = cases[i];
    expectRunsThere(text("T, S, m, n, k, block = ", c.dtype, ", ", c.scale, ", 256, ", c.n, ", ", 2 * 1024 / c.bits,
                         ", ", c.block, "\nM, N, row, words = m // 2, n // 2, ", 1024 / c.bits, R"(, k // block // 4
sw = (TilingTransform((8, row)), SwizzleTransform(128))
@kernel(cluster=(2,), cluster_names=("x",),
        scratch=[SMEM((M, k), T, transforms=sw), SMEM((N, k), T, transforms=sw), SMEM((1, words, 32, 16), S),
                 SMEM((n // 128, words, 32, 16), S), TMEM((M, n), f32, collective=True),
                 TMEM((128, k // block), S, layout=scales_layout(), collective=True),
                 TMEM((n, k // block), S, layout=scales_layout(), collective=True),
                 Barrier(num_arrivals=4), Barrier(orders_tensor_core=True)])
def mm(a: GMEM((m, k), T), b: GMEM((n, k), T), sa: GMEM((2, words, 32, 16), S), sb: GMEM((n // 128, words, 32, 16), S),
       out: Out((m, n), f32), at, bt, sat, sbt, acc, sa_tensor, sb_tensor, loaded, done):
  def copy(source, target, how):
    copy_gmem_to_smem(source, target, loaded, collective_axes="x", leader_tracked=how)
  copy(a, at, CopyPartition.PARTITIONED(0))
  copy(b, bt, CopyPartition.PARTITIONED(0))
  copy(sa, sat, CopyPartition.PARTITIONED(0))
  copy(sb, sbt, CopyPartition.REPLICATED)
  member = axis_index("x")
  if member == 0:
    barrier_wait(loaded)
    async_copy_scales_to_tmem(sat, sa_tensor, "x")
    async_copy_scales_to_tmem(sbt, sb_tensor, "x")
    tcgen05_mma(acc, at, bt.T, done, a_scale=sa_tensor, b_scale=sb_tensor, accumulate=False, collective_axis="x")
  barrier_wait(done)
  out[ds(member * M, M)] = async_load_tmem(acc)
  wait_load_tmem()

a, b = (random((m, k), f32, seed=1) * 4).astype(T), (random((n, k), f32, seed=2) * 4).astype(T)
sa, sb = [exp2(floor(random((rows, k // block), f32, seed=rows) * 3)).astype(S) for rows in (m, n)]
def scaled(x, scale):
  shape = (x.shape[0], k // block, block)
  return (x.astype(f32).reshape(shape) * scale.astype(f32).reshape((x.shape[0], k // block, 1))).reshape(x.shape)
result = mm(a, b, format_tcgen05_scales(sa), format_tcgen05_scales(sb))
expected = scaled(a, sa) @ transpose(scaled(b, sb))
assert allclose(result, expected, atol=5e-3, rtol=1e-5), f"off by {max_error(result, expected)}"
)"));
  }
}

// Two blocks of 64 rows each; the scales of b lie in halves.
// inventory: TS mma_block_scaled_collective_m128, PT collective_scaled_matmul_m128
TEST(Tcgen05Scaled, TwoBlocksOfHalfTheRows) {
  for (int n : {64, 128, 192, 256}) {
    if (n != 192 && !full())
      continue;
    expectRunsThere(text("n = ", n, R"(
k, words = 256, 2
sw = (TilingTransform((8, 128)), SwizzleTransform(128))
T, S = f8e5m2, f8e8m0fnu
@kernel(cluster=(2,), cluster_names=("x",),
        scratch=[SMEM((64, k), T, transforms=sw), SMEM((n // 2, k), T, transforms=sw), SMEM((1, words, 32, 16), S),
                 SMEM((1, words, 64, 16), S), TMEM((64, n), f32, collective=True),
                 TMEM((128, 8), S, layout=scales_layout(), collective=True),
                 TMEM((256, 8), S, layout=b_scales_m64_collective_layout(), collective=True),
                 Barrier(num_arrivals=4), Barrier(orders_tensor_core=True)])
def mm(a: GMEM((128, k), T), b: GMEM((n, k), T), sa: GMEM((2, words, 32, 16), S), sb: GMEM((1, words, 64, 16), S),
       out: Out((128, n), f32), at, bt, sat, sbt, acc, sa_tensor, sb_tensor, loaded, done):
  def copy(source, target, how):
    copy_gmem_to_smem(source, target, loaded, collective_axes="x", leader_tracked=how)
  copy(a, at, CopyPartition.PARTITIONED(0))
  copy(b, bt, CopyPartition.PARTITIONED(0))
  copy(sa, sat, CopyPartition.PARTITIONED(0))
  copy(sb, sbt, CopyPartition.REPLICATED)
  member = axis_index("x")
  if member == 0:
    barrier_wait(loaded)
    async_copy_scales_to_tmem(sat, sa_tensor, "x")
    async_copy_scales_to_tmem(sbt, sb_tensor, "x")
    tcgen05_mma(acc, at, bt.T, done, a_scale=sa_tensor, b_scale=sb_tensor, accumulate=False, collective_axis="x")
  barrier_wait(done)
  out[ds(member * 64, 64)] = async_load_tmem(acc)
  wait_load_tmem()

a, b = random((128, k), f32, seed=1).astype(T), random((n, k), f32, seed=2).astype(T)
sa, sb = [exp2(floor(random((rows, 8), f32, seed=rows) * 3)).astype(S) for rows in (128, n)]
def scaled(x, scale):
  rows = x.shape[0]
  return (x.astype(f32).reshape((rows, 8, 32)) * scale.astype(f32).reshape((rows, 8, 1))).reshape((rows, k))
halves = zeros((2, words, 32, 16), S)
for member in range(2):
  halves[member] = format_tcgen05_scales(sa[member * 64:member * 64 + 64])[0]
result = mm(a, b, halves, format_tcgen05_scales(sb, halves=True))
expected = scaled(a, sa) @ transpose(scaled(b, sb))
assert allclose(result, expected, atol=1e-3, rtol=1e-5), f"off by {max_error(result, expected)}"
)"));
  }
}

// inventory: TS mma_sparse_collective, TS dialect/tcgen05_mma_sparse_collective, PT sparse_matmul_collective,
// PT async_copy_sparse_metadata_smem_to_tmem_warp_semantics
TEST(Tcgen05Sparse, TwoBlocks) {
  int count = 0;
  for (std::string_view dtype : {"f16", "bf16", "i8", "f8e4m3fn"})
    for (int n : {128, 192, 256}) {
      if ((count++ % 5 != 0 && !full()) || (dtype == "i8" && n / 2 % 32 != 0))
        continue;
      bool integer = dtype == "i8";
      expectRunsThere(text(
          "T, A, n, row = ", dtype, integer ? ", i32, " : ", f32, ", n, ", ", 1024 / bitsOf(dtype), R"(
m, k = 256, 256
sw = (TilingTransform((8, row)), SwizzleTransform(128))
@kernel(cluster=(2,), cluster_names=("x",),
        scratch=[SMEM((128, k // 2), T, transforms=sw), SMEM((n // 2, k), T, transforms=sw),
                 SMEM((1, k // 128, 128, 64), u2), TMEM((128, n), A, collective=True),
                 TMEM((128, k // 2), u2, layout=sparse_meta_layout(), collective=True),
                 Barrier(num_arrivals=3), Barrier(orders_tensor_core=True)])
def mm(a: GMEM((m, k // 2), T), b: GMEM((n, k), T), me: GMEM((2, k // 128, 128, 64), u2), out: Out((m, n), A),
       at, bt, mt, acc, me_tensor, loaded, done):
  member = axis_index("x")
  for source, target in ((a, at), (b, bt), (me, mt)):
    copy_gmem_to_smem(source, target, loaded, collective_axes="x", partitioned_axis=0)
  def warps():
    if (axis_index("w") == 0) & (member == 0):
      barrier_wait(loaded)
      async_copy_sparse_metadata_to_tmem(mt, me_tensor, "x")
      tcgen05_mma(acc, at, bt.T, done, a_sparse_metadata=me_tensor, accumulate=False, collective_axis="x")
  core_map(WarpMesh("w"))(warps)
  barrier_wait(done)
  out[ds(member * 128, 128)] = async_load_tmem(acc)
  wait_load_tmem()
)",
          host({.a = dtype, .b = dtype, .scale = "", .sparse = true})
              .replace(0, 0, text("ashape, bshape = (m, k // 2), (n, k)\n")),
          "result = mm(a, b, format_tcgen05_sparse_metadata(pairs.astype(u2), T)).astype(f32)\nassert ",
          integer ? "max_error(result, left @ right) == 0" : "allclose(result, left @ right, atol=7e-5, rtol=5e-6)",
          ", f\"off by {max_error(result, left @ right)}\"\n"));
    }
}

} // namespace
} // namespace lanescope::repl
