# Flash attention, backward: dq, dk and dv from the gradient of the output. Two kernels, which make the scores anew from
# q, k and the logarithm of each row's sum that `make_attention(..., sums=True)` gives; nothing of the size of the scores is stored.
# lanescope run kernels/attention_backward.py

log2e = 1.4426950408889634
# Two warpgroups of a block own 64 rows each and walk over the others in steps of 64, which a third one copies `stages` steps
# ahead. What is owned is in memory once, and a thread holds two 64 x 64 tiles and one or two sums of 64 x width.
tile, groups, stages = 64, 2, 2

# p and its gradient are between two products: p = exp(s - log_sum) for the scores s = scale * q @ k^T, and
# ds = p * (dp - delta), where dp = dout @ v^T, and delta is the sum over a row of out * dout.
def make_attention_backward(batch, sequence, heads, width, dtype=f16, kv_heads=None, causal=False, scale=1.0):
  kv_heads = heads if kv_heads is None else kv_heads
  block, share = groups * tile, heads // kv_heads
  shape, kv_shape, row_shape = (batch, sequence, heads, width), (batch, sequence, kv_heads, width), (batch, heads, sequence)
  assert width in (64, 128), "sums of wider heads do not fit the registers"
  assert heads % kv_heads == 0 and sequence % block == 0, "heads are shared evenly, sequences are multiples of 128"
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  owned, walked = SMEM((groups, tile, width), dtype, transforms=swizzled), SMEM((stages, tile, width), dtype, transforms=swizzled)
  scores, sums = ACC((tile, tile), f32), ACC((tile, width), f32)

  def weights(s, log_sums):
    return exp2(s * (scale * log2e) - log_sums * log2e, approx=True)

  # What a query may not see has no weight. `key` and `query` are the tile's first rows, `axis` that of the keys.
  def visible(p, axis, key, query):
    keys = broadcasted_iota(i32, (tile, tile), axis, layout=WGMMA) + key
    queries = broadcasted_iota(i32, (tile, tile), 1 - axis, layout=WGMMA) + query
    return select(keys <= queries, p, 0.0)

  # Owns rows of q, walks over k and v; also leaves delta for the other kernel.
  @kernel(grid=(sequence // block, heads, batch), grid_names=("block", "head", "image"), num_threads=groups + 1,
          thread_name="warpgroup",
          scratch=[owned, owned, owned, walked, walked, Barrier(num_arrivals=3, num_barriers=groups),
                   Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_arrivals=2, num_barriers=stages),
                   scores, scores, sums])
  def attention_dq(q: GMEM(shape, dtype), k: GMEM(kv_shape, dtype), v: GMEM(kv_shape, dtype), out: GMEM(shape, dtype),
                   dout: GMEM(shape, dtype), log_sum: GMEM(row_shape, f32), dq: Out(shape, dtype), delta: Out(row_shape, f32),
                   q_tiles, dout_tiles, out_tiles, k_tiles, v_tiles, mine_loaded, loaded, read, s_sum, dp_sum, dq_sum):
    image, head, warpgroup = axis_index("image"), axis_index("head"), axis_index("warpgroup")
    first_row = axis_index("block") * block
    steps = (first_row + block) // tile if causal else sequence // tile

    if warpgroup == groups:
      set_max_registers(24, action="decrease")
      for group in static_range(groups):
        part = ds(first_row + group * tile, tile)
        copy_gmem_to_smem(q.at[image, part, head], q_tiles.at[group], mine_loaded.at[group])
        copy_gmem_to_smem(dout.at[image, part, head], dout_tiles.at[group], mine_loaded.at[group])
        copy_gmem_to_smem(out.at[image, part, head], out_tiles.at[group], mine_loaded.at[group])
      for step in range(steps):
        stage, keys = step % stages, ds(step * tile, tile)
        if step >= stages:
          barrier_wait(read.at[stage])
        copy_gmem_to_smem(k.at[image, keys, head // share], k_tiles.at[stage], loaded.at[stage])
        copy_gmem_to_smem(v.at[image, keys, head // share], v_tiles.at[stage], loaded.at[stage])
    else:
      set_max_registers(240, action="increase")
      first = first_row + warpgroup * tile
      rows = ds(first, tile)
      barrier_wait(mine_loaded.at[warpgroup])
      gradient = load(dout_tiles.at[warpgroup], layout=WGMMA).astype(f32)
      row_delta = sum(load(out_tiles.at[warpgroup], layout=WGMMA).astype(f32) * gradient, axis=1)
      delta[image, head, rows] = row_delta
      row_sums = broadcast_in_dim(load(log_sum.at[image, head, rows], layout=WGMMA_ROW), (tile, tile), (0,))
      # The product with dout begins with it: one subtraction less in each step.
      minus_delta = broadcast_in_dim(-row_delta, (tile, tile), (0,))
      dq_sum[...] = 0
      for step in range(steps):
        stage = step % stages
        barrier_wait(loaded.at[stage])
        s_sum[...] = 0
        dp_sum[...] = minus_delta
        wgmma(s_sum, q_tiles.at[warpgroup], k_tiles.at[stage].T)
        wgmma(dp_sum, dout_tiles.at[warpgroup], v_tiles.at[stage].T)
        # The step before is done with its stage when this one's scores are there.
        p = weights(wgmma_accumulator_load(s_sum, wait_n=1), row_sums)
        if step > 0:
          barrier_arrive(read.at[(step + stages - 1) % stages])
        if causal:
          if step * tile + tile > first:
            p = visible(p, 1, step * tile, first)
        ds_tile = p * dp_sum[...]
        wgmma(dq_sum, ds_tile.astype(dtype), k_tiles.at[stage])
      out_tiles[warpgroup] = (dq_sum[...] * scale).astype(dtype)
      commit_smem()
      copy_smem_to_gmem(out_tiles.at[warpgroup], dq.at[image, rows, head])
      wait_smem_to_gmem(0)

  # Owns rows of k and v, walks over q and dout of all heads that share them.
  @kernel(grid=(sequence // block, kv_heads, batch), grid_names=("block", "head", "image"), num_threads=groups + 1,
          thread_name="warpgroup",
          scratch=[owned, owned, walked, walked, SMEM((stages, tile), f32), SMEM((stages, tile), f32),
                   Barrier(num_arrivals=2, num_barriers=groups), Barrier(num_arrivals=4, num_barriers=stages),
                   Barrier(num_arrivals=2, num_barriers=stages), scores, scores, sums, sums])
  def attention_dkv(q: GMEM(shape, dtype), k: GMEM(kv_shape, dtype), v: GMEM(kv_shape, dtype), dout: GMEM(shape, dtype),
                    log_sum: GMEM(row_shape, f32), delta: GMEM(row_shape, f32), dk: Out(kv_shape, dtype), dv: Out(kv_shape, dtype),
                    k_tiles, v_tiles, q_tiles, dout_tiles, sum_tiles, delta_tiles, mine_loaded, loaded, read,
                    s_sum, dp_sum, dk_sum, dv_sum):
    image, head, warpgroup = axis_index("image"), axis_index("head"), axis_index("warpgroup")
    first_row = axis_index("block") * block
    before = first_row // tile if causal else 0  # steps of each head that see none of these rows
    each = sequence // tile - before

    if warpgroup == groups:
      set_max_registers(24, action="decrease")
      for group in static_range(groups):
        part = ds(first_row + group * tile, tile)
        copy_gmem_to_smem(k.at[image, part, head], k_tiles.at[group], mine_loaded.at[group])
        copy_gmem_to_smem(v.at[image, part, head], v_tiles.at[group], mine_loaded.at[group])
      for step in range(share * each):
        stage, reader, queries = step % stages, head * share + step // each, ds((before + step % each) * tile, tile)
        if step >= stages:
          barrier_wait(read.at[stage])
        copy_gmem_to_smem(q.at[image, queries, reader], q_tiles.at[stage], loaded.at[stage])
        copy_gmem_to_smem(dout.at[image, queries, reader], dout_tiles.at[stage], loaded.at[stage])
        copy_gmem_to_smem(log_sum.at[image, reader, queries], sum_tiles.at[stage], loaded.at[stage])
        copy_gmem_to_smem(delta.at[image, reader, queries], delta_tiles.at[stage], loaded.at[stage])
    else:
      set_max_registers(240, action="increase")
      first = first_row + warpgroup * tile

      def along(values):
        return broadcast_in_dim(load(values, layout=WGMMA_COL), (tile, tile), (1,))

      barrier_wait(mine_loaded.at[warpgroup])
      dk_sum[...] = 0
      dv_sum[...] = 0
      for step in range(share * each):
        stage, query = step % stages, (before + step % each) * tile
        barrier_wait(loaded.at[stage])
        s_sum[...] = 0
        dp_sum[...] = -along(delta_tiles.at[stage])
        wgmma(s_sum, k_tiles.at[warpgroup], q_tiles.at[stage].T)
        wgmma(dp_sum, v_tiles.at[warpgroup], dout_tiles.at[stage].T)
        p = weights(wgmma_accumulator_load(s_sum, wait_n=1), along(sum_tiles.at[stage]))
        if step > 0:
          barrier_arrive(read.at[(step + stages - 1) % stages])
        if causal:
          if query < first + tile:
            p = visible(p, 0, first, query)
        wgmma(dv_sum, p.astype(dtype), dout_tiles.at[stage])
        dp = wgmma_accumulator_load(dp_sum, wait_n=1)
        ds_tile = p * dp
        wgmma(dk_sum, ds_tile.astype(dtype), q_tiles.at[stage])
      v_tiles[warpgroup] = dv_sum[...].astype(dtype)
      k_tiles[warpgroup] = (dk_sum[...] * scale).astype(dtype)
      commit_smem()
      copy_smem_to_gmem(v_tiles.at[warpgroup], dv.at[image, ds(first, tile), head])
      copy_smem_to_gmem(k_tiles.at[warpgroup], dk.at[image, ds(first, tile), head])
      wait_smem_to_gmem(0)

  def backward(q, k, v, out, dout, log_sum):
    dq, delta = attention_dq(q, k, v, out, dout, log_sum)
    dk, dv = attention_dkv(q, k, v, dout, log_sum, delta)
    return dq, dk, dv

  return backward

# The check, small enough for the emulator: against the gradients that the whole matrix of scores gives.
batch, sequence, heads = 1, 384, 2
later = reshape(arange(sequence), (sequence, 1)) < reshape(arange(sequence), (1, sequence))
for width, options in ((64, dict(scale=0.125)), (128, dict(causal=True)), (64, dict(causal=True, kv_heads=1))):
  kv_heads, scale = options.get("kv_heads", heads), options.get("scale", 1.0)
  q, dout = [random((batch, sequence, heads, width), f16, seed=seed) for seed in range(2)]
  k, v = [random((batch, sequence, kv_heads, width), f16, seed=seed) for seed in range(2, 4)]
  expected_dk, expected_dv = [[zeros((sequence, width), f32) for _ in range(kv_heads)] for _ in range(2)]
  expected_dq, out, log_sum = [], zeros((batch, sequence, heads, width), f16), zeros((batch, heads, sequence), f32)
  for head in range(heads):
    wide = [x.astype(f32) for x in (q[0, :, head], k[0, :, head * kv_heads // heads], v[0, :, head * kv_heads // heads], dout[0, :, head])]
    s = wide[0] @ transpose(wide[1]) * scale
    s = select(later, float("-inf"), s) if "causal" in options else s
    p = exp(s - reshape(max(s, axis=1), (sequence, 1)))
    total = sum(p, axis=1)
    log_sum[0, head] = max(s, axis=1) + log(total)
    p = p / reshape(total, (sequence, 1))
    out[0, :, head] = (p @ wide[2]).astype(f16)
    dp = wide[3] @ transpose(wide[2])
    d = p * (dp - reshape(sum(p * dp, axis=1), (sequence, 1)))
    expected_dq.append(d @ wide[1] * scale)
    expected_dk[head * kv_heads // heads] += transpose(d) @ wide[0] * scale
    expected_dv[head * kv_heads // heads] += transpose(p) @ wide[3]
  dq, dk, dv = make_attention_backward(batch, sequence, heads, width, **options)(q, k, v, out, dout, log_sum)
  for head in range(heads):
    assert allclose(dq[0, :, head].astype(f32), expected_dq[head], atol=4e-3, rtol=1e-2)
  for head in range(kv_heads):
    assert allclose(dk[0, :, head].astype(f32), expected_dk[head], atol=4e-3, rtol=1e-2)
    assert allclose(dv[0, :, head].astype(f32), expected_dv[head], atol=4e-3, rtol=1e-2)
print("attention_backward: the result is right")
