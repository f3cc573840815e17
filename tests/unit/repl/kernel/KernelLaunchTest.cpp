// Barriers, clusters, scopes, semaphores and grids, run on the emulator: each snippet checks its own numbers.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

//===------------------------------------ barriers ----------------------------------------------------------------===//

// A ring of buffers between two warpgroups. Each warpgroup waits for its own phases, by an index known only on the
// device.
// inventory: BA wg_communication
TEST(KernelLaunch, RingOfBarriersBetweenWarpgroups) {
  expectRuns(R"(@kernel(num_threads=2, thread_name="wg",
        scratch=[SMEM((4, 64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 Barrier(num_barriers=4), Barrier(num_barriers=4)])
def k(x: GMEM((10, 64, 64), f16), out: Out((10, 64, 64), f16), tiles, full, empty):
  if axis_index("wg") == 0:
    for i in range(10):
      slot = i % 4
      if i >= 4:
        barrier_wait(empty.at[slot])
      copy_gmem_to_smem(x.at[i], tiles.at[slot], full.at[slot])
  else:
    for i in range(10):
      slot = i % 4
      barrier_wait(full[slot])
      out[i] = tiles[slot] * 2
      barrier_arrive(empty[slot])
x = random((10, 64, 64), f16, seed=0)
assert max_error(k(x), x * 2) == 0
)");
}

// The phases of one barrier alternate over many rounds, also if some rounds do not wait.
// inventory: CP parity_tracking
TEST(KernelLaunch, PhasesAlternate) {
  expectRuns(R"(@kernel(scratch=[SMEM((128,), f32), Barrier(num_barriers=3)])
def k(x: GMEM((16, 128), f32), out: Out((16, 128), f32), tile, bars):
  for i in range(16):
    b = (i * 7 + i // 3) % 3
    copy_gmem_to_smem(x.at[i], tile, bars.at[b])
    barrier_wait(bars.at[b])
    out[i] = tile[...]
x = random((16, 128), f32, seed=1)
assert max_error(k(x), x) == 0
)");
}

// inventory: PC copy_gmem_to_smem_with_indexed_barrier
// inventory: PC barrier_repeated_indexing
// inventory: BA multiple_barriers_requires_explicit_indexing
TEST(KernelLaunch, BarriersInTwoDimensions) {
  expectRuns(R"(@kernel(scratch=[SMEM((2, 2, 128), f32), Barrier(num_barriers=(2, 2)), Barrier(num_barriers=4)])
def k(x: GMEM((2, 2, 128), f32), out: Out((2, 2, 128), f32), tile, grid, row):
  for i in range(2):
    for j in range(2):
      copy_gmem_to_smem(x.at[i, j], tile.at[i, j], grid.at[i, j])
  for i in static_range(2):
    for j in range(2):
      barrier_wait(grid.at[i].at[j])
      copy_gmem_to_smem(x.at[i, j], tile.at[i, j], row[i * 2 + j])
      barrier_wait(row[i * 2 + j])
      out[i, j] = tile[i, j] + 1
x = random((2, 2, 128), f32, seed=1)
assert max_error(k(x), x + 1) == 0
)");
  Snippet two("@kernel(scratch=[Barrier(num_barriers=(2, 2))])\ndef k(out: Out((128,), f32), b):\n"
              "  barrier_arrive(b.at[1])\nk()\n");
  EXPECT_NE(two.errors.find("`b` is a group of barriers; choose one"), std::string::npos) << two.errors;
  Snippet three("@kernel(scratch=[Barrier(num_barriers=(2, 2))])\ndef k(out: Out((128,), f32), b):\n"
                "  barrier_arrive(b.at[1, 1, 0])\nk()\n");
  EXPECT_NE(three.errors.find("3 indices for `b`"), std::string::npos) << three.errors;
}

// inventory: BA barrier_arrive_wait
// inventory: PH cross_wg_barrier
TEST(KernelLaunch, ArrivalsAreCounted) {
  expectRuns(R"(@kernel(num_threads=3, thread_name="wg", scratch=[SMEM((2, 128), i32), Barrier(num_arrivals=2)])
def k(out: Out((128,), i32), tile, done):
  wg = axis_index("wg")
  if wg < 2:
    tile[wg] = broadcasted_iota(i32, (128,), 0) * (wg + 1)
    barrier_arrive(done)
  else:
    barrier_wait(done)
    out[...] = tile[0] + tile[1]
assert max_error(k(), arange(128).astype(i32) * 3) == 0
)");
}

// inventory: PC barrier_test
TEST(KernelLaunch, BarrierTest) {
  expectRuns(R"(@kernel(scratch=[Barrier(), Barrier()])
def k(out: Out((8,), i32), a, b):
  out[0] = 1 if barrier_test(a) else 0
  barrier_arrive(a)
  n = 0
  while not barrier_test(a):  # once it succeeds, the phase is waited for
    n = n + 1
  out[1] = 1 if barrier_test(a) else 0
  barrier_arrive(a)
  barrier_wait(a)
  out[2] = 1 if barrier_test(b) else 0
  out[3] = 1 if n >= 0 else 0
out = k()
assert [out[i] for i in range(4)] == [0, 0, 0, 1]
)");
}

// A loop's condition that has an effect runs once before the loop and once per round. An H200 hung on one extra test,
// because the test whose result was ignored had seen the end of the phase.
TEST(KernelLaunch, ConditionsOfLoopsActOnce) {
  Snippet done(R"(@kernel(scratch=[Barrier()])
def k(out: Out((1,), i32), a):
  barrier_arrive(a)
  n = 0
  while not barrier_test(a):
    n = n + 1
  out[0] = 1 if n >= 0 else 0  # how often is the hardware's to say
k()
)",
               {.device = "emulator", .keepTexts = true});
  ASSERT_TRUE(done.ok) << done.errors;
  std::string ir = done.ir();
  size_t loop = ir.find("scf.while"), tests = 0, before = 0;
  for (size_t at = ir.find("barrier_test"); at != std::string::npos; at = ir.find("barrier_test", at + 1)) {
    ++tests;
    before += at < loop;
  }
  EXPECT_EQ(before, 1u) << ir;
  EXPECT_EQ(tests, 2u) << ir;
  // The loop uses the first test, not a new one.
  Snippet counts(R"(@kernel()
def k(s: InOut((1,), i32), out: Out((2,), i32)):
  n = 0
  while counted(s) < 5:
    n = n + 1
  out[0] = n
  out[1] = s[0]
def counted(s):
  s[0] = s[0] + 1
  return s[0]
s, out = k(zeros((1,), i32))
assert s[0] == 5 and out[0] == 4 and out[1] == 5
)");
  EXPECT_TRUE(counts.ok) << counts.errors;
}

TEST(KernelLaunch, RegisterBudgets) {
  Snippet done(R"(@kernel(num_threads=2, thread_name="wg")
def k(x: GMEM((2, 128), f32), out: Out((2, 128), f32)):
  wg = axis_index("wg")
  if wg == 0:
    set_max_registers(40, action="decrease")
    out[0] = x[0] + 1
  else:
    set_max_registers(232, action="increase")
    out[1] = x[1] + 2
x = random((2, 128), f32, seed=2)
out = k(x)
assert max_error(out[0], x[0] + 1) == 0 and max_error(out[1], x[1] + 2) == 0
)",
               {.device = "emulator", .keepTexts = true});
  EXPECT_TRUE(done.ok) << done.errors;
  const std::string &ptx = done.runtime->launches().back().stages->kernel->ptx;
  EXPECT_NE(ptx.find("setmaxnreg.dec.sync.aligned.u32 40;"), std::string::npos);
  EXPECT_NE(ptx.find("setmaxnreg.inc.sync.aligned.u32 232;"), std::string::npos);
  EXPECT_NE(ptx.find(".minnctapersm 1"), std::string::npos); // without it, ptxas ignores setmaxnreg
  for (const auto &[n, action, message] :
       {std::tuple("12", "increase", "from 24 to 256"), std::tuple("100", "increase", "a multiple of 8"),
        std::tuple("264", "decrease", "from 24 to 256"), std::tuple("40", "reset", "\"increase\" or \"decrease\"")}) {
    Snippet bad(std::string("@kernel()\ndef k(out: Out((128,), f32)):\n  set_max_registers(") + n + ", \"" + action +
                "\")\nk()\n");
    EXPECT_NE(bad.errors.find(message), std::string::npos) << bad.errors;
  }
}

