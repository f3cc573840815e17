"""kernels/attention.py written with Pallas: flash attention, forward.   lanescope run kernels/pallas/attention.py

In persistent blocks, `groups` warpgroups own rows of q and step through k and v, and one more copies. kernels/attention.py
explains the design and the parameters; both files compile to the same PTX.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

LOG2E = 1.4426950408889634
PROCESSORS = 132


def make_attention(batch, sequence, heads, width, dtype=jnp.float16, block_kv=None, stages=None, kv_heads=None, causal=False,
                   scale=1.0, groups=None, approx=True):
  block_q = 64
  block_kv = block_kv if block_kv is not None else 64 if width > 128 else 128
  stages = stages if stages is not None else 4 if width == 64 else 2
  groups = groups if groups is not None else 3 if width == 64 and not causal and sequence > 1024 else 2
  swizzled = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
  kv_heads = heads if kv_heads is None else kv_heads
  block_rows = groups * block_q
  rows = (sequence + block_rows - 1) // block_rows
  own_place = width <= 128
  tiles = batch * heads * rows
  blocks = min(PROCESSORS, tiles)
  whole, rest = tiles // blocks, tiles % blocks
  assert heads % kv_heads == 0, "as many heads share each of k and v"
  assert sequence % block_kv == 0, "sequences must be multiples of `block_kv`"
  diagonals = max(1, block_rows // block_kv)
  assert not causal or block_rows % block_kv == 0 or block_kv % block_rows == 0, "a causal block ends where a step does"

  def attention(q, k, v, out, q_tiles, k_tiles, v_tiles, out_tiles, q_loaded, q_read, k_loaded, v_loaded, k_read, v_read):
    block, warpgroup = lax.axis_index("block"), lax.axis_index("warpgroup")

    def place(number):
      if causal:
        tile = number * blocks + jnp.where(number % 2 == 0, block, blocks - 1 - block)
        other = tile % (batch * heads)
        return other // heads, rows - 1 - tile // (batch * heads), other % heads
      tile = number * blocks + block
      return tile // (rows * heads), tile % rows, tile // rows % heads

    def steps_of(row):
      return ((row + 1) * block_rows + block_kv - 1) // block_kv if causal else sequence // block_kv

    in_last = blocks - 1 - block if causal and whole % 2 == 1 else block
    rounds = whole if rest == 0 else whole + (in_last < rest).astype(jnp.int32)

    def copy():
      plgpu.set_max_registers(24 if groups == 2 else 32, action="decrease")

      @pl.loop(0, rounds, init_carry=0)
      def _(number, done):
        image, row, head = place(number)
        shared, steps = head // (heads // kv_heads), steps_of(row)

        def body(step, done):
          stage, columns = done % stages, pl.ds((steps - 1 - step) * block_kv, block_kv)

          @pl.when(done >= stages)
          def _():
            plgpu.barrier_wait(k_read.at[stage])

          plgpu.copy_gmem_to_smem(k.at[image, columns, shared], k_tiles.at[stage], k_loaded.at[stage])

          @pl.when(step == 0)
          def _():
            for group in range(groups):

              @pl.when(number > 0)
              def _():
                plgpu.barrier_wait(q_read.at[group])

              mine = pl.ds(row * block_rows + group * block_q, block_q)
              plgpu.copy_gmem_to_smem(q.at[image, mine, head], q_tiles.at[group], q_loaded.at[group])

          @pl.when(done >= stages)
          def _():
            plgpu.barrier_wait(v_read.at[stage])

          plgpu.copy_gmem_to_smem(v.at[image, columns, shared], v_tiles.at[stage], v_loaded.at[stage])
          return done + 1

        return lax.fori_loop(0, steps, body, done)

    def softmax(s, largest, weight):
      higher = jnp.maximum(largest, s.max(axis=1) * (scale * LOG2E))
      shrink = jnp.exp2(largest - higher)
      p = jnp.exp2(s * (scale * LOG2E) - lax.broadcast_in_dim(higher, (block_q, block_kv), (0,)))
      return p.astype(dtype), shrink, higher, weight * shrink + p.sum(axis=1)

    def row_of(value):
      return plgpu.layout_cast(jnp.full((block_q,), value, jnp.float32), plgpu.Layout.WGMMA.reduce(1))

    def compute(scores, total):
      plgpu.set_max_registers(240 if groups == 2 else 160, action="increase")
      tile = q_tiles.at[warpgroup]

      @pl.loop(0, rounds, init_carry=0)
      def _(number, done):
        image, row, head = place(number)
        first, steps = row * block_rows + warpgroup * block_q, steps_of(row)

        def masked(s, step):
          down = plgpu.broadcasted_iota(jnp.int32, s.shape, 0, layout=plgpu.Layout.WGMMA) + first
          along = plgpu.broadcasted_iota(jnp.int32, s.shape, 1, layout=plgpu.Layout.WGMMA) + (steps - 1 - step) * block_kv
          return jnp.where(along <= down, s, -jnp.inf)

        plgpu.barrier_wait(q_loaded.at[warpgroup])
        plgpu.barrier_wait(k_loaded.at[done % stages])
        scores[...] = jnp.zeros_like(scores)
        plgpu.wgmma(scores, tile, k_tiles.at[done % stages].T)
        s = scores[...]
        plgpu.barrier_arrive(k_read.at[done % stages])
        if causal:
          s = masked(s, 0)
        p, _, largest, weight = softmax(s, row_of(-1e30 if causal else -jnp.inf), row_of(0.0))
        total[...] = jnp.zeros_like(total)

        @pl.when(steps > 1)
        def _():
          plgpu.barrier_wait(k_loaded.at[(done + 1) % stages])

        def body(step, carry):
          done, largest, p, weight = carry
          stage, before = (done + 1) % stages, done % stages
          scores[...] = jnp.zeros_like(scores)
          plgpu.wgmma(scores, tile, k_tiles.at[stage].T)
          plgpu.barrier_wait(v_loaded.at[before])
          plgpu.wgmma(total, p, v_tiles.at[before])
          s = plgpu.wgmma_accumulator_load(scores, wait_n=1)
          plgpu.barrier_arrive(k_read.at[stage])
          if causal and diagonals > 1:
            s = lax.cond(step < diagonals, lambda: masked(s, step), lambda: s)
          p, shrink, largest, weight = softmax(s, largest, weight)

          @pl.when(step + 1 < steps)
          def _():
            plgpu.barrier_wait(k_loaded.at[(done + 2) % stages])

          so_far = total[...]
          plgpu.barrier_arrive(v_read.at[before])
          total[...] = so_far * lax.broadcast_in_dim(shrink, (block_q, width), (0,))
          return done + 1, largest, p, weight

        done, _, p, weight = lax.fori_loop(1, steps, body, (done, largest, p, weight))
        if own_place:
          plgpu.barrier_arrive(q_read.at[warpgroup])
        plgpu.barrier_wait(v_loaded.at[done % stages])
        plgpu.wgmma(total, p, v_tiles.at[done % stages])
        share = 1.0 / weight
        plgpu.wait_smem_to_gmem(0, wait_read_only=True)
        result = total[...]
        plgpu.barrier_arrive(v_read.at[done % stages])
        done = done + 1
        outgoing = out_tiles.at[warpgroup] if own_place else tile
        outgoing[...] = (result * lax.broadcast_in_dim(share, (block_q, width), (0,))).astype(dtype)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(outgoing, out.at[image, pl.ds(first, block_q), head])
        if not own_place:
          plgpu.wait_smem_to_gmem(0, wait_read_only=True)
          plgpu.barrier_arrive(q_read.at[warpgroup])
        return done

      plgpu.wait_smem_to_gmem(0)

    sums = {"scores": plgpu.ACC((block_q, block_kv), jnp.float32), "total": plgpu.ACC((block_q, width), jnp.float32)}
    lax.cond(warpgroup == groups, copy, lambda: pl.run_scoped(compute, **sums))

  return plgpu.kernel(
      attention,
      out_type=jax.ShapeDtypeStruct((batch, sequence, heads, width), dtype),
      scratch_types=[
          plgpu.SMEM((groups, block_q, width), dtype, transforms=swizzled),
          plgpu.SMEM((stages, block_kv, width), dtype, transforms=swizzled),
          plgpu.SMEM((stages, block_kv, width), dtype, transforms=swizzled),
          plgpu.SMEM((groups, block_q, width) if own_place else (1, 8, 64), dtype, transforms=swizzled),
          plgpu.Barrier(num_barriers=groups),
          plgpu.Barrier(num_barriers=groups),
          plgpu.Barrier(num_barriers=stages),
          plgpu.Barrier(num_barriers=stages),
          plgpu.Barrier(num_arrivals=groups, num_barriers=stages),
          plgpu.Barrier(num_arrivals=groups, num_barriers=stages),
      ],
      grid=(blocks,),
      grid_names=("block",),
      num_threads=groups + 1,
      thread_name="warpgroup",
      compiler_params=plgpu.CompilerParams(approx_math=approx),
  )


# The check, small enough for the emulator: a few blocks, so that each makes several tiles.
if __name__ == "__main__":
  PROCESSORS = 3
  batch, sequence, heads = 2, 256, 2
  rng = np.random.default_rng(0)
  for width, options in (
      (128, {}),
      (256, {}),
      (64, dict(causal=True, scale=0.125)),
      (64, dict(causal=True, block_kv=64)),
      (64, dict(groups=3)),
  ):
    q, k, v = (rng.standard_normal((batch, sequence, heads, width)).astype(np.float16) for _ in range(3))
    got = make_attention(batch, sequence, heads, width, **options)(q, k, v)
    qs, ks, vs = (x.astype(np.float32).swapaxes(1, 2) for x in (q, k, v))
    s = qs @ ks.swapaxes(2, 3) * options.get("scale", 1.0)
    if "causal" in options:
      s = np.where(np.arange(sequence)[:, None] < np.arange(sequence)[None, :], -np.inf, s)
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    want = ((p / p.sum(axis=-1, keepdims=True)) @ vs).swapaxes(1, 2)
    np.testing.assert_allclose(np.asarray(got, np.float32), want, rtol=1e-2, atol=2e-3)
  print("attention: the result is right")
