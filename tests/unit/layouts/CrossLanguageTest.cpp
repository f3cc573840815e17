// The same layouts in different languages, each pair with its public source. The texts of a pair are compared element
// by element.
#include "layouts/Catalogue.h"
#include "layouts/Equal.h"
#include "layouts/notation/Notation.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Layout must(const std::string &text) {
  Result<Layout> layout = parseLayout(Source::make("layout", text));
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : Layout(RegisterLayout(WGSplatFragLayout{}));
}

enum Outcome { Same, Renamed, SameThreads, Different };
struct Pair {
  std::string source;
  std::string left, right;
  Shape shape;
  int bits;
  Outcome outcome = Same;
};

void check(const std::vector<Pair> &pairs) {
  for (const Pair &pair : pairs) {
    SCOPED_TRACE(pair.left + "\n  and " + pair.right + "\n  from " + pair.source);
    Result<EqualResult> result = equal(must(pair.left), must(pair.right), pair.shape, pair.bits);
    if (!result) {
      ADD_FAILURE() << render(result.error());
      continue;
    }
    std::string example = result->counterexample
                              ? tupleText(result->counterexample->index) + ": " + result->counterexample->left + " / " +
                                    result->counterexample->right
                              : "";
    EXPECT_EQ(result->exact, pair.outcome == Same) << example;
    EXPECT_EQ(result->counterexample.has_value(), pair.outcome != Same);
    if (result->memory == Memory::Registers) {
      EXPECT_EQ(result->sameOwners, pair.outcome != Different) << example;
      EXPECT_EQ(!result->renaming.empty(), pair.outcome == Renamed) << example;
    }
    // The same comparison with the sides exchanged.
    Result<EqualResult> back = equal(must(pair.right), must(pair.left), pair.shape, pair.bits);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->exact, result->exact);
    EXPECT_EQ(back->differing, result->differing);
  }
}

const std::string kMma2 =
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
const std::string kMma2x4 =
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>";
std::string dotOp(int operand, int kWidth, const std::string &parent) {
  return "#ttg.dot_op<{opIdx = " + std::to_string(operand) + ", parent = " + parent +
         ", kWidth = " + std::to_string(kWidth) + "}>";
}
std::string mma3(int n) {
  return "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, " +
         std::to_string(n) + ", 16]}>";
}

