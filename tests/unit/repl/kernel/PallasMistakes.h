// Mistakes that users make on the way to a Pallas kernel, and the answer to each: its place and message.
#pragma once

#include <string_view>
#include <utility>

namespace lanescope::repl {

inline constexpr std::pair<std::string_view, std::string_view> kPallasMistakes[] = {
    {R"~(jnp.arrange(3))~", R"~(2:1: `jax.numpy` has no `arrange` here; did you mean `arange`?)~"},
    {R"~(plgpu.dot(X, X))~",
     R"~(2:1: `jax.experimental.pallas.mosaic_gpu` has no `dot` here; products are `plgpu.wgmma(acc, a, b)` into `plgpu.ACC(…)`, or `plgpu.tcgen05_mma` on sm_100a)~"},
    {R"~(plgpu.when(True))~", R"~(2:1: `jax.experimental.pallas.mosaic_gpu` has no `when` here; it is `pl.when`)~"},
    {R"~(plgpu.ds(0, 1))~", R"~(2:1: `jax.experimental.pallas.mosaic_gpu` has no `ds` here; it is `pl.ds`)~"},
    {R"~(pl.BlockSpecs())~", R"~(2:1: `jax.experimental.pallas` has no `BlockSpecs` here; did you mean `BlockSpec`?)~"},
    {R"~(plgpu.program_id(0))~",
     R"~(2:1: `jax.experimental.pallas.mosaic_gpu` has no `program_id` here; the block's place is `lax.axis_index("name")`, with `grid_names=` in `plgpu.kernel`)~"},
    {R"~(plgpu.mbarrier())~",
     R"~(2:1: `jax.experimental.pallas.mosaic_gpu` has no `mbarrier` here; barriers are `plgpu.Barrier(num_arrivals=…)`, `plgpu.barrier_arrive` and `plgpu.barrier_wait`)~"},
    {R"~(plgpu.Layout.WGMA)~",
     R"~(2:1: `jax.experimental.pallas.mosaic_gpu.Layout` has no `WGMA` here; did you mean `WGMMA`?)~"},
    {R"~(plgpu.SMEM((8, 8)))~", R"~(2:1: `SMEM` needs a value for `dtype`)~"},
    {R"~(plgpu.SMEM((8, 8), jnp.float32, transform=()))~",
     R"~(2:33: `SMEM` has no parameter `transform`; did you mean `transforms`?)~"},
    {R"~(plgpu.Barrier(arrivals=2))~", R"~(2:15: `Barrier` has no argument `arrivals`)~"},
    {R"~(plgpu.TilingTransform(8, 64))~",
     R"~(2:26: `TilingTransform` takes at most 1 positional argument, but 2 are given)~"},
    {R"~(plgpu.SwizzleTransform(100))~",
     R"~(2:24: `swizzle` of `SwizzleTransform`: a swizzle is 32, 64 or 128 bytes, not 100)~"},
    {R"~(plgpu.ACC((64, 64), jnp.float32, 3))~", R"~(2:34: `ACC` takes 2 positional arguments, but 3 are given)~"},
    {R"~(jax.ShapeDtypeStruct((2, 2)))~", R"~(2:1: `ShapeDtypeStruct` needs a value for `dtype`)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_types=X)(X))~",
     R"~(2:33: `kernel` has no argument `out_types`; did you mean `out_type`?)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, out_shape=X)(X))~",
     R"~(2:55: `out_type` and `out_shape` are two names of one argument; give one of them)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=3)(X))~",
     R"~(2:42: an output is `jax.ShapeDtypeStruct(shape, dtype)`, or a tuple of them, not `int`)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, grid=(2,), grid_names=('a', 'b'))(X))~",
     R"~(2:50: `grid` has 1 dimension, and `grid_names` 2 names)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, num_threads=2)(X))~",
     R"~(2:57: `num_threads` of `kernel`: `thread_name` names the axis along which the warpgroups of `num_threads` differ)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X)(3.0))~",
     R"~(2:45: kernel `kernel` takes no scalars; close over the number, or pass an array of one)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X)([1, 2]))~",
     R"~(2:45: kernel `kernel` takes no scalars; close over the number, or pass an array of one)~"},
    {R"~(plgpu.kernel(lambda x, o: o, out_type=X)(X))~",
     R"~(2:14: the body of a kernel returns nothing: results are written to its last references, those of `out_type`)~"},
    {R"~(plgpu.kernel(lambda x: None, out_type=X)(X))~",
     R"~(2:14: `<lambda>` takes 1 positional argument, but 2 are given)~"},
    {R"~(plgpu.kernel(None)(X))~", R"~(2:20: the body of a kernel is a function, not `array`)~"},
    {R"~(plgpu.CompilerParams(aprox_math=True))~",
     R"~(2:22: `CompilerParams` has no field `aprox_math`; did you mean `approx_math`?)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...] @ x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: kernels do not have `@`; use `wgmma` or `mma`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: `=` works on values, and `x_ref` is a reference; read it with `x_ref[...]`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref + 1
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: `+` works on values, and `x_ref` is a reference; read it with `x_ref[...]`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  x_ref[...] = o_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: `x_ref` is an input, so it cannot be written; declare it `InOut(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  if x_ref[...] > 0:
    pass
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:6: an array of shape (128, 64) is neither true nor false, so it cannot decide `if`; choose element by element with `select`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...].T
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: an array of a kernel has no attribute `T`; transpose the reference (`ref.T`), or change the layout (`layout_cast`))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[pl.ds(i * 64, 64)] = x_ref[i * 64:(i + 1) * 64]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:36: a slice with bounds known on the device only is written `ds(start, size)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...].astype(jnp.float16)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: a value of dtype f16 is written to `o_ref` of dtype f32; convert it with `.astype(f32)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.barrier_wait(x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:22: `barrier` of `barrier_wait` must be a barrier, not GMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.copy_gmem_to_smem(x_ref, o_ref, x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:34: `dst` of `copy_gmem_to_smem` must be an SMEM reference, not GMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.wgmma(x_ref, x_ref, x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:15: `acc` of `wgmma` must be an accumulator: a parameter that `ACC(…)` in `scratch` stands for, not GMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = lax.axis_index('j')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:31: `name` of `axis_index`: the kernel has no axis `j`, it has `i`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...] + jnp.ones((3, 5))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: `+` combines arrays of shapes (128, 64) and (3, 5), which must be equal)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = jnp.sum(x_ref[...], axis=2)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: `axis` of `sum`: there is no axis 2 in an array of shape (128, 64))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...] + jnp.arange(64) ** 2
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:29: an array of the host whose elements differ has no value in a kernel; pass it as an argument (`GMEM(…)`), or make it there with `broadcasted_iota`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  for j in range(10):
    if x_ref[j, 0] > 0:
      break
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(6:7: `break` leaves a loop or branch that runs on the device, which it cannot; use a condition on static values, or `static_range(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  lax.fori_loop(0, 4, lambda j, c: c.astype(jnp.float32), jnp.int32(0))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: `carried` is i32 before the loop and f32 after a round; a variable that a loop on the device rebinds keeps its type)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  lax.while_loop(lambda c: c < 3, lambda c: (c, c), jnp.int32(0))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:28: `tuple` and `int` have no order)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[0, 0, 0] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:9: 3 indices for `o_ref`, which has 2 dimensions)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[300] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:9: index 300 is outside of dimension 0 of `o_ref`, which has size 128)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  more[0][...] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[3])(X)
)~",
     R"~(5:76: scratch is `SMEM(…)`, `TMEM(…)`, `Barrier(…)`, `ClusterBarrier(…)`, `ACC(…)`, `Semaphore(…)`, `Union(…)` and tuples of them, not `int`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  pl.run_scoped(lambda: None)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: `run_scoped` allocates something: `run_scoped(SMEM(…), Barrier())`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.emit_pipeline(lambda i, x: None, grid=(4,), in_specs=[pl.BlockSpec((8, 8))])(x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: a pipeline's specs have a block and an index map)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.emit_pipeline(lambda i, x: None, grid=(4,), in_specs=[pl.BlockSpec((8, 8), lambda j: (j, 0, 0))])(x_ref)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: an index map gives one index for each dimension of its block)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.set_max_registers(41, action='increase')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:27: `n` of `set_max_registers`: a thread has from 24 to 256 registers, a multiple of 8, not 41)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.set_max_registers(40, action='grow')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:38: `action` of `set_max_registers`: it is "increase" or "decrease", not "grow")~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  m = x_ref[...].max(axis=1)[:, None]
  o_ref[...] = m
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(5:16: `=` does not take `traced array f32[128, 1]`; spread it with `broadcast_in_dim` first)~"},
    {R"~(np.zeros((2, 3)) @ np.zeros((2, 3)))~",
     R"~(2:1: `@` of shapes (2, 3) and (2, 3): the left one's columns (3) are not the right one's rows (2))~"},
    {R"~(X[200])~", R"~(2:3: index 200 is outside dimension 0 of size 128)~"},
    {R"~(X.att[0].set(1))~", R"~(2:3: `array` has no attribute `att`)~"},
    {R"~(jnp.zeros((3, 'a')))~", R"~(2:11: `shape` of `zeros`: every part must be an int, not str)~"},
    {R"~(with open('x') as f: pass)~",
     R"~(2:6: `open` is not here, for a snippet does not reach the host system; `load` and `save` read and write arrays)~"},
    {R"~(class A(dict):
  pass)~",
     R"~(2:9: a class that inherits is Python, which snippets and kernels do not have; a file with imports has it around its kernels (`lanescope run FILE`))~"},
    {R"~({1, [2]})~",
     R"~(2:1: a set is Python, which snippets and kernels do not have; a file with imports has it around its kernels (`lanescope run FILE`))~"},
    {R"~(match X.shape:
  case jax.ShapeDtypeStruct(a): pass
  case jnp.float33: pass)~",
     R"~(2:1: `match` is Python, which snippets and kernels do not have; a file with imports has it around its kernels (`lanescope run FILE`))~"},
    {R"~(import flax)~",
     R"~(2:8: snippets have no imports, so `flax` cannot be imported; `lanescope run FILE` runs a file with imports in Python; without import `np.`, `jnp.`, `jax.`, `lax.`, `pl.` and `plgpu.` name what snippets have)~"},
    {R"~(import matplotlib.pyplot as plt)~",
     R"~(2:8: snippets have no imports, so `matplotlib.pyplot` cannot be imported; `lanescope run FILE` runs a file with imports in Python; without import `np.`, `jnp.`, `jax.`, `lax.`, `pl.` and `plgpu.` name what snippets have)~"},
    {R"~(jax.ShapeDtypeStruct((2, 2), 'float31'))~",
     R"~(2:1: `dtype` of `zeros`: there is no dtype `float31`; there are `float32`, `bfloat16`, `int8`, `uint8`, … and our own `f32`, `bf16`, `i8`, `u8`)~"},
    {R"~(jax.ShapeDtypeStruct(2.5, jnp.float32))~", R"~(2:1: a shape is made of ints, not 2.5)~"},
    {R"~(jnp.ones((2, 2), dtype=jnp.flaot32))~",
     R"~(2:24: `jax.numpy` has no `flaot32` here; did you mean `float32`?)~"},
    {R"~(X.at[0].sett(1))~",
     R"~(2:3: arrays of snippets have no `at`, because they can be changed: write `x[index] = value`; `x.copy()` is a new array)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=jnp.float32)(X))~",
     R"~(2:42: an output is `jax.ShapeDtypeStruct(shape, dtype)`, or a tuple of them, not `dtype`)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, compiler_params=dict(approx_math=True))(X))~",
     R"~(2:61: `compiler_params` of `kernel` must be `plgpu.CompilerParams(…)`, not dict)~"},
    {R"~(plgpu.kernel(lambda x, o: None, out_type=X, num_threads=20, thread_name='wg')(X))~",
     R"~(2:57: `num_threads` of `kernel`: a block has from 1 to 8 warpgroups (`num_threads` counts these), not 20)~"},
    {R"~(plgpu.CompilerParams(delay_release=1))~", R"~(2:22: `CompilerParams` has no field `delay_release`)~"},
    {R"~(plgpu.Layout.WGMMA.reduced(1))~",
     R"~(2:20: `TiledLayout` has no attribute `reduced`; did you mean `reduce`?)~"},
    {R"~(plgpu.find_swizzle(24))~",
     R"~(2:1: no swizzle fits rows of 24 bits: they are a multiple of 128 bits at least)~"},
    {R"~(jax.vjp(lambda x: x, X))~",
     R"~(2:1: `jax` has no `vjp` here; `lanescope run FILE` runs a file with imports in Python, which has all of it)~"},
    {R"~(jax.jvp(lambda x: x, (X,), (X,)))~",
     R"~(2:1: `jax` has no `jvp` here; `lanescope run FILE` runs a file with imports in Python, which has all of it)~"},
    {R"~(plgpu.debug_print('x'))~",
     R"~(2:1: `jax.experimental.pallas.mosaic_gpu` has no `debug_print` here; it is `pl.debug_print`)~"},
    {R"~(plgpu.fori_loop(0, 1, None, None))~",
     R"~(2:1: `jax.experimental.pallas.mosaic_gpu` has no `fori_loop` here; it is `lax.fori_loop`)~"},
    {R"~(plgpu.multimem_store(X, X, 'x'))~",
     R"~(2:1: `multimem_store` works inside kernels: call it in a function under `@kernel(…)`)~"},
    {R"~(jnp.where(X > 0, X))~", R"~(2:1: `where` needs a value for `y`)~"},
    {R"~(np.sum(X, out=X))~", R"~(2:1: there is no `out=` here: write `name = …`)~"},
    {R"~(jnp.pad(X, 1, mode='mean'))~",
     R"~(2:1: `jax.numpy` has no `pad` here; `lanescope run FILE` runs a file with imports in Python, which has all of it)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.copy_gmem_to_smem(x_ref[pl.ds(0, 64)], more[0], more[1])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(4:27: `src` of `copy_gmem_to_smem` must be a GMEM reference, not traced array f32[64, 64])~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.barrier_wait(more[0])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(4:22: `barrier` of `barrier_wait` must be a barrier, not SMEM reference)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.barrier_wait(more[1].at[3])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(4:33: `arg3` has 1 barrier, there is no barrier 3)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  more[0][...] = x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()])(X)
)~",
     R"~(4:18: an array of shape (128, 64) is written to `arg2` of shape (64, 64))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  def f(acc):
    plgpu.wgmma(acc, more[0], more[0])
    return acc[...]
  o_ref[pl.ds(i * 64, 64)] = pl.run_scoped(f, plgpu.ACC((64, 64), jnp.float32))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=[plgpu.SMEM((64, 64), jnp.float32), plgpu.Barrier()],
             compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane))(X)
)~",
     R"~(5:5: the right operand of `wgmma` is not swizzled; give its buffer `transforms=(TilingTransform((8, 32)), SwizzleTransform(128))`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = jnp.cumsum(x_ref[...], axis=1)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: `jax.numpy` has no `cumsum` here; `lanescope run FILE` runs a file with imports in Python, which has all of it)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = jnp.concatenate([x_ref[...], x_ref[...]])
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:16: an array of shape (256, 64) is written to `o_ref` of shape (128, 64))~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref.at[0] = 1.0
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: `o_ref.at[…]` is a reference, for copies; `o_ref[…] = value` writes)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...].astype('float31')
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:34: `dtype` of `astype`: there is no dtype `float31`; there are `float32`, `bfloat16`, `int8`, `uint8`, … and our own `f32`, `bf16`, `i8`, `u8`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  m = jnp.max(x_ref[...], axis=1)
  o_ref[...] = x_ref[...] - m
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(5:16: `-` combines arrays of shapes (128, 64) and (128,), and broadcasting aligns the last dimensions; spread the smaller one: `broadcast_in_dim(x, (128, 64), (0,))`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  if i == 0:
    return
  o_ref[...] = x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(5:5: `return` leaves a loop or branch that runs on the device, which it cannot; use a condition on static values, or `static_range(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  lax.fori_loop(0, 3, lambda j, c: None, jnp.float32(0))
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: `carried` is f32 before the loop and a NoneType after a round; only numbers and arrays can change from round to round, so bind another name inside the loop, or loop over `static_range(…)`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  plgpu.set_max_registers(40)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:3: `set_max_registers` needs a value for `action`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  o_ref[...] = x_ref[...]
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",), scratch_types=plgpu.SMEM((8,), jnp.float32))(X)
)~",
     R"~(5:76: scratch is a list, a tuple or a dict of `plgpu.SMEM(…)`, `plgpu.Barrier()`, …, not one `SMEM`)~"},
    {R"~(def body(x_ref, o_ref, *more):
  i = lax.axis_index("i")
  pl.debug_print('{} {}', i)
plgpu.kernel(body, out_type=X, grid=(2,), grid_names=("i",))(X)
)~",
     R"~(4:18: `format` of `debug_print`: the format has 2 `{}` fields for 1 value)~"},
};

} // namespace lanescope::repl
