# Functions of the kernel language that are written in it: pipelines, loops over grids, orders of tiles. Loaded when the
# first of them is called. Their builtins are in Prelude.cpp.

def Squeezed():
  return None

def Blocked(size):
  return size

def Element(size):
  return {"element": size}

def BlockSpec(block_shape, index_map, transforms=(), delay_release=0, collective_axes=()):
  assert delay_release >= 0, "delay_release counts rounds"
  return {"block_shape": tuple(block_shape), "index_map": index_map, "transforms": transforms,
          "delay_release": delay_release, "collective_axes": collective_axes}

def unravel(index, shape):
  """The place of flat number `index` in row-major order."""
  place = ()
  for size in reversed(shape[1:]):
    place = (index % size,) + place
    index = index // size
  return (index,) + place

def product(sizes):
  result = 1
  for size in sizes:
    result = result * size
  return result

def smallest(a, b):
  if is_static(a) and is_static(b):
    return min(a, b)
  return minimum(a, b)

def as_tuple(value):
  return value if is_tuple(value) else (value,)

def element_of(size):
  return size["element"] if is_dict(size) else None

def buffer_shape(spec):
  return tuple(size if element_of(size) is None else element_of(size) for size in spec["block_shape"]
               if size is not None)

def block_places(spec, indices):
  """What the index map gives for the grid's indices: one number for each dimension."""
  places = as_tuple(spec["index_map"](*indices))
  assert len(places) == len(spec["block_shape"]), "an index map gives one index for each dimension of its block"
  return places

def block_slices(spec, indices):
  slices = ()
  for size, place in zip(spec["block_shape"], block_places(spec, indices)):
    if size is None:
      slices = slices + (place,)
    elif element_of(size) is not None:
      slices = slices + (ds(place, element_of(size)),)
    else:
      slices = slices + (ds(place * size, size),)
  return slices

def is_invariant(spec, indices):
  """Whether the block is the same for all of the grid; `indices` are traced."""
  return all([is_static(place) for place in block_places(spec, indices)])

def check_specs(grid, in_specs, out_specs, refs, max_concurrent_steps):
  assert len(grid) > 0, "a grid has one dimension at least"
  for size in grid:
    assert not is_static(size) or size > 0, "the sizes of a pipeline's grid are above 0"
  assert len(refs) == len(in_specs) + len(out_specs), "a pipeline is called with one reference for each spec"
  assert max_concurrent_steps > 0, "max_concurrent_steps is above 0"
  for spec in in_specs:
    assert max_concurrent_steps > spec["delay_release"], "max_concurrent_steps exceeds every delay_release"

def stage_buffers(specs, refs, stages):
  return [SMEM((stages,) + buffer_shape(spec), ref.dtype, transforms=spec["transforms"])
          for spec, ref in zip(specs, refs)]

def at_slot(buffers, slot):
  return [buffer.at[slot] for buffer in buffers]

def fetch(specs, refs, buffers, indices, slot, barrier):
  for spec, ref, buffer in zip(specs, refs, buffers):
    collective = as_tuple(spec["collective_axes"])
    copy_gmem_to_smem(ref.at[block_slices(spec, indices)], buffer.at[slot], barrier,
                      collective_axes=collective if len(collective) > 0 else None)

def moves_on(spec, indices, following, last):
  """Whether the block of `indices` is written for the last time in a row: the following round has another one."""
  changed = last
  for here, there in zip(block_places(spec, indices), block_places(spec, following)):
    changed = changed | (here != there)
  return changed

def store_blocks(specs, refs, buffers, indices, following, last, slot, in_one_group=True):
  for spec, ref, buffer in zip(specs, refs, buffers):
    copy_smem_to_gmem(buffer.at[slot], ref.at[block_slices(spec, indices)],
                      predicate=moves_on(spec, indices, following, last), commit_group=False)
  commit_smem_to_gmem_group()

def call_body(body, indices, refs, carry, has_carry):
  if has_carry:
    return body(indices, *refs, carry)
  result = body(indices, *refs)
  assert result is None, "a pipeline's body returns a carry only where there is an init_carry"
  return carry

