# What lies in tensor memory, and where.   lanescope run samples/kernels/tensor_memory.py --arch sm_100a --device emulator
#
# Two accumulators side by side; beside them a union: 64 columns that are first the left operand of a product, two f16 to
# a cell, and later hold its sums again as f32. `show(k, view="tmem")` draws all of it, the trace says what is there when.

swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(scratch=[SMEM((128, 64), f16, transforms=swizzled), SMEM((64, 64), f16, transforms=swizzled),
                 TMEM((2, 128, 64), f32), Union(TMEM((128, 64), f16, packed=True), TMEM((128, 64), f32)),
                 Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])
def squares(x: GMEM((128, 64), f16), y: GMEM((64, 64), f16), out: Out((128, 64), f32), x_tile, y_tile, sums, both,
            loaded, done):
  left, total = both
  with region("load"):
    copy_gmem_to_smem(x, x_tile, loaded)
    copy_gmem_to_smem(y, y_tile, loaded)
    barrier_wait(loaded)
    async_store_tmem(left, load(x_tile, layout=TCGEN05) * 2)
    commit_tmem()
  with region("multiply"):
    tcgen05_mma(sums.at[0], x_tile, y_tile, accumulate=False)
    tcgen05_mma(sums.at[1], left, y_tile, done, accumulate=False)
    barrier_wait(done)
  with region("add"):
    async_store_tmem(total, async_load_tmem(sums.at[0]) + async_load_tmem(sums.at[1]))
    commit_tmem()
    out[...] = async_load_tmem(total)
    wait_load_tmem()

x, y = random((128, 64), f16, seed=0), random((64, 64), f16, seed=1)
result = run(squares, x, y, profile=True)
assert allclose(result.outputs[0], 3 * (x.astype(f32) @ y.astype(f32)), atol=1e-3)
show(squares, view="tmem")
