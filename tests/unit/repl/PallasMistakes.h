// Mistakes that users make on the way to a Pallas kernel, and how each is answered: the place and the message.
#pragma once

#include <string_view>
#include <utility>

namespace lanescope::repl {

inline constexpr std::pair<std::string_view, std::string_view> kPallasMistakes[] = {
    {R"~(import torch)~",
     R"~(9:8: there is no module `torch` here; arrays here are NumPy's and JAX's: `import numpy as np`, `import jax.numpy as jnp`)~"},
    {R"~(import triton.language as tl)~",
     R"~(9:8: there is no module `triton.language` here; kernels here are Pallas': `from jax.experimental.pallas import mosaic_gpu as plgpu`)~"},
    {R"~(from jax import vmaps)~", R"~(9:17: `jax` has no `vmaps` here)~"},
    {R"~(from jax.experimental.pallas import gpu)~",
     R"~(9:37: `jax.experimental.pallas` has no `gpu` here; did you mean `tpu`?)~"},
    {R"~(jax.vmap(lambda x: x))~", R"~(9:1: `jax` has no `vmap` here; give the kernel one more grid axis instead)~"},
    {R"~(jax.grad(lambda x: x))~",
     R"~(9:1: `jax` has no `grad` here; nothing is differentiated here; write the backward kernel)~"},
    {R"~(jnp.concat([X]))~", R"~(9:1: `jax.numpy` has no `concat` here)~"},
    {R"~(jnp.arrange(3))~", R"~(9:1: `jax.numpy` has no `arrange` here; did you mean `arange`?)~"},
    {R"~(np.random.rand(3))~",
     R"~(9:1: `numpy.random` has no `rand` here; `np.random.default_rng(seed).random(shape)`)~"},
    {R"~(np.random.seed(0))~",
     R"~(9:1: `numpy.random` has no `seed` here; `np.random.default_rng(seed)` makes a generator with a seed)~"},
    {R"~(plgpu.dot(X, X))~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `dot` here; products are `plgpu.wgmma(acc, a, b)` into `plgpu.ACC(…)`, or `plgpu.tcgen05_mma` on sm_100a)~"},
    {R"~(plgpu.pallas_call(None))~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `pallas_call` here; it is `pl.pallas_call`, of `jax.experimental.pallas`)~"},
    {R"~(plgpu.when(True))~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `when` here; it is `pl.when`, of `jax.experimental.pallas`)~"},
    {R"~(plgpu.ds(0, 1))~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `ds` here; it is `pl.ds`, of `jax.experimental.pallas`)~"},
    {R"~(pl.BlockSpecs())~", R"~(9:1: `jax.experimental.pallas` has no `BlockSpecs` here; did you mean `BlockSpec`?)~"},
    {R"~(plgpu.program_id(0))~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `program_id` here; the block's place is `lax.axis_index("name")`, with `grid_names=` in `plgpu.kernel`)~"},
    {R"~(plgpu.mbarrier())~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `mbarrier` here; barriers are `plgpu.Barrier(num_arrivals=…)`, `plgpu.barrier_arrive` and `plgpu.barrier_wait`)~"},
    {R"~(plgpu.Layout.WGMA)~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu.Layout` has no `WGMA` here; did you mean `WGMMA`?)~"},
    {R"~(plgpu.SMEM((8, 8)))~", R"~(9:1: `SMEM` needs a value for `dtype`)~"},
    {R"~(plgpu.SMEM((8, 8), jnp.float32, transform=()))~",
     R"~(9:33: `SMEM` has no parameter `transform`; did you mean `transforms`?)~"},
    {R"~(plgpu.Barrier(arrivals=2))~", R"~(9:15: `Barrier` has no argument `arrivals`)~"},
    {R"~(plgpu.TilingTransform(8, 64))~",
     R"~(9:26: `TilingTransform` takes at most 1 positional argument, but 2 are given)~"},
    {R"~(plgpu.SwizzleTransform(100))~",
     R"~(9:24: `swizzle` of `SwizzleTransform`: a swizzle is 32, 64 or 128 bytes, not 100)~"},
    {R"~(plgpu.ACC((64, 64), jnp.float32, 3))~", R"~(9:34: `ACC` takes 2 positional arguments, but 3 are given)~"},
    {R"~(jax.ShapeDtypeStruct((2, 2)))~", R"~(9:1: `ShapeDtypeStruct` needs a value for `dtype`)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_types=X)(X))~",
     R"~(9:33: `kernel` has no argument `out_types`; did you mean `out_type`?)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, out_shape=X)(X))~",
     R"~(9:55: `out_type` and `out_shape` are two names of one argument; give one of them)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=3)(X))~",
     R"~(9:42: an output is `jax.ShapeDtypeStruct(shape, dtype)`, or a tuple of them, not `int`)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, grid=(2,), grid_names=('a', 'b'))(X))~",
     R"~(9:50: `grid` has 1 dimension, and `grid_names` 2 names)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, num_threads=2)(X))~",
     R"~(9:57: `num_threads` of `kernel`: `thread_name` names the axis along which the warpgroups of `num_threads` differ)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X)(3.0))~",
     R"~(9:45: kernel `kernel` takes no scalars; close over the number, or pass an array of one)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X)([1, 2]))~",
     R"~(9:45: kernel `kernel` takes no scalars; close over the number, or pass an array of one)~"},
    {R"~(plgpu.kernel(lambda x, o: o, out_type=X)(X))~",
     R"~(9:14: the body of a kernel returns nothing: results are written to its last references, those of `out_type`)~"},
    {R"~(plgpu.kernel(lambda x: None, out_type=X)(X))~",
     R"~(9:14: `<lambda>` takes 1 positional argument, but 2 are given)~"},
    {R"~(plgpu.kernel(None)(X))~", R"~(9:20: the body of a kernel is a function, not `array`)~"},
    {R"~(plgpu.CompilerParams(aprox_math=True))~", R"~(9:1: ValueError: there is no compiler parameter aprox_math)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...] @ x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:16: kernels do not have `@`; use `wgmma` or `mma`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:16: `=` works on values, and `x_ref` is a reference; read it with `x_ref[...]`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref + 1
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:16: `+` works on values, and `x_ref` is a reference; read it with `x_ref[...]`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  x_ref[...] = o_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: `x_ref` is an input, so it cannot be written; declare it `InOut(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  if x_ref[...] > 0:
    pass
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:6: an array of shape (128, 64) is neither true nor false, so it cannot decide `if`; choose element by element with `select`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...].T
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:16: an array of a kernel has no attribute `T`; transpose the reference (`ref.T`), or change the layout (`layout_cast`))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[pl.ds(i * 64, 64)] = x_ref[i * 64:(i + 1) * 64]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:36: a slice with bounds known on the device only is written `ds(start, size)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...].astype(jnp.float16)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:16: a value of dtype f16 is written to `o_ref` of dtype f32; convert it with `.astype(f32)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.barrier_wait(x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:22: `barrier` of `barrier_wait` must be a barrier, not GMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.copy_gmem_to_smem(x_ref, o_ref, x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:34: `dst` of `copy_gmem_to_smem` must be an SMEM reference, not GMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.wgmma(x_ref, x_ref, x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:15: `acc` of `wgmma` must be an accumulator: a parameter that `ACC(…)` in `scratch` stands for, not GMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = lax.axis_index('j')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:31: `name` of `axis_index`: the kernel has no axis `j`, it has `i`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...] + jnp.ones((3, 5))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:16: `+` combines arrays of shapes (128, 64) and (3, 5), which must be equal)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = jnp.sum(x_ref[...], axis=2)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:41: `axis` of `sum`: there is no axis 2 in an array of shape (128, 64))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...] + jnp.arange(64)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:29: an array of the host whose elements differ has no value in a kernel; pass it as an argument (`GMEM(…)`), or make it there with `broadcasted_iota`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  for j in range(10):
    if x_ref[j, 0] > 0:
      break
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(13:7: `break` leaves a loop or branch that runs on the device, which it cannot; use a condition on static values, or `static_range(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  lax.fori_loop(0, 4, lambda j, c: c.astype(jnp.float32), jnp.int32(0))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: `carried` is i32 before the loop and f32 after a round; a variable that a loop on the device rebinds keeps its type)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  lax.while_loop(lambda c: c < 3, lambda c: (c, c), jnp.int32(0))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:28: `tuple` and `int` have no order)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[0, 0, 0] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:9: 3 indices for `o_ref`, which has 2 dimensions)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[300] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:9: index 300 is outside of dimension 0 of `o_ref`, which has size 128)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  more[0][...] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[3])(X)
)~",
     R"~(12:76: scratch is `SMEM(…)`, `TMEM(…)`, `Barrier(…)`, `ClusterBarrier(…)`, `ACC(…)`, `Semaphore(…)`, `Union(…)` and tuples of them, not `int`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  pl.run_scoped(lambda: None)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: `run_scoped` allocates something: `run_scoped(SMEM(…), Barrier())`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.emit_pipeline(lambda i, x: None, grid=(4,), in_specs=[pl.BlockSpec((8, 8))])(x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: a pipeline's specs have a block and an index map)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.emit_pipeline(lambda i, x: None, grid=(4,), in_specs=[pl.BlockSpec((8, 8), lambda j: (j, 0, 0))])(x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: an index map gives one index for each dimension of its block)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.set_max_registers(41, action='increase')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:27: `n` of `set_max_registers`: a thread has from 24 to 256 registers, a multiple of 8, not 41)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.set_max_registers(40, action='grow')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:38: `action` of `set_max_registers`: it is "increase" or "decrease", not "grow")~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  m = x_ref[...].max(axis=1)[:, None]
  o_ref[...] = m
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(12:16: `=` does not take `traced array f32[128, 1]`; spread it with `broadcast_in_dim` first)~"},
    {R"~(np.testing.assert_allclose(X, X + 1))~",
     R"~(9:1: 8192 of 8192 elements differ (100.0%), the first at (0, 0): 1.0 and 2.0; the largest difference is 1.0, relative to the second 0.5 (rtol=1e-07, atol=0.0))~"},
    {R"~(np.zeros((2, 3)) @ np.zeros((2, 3)))~",
     R"~(9:1: `@` of shapes (2, 3) and (2, 3): the left one's columns (3) are not the right one's rows (2))~"},
    {R"~(X[200])~", R"~(9:3: index 200 is outside dimension 0 of size 128)~"},
    {R"~(X.att[0].set(1))~", R"~(9:3: `array` has no attribute `att`; did you mean `at`?)~"},
    {R"~(jax.random.normal(0, (3,)))~",
     R"~(9:19: `key` of `normal` must be a key, as `jax.random.key(seed)` makes one, not int)~"},
    {R"~(jnp.zeros((3, 'a')))~", R"~(9:11: `shape` of `zeros`: every part must be an int, not str)~"},
    {R"~(with open('x') as f: pass)~",
     R"~(9:6: `open` is not here, for a snippet does not reach the host system; `load` and `save` read and write arrays)~"},
    {R"~(class A(dict):
  pass)~",
     R"~(9:9: a class inherits nothing here but an exception's or `NamedTuple`'s ways; put what they share into a function, or one object into a field of the other)~"},
    {R"~(def g():
  yield 1)~",
     R"~(10:3: there are no generators here; return a list)~"},
    {R"~(x = {1, 2}
print(y))~",
     R"~(9:6: there are no sets here; write a list, or `key: value` for a dict)~"},
};

} // namespace lanescope::repl