def emit_pipeline(body, grid, in_specs=(), out_specs=(), max_concurrent_steps=1, init_carry=None):
  grid = as_tuple(grid)
  has_carry = init_carry is not None
  def pipeline(*refs):
    check_specs(grid, in_specs, out_specs, refs, max_concurrent_steps)
    for spec in in_specs:
      assert len(as_tuple(spec["collective_axes"])) == 0, "blocks loaded by a whole cluster need the warp-specialised pipeline"
    total = product(grid)
    stages = min(max_concurrent_steps, total) if is_static(total) else max_concurrent_steps
    in_refs, out_refs = refs[:len(in_specs)], refs[len(in_specs):]
    delays = sorted([spec["delay_release"] for spec in in_specs])
    levels = [d for i, d in enumerate(delays) if i == 0 or delays[i - 1] != d]
    def start(step, in_buffers, barrier, level):
      chosen = [i for i, spec in enumerate(in_specs) if level is None or spec["delay_release"] == level]
      slot = step % stages
      fetch([in_specs[i] for i in chosen], [in_refs[i] for i in chosen], [in_buffers[i] for i in chosen],
            unravel(step, grid), slot, barrier.at[slot])
    def run(in_buffers, out_buffers, fixed_buffers, barrier, carry):
      if len(in_specs) > 0:
        for step in range(smallest(stages, total)):
          start(step, in_buffers, barrier, None)
      for step in range(total):
        slot = step % stages
        indices = unravel(step, grid)
        if len(in_specs) > 0:
          barrier_wait(barrier.at[slot])
        if len(moving) > 0:
          wait_smem_to_gmem(stages - 1, wait_read_only=True)
        outs, m, f = [], 0, 0
        for i in static_range(len(out_specs)):
          if i in moving:
            outs = outs + [out_buffers[m].at[slot]]
            m = m + 1
          else:
            outs = outs + [fixed_buffers[f].at[0]]
            f = f + 1
        carry = call_body(body, indices, at_slot(in_buffers, slot) + outs, carry, has_carry)
        if len(moving) > 0:
          commit_smem()
          store_blocks([out_specs[i] for i in moving], [out_refs[i] for i in moving], out_buffers, indices,
                       unravel(step + 1, grid), step == total - 1, slot)
        for level in levels:
          if not is_static(total) or stages - level < total:
            following = step + (stages - level)
            if level == 0:
              if following < total:
                start(following, in_buffers, barrier, level)
            elif step >= level and following < total:
              start(following, in_buffers, barrier, level)
      if len(fixed) > 0:
        commit_smem()
        zeros = tuple(0 for size in grid)
        for i, buffer in zip(fixed, fixed_buffers):
          copy_smem_to_gmem(buffer.at[0], out_refs[i].at[block_slices(out_specs[i], zeros)])
      if len(out_specs) > 0:
        wait_smem_to_gmem(0)
      return carry
    probe = tuple(traced_zero() for size in grid)
    fixed = [i for i, spec in enumerate(out_specs) if is_invariant(spec, probe)]
    moving = [i for i in range(len(out_specs)) if i not in fixed]
    def scoped(in_buffers, out_buffers, fixed_buffers, barrier):
      return run(in_buffers, out_buffers, fixed_buffers, barrier, init_carry)
    return run_scoped(scoped, stage_buffers(in_specs, in_refs, stages),
                      stage_buffers([out_specs[i] for i in moving], [out_refs[i] for i in moving], stages),
                      stage_buffers([out_specs[i] for i in fixed], [out_refs[i] for i in fixed], 1),
                      Barrier(num_arrivals=max(1, len(in_specs)), num_barriers=stages))
  return pipeline

