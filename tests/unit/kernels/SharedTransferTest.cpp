// Transfers between registers and shared memory: through every tiling and swizzle, by matrix instructions, and
// staggered; and the messages about bank conflicts. TMA copies on one side check the contents of memory.
#include "Cases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <set>

namespace lanescope::repl {
namespace {

std::string transforms(int rows, int64_t columns, int swizzle) {
  return text("(TilingTransform((", rows, ", ", columns, ")), ",
              swizzle == 16 ? "" : text("SwizzleTransform(", swizzle, ")"), ")");
}

/// TMA copies in, registers have the layout `L`, and TMA copies out of a second buffer.
std::string copied(const std::string &dtype, const std::string &layout, int64_t m, int64_t n, const std::string &how,
                   const std::string &check = "") {
  return text("T, L, S, how = ", dtype, ", ", layout, ", (", m, ", ", n, "), ", how, R"(
@kernel(scratch=[SMEM(S, T, transforms=how), SMEM(S, T, transforms=how), Barrier()])
def k(x: GMEM(S, T), out: Out(S, T), source, target, loaded):
  copy_gmem_to_smem(x, source, loaded)
  barrier_wait(loaded)
  target[...] = load(source, layout=L)
  commit_smem()
  copy_smem_to_gmem(target, out)
  wait_smem_to_gmem(0)
x = random(S, i32, seed=1, low=0 if T == u8 else -16, high=256 if T == u8 else 15).astype(T)
assert max_error(k(x).astype(f32), x.astype(f32)) == 0
)",
              check);
}

int bytesOf(const std::string &dtype) { return dtype == "f32" || dtype == "i32" ? 4 : dtype.find("16") != 1 ? 1 : 2; }

/// The number of different registers that hold addresses of shared memory in PTX's loads ("ld") or stores ("st").
size_t addressRegisters(const std::string &ptx, const std::string &direction) {
  std::regex access("(?:^|\\n)[ \\t]*" + direction +
                    "(?:matrix[.]sync[.][a-z0-9.]*shared|[.]shared)[^\\n]*\\[(%[a-z]+[0-9]+)");
  std::set<std::string> registers;
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), access), end; at != end; ++at)
    registers.insert((*at)[1]);
  return registers.size();
}

// Upstream counts the address registers of SASS; this test counts those of PTX, which must not be more. One is needed
// for each 16 bytes of a swizzle's row that hold more than one column of matrices; the other addresses are known at
// compile time.
// inventory: LS copy_tiled/2
TEST(SharedTransfers, FewAddressRegisters) {
  bool full = std::getenv("LANESCOPE_FULL") != nullptr;
  int number = 0;
  for (const char *dtype : {"i8", "i16", "i32"})
    for (int swizzle : {16, 32, 64, 128})
      for (int tiles : {1, 2, 3})
        for (int rows : {8, 64}) {
          int64_t bytes = bytesOf(dtype), columns = swizzle / bytes;
          if (columns % 8 != 0 || (number++ % 5 != 0 && !full))
            continue;
          Snippet done(
              copied(dtype, "WGMMA", 128, columns * tiles, transforms(rows, columns, swizzle), "print(ptx(k))\n"));
          ASSERT_TRUE(done.ok) << done.errors;
          size_t most = static_cast<size_t>(std::max<int64_t>(1, columns / 8 / (bytes < 2 ? 2 : 1)));
          for (const char *direction : {"ld", "st"}) {
            size_t registers = addressRegisters(done.printed, direction);
            EXPECT_GE(registers, 1u) << dtype << swizzle << direction;
            EXPECT_LE(registers, most) << dtype << " " << swizzle << " " << tiles << " " << rows << direction;
          }
        }
}

// inventory: LS load_tiled
TEST(SharedTransfers, CopyTiled) {
  std::vector<Case> cases;
  for (const char *dtype : {"i8", "i16", "i32", "f32", "f16"})
    for (int swizzle : {16, 32, 64, 128})
      for (int tiles : {1, 2, 3})
        for (int rows : {8, 64}) {
          int64_t columns = swizzle / bytesOf(dtype);
          if (columns % 8 == 0)
            cases.push_back({text(dtype, "_", swizzle, "_", tiles, "_", rows),
                             copied(dtype, "WGMMA", 128, columns * tiles, transforms(rows, columns, swizzle))});
        }
  runCases("LS copy_tiled", cases, 20);
}

