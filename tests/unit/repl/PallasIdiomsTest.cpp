// What users' Pallas programs write that the language has under other forms.
#include "tests/unit/repl/PallasPrograms.h"

namespace lanescope::repl {
namespace {

// Each of (2, 3) semaphores is one of its own, chosen by ints and by traced ones.
TEST(PallasIdioms, SemaphoresOfAShape) {
  auto done = program(R"(
def body(o_ref):
  done = pl.get_global(plgpu.SemaphoreType.REGULAR((2, 3)))
  assert done.shape == (2, 3)
  i, j = lax.axis_index("i"), lax.axis_index("j")
  for k in range(3):
    @pl.when(j == k)
    def _():
      pl.semaphore_signal(done.at[i, k], k + 1)
  @pl.when(j == 0)
  def _():
    for k in range(3):
      pl.semaphore_wait(done.at[i].at[k], k + 1)
    o_ref[i] = jnp.full((128,), 1, jnp.int32) * (i + 5)
out = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 128), jnp.int32), grid=(2, 3), grid_names=("i", "j"))()
print(out[:, 0], int(out.min(1)[1]))
)");
  EXPECT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed, "[5 6] 6\n");
  auto wrong = program(R"(
def body(o_ref, done):
  pl.semaphore_signal(done.at[0, 3])
plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((128,), jnp.int32), scratch_types=[plgpu.SemaphoreType.REGULAR((2, 3))])()
)");
  EXPECT_NE(wrong.errors.find("has 3 semaphores, there is no semaphore 3"), std::string::npos) << wrong.errors;
}

TEST(PallasIdioms, OtherBlocksByTheirAxes) {
  auto done = program(R"(
def body(x_ref, o_ref, tile, meet, leave, sent, landed):
  c = lax.axis_index("c")
  tile[...] = x_ref[c]
  plgpu.barrier_arrive(meet)
  plgpu.barrier_wait(meet)
  theirs = plgpu.cluster_ref(tile, {"c": 1 - c})[...]
  v = plgpu.load(x_ref.at[c], layout=plgpu.Layout.WG_STRIDED((128,), vec_size=1), optimized=False)
  plgpu.async_store_smem(v * 2.0, sent, landed, cluster_idx=1 - c, cluster_dim="c")
  plgpu.barrier_wait(landed)
  o_ref[c] = theirs + sent[...]
  plgpu.barrier_arrive(leave)
  plgpu.barrier_wait(leave)
x = jnp.arange(256, dtype=jnp.float32).reshape(2, 128)
buffer = plgpu.SMEM((128,), jnp.float32)
meeting = plgpu.ClusterBarrier(collective_axes=("c",))
out = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 128), jnp.float32), cluster=(2,), cluster_names=("c",),
                   scratch_types=[buffer, meeting, meeting, buffer, plgpu.Barrier()])(x)
np.testing.assert_array_equal(out, 3 * x[::-1])
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

TEST(PallasIdioms, InlinedFunctionsWithTypes) {
  auto done = program(R"(
@plgpu.kernel(out_type=jax.ShapeDtypeStruct((64, 64), jnp.float32))
def kernel(x_ref, o_ref):
  x = plgpu.load(x_ref, layout=plgpu.Layout.WGMMA, optimized=False)
  @plgpu.inline_mgpu(arg_types=(plgpu.Layout.WGMMA, plgpu.RefType()),
                     return_type=plgpu.ShapeDtypeStruct((64, 64), jnp.float32, layout=plgpu.Layout.WGMMA))
  def squares(ctx, v, ref):
    return v + v * v
  o_ref[...] = squares(x, x_ref)
x = jnp.arange(64 * 64, dtype=jnp.float32).reshape(64, 64) / 64
np.testing.assert_allclose(kernel(x), x + x * x)
)");
  EXPECT_TRUE(done.ok) << done.errors;
}

// Python's `sum` of several traced values, and branches that give a number of a dtype on one side.
TEST(PallasIdioms, SumsOfValuesAndBranchesWithNumbers) {
  auto done = program(R"(
@plgpu.kernel(out_type=(jax.ShapeDtypeStruct((128,), jnp.float32), jax.ShapeDtypeStruct((1,), jnp.int32)))
def kernel(x_ref, o_ref, n_ref):
  parts = [x_ref[...] * k for k in range(1, 4)]
  o_ref[...] = sum(parts) + sum((p for p in parts[1:]), parts[0])
  b = x_ref[3].astype(jnp.int32)
  n_ref[0] = lax.cond(b > 2, lambda: jnp.int32(7), lambda: b * 10)
out, n = kernel(jnp.arange(128, dtype=jnp.float32))
np.testing.assert_array_equal(out, 12 * np.arange(128))
print(n)
)");
  EXPECT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed, "[7]\n");
}

} // namespace
} // namespace lanescope::repl
