// Pipelines and loops over grids (repl/kernel/launch/prelude.py), run on the emulator.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

// inventory: PP emit, PL add_one_grid_pipelined
TEST(KernelPipeline, Emit) {
  for (const char *transforms : {"()", "(TilingTransform((8, 32)), SwizzleTransform(128))"})
    for (int steps : {1, 2, 3, 4, 16})
      expectRuns("transforms, steps = " + std::string(transforms) + ", " + std::to_string(steps) + R"(
@kernel()
def k(x: GMEM((64, 256), f32), out: Out((64, 256), f32)):
  def body(indices, a, o):
    o[...] = a[...] + 1.0 + indices[0].astype(f32)
  spec = BlockSpec((64, 64), lambda i: (0, i), transforms=transforms)
  emit_pipeline(body, grid=(4,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=steps)(x, out)
x = random((64, 256), f32, seed=0)
out = k(x)
for i in range(4):
  assert max_error(out[:, i * 64:i * 64 + 64], x[:, i * 64:i * 64 + 64] + 1.0 + i) == 0
)");
}

// inventory: PP emit_with_2d_grid, emit_with_dynamic_grid_smaller_than_concurrent_steps, emit_with_carry
// inventory: PP emit_in_specs_only, emit_with_no_output
TEST(KernelPipeline, GridsAndCarries) {
  for (const char *sizes : {"(2, 3)", "(n[0], 3)", "(2, n[1])", "(n[2], n[3])"})
    for (int steps : {2, 4})
      expectRuns("steps = " + std::to_string(steps) + R"(
@kernel()
def k(x: GMEM((2, 3, 128), f32), n: GMEM((4,), i32), out: Out((2, 3, 128), f32), total: Out((128,), f32)):
  def body(indices, a, o, carry):
    o[...] = a[...] * 2.0
    return carry + a[...]
  spec = BlockSpec((None, Squeezed(), 128), lambda i, j: (i, j, 0))
  carry = emit_pipeline(body, grid=)" +
                 std::string(sizes) +
                 R"(, in_specs=[spec], out_specs=[spec], max_concurrent_steps=steps,
                        init_carry=broadcast_in_dim(0.0, (128,), ()))(x, out)
  def sum_only(indices, a, carry):
    return carry + a[...]
  again = emit_pipeline(sum_only, grid=)" +
                 sizes + R"(, in_specs=[spec], max_concurrent_steps=steps, init_carry=carry)(x)
  total[...] = again
sizes = (2, 3, 1, 1)
n = arange(4).astype(i32) * 0 + 1
n = ((arange(4).astype(i32) == 0).astype(i32) * 2 + (arange(4).astype(i32) == 1).astype(i32) * 3 +
     (arange(4).astype(i32) >= 2).astype(i32))
x = random((2, 3, 128), f32, seed=1)
out, total = k(x, n)
)" +
                 (std::string(sizes) == "(n[2], n[3])"
                      ? "assert max_error(out[0, 0], x[0, 0] * 2.0) == 0\n"
                        "assert allclose(total, x[0, 0] * 2.0)\n"
                        "assert max_error(out[1], zeros((3, 128), f32)) == 0\n"
                      : "assert max_error(out, x * 2.0) == 0\n"
                        "wanted = zeros((128,), f32)\n"
                        "for i in range(2):\n  for j in range(3):\n    wanted = wanted + x[i, j]\n"
                        "assert allclose(total, wanted * 2.0, rtol=1e-5, atol=1e-5)\n"));
}

// inventory: PP emit_with_grid_invariant_output, PL add_one_grid_pipelined_sequential_invariant_output
TEST(KernelPipeline, InvariantOutput) {
  expectRuns(R"(@kernel()
def k(x: GMEM((4, 128), f32), out: Out((128,), f32), each: Out((4, 128), f32)):
  def body(indices, a, o, e):
    if indices[0] == 0:
      o[...] = a[...]
    else:
      o[...] = o[...] + a[...]
    e[...] = a[...] + 1.0
  rows = BlockSpec((None, 128), lambda i: (i, 0))
  emit_pipeline(body, grid=(4,), in_specs=[rows], out_specs=[BlockSpec((128,), lambda i: (0,)), rows],
                max_concurrent_steps=2)(x, out, each)
x = random((4, 128), f32, seed=2)
out, each = k(x)
assert allclose(out, x[0] + x[1] + x[2] + x[3], rtol=1e-6)
assert max_error(each, x + 1.0) == 0
)");
}

