# Each of three warpgroups requests more registers than its launch gave it, and none gives any back.
@kernel(num_threads=3, thread_name="wg")
def greedy(out: Out((3, 128), f32)):
  wg = axis_index("wg")
  #+ if wg == 2:
  #+   set_max_registers(40, action="decrease")
  if wg < 3:
  #= if wg < 2:
    set_max_registers(232, action="increase")  # fault: can never be served
  out[wg] = full((128,), 1, f32)

greedy()