def emit_pipeline_warp_specialized(body, grid, memory_registers, wg_axis, num_compute_wgs, in_specs=(), out_specs=(),
                                   max_concurrent_steps=2, manual_consumed_barriers=False, compute_context=None,
                                   memory_thread_idx=None):
  grid = as_tuple(grid)
  assert num_compute_wgs > 0, "a pipeline computes in one warpgroup at least"
  memory = num_compute_wgs if memory_thread_idx is None else memory_thread_idx
  assert memory == num_compute_wgs, "the warpgroup that copies is the last one"
  compute_registers = min(256, (512 - memory_registers) // num_compute_wgs) // 8 * 8
  def pipeline(*refs):
    check_specs(grid, in_specs, out_specs, refs, max_concurrent_steps)
    assert axis_size(wg_axis) == num_compute_wgs + 1, "the block has one warpgroup more than those that compute"
    delays = [spec["delay_release"] for spec in in_specs]
    assert len(delays) == 0 or min(delays) == max(delays), "all inputs have the same delay_release"
    delay = delays[0] if len(delays) > 0 else 0
    total = product(grid)
    stages = min(max_concurrent_steps, total) if is_static(total) else max_concurrent_steps
    in_refs, out_refs = refs[:len(in_specs)], refs[len(in_specs):]
    probe = tuple(traced_zero() for size in grid)
    for spec in in_specs:
      assert not is_invariant(spec, probe), "each input of the pipeline depends on the grid; copy the others before it"
    for spec in out_specs:
      assert not is_invariant(spec, probe), "each output of the pipeline depends on the grid; carry the others and store them in compute_context"
      assert len(as_tuple(spec["collective_axes"])) == 0, "an output is stored by each block"
    def consumed_by(spec):
      axes = as_tuple(spec["collective_axes"])
      assert len(axes) <= 1, "an input is loaded along one axis of the cluster"
      if len(axes) == 0:
        return Barrier(num_arrivals=num_compute_wgs, num_barriers=stages)
      return ClusterBarrier(collective_axes=axes, num_arrivals=num_compute_wgs, num_barriers=stages)
    def copying(in_buffers, ready, consumed):
      set_max_registers(memory_registers, action="decrease")
      for step in range(total):
        slot = step % stages
        if step >= stages:
          for barrier in consumed:
            barrier_wait(barrier.at[slot])
        fetch(in_specs, in_refs, in_buffers, unravel(step, grid), slot, ready.at[slot])
      # Every phase is waited for, so that the buffers are free and the barriers even when the pipeline ends.
      for step in range(smallest(stages, total)):
        for barrier in consumed:
          barrier_wait(barrier.at[step])
    def computing(in_buffers, out_buffers, ready, consumed, written, free, has_carry, carry):
      wg = axis_index(wg_axis)
      for step in range(total):
        slot = step % stages
        indices = unravel(step, grid)
        if len(in_specs) > 0:
          barrier_wait(ready.at[slot])
        if len(out_specs) > 0:
          if num_compute_wgs == 1:
            wait_smem_to_gmem(stages - 1, wait_read_only=True)
          else:
            if wg == 0:
              wait_smem_to_gmem(stages - 1, wait_read_only=True)
              barrier_arrive(free.at[slot])
            barrier_wait(free.at[slot])
        refs = at_slot(in_buffers, slot) + at_slot(out_buffers, slot)
        if manual_consumed_barriers:
          refs = refs + at_slot(consumed, slot)
        carry = call_body(body, indices, refs, carry, has_carry)
        if not manual_consumed_barriers:
          if step >= delay:
            for barrier in consumed:
              barrier_arrive(barrier.at[(step - delay) % stages])
        if len(out_specs) > 0:
          commit_smem()
          following, last = unravel(step + 1, grid), step == total - 1
          if num_compute_wgs == 1:
            store_blocks(out_specs, out_refs, out_buffers, indices, following, last, slot)
          else:
            barrier_arrive(written.at[slot])
            barrier_wait(written.at[slot])
            if wg == 0:
              store_blocks(out_specs, out_refs, out_buffers, indices, following, last, slot)
      if not manual_consumed_barriers and delay > 0:
        for late in range(smallest(delay, total)):
          for barrier in consumed:
            barrier_arrive(barrier.at[(total - 1 - late) % stages])
      if len(out_specs) > 0:
        wait_smem_to_gmem(0)
      return carry
    def scoped(in_buffers, out_buffers, ready, consumed, written, free):
      if axis_index(wg_axis) == memory:
        copying(in_buffers, ready, consumed)
      else:
        set_max_registers(compute_registers, action="increase")
        if compute_context is None:
          computing(in_buffers, out_buffers, ready, consumed, written, free, False, None)
        else:
          compute_context(lambda carry: computing(in_buffers, out_buffers, ready, consumed, written, free, True, carry))
    run_scoped(scoped, stage_buffers(in_specs, in_refs, stages), stage_buffers(out_specs, out_refs, stages),
               Barrier(num_arrivals=max(1, len(in_specs)), num_barriers=stages), [consumed_by(spec) for spec in in_specs],
               Barrier(num_arrivals=num_compute_wgs, num_barriers=stages), Barrier(num_barriers=stages))
  return pipeline

def nd_loop(grid, collective_axes=(), tiling=None, init_carry=None):
  grid = as_tuple(grid)
  has_carry = init_carry is not None
  if tiling is not None:
    assert len(tiling) == len(grid), "a tiling has one size for each dimension of the grid"
    for size, tile in zip(grid, tiling):
      assert tile is None or not is_static(size) or size % tile == 0, "the tiles divide the grid"
  def place_of(step):
    if tiling is None:
      return unravel(step, grid)
    tiles = tuple(size if tile is None else tile for size, tile in zip(grid, tiling))
    flat = unravel(step, tuple(size // tile for size, tile in zip(grid, tiles)) + tiles)
    return tuple(outer * tile + inner for outer, tile, inner in zip(flat[:len(grid)], tiles, flat[len(grid):]))
  def run(body):
    axes = as_tuple(collective_axes)
    workers, me = 1, 0
    for axis in axes:
      me = me * axis_size(axis) + axis_index(axis)
      workers = workers * axis_size(axis)
    carry = init_carry
    for step in range(me, product(grid), workers):
      if has_carry:
        carry = body(place_of(step), carry)
      else:
        body(place_of(step))
    return carry
  return run

def planar_snake(index, shape, minor_dim, tile_width):
  assert minor_dim == 0 or minor_dim == 1, "minor_dim is 0 or 1"
  minor_size, major_size = shape[minor_dim], shape[1 - minor_dim]
  tile = index // (tile_width * major_size)
  full = minor_size // tile_width * tile_width * major_size
  def place(within, width):
    minor, major = tile * tile_width + within % width, within // width % major_size
    major = major if tile % 2 == 0 else major_size - 1 - major
    return (minor, major) if minor_dim == 0 else (major, minor)
  rest = minor_size % tile_width
  if is_static(rest) and rest == 0:
    return place(index, tile_width)
  if is_static(rest) and is_static(index):
    return place(index, tile_width) if index < full else place(index - full, rest)
  whole, part = place(index, tile_width), place(index - full, maximum(rest, 1))
  inside = index < full
  return (whole[0] if inside else part[0], whole[1] if inside else part[1])
