// `jax.shard_map` with Pallas' kernels in it: programs as users of several GPUs write them, on the emulator.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

constexpr const char *kImports = R"(import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
P = jax.sharding.PartitionSpec
gmem = pl.BlockSpec(memory_space=plgpu.GMEM)
)";

void expectRunsProgram(const std::string &text) { expectRuns(kImports + text); }

// The neighbour gets the array, once both have begun.
constexpr const char *kExchange = R"(
def exchange(x_ref, y_ref, ready, received):
  other = 1 - lax.axis_index("x")
  y_ref[...] = x_ref[...]
  pl.semaphore_signal(ready, device_id=other)
  pl.semaphore_wait(ready)
  plgpu.remote_ref(y_ref, other)[...] = x_ref[...]
  pl.semaphore_signal(received, device_id=other)
  pl.semaphore_wait(received)
def body(x):
  return pl.pallas_call(exchange, in_specs=[gmem], out_specs=gmem, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                        scratch_shapes=[plgpu.SemaphoreType.REGULAR] * 2)(x)
x = jnp.arange(16 * 128, dtype=jnp.float32).reshape(16, 128)
swapped = np.concatenate([x[8:], x[:8]])
)";

TEST(ShardMap, DevicesExchange) {
  expectRunsProgram(text(kExchange, R"(
mesh = jax.sharding.Mesh(jax.devices()[:2], ["x"])
y = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))(x)
np.testing.assert_array_equal(y, swapped)
)"));
}

// Kernels one after the other, with arithmetic of the host between them.
TEST(ShardMap, SeveralKernels) {
  expectRunsProgram(text(kExchange, R"(
def several(x):
  y = body(x)
  y = body(y * 2 + lax.axis_index("x"))
  return body(y), jnp.sum(y)[None] * lax.axis_size("x")
mesh = jax.make_mesh((2,), ("x",))
with jax.set_mesh(mesh):
  y, total = jax.shard_map(several, in_specs=(P("x"),), out_specs=(P("x"), P("x")))(x)
number = np.repeat(np.arange(2), 8)[:, None]
# Exchanged three times; the second sees device d's number added on device d.
np.testing.assert_array_equal(y, swapped * 2 + number)
np.testing.assert_allclose(total, np.asarray([np.sum((x * 2 + (1 - number))[:8]), np.sum((x * 2 + (1 - number))[8:])]) * 2, rtol=1e-6)
)"));
}

// inventory: PS lowering, lowering_with_explicit_sharding
TEST(ShardMap, MeshesOfTwoAxes) {
  for (const char *axis : {"x", "y"})
    expectRunsProgram(text("axis = \"", axis, R"("
def kernel(x_ref, y_ref, received):
  other = {axis: 1 - lax.axis_index(axis)}
  plgpu.remote_ref(y_ref, other)[...] = x_ref[...]
  pl.semaphore_signal(received, device_id=other)
  pl.semaphore_wait(received)
def body(x):
  return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                      scratch_types=[plgpu.SemaphoreType.REGULAR])(x)
mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
x = jnp.arange(16 * 128, dtype=jnp.float32).reshape(16, 128)
with jax.set_mesh(mesh):
  x = jax.sharding.reshard(x, P(axis))
  y = jax.shard_map(body, in_specs=P(axis), out_specs=P(axis), check_vma=False)(x)
np.testing.assert_array_equal(y, np.concatenate([x[8:], x[:8]]))
)"));
}

TEST(ShardMap, SignalsAndWaits) {
  expectRunsProgram(R"(
def kernel(y_ref, twice, kept, first, second):
  other = 1 - lax.axis_index("x")
  pl.semaphore_signal(twice, 2, device_id=other)
  pl.semaphore_wait(twice)
  pl.semaphore_wait(twice)
  pl.semaphore_signal(kept, 2, device_id=other)
  pl.semaphore_wait(kept, decrement=False)
  pl.semaphore_wait(kept, 2, decrement=False)
  pl.semaphore_wait(kept, 2)
  plgpu.semaphore_signal_parallel(plgpu.SemaphoreSignal(first, device_id=other), plgpu.SemaphoreSignal(second, device_id=other))
  pl.semaphore_wait(first)
  pl.semaphore_wait(second)
  y_ref[...] = jnp.ones((8, 128), jnp.float32)
call = pl.pallas_call(kernel, out_specs=gmem, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                      scratch_shapes=[plgpu.SemaphoreType.REGULAR] * 4)
y = jax.shard_map(call, mesh=jax.make_mesh((2,), ("x",)), in_specs=(), out_specs=P(None), check_vma=False)()
np.testing.assert_array_equal(y, np.ones((8, 128)))
)");
}

// Which device, the data say; each element in a loop of its own.
TEST(ShardMap, DevicesKnownFromData) {
  expectRunsProgram(R"(
def kernel(x_ref, y_ref, ready, received):
  other = jnp.sum((x_ref[...] == 1).astype(jnp.int32))
  y_ref[...] = x_ref[...]
  pl.semaphore_signal(ready, device_id=other)
  pl.semaphore_wait(ready)
  there = plgpu.remote_ref(y_ref, other)
  def one(i, _):
    there[0, i] = x_ref[0, i] + 5
    pl.semaphore_signal(received, device_id=other)
    pl.semaphore_wait(received)
  lax.fori_loop(0, 4, one, None)
x = jnp.zeros((2, 128), jnp.int32).at[0, 0].set(1)
call = pl.pallas_call(kernel, in_specs=[gmem], out_specs=gmem, out_shape=jax.ShapeDtypeStruct((1, 128), jnp.int32),
                      scratch_shapes=[plgpu.SemaphoreType.REGULAR] * 2)
y = jax.shard_map(call, mesh=jax.make_mesh((2,), ("x",)), in_specs=P("x"), out_specs=P("x"), check_vma=False)(x)
wanted = np.array(x)
wanted[:, :4] = np.asarray(x)[::-1, :4] + 5
np.testing.assert_array_equal(y, wanted)
)");
}

TEST(ShardMap, CopiesByTma) {
  for (const char *ids : {"lambda x, y: (x, y)", "lambda x, y: dict(x=x, y=y)"})
    expectRunsProgram(text("ids = ", ids, R"(
def kernel(y_ref, tile, sem):
  me = lax.axis_index("y")
  @pl.when(me == 0)
  def store():
    tile[...] = plgpu.layout_cast(lax.broadcasted_iota(jnp.int32, (128, 128), 1), plgpu.Layout.WGMMA)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(y_ref, ids(0, me)))
    plgpu.copy_smem_to_gmem(tile, plgpu.remote_ref(y_ref, ids(0, 1 - me)))
    plgpu.wait_smem_to_gmem(0)
  pl.semaphore_signal(sem, 1, device_id=ids(0, 1 - me))
  pl.semaphore_wait(sem)
tile = plgpu.SMEM((128, 128), jnp.int32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128)))
call = pl.pallas_call(kernel, out_specs=gmem, out_shape=jax.ShapeDtypeStruct((128, 128), jnp.int32),
                      scratch_shapes=[tile, plgpu.SemaphoreType.REGULAR])
y = jax.shard_map(call, mesh=jax.make_mesh((1, 2), ("x", "y")), in_specs=(), out_specs=P("y"), check_vma=False)()
np.testing.assert_array_equal(y, np.tile(np.arange(128), (256, 1)))
)"));
}

