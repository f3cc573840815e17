// Kernels on several devices that access each other's memory, on the emulator. Each snippet checks its own numbers.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

/// Runs the text with `devices` set to 1, 2, 4 and 8, and with `line`, a mesh of that many in a row.
void onLines(const std::string &text) {
  for (int devices : {1, 2, 4, 8})
    expectRuns(lanescope::text("devices = ", devices, "\nline = {\"x\": devices}\n", text));
}

// inventory: MD get_device_id
TEST(Devices, TellWhichTheyAre) {
  onLines(R"(@kernel(mesh=line)
def k(out: Out((2,), i32, sharding="x")):
  out[0] = device_id()
  out[1] = axis_index("x") + 100 * axis_size("x")
out = k()
for d in range(devices):
  assert out[2 * d] == d and out[2 * d + 1] == d + 100 * devices
)");
}

TEST(Devices, HavePlacesInAMesh) {
  expectRuns(R"(@kernel(mesh={"x": 2, "y": 4}, grid=(3,), grid_names=("b",))
def k(out: Out((3, 5), i32, sharding=(None, ("x", "y")))):
  b = axis_index("b")
  out[b, 0] = device_id()
  out[b, 1] = axis_index("x")
  out[b, 2] = axis_index("y")
  out[b, 3] = axis_index(("y", "x"))
  out[b, 4] = axis_size(("x", "y")) + b
out = k()
for d in range(8):
  for b in range(3):
    assert tuple([int(v) for v in out[b, 5 * d:5 * d + 5]]) == (d, d // 4, d % 4, d % 4 * 2 + d // 4, 8 + b)
)");
}

// inventory: MD remote_semaphore, multigpu
TEST(Devices, SignalEachOther) {
  onLines(R"(@kernel(mesh=line, scratch=[Semaphore(count=3)])
def k(x: GMEM((128,), f32, sharding="x"), out: Out((128,), f32, sharding="x"), s):
  following = (axis_index("x") + 1) % devices
  remote_ref(out, following)[...] = x[...] * 2
  semaphore_signal(s.at[1], 3, device_id=following)
  semaphore_wait(s.at[1], 2)
  semaphore_wait(s.at[1])
x = random((128 * devices,), f32, seed=0)
out = k(x)
for d in range(devices):
  n = (d + 1) % devices
  assert max_error(out[128 * n:128 * n + 128], x[128 * d:128 * d + 128] * 2) == 0
)");
}

TEST(Devices, SignalSeveralAfterOneFence) {
  Snippet done(R"(@kernel(mesh={"x": 4}, scratch=[Semaphore(count=2)])
def k(x: GMEM((128,), i32, sharding="x"), out: Out((3, 128), i32, sharding=(None, "x")), s):
  me = axis_index("x")
  for other in static_range(1, 4):
    remote_ref(out, (me + other) % 4)[other - 1] = x[...]
  semaphore_signal_parallel(SemaphoreSignal(s.at[0], device_id=(me + 1) % 4), SemaphoreSignal(s.at[0], device_id=(me + 2) % 4),
                            SemaphoreSignal(s.at[1], 5, device_id=(me + 3) % 4))
  semaphore_wait(s.at[0], 2)
  semaphore_wait(s.at[1], 5)
x = arange(512).astype(i32)
out = k(x)
for d in range(4):
  for other in range(1, 4):
    assert max_error(out[other - 1, 128 * d:128 * d + 128], x[128 * ((d + 4 - other) % 4):128 * ((d + 4 - other) % 4) + 128]) == 0
print(ptx(k, x))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  size_t fences = 0;
  for (size_t at = done.printed.find("fence.acq_rel.sys"); at != std::string::npos;
       at = done.printed.find("fence.acq_rel.sys", at + 1))
    ++fences;
  EXPECT_EQ(fences, 1u);
  EXPECT_LT(done.printed.find("fence.acq_rel.sys"), done.printed.find("red.relaxed.sys.global.add.u32"));
  EXPECT_EQ(done.printed.find("red.release"), std::string::npos);
}

// A device is named by its coordinates along all axes, along some axes, or by its number.
TEST(Devices, AreNamedInThreeWays) {
  for (const char *other : {"(1 - axis_index(\"x\"), axis_index(\"y\"))", "{\"x\": 1 - axis_index(\"x\")}",
                            "(device_id() + 2) % 4, device_id_type=\"logical\""})
    expectRuns(text(R"(@kernel(mesh={"x": 2, "y": 2}, scratch=[Semaphore()])
def k(x: GMEM((128,), f32, sharding=(("x", "y"),)), out: Out((128,), f32, sharding=(("x", "y"),)), s):
  remote_ref(out, )",
                    other, R"()[...] = x[...]
  semaphore_signal(s, device_id=)",
                    other, R"()
  semaphore_wait(s)
x = random((512,), f32, seed=0)
assert max_error(k(x), concatenate([x[256:], x[:256]])) == 0
)"));
}

// inventory: MD remote_async_copy_basic
TEST(Devices, CopyToEachOther) {
  for (const char *shape : {"(64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))",
                            "(64, 64), f16", "(64, 64), i32, transforms=TilingTransform((8, 16))"})
    onLines(text("buffer = SMEM(", shape,
                 ")\ndtype = ", std::string(shape).find("i32") == std::string::npos ? "f16" : "i32",
                 R"(
@kernel(mesh=line, scratch=[buffer, Semaphore(), Barrier()])
def k(x: GMEM((64, 64), dtype, sharding=("x",)), out: Out((128, 64), dtype, sharding=("x",)), tile, done, loaded):
  following = (axis_index("x") + 1) % devices
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, remote_ref(out, following).at[ds(64, 64)])
  copy_smem_to_gmem(tile, out.at[0:64])
  wait_smem_to_gmem(0)
  semaphore_signal(done, device_id=following)
  semaphore_wait(done)
x = (arange(64 * 64 * devices) % 1000).reshape((64 * devices, 64)).astype(dtype)
out = k(x)
for d in range(devices):
  p = (d + devices - 1) % devices
  assert max_error(out[128 * d:128 * d + 64], x[64 * d:64 * d + 64]) == 0
  assert max_error(out[128 * d + 64:128 * d + 128], x[64 * p:64 * p + 64]) == 0
)"));
}

// inventory: MD remote_async_copy_add
TEST(Devices, CopiesCombine) {
  for (auto [dtype, op, host] : {std::tuple("f32", "add", "a + b"), std::tuple("f16", "max", "maximum(a, b)"),
                                 std::tuple("i32", "min", "minimum(a, b)"), std::tuple("u32", "xor", "a ^ b"),
                                 std::tuple("bf16", "add", "a + b")})
    onLines(text("dtype = ", dtype, R"(
@kernel(mesh=line, scratch=[SMEM((64, 64), dtype), Semaphore(), Barrier()])
def k(x: GMEM((64, 64), dtype, sharding=("x",)), out: InOut((64, 64), dtype, sharding=("x",)), tile, done, loaded):
  following = (axis_index("x") + 1) % devices
  copy_gmem_to_smem(x, tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, remote_ref(out, following), reduction_op=")",
                 op, R"(")
  wait_smem_to_gmem(0)
  semaphore_signal(done, device_id=following)
  semaphore_wait(done)
x = (random((64 * devices, 64), f32, seed=0) * 50 + 50).astype(i32).astype(dtype)
y = (random((64 * devices, 64), f32, seed=1) * 50 + 50).astype(i32).astype(dtype)
out = k(x, y)
for d in range(devices):
  n = (d + 1) % devices
  a, b = y[64 * n:64 * n + 64], x[64 * d:64 * d + 64]
  assert max_error(out[64 * n:64 * n + 64], ()",
                 host, R"().astype(dtype)) == 0
)"));
}

// Loads by TMA, by threads and element by element, from a part, from a transposed view and from a reshaped view.
TEST(Devices, ReadEachOther) {
  onLines(R"(@kernel(mesh=line, scratch=[SMEM((32, 64), f32), SMEM((128,), f32), Semaphore(), Barrier()])
def k(x: GMEM((64, 64), f32, sharding=("x",)), out: Out((4, 32, 64), f32, sharding=(None, "x")), one: Out((2,), f32, sharding=("x",)), tile, small, begun, loaded):
  following = (axis_index("x") + 1) % devices
  there = remote_ref(x, following)
  copy_gmem_to_smem(there.at[32:], tile, loaded)
  barrier_wait(loaded)
  out[0] = tile[...]
  out[1] = there[0:32]
  out[2] = remote_ref(x.at[16:48], following)[...]
  out[3] = remote_ref(x.reshape(2, 32, 64), following)[1]
  copy_gmem_to_smem(remote_ref(x.reshape(32, 128), following).at[3], small)
  wait_gmem_to_smem(0)
  one[0] = there[5, 7]
  one[1] = small[9]
x = random((64 * devices, 64), f32, seed=0)
out, one = k(x)
for d in range(devices):
  n = (d + 1) % devices
  theirs = x[64 * n:64 * n + 64]
  for i, wanted in enumerate((theirs[32:], theirs[:32], theirs[16:48], theirs[32:])):
    assert max_error(out[i, 32 * d:32 * d + 32], wanted) == 0
  assert one[2 * d] == theirs[5, 7] and one[2 * d + 1] == theirs.reshape((32, 128))[3, 9]
)");
}

// Contiguous slices are copied without a descriptor, including slices longer than a box.
TEST(Devices, CopyLongSlices) {
  Snippet done(R"(@kernel(mesh={"x": 2}, scratch=[SMEM((2048,), f32), Semaphore(count=2), Barrier()])
def k(x: GMEM((4096,), f32, sharding="x"), out: Out((4096,), f32, sharding="x"), tile, s, loaded):
  other = 1 - axis_index("x")
  copy_gmem_to_smem(remote_ref(x, other).at[1024:3072], tile, loaded, oob_mode="promise_in_bounds")
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, remote_ref(out, other).at[2048:4096])
  wait_smem_to_gmem(0)
  semaphore_signal(s.at[0], device_id=other)
  semaphore_wait(s.at[0])
x = random((8192,), f32, seed=0)
out = k(x)
assert max_error(out[2048:4096], x[1024:3072]) == 0
assert max_error(out[6144:8192], x[5120:7168]) == 0
print(ptx(k, x))
)");
  EXPECT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed.find("cp.async.bulk.tensor"), std::string::npos);
}

// Rows of another device that an array selects.
TEST(Devices, GatherAndScatter) {
  Snippet done(R"(@kernel(mesh={"x": 2}, scratch=[SMEM((64, 64), f16), Semaphore(), Barrier()])
def k(x: GMEM((128, 64), f16, sharding="x"), rows: GMEM((64,), u32, sharding="x"), out: Out((128, 64), f16, sharding="x"), tile, s, loaded):
  other = 1 - axis_index("x")
  chosen = load(rows, layout=TMA_INDICES)
  copy_gmem_to_smem(remote_ref(x, other).at[chosen, 0:64], tile, loaded)
  barrier_wait(loaded)
  copy_smem_to_gmem(tile, remote_ref(out, other).at[chosen, 0:64])
  wait_smem_to_gmem(0)
  semaphore_signal(s, device_id=other)
  semaphore_wait(s)
x = random((256, 64), f16, seed=0)
rows = concatenate([arange(64) * 2, arange(64) + 7]).astype(u32)
out = k(x, rows)
for i in range(64):
  assert max_error(out[128 + 2 * i], x[128 + 2 * i]) == 0 and max_error(out[7 + i], x[7 + i]) == 0
)",
               {.arch = "sm_100a", .device = "emulator"});
  EXPECT_TRUE(done.ok) << done.errors;
}

// Every device adds to the first device's array.
TEST(Devices, AddAtomically) {
  for (const char *dtype : {"i32", "f32", "f16"})
    onLines(text("dtype = ", dtype, R"(
@kernel(mesh=line, grid=(2,), grid_names=("b",), scratch=[Semaphore()])
def k(x: GMEM((256,), dtype, sharding="x"), out: InOut((256,), dtype, sharding="x"), done):
  atomic_add(remote_ref(out, 0), x[...])
  semaphore_signal(done, device_id=0)
  if (axis_index("x") == 0) & (axis_index("b") == 0):
    semaphore_wait(done, 2 * devices)
x = (arange(256 * devices) % 32).astype(dtype)
out = k(x, zeros((256 * devices,), dtype))
wanted = sum(x.astype(i32).reshape((devices, 256)), axis=0) * 2
assert max_error(out[:256].astype(i32), wanted) == 0
assert max_error(out[256:], zeros((256 * devices - 256,), dtype)) == 0 if devices > 1 else True
)"));
}

// A profiled kernel gives the same results, and every device has its part of the trace.
// inventory: PS with_profiler
TEST(Devices, AreProfiled) {
  expectRuns(R"(@kernel(mesh={"x": 2}, scratch=[Semaphore()])
def k(x: GMEM((128,), f32, sharding="x"), out: Out((128,), f32, sharding="x"), s):
  other = 1 - axis_index("x")
  with region("send"):
    remote_ref(out, other)[...] = x[...]
    semaphore_signal(s, device_id=other)
  with region("wait"):
    semaphore_wait(s)
x = random((256,), f32, seed=0)
r = run(k, x, profile=True)
assert max_error(r.outputs[0], concatenate([x[128:], x[:128]])) == 0
assert "send" in repr(r.trace) and "wait" in repr(r.trace)
)");
}

//===------------------------------------ semaphores of the kernel ------------------------------------------------===//

// inventory: PS basic, global_semaphore, global_semaphore_with_multiple_threads
TEST(Devices, SemaphoresOfTheWholeKernel) {
  expectRuns(R"(@kernel(grid=(2,), grid_names=("b",), num_threads=2, thread_name="wg")
def k(out: Out((128,), i32)):
  s = get_global(Semaphore())
  if axis_index("b") == 0:
    semaphore_signal(s)
  else:
    semaphore_wait(s, 2, decrement=False)
    out[...] = full((128,), 1, i32) + semaphore_read(s)
assert max_error(k(), full((128,), 3, i32)) == 0
)");
}

// inventory: PS global_semaphore_with_multiple_warps
TEST(Devices, SemaphoresAmongWarps) {
  for (const char *scope : {"sys", "gpu"}) {
    Snippet done(text(R"(@kernel(scratch=[Semaphore(count=4), SMEM((4,), i32)])
def k(out: Out((4,), i32), s, seen):
  @core_map(WarpMesh(axis_name="w"))
  def each():
    w = axis_index("w")
    semaphore_signal(s.at[(w + 1) % 4], w + 1, memory_scope=")",
                      scope, R"(")
    semaphore_wait(s.at[w], (w + 3) % 4 + 1, memory_scope=")",
                      scope, R"(")
    out[w] = w * 10
assert max_error(k(), array([0, 10, 20, 30], i32)) == 0
print(ptx(k))
)"));
    EXPECT_TRUE(done.ok) << done.errors;
    EXPECT_NE(done.printed.find(text("red.release.", scope)), std::string::npos) << scope;
    EXPECT_NE(done.printed.find(text("atom.acquire.", scope)), std::string::npos) << scope;
  }
}

// inventory: PS multiple_get_global_semaphores, get_global_in_and_outside_control_flow
TEST(Devices, EachGetGlobalIsItsOwn) {
  expectRuns(R"(@kernel(grid=(2,), grid_names=("b",))
def k(out: Out((2,), i32)):
  first = get_global(Semaphore(count=2))
  if axis_index("b") == 0:
    second = get_global(Semaphore())
    semaphore_signal(second, 7)
    semaphore_signal(first.at[1], 5)
    out[0] = semaphore_read(second)
  else:
    semaphore_wait(first.at[1], 5, decrement=False)
    out[1] = semaphore_read(first.at[1]) + semaphore_read(first.at[0])
assert max_error(k(), array([7, 5], i32)) == 0
)");
}

// inventory: PS multiple_semaphore_scopes
TEST(Devices, SemaphoresForAWhile) {
  expectRuns(R"(@kernel()
def k(out: Out((3,), i32)):
  for i in range(2):
    with run_scoped(Semaphore()) as s:
      semaphore_signal(s, 3)
      semaphore_wait(s, 3)
      out[i] = semaphore_read(s)
  with run_scoped(Semaphore(count=2)) as t:
    semaphore_signal(t.at[1])
    out[2] = semaphore_read(t.at[0]) * 10 + semaphore_read(t.at[1])
assert max_error(k(), array([0, 0, 1], i32)) == 0
)");
}

} // namespace
} // namespace lanescope::repl