//===------------------------------------ grids -------------------------------------------------------------------===//

// inventory: PL program_id
// inventory: PL program_id_in_squashed_grid
// inventory: PL num_programs
TEST(KernelLaunch, GridsOfAnyRank) {
  expectRuns(R"(def check(grid):
  n = len(grid)
  @kernel(grid=grid)
  def k(out: Out(grid + (8,), i32)):
    index = tuple(program_id(i) for i in range(n))
    for i in static_range(n):
      out[index + (i,)] = program_id(i) * 100 + num_programs(i)
  out = k()
  places = [()]
  for size in grid:
    places = [p + (i,) for p in places for i in range(size)]
  for p in places:
    for i in range(n):
      assert out[p + (i,)] == p[i] * 100 + grid[i]
check((3,))
check((2, 3))
check((2, 3, 4))
check((2, 3, 4, 5))
check((2, 1, 3, 2, 2))
)");
}

// inventory: PL axis_indices_in_grid
TEST(KernelLaunch, AxesOfGridAndCluster) {
  const char *text = R"(def check(grid, names, cluster, cluster_names):
  all = grid + cluster
  @kernel(grid=grid, grid_names=names, cluster=cluster, cluster_names=cluster_names)
  def k(out: Out(all + (8,), i32)):
    index = tuple(axis_index(a) for a in names + cluster_names)
    for i, a in enumerate(names + cluster_names):
      out[index + (i,)] = axis_index(a) * 100 + axis_size(a)
  out = k()
  places = [()]
  for size in all:
    places = [p + (i,) for p in places for i in range(size)]
  for p in places:
    for i in range(len(all)):
      assert out[p + (i,)] == p[i] * 100 + all[i], (p, i)
check((2, 3), ("a", "b"), (), ())
check((2, 3), ("a", "b"), (2,), ("x",))
check((2, 3, 4), ("a", "b", "c"), (), ())
check((2, 3, 4), ("a", "b", "c"), (2,), ("x",))
check((2, 3, 4), ("a", "b", "c"), (2, 3), ("x", "y"))
check((2, 3, 4, 5), ("a", "b", "c", "d"), (), ())
check((2, 3, 4, 5), ("a", "b", "c", "d"), (2,), ("x",))
)";
  expectRuns(text);
}