// Operands and outputs as trees; a spec stands for all below it.
TEST(ShardMap, Trees) {
  expectRunsProgram(R"(
def add(a_ref, b_ref, o_ref):
  o_ref[...] = a_ref[...] + b_ref[...]
def body(pair, scale):
  total = plgpu.kernel(add, out_type=jax.ShapeDtypeStruct((4, 128), jnp.float32))(pair["a"], pair["b"])
  return {"sum": total * scale, "rest": [pair["a"]]}
a, b = jnp.arange(1024, dtype=jnp.float32).reshape(8, 128), jnp.ones((8, 128), jnp.float32)
out = jax.shard_map(body, mesh=jax.make_mesh((2,), ("x",)), in_specs=(P("x"), P()), out_specs={"sum": P("x"), "rest": P("x")})(
    {"a": a, "b": b}, jnp.full((4, 128), 3.0, jnp.float32))
np.testing.assert_array_equal(out["sum"], (a + b) * 3)
np.testing.assert_array_equal(out["rest"][0], a)
)");
}

// The ways to a mesh, and to `shard_map`.
TEST(ShardMap, MeshesInJaxsWords) {
  Snippet done(std::string(kImports) + R"(
from jax.experimental import mesh_utils
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, NamedSharding
m = Mesh(mesh_utils.create_device_mesh((2, 2)), ("x", "y"))
x = jax.device_put(jnp.arange(4.0), NamedSharding(m, P("x")))
np.testing.assert_array_equal(shard_map(lambda a: a * 2 + lax.axis_index("y") * 0, m, (P("x"),), P("x"))(x), x * 2)
np.testing.assert_array_equal(jax.shard_map(mesh=m, in_specs=P(("x", "y")), out_specs=P(("x", "y")))(lambda a: a + lax.axis_index(("x", "y")))(x), x + np.arange(4))
print(m.shape, m.axis_names, m.size, jax.devices()[1].id, jax.device_count())
)");
  EXPECT_TRUE(done.ok) << done.errors;
  EXPECT_EQ(done.printed, "{'x': 2, 'y': 2} ('x', 'y') 4 1 8\n");
}

