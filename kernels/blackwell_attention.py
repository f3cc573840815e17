# Flash attention, forward, on Blackwell: out = softmax(q @ k^T) @ v for every batch and head, scores in tensor memory.
# lanescope run kernels/blackwell_attention.py --arch sm_100a --device emulator

log2e = 1.4426950408889634

# A block owns 128 rows of q and steps through k and v by `block_kv`. One warp copies, and one starts the products. A
# warpgroup reads scores from tensor memory, computes their softmax, and writes the weights back to tensor memory, where
# the second product reads them. While it works on one block of scores, the tensor core computes the next block.
def make_attention(batch, sequence, heads, width, dtype=f16, block_kv=128, stages=2, approx=True):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  block_q, steps, shape = 128, sequence // block_kv, (batch, sequence, heads, width)
  assert sequence % block_q == 0 and sequence % block_kv == 0, "sequences must be multiples of the blocks"

  @kernel(grid=(batch, sequence // block_q, heads), grid_names=("batch", "rows", "head"), num_threads=2,
          thread_name="warpgroup",
          scratch=[SMEM((block_q, width), dtype, transforms=swizzled),
                   SMEM((stages, block_kv, width), dtype, transforms=swizzled),
                   SMEM((stages, block_kv, width), dtype, transforms=swizzled),
                   TMEM((2, block_q, block_kv), f32), TMEM((block_q, block_kv), dtype, packed=True),
                   TMEM((block_q, width), f32),
                   Barrier(), Barrier(num_barriers=stages), Barrier(num_barriers=stages),  # q, k, v have arrived
                   Barrier(num_barriers=stages, orders_tensor_core=True),  # a product has read k
                   Barrier(num_barriers=stages, orders_tensor_core=True),  # a product has read v
                   Barrier(num_barriers=2, orders_tensor_core=True),       # scores are complete
                   Barrier(orders_tensor_core=True),                       # the weights are ready, the scores have been read
                   Barrier(orders_tensor_core=True)])                      # the weights' product with v is complete
  def attention(q: GMEM(shape, dtype), k: GMEM(shape, dtype), v: GMEM(shape, dtype), out: Out(shape, dtype),
                q_tile, k_tiles, v_tiles, scores, weights, product, q_loaded, k_loaded, v_loaded, k_read, v_read,
                scored, weighted, multiplied):
    image, head, rows = axis_index("batch"), axis_index("head"), ds(axis_index("rows") * block_q, block_q)

    def warps():
      warp = axis_index("warp")
      if warp == 0:
        copy_gmem_to_smem(q.at[image, rows, head], q_tile, q_loaded)
        for step in range(steps):
          stage, part = step % stages, ds(step * block_kv, block_kv)
          if step >= stages:
            barrier_wait(k_read.at[stage])
          copy_gmem_to_smem(k.at[image, part, head], k_tiles.at[stage], k_loaded.at[stage])
          if step >= stages:
            barrier_wait(v_read.at[stage])
          copy_gmem_to_smem(v.at[image, part, head], v_tiles.at[stage], v_loaded.at[stage])
      if warp == 1:
        barrier_wait(q_loaded)
        # Each step's scores are started before the previous step's product with v. Their place is free: the warpgroup
        # has read the scores of two steps before, because this warp has waited for the weights made from them.
        for step in range(steps + 1):
          if step < steps:
            barrier_wait(k_loaded.at[step % stages])
            tcgen05_mma(scores.at[step % 2], q_tile, k_tiles.at[step % stages].T, k_read.at[step % stages],
                        accumulate=False)
            tcgen05_commit_arrive(scored.at[step % 2])
          if step > 0:
            stage = (step - 1) % stages
            barrier_wait(v_loaded.at[stage])
            barrier_wait(weighted)
            tcgen05_mma(product, weights, v_tiles.at[stage], v_read.at[stage], accumulate=False)
            tcgen05_commit_arrive(multiplied)

    if axis_index("warpgroup") == 0:
      core_map(WarpMesh(axis_name="warp"))(warps)
    else:
      largest = layout_cast(full((block_q,), float("-inf"), f32), TCGEN05_ROW)
      weight = layout_cast(full((block_q,), 0.0, f32), TCGEN05_ROW)
      total = layout_cast(full((block_q, width), 0.0, f32), TCGEN05)
      for step in range(steps):
        barrier_wait(scored.at[step % 2])
        s = async_load_tmem(scores.at[step % 2])
        wait_load_tmem()
        # The running maximum (times log2 e) and sum of each row. Powers of two take a multiply-add and one instruction.
        higher = maximum(largest, max(s, axis=1) * log2e)
        shrink = exp2(largest - higher, approx=approx)
        p = exp2(s * log2e - broadcast_in_dim(higher, (block_q, block_kv), (0,)), approx=approx)
        largest, weight = higher, weight * shrink + sum(p, axis=1)
        if step > 0:
          barrier_wait(multiplied)
          total = total + async_load_tmem(product)
          wait_load_tmem()
        total = total * broadcast_in_dim(shrink, (block_q, width), (0,))
        async_store_tmem(weights, p.astype(dtype))
        commit_tmem()
        barrier_arrive(weighted)
      barrier_wait(multiplied)
      total = total + async_load_tmem(product)
      out[image, rows, head] = (total / broadcast_in_dim(weight, (block_q, width), (0,))).astype(dtype)

  return attention

# The check, small enough for the emulator.
for dtype, width, sequence in ((f16, 64, 640), (bf16, 128, 256)):
  batch, heads = 1, 2
  q, k, v = [random((batch, sequence, heads, width), dtype, seed=seed) for seed in range(3)]
  result = make_attention(batch, sequence, heads, width, dtype)(q, k, v)
  for head in range(heads):
    scores = q[0, :, head].astype(f32) @ transpose(k[0, :, head].astype(f32))
    weights = exp(scores - reshape(max(scores, axis=1), (sequence, 1)))
    expected = (weights / reshape(sum(weights, axis=1), (sequence, 1))) @ v[0, :, head].astype(f32)
    # The kernel rounds weights to `dtype` before it multiplies them.
    assert allclose(result[0, :, head].astype(f32), expected, atol=2e-3 if dtype == f16 else 2e-2)
print("blackwell_attention: the result is right")