// inventory: LS copy_for_upcast, load_and_store_tiled_f8 (the fnuz and b11 formats, which no NVIDIA GPU has, as u8)
TEST(SharedTransfers, EightBits) {
  std::vector<Case> cases;
  for (const char *dtype : {"f8e5m2", "f8e4m3fn", "u8"})
    for (int swizzle : {32, 64, 128})
      for (int tiles : {1, 2, 3})
        cases.push_back({text(dtype, "_", swizzle, "_", tiles),
                         copied(dtype, "WGMMA", 128, swizzle * tiles, transforms(64, swizzle, swizzle))});
  cases.push_back({"upcast", copied("i8", "WGMMA_UPCAST_2X", 128, 256, transforms(64, 128, 128))});
  runCases("LS load_and_store_tiled_f8", cases, 10);
}

// inventory: LS store_tiled, store_tiled_with_tiling_rank
TEST(SharedTransfers, StoreTiled) {
  std::vector<Case> cases;
  for (const char *dtype : {"f32", "f16", "i8"})
    for (int swizzle : {32, 64, 128})
      for (int tiles : {1, 2}) {
        int64_t columns = swizzle / bytesOf(dtype);
        std::string iota = text("broadcasted_iota(i32, S, 0, layout=WGMMA) * ", columns * tiles,
                                " + broadcasted_iota(i32, S, 1, layout=WGMMA)");
        cases.push_back({text(dtype, "_", swizzle, "_", tiles), text("T, S, how = ", dtype, ", (128, ", columns * tiles,
                                                                     "), ", transforms(64, columns, swizzle),
                                                                     R"(
@kernel(scratch=[SMEM(S, T, transforms=how)])
def k(out: Out(S, T), direct: Out(S, T), tile):
  v = (()",
                                                                     iota, R"() & 127).astype(T)
  tile[...] = v
  direct[...] = v
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
out, direct = k()
want = (arange(S[0] * S[1]).reshape(S).astype(i32) & 127).astype(f32)
assert max_error(out.astype(f32), want) == 0
assert max_error(direct.astype(f32), want) == 0
)")});
      }
  runCases("LS store_tiled", cases, 9);
}

// In the layout that upstream chooses if shared memory is accessed without conflicts, and in a strided layout.
// inventory: LS copy_tiled
TEST(SharedTransfers, TiledCopyOfAnyShape) {
  std::vector<Case> cases;
  for (int swizzle : {16, 32, 64, 128})
    for (const char *shape : {"(128, 128)", "(8, 128)", "(128, 32)", "(48, 64)"})
      for (int kind : {0, 1, 2, 3}) {
        bool toShared = kind & 1, strided = kind & 2;
        std::string layout = strided ? "WG_STRIDED(S, 1)" : text("SMEM_GMEM_COPY(S, i32, ", swizzle, ")");
        cases.push_back({text(swizzle, "_", shape, layout, toShared),
                         text("S, how, demand = ", shape, ", ", transforms(8, swizzle / 4, swizzle), ", ",
                              strided ? "None" : "True", "\nL = ", layout, R"(
@kernel(scratch=[SMEM(S, i32, transforms=how), Barrier()])
def k(x: GMEM(S, i32), out: Out(S, i32), tile, loaded):
)",
                              toShared ? R"(
  store(tile, load(x, layout=L, optimized=False), optimized=demand)
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
)"
                                       : R"(
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  out[...] = load(tile, layout=L, optimized=demand)
)",
                              "x = arange(S[0] * S[1]).reshape(S).astype(i32)\nassert max_error(k(x), x) == 0\n")});
      }
  runCases("LS copy_tiled any", cases, 12);
}