// Devices meet on the host, too, before and after kernels.
TEST(ShardMap, Collectives) {
  expectRunsProgram(R"(
mesh = jax.make_mesh((2, 4), ("x", "y"))
x = jnp.arange(8 * 16, dtype=jnp.float32).reshape(8, 16)
def over(f, spec=P(("x", "y"))):
  return np.asarray(jax.shard_map(f, mesh=mesh, in_specs=P(("x", "y")), out_specs=spec, check_vma=False)(x))
rows = np.asarray(x)
np.testing.assert_array_equal(over(lambda a: lax.psum(a, ("x", "y")), P()), rows.sum(0, keepdims=True))
np.testing.assert_array_equal(over(lambda a: lax.psum(a, "y")), np.repeat([rows[:4].sum(0), rows[4:].sum(0)], 4, axis=0))
np.testing.assert_array_equal(over(lambda a: lax.pmax(a, "x")), np.tile(rows[4:], (2, 1)))
np.testing.assert_array_equal(over(lambda a: lax.pmin(a, "x")), np.tile(rows[:4], (2, 1)))
np.testing.assert_array_equal(over(lambda a: lax.pmean(a, "x")), np.tile((rows[:4] + rows[4:]) / 2, (2, 1)))
np.testing.assert_array_equal(over(lambda a: lax.all_gather(a, ("x", "y"), tiled=True), P()), rows)
np.testing.assert_array_equal(over(lambda a: lax.all_gather(a, "y", axis=1)[0], P("x", None)), rows.reshape(8, 16))
shift = [(i, (i + 1) % 4) for i in range(4)]
np.testing.assert_array_equal(over(lambda a: lax.ppermute(a, "y", shift)), np.concatenate([rows[3:4], rows[:3], rows[7:], rows[4:7]]))
np.testing.assert_array_equal(over(lambda a: lax.ppermute(a, "y", [(0, 1)]))[:4], np.concatenate([rows[:1] * 0, rows[:1], rows[:2] * 0]))
np.testing.assert_array_equal(over(lambda a: lax.psum_scatter(a, "y", scatter_dimension=1, tiled=True), P("x", "y")), np.stack([rows[:4].sum(0), rows[4:].sum(0)]))
np.testing.assert_array_equal(over(lambda a: lax.all_to_all(a, "y", 1, 0, tiled=True), P(("x", "y"))), rows.reshape(2, 4, 4, 4).transpose(0, 2, 1, 3).reshape(32, 4))
np.testing.assert_array_equal(over(lambda a: lax.psum(1, "y") + a * 0, P(("x", "y"))), rows * 0 + 4)
)");
  expectError(std::string(kImports) + "lax.psum(jnp.ones((4,)), 'x')",
              "devices meet in a function under `jax.shard_map`");
}

TEST(ShardMap, Mistakes) {
  auto refused = [](const std::string &text, const std::string &message) { expectError(kImports + text, message); };
  refused("jax.shard_map(lambda x: x, in_specs=P(), out_specs=P())(jnp.ones((4,)))", "shard_map needs `mesh=");
  refused("jax.shard_map(lambda x: x, mesh=jax.make_mesh((2,), ('x',)), out_specs=P())(jnp.ones((4,)))",
          "give `shard_map` its `in_specs=`");
  refused(
      "jax.shard_map(lambda x: x, mesh=jax.make_mesh((2,), ('x',)), in_specs=P('y'), out_specs=P())(jnp.ones((4,)))",
      "`operand 0` is split along `y`, and the mesh of devices has x=2");
  refused(
      "jax.shard_map(lambda x: x, mesh=jax.make_mesh((3,), ('x',)), in_specs=P('x'), out_specs=P())(jnp.ones((4,)))",
      "dimension 0 of size 4 is not divided into 3 equal parts");
  refused("jax.make_mesh((16,), ('x',))", "has 16 devices, and there are 8");
  refused("jax.sharding.Mesh(jax.devices()[::-1], ['x'])",
          "Mosaic GPU only supports meshes with device ordering that follows row-major device ids.");
  refused("lax.axis_index('x')", "`lax.axis_index` is of a kernel, or of a function under `jax.shard_map`");
  refused("jax.shard_map(lambda x: x * lax.axis_index('y'), mesh=jax.make_mesh((2,), ('x',)), in_specs=P(), "
          "out_specs=P())(jnp.ones((4,)))",
          "the mesh has no axis `y`, it is x=2");
  refused(R"(
def one(o_ref):
  o_ref[...] = jnp.ones((128,), jnp.float32)
def body(x):
  call = plgpu.kernel(one, out_type=jax.ShapeDtypeStruct((128,), jnp.float32))
  return call() if lax.axis_index('x') == 0 else x
jax.shard_map(body, mesh=jax.make_mesh((2,), ('x',)), in_specs=P('x'), out_specs=P('x'))(jnp.ones((256,), jnp.float32))
)",
          "device 0 calls kernel `one`, and device 1 has returned: all devices of a `shard_map` call the same kernels");
  refused(R"(
def body(x):
  return jax.shard_map(lambda y: y, mesh=jax.make_mesh((2,), ('x',)), in_specs=P(), out_specs=P())(x)
jax.shard_map(body, mesh=jax.make_mesh((2,), ('x',)), in_specs=P(), out_specs=P())(jnp.ones((4,)))
)",
          "there is one `shard_map` at a time");
}

} // namespace
} // namespace lanescope::repl