// Persistent blocks: each block takes every third tile, as long as there are tiles.
TEST(KernelLaunch, PersistentBlocks) {
  expectRuns(R"(@kernel(grid=(3,), grid_names=("sm",))
def k(x: GMEM((10, 128), f32), out: Out((10, 128), f32)):
  for tile in range(axis_index("sm"), x.shape[0], axis_size("sm")):
    out[tile] = x[tile] * 2 + tile
x = random((10, 128), f32, seed=3)
out = k(x)
for i in range(10):
  assert max_error(out[i], x[i] * 2 + i) == 0
)");
}

//===------------------------------------ scopes and unions -------------------------------------------------------===//

// inventory: PL run_scoped
// inventory: PL run_scoped_in_cond
// inventory: PC copy_gmem_to_smem_in_run_scoped
// inventory: PC scoped_copy_with_transforms
TEST(KernelLaunch, Scopes) {
  expectRuns(R"(@kernel()
def k(x: GMEM((3, 64, 64), f16), out: Out((3, 64, 64), f16), n: GMEM((4,), i32)):
  def body(tile, loaded):
    copy_gmem_to_smem(x.at[0], tile, loaded)
    barrier_wait(loaded)
    return tile[...] + 1
  swizzled = SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))
  out[0] = run_scoped(body, swizzled, Barrier())
  if n[0] > 0:
    with run_scoped(SMEM((64, 64), f16), Barrier()) as (tile, loaded):
      copy_gmem_to_smem(x.at[1], tile, loaded)
      barrier_wait(loaded)
      out[1] = tile[...] + 2
  for i in range(3):
    with run_scoped(swizzled, Barrier(num_barriers=2)) as (tile, loaded):
      with run_scoped(SMEM((64, 64), f16)) as other:
        copy_gmem_to_smem(x.at[2], tile, loaded.at[1])
        other[...] = x[1]
        barrier_wait(loaded.at[1])
        out[2] = tile[...] + other[...]
x = random((3, 64, 64), f16, seed=4)
out = k(x, full((4,), 1, i32))
assert max_error(out[0], x[0] + 1) == 0
assert max_error(out[1], x[1] + 2) == 0
assert max_error(out[2], x[2] + x[1]) == 0
)");
}

