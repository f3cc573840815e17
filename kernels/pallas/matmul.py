"""kernels/matmul.py in Pallas' words: out = a @ b for f16, bf16, i8 and 8-bit floats, operands stored either way.

Persistent blocks, one warpgroup that copies, two that multiply; a tile's result goes out while the next one is multiplied.
Why it is made so stands in kernels/matmul.py, with what its parameters mean; both compile to the same PTX. Left out is the
table of configurations, for JAX has no `tuned`.   lanescope run kernels/pallas/matmul.py
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE_M, TILE_N = 128, 256
STAGES = 4
PROCESSORS = 132


def make_matmul(dtype, pair=1, group=8, a_transposed=False, b_transposed=False, out_dtype=None):
  narrow = dtype in (jnp.int8, jnp.float8_e4m3fn, jnp.float8_e5m2)
  sums = jnp.int32 if dtype == jnp.int8 else jnp.float32
  if out_dtype is None:
    out_dtype = jnp.int32 if dtype == jnp.int8 else jnp.bfloat16 if narrow else dtype
  assert not narrow or (b_transposed and not a_transposed), "8-bit operands run along K: a of (M, K), b of (N, K)"
  assert pair == 1 or not b_transposed, "a cluster shares b by rows of K"
  tile_k = 128 if narrow else 64
  swizzled = (plgpu.TilingTransform((8, tile_k)), plgpu.SwizzleTransform(128))
  wide = out_dtype in (jnp.int32, jnp.float32)
  chunk = 32 if wide else 64  # columns of the result in one copy: 128 bytes
  lines = (plgpu.TilingTransform((8, chunk)), plgpu.SwizzleTransform(128))

  def call(a, b):
    k, m = a.shape if a_transposed else a.shape[::-1]
    n = b.shape[0] if b_transposed else b.shape[1]
    assert m % (TILE_M * pair) == 0 and n % TILE_N == 0 and k % tile_k == 0, "sizes must be multiples of the tiles"
    columns, tiles, steps = n // TILE_N, m // TILE_M * (n // TILE_N), k // tile_k
    blocks = min(PROCESSORS, tiles) // pair * pair
    overlap = tiles > blocks and not wide

    def matmul(a, b, out, a_tiles, b_tiles, out_tiles, loaded, read):
      block = lax.axis_index("cluster") * pair + lax.axis_index("member")
      warpgroup = lax.axis_index("warpgroup")

      def corner(tile):
        inside, first = tile % (group * columns), tile // (group * columns) * group
        rows = group if m // TILE_M % group == 0 else jnp.minimum(group, m // TILE_M - first)
        return (first + inside % rows) * TILE_M, inside // rows * TILE_N

      def copy():
        if overlap:
          plgpu.set_max_registers(40, action="decrease")

        @pl.loop(block, tiles, step=blocks, init_carry=0)
        def _(tile, done):
          row, column = corner(tile)

          def body(step, done):
            stage, down, along = done % STAGES, pl.ds(row, TILE_M), pl.ds(column, TILE_N)
            depth = pl.ds(step * tile_k, tile_k)

            @pl.when(done >= STAGES)
            def _():
              plgpu.barrier_wait(read.at[stage])

            a_part = a.at[depth, down] if a_transposed else a.at[down, depth]
            b_part = b.at[along, depth] if b_transposed else b.at[depth, along]
            plgpu.copy_gmem_to_smem(a_part, a_tiles.at[stage], loaded.at[stage])
            plgpu.copy_gmem_to_smem(b_part, b_tiles.at[stage], loaded.at[stage], collective_axes="member")
            return done + 1

          return lax.fori_loop(0, steps, body, done)

      def compute(total):
        if overlap:
          plgpu.set_max_registers(232, action="increase")
        mine = pl.ds(warpgroup * 64, 64)

        def multiply(stage):
          plgpu.barrier_wait(loaded.at[stage])
          a_tile = a_tiles.at[stage, :, mine].T if a_transposed else a_tiles.at[stage, mine]
          plgpu.wgmma(total, a_tile, b_tiles.at[stage].T if b_transposed else b_tiles.at[stage])

        def put(result, tile):
          row, column = corner(tile)
          for part in range(TILE_N // chunk):
            plgpu.wait_smem_to_gmem(1, wait_read_only=True)
            out_tiles[warpgroup, part % 2] = result[:, part * chunk : (part + 1) * chunk]
            plgpu.commit_smem()
            place = out.at[pl.ds(row + warpgroup * 64, 64), pl.ds(column + part * chunk, chunk)]
            plgpu.copy_smem_to_gmem(out_tiles.at[warpgroup, part % 2], place)

        nothing = plgpu.layout_cast(jnp.full((64, TILE_N), 0, out_dtype), plgpu.Layout.WGMMA)

        @pl.loop(block, tiles, step=blocks, init_carry=(0, nothing))
        def last(tile, carry):
          done, result = carry
          total[...] = jnp.zeros_like(total)

          def body(step, done):
            multiply(done % STAGES)

            def release():
              plgpu.wgmma_wait(1)
              plgpu.barrier_arrive(read.at[(done + STAGES - 1) % STAGES])

            def put_last():
              if overlap:

                @pl.when(tile != block)
                def _():
                  put(result, tile - blocks)

            lax.cond(step > 0, release, put_last)
            return done + 1

          done = lax.fori_loop(0, steps, body, done)
          result = total[...].astype(out_dtype)
          plgpu.barrier_arrive(read.at[(done + STAGES - 1) % STAGES])
          if not overlap:
            put(result, tile)
          return done, result

        if overlap:
          put(last[1], (tiles - 1 - block) // blocks * blocks + block)
        plgpu.wait_smem_to_gmem(0)

      lax.cond(warpgroup == 2, copy, lambda: pl.run_scoped(compute, total=plgpu.ACC((64, TILE_N), sums)))

    a_shape = (STAGES, tile_k, TILE_M) if a_transposed else (STAGES, TILE_M, tile_k)
    b_shape = (STAGES, TILE_N, tile_k) if b_transposed else (STAGES, tile_k, TILE_N)
    return plgpu.kernel(
        matmul,
        out_type=jax.ShapeDtypeStruct((m, n), out_dtype),
        scratch_types=[
            plgpu.SMEM(a_shape, dtype, transforms=swizzled),
            plgpu.SMEM(b_shape, dtype, transforms=swizzled),
            plgpu.SMEM((2, 2, 64, chunk), out_dtype, transforms=lines),
            plgpu.Barrier(num_arrivals=2, num_barriers=STAGES),
            plgpu.ClusterBarrier(collective_axes=("member",), num_arrivals=2, num_barriers=STAGES),
        ],
        grid=(blocks // pair,),
        grid_names=("cluster",),
        cluster=(pair,),
        cluster_names=("member",),
        num_threads=3,
        thread_name="warpgroup",
    )(a, b)

  return call


# The check, small enough for the emulator: a few blocks, so that each makes several tiles.
if __name__ == "__main__":
  PROCESSORS = 6
  rng = np.random.default_rng(0)
  a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((1280, 192), (192, 512)))
  for dtype, options in (
      (jnp.float16, {}),
      (jnp.bfloat16, {}),
      (jnp.float16, dict(pair=2)),
      (jnp.float16, dict(a_transposed=True)),
      (jnp.float16, dict(b_transposed=True)),
  ):
    left, right = jnp.asarray(a, dtype), jnp.asarray(b, dtype)
    want = np.asarray(left, np.float32) @ np.asarray(right, np.float32)
    left, right = left.T if "a_transposed" in options else left, right.T if "b_transposed" in options else right
    got = make_matmul(dtype, **options)(left, right)
    np.testing.assert_allclose(np.asarray(got, np.float32), want, rtol=1e-2, atol=5e-2)
  a, b = (rng.integers(-100, 100, (256, 256)).astype(np.int8) for _ in range(2))
  got = make_matmul(jnp.int8, b_transposed=True)(jnp.asarray(a), jnp.asarray(b))
  np.testing.assert_array_equal(np.asarray(got), a.astype(np.int32) @ b.T.astype(np.int32))
  print("matmul: the result is right")
