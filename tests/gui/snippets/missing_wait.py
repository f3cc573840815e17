# Doubles a matrix, but reads a tile before its copy has landed: `barrier_wait` is missing.
@kernel(grid=(2,), grid_names=("block",), num_threads=1,
        scratch=[SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier()])
def double(x: GMEM((128, 64), f16), out: Out((128, 64), f16), tile, loaded):
  row = axis_index("block") * 64
  copy_gmem_to_smem(x.at[ds(row, 64), :], tile, loaded)
  value = load(tile, layout=WGMMA)
  out[ds(row, 64), :] = value + value

double(ones((128, 64), f16))