TEST(KernelLaunch, ScopesShareMemoryOneAfterTheOther) {
  Snippet one("@kernel()\ndef k(x: GMEM((128, 256), f16), out: Out((128, 256), f16)):\n"
              "  for i in static_range(4):\n    with run_scoped(SMEM((128, 256), f16)) as t:\n"
              "      t[...] = x[...]\n      out[...] = t[...] + i\nk(zeros((128, 256), f16))\n");
  ASSERT_TRUE(one.ok) << one.errors;
  EXPECT_EQ(one.runtime->launches().back().stages->kernel->launch.dynamicSmem, 128 * 256 * 2u);
  // Another warpgroup may still use the memory of the previous scope.
  Snippet two("@kernel(num_threads=2, thread_name=\"wg\")\ndef k(out: Out((128,), f32)):\n"
              "  for i in static_range(4):\n    with run_scoped(SMEM((128,), f32)) as t:\n"
              "      if axis_index(\"wg\") == 0:\n        t[...] = broadcasted_iota(f32, (128,), 0)\nk()\n");
  ASSERT_TRUE(two.ok) << two.errors;
  EXPECT_GE(two.runtime->launches().back().stages->kernel->launch.dynamicSmem, 3 * 1024 + 512u);
  Snippet many("@kernel()\ndef k(out: Out((128,), f32)):\n  with run_scoped(SMEM((128, 256), f32)) as a:\n"
               "    with run_scoped(SMEM((128, 256), f32)) as b:\n      out[...] = a[0, 0:128] + b[0, 0:128]\nk()\n");
  EXPECT_NE(many.errors.find("needs 256 KiB of shared memory"), std::string::npos) << many.errors;
}

// inventory: PM smem_aliasing_works_basic
// inventory: PM smem_aliasing_refunions_in_wg_semantics_can_have_distinct_transforms
// inventory: PM loading_from_ref_union_works
TEST(KernelLaunch, Unions) {
  Snippet done(
      R"(@kernel(scratch=[Union(SMEM((2, 64, 64), f16), (SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)),
        SwizzleTransform(128))), SMEM((1024,), f32))), Barrier()])
def k(x: GMEM((64, 64), f16), y: GMEM((1024,), f32), out: Out((64, 64), f16), other: Out((1024,), f32), u, b):
  plain, (tile, rest) = u
  copy_gmem_to_smem(x, tile, b)
  rest[...] = y[...]
  barrier_wait(b)
  out[...] = tile[...]
  other[...] = rest[...]
  plain[0] = x[...] * 2
  plain[1] = x[...] * 3
  out[...] = out[...] + plain[0] + plain[1]
x, y = random((64, 64), f16, seed=0), random((1024,), f32, seed=1)
out, other = k(x, y)
assert max_error(out, x + x * 2 + x * 3) == 0
assert max_error(other, y) == 0
)");
  EXPECT_TRUE(done.ok) << done.errors;
  if (done.ok)
    EXPECT_EQ(done.runtime->launches().back().stages->kernel->launch.dynamicSmem, 16384 + 8u);
}

// inventory: PM assigning_to_ref_union_raises
TEST(KernelLaunch, UnionMistakes) {
  const std::string head = "@kernel(scratch=[Union(SMEM((128,), f32), SMEM((64,), f32))])\n"
                           "def k(x: GMEM((128,), f32), out: Out((128,), f32), u):\n";
  for (const auto &[body, message] :
       {std::pair("  u[...] = x[...]\n", "`u` is a union: unpack it"),
        std::pair("  out[...] = u[...]\n", "`u` is a union: unpack it"), std::pair("  u[2]\n", "has 2 members")}) {
    Snippet bad(head + body + "k(zeros((128,), f32))\n");
    EXPECT_NE(bad.errors.find(message), std::string::npos) << bad.errors;
  }
  Snippet barriers("Union(SMEM((128,), f32), Barrier())\n");
  EXPECT_NE(barriers.errors.find("barriers have memory of their own"), std::string::npos) << barriers.errors;
}

//===------------------------------------ semaphores --------------------------------------------------------------===//

