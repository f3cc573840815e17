# Functions of the kernel language that are written in the language itself: pipelines, loops over grids, orders of
# tiles. The text is loaded when the first of them is called. Prelude.cpp has the builtins that they use.

def Squeezed():
  return None

def Blocked(size):
  return size

def Element(size):
  return {"element": size}

def Buffered(count):
  return {"buffers": count}

def BlockSpec(block_shape=None, index_map=None, transforms=(), delay_release=0, collective_axes=(), pipeline_mode=None, memory_space=None, indexed_by=None, indexed_dim=None, oob_fill_mode=None):
  assert (indexed_by is None) == (indexed_dim is None), "indexed_by and indexed_dim must both be set or both unset"
  assert delay_release >= 0, "delay_release counts rounds"
  assert pipeline_mode is None, "pipeline_mode is not supported: the pipeline's max_concurrent_steps says how many buffers there are"
  return {"block_shape": None if block_shape is None else tuple(as_tuple(block_shape)), "index_map": index_map,
          "transforms": transforms, "delay_release": delay_release, "collective_axes": collective_axes, "oob_fill_mode": oob_fill_mode,
          "memory_space": memory_space, "indexed_by": indexed_by, "indexed_dim": indexed_dim}

def find_swizzle(minor_dim_bits, what=""):
  for swizzle in (128, 64, 32, 16):
    if minor_dim_bits % (swizzle * 8) == 0:
      return swizzle
  where = f" of {what}" if what != "" else ""
  assert False, f"no swizzle fits rows{where} of {minor_dim_bits} bits: they are a multiple of 128 bits at least"

def unravel(index, shape):
  """The indices in an array of `shape` of the element with number `index` in row-major order."""
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
  """The results of the index map for the grid's indices: one number for each dimension of the block."""
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
  """True if the block does not depend on the grid's indices. `indices` are traced probes."""
  return not any([depends_on(place, index) for place in block_places(spec, indices) for index in indices])

def leaves_of(tree):
  """The leaves of a tree of tuples, in order. None has no leaves."""
  if not is_tuple(tree):
    return [] if tree is None else [tree]
  found = []
  for part in tree:
    found = found + leaves_of(part)
  return found

def is_like(tree, other):
  if is_tuple(tree):
    return is_tuple(other) and len(tree) == len(other) and all([is_like(a, b) for a, b in zip(tree, other)])
  return other is None if tree is None else other is not None and not is_tuple(other)

def rebuilt(tree, leaves):
  """A tree with the structure of `tree` and with these leaves."""
  if not is_tuple(tree):
    return tree if tree is None else leaves[0]
  parts, at = (), 0
  for part in tree:
    count = len(leaves_of(part))
    parts = parts + (rebuilt(part, leaves[at:at + count]),)
    at = at + count
  return parts

def check_specs(grid, in_specs, out_specs, refs, max_concurrent_steps):
  assert len(grid) > 0, "a grid has one dimension at least"
  for size in grid:
    assert not is_static(size) or size > 0, "the sizes of a pipeline's grid are above 0"
  specs = tuple(in_specs) + tuple(out_specs)
  for spec in leaves_of(specs):
    assert spec["block_shape"] is not None and spec["index_map"] is not None, "a pipeline's specs have a block and an index map"
  assert len(refs) == len(specs) and is_like(specs, refs), "a pipeline is called with one reference for each spec"
  in_specs = leaves_of(in_specs)
  assert max_concurrent_steps > 0, "max_concurrent_steps is above 0"
  for spec in in_specs:
    assert max_concurrent_steps > spec["delay_release"], "max_concurrent_steps exceeds every delay_release"

def stage_buffers(specs, refs, stages):
  return [SMEM((stages,) + buffer_shape(spec), ref.dtype, transforms=spec["transforms"])
          for spec, ref in zip(specs, refs)]

def at_slot(buffers, slot):
  return [buffer.at[slot] for buffer in buffers]

def fetch(specs, refs, buffers, indices, slot, barriers):
  for spec, ref, buffer, barrier in zip(specs, refs, buffers, barriers):
    collective = as_tuple(spec["collective_axes"])
    copy_gmem_to_smem(ref.at[block_slices(spec, indices)], buffer.at[slot], barrier,
                      collective_axes=collective if len(collective) > 0 else None, oob_mode=spec["oob_fill_mode"])

def moves_on(spec, indices, following, last):
  """True if the next round has another block, or if there is no next round, so that this block has to be stored now."""
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

