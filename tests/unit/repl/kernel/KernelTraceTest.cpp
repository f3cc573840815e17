// The IR that a kernel's statements produce.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

KernelOptions compileOnly() { return {.device = "none", .keepTexts = true}; }

/// `parts` occur in `text` in this order.
::testing::AssertionResult inOrder(const std::string &text, const std::vector<std::string> &parts) {
  size_t at = 0;
  for (const std::string &part : parts) {
    size_t found = text.find(part, at);
    if (found == std::string::npos)
      return ::testing::AssertionFailure() << "`" << part << "` is missing from here on:\n" << text.substr(at);
    at = found + part.size();
  }
  return ::testing::AssertionSuccess();
}

TEST(KernelTrace, DoubleThroughSharedMemory) {
  Snippet done(
      R"(@kernel(scratch=[SMEM((128, 128), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier()])
def double(x: GMEM((128, 128), f16), out: Out((128, 128), f16), tile, loaded):
  with region("load"):
    copy_gmem_to_smem(x, tile, loaded)
    barrier_wait(loaded)
  tile[...] = tile[...] * 2
  commit_smem()
  copy_smem_to_gmem(tile, out)
  wait_smem_to_gmem(0)
double(zeros((128, 128), f16))
)",
      compileOnly());
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(
      inOrder(done.ir(), {"module @double",
                          "mosaic_gpu.arch_major = 9",
                          "func.func @double(%arg0: memref<128x128xf16>, %arg1: memref<128x128xf16>)",
                          R"(lanescope.arguments = [{kind = "in", name = "x"}, {kind = "out", name = "out"}])",
                          "lanescope.grid = array<i64: 1, 1, 1>",
                          "lanescope.num_warpgroups = 1",
                          "lanescope.smem_bytes = 32776",
                          R"("mosaic_gpu.slice_smem"() <{offset = 0 : i32}>)",
                          "transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]",
                          R"("mosaic_gpu.slice_smem"() <{offset = 32768 : i32}>)",
                          R"("mosaic_gpu.initialize_barrier"(%3) <{arrival_count = 1 : i64, num_barriers = 1 : i32)",
                          "memref.alloca()",
                          "lanescope.init_done",
                          R"(lanescope.region_begin "load")",
                          "%c32768_i32 = arith.constant 32768",
                          "mosaic_gpu.arrive_expect_tx",
                          R"("mosaic_gpu.async_load")",
                          "slice_lengths = array<i64: 128, 128>",
                          "mosaic_gpu.wait barrier(",
                          R"(lanescope.region_end "load")",
                          "mosaic_gpu.vector_load",
                          "arith.constant dense<2.000000e+00> : vector<128x128xf16>",
                          "arith.mulf",
                          "mosaic_gpu.vector_store",
                          "lanescope.commit_smem",
                          R"("mosaic_gpu.async_store")",
                          "commit_group = true",
                          "lanescope.wait_smem_to_gmem {n = 0 : i32}",
                          "return"}))
      << done.ir();
}

TEST(KernelTrace, EachBufferStartsAtAMultipleOf1024AndBarriersFollow) {
  Snippet done(
      R"(@kernel(scratch=[Barrier(), SMEM((100,), f32), SMEM((8,), f16), Barrier(num_arrivals=2, num_barriers=3)])
def k(x: GMEM((128,), f32), one, a, b, three):
  pass
k(zeros((128,), f32))
)",
      compileOnly());
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(
      inOrder(done.ir(), {"lanescope.smem_bytes = 1072", "offset = 0 : i32", "memref<100xf32", "offset = 1024 : i32",
                          "memref<8xf16", "offset = 1040 : i32", "arrival_count = 1 : i64, num_barriers = 1",
                          "offset = 1048 : i32", "arrival_count = 2 : i64, num_barriers = 3"}));
}

// inventory: VW parse_indices (no negative ones)
TEST(KernelTrace, IntegerIndicesOfCopiesAreMinusOneAndSlicesOfSharedMemorySubviews) {
  Snippet done(R"(@kernel(grid=(4,), grid_names=("m",), scratch=[SMEM((2, 64, 32), f32), Barrier(num_barriers=2)])
def k(x: GMEM((4, 128, 32), f32), out: Out((4, 128, 32), f32), tiles, loaded):
  m = axis_index("m")
  for i in range(2):
    copy_gmem_to_smem(x.at[m, ds(i * 64, 64)], tiles.at[i], loaded.at[i])
    barrier_wait(loaded.at[i])
k(zeros((4, 128, 32), f32))
)",
               compileOnly());
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(
      inOrder(done.ir(), {"lanescope.program_id {dim = 0 : i32}", "scf.for", "arith.muli", "memref.subview",
                          "[1, 64, 32] [1, 1, 1]", "llvm.getelementptr", "arrive_expect_tx",
                          "slice_lengths = array<i64: -1, 64, 32>", "arith.shli", "arith.xori", "mosaic_gpu.wait"}))
      << done.ir();
}