TEST(KernelLaunch, Semaphores) {
  expectRuns(R"(@kernel(num_threads=2, thread_name="wg", scratch=[Semaphore(3), SMEM((128,), i32)])
def k(out: Out((128,), i32), seen: Out((2, 4), i32), s, tile):
  wg = axis_index("wg")
  if wg == 0:
    out[...] = broadcasted_iota(i32, (128,), 0)
    semaphore_signal(s.at[1], 2)
    semaphore_wait(s[2])
    seen[0, 0] = semaphore_read(s[2])
  else:
    semaphore_wait(s.at[1], 2, decrement=False)
    tile[...] = out[...]
    seen[1, 0] = semaphore_read(s[1])
    semaphore_wait(s[1])
    seen[1, 1] = semaphore_read(s[1])
    semaphore_signal(s.at[2])
    semaphore_wait(s[1], 1)
    seen[1, 2] = semaphore_read(s[1])
    out[...] = tile[...] * 3
for round in range(2):  # zero again each time
  out, seen = k()
  assert max_error(out, arange(128).astype(i32) * 3) == 0
  assert [seen[0, 0], seen[1, 0], seen[1, 1], seen[1, 2]] == [0, 2, 1, 0]
)");
}

//===------------------------------------ clusters ----------------------------------------------------------------===//

/// A cluster with `size` blocks along each axis in `collective`, two along each axis in `others`, and one along the
/// rest.
struct ClusterCase {
  std::vector<int> collective, others;
  int size;
};

std::vector<ClusterCase> clusterCases() {
  std::vector<ClusterCase> cases;
  for (int mask = 1; mask < 8; ++mask)
    for (int rest = 0; rest < 8; ++rest)
      for (int size : {1, 2, 4}) {
        ClusterCase one{{}, {}, size};
        int blocks = 1;
        for (int dim = 0; dim < 3; ++dim) {
          if (mask >> dim & 1) {
            one.collective.push_back(dim);
            blocks *= size;
          } else if (rest >> dim & 1) {
            one.others.push_back(dim);
            blocks *= 2;
          }
        }
        bool sampled = full() || (mask * 5 + rest * 3 + size) % 7 == 0;
        if ((mask & rest) == 0 && one.others.size() <= 2 && blocks <= 16 && sampled)
          cases.push_back(std::move(one));
      }
  return cases;
}

std::string tuple(const std::vector<std::string> &items) {
  std::string out = "(";
  for (const std::string &item : items)
    out += item + ",";
  return out + ")";
}

std::string withCluster(const std::string &text, const ClusterCase &one) {
  const char *kNames[] = {"z", "y", "x"}; // x is the last dimension
  std::vector<std::string> shape(3, "1"), collective;
  for (int dim : one.collective) {
    shape[2 - dim] = std::to_string(one.size);
    collective.push_back(std::string("\"") + kNames[2 - dim] + "\"");
  }
  for (int dim : one.others)
    shape[2 - dim] = "2";
  return replaced(replaced(text, "CLUSTER", tuple(shape)), "COLLECTIVE", tuple(collective));
}