def copied_blocks(specs, refs, buffers, sems, indices, slot, into):
  """The copies of a step's blocks: from the arrays into the buffers of `slot`, or back if `into` is false."""
  copies = []
  for i, spec in enumerate(specs):
    slices = ()
    for size, place in zip(spec["block_shape"], block_places(spec, indices)):
      if size is None:
        slices = slices + (place,)
      elif is_row_numbers(place):
        slices = slices + (place,)
      else:
        slices = slices + (ds(place * size, size),)
    block, buffer = refs[i].at[slices], buffers[i].at[slot]
    copies = copies + [make_async_copy(block, buffer, sems.at[i, slot]) if into else
                       make_async_copy(buffer, block, sems.at[i, slot])]
  return copies

def start_all(copies):
  for copy in copies:
    copy.start()

def wait_for_all(copies):
  for copy in copies:
    copy.wait()

def subcore_pipeline(body, grid, in_specs, out_specs, core_axis_name):
  """Two buffers for each block: while the body works, the next block is loaded and the last one is stored."""
  grid, in_specs, out_specs = as_tuple(grid), leaves_of(as_tuple(in_specs)), leaves_of(as_tuple(out_specs))
  total = product(grid)
  def pipeline(*refs):
    check_specs(grid, tuple(in_specs), tuple(out_specs), refs, 1)
    ins, outs = refs[:len(in_specs)], refs[len(in_specs):]
    first, last = 0, total
    if core_axis_name is not None:
      share = (total + axis_size(core_axis_name) - 1) // axis_size(core_axis_name)
      first = axis_index(core_axis_name) * share
      last = minimum(first + share, total)
    def run(sems, *buffers):
      incoming, outgoing = buffers[:len(ins)], buffers[len(ins):]
      def bring(step, slot):
        return copied_blocks(in_specs, ins, incoming, sems, unravel(step, grid), slot, True)
      def take(step, slot):
        return copied_blocks(out_specs, outs, outgoing, shifted(sems), unravel(step, grid), slot, False)
      def shifted(sems):
        return sems.at[ds(len(ins), len(outs))] if len(outs) > 0 else sems
      if first < last:
        start_all(bring(first, first % 2))
      for step in range(first, last):
        slot = step % 2
        if step + 1 < last:
          start_all(bring(step + 1, (step + 1) % 2))
        wait_for_all(bring(step, slot))
        if step >= first + 2:
          wait_for_all(take(step - 2, slot))
        body(*at_slot(incoming, slot), *at_slot(outgoing, slot))
        start_all(take(step, slot))
      for back in (2, 1):
        if last - back >= first:
          wait_for_all(take(last - back, (last - back) % 2))
    shapes = [VMEM((2,) + buffer_shape(spec), ref.dtype) for spec, ref in zip(in_specs + out_specs, refs)]
    run_scoped(run, SemaphoreType.DMA((len(refs), 2)), *shapes)
  return pipeline

