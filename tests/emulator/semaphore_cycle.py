# Each of two blocks waits for the other block's signal before it signals itself.
@kernel(grid=(2,), grid_names=("b",), num_threads=1, scratch=[Semaphore(2)])
def politely(out: Out((2, 128), f32), turn):
  b = axis_index("b")
  #+ semaphore_signal(turn.at[1 - b])
  semaphore_wait(turn.at[b], 1)  # fault: deadlock
  #= semaphore_wait(turn.at[b], 1)
  out[b] = full((128,), 1, f32)

politely()