// inventory: CP tma_load_multicast
// inventory: PC tma_load_multicast
// inventory: PC collective_copy_gmem_to_smem
TEST(KernelLaunch, Multicast) {
  for (const ClusterCase &one : clusterCases())
    expectRuns(withCluster(R"(cluster, collective = CLUSTER, COLLECTIVE
@kernel(cluster=cluster, cluster_names=("z", "y", "x"),
        scratch=[SMEM((128, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier()])
def k(x: GMEM((2, 2, 2, 128, 64), f16), out: Out(cluster + (128, 64), f16), tile, b):
  place = tuple(axis_index(a) for a in ("z", "y", "x"))
  own = tuple(0 if a in collective else axis_index(a) for a in ("z", "y", "x"))
  copy_gmem_to_smem(x.at[own], tile, b, collective_axes=collective)
  barrier_wait(b)
  out[place] = tile[...]
x = random((2, 2, 2, 128, 64), f16, seed=0)
out = k(x)
for z in range(cluster[0]):
  for y in range(cluster[1]):
    for w in range(cluster[2]):
      own = tuple(0 if a in collective else i for a, i in (("z", z), ("y", y), ("x", w)))
      assert max_error(out[z, y, w], x[own]) == 0, (cluster, collective, z, y, w)
)",
                           one));
}

// Each block counts the arrivals of the blocks that differ from it in one collective axis only.
// inventory: BA collective_arrive
TEST(KernelLaunch, ClusterBarriers) {
  const std::string text = R"(cluster, collective, grouped = CLUSTER, COLLECTIVE, GROUPED
axes = (collective,) if grouped else collective
@kernel(cluster=cluster, cluster_names=("z", "y", "x"), scratch=[SMEM((128,), i32), ClusterBarrier(collective_axes=axes),
        ClusterBarrier(collective_axes=("z", "y", "x"))])
def k(out: Out(cluster + (128,), i32), tile, b, all):
  place = tuple(axis_index(a) for a in ("z", "y", "x"))
  z, y, x = place
  tile[...] = broadcasted_iota(i32, (128,), 0) + (z * 100 + y * 10 + x) * 1000
  barrier_arrive(b)
  barrier_wait(b)
  total = broadcasted_iota(i32, (128,), 0) * 0
  for i in range(cluster[0]):
    for j in range(cluster[1]):
      for l in range(cluster[2]):
        differs = tuple(a for a in collective)
        same = True
        if "z" not in collective:
          same = same and i == z
        if "y" not in collective:
          same = same and j == y
        if "x" not in collective:
          same = same and l == x
        moved = 0
        moved = moved + (1 if i != z else 0)
        moved = moved + (1 if j != y else 0)
        moved = moved + (1 if l != x else 0)
        if same and (moved <= 1 or grouped):
          total = total + cluster_ref(tile, z=i, y=j, x=l)[...]
  out[place] = total
out = k()
for z in range(cluster[0]):
  for y in range(cluster[1]):
    for x in range(cluster[2]):
      wanted = zeros((128,), i32)
      for i in range(cluster[0]):
        for j in range(cluster[1]):
          for l in range(cluster[2]):
            moved = [a for a, p, q in (("z", i, z), ("y", j, y), ("x", l, x)) if p != q]
            if all([a in collective for a in moved]) and (len(moved) <= 1 or grouped):
              wanted = wanted + arange(128).astype(i32) + (i * 100 + j * 10 + l) * 1000
      assert max_error(out[z, y, x], wanted) == 0, (cluster, collective, z, y, x)
)";
  for (const ClusterCase &one : clusterCases()) {
    expectRuns(replaced(withCluster(text, one), "GROUPED", "False"));
    if (one.collective.size() > 1)
      expectRuns(replaced(withCluster(text, one), "GROUPED", "True"));
  }
}

// inventory: BA collective_arrival_count
// inventory: PC collective_arrival_count
TEST(KernelLaunch, ClusterBarrierCountsWarpgroups) {
  expectRuns(R"(@kernel(cluster=(2,), cluster_names=("c",), num_threads=2, thread_name="wg",
        scratch=[SMEM((2, 128), i32), ClusterBarrier(collective_axes=("c",), num_arrivals=2, num_barriers=2)])
def k(out: Out((2, 2, 128), i32), tile, b):
  c, wg = axis_index("c"), axis_index("wg")
  for i in range(4):
    tile[wg] = broadcasted_iota(i32, (128,), 0) + (c * 10 + wg + i * 100)
    barrier_arrive(b.at[i % 2])
    barrier_wait(b.at[i % 2])
    out[c, wg] = cluster_ref(tile, c=1 - c)[1 - wg]
    if i < 3:
      barrier_arrive(b.at[(i + 1) % 2])
      barrier_wait(b.at[(i + 1) % 2])
out = k()
for c in range(2):
  for wg in range(2):
    assert max_error(out[c, wg], arange(128).astype(i32) + ((1 - c) * 10 + 1 - wg + 300)) == 0
)");
}

// inventory: BA cluster_ref_read
// inventory: PC cluster_ref_read
// inventory: BA cluster_ref_write
// inventory: PC cluster_ref_write
TEST(KernelLaunch, OtherBlocksMemory) {
  for (const char *cluster : {"(2, 1)", "(1, 2)"})
    expectRuns(replaced(R"(@kernel(cluster=CLUSTER, cluster_names=("a", "b"),
        scratch=[SMEM((64, 32), f32, transforms=(TilingTransform((8, 32)), SwizzleTransform(128))), SMEM((64, 32), f32),
                 ClusterBarrier(collective_axes=(("a", "b"),))])
def k(x: GMEM((2, 64, 32), f32), out: Out((2, 2, 64, 32), f32), tile, written, done):
  a, b = axis_index("a"), axis_index("b")
  me = a + b
  tile[...] = x[me]
  if axis_size("a") == 2:
    theirs, there = cluster_ref(tile, a=1 - a), cluster_ref(written, a=1 - a)
  else:
    theirs, there = cluster_ref(tile, b=1 - b), cluster_ref(written, b=1 - b)
  there[...] = x[me] * 2
  barrier_arrive(done)
  barrier_wait(done)
  out[me, 0] = theirs[...]
  out[me, 1] = written[...]
x = random((2, 64, 32), f32, seed=5)
out = k(x)
for me in range(2):
  assert max_error(out[me, 0], x[1 - me]) == 0
  assert max_error(out[me, 1], x[1 - me] * 2) == 0
)",
                        "CLUSTER", cluster));
}

