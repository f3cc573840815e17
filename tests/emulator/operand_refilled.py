# The warpgroup starts a copy that overwrites the operand of its own wgmma. A wait is missing, not a barrier.
sw = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(scratch=[SMEM((64, 64), f16, transforms=sw), SMEM((64, 64), f16, transforms=sw), Barrier(num_arrivals=2),
                 Barrier(), ACC((64, 64), f32)])
def refills(a: GMEM((64, 64), f16), b: GMEM((64, 64), f16), out: Out((64, 64), f32), left, right, first, second, acc):
  copy_gmem_to_smem(a, left, first)
  copy_gmem_to_smem(b, right, first)
  barrier_wait(first)
  wgmma(acc, left, right)
  #+ wgmma_wait(0)
  copy_gmem_to_smem(b, left, second)  # fault: which a wgmma still reads
  out[...] = acc[...]
  barrier_wait(second)

refills(zeros((64, 64), f16), zeros((64, 64), f16))
