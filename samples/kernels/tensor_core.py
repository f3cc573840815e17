# The smallest product on Blackwell's tensor core.   lanescope run samples/kernels/tensor_core.py --arch sm_100a --device emulator
#
# The tensor core reads its operands from shared memory and sums in tensor memory, 128 lanes of 512 columns, without any
# thread. A barrier with `orders_tensor_core` completes when the product is done. Then the warpgroup reads the sums,
# each warp its quarter of the lanes.

swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(scratch=[SMEM((128, 64), f16, transforms=swizzled), SMEM((64, 128), f16, transforms=swizzled),
                 TMEM((128, 128), f32), Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])
def product(a: GMEM((128, 64), f16), b: GMEM((64, 128), f16), out: Out((128, 128), f32), a_tile, b_tile, total, loaded, done):
  with region("load"):
    copy_gmem_to_smem(a, a_tile, loaded)
    copy_gmem_to_smem(b, b_tile, loaded)
    barrier_wait(loaded)
  with region("multiply"):
    tcgen05_mma(total, a_tile, b_tile, done, accumulate=False)
    barrier_wait(done)
  with region("store"):
    out[...] = async_load_tmem(total)

a, b = random((128, 64), f16, seed=0), random((64, 128), f16, seed=1)
result = run(product, a, b, profile=True)
assert allclose(result.outputs[0], a.astype(f32) @ b.astype(f32), atol=1e-4)
print(f"128 x 128 sums of 64 products: {result.time_us:.1f} us, correct")
