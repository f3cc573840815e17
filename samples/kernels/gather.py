# Looks up the rows of a table, as an embedding layer does: TMA gathers them, four with each instruction, which takes a
# Blackwell GPU or the emulator.
# lanescope run samples/kernels/gather.py --arch sm_100a --device emulator

table_rows, columns, block = 1000, 256, 64

@kernel(grid=(4,), grid_names=("block",),
        scratch=[SMEM((block, columns), bf16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier()])
def look_up(table: GMEM((table_rows, columns), bf16), tokens: GMEM((4 * block,), u32),
            out: Out((4 * block, columns), bf16), tile, loaded):
  mine = ds(axis_index("block") * block, block)
  with region("tokens"):
    # Each warp gets four of every sixteen row numbers, and issues the instructions of these rows.
    rows = load(tokens, (mine,), layout=TMA_INDICES, optimized=False)
  with region("gather"):
    copy_gmem_to_smem(table.at[rows, :], tile, loaded)
    barrier_wait(loaded)
  with region("store"):
    copy_smem_to_gmem(tile, out.at[mine, :])
    wait_smem_to_gmem(0)

table = random((table_rows, columns), f32, seed=1).astype(bf16)
tokens = random((4 * block,), i32, seed=2, low=0, high=table_rows).astype(u32)
result = run(look_up, table, tokens, profile=True)
for i in range(4 * block):
  assert max_error(result.outputs[0][i].astype(f32), table[int(tokens[i])].astype(f32)) == 0
print(f"{4 * block} rows looked up in a table of {table_rows}: correct")
