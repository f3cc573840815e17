# A copy overwrites the left operand while the wgmma may still read it: `wgmma_wait(0)` is missing before the copy.
tiled = (TilingTransform((8, 64)), SwizzleTransform(128))

@kernel(grid=(1,), num_threads=1,
        scratch=[SMEM((64, 64), f16, transforms=tiled), SMEM((64, 64), f16, transforms=tiled), Barrier(num_arrivals=2),
                 Barrier(), ACC((64, 64), f32)])
def refilled(a: GMEM((64, 64), f16), b: GMEM((64, 64), f16), out: Out((64, 64), f32), left, right, loaded, again, acc):
  copy_gmem_to_smem(a, left, loaded)
  copy_gmem_to_smem(b, right, loaded)
  barrier_wait(loaded)
  wgmma(acc, left, right)
  #+ wgmma_wait(0)
  copy_gmem_to_smem(b, left, again)  # fault: which a wgmma still reads
  barrier_wait(again)
  out[...] = acc[...]

refilled(zeros((64, 64), f16), zeros((64, 64), f16))
