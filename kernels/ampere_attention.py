# Flash attention, forward, on every GPU since Ampere: out = softmax(scale * q @ k^T) @ v for every batch and head, by
# `mma` on tiles that `cp.async` fills, or TMA where there is one.
# lanescope run kernels/ampere_attention.py --arch sm_80 --device emulator

log2e = 1.4426950408889634

# A warpgroup owns `block_q` rows of q, which stay in its registers, and steps through k and v by `block_kv`. The next step's k
# and v are copied while it computes. The sums of one product and the left operand of the next lie in the same registers, so
# the weights of a step stay where they are. `causal`: no row sees a later row. Heads of 64 take 48 KiB of shared
# memory, heads of 128 take 80 KiB (with `block_kv=32`: 48 KiB).
def make_ampere_attention(batch, sequence, heads, width, dtype=f16, block_q=None, block_kv=64, stages=2, causal=False, scale=1.0):
  lowest, factor = -1e30, scale * log2e
  block_q = block_q or (128 if width == 64 else 64)  # 128 rows of wide heads do not fit in registers
  shape, scores_shape = (batch, sequence, heads, width), (block_q, block_kv)
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))
  assert sequence % block_q == 0 and sequence % block_kv == 0, "sequences must be multiples of the blocks"
  assert width % 64 == 0 and block_kv in (32, 64), "rows must fill the swizzles"
  assert scale > 0, "the largest score has the largest weight"

  @kernel(grid=(batch * heads, sequence // block_q), grid_names=("head", "row"),
          scratch=[SMEM((block_q, width), dtype, transforms=swizzled),
                   SMEM((stages, block_kv, width), dtype, transforms=swizzled),
                   SMEM((stages, block_kv, width), dtype, transforms=swizzled),
                   Barrier(), Barrier(num_arrivals=2, num_barriers=stages)])  # k and v of a step
  def ampere_attention(q: GMEM(shape, dtype), k: GMEM(shape, dtype), v: GMEM(shape, dtype), out: Out(shape, dtype),
                       q_tile, k_tiles, v_tiles, q_loaded, loaded):
    image, head = axis_index("head") // heads, axis_index("head") % heads
    row = sequence // block_q - 1 - axis_index("row") if causal else axis_index("row")  # the longest rows come first
    mine, first = ds(row * block_q, block_q), row * block_q
    steps = (first + block_q + block_kv - 1) // block_kv if causal else sequence // block_kv
    below = first // block_kv if causal else steps  # the steps before the diagonal

    def fetch(i):
      columns, slot = ds(i * block_kv, block_kv), i % stages
      copy_gmem_to_smem(k.at[image, columns, head], k_tiles.at[slot], loaded.at[slot], oob_mode="promise_in_bounds")
      copy_gmem_to_smem(v.at[image, columns, head], v_tiles.at[slot], loaded.at[slot], oob_mode="promise_in_bounds")

    copy_gmem_to_smem(q.at[image, mine, head], q_tile, q_loaded, oob_mode="promise_in_bounds")
    for i in range(stages - 1, unroll=stages - 1):
      if i < steps:
        fetch(i)
    barrier_wait(q_loaded)
    rows = load(q_tile, layout=MMA_LHS(dtype))

    by_row = MMA_ACC(f32).reduce(1)
    total = full((block_q, width), 0, f32)
    largest, weight = layout_cast(full((block_q,), lowest, f32), by_row), layout_cast(full((block_q,), 0, f32), by_row)

    # One wait for k and v at the beginning leaves the rest of a step without branches, so that its exponentials and its
    # products overlap. For the same reason the steps on the diagonal have a loop of their own.
    def attend(i, state, diagonal):
      total, largest, weight = state
      slot = i % stages
      barrier_wait(loaded.at[slot])
      if i + stages - 1 < steps:
        fetch(i + stages - 1)
      scores = mma(full(scores_shape, 0, f32), rows, load(k_tiles.at[slot].T, layout=MMA_RHS(dtype)))
      if diagonal:
        later = i * block_kv + broadcasted_iota(i32, scores_shape, 1) > first + broadcasted_iota(i32, scores_shape, 0)
        scores = where(later, lowest, scores)
      # Only the maximum is scaled by itself: each score is scaled and shifted by one instruction.
      above = maximum(largest, max(scores, axis=1) * factor)
      weights = exp2(scores * factor - broadcast_in_dim(above, scores_shape, (0,)), approx=True)
      # The sums so far were divided by a smaller power.
      correction = exp2(largest - above, approx=True)
      total = mma(total * broadcast_in_dim(correction, (block_q, width), (0,)),
                  layout_cast(weights.astype(dtype), MMA_LHS(dtype)), load(v_tiles.at[slot], layout=MMA_RHS(dtype)))
      return total, above, weight * correction + sum(weights, axis=1)

    for i in range(below):
      total, largest, weight = attend(i, (total, largest, weight), diagonal=False)
    if causal:
      for i in range(below, steps):
        total, largest, weight = attend(i, (total, largest, weight), diagonal=True)
    # The rows of q are in registers, so the result takes their place, for stores of 16 bytes.
    q_tile[...] = (total * broadcast_in_dim(1.0 / weight, (block_q, width), (0,))).astype(dtype)
    commit_smem()
    copy_smem_to_gmem(q_tile, out.at[image, mine, head])
    wait_smem_to_gmem(0)

  return ampere_attention

# The check, small enough for the emulator.
batch, sequence, heads = 1, 128, 2
for width, dtype, options in ((64, f16, {}), (64, bf16, dict(causal=True, scale=0.125)), (128, f16, dict(block_kv=32)),
                              (64, f16, dict(causal=True, block_q=64, block_kv=32, stages=3))):
  q, k, v = [random((batch, sequence, heads, width), dtype, seed=seed) for seed in range(3)]
  result = make_ampere_attention(batch, sequence, heads, width, dtype, **options)(q, k, v)
  later = reshape(arange(sequence), (sequence, 1)) < reshape(arange(sequence), (1, sequence))
  for image in range(batch):
    for head in range(heads):
      s = q[image, :, head].astype(f32) @ transpose(k[image, :, head].astype(f32)) * options.get("scale", 1.0)
      s = select(later, float("-inf"), s) if "causal" in options else s
      p = exp(s - reshape(max(s, axis=1), (sequence, 1)))
      expected = (p / reshape(sum(p, axis=1), (sequence, 1))) @ v[image, :, head].astype(f32)
      assert allclose(result[image, :, head].astype(f32), expected, atol=2e-3 if dtype == f16 else 2e-2)
print("ampere_attention: the result is right")
