# Transposes a matrix tile by tile through swizzled shared memory: both copies are TMA, the turn happens in registers.
# lanescope run samples/kernels/transpose.py

@kernel(grid=(4, 2), grid_names=("row", "column"), num_threads=1,
        scratch=[SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 SMEM((64, 64), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))),
                 Barrier()])
def transpose_tiles(x: GMEM((256, 128), f16), out: Out((128, 256), f16), tile, turned, loaded):
  i, j = axis_index("row") * 64, axis_index("column") * 64
  with region("load"):
    copy_gmem_to_smem(x.at[ds(i, 64), ds(j, 64)], tile, loaded)
    barrier_wait(loaded)
  with region("turn"):
    # tile.T runs down the rows of the tile; WGMMA_TRANSPOSED is the layout whose register pairs run the same way.
    value = load(tile.T, layout=WGMMA_TRANSPOSED)
    # WGMMA's pairs run along the columns of `turned`, so that the store is whole words again: four lanes swap halves.
    turned[...] = layout_cast(value, WGMMA)
    commit_smem()
  with region("store"):
    copy_smem_to_gmem(turned, out.at[ds(j, 64), ds(i, 64)])
    wait_smem_to_gmem(0)

x = random((256, 128), f16, seed=2)
result = run(transpose_tiles, x, profile=True)
assert allclose(result.outputs[0], transpose(x))
show(result.trace)