// inventory: LS transpose_tiled
TEST(SharedTransfers, TransposeTiled) {
  std::vector<Case> cases;
  for (const char *dtype : {"i16", "i32", "f16"})
    for (int swizzle : {16, 32, 64, 128})
      for (const char *layouts : {"WGMMA, WGMMA_TRANSPOSED", "TCGEN05, TCGEN05_TRANSPOSED"}) {
        int64_t columns = swizzle / bytesOf(dtype);
        if (columns < 8)
          continue;
        cases.push_back({text(dtype, "_", swizzle, "_", layouts),
                         text("T, A, B, M, N, how = ", dtype, ", ", layouts, ", 256, ", bytesOf(dtype) == 2 ? 192 : 96,
                              ", ", transforms(8, columns, swizzle), R"(
@kernel(scratch=[SMEM((M, N), T, transforms=how), SMEM((N, M), T, transforms=how), Barrier()])
def k(x: GMEM((M, N), T), out: Out((N, M), T), source, target, loaded):
  copy_gmem_to_smem(x, source, loaded)
  barrier_wait(loaded)
  store(target.T, layout_cast(load(source, layout=A, optimized=True), B), optimized=)",
                              columns * bytesOf(dtype) > 16 ? "True" : "None", R"()
  commit_smem()
  copy_smem_to_gmem(target, out)
  wait_smem_to_gmem(0)
x = arange(M * N).reshape((M, N)).astype(i32).astype(T)
assert max_error(k(x).astype(f32), transpose(x).astype(f32)) == 0
)")});
      }
  runCases("LS transpose_tiled", cases, 12);
}

// inventory: LS strided_load_store, wgmma_row_load_store_with_layout, wgmma_col_load_store_with_layout
TEST(SharedTransfers, RowsColumnsAndStrides) {
  std::vector<Case> cases;
  auto add = [&](const std::string &name, const std::string &dtype, const std::string &shape, const std::string &layout,
                 const std::string &how) {
    cases.push_back({name, text("T, S, L, how = ", dtype, ", ", shape, ", ", layout, ", ", how, R"(
@kernel(scratch=[SMEM(S, T, transforms=how), SMEM(S, T), Barrier()])
def k(x: GMEM(S, T), out: Out(S, T), source, target, loaded):
  copy_gmem_to_smem(x, source, loaded)
  barrier_wait(loaded)
  target[...] = load(source, layout=L)
  out[...] = load(target, layout=L)
x = random(S, T, seed=1)
assert max_error(k(x), x) == 0
)")});
  };
  for (const char *shape : {"(128, 128)", "(128, 64)", "(64, 128)"})
    add(text("strided_", shape), "f16", shape, "None", "()");
  for (const char *dtype : {"f16", "f32"})
    for (int swizzle : {16, 32, 64, 128}) {
      int64_t columns = swizzle / bytesOf(dtype);
      auto how = [&](int64_t size) {
        return size % columns != 0 ? std::string("()")
                                   : text("(TilingTransform((", columns, ",)), ",
                                          swizzle == 16 ? std::string() : text("SwizzleTransform(", swizzle, ")"), ")");
      };
      for (int size : {1024, 256, 128, 64})
        add(text("row_", dtype, "_", swizzle, "_", size), dtype, text("(", size, ",)"), "WGMMA_ROW", how(size));
      for (int size : {128, 64})
        add(text("col_", dtype, "_", swizzle, "_", size), dtype, text("(", size, ",)"), "WGMMA_COL", how(size));
    }
  runCases("LS rows and columns", cases, 16);
}

// inventory: LS strided_copy_noncontig_bad (an error upstream; here it works, its vectors taken apart)
TEST(SharedTransfers, VectorsAcrossRowsAreTakenApart) {
  for (int middle : {6, 5}) {
    Snippet done(text("S, L = (256, ", middle, ", 7), WGStridedFragLayout(shape=(256, 7), vec_size=2)", R"(
@kernel()
def k(x: GMEM(S, i32), out: Out((256, 7), i32)):
  out[...] = load(x.at[:, 1], layout=L)
x = arange(S[0] * S[1] * S[2]).reshape(S).astype(i32)
assert max_error(k(x), x[:, 1]) == 0
)"));
    EXPECT_TRUE(done.ok) << done.errors;
  }
}

//===--- ldmatrix and stmatrix ---===//

/// The transfers of `k` are matrix instructions only, at least one of them with `count` matrices.
std::string onlyMatrices(const std::string &instruction, int64_t count, bool transposed) {
  return text("code = ptx(k).text\nassert \"", instruction, ".sync.aligned.m8n8.x", count, transposed ? ".trans" : "",
              ".shared.b16\" in code\nassert not \"", instruction == "ldmatrix" ? "ld" : "st",
              ".shared.\" in code.replace(\"ld.shared.b64\", \"\")\n");
}

Case ldmatrix(int bits, int64_t m, int64_t k, bool transposed, const std::string &layout) {
  int64_t rows = transposed ? k : m, rowBytes = (transposed ? m : k) * bits / 8;
  int swizzle = 128;
  while (swizzle > 16 && rowBytes % swizzle != 0)
    swizzle /= 2;
  if (rowBytes % swizzle != 0 || rows % 8 != 0)
    return {};
  int64_t packing = 32 / bits, matrices = m * k / (32 * 4 * packing), count = 4;
  while (matrices % count != 0)
    count /= 2;
  bool trans8 = transposed && bits == 8;
  std::string memory = transposed ? text("(", k, ", ", m, ")") : text("(", m, ", ", k, ")");
  return {text(transposed ? "transposed_" : "", "i", bits, "_", m, "_", k),
          text("T, S, R, how, L = i", bits, ", (", m, ", ", k, "), ", memory, ", ",
               transforms(8, swizzle * 8 / bits, swizzle), ", ", layout, R"(
@kernel(scratch=[SMEM(R, T, transforms=how), Barrier()])
def k(x: GMEM(R, T), out: Out(S, T), tile, loaded):
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  out[...] = load(tile)",
               transposed ? ".T" : "", ", layout=L, optimized=", trans8 ? "False" : "True", R"()
x = random(R, T, seed=1)
assert max_error(k(x), )",
               transposed ? "transpose(x)" : "x", ") == 0\n",
               trans8 ? "" : onlyMatrices("ldmatrix", count, transposed))};
}

// `ldmatrix.m16n16.trans.b8` transposes matrices of bytes; sm_90a lacks it.
// inventory: MM ldmatrix_basic, ldmatrix_transpose (i8 by plain loads, as upstream skips it before sm_100)
// inventory: MM ldmatrix_8b_transpose_wide_row_layout (by plain loads, as upstream skips it before sm_100)
TEST(MatrixTransfers, Loads) {
  std::vector<Case> cases;
  constexpr int64_t kFactors[] = {1, 2, 3, 4, 6, 7, 9};
  auto add = [&](Case one) {
    if (!one.text.empty()) // no swizzle fits rows that are not multiples of 16 bytes
      cases.push_back(std::move(one));
  };
  auto layout = [](int packing, bool wide) {
    return wide ? text("TiledLayout(tiling=Tiling(tiles=((64, ", 4 * packing, "), (16, ", 4 * packing, "), (8, ",
                       4 * packing, "), (", packing, ",))), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1)")
                : text("TiledLayout(tiling=Tiling(tiles=((32, ", 4 * packing, "), (8, ", 4 * packing, "), (", packing,
                       ",))), warp_dims=(-5,), lane_dims=(-3, -2), vector_dim=-1)");
  };
  for (int bits : {8, 16, 32})
    for (int64_t m : kFactors)
      for (int64_t k : kFactors)
        add(ldmatrix(bits, 32 * m, 8 * k, false, layout(32 / bits, false)));
  for (int bits : {8, 16})
    for (int64_t m : kFactors)
      for (int64_t k : kFactors)
        add(ldmatrix(bits, 32 * m * (16 / bits), 8 * k * (16 / bits), true, layout(32 / bits, bits == 8)));
  add(ldmatrix(8, 256, 32, true,
               "TiledLayout(tiling=Tiling(tiles=((32, 16), (8, 16), (4,))), warp_dims=(Replicated(times=4),), "
               "lane_dims=(-3, -2), vector_dim=-1)"));
  runCases("MM ldmatrix", cases, 24);
}

// inventory: LS stmatrix, PM wgmma_load_from_transposed_smem, wgmma_store_to_transposed_smem
TEST(MatrixTransfers, StoresAndBack) {
  std::vector<Case> cases;
  for (const char *layout : {"MMA_LHS(i16)", "WGMMA", "TCGEN05"})
    for (bool transposed : {false, true})
      for (int swizzle : {32, 64, 128}) {
        std::string view = transposed ? "tile.T" : "tile";
        cases.push_back({text(layout, transposed, swizzle),
                         text("T, S, L, how = i16, (128, 128), ", layout, ", ", transforms(8, swizzle / 2, swizzle), R"(
@kernel(scratch=[SMEM(S, T, transforms=how)])
def k(x: GMEM(S, T), out: Out(S, T), back: Out(S, T), tile):
  store()",
                              view, R"(, load(x, layout=L), optimized=True)
  commit_smem()
  copy_smem_to_gmem(tile, out)
  back[...] = load()",
                              view, R"(, layout=L, optimized=True)
  wait_smem_to_gmem(0)
x = random(S, T, seed=1)
out, back = k(x)
assert max_error(back, x) == 0
assert max_error(out, )",
                              transposed ? "transpose(x)" : "x", ") == 0\n", onlyMatrices("stmatrix", 4, transposed),
                              onlyMatrices("ldmatrix", 4, transposed))});
      }
  runCases("LS stmatrix", cases, 8);
}

// A slice that begins at a place known at run time, and the memory of another block. Matrix instructions reach neither.
TEST(MatrixTransfers, SlicesAndOtherBlocks) {
  Snippet slice(R"(
@kernel(scratch=[SMEM((4, 64, 128), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))])
def k(x: GMEM((4, 64, 128), f16), out: Out((4, 64, 64), f16), tile):
  for i in range(4):
    tile[i] = load(x.at[i], layout=WGMMA)
  for i in range(4):
    out[i] = load(tile.at[i, :, ds(64 * (i % 2), 64)], layout=WGMMA, optimized=True)
x = random((4, 64, 128), f16, seed=1)
out = k(x)
for i in range(4):
  assert max_error(out[i], x[i, :, 64 * (i % 2):64 * (i % 2) + 64]) == 0
code = ptx(k).text
assert "ldmatrix" in code and "stmatrix" in code
)");
  EXPECT_TRUE(slice.ok) << slice.errors;
  Snippet remote(R"(
@kernel(cluster=(2,), cluster_names=("c",),
        scratch=[SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 ClusterBarrier(collective_axes=("c",))])
def k(x: GMEM((2, 64, 64), f16), out: Out((2, 64, 64), f16), tile, done):
  me = axis_index("c")
  tile[...] = load(x.at[me], layout=WGMMA)
  barrier_arrive(done)
  barrier_wait(done)
  out[me] = load(cluster_ref(tile, c=1 - me), layout=WGMMA)
  barrier_arrive(done)
  barrier_wait(done)
x = random((2, 64, 64), f16, seed=1)
out = k(x)
assert max_error(out[0], x[1]) == 0 and max_error(out[1], x[0]) == 0
)");
  EXPECT_TRUE(remote.ok) << remote.errors;
}

//===--- bank conflicts ---===//

// inventory: LS stmatrix_bank_conflict
TEST(Conflicts, DemandedWhereThereIsNoWay) {
  for (bool transposed : {false, true})
    expectError(text(R"(
@kernel(scratch=[SMEM((128, 128), i16)])
def k(x: GMEM((128, 128), i16), out: Out((128, 128), i16), tile):
  store(tile)",
                     transposed ? ".T" : "", R"(, load(x, layout=MMA_LHS(i16)), optimized=True)
  out[...] = tile[...]
k(zeros((128, 128), i16))
)"),
                "wavefronts of shared memory where 256 would do");
  expectError(R"(
@kernel()
def k(x: GMEM((128, 128), f16), out: Out((128, 128), f16)):
  out[...] = load(x, layout=WGMMA, optimized=True)
k(zeros((128, 128), f16))
)",
              "`optimized=True` is for shared memory");
}

/// Runs a load of f32 in WGMMA from memory with these transforms, and returns the messages.
std::string saidOf(const std::string &how, const std::string &optimized, bool &ok) {
  Snippet done(text(R"(
@kernel(scratch=[SMEM((64, 64), f32, transforms=)",
                    how, R"()])
def k(x: GMEM((64, 64), f32), out: Out((64, 64), f32), tile):
  store(tile, load(x, layout=WGMMA), optimized=False)
  out[...] = load(tile, layout=WGMMA, optimized=)",
                    optimized, R"()
x = random((64, 64), f32, seed=1)
assert max_error(k(x), x) == 0
)"));
  ok = done.ok;
  return done.ok ? done.printed : done.errors;
}

TEST(Conflicts, AreSaidWithTheirCostAndAWayOut) {
  bool ok = false;
  std::string said = saidOf("()", "None", ok);
  EXPECT_TRUE(ok) << said;
  // 64-bit loads of rows 256 bytes apart: 8 rows share the same banks, where two half warps would suffice.
  EXPECT_NE(said.find("5:14: note: this load takes 512 wavefronts of shared memory where 128 would do"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("`TilingTransform((8, 32))` and `SwizzleTransform(128)`"), std::string::npos) << said;
  // The suggested transforms are right: the note disappears, and the requirement can be met.
  EXPECT_EQ(saidOf(transforms(8, 32, 128), "None", ok), "");
  EXPECT_TRUE(ok);
  EXPECT_EQ(saidOf(transforms(8, 32, 128), "True", ok), "");
  EXPECT_TRUE(ok);
  EXPECT_EQ(saidOf("()", "False", ok), "");
  EXPECT_TRUE(ok);
  said = saidOf("()", "True", ok);
  EXPECT_FALSE(ok);
  EXPECT_NE(said.find("leave out `optimized=True`"), std::string::npos) << said;
}

// The message's count equals that of `conflicts` for the same access.
TEST(Conflicts, AgreeWithTheTool) {
  Snippet done(R"(
r = conflicts("ld.shared.b64", WGMMA, smem_map((64, 64), f32, tiling=(), swizzle=16))
print(r["wavefronts"], r["ideal"])
r = conflicts("load", WGMMA, smem_map((64, 64), f32, tiling=(8, 32), swizzle=128))
print(r["conflicts"], r["plan"])
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed.substr(0, done.printed.find('\n')), "512 128");
  EXPECT_NE(done.printed.find("0 staggered: +2 of 4"), std::string::npos) << done.printed;
}

} // namespace
} // namespace lanescope::repl
