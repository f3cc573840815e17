# Flash attention, forward: out = softmax(scale * q @ k^T) @ v for every batch and head, without ever storing the scores.
# lanescope run kernels/attention.py

log2e = 1.4426950408889634
processors = 132    # an H200's multiprocessors, with one block each

# `groups` warpgroups own 64 rows of q each and step through k and v by `block_kv`. One more warpgroup copies `stages`
# steps ahead, and copies the next tile's rows early. The registers hold 64 x 128 scores, as many sums and half as many
# weights. Heads of 256 take `block_kv=64`; heads of 64 leave room for a third warpgroup. With fewer `kv_heads` than
# heads, neighbouring heads share a head of k and v. `causal`: no row sees a later row. `sums`: a second output for the
# backward pass, (batch, heads, sequence), the logarithm of each row's sum of weights.
def make_attention(batch, sequence, heads, width, dtype=f16, block_kv=None, stages=None, kv_heads=None, causal=False, scale=1.0,
                   groups=None, approx=True, sums=False):
  block_q = 64
  block_kv = block_kv if block_kv is not None else 64 if width > 128 else 128
  stages = stages if stages is not None else 4 if width == 64 else 2
  groups = groups if groups is not None else 3 if width == 64 and not causal and sequence > 1024 else 2
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  kv_heads = heads if kv_heads is None else kv_heads
  shape, kv_shape = (batch, sequence, heads, width), (batch, sequence, kv_heads, width)
  block_rows = groups * block_q
  rows = (sequence + block_rows - 1) // block_rows  # the last block may reach beyond the end, where nothing is stored
  own_place = width <= 128  # the result has its own memory; a wider one uses that of q
  tiles = batch * heads * rows
  blocks = min(processors, tiles)
  whole, rest = tiles // blocks, tiles % blocks
  assert heads % kv_heads == 0, "as many heads share each of k and v"
  assert sequence % block_kv == 0, "sequences must be multiples of `block_kv`"
  # The number of steps that contain the diagonal of a block's rows.
  diagonals = max(1, block_rows // block_kv)
  assert not causal or block_rows % block_kv == 0 or block_kv % block_rows == 0, "a causal block ends where a step does"

  launch = dict(
      grid=(blocks,), grid_names=("block",), num_threads=groups + 1, thread_name="warpgroup",
      scratch=[SMEM((groups, block_q, width), dtype, transforms=swizzled),
               SMEM((stages, block_kv, width), dtype, transforms=swizzled),
               SMEM((stages, block_kv, width), dtype, transforms=swizzled),
               SMEM((groups, block_q, width) if own_place else (1, 8, 64), dtype, transforms=swizzled),
               Barrier(num_barriers=groups), Barrier(num_barriers=groups),
               Barrier(num_barriers=stages), Barrier(num_barriers=stages),
               Barrier(num_arrivals=groups, num_barriers=stages), Barrier(num_arrivals=groups, num_barriers=stages),
               ACC((block_q, block_kv), f32), ACC((block_q, width), f32)])

  def attend(q, k, v, out, log_sum, q_tiles, k_tiles, v_tiles, out_tiles, q_loaded, q_read, k_loaded, v_loaded, k_read, v_read,
             scores, total):
    block, warpgroup = axis_index("block"), axis_index("warpgroup")

    # Batch, block of rows and head of the block's tile in round `number`. Causal: the longest rows come first, and
    # every second round is reversed, so that all blocks have the same amount of work.
    def place(number):
      if causal:
        tile = number * blocks + select(number % 2 == 0, block, blocks - 1 - block)
        other = tile % (batch * heads)
        return other // heads, rows - 1 - tile // (batch * heads), other % heads
      tile = number * blocks + block
      return tile // (rows * heads), tile % rows, tile // rows % heads

    def steps_of(row):
      return ((row + 1) * block_rows + block_kv - 1) // block_kv if causal else sequence // block_kv

    in_last = blocks - 1 - block if causal and whole % 2 == 1 else block
    rounds = whole if rest == 0 else whole + (in_last < rest).astype(i32)
    done = 0  # steps so far, over all tiles

    if warpgroup == groups:
      set_max_registers(24 if groups == 2 else 32, action="decrease")
      for number in range(rounds):
        image, row, head = place(number)
        shared, steps = head // (heads // kv_heads), steps_of(row)
        for step in range(steps):
          # From the end, so that the steps with a diagonal come first.
          stage, columns = done % stages, ds((steps - 1 - step) * block_kv, block_kv)
          if done >= stages:
            barrier_wait(k_read.at[stage])
          copy_gmem_to_smem(k.at[image, columns, shared], k_tiles.at[stage], k_loaded.at[stage])
          if step == 0:
            for group in static_range(groups):
              if number > 0:
                barrier_wait(q_read.at[group])
              mine = ds(row * block_rows + group * block_q, block_q)
              copy_gmem_to_smem(q.at[image, mine, head], q_tiles.at[group], q_loaded.at[group])
          if done >= stages:
            barrier_wait(v_read.at[stage])
          copy_gmem_to_smem(v.at[image, columns, shared], v_tiles.at[stage], v_loaded.at[stage])
          done = done + 1
    else:
      set_max_registers(240 if groups == 2 else 160, action="increase")
      tile = q_tiles.at[warpgroup]

      # The weights of one block of scores, and the running maximum (times log2 e) and sum of each row. A power of two
      # takes one multiply-add and one more instruction.
      def softmax(s, largest, weight):
        higher = maximum(largest, max(s, axis=1) * (scale * log2e))
        shrink = exp2(largest - higher, approx=approx)
        p = exp2(s * (scale * log2e) - broadcast_in_dim(higher, (block_q, block_kv), (0,)), approx=approx)
        return p.astype(dtype), shrink, higher, weight * shrink + sum(p, axis=1)

      def row_of(value):
        return layout_cast(full((block_q,), value, f32), WGMMA_ROW)

      for number in range(rounds):
        image, row, head = place(number)
        first, steps = row * block_rows + warpgroup * block_q, steps_of(row)

        # Scores right of the diagonal do not count. A row may see nothing in its first step: its maximum begins finite.
        def masked(s, step):
          down = broadcasted_iota(i32, (block_q, block_kv), 0, layout=WGMMA) + first
          along = broadcasted_iota(i32, (block_q, block_kv), 1, layout=WGMMA) + (steps - 1 - step) * block_kv
          return select(along <= down, s, float("-inf"))

        barrier_wait(q_loaded.at[warpgroup])
        barrier_wait(k_loaded.at[done % stages])
        scores[...] = 0
        wgmma(scores, tile, k_tiles.at[done % stages].T)
        s = scores[...]
        barrier_arrive(k_read.at[done % stages])
        if causal:
          s = masked(s, 0)
        p, shrink, largest, weight = softmax(s, row_of(-1e30 if causal else float("-inf")), row_of(0.0))
        total[...] = 0
        if steps > 1:
          barrier_wait(k_loaded.at[(done + 1) % stages])
        for step in range(1, steps):
          stage, before = (done + 1) % stages, done % stages
          # Both products start at once. While the tensor cores multiply v of the previous block, the warpgroup computes
          # this block's exponentials.
          scores[...] = 0
          wgmma(scores, tile, k_tiles.at[stage].T)
          barrier_wait(v_loaded.at[before])
          wgmma(total, p, v_tiles.at[before])
          s = wgmma_accumulator_load(scores, wait_n=1)
          barrier_arrive(k_read.at[stage])
          if causal and diagonals > 1:
            if step < diagonals:
              s = masked(s, step)
          p, shrink, largest, weight = softmax(s, largest, weight)
          # An early wait. Without it, ptxas would move the end of the product above the exponentials.
          if step + 1 < steps:
            barrier_wait(k_loaded.at[(done + 2) % stages])
          so_far = total[...]
          barrier_arrive(v_read.at[before])
          total[...] = so_far * broadcast_in_dim(shrink, (block_q, width), (0,))
          done = done + 1
        if own_place:
          barrier_arrive(q_read.at[warpgroup])
        barrier_wait(v_loaded.at[done % stages])
        wgmma(total, p, v_tiles.at[done % stages])
        share = 1.0 / weight
        if sums:
          if first < sequence:
            log_sum[image, head, ds(first, block_q)] = largest * (1 / log2e) + log(weight)
        wait_smem_to_gmem(0, wait_read_only=True)
        result = total[...]
        barrier_arrive(v_read.at[done % stages])
        done = done + 1
        outgoing = out_tiles.at[warpgroup] if own_place else tile
        outgoing[...] = (result * broadcast_in_dim(share, (block_q, width), (0,))).astype(dtype)
        commit_smem()
        copy_smem_to_gmem(outgoing, out.at[image, ds(first, block_q), head])
        if not own_place:
          wait_smem_to_gmem(0, wait_read_only=True)
          barrier_arrive(q_read.at[warpgroup])
      wait_smem_to_gmem(0)

  if sums:
    @kernel(**launch)
    def attention(q: GMEM(shape, dtype), k: GMEM(kv_shape, dtype), v: GMEM(kv_shape, dtype), out: Out(shape, dtype),
                  log_sum: Out((batch, heads, sequence), f32),
                  q_tiles, k_tiles, v_tiles, out_tiles, q_loaded, q_read, k_loaded, v_loaded, k_read, v_read, scores, total):
      attend(q, k, v, out, log_sum, q_tiles, k_tiles, v_tiles, out_tiles, q_loaded, q_read, k_loaded, v_loaded, k_read, v_read,
             scores, total)
  else:
    @kernel(**launch)
    def attention(q: GMEM(shape, dtype), k: GMEM(kv_shape, dtype), v: GMEM(kv_shape, dtype), out: Out(shape, dtype),
                  q_tiles, k_tiles, v_tiles, out_tiles, q_loaded, q_read, k_loaded, v_loaded, k_read, v_read, scores, total):
      attend(q, k, v, out, None, q_tiles, k_tiles, v_tiles, out_tiles, q_loaded, q_read, k_loaded, v_loaded, k_read, v_read,
             scores, total)

  return attention

# The check, small enough for the emulator: a few blocks, so that each makes several tiles.
processors = 3
batch, sequence, heads = 2, 256, 2
for width, options in ((128, {}), (256, {}), (64, dict(causal=True, scale=0.125)), (64, dict(causal=True, block_kv=64)),
                       (64, dict(groups=3, sums=True)), (128, dict(kv_heads=1, sums=True, scale=0.5))):
  shared = options.get("kv_heads", heads)
  q = random((batch, sequence, heads, width), f16, seed=0)
  k, v = [random((batch, sequence, shared, width), f16, seed=seed) for seed in range(1, 3)]
  result = make_attention(batch, sequence, heads, width, **options)(q, k, v)
  result, log_sum = result if "sums" in options else (result, None)
  later = reshape(arange(sequence), (sequence, 1)) < reshape(arange(sequence), (1, sequence))
  for image in range(batch):
    for head in range(heads):
      s = q[image, :, head].astype(f32) @ transpose(k[image, :, head * shared // heads].astype(f32)) * options.get("scale", 1.0)
      s = select(later, float("-inf"), s) if "causal" in options else s
      p = exp(s - reshape(max(s, axis=1), (sequence, 1)))
      expected = (p / reshape(sum(p, axis=1), (sequence, 1))) @ v[image, :, head * shared // heads].astype(f32)
      if log_sum is not None:
        assert allclose(log_sum[image, head], max(s, axis=1) + log(sum(p, axis=1)), atol=1e-3)
      assert allclose(result[image, :, head].astype(f32), expected, atol=2e-3)
print("attention: the result is right")
