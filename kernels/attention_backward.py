# Flash attention, backward: dq, dk and dv from the gradient of the output. The kernel computes the scores again from q,
# k and `make_attention(..., sums=True)`'s logarithm of each row's sum, and stores no array of their size.
# lanescope run kernels/attention_backward.py

log2e = 1.4426950408889634

# p and its gradient are between the products: p = exp(s - log_sum) for the scores s = scale * q @ k^T, and
# ds = p * (dp - delta), where dp = dout @ v^T, and delta is the sum over a row of out * dout. Then dv = p^T @ dout,
# dk = scale * ds^T @ q, and dq = scale * ds @ k, a sum in memory, because the blocks of keys run at different times.
def make_attention_backward(batch, sequence, heads, width, dtype=f16, kv_heads=None, causal=False, scale=1.0):
  kv_heads = heads if kv_heads is None else kv_heads
  # Two warpgroups of a block own 64 keys each and step through the queries. A third warpgroup copies `stages` steps
  # ahead. The more queries a step has, the fewer bytes of shared memory a product needs. A step has as many as fit
  # twice, as tiles, into a thread's registers beside the sums of dk and dv.
  keys, groups, stages = 64, 2, 2
  queries = 64 if width == 128 else 128
  block, share = groups * keys, heads // kv_heads
  shape, kv_shape, row_shape = (batch, sequence, heads, width), (batch, sequence, kv_heads, width), (batch, heads, sequence)
  assert width in (64, 128), "sums of wider heads do not fit the registers"
  assert heads % kv_heads == 0 and sequence % block == 0, "heads are shared evenly, sequences are multiples of 128"
  halves, words = [(TilingTransform((8, columns)), SwizzleTransform(128)) for columns in (64, 32)]
  by_rows = dict(grid=(sequence // 64, heads, batch), grid_names=("block", "head", "image"))

  # The products with q and dout begin with these values, so that a step need not subtract. Zeros, to which dq is added.
  @kernel(**by_rows, scratch=[SMEM((64, width), dtype, transforms=halves), SMEM((64, width), dtype, transforms=halves),
                              SMEM((64, width), f32, transforms=words), Barrier(num_arrivals=2)])
  def prepare(out: GMEM(shape, dtype), dout: GMEM(shape, dtype), log_sum: GMEM(row_shape, f32), minus_sum: Out(row_shape, f32),
              minus_delta: Out(row_shape, f32), dq_sum: Out(shape, f32), out_tile, dout_tile, zeros_tile, loaded):
    image, head, rows = axis_index("image"), axis_index("head"), ds(axis_index("block") * 64, 64)
    copy_gmem_to_smem(out.at[image, rows, head], out_tile, loaded)
    copy_gmem_to_smem(dout.at[image, rows, head], dout_tile, loaded)
    zeros_tile[...] = layout_cast(full((64, width), 0.0, f32), WGMMA)
    commit_smem()
    copy_smem_to_gmem(zeros_tile, dq_sum.at[image, rows, head])
    minus_sum[image, head, rows] = load(log_sum.at[image, head, rows], layout=WGMMA_ROW) * (-1 / scale)
    barrier_wait(loaded)
    products = load(out_tile, layout=WGMMA).astype(f32) * load(dout_tile, layout=WGMMA).astype(f32)
    minus_delta[image, head, rows] = -sum(products, axis=1)
    wait_smem_to_gmem(0)

  # Owns rows of k and v, steps through q and dout of all heads that share them. Causal: blocks with most steps first.
  @kernel(grid=(kv_heads, batch, sequence // block) if causal else (sequence // block, kv_heads, batch),
          grid_names=("head", "image", "block") if causal else ("block", "head", "image"),
          num_threads=groups + 1, thread_name="warpgroup",
          scratch=[SMEM((block, width), dtype, transforms=halves), SMEM((block, width), dtype, transforms=halves),
                   SMEM((stages, queries, width), dtype, transforms=halves),
                   SMEM((stages, queries, width), dtype, transforms=halves), SMEM((stages, queries), f32),
                   SMEM((stages, queries), f32), SMEM((2, block, queries), dtype, transforms=halves),
                   SMEM((groups, 64, 64), f32, transforms=words), Barrier(num_arrivals=2),
                   Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_arrivals=2, num_barriers=stages),
                   Barrier(num_arrivals=groups, num_barriers=stages), Barrier(num_arrivals=groups, num_barriers=2),
                   ACC((keys, queries), f32), ACC((keys, queries), f32), ACC((64, 64), f32), ACC((keys, width), f32),
                   ACC((keys, width), f32)])
  def attention_gradients(q: GMEM(shape, dtype), k: GMEM(kv_shape, dtype), v: GMEM(kv_shape, dtype), dout: GMEM(shape, dtype),
                          minus_sum: GMEM(row_shape, f32), minus_delta: GMEM(row_shape, f32), dq_sum: InOut(shape, f32),
                          dk: Out(kv_shape, dtype), dv: Out(kv_shape, dtype),
                          k_tile, v_tile, q_tiles, dout_tiles, sum_tiles, delta_tiles, ds_tiles, dq_tiles, mine_loaded,
                          q_loaded, dout_loaded, read, ds_written, s_sum, dp_sum, dq_part, dk_sum, dv_sum):
    image, head, warpgroup = axis_index("image"), axis_index("head"), axis_index("warpgroup")
    first_row = axis_index("block") * block
    before = first_row // queries if causal else 0  # the number of each head's steps that see none of these rows
    each = sequence // queries - before
    steps = share * each

    # The head and the first query of a step.
    def place(step):
      return (head, (before + step) * queries) if share == 1 else (head * share + step // each, (before + step % each) * queries)

    if warpgroup == groups:
      set_max_registers(24, action="decrease")
      copy_gmem_to_smem(k.at[image, ds(first_row, block), head], k_tile, mine_loaded)
      copy_gmem_to_smem(v.at[image, ds(first_row, block), head], v_tile, mine_loaded)
      for step in range(steps):
        stage = step % stages
        reader, query = place(step)
        rows = ds(query, queries)
        if step >= stages:
          barrier_wait(read.at[stage])
        copy_gmem_to_smem(q.at[image, rows, reader], q_tiles.at[stage], q_loaded.at[stage])
        copy_gmem_to_smem(minus_sum.at[image, reader, rows], sum_tiles.at[stage], q_loaded.at[stage])
        copy_gmem_to_smem(dout.at[image, rows, reader], dout_tiles.at[stage], dout_loaded.at[stage])
        copy_gmem_to_smem(minus_delta.at[image, reader, rows], delta_tiles.at[stage], dout_loaded.at[stage])
    else:
      set_max_registers(240, action="increase")
      mine, first = ds(warpgroup * keys, keys), first_row + warpgroup * keys
      # Each warpgroup makes one half of dq for all keys of the block: half of a step's rows, or half of the columns.
      half = ds(warpgroup * 64, 64)

      def along(values):
        return broadcast_in_dim(load(values, layout=WGMMA_COL), (keys, queries), (1,))

      barrier_wait(mine_loaded)
      dk_sum[...] = 0
      dv_sum[...] = 0
      for step in range(steps):
        stage = step % stages
        reader, query = place(step)
        barrier_wait(q_loaded.at[stage])
        s_sum[...] = along(sum_tiles.at[stage])
        wgmma(s_sum, k_tile.at[mine], q_tiles.at[stage].T)
        barrier_wait(dout_loaded.at[stage])
        dp_sum[...] = along(delta_tiles.at[stage])
        wgmma(dp_sum, v_tile.at[mine], dout_tiles.at[stage].T)
        # Arrives late: this branch keeps ptxas from moving the exponentials above the product.
        if step > 0:
          barrier_arrive(read.at[(step + stages - 1) % stages])
        p = exp2(wgmma_accumulator_load(s_sum, wait_n=1) * (scale * log2e), approx=True)
        if causal:
          # Keys that a query may not see have no weight.
          if query < first + keys:
            key_of = broadcasted_iota(i32, (keys, queries), 0, layout=WGMMA) + first
            query_of = broadcasted_iota(i32, (keys, queries), 1, layout=WGMMA) + query
            p = select(key_of <= query_of, p, 0.0)
        wgmma(dv_sum, p.astype(dtype), dout_tiles.at[stage])
        ds_tile = (p * wgmma_accumulator_load(dp_sum, wait_n=1)).astype(dtype)
        # Two tiles, because the other warpgroup may still read the tile of the previous step.
        ds_tiles[step % 2, mine] = ds_tile
        commit_smem()
        barrier_arrive(ds_written.at[step % 2])
        # Keeps the tensor cores busy until the other warpgroup's half is ready.
        wgmma(dk_sum, ds_tile, q_tiles.at[stage])
        barrier_wait(ds_written.at[step % 2])
        dq_part[...] = 0
        if width == 64:
          wgmma(dq_part, ds_tiles.at[step % 2, :, half].T, k_tile)
        else:
          wgmma(dq_part, ds_tiles.at[step % 2].T, k_tile.at[:, half])
        wait_smem_to_gmem(0, wait_read_only=True)
        dq_tiles[warpgroup] = dq_part[...]
        commit_smem()
        part = (ds(query + warpgroup * 64, 64), reader) if width == 64 else (ds(query, 64), reader, half)
        copy_smem_to_gmem(dq_tiles.at[warpgroup], dq_sum.at[image, *part], reduction_op="add")
      v_tile[mine] = dv_sum[...].astype(dtype)
      # Waits until the other warpgroup has read these rows of k too.
      named_barrier_sync(1, num_warpgroups=groups)
      k_tile[mine] = (dk_sum[...] * scale).astype(dtype)
      commit_smem()
      copy_smem_to_gmem(v_tile.at[mine], dv.at[image, ds(first, keys), head])
      copy_smem_to_gmem(k_tile.at[mine], dk.at[image, ds(first, keys), head])
      wait_smem_to_gmem(0)

  @kernel(**by_rows)
  def finish(dq_sum: GMEM(shape, f32), dq: Out(shape, dtype)):
    image, head, rows = axis_index("image"), axis_index("head"), ds(axis_index("block") * 64, 64)
    whole_lines = WGStridedFragLayout(shape=(64, width), vec_size=8)
    dq[image, rows, head] = (load(dq_sum.at[image, rows, head], layout=whole_lines) * scale).astype(dtype)

  # The order in which blocks add to dq is not fixed, so its last bits vary.
  def backward(q, k, v, out, dout, log_sum):
    minus_sum, minus_delta, dq_sum = prepare(out, dout, log_sum)
    dq_sum, dk, dv = attention_gradients(q, k, v, dout, minus_sum, minus_delta, dq_sum)
    return finish(dq_sum), dk, dv

  return backward

# The check, small enough for the emulator: compares with the gradients from the whole matrix of scores.
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