TEST(KernelTrace, LayoutsAndProbes) {
  Snippet done(R"(@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((64, 64), f32), out: Out((64, 64), f32)):
  v = load(x, layout=WGMMA, optimized=False)
  r = load(x, (0,), layout=WGMMA_COL)
  w = v + broadcast_in_dim(r, (64, 64), (1,))
  print_layout("w: {}", w)
  debug_print("{} of warpgroup {}", x[0, 0], axis_index("wg"))
  out[...] = w
k(zeros((64, 64), f32))
)",
               compileOnly());
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(inOrder(done.ir(),
                      {"<{optimized = false}>", "mosaic_gpu.layout_cast", "#mosaic_gpu.TiledLayout<", "memref.subview",
                       "mosaic_gpu.broadcast_in_dim", "broadcast_dimensions = array<i64: 1>", "mosaic_gpu.print_layout",
                       "memref.load", "lanescope.warpgroup_id", "mosaic_gpu.debug_print", "mosaic_gpu.vector_store"}));
  EXPECT_NE(done.printed.find("w: TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8)"), std::string::npos)
      << done.printed;
}

TEST(KernelTrace, ALoopCarriesWhatItsBodyRebindsAndNothingElse) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), n: GMEM((1,), i32), out: Out((128,), f32)):
  acc = 0
  same = 7
  for i in range(n[0]):
    acc = acc + x[...]
    same = 7
    inside = acc * 2
  out[...] = acc + same
k(zeros((128,), f32), zeros((1,), i32))
)",
               compileOnly());
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(inOrder(done.ir(), {"memref.load", "scf.for %", "iter_args(%", ") -> (vector<128xf32>)  : i32",
                                  "scf.yield", ": vector<128xf32>"}))
      << done.ir();
}

TEST(KernelTrace, ABranchYieldsWhatItsSidesBindDifferently) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  v = x[...]
  if x[0] > 0:
    v = v * 2
    c = 1
  else:
    c = 2.5
  out[...] = v + c
k(zeros((128,), f32))
)",
               compileOnly());
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(inOrder(done.ir(), {"scf.if %", "-> (f32, vector<128xf32>)", "scf.yield", "} else {", "scf.yield"}))
      << done.ir();
}

TEST(KernelTrace, AProductOfTheTensorCoreByTwoBlocks) {
  Snippet done(R"(sw = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(grid=(2,), cluster=(2,), cluster_names=("x",),
        scratch=[SMEM((128, 64), f16, transforms=sw), SMEM((64, 64), f16, transforms=sw),
                 TMEM((128, 128), f32, collective=True), Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])
def mm(a: GMEM((256, 64), f16), b: GMEM((64, 128), f16), out: Out((512, 128), f32), at, bt, acc, loaded, done):
  copy_gmem_to_smem(a, at, loaded, collective_axes="x", partitioned_axis=0)
  copy_gmem_to_smem(b, bt, loaded, collective_axes="x", partitioned_axis=1)
  if axis_index("x") == 0:
    barrier_wait(loaded)
    tcgen05_mma(acc, at, bt, done, accumulate=False, collective_axis="x")
  barrier_wait(done)
  out[ds((program_id(0) * 2 + axis_index("x")) * 128, 128)] = async_load_tmem(acc)
  wait_load_tmem()
mm(zeros((256, 64), f16), zeros((64, 128), f16))
)",
               {.arch = "sm_100a", .device = "none", .keepTexts = true});
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_TRUE(inOrder(done.ir(), {"mosaic_gpu.arch_major = 10", "mosaic_gpu.initialize_barrier",
                                  "orders_tensor_core = true", "mosaic_gpu.tmem_alloc", "collective = true",
                                  "mosaic_gpu.tmem_relinquish_alloc_permit", "mosaic_gpu.slice_tmem",
                                  "mosaic_gpu.tmem_layout_cast", "mosaic_gpu.async_load", "lanescope.block_in_cluster",
                                  "scf.if", "mosaic_gpu.wait", "mosaic_gpu.tcgen05_mma", "collective = true",
                                  "mosaic_gpu.wait", "mosaic_gpu.async_load_tmem", "mosaic_gpu.tmem_dealloc"}))
      << done.ir();
}

// inventory: PD line_info
TEST(KernelTrace, PtxNamesTheSnippetsLines) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  v = x[...]

  out[...] = v + 1
k(zeros((128,), f32))
)",
               compileOnly());
  ASSERT_TRUE(done.ok) << done.errors;
  const std::string &ptx = done.runtime->launches().back().stages->kernel->ptx;
  EXPECT_NE(ptx.find(".loc\t1 3 7"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find(".loc\t1 5 3"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("k.py"), std::string::npos);
}

} // namespace
} // namespace lanescope::repl