// An output block may stay for several rounds: only the last round that writes the block stores it.
TEST(KernelPipeline, OutputsThatStay) {
  expectRuns(R"(@kernel()
def k(x: GMEM((6, 128), f32), out: Out((2, 128), f32)):
  def body(indices, a, o):
    o[...] = a[...] * 3.0
  emit_pipeline(body, grid=(2, 3), in_specs=[BlockSpec((None, 128), lambda i, j: (i * 3 + j, 0))],
                out_specs=[BlockSpec((None, 128), lambda i, j: (i, 0))], max_concurrent_steps=2)(x, out)
x = random((6, 128), f32, seed=2)
out = k(x)
assert max_error(out[0], x[2] * 3.0) == 0 and max_error(out[1], x[5] * 3.0) == 0
)");
}

// inventory: PP emit_with_squeezed_dim, emit_with_element_dim, emit_with_parallel_grid
TEST(KernelPipeline, Dimensions) {
  expectRuns(R"(@kernel(grid=(2,), grid_names=("b",))
def k(x: GMEM((20, 256), f32), out: Out((16, 256), f32)):
  b = axis_index("b")
  def body(indices, a, o):
    o[...] = a[...]
  emit_pipeline(body, grid=(8,), in_specs=[BlockSpec((Element(4), 128), lambda i: (i + b * 8, 1))],
                out_specs=[BlockSpec((None, None, 128), lambda i: (0, i + b * 8, 1))] if False else
                          [BlockSpec((Blocked(4), 128), lambda i: (i // 4 + b * 2, 1))],
                max_concurrent_steps=2)(x, out)
x = random((20, 256), f32, seed=3)
out = k(x)
for b in range(2):
  for i in range(2):
    last = i * 4 + 3 + b * 8
    assert max_error(out[(i + b * 2) * 4:(i + b * 2) * 4 + 4, 128:256], x[last:last + 4, 128:256]) == 0
)");
}

// inventory: PP nested_emit
TEST(KernelPipeline, Nested) {
  expectRuns(R"(@kernel()
def k(x: GMEM((3, 2, 128), f32), out: Out((3, 2, 128), f32)):
  def outer(indices):
    i = indices[0]
    def inner(places, a, o):
      o[...] = a[...] + 2.0
    spec = BlockSpec((None, None, 128), lambda j: (i, j, 0))
    emit_pipeline(inner, grid=(2,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=2)(x, out)
  emit_pipeline(outer, grid=(3,))()
x = random((3, 2, 128), f32, seed=4)
assert max_error(k(x), x + 2.0) == 0
)");
}

// Three inputs stay in their buffers for 0, 1 and 2 more rounds.
// inventory: PP different_delay_release
TEST(KernelPipeline, DifferentDelays) {
  expectRuns(R"(@kernel()
def k(x: GMEM((128, 64), f32), y: GMEM((128, 64), f32), z: GMEM((128, 64), f32), out: Out((128, 64), f32)):
  def body(indices, a, b, c, o):
    o[...] = a[...] + b[...] + c[...]
  ins = [BlockSpec((32, 32), lambda i, j: (i, j), delay_release=delay) for delay in range(3)]
  emit_pipeline(body, grid=(4, 2), in_specs=ins, out_specs=[BlockSpec((32, 32), lambda i, j: (i, j))],
                max_concurrent_steps=4)(x, y, z, out)
x, y, z = [random((128, 64), f32, seed=seed) for seed in range(3)]
assert max_error(k(x, y, z), x + y + z) == 0
)");
}

// An output whose block depends on a loop around the pipeline, and not on the pipeline's grid, is one block.
TEST(KernelPipeline, BlocksOfALoopAround) {
  expectRuns(R"(@kernel()
def k(x: GMEM((3, 4, 128), f32), out: Out((3, 128), f32)):
  for r in range(3):
    def body(indices, a, o):
      if indices[0] == 0:
        o[...] = a[...]
      else:
        o[...] = o[...] + a[...]
    emit_pipeline(body, grid=(4,), in_specs=[BlockSpec((None, None, 128), lambda i: (r, i, 0))],
                  out_specs=[BlockSpec((None, 128), lambda i: (r, 0))], max_concurrent_steps=2)(x, out)
x = random((3, 4, 128), f32, seed=12)
assert allclose(k(x), x[:, 0] + x[:, 1] + x[:, 2] + x[:, 3], rtol=1e-6, atol=1e-6)
)");
}

// A block may stay for more rounds if its reader is asynchronous.
TEST(KernelPipeline, DelayedRelease) {
  for (int delay : {0, 1, 2})
    expectRuns("delay = " + std::to_string(delay) + R"(
@kernel()
def k(x: GMEM((7, 128), f32), y: GMEM((7, 128), f32), out: Out((7, 128), f32)):
  def body(indices, a, b, o):
    o[...] = a[...] + b[...]
  late = BlockSpec((None, 128), lambda i: (i, 0), delay_release=delay)
  rows = BlockSpec((None, 128), lambda i: (i, 0))
  emit_pipeline(body, grid=(7,), in_specs=[late, rows], out_specs=[rows], max_concurrent_steps=3)(x, y, out)
x, y = random((7, 128), f32, seed=5), random((7, 128), f32, seed=6)
assert max_error(k(x, y), x + y) == 0
)");
}

TEST(KernelPipeline, WarpSpecialised) {
  for (const char *manual : {"False", "True"})
    for (int workers : {1, 2})
      for (int steps : {2, 3, 4}) {
        if (!full() && (steps + workers) % 2 == 0)
          continue;
        expectRuns("manual, workers, steps = " + std::string(manual) + ", " + std::to_string(workers) + ", " +
                   std::to_string(steps) + R"(
@kernel(num_threads=workers + 1, thread_name="wg")
def k(x: GMEM((128, 160), f32), y: GMEM((128, 160), f32), out: Out((128, 160), f32)):
  rows = 128 // workers
  def body(indices, a, b, o, *done):
    part = ds(axis_index("wg") * rows, rows)
    o[part] = a[part] + b[part]
    if manual:
      for barrier in done:
        barrier_arrive(barrier)
  delay = 0 if manual else steps - 2
  swizzled = (TilingTransform((8, 32)), SwizzleTransform(128))
  spec = BlockSpec((128, 32), lambda i: (0, i), transforms=swizzled, delay_release=delay)
  pipeline = emit_pipeline_warp_specialized(body, grid=(5,), memory_registers=40, wg_axis="wg",
      num_compute_wgs=workers, in_specs=[spec, spec], out_specs=[BlockSpec((128, 32), lambda i: (0, i),
      transforms=swizzled)], max_concurrent_steps=steps, manual_consumed_barriers=manual)
  pipeline(x, y, out)
x, y = random((128, 160), f32, seed=7), random((128, 160), f32, seed=8)
assert max_error(k(x, y), x + y) == 0
)");
      }
}

// inventory: PP emit_with_dynamic_grid_smaller_than_concurrent_steps
TEST(KernelPipeline, WarpSpecialisedCarry) {
  for (const char *size : {"6", "n[0]", "n[1]"})
    expectRuns(std::string(R"(@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((6, 128), f32), n: GMEM((2,), i32), out: Out((3, 128), f32)):
  def body(indices, a, carry):
    return carry + a[...]
  for r in range(3):
    def context(pipeline):
      out[r] = pipeline(broadcast_in_dim(1.0, (128,), ()))
    emit_pipeline_warp_specialized(body, grid=()") +
               size + R"(,), memory_registers=40, wg_axis="wg", num_compute_wgs=1,
        in_specs=[BlockSpec((None, 128), lambda i: (i, 0), delay_release=1)], max_concurrent_steps=4, compute_context=context)(x)
x = random((6, 128), f32, seed=9)
n = 6 - arange(2).astype(i32) * 4
out = k(x, n)
wanted = ones((128,), f32)
for i in range()" +
               (std::string(size) == "n[1]" ? "2" : "6") +
               R"():
  wanted = wanted + x[i]
for r in range(3):
  assert max_error(out[r], wanted) == 0
)");
}

// inventory: PP collective
TEST(KernelPipeline, CollectiveInputs) {
  expectRuns(R"(@kernel(cluster=(2,), cluster_names=("c",), num_threads=2, thread_name="wg")
def k(x: GMEM((64, 512), f16), y: GMEM((2, 64, 512), f16), out: Out((2, 64, 512), f16)):
  c = axis_index("c")
  def body(indices, a, b, o):
    o[...] = a[...] + b[...]
  shared = BlockSpec((64, 64), lambda i: (0, i), transforms=(TilingTransform((8, 64)), SwizzleTransform(128)), collective_axes="c")
  own = BlockSpec((None, 64, 64), lambda i: (c, 0, i))
  emit_pipeline_warp_specialized(body, grid=(8,), memory_registers=40, wg_axis="wg", num_compute_wgs=1,
      in_specs=[shared, own], out_specs=[own], max_concurrent_steps=2)(x, y, out)
x, y = random((64, 512), f16, seed=10), random((2, 64, 512), f16, seed=11)
out = k(x, y)
assert max_error(out[0], x + y[0]) == 0 and max_error(out[1], x + y[1]) == 0
)");
}

// inventory: PP emit_with_empty_grid, stationary_input
TEST(KernelPipeline, Mistakes) {
  auto plain = [](const std::string &arguments) {
    return "@kernel()\ndef k(x: GMEM((4, 128), f32), out: Out((4, 128), f32)):\n  def body(indices, a, o):\n"
           "    o[...] = a[...]\n  spec = BlockSpec((None, 128), lambda *i: (i[0], 0))\n"
           "  late = BlockSpec((None, 128), lambda *i: (i[0], 0), delay_release=2)\n"
           "  emit_pipeline(body, " +
           arguments + ")(x, out)\nk(zeros((4, 128), f32))\n";
  };
  expectError(plain("grid=(0, 2), in_specs=[spec], out_specs=[spec]"), "above 0");
  expectError(plain("grid=(2, -1), in_specs=[spec], out_specs=[spec]"), "above 0");
  expectError(plain("grid=(4,), in_specs=[late], out_specs=[spec], max_concurrent_steps=2"), "delay_release");
  expectError(plain("grid=(4,), in_specs=[spec], out_specs=[]"), "one reference for each spec");
  expectError(plain("grid=(4,), in_specs=[spec], out_specs=[spec], steps=2"), "steps");
  auto special = [](const std::string &specs, const std::string &more = "") {
    return "@kernel(num_threads=2, thread_name=\"wg\")\ndef k(x: GMEM((4, 128), f32), y: GMEM((4, 128), f32)):\n"
           "  def body(indices, a, b):\n    pass\n  spec = BlockSpec((None, 128), lambda i: (i, 0))\n"
           "  still = BlockSpec((None, 128), lambda i: (0, 0))\n"
           "  late = BlockSpec((None, 128), lambda i: (i, 0), delay_release=1)\n"
           "  emit_pipeline_warp_specialized(body, grid=(4,), memory_registers=40, wg_axis=\"wg\", num_compute_wgs=1, "
           "in_specs=" +
           specs + more + ")(x, y)\nk(zeros((4, 128), f32), zeros((4, 128), f32))\n";
  };
  expectError(special("[spec, still]"), "depends on the grid");
  expectError(special("[spec, late]"), "the same delay_release");
  expectError(special("[spec, spec]", ", memory_thread_idx=0"), "is the last one");
}

// inventory: PL nd_loop, nd_loop_with_carry
// Errors in the library are reported at the snippet's call, because the library's source is not the user's.
TEST(KernelPipeline, ErrorsAreAtTheSnippetsCall) {
  const std::string frame = R"(
spec = BlockSpec((1, 128), lambda i: (i, 0))
@kernel()
def k(a: GMEM((4, 128), f32), o: Out((4, 128), f32)):
  def body(at, x, y):
    y[...] = WHAT
  emit_pipeline(body, grid=(GRID,), in_specs=[spec], out_specs=[spec])(a, o)
k(zeros((4, 128), f32))
)";
  auto with = [&](std::string_view what, std::string_view grid) {
    std::string text = frame;
    text.replace(text.find("WHAT"), 4, what);
    return text.replace(text.find("GRID"), 4, grid);
  };
  Snippet none(with("x[...]", "0"));
  EXPECT_EQ(none.place(), "7:3");
  EXPECT_EQ(none.errors.find("prelude.py"), std::string::npos) << none.errors;
  EXPECT_EQ(none.errors.find("assertion"), std::string::npos) << none.errors;
  Snippet body(with("x[...] @ x[...]", "4"));
  EXPECT_EQ(body.place(), "6:14") << body.errors;
  EXPECT_EQ(body.errors.find("prelude.py"), std::string::npos) << body.errors;
}

// A pipeline's copy overwrites the operands of a product in flight. The report names the call and the product.
TEST(KernelPipeline, FaultsAreAtTheSnippetsCall) {
  Snippet done(R"(
tiles = (TilingTransform((8, 64)), SwizzleTransform(128))
left, right = BlockSpec((64, 64), lambda i: (0, i), transforms=tiles), BlockSpec((64, 64), lambda i: (i, 0), transforms=tiles)
@kernel(scratch=[ACC((64, 64), f32)])
def k(a: GMEM((64, 512), f16), b: GMEM((512, 64), f16), o: Out((64, 64), f32), acc):
  def body(at, x, y):
    wgmma(acc, x, y)
    wgmma_wait(1)
  emit_pipeline(body, grid=(8,), in_specs=[left, right], max_concurrent_steps=3)(a, b)
  o[...] = acc[...]
k(zeros((64, 512), f16), zeros((512, 64), f16))
)");
  ASSERT_FALSE(done.ok);
  EXPECT_EQ(done.place(), "9:3") << done.errors;
  EXPECT_NE(done.errors.find("k.py:7:5"), std::string::npos) << done.errors;
}

TEST(KernelPipeline, LoopsOverGrids) {
  for (const char *tiling : {"None", "(1, 2, 11)", "(None, 4, 3)"})
    for (int blocks : {1, 2, 3}) {
      expectRuns("tiling, blocks = " + std::string(tiling) + ", " + std::to_string(blocks) + R"(
@kernel(grid=(blocks,), grid_names=("sm",))
def k(out: Out((3, 4, 33), i32), count: Out((3,), i32)):
  sm = axis_index("sm")
  def body(index, carry):
    i, j, l = index
    out[i, j, l] = sm * 1000 + carry
    return carry + 1
  count[sm] = nd_loop((3, 4, 33), collective_axes="sm", tiling=tiling, init_carry=1)(body)
out, count = k()
order = []
tiles = [s if tiling is None or t is None else t for s, t in zip((3, 4, 33), tiling if tiling is not None else (0, 0, 0))]
for a in range(3 // tiles[0]):
  for b in range(4 // tiles[1]):
    for c in range(33 // tiles[2]):
      for i in range(tiles[0]):
        for j in range(tiles[1]):
          for l in range(tiles[2]):
            order.append((a * tiles[0] + i, b * tiles[1] + j, c * tiles[2] + l))
for step, place in enumerate(order):
  assert out[place] == step % blocks * 1000 + step // blocks + 1
)");
      if (!full())
        break;
    }
}

// inventory: PH planar_snake, planar_snake_golden, planar_snake_golden_with_partial_tile
TEST(KernelPipeline, PlanarSnake) {
  expectRuns(R"(# Host values: stripes of two along dimension 0, back and forth.
assert [planar_snake(i, (5, 3), 0, 2) for i in range(15)] == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2),
  (2, 2), (3, 2), (2, 1), (3, 1), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2)]
for shape in ((4, 16), (16, 4), (5, 5), (8, 8)):
  for minor in (0, 1):
    for width in (1, 2, 4):
      places = [planar_snake(i, shape, minor, width) for i in range(shape[0] * shape[1])]
      assert sorted(places) == [(i, j) for i in range(shape[0]) for j in range(shape[1])]
@kernel()
def k(n: GMEM((2,), i32), out: Out((5, 7), i32), other: Out((5, 7), i32)):
  for i in range(35):
    a, b = planar_snake(i, (5, 7), 1, 2)
    out[a, b] = i
    a, b = planar_snake(i, (n[0], n[1]), 0, 2)
    other[a, b] = i
out, other = k(arange(2).astype(i32) * 2 + 5)
for i in range(35):
  assert out[planar_snake(i, (5, 7), 1, 2)] == i and other[planar_snake(i, (5, 7), 0, 2)] == i
)");
}

// The prelude keeps its own names, even if a session rebinds them.
TEST(KernelPipeline, KeepsItsNames) {
  expectRuns(R"(min = 3
product = 4
unravel = 5
@kernel()
def k(x: GMEM((4, 128), f32), out: Out((4, 128), f32)):
  def body(indices, a, o):
    o[...] = a[...]
  spec = BlockSpec((None, 128), lambda i: (i, 0))
  emit_pipeline(body, grid=(4,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=2)(x, out)
x = random((4, 128), f32)
assert max_error(k(x), x) == 0
)");
}

} // namespace
} // namespace lanescope::repl