def emit_pipeline(body, grid, in_specs=(), out_specs=(), max_concurrent_steps=1, init_carry=None, core_axis_name=None):
  if on_subcore():
    assert init_carry is None, "a SparseCore's pipeline carries nothing: keep it in scratch memory"
    return subcore_pipeline(body, grid, in_specs, out_specs, core_axis_name)
  assert core_axis_name is None, "core_axis_name is for kernels of a SparseCore"
  grid, in_tree, out_tree = as_tuple(grid), as_tuple(in_specs), as_tuple(out_specs)
  in_specs, out_specs = leaves_of(in_tree), leaves_of(out_tree)
  has_carry = init_carry is not None
  def pipeline(*refs):
    check_specs(grid, in_tree, out_tree, refs, max_concurrent_steps)
    for spec in in_specs:
      assert len(as_tuple(spec["collective_axes"])) == 0, "blocks loaded by a whole cluster need the warp-specialised pipeline"
    total = product(grid)
    stages = min(max_concurrent_steps, total) if is_static(total) else max_concurrent_steps
    in_refs, out_refs = leaves_of(refs[:len(in_tree)]), leaves_of(refs[len(in_tree):])
    delays = sorted([spec["delay_release"] for spec in in_specs])
    levels = [d for i, d in enumerate(delays) if i == 0 or delays[i - 1] != d]
    def start(step, in_buffers, barrier, level):
      chosen = [i for i, spec in enumerate(in_specs) if level is None or spec["delay_release"] == level]
      slot = step % stages
      fetch([in_specs[i] for i in chosen], [in_refs[i] for i in chosen], [in_buffers[i] for i in chosen],
            unravel(step, grid), slot, [barrier.at[slot] for i in chosen])
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
        begin_products()
        carry = call_body(body, indices, rebuilt(in_tree, at_slot(in_buffers, slot)) + rebuilt(out_tree, outs), carry,
                          has_carry)
        if len(levels) > 0:
          settle_products(levels[0])
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
      if len(delays) > 0 and delays[-1] > 0:
        wait_for_wgmma()  # wgmma may still read the last blocks, whose memory is about to be free
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
                                   max_concurrent_steps=2, pipeline_state=None, manual_ready_barriers=False,
                                   manual_consumed_barriers=False, compute_context=None, memory_thread_idx=None):
  grid, in_tree, out_tree = as_tuple(grid), as_tuple(in_specs), as_tuple(out_specs)
  in_specs, out_specs = leaves_of(in_tree), leaves_of(out_tree)
  assert num_compute_wgs > 0, "a pipeline computes in one warpgroup at least"
  memory = num_compute_wgs if memory_thread_idx is None else memory_thread_idx
  assert memory == num_compute_wgs, "the warpgroup that copies is the last one"
  delays = [spec["delay_release"] for spec in in_specs]
  assert len(delays) == 0 or min(delays) == max(delays), "all inputs have the same delay_release"
  delay = delays[0] if len(delays) > 0 else 0
  total = product(grid)
  stages = min(max_concurrent_steps, total) if is_static(total) else max_concurrent_steps
  if pipeline_state is not None:
    assert is_static(total), "a pipeline with a pipeline_state has a grid that is known while tracing"
    assert total % max(stages, 1) == 0, "a pipeline with a pipeline_state has a multiple of max_concurrent_steps steps"
    assert delay == 0, "a pipeline with a pipeline_state has no delay_release"
    assert not is_static(pipeline_state) or pipeline_state in (0, 1, 2), "a pipeline_state is one of PipelinePipeline.START, STEADY and STOP"
  # Unless the body signals for each input, one barrier signals that all inputs have been read.
  consumed_specs = in_specs
  if not manual_consumed_barriers and all([spec["collective_axes"] == in_specs[0]["collective_axes"] for spec in in_specs]):
    consumed_specs = in_specs[:1]
  def consumed_by(spec):
    axes = as_tuple(spec["collective_axes"])
    assert len(axes) <= 1, "an input is loaded along one axis of the cluster"
    if len(axes) == 0:
      return Barrier(num_arrivals=num_compute_wgs, num_barriers=stages)
    return ClusterBarrier(collective_axes=axes, num_arrivals=num_compute_wgs, num_barriers=stages)
  def unmoved():
    """The numbers of the outputs that have one block for the whole grid."""
    probe = tuple(traced_zero() for size in grid)
    for spec in in_specs:
      assert not is_invariant(spec, probe), "each input of the pipeline depends on the grid; copy the others before it"
    for spec in out_specs:
      assert len(as_tuple(spec["collective_axes"])) == 0, "an output is stored by each block"
    return [i for i, spec in enumerate(out_specs) if is_invariant(spec, probe)]

  def get_allocations(*refs):
    check_specs(grid, in_tree, out_tree, refs, max_concurrent_steps)
    in_refs, out_refs = leaves_of(refs[:len(in_tree)]), leaves_of(refs[len(in_tree):])
    fixed = unmoved()
    outs = [stage_buffers([spec], [ref], 1 if i in fixed else stages)[0]
            for i, (spec, ref) in enumerate(zip(out_specs, out_refs))]
    # The body receives some barriers after the indices and the blocks. These have the names of its parameters.
    blocks = 1 + len(in_tree) + len(out_tree)
    def bodys(number, otherwise):
      return parameter_name(body, number, otherwise) if len(in_tree) == len(in_specs) else otherwise
    if manual_ready_barriers:
      ready = [called(Barrier(num_barriers=stages), bodys(blocks + i, "ready")) for i in range(len(in_specs))]
      blocks = blocks + len(in_specs)
    else:
      ready = [called(Barrier(num_arrivals=max(1, len(in_specs)), num_barriers=stages), "ready")]
    consumed = [called(consumed_by(spec), bodys(blocks + i, "consumed") if manual_consumed_barriers else "consumed")
                for i, spec in enumerate(consumed_specs)]
    return (stage_buffers(in_specs, in_refs, stages), outs, ready, consumed,
            called(Barrier(num_arrivals=num_compute_wgs, num_barriers=stages), "written"),
            called(Barrier(num_barriers=stages), "free"))

  def pipeline(*refs, allocations=None):
    check_specs(grid, in_tree, out_tree, refs, max_concurrent_steps)
    assert axis_size(wg_axis) == num_compute_wgs + 1, "the block has one warpgroup more than those that compute"
    if allocations is None:
      assert pipeline_state is None, "a pipeline_state goes with allocations=…, which outlive the pipeline: run_scoped(pipeline.get_allocations(…))"
      run_scoped(lambda allocations: pipeline(*refs, allocations=allocations), get_allocations(*refs))
      return None
    assert is_tuple(allocations) and len(allocations) == 6, "allocations are what run_scoped(pipeline.get_allocations(…)) gives"
    in_buffers, out_buffers, ready, consumed, written, free = allocations
    in_refs, out_refs = leaves_of(refs[:len(in_tree)]), leaves_of(refs[len(in_tree):])
    fixed = unmoved()
    moving = [i for i in range(len(out_specs)) if i not in fixed]
    shapes = ([(stages,) + buffer_shape(spec) for spec in in_specs] +
              [(1 if i in fixed else stages,) + buffer_shape(spec) for i, spec in enumerate(out_specs)])
    fits = [buffer.shape for buffer in in_buffers + out_buffers] == shapes
    counts = len(in_specs) if manual_ready_barriers else 1, len(consumed_specs)
    assert fits and (len(ready), len(consumed)) == counts, "these allocations are of another pipeline"

    def copying():
      if memory_registers is not None:
        set_max_registers(memory_registers, action="decrease")
      # A pipeline that continues another one without a wait between them finds no free buffer at its start.
      prologue = stages
      if pipeline_state is not None:
        prologue = stages if pipeline_state == 0 else 0
      for step in range(total):
        slot = step % stages
        if (is_static(prologue) and prologue == 0) or step >= prologue:
          for barrier in consumed:
            barrier_wait(barrier.at[slot])
        arrives = [barrier.at[slot] for barrier in ready]
        fetch(in_specs, in_refs, in_buffers, unravel(step, grid), slot,
              arrives if manual_ready_barriers else [arrives[0] for spec in in_specs])
      # Wait for every phase. At the end, all buffers are free, and each barrier has had as many waits as phases.
      if pipeline_state is None or pipeline_state == 2:
        for step in range(smallest(stages, total)):
          for barrier in consumed:
            barrier_wait(barrier.at[step])

    def computing(has_carry, carry):
      wg = axis_index(wg_axis)
      def store(chosen, indices, following, last, slot):
        store_blocks([out_specs[i] for i in chosen], [out_refs[i] for i in chosen], [out_buffers[i] for i in chosen],
                     indices, following, last, slot)
      for step in range(total):
        slot = step % stages
        indices = unravel(step, grid)
        if len(in_specs) > 0 and not manual_ready_barriers:
          barrier_wait(ready[0].at[slot])
        if len(moving) > 0:
          if num_compute_wgs == 1:
            wait_smem_to_gmem(stages - 1, wait_read_only=True)
          else:
            if wg == 0:
              wait_smem_to_gmem(stages - 1, wait_read_only=True)
              barrier_arrive(free.at[slot])
            barrier_wait(free.at[slot])
        outs = [buffer.at[0 if i in fixed else slot] for i, buffer in enumerate(out_buffers)]
        refs = rebuilt(in_tree, at_slot(in_buffers, slot)) + rebuilt(out_tree, outs)
        if manual_ready_barriers:
          refs = refs + rebuilt(in_tree, at_slot(ready, slot))
        if manual_consumed_barriers:
          refs = refs + rebuilt(in_tree, at_slot(consumed, (step + stages - delay) % stages))
        begin_products()
        carry = call_body(body, indices, refs, carry, has_carry)
        if not manual_consumed_barriers:
          if len(consumed) > 0:
            settle_products(delay)
          if delay == 0 or step >= delay:
            for barrier in consumed:
              barrier_arrive(barrier.at[(step + stages - delay) % stages])
        if len(moving) > 0:
          commit_smem()
          following, last = unravel(step + 1, grid), step == total - 1
          if num_compute_wgs == 1:
            store(moving, indices, following, last, slot)
          else:
            barrier_arrive(written.at[slot])
            barrier_wait(written.at[slot])
            if wg == 0:
              store(moving, indices, following, last, slot)
      if delay > 0:
        # The last blocks are released after the wgmmas that read them have completed.
        wait_for_wgmma()
        for late in range(smallest(delay, total)):
          for barrier in consumed:
            barrier_arrive(barrier.at[(total - 1 - late) % stages])
      if len(fixed) > 0:
        commit_smem()
        zeros = tuple(0 for size in grid)
        if num_compute_wgs == 1:
          store(fixed, zeros, zeros, True, 0)
        else:
          barrier_arrive(written.at[0])
          barrier_wait(written.at[0])
          if wg == 0:
            store(fixed, zeros, zeros, True, 0)
      if len(out_specs) > 0:
        wait_smem_to_gmem(0)
      if len(fixed) > 0 and num_compute_wgs > 1:
        # No warpgroup writes the buffers again before they have been stored.
        if wg == 0:
          barrier_arrive(free.at[0])
        barrier_wait(free.at[0])
      return carry

    if axis_index(wg_axis) == memory:
      copying()
    else:
      if memory_registers is not None:
        set_max_registers(min(256, (512 - memory_registers) // num_compute_wgs) // 8 * 8, action="increase")
      if compute_context is None:
        computing(False, None)
      else:
        compute_context(lambda carry: computing(True, carry))
  return pipeline_of(pipeline, get_allocations)

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
      info = loop_info(place_of(step), step if is_static(workers) and workers == 1 else (step - me) // workers)
      if has_carry:
        carry = body(info, carry)
      else:
        body(info)
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

def dynamic_scheduling_loop(grid_names, thread_axis=None, init_carry=None):
  names = as_tuple(grid_names)
  has_carry = init_carry is not None
  threads = 1 if thread_axis is None else axis_size(thread_axis)
  assert threads == num_warpgroups(), "every warpgroup of the block runs the loop: name their axis, `thread_axis=`"
  def run(body):
    def loop(answers, answered, taken):
      index, step, more, carry = tuple([axis_index(name) for name in names]), 0, traced_zero() == 0, init_carry
      while more:
        slot = step % 2
        # This answer overwrites that of two rounds ago, so first wait until every block of the cluster has read it.
        if step >= 2:
          barrier_wait(taken.at[slot])
        try_cluster_cancel(answers.at[slot], answered.at[slot])
        if has_carry:
          carry = body(loop_info(index, step), carry)
        else:
          body(loop_info(index, step))
        barrier_wait(answered.at[slot])
        index, more = query_cluster_cancel(answers.at[slot], names)
        barrier_arrive(taken.at[slot])
        step = step + 1
      # A block must not end while other blocks still arrive at its barriers.
      for slot in range(smallest(step, 2)):
        barrier_wait(taken.at[slot])
      return carry
    members = cluster_members()
    taken = Barrier(num_arrivals=threads, num_barriers=2)
    if len(members) > 0:
      taken = ClusterBarrier(collective_axes=(members,), num_arrivals=threads, num_barriers=2)
    return run_scoped(loop, TryClusterCancelResult(2), Barrier(num_arrivals=threads, num_barriers=2), taken)
  return run

def format_tcgen05_scales(scales, halves=False):
  assert len(scales.shape) == 2, "scales are a matrix: a row for each of M or N, a column for each block of K"
  rows, columns = scales.shape
  assert columns % 4 == 0, "scales are copied four columns at a time: their count is a multiple of 4"
  if halves:
    assert rows % 64 == 0 and rows <= 256, "scales for two blocks of 64 rows have 64, 128, 192 or 256 rows"
    parts = rows // 64
    tiles = zeros((1, columns // 4, 64, 16), scales.dtype)
    tiles[:, :, :, :4 * parts] = reshape(transpose(reshape(scales, (2, parts, 32, columns // 4, 4)), (3, 0, 2, 1, 4)),
                                         (1, columns // 4, 64, 4 * parts))
    return tiles
  tiles = (rows + 127) // 128
  padded = zeros((128 * tiles, columns), scales.dtype)
  padded[:rows] = scales
  return reshape(transpose(reshape(padded, (tiles, 4, 32, columns // 4, 4)), (0, 3, 2, 1, 4)),
                 (tiles, columns // 4, 32, 16))

def format_tcgen05_sparse_metadata(metadata, dtype):
  assert len(metadata.shape) == 3 and metadata.shape[2] == 2, "metadata have the shape (M, K // 4, 2), or (M, K // 8, 2) of f4e2m1fn: which two of each group are kept"
  rows, columns = metadata.shape[0], metadata.shape[1] * 2
  assert rows % 128 == 0 and columns % 64 == 0, "metadata are copied in tiles of 128 rows and 64 columns, two for each group"
  bits = dtype_bits(dtype)
  assert bits <= 16, "metadata are of operands with 4, 8 or 16 bits"
  if bits <= 8:
    tiles = transpose(reshape(metadata, (rows // 128, 128, columns // 64, 64)), (0, 2, 1, 3))
  else:
    tiles = transpose(reshape(metadata, (rows // 128, 8, 2, 8, columns // 64, 4, 2, 8)), (0, 4, 1, 6, 3, 5, 2, 7))
  return reshape(tiles, (rows // 128, columns // 64, 128, 64)).astype(u2)
