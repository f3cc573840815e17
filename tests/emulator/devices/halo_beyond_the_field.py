# The kernel reads the row below the last row of the neighbour's field.
devices = 2
rows = 8
@kernel(mesh={"x": devices})
def k(x: GMEM((rows, 128), f32, sharding="x"), last: GMEM((1,), i32), edge: Out((1, 128), f32, sharding="x")):
  below = (axis_index("x") + 1) % devices
  edge[0] = remote_ref(x, below)[last[0]]  # fault: of device

k(random((devices * 8, 128), f32, seed=0), array([8], i32))
#= k(random((devices * 8, 128), f32, seed=0), array([0], i32))
