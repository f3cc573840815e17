# Flash attention, forward: out = softmax(q @ k^T) @ v for every batch and head, without ever storing the scores.
# lanescope run kernels/attention.py

log2e = 1.4426950408889634

# Two warpgroups own `block_q` rows of q each and walk over k and v in steps of `block_kv`; a third one copies, `stages`
# steps ahead. 64 x 128 scores, as many sums and half as many weights are what the registers of a thread hold (heads of
# 256 take `block_kv=64`). With fewer `kv_heads` than heads, neighbouring heads share one of k and v.
def make_attention(batch, sequence, heads, width, dtype=f16, block_q=64, block_kv=128, stages=2, kv_heads=None,
                   approx=True):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  steps, shape = sequence // block_kv, (batch, sequence, heads, width)
  kv_heads = heads if kv_heads is None else kv_heads
  kv_shape = (batch, sequence, kv_heads, width)
  assert heads % kv_heads == 0, "as many heads share each of k and v"
  assert sequence % (2 * block_q) == 0 and sequence % block_kv == 0, "sequences must be multiples of the blocks"

  @kernel(grid=(batch, sequence // (2 * block_q), heads), grid_names=("batch", "rows", "head"), num_threads=3,
          thread_name="warpgroup",
          scratch=[SMEM((2, block_q, width), dtype, transforms=swizzled),
                   SMEM((stages, block_kv, width), dtype, transforms=swizzled),
                   SMEM((stages, block_kv, width), dtype, transforms=swizzled),
                   Barrier(num_barriers=2), Barrier(num_barriers=stages), Barrier(num_barriers=stages),
                   Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_arrivals=2, num_barriers=stages),
                   ACC((block_q, block_kv), f32), ACC((block_q, width), f32)])
  def attention(q: GMEM(shape, dtype), k: GMEM(kv_shape, dtype), v: GMEM(kv_shape, dtype), out: Out(shape, dtype),
                q_tiles, k_tiles, v_tiles, q_loaded, k_loaded, v_loaded, k_read, v_read, scores, total):
    image, head, warpgroup = axis_index("batch"), axis_index("head"), axis_index("warpgroup")

    if warpgroup == 2:
      set_max_registers(40, action="decrease")
      for step in range(steps):
        stage, rows, shared = step % stages, ds(step * block_kv, block_kv), head // (heads // kv_heads)
        if step >= stages:
          barrier_wait(k_read.at[stage])
        copy_gmem_to_smem(k.at[image, rows, shared], k_tiles.at[stage], k_loaded.at[stage])
        if step >= stages:
          barrier_wait(v_read.at[stage])
        copy_gmem_to_smem(v.at[image, rows, shared], v_tiles.at[stage], v_loaded.at[stage])
    else:
      set_max_registers(232, action="increase")

      # The weights of one block of scores, and the running maximum (times log2 e) and sum of each row: powers of two
      # cost one multiply-add and one instruction.
      def softmax(s, largest, weight):
        higher = maximum(largest, max(s, axis=1) * log2e)
        shrink = exp2(largest - higher, approx=approx)
        p = exp2(s * log2e - broadcast_in_dim(higher, (block_q, block_kv), (0,)), approx=approx)
        return p.astype(dtype), shrink, higher, weight * shrink + sum(p, axis=1)

      rows = ds(axis_index("rows") * (2 * block_q) + warpgroup * block_q, block_q)
      tile = q_tiles.at[warpgroup]
      copy_gmem_to_smem(q.at[image, rows, head], tile, q_loaded.at[warpgroup])
      barrier_wait(q_loaded.at[warpgroup])
      barrier_wait(k_loaded.at[0])
      wgmma(scores, tile, k_tiles.at[0].T)
      s = scores[...]
      barrier_arrive(k_read.at[0])
      p, shrink, largest, weight = softmax(s, layout_cast(full((block_q,), float("-inf"), f32), WGMMA_ROW),
                                           layout_cast(full((block_q,), 0.0, f32), WGMMA_ROW))
      for step in range(1, steps):
        stage, before = step % stages, (step - 1) % stages
        # Both products go to the tensor cores at once: while they add up v of the block before, the exponentials of this
        # block are computed.
        barrier_wait(k_loaded.at[stage])
        scores[...] = 0
        wgmma(scores, tile, k_tiles.at[stage].T)
        barrier_wait(v_loaded.at[before])
        wgmma(total, p, v_tiles.at[before])
        s = wgmma_accumulator_load(scores, wait_n=1)
        barrier_arrive(k_read.at[stage])
        p, shrink, largest, weight = softmax(s, largest, weight)
        so_far = total[...]
        barrier_arrive(v_read.at[before])
        total[...] = so_far * broadcast_in_dim(shrink, (block_q, width), (0,))
      barrier_wait(v_loaded.at[(steps - 1) % stages])
      wgmma(total, p, v_tiles.at[(steps - 1) % stages])
      tile[...] = (total[...] / broadcast_in_dim(weight, (block_q, width), (0,))).astype(dtype)
      commit_smem()
      copy_smem_to_gmem(tile, out.at[image, rows, head])
      wait_smem_to_gmem(0)

  return attention

# The check, small enough for the emulator.
batch, sequence, heads, width = 2, 256, 2, 128
q, k, v = [random((batch, sequence, heads, width), f16, seed=seed) for seed in range(3)]
result = make_attention(batch, sequence, heads, width)(q, k, v)
for image in range(batch):
  for head in range(heads):
    s = q[image, :, head].astype(f32) @ transpose(k[image, :, head].astype(f32))
    p = exp(s - reshape(max(s, axis=1), (sequence, 1)))
    expected = (p / reshape(sum(p, axis=1), (sequence, 1))) @ v[image, :, head].astype(f32)
    assert allclose(result[image, :, head].astype(f32), expected, atol=2e-3)
print("attention: the result is right")
