# One device stores its part with a plain store where the other devices add theirs.
devices = 2
@kernel(mesh={"x": devices}, scratch=[Semaphore()])
def k(x: GMEM((128,), f32, sharding="x"), out: InOut((128,), f32, sharding="x"), s):
  device = axis_index("x")
  if device == 0:
    out[...] = x[...] + out[...]  # either: without an order between them
    #= atomic_add(out, x[...])
  else:
    atomic_add(remote_ref(out, 0), x[...])  # either: without an order between them

k(random((devices * 128,), f32, seed=0), zeros((devices * 128,), f32))