TEST(CrossLanguage, WgmmaAccumulators) {
  const std::string gmma = "CUTLASS include/cute/atom/mma_traits_sm90_gmma.hpp (CLayout_64xN)";
  const std::string cute64 = "((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))";
  check({
      {gmma + "; JAX fragmented_array.py WGMMA_LAYOUT", cute64, "WGMMA", {64, 64}, 32},
      {gmma, "((_4,_8,_4),(_2,_2)):((_128,_1,_16),(_64,_8))", "WGMMA", {64, 8}, 32},
      {gmma, "((_4,_8,_4),(_2,_2,_2)):((_128,_1,_16),(_64,_8,_512))", "WGMMA", {64, 16}, 32},
      {gmma, "((_4,_8,_4),(_2,_2,_12)):((_128,_1,_16),(_64,_8,_512))", "WGMMA", {64, 96}, 32},
      {gmma, "((_4,_8,_4),(_2,_2,_32)):((_128,_1,_16),(_64,_8,_512))", "WGMMA", {64, 256}, 32},
      {"Triton lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp, NvidiaMma version 3",
       cute64,
       mma3(64),
       {64, 64},
       32},
      {"Triton test/TritonGPU (instrShape [16, 256, 16])", mma3(256), "WGMMA", {64, 256}, 32},
      {"Tilus layout demo preset m64n64k16 f16 D",
       "column_spatial(4, 1).column_local(2, 8).spatial(8, 4).local(2)",
       "WGMMA",
       {64, 64},
       32},
      {"Tilus layout demo preset m64n8k16 f16 D",
       "column_spatial(4, 1).column_local(2, 1).spatial(8, 4).local(2)",
       "((_4,_8,_4),(_2,_2)):((_128,_1,_16),(_64,_8))",
       {64, 8},
       32},
      {"TVM python/tvm/tirx/layout.py, tcgen05_atom_layout(\"16x256b\", (64, 64), \"float32\")",
       "S[(4,2,8,8,4,2):(1@wid_in_wg,2@m,4@laneid,4@m,1@laneid,1@m)]",
       "WGMMA",
       {64, 64},
       32},
      {"TVM tcgen05_atom_layout(\"16x256b\"); PTX ISA, register fragments of wgmma and tcgen05.ld.16x256b",
       "S[(4,2,8,8,4,2):(1@wid_in_wg,2@m,4@laneid,4@m,1@laneid,1@m)]",
       cute64,
       {64, 64},
       32},
      {"PTX ISA, Register Fragments for wgmma.mma_async.m64nNk16",
       "fragment(\"wgmma.m64n64k16.f32.f16.f16\", \"d\")",
       cute64,
       {64, 64},
       32},
      {"CUTLASS ALayout_64x16; JAX WGMMA_LAYOUT as the A operand of 16-bit wgmma",
       "((_4,_8,_4),(_2,_2,_2)):((_128,_1,_16),(_64,_8,_512))",
       "WGMMA",
       {64, 16},
       16},
      {"CUTLASS ALayout_64x32; JAX WGMMA_LAYOUT_8BIT",
       "((_4,_8,_4),(_4,_2,_2)):((_256,_1,_16),(_64,_8,_1024))",
       "WGMMA_8BIT",
       {64, 32},
       8},
      // These differ: the accumulator is not an A operand of 8-bit wgmma, and the upcast layouts hold other elements.
      {"JAX fragmented_array.py", cute64, "WGMMA_8BIT", {64, 64}, 8, Different},
      {"JAX fragmented_array.py", "WGMMA_UPCAST_2X", mma3(64), {64, 64}, 8, Different},
      {"JAX fragmented_array.py, WGMMA_TRANSPOSED_LAYOUT", "WGMMA_TRANSPOSED", cute64, {64, 64}, 16, Different},
      {"JAX fragmented_array.py, TCGEN05_LAYOUT; the same instruction issued twice in TVM's order of registers",
       "S[(4,2,2,8,8,4,2):(1@wid_in_wg,32@m,2@m,4@laneid,4@m,1@laneid,1@m)]",
       "TCGEN05",
       {128, 64},
       32,
       Renamed},
  });
}

