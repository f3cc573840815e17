# The sum of all devices' arrays, on every device, by two rounds of a ring. First the sums travel round it chunk by
# chunk, until each device holds one chunk of the total. Then these chunks travel.
# lanescope run samples/multi/ring_all_reduce.py

def make_all_reduce(devices, blocks=2):
  rows = 16  # rows of a chunk that a block takes

  # Each block of a device communicates only with the block of the same number on the next device.
  @kernel(mesh={"ring": devices}, grid=(blocks,), grid_names=("block",),
          scratch=[Semaphore(count=blocks), Semaphore(count=blocks)])
  def all_reduce(x: GMEM((devices, blocks * rows, 128), f32, sharding=("ring",)),
                 inbox: Out((devices, blocks * rows, 128), f32, sharding=("ring",)),
                 out: Out((devices, blocks * rows, 128), f32), summed, copied):
    device, block = axis_index("ring"), axis_index("block")
    following, mine = (device + 1) % devices, ds(block * rows, rows)

    # The received chunk is the sum of the devices before. This device adds its part and passes the sum on. Every step
    # has its own place in the inbox, so no device has to signal that a place is free again.
    total = x[device, mine]
    for step in static_range(devices - 1):
      with region("send the sum"):
        remote_ref(inbox, following)[step, mine] = total
        semaphore_signal(summed.at[block], device_id=following)
      with region("wait"):
        semaphore_wait(summed.at[block])
      with region("add"):
        total = inbox[step, mine] + x[(device + devices - 1 - step) % devices, mine]

    # The device has the total of this chunk. The other chunks come from the device before.
    chunk = (device + 1) % devices
    out[chunk, mine] = total
    for step in static_range(devices - 1):
      with region("send the total"):
        remote_ref(out, following)[chunk, mine] = total
        semaphore_signal(copied.at[block], device_id=following)
      with region("wait"):
        semaphore_wait(copied.at[block])
      chunk = (chunk + devices - 1) % devices
      total = out[chunk, mine]

  return all_reduce

for devices in (1, 2, 4, 8):
  x = arange(devices * devices * 32 * 128).reshape((devices * devices, 32, 128)).astype(f32) % 64
  _, out = make_all_reduce(devices)(x)
  assert max_error(out, sum(x.reshape((devices, devices, 32, 128)), axis=0)) == 0
# Shows when four devices did what.
x = arange(4 * 4 * 32 * 128).reshape((4 * 4, 32, 128)).astype(f32) % 64
run(make_all_reduce(4), x, profile=True)
print("ring_all_reduce: the result is right")
