# Transposes a matrix of 16-bit elements with TMA loads and stores. Both global accesses are whole lines, and the
# transposition happens in shared memory.
# lanescope run kernels/transpose.py

# 128 x 128 elements: two consecutive lines of memory in both matrices. The 128-byte swizzle spreads both the rows and
# the columns of the tile over all banks.
tile = 128
swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

# Blocks go down the columns of x, so neighbouring blocks write neighbouring parts of the result.
@kernel(grid=lambda: (COLUMNS // tile, ROWS // tile), grid_names=("column", "row"),
        scratch=[SMEM((tile, tile), f16, transforms=swizzled), SMEM((tile, tile), f16, transforms=swizzled), Barrier()])
def transpose_matrix(x: GMEM((ROWS, COLUMNS), f16), out: Out((COLUMNS, ROWS), f16), tile_in, tile_out, loaded):
  assert ROWS % tile == 0 and COLUMNS % tile == 0, "sizes must be multiples of the tile"
  rows, columns = ds(axis_index("row") * tile, tile), ds(axis_index("column") * tile, tile)
  copy_gmem_to_smem(x.at[rows, columns], tile_in, loaded)
  barrier_wait(loaded)
  # Reads along the rows as wgmma's fragment, writes along the columns as its transpose. Neither has bank conflicts.
  tile_out.T[...] = layout_cast(load(tile_in, layout=WGMMA), WGMMA_TRANSPOSED)
  commit_smem()
  copy_smem_to_gmem(tile_out, out.at[columns, rows])
  wait_smem_to_gmem(0)

# The check, small enough for the emulator.
x = random((256, 128), f16, seed=0)
assert max_error(transpose_matrix(x), transpose(x)) == 0
print("transpose: the result is right")