TEST(CrossLanguage, MmaSyncOperands) {
  const std::string sm80 = "CUTLASS include/cute/atom/mma_traits_sm80.hpp, ";
  const std::string cuteA = "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))",
                    cuteB = "((_4,_8),(_2,_2)):((_16,_1),(_8,_64))", cuteC = "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))";
  const std::string tilusA = "column_local(2, 2).spatial(8, 4).local(1, 2)",
                    tilusB = "local(2, 1).column_spatial(4, 8).local(2, 1)",
                    tilusC = "local(2, 1).spatial(8, 4).local(1, 2)";
  const std::string tirxA = "S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)]", tirxB = "S[(2,4,2,8):(2,1@laneid,1,4@laneid)]",
                    tirxC = "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]";
  const std::string isa = "PTX ISA, Matrix Fragments for mma.m16n8k16 with floating point type";
  const std::string atom = "mma.m16n8k16.f32.f16.f16.f32";
  check({
      {sm80 + "SM80_16x8x16 ALayout; Tilus layout demo m16n8k16 f16 A", cuteA, tilusA, {16, 16}, 16},
      {sm80 + "ALayout; Triton dot operand of mma version 2", cuteA, dotOp(0, 2, kMma2), {16, 16}, 16},
      {sm80 + "ALayout; " + isa, cuteA, tirxA, {16, 16}, 16},
      {isa, "fragment(\"" + atom + "\", \"a\")", cuteA, {16, 16}, 16},
      {"Tilus layout demo; Triton", tilusA, dotOp(0, 2, kMma2), {16, 16}, 16},
      {"Tilus layout demo; " + isa, tilusA, tirxA, {16, 16}, 16},
      {sm80 + "BLayout over (N, K); Tilus over (K, N), transposed",
       cuteB,
       "permute(" + tilusB + ", [1, 0])",
       {8, 16},
       16},
      {"Tilus layout demo m16n8k16 f16 B; Triton dot operand 1", tilusB, dotOp(1, 2, kMma2), {16, 8}, 16},
      {"Tilus layout demo; " + isa, tilusB, tirxB, {16, 8}, 16},
      {isa, "fragment(\"" + atom + "\", \"b\")", tilusB, {16, 8}, 16},
      {sm80 + "SM80_16x8_Row; Tilus layout demo m16n8k16 f16 C", cuteC, tilusC, {16, 8}, 32},
      {sm80 + "SM80_16x8_Row; Triton mma version 2", cuteC, kMma2, {16, 8}, 32},
      {sm80 + "SM80_16x8_Row; " + isa, cuteC, tirxC, {16, 8}, 32},
      {isa, "fragment(\"" + atom + "\", \"d\")", tilusC, {16, 8}, 32},
      {"Triton; " + isa, kMma2, tirxC, {16, 8}, 32},
      // Other shapes and types.
      {sm80 + "SM80_16x8x8 ALayout (f16)",
       "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
       "local(2, 1).spatial(8, 4).local(1, 2)",
       {16, 8},
       16},
      {sm80 + "SM80_16x8x8_F32TF32TF32F32 ALayout; Triton kWidth 1",
       "((_4,_8),(_2,_2)):((_16,_1),(_8,_64))",
       dotOp(0, 1, kMma2),
       {16, 8},
       32},
      {sm80 + "SM80_16x8x32_S32S8S8S32 ALayout; Tilus layout demo m16n8k32 i8 A",
       "((_4,_8),(_4,_2,_2)):((_64,_1),(_16,_8,_256))",
       "column_local(2, 2).spatial(8, 4).local(1, 4)",
       {16, 32},
       8},
      {"Tilus layout demo m16n8k32 i8 A; Triton kWidth 4",
       "column_local(2, 2).spatial(8, 4).local(1, 4)",
       dotOp(0, 4, kMma2),
       {16, 32},
       8},
      {"Tilus layout demo m16n8k32 i8 B; Triton kWidth 4",
       "local(2, 1).column_spatial(4, 8).local(4, 1)",
       dotOp(1, 4, kMma2),
       {32, 8},
       8},
      {sm80 + "SM80_8x8x16_S32S8S8S32 ALayout; Tilus layout demo m8n8k16 i8 A",
       "((_4,_8),_4):((_32,_1),_8)",
       "spatial(8, 4).local(1, 4)",
       {8, 16},
       8},
      {sm80 + "SM80_8x8_Row; Tilus layout demo m8n8k16 i8 C",
       "((_4,_8),_2):((_16,_1),_8)",
       "spatial(8, 4).local(1, 2)",
       {8, 8},
       32},
      {"a lane per element in column-major order is no fragment",
       "(_32,_1):(_1,_0)",
       "spatial(8, 4)",
       {8, 4},
       64,
       Different},
      {sm80 + "SM80_8x8x4_F64F64F64F64 ALayout", "((_4,_8),_1):((_8,_1),_0)", "spatial(8, 4)", {8, 4}, 64},
      // With four warps, JAX's MMA layouts equal Triton's. Every warp holds the B operand.
      {"JAX fragmented_array.py MMALayouts.lhs; Triton warpsPerCTA = [4, 1]",
       "MMA_LHS(f16)",
       dotOp(0, 2, kMma2x4),
       {64, 16},
       16},
      {"JAX MMALayouts.acc; Triton", "MMA_ACC(f16)", kMma2x4, {64, 8}, 32},
      {"JAX MMALayouts.rhs; Triton, replicated over warps", "MMA_RHS(f16)", dotOp(1, 2, kMma2x4), {16, 8}, 16},
      // Traps: the transposition of an operand, and the grouping of k by type.
      {"CUTLASS B is over (N, K)", cuteB, "permute(" + tilusC + ", [0, 1])", {16, 8}, 16, Different},
      {"f16 and i8 fragments of one byte width differ",
       tilusA,
       "column_local(2, 1).spatial(8, 4).local(1, 4)",
       {16, 16},
       16,
       Different},
  });
}

