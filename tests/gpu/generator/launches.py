"""Families about launches and asynchronous copies: clusters, pipelines, scopes, semaphores, copies that add, cp.async."""
from .case import BITS

SWIZZLED = {16: "(TilingTransform((8, 64)), SwizzleTransform(128))", 32: "(TilingTransform((8, 32)), SwizzleTransform(128))"}


def clusters(case):
    """Copies to all blocks of a cluster, cluster barriers, and reads of other blocks' shared memory."""
    size = case.choose(2, 4)
    blocks = case.choose(1, 2)
    dtype = case.choose("f16", "f32", "bf16")
    width = 1024 // BITS[dtype]
    tile = (64, width)
    case.options.update(grid=f"({blocks},)", grid_names='("b",)', cluster=f"({size},)", cluster_names='("c",)')
    case.tag("cluster", f"cluster of {size}")
    x = case.input((blocks, size) + tile, dtype, case.choose("edge", "small"))
    out = case.output((blocks, size) + tile, dtype)
    case.line('b, c = axis_index("b"), axis_index("c")')
    if case.chance(0.5):
        case.tag("cluster multicast", "tma load")
        buffer = case.shared(tile, dtype, case.choose("", SWIZZLED[BITS[dtype]]))
        loaded = case.barrier()
        chosen = case.between(0, size - 1)
        case.line(f'copy_gmem_to_smem({x}.at[b, {chosen}], {buffer}, {loaded}, collective_axes="c")')
        case.line(f"barrier_wait({loaded})")
        case.line(f"{out}[b, c] = {buffer}[...] + c")
        for b in range(blocks):
            for c in range(size):
                case.expect(f"{out}[{b}, {c}]", f"{x}[{b}, {chosen}] + {c}")
    else:
        case.tag("cluster barrier", "cluster_ref")
        buffer = case.shared((8, width), dtype)
        full, empty = f"full{len(case.scratch)}", f"empty{len(case.scratch)}"
        for name in (full, empty):
            case.scratch.append((name, 'ClusterBarrier(collective_axes=("c",))'))
        rounds, step = case.between(1, 4), case.between(1, size - 1)
        case.line(f"for r in range({rounds}):")
        case.line(f"{buffer}[...] = {x}[b, c, ds(r * 8, 8)] + r", 2)
        case.line(f"barrier_arrive({full})", 2)
        case.line(f"barrier_wait({full})", 2)
        case.line(f"{out}[b, c, ds(r * 8, 8)] = cluster_ref({buffer}, c=(c + {step}) % {size})[...] - c", 2)
        case.line(f"barrier_arrive({empty})", 2)
        case.line(f"barrier_wait({empty})", 2)
        for b in range(blocks):
            for c in range(size):
                for r in range(rounds):
                    rows = f"{r * 8}:{r * 8 + 8}"
                    case.expect(f"{out}[{b}, {c}, {rows}]", f"{x}[{b}, {(c + step) % size}, {rows}] + {r} - {c}")


def pipelines(case):
    """emit_pipeline and its warp-specialised form."""
    dtype = case.choose("f32", "f16", "bf16")
    width = 1024 // BITS[dtype]
    steps, deep = case.between(2, 6), case.between(2, 4)
    workers = case.choose(0, 1, 2)
    x = case.input((128, steps * width), dtype, case.choose("small", "plain"))
    y = case.input((128, steps * width), dtype, case.choose("small", "plain"))
    out = case.output((128, steps * width), dtype)
    swizzled = case.choose("()", SWIZZLED[BITS[dtype]])
    expression = case.choose("{0} + {1}", "{0} - {1}", "maximum({0}, {1})", "{0} * {1}", "select({0} > {1}, {0}, {1} - 1)")
    case.line("def step_of(indices, a, b, o):")
    if workers:
        case.options.update(num_threads=workers + 1, thread_name='"wg"')
        case.tag("emit_pipeline_warp_specialized", "several warpgroups")
        case.line(f'part = ds(axis_index("wg") * {128 // workers}, {128 // workers})', 2)
        case.line(f"o[part] = {expression.format('a[part]', 'b[part]')}", 2)
    else:
        case.tag("emit_pipeline")
        case.line(f"o[...] = {expression.format('a[...]', 'b[...]')}", 2)
    delay = case.between(0, deep - 1) if not workers else case.between(0, max(0, deep - 2))
    case.line(f"spec = BlockSpec((128, {width}), lambda i: (0, i), transforms={swizzled}, delay_release={delay})")
    case.line(f"result = BlockSpec((128, {width}), lambda i: (0, i), transforms={swizzled})")
    if workers:
        case.line(f'emit_pipeline_warp_specialized(step_of, grid=({steps},), memory_registers=40, wg_axis="wg", '
                  f"num_compute_wgs={workers}, in_specs=[spec, spec], out_specs=[result], "
                  f"max_concurrent_steps={deep})({x}, {y}, {out})")
    else:
        case.line(f"emit_pipeline(step_of, grid=({steps},), in_specs=[spec, spec], out_specs=[result], "
                  f"max_concurrent_steps={deep})({x}, {y}, {out})")
    case.expect(out, expression.format(x, y))


