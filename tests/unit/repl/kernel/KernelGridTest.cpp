// Grids with pipelines in their blocks, unrolled loops, and squashed grid axes, on the emulator.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

#include <set>
#include <sstream>

namespace lanescope::repl {
namespace {

// inventory: PL add_one_grid_with_scratch
TEST(KernelGrid, ScratchOfEachBlock) {
  expectRuns(R"(@kernel(grid=(2,), scratch=[SMEM((128,), f32)])
def k(x: GMEM((256,), f32), out: Out((256,), f32), scratch):
  block = ds(program_id(0) * 128, 128)
  scratch[...] = x[block] + 1.0
  out[block] = scratch[...]
x = arange(256).astype(f32)
assert max_error(k(x), x + 1.0) == 0
)");
}

// inventory: PL add_one_grid_pipelined_with_leading_sequential_dimension
TEST(KernelGrid, PipelineAlongTheLeadingDimension) {
  expectRuns(R"(@kernel(grid=(4,))
def k(x: GMEM((256, 64), f32), out: Out((256, 64), f32)):
  spec = BlockSpec((128, 16), lambda i: (i, program_id(0)))
  def body(indices, a, o):
    o[...] = a[...] + 1.0
  emit_pipeline(body, grid=(2,), in_specs=[spec], out_specs=[spec])(x, out)
x = reshape(arange(256 * 64), (256, 64)).astype(f32)
assert max_error(k(x), x + 1.0) == 0
)");
}

// inventory: PL add_one_grid_pipelined_program_id
TEST(KernelGrid, PlaceInAPipeline) {
  expectRuns(R"(@kernel(grid=(4,))
def k(out: Out((64, 64), i32)):
  def body(indices, o):
    o[...] = broadcast_in_dim(indices[0] + program_id(0) * 10, o.shape, ())
  emit_pipeline(body, grid=(4,), out_specs=[BlockSpec((16, 16), lambda j: (program_id(0), j))], max_concurrent_steps=2)(out)
out = k()
for i in range(4):
  for j in range(4):
    assert max_error(out[i * 16:i * 16 + 16, j * 16:j * 16 + 16], full((16, 16), i * 10 + j, i32)) == 0
)");
}

// inventory: PL program_id_in_block_spec
TEST(KernelGrid, PlaceOfTheBlockInASpec) {
  expectRuns(R"(@kernel(grid=(2,))
def k(x: GMEM((2, 256), i32), out: Out((2, 256), i32)):
  spec = BlockSpec((1, 128), lambda i: (program_id(0), i))
  def body(indices, a, o):
    o[...] = a[...]
  emit_pipeline(body, grid=(2,), in_specs=[spec], out_specs=[spec])(x, out)
x = reshape(arange(512), (2, 256)).astype(i32)
assert max_error(k(x), x) == 0
)");
}

// inventory: PL fori_loop_array_unrolled
TEST(KernelGrid, UnrolledLoops) {
  for (int unroll : {1, 2, 3, 4, 5})
    expectRuns(text("n = ", unroll, R"(
@kernel()
def k(x: GMEM((256,), i32), out: Out((256,), i32), down: Out((10,), i32)):
  total, rounds = x[...], 0
  for i in range(2, 6, unroll=n):
    total = total + i
    rounds = rounds + 1
  out[...] = total + rounds
  for i in range(9, -1, -1, unroll=n):
    down[i] = i * 3
x = arange(256).astype(i32)
out, down = k(x)
assert max_error(out, x + 2 + 3 + 4 + 5 + 4) == 0
assert max_error(down, arange(10).astype(i32) * 3) == 0
assert [i for i in range(3, unroll=n)] == [0, 1, 2]
)"));
  // The body appears `unroll` times in the loop, and once for each remaining step.
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  total = x[...]
  for i in range(7, unroll=3):
    total = tanh(total)
  out[...] = total
k(zeros((128,), f32))
print(ir(k, zeros((128,), f32)))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  size_t count = 0;
  for (size_t at = 0; (at = done.printed.find("math.tanh", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, 3u + 1u) << done.printed;
  auto loop = [](const std::string &range) {
    return "@kernel()\ndef k(n: GMEM((1,), i32), out: Out((8,), i32)):\n  for i in " + range +
           ":\n    out[i] = i\nk(zeros((1,), i32))\n";
  };
  expectError(loop("range(n[0], unroll=2)"), "known while tracing");
  expectError(loop("range(8, unroll=0)"), "one step or more");
  expectError(loop("range(2 ** 40, unroll=2)"), "counts with 32 bits");
  expectError(loop("range(2 ** 31 - 1, unroll=2 ** 30 - 1)"), "instructions a thread");
  expectError(loop("range(8, unroll=\"all\")"), "unroll");
}

// Names that only the body binds are local to it; names that it deletes are gone.
TEST(KernelGrid, NamesOfUnrolledLoops) {
  for (const char *range : {"range(4, unroll=2)", "range(4, unroll=4)", "range(4)"})
    expectError(text("@kernel()\ndef k(out: Out((8,), i32)):\n  for i in ", range,
                     ":\n    inside = i * 2\n    out[i] = inside\n  out[4] = inside\nk()\n"),
                "inside");
}

// inventory: PL fori_loop_indexed_store
TEST(KernelGrid, LoopsThatStore) {
  for (const char *loop : {"for i in range(4):\n    out[i] = x[i] + y[i]\n",
                           "i = 0\n  while i < n[0]:\n    out[i] = x[i] + y[i]\n    i = i + 1\n"})
    expectRuns(text("@kernel()\ndef k(x: GMEM((4, 128), f32), y: GMEM((4, 128), f32), n: GMEM((1,), i32), "
                    "out: Out((4, 128), f32)):\n  ",
                    loop, R"(x = reshape(arange(512), (4, 128)).astype(f32)
y = x + 1.0
assert max_error(k(x, y, array([4], i32)), x + y) == 0
)"));
}

// inventory: PL while_loop_layout_mismatch
TEST(KernelGrid, LoopsKeepTheirLayouts) {
  const std::string text = R"(@kernel()
def k(o: InOut((128,), i32)):
  value = layout_cast(o[...], WGStridedFragLayout(shape=(128,), vec_size=1))
  while sum(value) < 128:
    o[...] = o[...]
    value = layout_cast(full((128,), 0, i32), WGMMA_ROW)
k(zeros((128,), i32))
)";
  expectError(text, "two arrays with different layouts meet here");
  expectError(text, "WGMMA_ROW");
}

// inventory: PH multiple_wg_with_squashed_grid
TEST(KernelGrid, SquashedGridsAndWarpgroups) {
  expectRuns(R"(@kernel(grid=(4, 3, 5, 7), grid_names=("b", "x", "y", "z"), num_threads=2, thread_name="wg")
def k(out: Out((4, 3, 5, 7, 2, 128), i32)):
  b, x, y, z, wg = [axis_index(name) for name in ("b", "x", "y", "z", "wg")]
  assert axis_size(("b", "x", "wg")) == 24
  out[b, x, y, z, wg] = broadcast_in_dim(axis_index(("b", "x", "y", "z", "wg")), (128,), ())
out = reshape(k(), (840, 128))
assert max_error(out[:, 0], arange(840).astype(i32)) == 0 and max_error(out[:, 127], out[:, 0]) == 0
)");
  auto asks = [](const char *name) {
    return text("@kernel(grid=(2,), grid_names=(\"x\",))\ndef k(out: Out((2,), i32)):\n  out[0] = axis_index(", name,
                ")\nk()\n");
  };
  expectError(asks("()"), "one axis at least");
  expectError(asks("(\"x\", 3)"), "a tuple of names");
  expectError(asks("(\"x\", \"q\")"), "no axis `q`");
}

// inventory: PH cluster
TEST(KernelGrid, ClustersSayWhereTheyAre) {
  Snippet done(R"(@kernel(grid=(2,), grid_names=("x",), cluster=(2,), cluster_names=("cluster",))
def k(out: InOut((128,), i32)):
  debug_print("block: {} cluster: {}", axis_index("x"), axis_index("cluster"))
  if axis_index("x") + axis_index("cluster") == 0:
    out[...] = out[...]
k(zeros((128,), i32))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  std::multiset<std::string> lines;
  std::istringstream printed(done.printed);
  for (std::string line; std::getline(printed, line);)
    lines.insert(line);
  EXPECT_EQ(lines, (std::multiset<std::string>{"block: 0 cluster: 0", "block: 0 cluster: 1", "block: 1 cluster: 0",
                                               "block: 1 cluster: 1"}));
}

} // namespace
} // namespace lanescope::repl
