# A block waits for three signals, but only two blocks signal.
@kernel(grid=(2,), grid_names=("b",), num_threads=1, scratch=[Semaphore()])
def counted(out: Out((128,), f32), arrived):
  semaphore_signal(arrived)
  if axis_index("b") == 0:
    semaphore_wait(arrived, 3)  # fault: deadlock
    #= semaphore_wait(arrived, 2)
    out[...] = full((128,), 1, f32)

counted()
