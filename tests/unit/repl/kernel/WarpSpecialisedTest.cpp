// Warp-specialised pipelines (repl/kernel/launch/prelude.py) beyond KernelPipelineTest.cpp: barriers that the body
// waits for and arrives at, outputs of one block, and consecutive pipelines that share buffers.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

// inventory: PP pipelined_copy
TEST(WarpSpecialised, CopiesWithAnOutputOfOneBlock) {
  for (const char *manual : {"False", "True"})
    for (int repeats : {1, 10})
      for (int steps : {2, 3}) {
        expectRuns(text("manual, repeats, steps, m, n = ", manual, ", ", repeats, ", ", steps, ", ",
                        full() ? "512, 512" : "192, 96", R"(
@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((m, n), f16), out: Out((m, n), f16), last: Out((64, 32), f16)):
  def body(indices, a, o, l, *consumed):
    o[...] = a[...]
    l[...] = a[...]
    for barrier in consumed:
      barrier_arrive(barrier)
  spec = BlockSpec((64, 32), lambda i, j: (i, j))
  pipeline = emit_pipeline_warp_specialized(body, grid=(m // 64, n // 32), memory_registers=40, wg_axis="wg",
      num_compute_wgs=1, max_concurrent_steps=steps, manual_consumed_barriers=manual, in_specs=[spec],
      out_specs=[spec, BlockSpec((64, 32), lambda i, j: (0, 0))])
  for r in range(repeats):
    pipeline(x, out, last)
x = random((m, n), f16, seed=0)
out, last = k(x)
assert max_error(out, x) == 0 and max_error(last, x[m - 64:, n - 32:]) == 0
)"));
      }
}

// Several warpgroups write the one block together, and once more in the next pipeline, which has the same buffers.
TEST(WarpSpecialised, SeveralWarpgroupsAndAnOutputOfOneBlock) {
  expectRuns(R"(@kernel(num_threads=3, thread_name="wg")
def k(x: GMEM((2, 64, 128), f32), out: Out((2, 64, 32), f32)):
  def body(indices, a, o):
    part = ds(axis_index("wg") * 32, 32)
    if indices[0] == 0:
      o[part] = a[part]
    else:
      o[part] = o[part] + a[part]
  def pipeline_of(r):
    return emit_pipeline_warp_specialized(body, grid=(4,), memory_registers=40, wg_axis="wg", num_compute_wgs=2,
        in_specs=[BlockSpec((None, 64, 32), lambda i: (r, 0, i))], out_specs=[BlockSpec((None, 64, 32), lambda i: (r, 0, 0))])
  with run_scoped(pipeline_of(0).get_allocations(x, out)) as buffers:
    for r in range(2):
      pipeline_of(r)(x, out, allocations=buffers)
x = random((2, 64, 128), f32, seed=1)
assert allclose(k(x), x[:, :, 0:32] + x[:, :, 32:64] + x[:, :, 64:96] + x[:, :, 96:128], rtol=1e-6)
)");
}

// inventory: PP elementwise_add
TEST(WarpSpecialised, ElementwiseAdd) {
  int count = 0;
  for (int m : {256, 64})
    for (int n : {256, 64})
      for (const char *grid : {"(m // 64, n // 64)", "(size[0], size[1])"})
        for (const char *ready : {"False", "True"})
          for (const char *consumed : {"False", "True"})
            for (const char *specs : {"(spec, spec)", "(spec, (spec,), None)"}) {
              if (count++ % 7 != 0 && !full())
                continue;
              bool nested = std::string_view(specs) != "(spec, spec)";
              expectRuns(text("m, n, ready, consumed = ", m, ", ", n, ", ", ready, ", ", consumed,
                              "\n"
                              R"(@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((m, n), f32), y: GMEM((m, n), f32), size: GMEM((2,), i32), out: Out((m, n), f32)):
  def body(indices, *given):
)",
                              nested
                                  ? "    a, (b,), _, o, *barriers = given\n    barriers = [barriers[i] if i % 3 == 0 "
                                    "else barriers[i][0] for i in range(len(barriers)) if i % 3 < 2]\n"
                                  : "    a, b, o, *barriers = given\n",
                              R"(    if ready:
      for barrier in barriers[:2]:
        barrier_wait(barrier)
      barriers = barriers[2:]
    rows = ds(axis_index("wg") * 64, 64)
    o[rows] = a[rows] + b[rows]
    if consumed:
      assert len(barriers) == 2
      for barrier in barriers:
        barrier_arrive(barrier)
  spec = BlockSpec((64, 64), lambda i, j: (i, j))
  emit_pipeline_warp_specialized(body, grid=)",
                              grid, R"(, memory_registers=40, wg_axis="wg", num_compute_wgs=1, max_concurrent_steps=2,
      in_specs=)",
                              specs, R"(, out_specs=[spec], manual_ready_barriers=ready,
      manual_consumed_barriers=consumed)(x, )",
                              nested ? "(y,), None" : "y", R"(, out)
x, y = random((m, n), f32, seed=2), random((m, n), f32, seed=3)
assert max_error(k(x, y, array([m // 64, n // 64], i32)), x + y) == 0
)"));
            }
}

// inventory: PP delay_release
TEST(WarpSpecialised, DelayedRelease) {
  int count = 0;
  for (const char *grid : {"(m // 32, m // 64)", "(size[0], size[1])"})
    for (const char *manual : {"False", "True"})
      for (int m : {64, 256})
        for (int steps : {2, 3, 4}) {
          if (count++ % 5 != 0 && !full())
            continue;
          expectRuns(text("m, manual, steps = ", m, ", ", manual, ", ", steps, R"(
@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((m, m), f32), y: GMEM((m, m), f32), size: GMEM((2,), i32), out: Out((m, m), f32)):
  def body(indices, a, b, o, *consumed):
    o[...] = a[...] + b[...]
    if manual:
      if indices[0] != 0 or indices[1] != 0:
        for barrier in consumed:
          barrier_arrive(barrier)
  late = BlockSpec((32, 64), lambda i, j: (i, j), delay_release=1)
  emit_pipeline_warp_specialized(body, grid=)",
                          grid, R"(, memory_registers=40, wg_axis="wg", num_compute_wgs=1, max_concurrent_steps=steps,
      manual_consumed_barriers=manual, in_specs=[late, late], out_specs=[BlockSpec((32, 64), lambda i, j: (i, j))])(x, y, out)
x, y = random((m, m), f32, seed=4), random((m, m), f32, seed=5)
assert max_error(k(x, y, array([m // 32, m // 64], i32)), x + y) == 0
)"));
        }
}

// inventory: PP repeat
TEST(WarpSpecialised, Repeats) {
  for (int delay : {0, 1})
    expectRuns(text("delay = ", delay, R"(
@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((64, 256), f32), out: Out((64, 256), f32)):
  def body(indices, a, o):
    o[...] = a[...] + 1.0
  for r in static_range(3):
    emit_pipeline_warp_specialized(body, grid=(4,), memory_registers=40, wg_axis="wg", num_compute_wgs=1,
        max_concurrent_steps=2, in_specs=[BlockSpec((64, 64), lambda i: (0, i), delay_release=delay)],
        out_specs=[BlockSpec((64, 64), lambda i: (0, i))])(x, out)
x = random((64, 256), f32, seed=6)
assert max_error(k(x), x + 1.0) == 0
)"));
}

// inventory: PP carry_accumulate
TEST(WarpSpecialised, CarryOfTwoWarpgroups) {
  expectRuns(R"(@kernel(num_threads=3, thread_name="wg", scratch=[SMEM((64, 64), f32)])
def k(x: GMEM((256, 256), f32), out: Out((64, 64), f32), total):
  def context(pipeline):
    value = pipeline(layout_cast(full((64, 64), 0.0, f32), WGStridedFragLayout(shape=(64, 64), vec_size=2)))
    if axis_index("wg") == 0: # both have the same
      total[...] = value
      commit_smem()
      copy_smem_to_gmem(total, out)
      wait_smem_to_gmem(0)
  emit_pipeline_warp_specialized(lambda indices, a, carry: a[...] + carry, grid=(4, 4), memory_registers=40, wg_axis="wg",
      num_compute_wgs=2, max_concurrent_steps=2, compute_context=context, in_specs=[BlockSpec((64, 64), lambda i, j: (i, j))])(x)
x = random((256, 256), f32, seed=7)
wanted = zeros((64, 64), f32)
for i in range(4):
  for j in range(4):
    wanted = wanted + x[i * 64:i * 64 + 64, j * 64:j * 64 + 64]
assert allclose(k(x), wanted, atol=1e-4)
)");
}

// inventory: PP no_output
TEST(WarpSpecialised, NoOutput) {
  expectRuns(text("m, repeats = ", full() ? "256, 10" : "128, 3", R"(
@kernel(num_threads=3, thread_name="wg", scratch=[SMEM((64, 64), f32), Barrier(num_arrivals=3)])
def k(x: GMEM((m, m), f32), out: Out((64, 64), f32), total, meet):
  if axis_index("wg") == 0:
    total[...] = full((64, 64), 0.0, f32)
  barrier_arrive(meet)
  barrier_wait(meet)
  def body(indices, a):
    part = ds(axis_index("wg") * 32, 32)
    total[part] = total[part] + a[part]
  for r in range(repeats):
    emit_pipeline_warp_specialized(body, grid=(m // 64, m // 64), memory_registers=40, wg_axis="wg", num_compute_wgs=2,
        max_concurrent_steps=2, in_specs=[BlockSpec((64, 64), lambda i, j: (i, j))])(x)
  commit_smem()
  barrier_arrive(meet)
  barrier_wait(meet)
  if axis_index("wg") == 0:
    copy_smem_to_gmem(total, out)
    wait_smem_to_gmem(0)
x = random((m, m), f32, seed=8)
wanted = zeros((64, 64), f32)
for i in range(m // 64):
  for j in range(m // 64):
    wanted = wanted + x[i * 64:i * 64 + 64, j * 64:j * 64 + 64] * repeats
assert allclose(k(x), wanted, rtol=5e-6, atol=5e-6)
)"));
}

/// The body adds up the blocks of x; the pipelines share their buffers.
std::string sums(const std::string &manual, const std::string &calls) {
  return text("manual, m = ", manual, ", ", full() ? "512" : "128", R"(
@kernel(num_threads=2, thread_name="wg", scratch=[SMEM((64, 64), i32)])
def k(x: GMEM((m, m), i32), y: GMEM((m, m), i32), out: Out((64, 64), i32), total):
  if axis_index("wg") == 0:
    total[...] = full((64, 64), 0, i32)
  def body(indices, *given):
    blocks = given[:len(given) // 2] if manual else given
    for a in blocks:
      total[...] = total[...] + a[...]
    if manual:
      for barrier in given[len(given) // 2:]:
        barrier_arrive(barrier)
  spec = BlockSpec((64, 64), lambda i, j: (i, j))
  def pipeline_in(state, inputs=1):
    return emit_pipeline_warp_specialized(body, grid=(m // 64, m // 64), memory_registers=40, wg_axis="wg", num_compute_wgs=1,
        max_concurrent_steps=2, pipeline_state=state, manual_consumed_barriers=manual, in_specs=[spec] * inputs)
)",
              calls, R"(  if axis_index("wg") == 0:
    out[...] = total[...]
def sum_of_blocks(x):
  wanted = zeros((64, 64), i32)
  for i in range(m // 64):
    for j in range(m // 64):
      wanted = wanted + x[i * 64:i * 64 + 64, j * 64:j * 64 + 64]
  return wanted
x = (random((m, m), f32, seed=9) * 100).astype(i32)
y = (random((m, m), f32, seed=10) * 100).astype(i32)
)");
}

// inventory: PP pipelined_pipeline
TEST(WarpSpecialised, PipelinesInARow) {
  for (const char *manual : {"False", "True"}) {
    expectRuns(sums(manual, R"(  with run_scoped(pipeline_in(None).get_allocations(x)) as buffers:
    for outer in range(2):
      for i in range(4):
        state = PipelinePipeline.START
        state = PipelinePipeline.STEADY if i > 0 else state
        state = PipelinePipeline.STOP if i == 3 else state
        pipeline_in(state)(x, allocations=buffers)
      pipeline_in(None)(x, allocations=buffers)
)") + "assert max_error(k(x, y), sum_of_blocks(x) * 10) == 0\n");
    // The states are known at trace time, and the arrays differ from one pipeline to the next.
    expectRuns(sums(manual, R"(  with run_scoped(pipeline_in(None).get_allocations(x)) as buffers:
    pipeline_in(PipelinePipeline.START)(x, allocations=buffers)
    pipeline_in(PipelinePipeline.STEADY)(y, allocations=buffers)
    pipeline_in(PipelinePipeline.STOP)(x, allocations=buffers)
)") + "assert max_error(k(x, y), sum_of_blocks(x) * 2 + sum_of_blocks(y)) == 0\n");
  }
}

// inventory: PP pipeline_with_manual_allocation
TEST(WarpSpecialised, AllocatedByTheCaller) {
  for (const char *manual : {"False", "True"})
    expectRuns(sums(manual, R"(  pipeline = pipeline_in(None, 2)
  with run_scoped(pipeline.get_allocations(x, y)) as buffers:
    for outer in range(4):
      pipeline(x, y, allocations=buffers)
)") + "assert max_error(k(x, y), (sum_of_blocks(x) + sum_of_blocks(y)) * 4) == 0\n");
}

// inventory: PP pipeline_mode
TEST(WarpSpecialised, Mistakes) {
  auto called = [](const std::string &arguments, const std::string &call) {
    return "@kernel(num_threads=2, thread_name=\"wg\")\n"
           "def k(x: GMEM((6, 128), f32), n: GMEM((1,), i32)):\n  def body(indices, *blocks):\n    pass\n"
           "  spec = BlockSpec((None, 128), lambda i: (i, 0))\n"
           "  late = BlockSpec((None, 128), lambda i: (i, 0), delay_release=1)\n"
           "  def pipeline_in(state, specs=[spec], grid=(6,)):\n"
           "    return emit_pipeline_warp_specialized(body, grid=grid, memory_registers=40, wg_axis=\"wg\", "
           "num_compute_wgs=1, in_specs=specs, pipeline_state=state)\n  pipeline = pipeline_in(" +
           arguments + ")\n  " + call + "\nk(zeros((6, 128), f32), zeros((1,), i32))\n";
  };
  std::string scoped = "with run_scoped(pipeline_in(None).get_allocations(x)) as buffers:\n    ";
  expectError(called("PipelinePipeline.START", "pipeline(x)"), "a pipeline_state goes with allocations");
  expectError(called("PipelinePipeline.START, grid=(5,)", "pipeline(x)"), "a multiple of max_concurrent_steps steps");
  expectError(called("PipelinePipeline.START, grid=(n[0],)", "pipeline(x)"), "known while tracing");
  expectError(called("PipelinePipeline.START, [late]", "pipeline(x)"), "has no delay_release");
  expectError(called("3", "pipeline(x)"), "START, STEADY and STOP");
  expectError(called("PipelinePipeline.HALT", "pipeline(x)"), "HALT");
  expectError(called("None", "pipeline.allocations(x)"), "allocations");
  expectError(called("None", "pipeline(x, allocations=3)"), "get_allocations");
  expectError(called("None, [spec, spec]", scoped + "pipeline(x, x, allocations=buffers)"), "of another pipeline");
  expectError(called("None, [spec, (spec,)]", "pipeline(x, x)"), "one reference for each spec");
  expectError(called("None, [spec, None]", "pipeline(x, x)"), "one reference for each spec");
  expectError("BlockSpec((256,), lambda i: (i,), pipeline_mode=Buffered(2))\n", "pipeline_mode is not supported");
}

} // namespace
} // namespace lanescope::repl