TEST(CrossLanguage, BlockedLayoutsAndRows) {
  const std::string blocked =
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>";
  const std::string rows =
      "#ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>";
  const std::string gluon = "BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[1, 32], warps_per_cta=[4, 1], "
                            "order=[1, 0], cga_layout=[])";
  check({
      {"JAX WGStridedFragLayout; Triton blocked of 4 contiguous elements",
       "WGStridedFragLayout(shape=(128, 128), vec_size=4)",
       blocked,
       {128, 128},
       32},
      {"Tilus local/spatial; Triton", "local(32, 1).spatial(4, 1).spatial(1, 32).local(1, 4)", blocked, {128, 128}, 32},
      {"CuTe thread-value layout; Triton", "((_32,_4),(_4,_32)):((_512,_1),(_128,_4))", blocked, {128, 128}, 32},
      {"TIRx; Triton", "S[(32,4,32,4):(4,1@warpid,1@laneid,1)]", blocked, {128, 128}, 32},
      {"Gluon BlockedLayout; TTGIR", gluon, blocked, {128, 128}, 32},
      {"Triton test/TritonNvidiaGPU (tmem_load's result); JAX TMEM_NATIVE_LAYOUT", rows, "TMEM_NATIVE", {128, 64}, 32},
      {"TVM wg_local_layout(64); JAX TMEM_NATIVE_LAYOUT",
       "S[(128, 64) : (1@tid_in_wg, 1)]",
       "TMEM_NATIVE",
       {128, 64},
       32},
      {"TVM wg_local_layout(64); Triton", "S[(128, 64) : (1@tid_in_wg, 1)]", rows, {128, 64}, 32},
      {"CuTe identity thread-value layout; Triton", "(_128,_64):(_1,_128)", rows, {128, 64}, 32},
      {"Tilus; JAX", "spatial(128, 1).local(1, 64)", "tmem_native_layout(4)", {128, 64}, 32},
      {"Triton slice of mma version 3; JAX WGMMA_ROW",
       "#ttg.slice<{dim = 1, parent = " + mma3(64) + "}>",
       "WGMMA_ROW",
       {64},
       32},
      {"Tilus reduce; JAX WGMMA_ROW",
       "reduce(column_spatial(4, 1).column_local(2, 1).spatial(8, 4).local(1, 2), [1])",
       "WGMMA_ROW",
       {64},
       32},
      {"Triton slice; JAX WGMMA_COL", "#ttg.slice<{dim = 0, parent = " + mma3(64) + "}>", "WGMMA_COL", {64}, 32},
      {"tcgen05.ld.16x64b: Tilus preset; TVM tcgen05_atom_layout of one warp",
       "register_layout([16, 2], [2, 8, 2], [1, 2, 0], [])",
       "S[(2,8,2):(1@laneid,4@laneid,2@laneid)]",
       {16, 2},
       32},
      {"tcgen05.ld.16x128b: Tilus preset; TVM",
       "local(2, 1).spatial(8, 4)",
       "S[(2,8,4):(1@m,4@laneid,1@laneid)]",
       {16, 4},
       32},
      {"Triton order [0, 1] and [1, 0]",
       blocked,
       "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>",
       {128, 128},
       32,
       Different},
  });
}

