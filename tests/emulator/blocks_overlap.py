# Blocks are half a tile apart, so neighbouring blocks write the same rows.
@kernel(grid=(4,), grid_names=("i",), num_threads=1)
def overlap(out: Out((256, 64), i32)):
  i = axis_index("i")
  out[ds(i * 32, 64), :] = broadcasted_iota(i32, (64, 64), 0) + i  # fault: without an order between them
  #= out[ds(i * 64, 64), :] = broadcasted_iota(i32, (64, 64), 0) + i

overlap()
