# The sum of all devices' arrays, on every device, by the switch between them. Each device reads its share, which the
# switch sums, and writes it to all devices. On GPUs this needs NVLink with multicast (NVLS); the emulator models it.
# lanescope run samples/multi/multimem_all_reduce.py

rows, columns = 64, 128

def make_all_reduce(devices, dtype):
  share = rows // devices
  layout = WGStridedFragLayout((share, columns), share * columns // 128 if share * columns < 1024 else 8)

  @kernel(mesh={"x": devices}, scratch=[Semaphore(count=2)])
  def all_reduce(x: GMEM((rows, columns), dtype, sharding=("x", None)), out: Out((rows, columns), dtype), met):
    mine = ds(axis_index("x") * share, share)
    # All devices have begun, so their arrays are ready.
    with region("meet"):
      semaphore_signal_multicast(met.at[0], collective_axes="x")
      semaphore_wait(met.at[0], devices)
    with region("reduce"):
      total = layout_cast(multimem_load_reduce(x.at[mine], "x", "add"), layout)
    with region("store"):
      multimem_store(total, out.at[mine], "x")
    # All devices have written, so `out` is complete.
    with region("meet"):
      semaphore_signal_multicast(met.at[1], collective_axes="x")
      semaphore_wait(met.at[1], devices)

  return all_reduce

for devices in (1, 2, 4, 8):
  for dtype in (f16, bf16, f32):
    x = (arange(devices * rows * columns).reshape((devices * rows, columns)) % 16).astype(dtype)
    out = make_all_reduce(devices, dtype)(x)
    assert max_error(out.astype(f32), sum(x.astype(f32).reshape((devices, rows, columns)), axis=0)) == 0
# Shows when four devices did what.
run(make_all_reduce(4, f32), (arange(4 * rows * columns).reshape((4 * rows, columns)) % 16).astype(f32), profile=True)
print("multimem_all_reduce: the result is right")