TEST(CrossLanguage, TensorMemory) {
  auto memdesc = [](int m, int n, const std::string &type, const std::string &rest) {
    return "!ttg.memdesc<" + std::to_string(m) + "x" + std::to_string(n) + "x" + type +
           ", #ttng.tensor_memory_encoding<blockM = " + std::to_string(m) + ", blockN = " + std::to_string(n) +
           ", colStride = 1" + rest + ">, #ttng.tensor_memory, mutable>";
  };
  check({
      {"JAX TMEMLayout; Tilus",
       "tmem_default_layout(1)",
       "TMemoryLayout(shape=[128, 64], lane_offset=0, column_strides=[0, 1])",
       {128, 64},
       32},
      {"TVM tmem_datapath_layout(\"D\"); JAX", "S[(128,64):(1@TLane,1@TCol)]", "tmem_default_layout(1)", {128, 64}, 32},
      {"Triton TritonNvidiaGPUAttrDefs.td; JAX", memdesc(128, 64, "f32", ""), "tmem_default_layout(1)", {128, 64}, 32},
      {"CuTe tmem tensors (lane stride 65536); JAX",
       "tmem_[32b](0x0000.0000) o (_128,_64):(_65536,_1)",
       "tmem_default_layout(1)",
       {128, 64},
       32},
      {"two 16-bit elements per column: JAX packing 2; Tilus",
       "tmem_default_layout(2)",
       "TMemoryLayout(shape=[128, 64], lane_offset=0, column_strides=[0, 1])",
       {128, 64},
       16},
      {"two 16-bit elements per column: JAX packing 2; TVM",
       "tmem_default_layout(2)",
       "S[(128,64):(1@TLane,1@TCol)]",
       {128, 64},
       16},
      {"TVM tmem_datapath_layout(\"F\"); Triton blockM = 64",
       "S[(4, 16, 64):(32@TLane, 1@TLane, 1@TCol)]",
       memdesc(64, 64, "f32", ""),
       {64, 64},
       32},
      // With M = 64, JAX puts columns into the lanes that the other languages leave idle.
      {"JAX tmem_half_lane_layout; TVM tmem_datapath_layout(\"F\")",
       "tmem_half_lane_layout(64)",
       "S[(4, 16, 64):(32@TLane, 1@TLane, 1@TCol)]",
       {64, 64},
       32,
       Different},
  });
}

