// Kernels run on the emulator: each snippet checks its own numbers against the host's arrays.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

// inventory: PC copy_with_transforms, PM get_swap_with_transforms
TEST(KernelRun, DoubleInEveryDtypeAndSwizzle) {
  expectRuns(R"(def make(dtype, bits, swizzle):
  transforms = () if swizzle == 0 else (TilingTransform((8, swizzle * 8 // bits)), SwizzleTransform(swizzle))
  @kernel(scratch=[SMEM((128, 128), dtype, transforms=transforms), Barrier()])
  def double(x: GMEM((128, 128), dtype), out: Out((128, 128), dtype), tile, loaded):
    copy_gmem_to_smem(x, tile, loaded)
    barrier_wait(loaded)
    tile[...] = tile[...] * 2
    commit_smem()
    copy_smem_to_gmem(tile, out)
    wait_smem_to_gmem(0)
  return double
for dtype, bits in ((f32, 32), (f16, 16), (bf16, 16)):
  for swizzle in (0, 32, 64, 128):
    x = random((128, 128), dtype, seed=swizzle)
    assert max_error(make(dtype, bits, swizzle)(x), x * 2) == 0
)");
}

// inventory: FA bitwise (i32), PE binary_op (i32)
TEST(KernelRun, IntegerArithmeticIsPythons) {
  expectRuns(R"(@kernel()
def k(x: GMEM((128,), i32), q: Out((128,), i32), r: Out((128,), i32), s: Out((128,), i32), t: Out((128,), i32)):
  a = x[...]
  q[...] = a // 5 + a // -3 + a // 8 + 100 // (a * 2 + 1)
  r[...] = a % 5 + a % -3 + a % 8 + 100 % (a * 2 + 1)
  s[...] = (a & 12) + (a | 3) + (a ^ 5) + (a << 2) + (a >> 1) + ~a + abs(a) - (-a)
  t[...] = maximum(a, 3) + minimum(a, -2) + select(a > 7, a, 2) + select((a == 4) | (a != 2) & (a <= 9), 1, 0)
x = arange(128).astype(i32) - 64
q, r, s, t = k(x)
assert max_error(q, x // 5 + x // -3 + x // 8 + 100 // (x * 2 + 1)) == 0
assert max_error(r, x % 5 + x % -3 + x % 8 + 100 % (x * 2 + 1)) == 0
# The host has no bitwise operators on arrays: element by element.
for i in range(128):
  v = i - 64
  assert s[i] == (v & 12) + (v | 3) + (v ^ 5) + (v << 2) + (v >> 1) + ~v + abs(v) + v
  assert t[i] == max(v, 3) + min(v, -2) + (v if v > 7 else 2) + (1 if v == 4 or v != 2 and v <= 9 else 0)
)");
}

// inventory: PE unary_op (no not, logistic, gelu, round, clz)
TEST(KernelRun, FunctionsOfFloats) {
  expectRuns(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((12, 128), f32), fast: Out((128,), f32)):
  v = x[...]
  out[0] = exp(v)
  out[1] = exp2(v)
  out[2] = log(v)
  out[3] = log2(v)
  out[4] = sin(v)
  out[5] = cos(v)
  out[6] = tanh(v)
  out[7] = rsqrt(v)
  out[8] = sqrt(v)
  out[9] = floor(v)
  out[10] = v ** 3 + v ** -2 + v ** 0.5
  out[11] = abs(-v) / 3 - -v
  fast[...] = exp2(v, approx=True)
x = abs(random((128,), f32, seed=1)) * 4 + 0.25
out, fast = k(x)
wanted = (exp(x), exp2(x), log(x), log2(x), sin(x), cos(x), tanh(x), 1 / sqrt(x), sqrt(x), floor(x),
          x * x * x + 1 / (x * x) + sqrt(x), x / 3 + x)
for i, row in enumerate(wanted):
  assert allclose(out[i], row, rtol=2e-6, atol=2e-6), i
assert allclose(fast, exp2(x), rtol=1e-5)
)");
}

TEST(KernelRun, ConversionsRoundAsTheHostDoes) {
  expectRuns(R"(@kernel()
def k(x: GMEM((128,), f32), h: Out((128,), f16), b: Out((128,), bf16), i: Out((128,), i32), c: Out((128,), f32),
      d: Out((128,), bf16), m: Out((128,), f32)):
  v = x[...]
  h[...] = v.astype(f16)
  b[...] = v.astype(bf16)
  i[...] = v.astype(i32)
  c[...] = (v > 0.5).astype(f32) + broadcasted_iota(f32, (128,), 0)
  d[...] = v.astype(f16).astype(bf16)
  m[...] = v.astype(f16) * 3 + v  # f16 meets f32 at f32
x = random((128,), f32, seed=2) * 20 - 10
h, b, i, c, d, m = k(x)
assert max_error(h, x.astype(f16)) == 0
assert max_error(b, x.astype(bf16)) == 0
assert max_error(i, x.astype(i32)) == 0
assert max_error(d, x.astype(f16).astype(bf16)) == 0
assert max_error(m, (x.astype(f16) * 3).astype(f32) + x) == 0
assert max_error(c, (x > 0.5).astype(f32) + arange(128)) == 0
)");
}

// inventory: PL fori_loop_array, fori_loop_scalar, fori_loop_tuple, fori_loop_dynamic_bounds, while_loop, cond
TEST(KernelRun, ControlFlow) {
  expectRuns(R"(def helper(v, times):
  for i in static_range(times):
    v = v + 1
  return v if times > 2 else v * 2
@kernel()
def k(x: GMEM((128,), f32), n: GMEM((4,), i32), out: Out((128,), f32), seen: Out((8,), i32)):
  a, b = 0, 1.0
  v = x[...]
  for i in range(10, 0, -2):
    a, b = a + i, b * 2
    v = v + b
  total = 0
  while total < n[0]:
    total = total + 3
  if n[0] > 5 and total < 100 and not n[1] > 3:
    c = 1
    v = v * 2
  else:
    c = 2.5
  acc = 0
  for j in range(n[0]):
    for l in range(j, n[0], 2):
      if l % 2 == 0:
        acc = acc + v
  pair = (a, 0)
  for j in range(4):
    pair = (pair[0] + 1, pair[1] + j)
  out[...] = helper(acc, 3) + helper(0, 2)
  seen[0] = a
  seen[1] = total
  seen[2] = (c * 2).astype(i32)
  seen[3] = 5 if n[1] == 2 or n[2] == 4 else 7
  seen[4] = pair[0]
  seen[5] = pair[1]
  seen[6] = 1 if 0 < n[1] <= 4 else 0
  for j in range(5, 5):
    seen[7] = 9
x = random((128,), f32)
out, seen = k(x, full((4,), 3, i32) + arange(4).astype(i32))
assert [seen[i] for i in range(8)] == [30, 3, 5, 7, 34, 6, 1, 0]
# rounds with an even l below 3: (0, 0), (0, 2), (2, 2)
assert max_error(out, (x + 62) * 3 + 7) < 1e-4
)");
}

// inventory: PP manual, PH multiple_wg_with_grid, PM slicing
TEST(KernelRun, WarpgroupsOfAGridWithTwoBuffersInFlight) {
  expectRuns(R"(@kernel(grid=(4, 2), grid_names=("m", "n"), num_threads=2, thread_name="wg",
        scratch=[SMEM((2, 2, 64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 Barrier(num_barriers=4), SMEM((2, 64, 64), f32)])
def sums(x: GMEM((512, K), f16), out: Out((512, 64), f32), tiles, loaded, result):
  wg = axis_index("wg")
  row = (axis_index("m") * 2 + wg) * 64
  acc = 0.0
  if axis_index("n") == 0:
    copy_gmem_to_smem(x.at[ds(row, 64), 0:64], tiles.at[wg, 0], loaded.at[wg * 2])
    for i in range(K // 64):
      if i + 1 < K // 64:
        slot = (i + 1) % 2
        copy_gmem_to_smem(x.at[ds(row, 64), ds((i + 1) * 64, 64)], tiles.at[wg, slot], loaded.at[wg * 2 + slot])
      barrier_wait(loaded.at[wg * 2 + i % 2])
      acc = acc + load(tiles, (wg, i % 2), layout=WGMMA).astype(f32)
    result.at[wg][...] = acc
    commit_smem()
    copy_smem_to_gmem(result.at[wg], out.at[ds(row, 64)], commit_group=False)
    commit_smem_to_gmem_group()
    wait_smem_to_gmem(0, wait_read_only=True)
    wait_smem_to_gmem(0)
x = random((512, 256), f16, seed=3)
y = x.astype(f32)
assert max_error(sums(x), y[:, 0:64] + y[:, 64:128] + y[:, 128:192] + y[:, 192:256]) < 1e-6
)");
}

// inventory: PH multiple_wg, cross_wg_barrier, BA wg_communication
TEST(KernelRun, WarpgroupsMeetAtABarrier) {
  expectRuns(R"(@kernel(num_threads=2, thread_name="wg", scratch=[SMEM((2, 128), f32), Barrier(num_arrivals=2)])
def swap(x: GMEM((2, 128), f32), out: Out((2, 128), f32), buffer, both):
  wg = axis_index("wg")
  buffer[wg] = x[wg]
  barrier_arrive(both)
  barrier_wait(both)
  out[wg] = buffer[1 - wg]
x = random((2, 128), f32)
y = swap(x)
assert max_error(y[0], x[1]) == 0 and max_error(y[1], x[0]) == 0
)");
}

// inventory: PL program_id
TEST(KernelRun, GridDimensionsComeInPallasOrder) {
  expectRuns(R"(@kernel(grid=(2, 3, 4), grid_names=("a", "b", "c"))
def k(out: Out((2, 3, 4), i32)):
  out[axis_index("a"), axis_index("b"), axis_index("c")] = program_id(0) * 100 + program_id(1) * 10 + program_id(2)
y = k()
for a in range(2):
  for b in range(3):
    for c in range(4):
      assert y[a, b, c] == a * 100 + b * 10 + c
)");
}

TEST(KernelRun, TransposeOfASharedReference) {
  expectRuns(R"(@kernel(scratch=[SMEM((64, 64), f32)])
def t(x: GMEM((64, 64), f32), out: Out((64, 64), f32), tile):
  tile[...] = x[...]
  commit_smem()
  out[...] = load(tile.T, optimized=False)
x = random((64, 64), f32)
assert max_error(t(x), transpose(x)) == 0
)");
}

TEST(KernelRun, SizesAreBoundByTheCallAndSeenByGridAndScratch) {
  Snippet done(R"(@kernel(grid=lambda: (M // 64,), scratch=lambda: [SMEM((64, N), f32)])
def scale(x: GMEM((M, N), f32), factor: float, out: Out((M, 2 * N), f32), tile):
  i = program_id(0)
  tile[...] = x[ds(i * 64, 64)] * factor
  out[ds(i * 64, 64), 0:N] = tile[...]
  out[ds(i * 64, 64), N:2 * N] = tile[...]
x = random((256, 32), f32)
y = scale(x, 2.5)
assert y.shape == (256, 64)
assert max_error(y[:, 32:64], x * 2.5) == 0
scale(x, factor=2.5)
scale(x, 3.0)
scale(random((64, 64), f32), 2.5)
)");
  ASSERT_TRUE(done.ok) << done.errors;
  const auto &launches = done.runtime->launches();
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[0].stages, launches[1].stages) << "the same shapes and static arguments compile once";
  EXPECT_NE(launches[0].stages, launches[2].stages);
  EXPECT_NE(launches[0].stages, launches[3].stages);
  EXPECT_EQ(launches[0].stages->kernel->launch.grid[0], 4u);
  EXPECT_EQ(launches[3].stages->kernel->launch.grid[0], 1u);
}

// inventory: API inout, PD input_output_aliases
TEST(KernelRun, InOutAndDefaults) {
  Snippet done(R"(@kernel()
def k(a: InOut((128,), f32), n: int = 3):
  a[...] = a[...] + n
x = ones((128,), f32)
assert max_error(k(x), x * 4) == 0
assert max_error(k(x, n=5), x * 6) == 0
assert max_error(x, ones((128,), f32)) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// inventory: PD profiler, print_scalar
TEST(KernelRun, ResultHasOutputsTraceAndTime) {
  Snippet done(R"(@kernel(num_threads=2)
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  with region("outer"):
    v = x[...]
    for i in range(3):
      with region("inner"):
        v = v + 1
  out[...] = v
  debug_print("{}", program_id(0))
r = run(k, zeros((128,), f32), profile=True)
assert max_error(r.outputs[0], full((128,), 3, f32)) == 0
assert r.time_us > 0 and r.diagnostics == []
print(trace(r))
)");
  ASSERT_TRUE(done.ok) << done.errors;
  const KernelLaunch &launch = done.runtime->launches().back();
  ASSERT_TRUE(launch.result->trace);
  const core::Trace &trace = *launch.result->trace;
  ASSERT_EQ(trace.tracks.size(), 2u);
  for (const core::TraceTrack &track : trace.tracks) {
    ASSERT_EQ(track.slices.size(), 4u);
    EXPECT_EQ(trace.names[track.slices[0].name], "outer");
    for (size_t i = 1; i < 4; ++i) {
      EXPECT_EQ(trace.names[track.slices[i].name], "inner");
      EXPECT_EQ(track.slices[i].depth, 1u);
    }
  }
  EXPECT_NE(done.printed.find("inner"), std::string::npos) << done.printed;
  EXPECT_EQ(done.printed.rfind("0\n", 0), 0u) << "debug_print comes first: " << done.printed;
}

TEST(KernelRun, CompileOnlyRecordsInputsAndGivesZeros) {
  Snippet done(R"(@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] + 1
y = run(k, ones((128,), f32), device="emulator").outputs[0]
assert max_error(y, zeros((128,), f32)) == 0
)",
               {.device = "none", .recordInputs = true});
  ASSERT_TRUE(done.ok) << done.errors;
  ASSERT_EQ(done.runtime->launches().size(), 1u);
  const KernelLaunch &launch = done.runtime->launches().back();
  EXPECT_EQ(launch.kernel, "k");
  EXPECT_EQ(launch.device, "none");
  ASSERT_EQ(launch.inputs.size(), 2u);
  EXPECT_EQ(launch.inputs[0].number(5), 1);
  EXPECT_EQ(launch.inputs[1].number(5), 0);
  EXPECT_TRUE(launch.stages->kernel);
}

// `compile` leaves out the assertions about results, which are zeros then, but not those in a kernel.
TEST(KernelRun, AssertionsInAKernelHoldWhenItIsOnlyCompiled) {
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  Evaluator evaluator(withKernels(hostBuiltins(), runtime), {.checkAssertions = false});
  auto done = evaluator.run(Source::make("k.py", R"(@kernel()
def k(x: GMEM((N,), f32), out: Out((N,), f32)):
  assert N % 256 == 0, "N fills the tiles"
  out[...] = x[...] + 1
assert k(ones((256,), f32))[0] == 2
k(ones((128,), f32))
)"));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().front().kind, "assertion");
  EXPECT_NE(done.error().front().message.find("N fills the tiles"), std::string::npos);
}

TEST(KernelRun, StagesOfAKernelThatIsNotRun) {
  Snippet done(R"(@kernel()
def fixed(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] + 1
@kernel()
def named(x: GMEM((N,), f32), out: Out((N,), f32)):
  out[...] = x[...] + 1
print(ir(named, zeros((256,), f32)).text)
print(ptx(named).text)
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_NE(done.printed.find("memref<256xf32>"), std::string::npos);
  EXPECT_NE(done.printed.find(".visible .entry named("), std::string::npos);
  EXPECT_TRUE(done.runtime->launches().empty());
  Context context{done.evaluator, {}};
  EXPECT_TRUE(isKernel(*done.evaluator.lookup("fixed")));
  EXPECT_FALSE(isKernel(*done.evaluator.lookup("ir")));
}

TEST(KernelRun, AFailingCallLeavesTheSessionAsItWas) {
  Snippet done(R"(@kernel(scratch=[Barrier()])
def hangs(x: GMEM((128,), f32), b):
  barrier_wait(b)
@kernel()
def good(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...]
x = ones((128,), f32)
)");
  ASSERT_TRUE(done.ok) << done.errors;
  done.again("x = 3\nhangs(ones((128,), f32))\n");
  EXPECT_FALSE(done.ok);
  done.again("assert max_error(good(x), x) == 0\n");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(KernelRun, NamesThatTheDeviceCannotHaveAreChanged) {
  for (const char *name : {"größe", "vprintf", "__nv_expf", "main"}) {
    Snippet done(
        std::string("@kernel()\ndef ") + name +
        "(out: Out((128,), f32)):\n  debug_print(\"a {}\", 3)\n  out[...] = exp(broadcasted_iota(f32, (128,), 0))\n"
        "assert " +
        name + "()[0] == 1\n");
    EXPECT_TRUE(done.ok) << name << "\n" << done.errors;
    EXPECT_EQ(done.printed, "a 3\n") << name;
  }
}

// An array of i4 has one byte per element, sign extended, whichever device wrote it. Packages are compared bit for bit.
TEST(KernelRun, FourBitResultsAreSignExtended) {
  Snippet done(R"(@kernel()
def k(x: GMEM((256,), i32), out: Out((256,), i4)):
  out[...] = load(x, layout=WGStridedFragLayout(shape=(256,), vec_size=2)).astype(i4)
x = arange(256).astype(i32) % 15 - 7
assert max_error(k(x).astype(i32), x) == 0
)");
  ASSERT_TRUE(done.ok) << done.errors;
  const core::Array &out = done.runtime->launches().back().result->outputs[0];
  EXPECT_EQ(out.bytes[0], std::byte{0xF9}); // -7
  EXPECT_EQ(out.bytes[8], std::byte{1});
}

} // namespace
// Doubled braces print one brace, as in Python's formats. The rest of the text is not a printf format.
TEST(KernelRun, PrintsBraces) {
  Snippet done(R"(
@kernel()
def k(out: Out((128,), f32)):
  debug_print("{{x}} = {} 100% %d {{}}", 7)
  out[...] = full((128,), 1, f32)
k()
)");
  ASSERT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed, "{x} = 7 100% %d {}\n");
}

// Truth values take a byte each in shared memory, too.
TEST(KernelRun, TruthValuesBesideOthers) {
  Snippet done(R"(
@kernel(scratch=[SMEM((2048,), i1), SMEM((1024,), i32), SMEM((3,), i1)])
def k(o: Out((2048,), i32), t, u, last):
  t[...] = full((2048,), True, i1)
  last[...] = full((3,), True, i1)
  u[...] = full((1024,), 0, i32)
  o[...] = t[...].astype(i32)
assert sum(k()) == 2048
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(KernelRun, FourBitElementsAreSelected) {
  Snippet done(R"(
@kernel()
def k(b: GMEM((256,), i4), c: GMEM((256,), i4), x: GMEM((256,), i32), out: Out((256,), i4)):
  out[...] = select(load(x, layout=WG_STRIDED((256,), 2)) > 0, b[...], c[...])
x = (iota((256,), i32) * 37) % 11 - 5
b, c = (iota((256,), i32) % 16).astype(i4), (iota((256,), i32) % 7 - 3).astype(i4)
out = k(b, c, x).astype(i32)
for i in range(256):
  assert out[i] == (b[i] if x[i] > 0 else c[i])
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// The loop counts down between bounds that only the device knows.
TEST(KernelRun, LoopsCountDown) {
  Snippet done(R"(
@kernel()
def k(n: GMEM((2,), i32), seen: InOut((16,), i32)):
  at = n[0] * 0
  for i in range(n[0], n[1], -3):
    seen[at] = i
    at = at + 1
for start, stop in ((10, -2), (10, -3), (9, 9), (2, 9), (-1, -30)):
  got = k(array([start, stop], i32), full((16,), 99, i32))
  expected = list(range(start, stop, -3))
  for i in range(16):
    assert got[i] == (expected[i] if i < len(expected) else 99)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// A function that a loop or a branch calls may rebind a variable of an enclosing function.
TEST(KernelRun, FunctionsInLoopsRebindOuterVariables) {
  expectRuns(R"(
@kernel()
def k(n: GMEM((1,), i32), seen: Out((8,), i32)):
  count = n[0]
  a, b, c, d, e = 0, 0, 0, n[0], (0, 1)
  def advance():
    nonlocal a
    a = a + count
  for i in range(count):
    advance()
  seen[0] = a
  i = 0
  while i < count:
    advance()
    i = i + 1
  seen[1] = a
  def deeper():
    nonlocal b
    def once(by):
      nonlocal b
      b = b + by
    for i in range(count):
      if i > 1:
        once(1)
      else:
        b = b + 10
  deeper()
  seen[2] = b
  def triangle():
    nonlocal c
    for i in range(count):
      c += i
  for j in range(count):
    triangle()
  seen[3] = c
  def lower():
    nonlocal d, e
    d -= 1
    e = (e[0] + e[1], e[1] * 2)
  if count > 3:
    lower()
    lower()
  for i in range(4, unroll=2):
    lower()
  seen[4], seen[5], seen[6] = d, e[0], e[1]
  late = None
  def set_late():
    nonlocal late
    late = count
  set_late()
  seen[7] = late
seen = k(full((1,), 5, i32))
assert [seen[i] for i in range(8)] == [25, 50, 23, 50, -1, 63, 64, 5], seen
)");
}

// The quotient is rounded to its dtype before it is rounded down, on the host and on the device.
TEST(KernelRun, FloorDivisionOfHalves) {
  Snippet done(R"(
@kernel()
def k(x: GMEM((128,), bf16), y: GMEM((128,), bf16), q: Out((128,), bf16)):
  q[...] = x[...] // y[...]
x, y = full((128,), 8.8125, bf16), full((128,), -1.7578125, bf16)
assert k(x, y)[0] == (x // y)[0]
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

} // namespace lanescope::repl
