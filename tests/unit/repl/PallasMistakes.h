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
    {R"~(from jax import vmaps)~", R"~(9:17: `jax` has no `vmaps` here; did you mean `vmap`?)~"},
    {R"~(from jax.experimental.pallas import gpu)~",
     R"~(9:37: `jax.experimental.pallas` has no `gpu` here; kernels for NVIDIA's GPUs are in `mosaic_gpu`: `from jax.experimental.pallas import mosaic_gpu as plgpu`)~"},
    {R"~(jax.vmap(lambda x: x, in_axes=(0, 1))(X))~", R"~(9:1: ValueError: vmap has 2 in_axes for 1 arguments)~"},
    {R"~(jax.grad(lambda x: x.sum())(X))~",
     R"~(9:1: NotImplementedError: nothing is differentiated here but a function of `jax.custom_vjp`, and what hands its arguments on to one; write the backward kernel)~"},
    {R"~(jnp.concatenat([X]))~", R"~(9:1: `jax.numpy` has no `concatenat` here; did you mean `concatenate`?)~"},
    {R"~(jnp.arrange(3))~", R"~(9:1: `jax.numpy` has no `arrange` here; did you mean `arange`?)~"},
    {R"~(np.random.rand((3, 4)))~", R"~(9:16: `rand` takes its sizes one by one, as `rand(3, 4)`)~"},
    {R"~(np.random.seed(-1))~",
     R"~(9:16: `seed` of `seed`: a seed is an int from 0 to 2**32 - 1 here, or a list of them)~"},
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
     R"~(11:16: `axis` of `sum`: there is no axis 2 in an array of shape (128, 64))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...] + jnp.arange(64) ** 2
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
     R"~(9:9: a class inherits from classes of the program, exceptions, `Enum` and `NamedTuple` here, not from `dict`; put one into a field of the other)~"},
    {R"~({1, [2]})~", R"~(9:1: `list` cannot be in a set; a tuple can)~"},
    {R"~(match X.shape:
  case jax.ShapeDtypeStruct(a): pass
  case jnp.float33: pass)~",
     R"~(11:8: `jax.numpy` has no `float33` here; did you mean `float32`?)~"},
    {R"~(from jax.experimental.pallas import triton as plt)~",
     R"~(9:37: `jax.experimental.pallas` has no `triton` here; kernels here are of Mosaic GPU: `from jax.experimental.pallas import mosaic_gpu as plgpu`)~"},
    {R"~(import flax)~",
     R"~(9:8: there is no module `flax` here; models are functions of arrays here: `import jax`, `import jax.numpy as jnp`)~"},
    {R"~(import matplotlib.pyplot as plt)~",
     R"~(9:8: there is no module `matplotlib.pyplot` here; `print` and `show` show arrays and layouts)~"},
    {R"~(jax.ShapeDtypeStruct((2, 2), 'float31'))~",
     R"~(9:1: `dtype` of `zeros`: there is no dtype `float31`; there are `float32`, `bfloat16`, `int8`, `uint8`, … and our own `f32`, `bf16`, `i8`, `u8`)~"},
    {R"~(jax.ShapeDtypeStruct(2.5, jnp.float32))~", R"~(9:1: TypeError: a shape is made of ints, not 2.5)~"},
    {R"~(jnp.ones((2, 2), dtype=jnp.flaot32))~",
     R"~(9:24: `jax.numpy` has no `flaot32` here; did you mean `float32`?)~"},
    {R"~(X.at[0].sett(1))~",
     R"~(9:1: `part of an array` has no attribute `sett`; it has `add`, `apply`, `divide`, `get`, `max`, `min`, `multiply`, `power`, `set`, `subtract`)~"},
    {R"~(np.testing.assert_alclose(X, X))~",
     R"~(9:1: `numpy.testing` has no `assert_alclose` here; did you mean `assert_allclose`?)~"},
    {R"~(jax.random.normal(0, (3,)))~",
     R"~(9:19: `key` of `normal` must be a key, as `jax.random.key(seed)` makes one, not int)~"},
    {R"~(np.random.exponential(size=3))~",
     R"~(9:1: `numpy.random` has no `exponential` here; `np.random.default_rng(seed).exponential(scale, size)`)~"},
    {R"~(np.random.default_rng(0).standart_normal(3))~",
     R"~(9:1: a Generator has no `standart_normal`; did you mean `standard_normal`?)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=jnp.float32)(X))~",
     R"~(9:42: an output is `jax.ShapeDtypeStruct(shape, dtype)`, or a tuple of them, not `dtype`)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, compiler_params=dict(approx_math=True))(X))~",
     R"~(9:61: `compiler_params` of `kernel` must be `plgpu.CompilerParams(…)`, not dict)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, mesh=jax.make_mesh((2,), ('x',)))(X))~",
     R"~(9:50: the mesh has 2 devices; a kernel for several runs in a function under `jax.shard_map(…, mesh=…)`)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, num_threads=20, thread_name='wg')(X))~",
     R"~(9:57: `num_threads` of `kernel`: a block has from 1 to 8 warpgroups (`num_threads` counts these), not 20)~"},
    {R"~(plgpu.Mesh(grid=(2,), grid_names=()))~",
     R"~(9:1: ValueError: grid has 1 dimensions, and grid_names 0 names)~"},
    {R"~(pl.core_map(3))~",
     R"~(9:1: TypeError: outside of kernels, `core_map` takes a `plgpu.Mesh(grid=…, grid_names=…)`)~"},
    {R"~(pl.pallas_call(lambda x, o: None)(X))~",
     R"~(9:1: TypeError: `pallas_call` needs `out_shape=jax.ShapeDtypeStruct(shape, dtype)`, the shape and dtype of what it gives)~"},
    {R"~(pl.pallas_call(lambda x, o: None, out_shape=X, grid=(2,), in_specs=[])(X))~",
     R"~(9:1: ValueError: there are 0 in_specs for 1 operands)~"},
    {R"~(pl.pallas_call(lambda x, o: None, out_shape=X, compiler_params=plgpu.CompilerParams(dimension_semantics=('sequential',)), grid=(2,))(X))~",
     R"~(9:1: NotImplementedError: each place of the grid is a block here, all side by side: what runs one after the other is a `plgpu.emit_pipeline` in the kernel)~"},
    {R"~(pl.pallas_call(lambda x, o: None, out_shape=X, input_output_aliases={0: 1})(X))~",
     R"~(9:1: ValueError: input_output_aliases={0: 1}: there are 1 operands and 1 outputs)~"},
    {R"~(plgpu.CompilerParams(delay_release=1))~",
     R"~(9:1: ValueError: `delay_release` is an argument of `plgpu.BlockSpec`)~"},
    {R"~(plgpu.Layout.WGMMA.reduced(1))~",
     R"~(9:20: `TiledLayout` has no attribute `reduced`; did you mean `reduce`?)~"},
    {R"~(plgpu.find_swizzle(24))~",
     R"~(9:1: no swizzle fits rows of 24 bits: they are a multiple of 128 bits at least)~"},
    {R"~(jax.vjp(lambda x: x, X))~",
     R"~(9:1: NotImplementedError: nothing is differentiated here but a function of `jax.custom_vjp`, and what hands its arguments on to one; write the backward kernel)~"},
    {R"~(jax.jvp(lambda x: x, (X,), (X,)))~",
     R"~(9:1: `jax` has no `jvp` here; nothing is differentiated here but functions of `jax.custom_vjp`; write the backward kernel)~"},
    {R"~(plgpu.debug_print('x'))~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `debug_print` here; it is `pl.debug_print`, of `jax.experimental.pallas`)~"},
    {R"~(plgpu.fori_loop(0, 1, None, None))~",
     R"~(9:1: `jax.experimental.pallas.mosaic_gpu` has no `fori_loop` here; it is `lax.fori_loop`, of `jax.lax`)~"},
    {R"~(plgpu.multimem_store(X, X, 'x'))~",
     R"~(9:1: `multimem_store` works inside kernels: call it in a function under `@kernel(…)`)~"},
    {R"~(jnp.where(X > 0, X))~",
     R"~(9:1: ValueError: `where` takes a condition alone, or with both values: where(condition, x, y))~"},
    {R"~(np.sum(X, out=X))~", R"~(9:1: NotImplementedError: there is no `out=` here: write `name = …`)~"},
    {R"~(jnp.pad(X, 1, mode='mean'))~",
     R"~(9:1: NotImplementedError: pad fills by mode "constant", "edge", "reflect", "symmetric" or "wrap" here, not 'mean')~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.copy_gmem_to_smem(x_ref[pl.ds(0, 64)], more[0], more[1])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(11:27: `src` of `copy_gmem_to_smem` must be a GMEM reference, not traced array f32[64, 64])~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.barrier_wait(more[0])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(11:22: `barrier` of `barrier_wait` must be a barrier, not SMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.barrier_wait(more[1].at[3])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(11:33: `arg3` has 1 barrier, there is no barrier 3)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  more[0][...] = x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(11:18: an array of shape (128, 64) is written to `arg2` of shape (64, 64))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  def f(acc):
    plgpu.wgmma(acc, more[0], more[0])
    return acc[...]
  o_ref[pl.ds(i * 64, 64)] = pl.run_scoped(f, plgpu.ACC((64, 64), jnp.float32))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()],
             compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane))(X)
)~",
     R"~(12:5: the right operand of `wgmma` is not swizzled; give its buffer `transforms=(TilingTransform((8, 32)), SwizzleTransform(128))`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  pl.run_state(lambda ref: None)(plgpu.ACC(x_ref[...]))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:34: TypeError: an accumulator that begins with a value is `plgpu.ACC.init(value)`, for `pl.run_state`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = jnp.cumsum(x_ref[...], axis=1)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:27: `x` of `cumsum`: this function is for arrays of the host, and kernels do not have it: arrays in registers are combined element by element and reduced, others go through shared memory)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = jnp.concatenate([x_ref[...], x_ref[...]])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:16: an array is made of numbers, not traced array f32[128, 64]; arrays of a kernel are put together in shared memory, part by part)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref.at[0] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: `o_ref.at[…]` is a reference, for copies; `o_ref[…] = value` writes)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...].astype('float31')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:34: `dtype` of `astype`: there is no dtype `float31`; there are `float32`, `bfloat16`, `int8`, `uint8`, … and our own `f32`, `bf16`, `i8`, `u8`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  m = jnp.max(x_ref[...], axis=1)
  o_ref[...] = x_ref[...] - m
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(12:16: `-` combines arrays of shapes (128, 64) and (128,), and broadcasting aligns the last dimensions; spread the smaller one: `broadcast_in_dim(x, (128, 64), (0,))`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  if i == 0:
    return
  o_ref[...] = x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(12:5: `return` leaves a loop or branch that runs on the device, which it cannot; use a condition on static values, or `static_range(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  lax.fori_loop(0, 3, lambda j, c: None, jnp.float32(0))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: `carried` is f32 before the loop and a NoneType after a round; only numbers and arrays can change from round to round, so bind another name inside the loop, or loop over `static_range(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.set_max_registers(40)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:3: `set_max_registers` needs a value for `action`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=plgpu.SMEM((8,), jnp.float32))(X)
)~",
     R"~(12:76: scratch is a list, a tuple or a dict of `plgpu.SMEM(…)`, `plgpu.Barrier()`, …, not one `SMEM`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  pl.debug_print('{} {}', i)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(11:18: `format` of `debug_print`: the format has 2 `{}` fields for 1 value)~"},
};

} // namespace lanescope::repl