TEST(CrossLanguage, SharedMemorySwizzles) {
  const std::string half = "smem_map((8, 64), f16, tiling=(8, 64), swizzle=128)";
  const std::string gmma = "CUTLASS include/cute/atom/mma_traits_sm90_gmma.hpp, ";
  auto nvmma = [](const std::string &shape, int swizzle, bool transposed, int bits) {
    return "!ttg.memdesc<" + shape + "x" +
           (bits == 32   ? "f32"
            : bits == 16 ? "f16"
                         : "i8") +
           ", #ttg.nvmma_shared<{swizzlingByteWidth = " + std::to_string(swizzle) +
           ", transposed = " + (transposed ? "true" : "false") + ", elementBitWidth = " + std::to_string(bits) +
           "}>, #ttg.shared_memory, mutable>";
  };
  check({
      {gmma + "Layout_K_SW128_Atom<half_t>; JAX SwizzleTransform(128)",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
       half,
       {8, 64},
       16},
      {gmma + "as_position_independent_swizzle_layout", "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", half, {8, 64}, 16},
      {"Triton nvmma_shared; JAX", nvmma("8x64", 128, false, 16), half, {8, 64}, 16},
      {"Tilus Swizzle(base, bits, shift); JAX",
       "SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(base=3, bits=3, "
       "shift=3))",
       half,
       {8, 64},
       16},
      {"TVM SwizzleLayout(per_element, swizzle_len, atom_len); JAX",
       "ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))",
       half,
       {8, 64},
       16},
      {"Triton swizzled_shared; Triton nvmma_shared",
       "!ttg.memdesc<8x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, "
       "#ttg.shared_memory>",
       nvmma("8x64", 128, false, 16),
       {8, 64},
       16},
      {"CuTe; Triton",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
       nvmma("8x64", 128, false, 16),
       {8, 64},
       16},
      {"CuTe; TVM", "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", "ComposeLayout(3, 3, 3, S[(8,64)])", {8, 64}, 16},
      {gmma + "Layout_K_SW64_Atom<half_t>",
       "Sw<2,4,3> o smem_ptr[16b](unset) o (_8,_32):(_32,_1)",
       "smem_map((8, 32), f16, tiling=(8, 32), swizzle=64)",
       {8, 32},
       16},
      {"Triton; JAX, 64 bytes",
       nvmma("8x32", 64, false, 16),
       "smem_map((8, 32), f16, tiling=(8, 32), swizzle=64)",
       {8, 32},
       16},
      {gmma + "Layout_K_SW32_Atom<half_t>",
       "Sw<1,4,3> o smem_ptr[16b](unset) o (_8,_16):(_16,_1)",
       "smem_map((8, 16), f16, tiling=(8, 16), swizzle=32)",
       {8, 16},
       16},
      {gmma + "Layout_K_SW128_Atom<float>",
       "Sw<3,2,3> o _0 o (_8,_32):(_32,_1)",
       "smem_map((8, 32), f32, tiling=(8, 32), swizzle=128)",
       {8, 32},
       32},
      {"Triton; JAX, 32-bit elements",
       nvmma("8x32", 128, false, 32),
       "smem_map((8, 32), f32, tiling=(8, 32), swizzle=128)",
       {8, 32},
       32},
      {"Triton; JAX, bytes",
       nvmma("8x128", 128, false, 8),
       "smem_map((8, 128), u8, tiling=(8, 128), swizzle=128)",
       {8, 128},
       8},
      {"CuTe tile_to_shape(Layout_K_SW128_Atom<half_t>, (128, 64)); JAX",
       "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
       "smem_map((128, 64), f16, tiling=(8, 64), swizzle=128)",
       {128, 64},
       16},
      {gmma + "Layout_MN_SW128_Atom<half_t>; Triton transposed",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_8):(_1,_64)",
       nvmma("64x8", 128, true, 16),
       {64, 8},
       16},
      // The array is two swizzle columns wide. Triton's second column follows all rows of the first; JAX's follows each
      // eight rows.
      {"Triton nvmma_shared, 128 columns; JAX tiles in column-major order",
       nvmma("64x128", 128, false, 16),
       "smem_map((64, 128), f16, tiling=(8, 64), swizzle=128, transpose=True)",
       {64, 128},
       16},
      {"Triton nvmma_shared, 128 columns; JAX tiles in row-major order",
       nvmma("64x128", 128, false, 16),
       "smem_map((64, 128), f16, tiling=(8, 64), swizzle=128)",
       {64, 128},
       16,
       Different},
      // Traps: a swizzle of element offsets with the parameters for bytes; the order of the three parameters.
      {"CuTe: smem_ptr swizzles bytes, a plain composition elements",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
       "Sw<3,4,3> o _0 o (_8,_64):(_64,_1)",
       {8, 64},
       16,
       Different},
      {"CuTe <B, M, S> = (2, 3, 3) is TIRx (M, B, S) = (3, 2, 3)",
       "Sw<2,3,3> o _0 o (_8,_64):(_64,_1)",
       "ComposeLayout(3, 2, 3, S[(8,64)])",
       {8, 64},
       16},
      {"CuTe <B, M, S> taken over as (per_element, swizzle_len, atom_len)",
       "Sw<2,3,3> o _0 o (_8,_64):(_64,_1)",
       "ComposeLayout(2, 3, 3, S[(8,64)])",
       {8, 64},
       16,
       Different},
      {"CuTe <B, M, S> = (2, 3, 3) is Tilus base 3, bits 2, shift 3",
       "Sw<2,3,3> o _0 o (_8,_64):(_64,_1)",
       "SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(3, 2, 3))",
       {8, 64},
       16},
      {"CuTe <B, M, S> taken over as Tilus (base, bits, shift)",
       "Sw<2,3,3> o _0 o (_8,_64):(_64,_1)",
       "SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(2, 3, 3))",
       {8, 64},
       16,
       Different},
  });
}

TEST(CrossLanguage, LinearLayoutsAsText) {
  // Triton unittest/Dialect/TritonGPU/LinearLayoutConversionsTest.cpp, MMAv2_16x8.
  const std::string linear =
      " - register=1 -> (0, 1)\n   register=2 -> (8, 0)\n - lane=1 -> (0, 2)\n   lane=2 -> (0, 4)\n"
      "   lane=4 -> (1, 0)\n   lane=8 -> (2, 0)\n   lane=16 -> (4, 0)\n - warp is a size 1 dimension\n"
      "where out dims are: [dim0 (size 16), dim1 (size 8)]\n";
  check({
      {"Triton LinearLayout::toString; CUTLASS SM80_16x8_Row",
       linear,
       "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))",
       {16, 8},
       32},
      {"Triton LinearLayout::toString; Tilus layout demo",
       linear,
       "local(2, 1).spatial(8, 4).local(1, 2)",
       {16, 8},
       32},
      {"Triton #ttg.linear; TVM",
       "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = "
       "[]}>",
       "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]",
       {16, 8},
       32},
  });
}