TEST(KernelLaunch, ClusterMistakes) {
  auto errors = [](const std::string &settings, const std::string &body) {
    return Snippet("@kernel(" + settings + ")\ndef k(x: GMEM((128, 64), f16), out: Out((128, 64), f16), t, b):\n" +
                   body + "k(zeros((128, 64), f16))\n")
        .errors;
  };
  auto expect = [&](const std::string &settings, const std::string &body, const std::string &message) {
    std::string found = errors(settings, body);
    EXPECT_NE(found.find(message), std::string::npos) << message << "\n" << found;
  };
  const std::string two = "cluster=(2,), cluster_names=(\"c\",), ", plain = "scratch=[SMEM((128, 64), f16), Barrier()]";
  const std::string wide = "scratch=[SMEM((1, 64), f16), Barrier()]";
  expect(plain, "  copy_gmem_to_smem(x, t, b, collective_axes=\"c\")\n", "the cluster has no axis `c`");
  expect(two + plain, "  copy_gmem_to_smem(x, t, b, collective_axes=\"d\")\n", "no axis `d`, it has `c`");
  expect(two + plain, "  copy_gmem_to_smem(x, t, b, collective_axes=(\"c\", \"c\"))\n", "named twice");
  expect(two + plain, "  copy_gmem_to_smem(x, t, b, partitioned_axis=0)\n", "only a copy with `collective_axes`");
  expect(two + plain, "  copy_gmem_to_smem(x, t, b, collective_axes=\"c\", partitioned_axis=2)\n",
         "there is no dimension 2");
  expect(two + "scratch=[SMEM((64, 64), f16), Barrier()]",
         "  copy_gmem_to_smem(x, t, b, collective_axes=\"c\", partitioned_axis=0)\n", "needs sm_100a");
  expect("cluster=(4,), cluster_names=(\"c\",), " + plain,
         "  copy_gmem_to_smem(x, t, b, collective_axes=\"c\", partitioned_axis=0)\n",
         "among 2 blocks, and the axis has 4");
  expect(two + plain, "  copy_gmem_to_smem(x, t, collective_axes=\"c\")\n", "each block's own");
  expect(two + "scratch=[SMEM((128, 64), f16), ClusterBarrier(collective_axes=(\"c\",))]",
         "  copy_gmem_to_smem(x, t, b)\n", "counts only arrivals");
  expect(two + "scratch=[SMEM((128, 64), f16), ClusterBarrier(collective_axes=(\"d\",))]", "  pass\n", "no axis `d`");
  expect(two + "scratch=[SMEM((128, 64), f16), ClusterBarrier(collective_axes=(\"c\", \"c\"))]", "  pass\n",
         "named twice");
  expect(two + wide, "  copy_gmem_to_smem(x.at[0:1, 0:64], t, b, collective_axes=\"c\")\n", "multiple of 128");
  expect("cluster=(3,), cluster_names=(\"c\",), " + plain, "  copy_gmem_to_smem(x, t, b, collective_axes=\"c\")\n",
         "none of the leading dimensions");
  expect(two + plain, "  out[...] = cluster_ref(t, c=2)[...]\n", "there is no block 2");
  expect(two + plain, "  out[...] = cluster_ref(t)[...]\n", "name the block by the cluster's axes");
  expect(two + plain, "  out[...] = cluster_ref(t, d=0)[...]\n", "no axis `d`");
  expect(two + plain, "  copy_gmem_to_smem(x, cluster_ref(t, c=0), b)\n", "must be an SMEM reference");
  expect("cluster=(2, 2, 2, 2), " + plain, "  pass\n", "at most 3 dimensions");
  expect("cluster=(2,), cluster_names=(\"a\", \"b\"), " + plain, "  pass\n", "`cluster_names` 2 names");
  expect("grid=(2,), grid_names=(\"c\",), " + two + plain, "  pass\n", "the axis `c` is named twice");
}

} // namespace
} // namespace lanescope::repl
