# out[t] = x[t] @ weights[expert of t] on Blackwell, f16 or bf16: the products of a mixture of experts, without sorting x.
# lanescope run kernels/blackwell_experts.py --arch sm_100a --device emulator

# A block takes 128 tokens of one expert, at any places in x. TMA gathers their rows, four per instruction, and scatters
# the rows of the result. TMA reads rows beyond x as zeros and never writes them, so an expert's last tokens need no
# special code. `order` lists the tokens expert by expert; `starts` has the index of each expert's first token in it.
tile_m, tile_n, tile_k, stages, strip = 128, 128, 64, 4, 64

def make_experts(dtype):
  swizzled = (TilingTransform((8, 64)), SwizzleTransform(128))

  # As many blocks as there may be tiles: the full tiles, and one tile with fewer tokens for each expert.
  @kernel(grid=lambda: (T // tile_m + E, N // tile_n), grid_names=("tile", "column"), num_threads=2,
          thread_name="warpgroup",
          scratch=[SMEM((stages, tile_m, tile_k), dtype, transforms=swizzled),
                   SMEM((stages, tile_k, tile_n), dtype, transforms=swizzled),
                   SMEM((tile_n // strip, tile_m, strip), dtype, transforms=swizzled), TMEM((tile_m, tile_n), f32),
                   Barrier(num_arrivals=2, num_barriers=stages), Barrier(num_barriers=stages, orders_tensor_core=True),
                   Barrier(orders_tensor_core=True)])
  def experts(x: GMEM((T, K), dtype), weights: GMEM((E, K, N), dtype), order: GMEM((P,), u32), starts: GMEM((E1,), i32),
              out: Out((T, N), dtype), x_tiles, weight_tiles, strips, sums, loaded, read, done):
    assert N % tile_n == 0 and K % tile_k == 0, "sizes must be multiples of the tiles"
    assert P >= T + tile_m and E1 == E + 1, "order has a tile to spare, and starts the end of the last expert"
    steps, column = K // tile_k, axis_index("column") * tile_n

    # Finds the expert of this block's tile. The tiles of earlier experts come first.
    inside, expert, first, end = axis_index("tile"), 0, 0, 0
    for e in range(E):
      begin = starts[e]
      tiles = (starts[e + 1] - begin + tile_m - 1) // tile_m
      if (inside >= 0) & (inside < tiles):
        expert, first, end = e, begin + inside * tile_m, starts[e + 1]
      inside = inside - tiles

    if first < end:
      rows = load(order, (ds(first, tile_m),), layout=TMA_INDICES, optimized=False)
      place = broadcasted_iota(i32, (tile_m,), 0, layout=TMA_INDICES)
      rows = where(first + place < end, rows, T)  # T is beyond x: loads give zeros, stores do nothing

      def warps():
        warp = axis_index("warp")
        if warp == 0:
          for step in range(steps):
            stage = step % stages
            if step >= stages:
              barrier_wait(read.at[stage])
            copy_gmem_to_smem(weights.at[expert, ds(step * tile_k, tile_k), ds(column, tile_n)],
                              weight_tiles.at[stage], loaded.at[stage])
        if warp == 1:
          for step in range(steps):
            stage = step % stages
            barrier_wait(loaded.at[stage])
            tcgen05_mma(sums, x_tiles.at[stage], weight_tiles.at[stage], read.at[stage], accumulate=step > 0)
          tcgen05_commit_arrive(done)

      if axis_index("warpgroup") == 0:
        # All four warps gather. Each has four of every sixteen row numbers.
        for step in range(steps):
          stage = step % stages
          if step >= stages:
            barrier_wait(read.at[stage])
          copy_gmem_to_smem(x.at[rows, ds(step * tile_k, tile_k)], x_tiles.at[stage], loaded.at[stage])
      else:
        core_map(WarpMesh(axis_name="warp"))(warps)
        barrier_wait(done)
        for part in static_range(tile_n // strip):
          result = async_load_tmem(sums.at[:, part * strip:part * strip + strip]).astype(dtype)
          strips[part] = result
          commit_smem()
          copy_smem_to_gmem(strips.at[part], out.at[rows, ds(column + part * strip, strip)])
        wait_smem_to_gmem(0)

  return experts

# Computes `order` and `starts` from the expert that each token has chosen.
def route(chosen, experts):
  order, starts = [], [0]
  for expert in range(experts):
    for token in range(len(chosen)):
      if chosen[token] == expert:
        order.append(token)
    starts.append(len(order))
  return array(order + [0] * tile_m, u32), array(starts, i32)

# The check, small enough for the emulator: two experts have a tile and a few tokens more, one has none.
E, T = 4, 300
chosen = [t * t % 7 % 3 for t in range(T)]  # expert 3 gets none
order, starts = route(chosen, E)
for dtype in (f16, bf16):
  x, weights = random((T, 576), dtype, seed=0), random((E, 576, 256), dtype, seed=1)
  result = make_experts(dtype)(x, weights, order, starts).astype(f32)
  for expert in range(E):
    expected = x.astype(f32) @ weights[expert].astype(f32)
    for token in range(T):
      if chosen[token] == expert:
        assert allclose(result[token], expected[token], rtol=1e-2, atol=1e-2)
print("blackwell_experts: the result is right")