TEST(CrossLanguage, EveryLayoutInEveryLanguage) {
  struct Case {
    std::string text;
    Shape shape;
    int bits;
    std::vector<std::string> languages;
  };
  const std::vector<std::string> registers = {"jax",    "mlir",   "cute",  "cute-dsl", "cute-type",
                                              "triton", "linear", "tilus", "tirx"};
  const std::vector<std::string> warps = {"cute", "cute-dsl", "cute-type", "triton", "linear", "tilus", "tirx"};
  for (const Case &test : std::vector<Case>{
           {"WGMMA", {64, 64}, 32, registers},
           {"((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))", {64, 64}, 32, registers},
           {mma3(64), {64, 64}, 32, registers},
           {"TMEM_NATIVE", {128, 64}, 32, registers},
           {"TCGEN05", {128, 64}, 32, registers},
           {"local(2, 1).spatial(8, 4).local(1, 2)", {16, 8}, 32, warps},
           {"smem_map((8, 64), f16, tiling=(8, 64), swizzle=128)",
            {8, 64},
            16,
            {"jax", "mlir", "cute", "cute-dsl", "triton", "linear", "tilus", "tirx"}},
           {"tmem_default_layout(1)", {128, 64}, 32, {"jax", "mlir", "cute", "triton", "linear", "tilus", "tirx"}},
           {"S[(128,64):(1@TLane,1@TCol)]",
            {128, 64},
            32,
            {"jax", "mlir", "cute", "triton", "linear", "tilus", "tirx"}},
       }) {
    Layout layout = must(test.text);
    for (const std::string &language : test.languages) {
      Result<std::string> printed = notation(layout, language, test.shape, test.bits);
      if (!printed) {
        ADD_FAILURE() << test.text << " in " << language << ": " << render(printed.error());
        continue;
      }
      Layout again = must(*printed);
      Result<EqualResult> same = equal(layout, again, test.shape, test.bits);
      ASSERT_TRUE(same) << *printed << render(same.error());
      EXPECT_TRUE(same->exact) << test.text << " in " << language << ": " << *printed;
    }
  }
  // The table is found by name: CuTe's accumulator is exactly JAX's WGMMA.
  EXPECT_EQ(*notation(must("((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))"), "jax", Shape{64, 64}),
            layoutText(must("WGMMA")));
  EXPECT_EQ(*notation(must("S[(128,64):(1@TLane,1@TCol)]"), "jax", Shape{128, 64}, 32),
            layoutText(must("tmem_default_layout(1)")));
}

// Every named register and tensor-memory layout is found again from another language's printed table, exactly or in an
// equal form.
TEST(CrossLanguage, TheCatalogueIsFoundAgain) {
  int found = 0;
  for (const CatalogueEntry &entry : catalogueEntries()) {
    if (entry.callable || !entry.parameters.empty())
      continue;
    Result<Layout> layout = entry.make();
    ASSERT_TRUE(layout);
    for (const char *language : {"tilus", "tirx", "cute"}) {
      for (int bits : {32, 16, 8}) {
        Result<Placement> own = placement(*layout, entry.example, bits);
        if (!own)
          continue;
        Result<std::string> printed = notation(*layout, language, entry.example, bits);
        if (!printed) {
          EXPECT_EQ(printed.error().front().kind.empty(), false);
          continue; // copies in registers and holes in tensor memory are errors
        }
        Result<std::string> back = notation(must(*printed), "jax", entry.example, bits, memoryOf(*layout));
        ASSERT_TRUE(back) << entry.name << " as " << *printed << "\n" << render(back.error());
        Result<EqualResult> same = equal(*layout, must(*back), entry.example, bits);
        ASSERT_TRUE(same) << *back << render(same.error());
        EXPECT_TRUE(same->exact) << entry.name << ": " << *printed << ": " << *back;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 60);
}

} // namespace