def scopes(case):
    """Buffers of a scope, unions, loops of persistent blocks, semaphores between warpgroups."""
    dtype = case.choose("f32", "f16", "i32")
    shape = (64, 2048 // BITS[dtype])
    blocks, tiles = case.between(1, 3), case.between(2, 5)
    x = case.input((tiles,) + shape, dtype, "small")
    out = case.output((tiles,) + shape, dtype)
    case.options.update(grid=f"({blocks},)", grid_names='("b",)')
    case.tag("persistent loop", "axis_size")
    amount = case.between(1, 5)
    case.line('for t in range(axis_index("b"), x0.shape[0], axis_size("b")):')
    if case.chance(0.5):
        case.tag("run_scoped", "tma load")
        case.line(f"with run_scoped(SMEM({shape}, {dtype}), Barrier()) as (tile, loaded):", 2)
        if case.chance(0.6):
            case.tag("async_prefetch")
            case.line(f"async_prefetch({x}.at[t])", 3)
        case.line(f"copy_gmem_to_smem({x}.at[t], tile, loaded)", 3)
        case.line("barrier_wait(loaded)", 3)
        case.line(f"{out}[t] = tile[...] * {amount} + t", 3)
    else:
        case.tag("cp.async", "wait_gmem_to_smem")
        tile = case.shared(shape, dtype)
        case.line(f"copy_gmem_to_smem({x}.at[t], {tile})", 2)
        case.line("wait_gmem_to_smem(0)", 2)
        case.line(f"{out}[t] = {tile}[...] * {amount} + t", 2)
        case.line("commit_smem()", 2)
    for t in range(tiles):
        case.expect(f"{out}[{t}]", f"{x}[{t}] * {amount} + {t}")


def adding_copies(case):
    """Copies from several blocks that combine with the memory's content. Integers make the result independent of the
    order."""
    dtype = case.choose("f32", "f16", "bf16", "i32")
    shape = (case.between(1, 8), 128 * case.choose(1, 2))
    blocks = case.between(1, 4)
    case.options["grid"] = f"({blocks},)"
    op = case.choose("add", "add", "min", "max") if dtype != "f32" else "add"
    if dtype == "i32":
        op = case.choose(op, "and", "or", "xor")
    case.tag("copy reduction", f"copy reduction {op} {dtype}", "tma store", "commit_smem")
    x = case.input(shape, dtype, "small")
    start = case.values(shape, dtype, "small")
    case.parameters.append(f"sums: InOut({shape}, {dtype})")
    case.arguments.append(("sums", start))
    case.outputs["sums_after"] = {}
    tile = case.shared(shape, dtype)
    case.line(f"{tile}[...] = {x}[...] + program_id(0)")
    case.line("commit_smem()")
    case.line(f'copy_smem_to_gmem({tile}, sums, reduction_op="{op}")')
    case.line("wait_smem_to_gmem(0)")
    combine = {"add": "wanted + {0}", "min": "minimum(wanted, {0})", "max": "maximum(wanted, {0})", "and": "wanted & {0}",
               "or": "wanted | {0}", "xor": "wanted ^ {0}"}[op]
    case.checks.append("wanted = sums")
    for b in range(blocks):
        case.checks.append(f"wanted = {combine.format(f'({x} + {b})')}")
    case.expect("sums_after", "wanted")


def mma_sync(case):
    """mma.sync. The host checks exact sums; the emulator rounds like the hardware."""
    dtype = case.choose("f16", "bf16")
    m, n, k = case.choose(64, 128), case.choose(32, 64), case.choose(32, 64)
    warps = case.choose(1, 2, 4)
    exact = case.chance(0.7)
    kind = "small" if exact else "plain"
    a, b = case.input((m, k), dtype, kind), case.input((k, n), dtype, kind)
    start = case.input((m, n), "f32", kind)
    out = case.output((m, n), "f32")
    case.tag("mma", f"mma {dtype}", f"mma {warps} warps along m")
    case.line(f"{out}[...] = mma({start}[...], {a}[...], {b}[...], m_warps={warps})")
    if exact:
        case.expect(out, f"{start} + {a}.astype(f32) @ {b}.astype(f32)")


LAUNCH_FAMILIES = [(6, clusters), (6, pipelines), (6, scopes), (6, adding_copies), (5, mma_sync)]
