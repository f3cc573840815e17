# Writes to a slot beyond the buffer.
@kernel(grid=(1,), num_threads=1, scratch=[SMEM((2, 64, 64), f32)])
def overflows(out: Out((64, 64), f32), slots):
  for i in range(3):
    slots[i] = full((64, 64), 1, f32)  # fault: outside the block
  out[...] = slots[0]

overflows()
