"""The families of cases. Each takes a `Case` and fills it; FAMILIES gives their weights."""
import math

from .case import BITS, FLOATS, INTEGERS, shape_text
from .expressions import Program
from .launches import LAUNCH_FAMILIES

SWIZZLES = (None, 32, 64, 128)


def random_shape(case, total):
    """A shape of rank 1 to 4 with `total` elements."""
    shape = [total]
    for _ in range(case.choose(0, 1, 1, 2, 3)):
        at = case.between(0, len(shape) - 1)
        divisors = [d for d in range(1, shape[at] + 1) if shape[at] % d == 0]
        divisor = case.choose(*divisors)
        shape[at:at + 1] = [shape[at] // divisor, divisor]
    case.tag(f"rank {len(shape)}")
    return tuple(shape)


def transforms(case, dtype, swizzle):
    """The transforms text of a shared buffer; its tiles are as wide as the swizzle."""
    case.tag(f"swizzle {swizzle}")
    if swizzle is None:
        return ""
    return f"(TilingTransform((8, {swizzle * 8 // BITS[dtype]})), SwizzleTransform({swizzle}))"


def program(case, arrays, shape, steps, flows, results, hosted=None, dtypes=None):
    """A Program over input arrays [(name, dtype)] that reads scalars from `ns`. Puts its text at the top of the
    snippet."""
    scalars = []
    if flows:
        scalars = [f"n{i}" for i in range(case.between(1, 2))]
        case.parameters.append(f"ns: GMEM((4,), i32)")
        case.arguments.append(("ns", f"array([{', '.join(str(case.between(1, 6)) for _ in range(4))}], i32)"))
    hosted = case.chance(0.5) if hosted is None else hosted
    made = Program(case, arrays, scalars, shape, hosted, dtypes)
    case.host += made.write(steps, flows, results)
    return made


def pointwise(case, dtypes=None):
    """Loads arrays directly from global memory, runs statements, and stores arrays."""
    shape = random_shape(case, 128 * case.choose(1, 2, 3, 4, 6, 8, 12))
    everything = ("f32", "f16", "bf16", "i32") * 3 + ("f64",) + INTEGERS
    dtypes = dtypes or tuple(dict.fromkeys(case.random.sample(everything, case.between(1, 2)))) + ("i1",)
    hosted = case.chance(0.45)
    inputs = []
    for _ in range(case.between(1, 3)):
        dtype = case.choose(*dtypes[:-1]) if case.chance(0.9) or not hosted else "i1"
        dtype = "f32" if dtype == "i1" else dtype
        inputs.append((case.input(shape, dtype, case.choose("edge", "edge", "plain", "small")), dtype))
    flows = case.choose(0, 0, 1, 2)
    arrays = [(f"a{i}", dtype) for i, (_, dtype) in enumerate(inputs)]
    made = program(case, arrays, shape, case.between(4, 14), flows, case.between(1, 3), hosted, dtypes)
    for i, (name, _) in enumerate(inputs):
        case.line(f"a{i} = {name}[...]")
    case.tag("gmem load", "gmem store", "layout default strided")
    finish(case, made, shape, [name for name, _ in inputs])


def finish(case, made, shape, inputs, store=None):
    """Calls the program's function on a0, a1, …, writes its results, and has the host do the same."""
    names = [f"r{i}" for i in range(len(made.results))]
    scalars = [f"ns[{i}]" for i in range(len(made.scalars))]
    for i, scalar in enumerate(scalars):
        case.line(f"s{i} = {scalar}")
    arguments = [f"a{i}" for i in range(len(inputs))]
    case.line(f"{', '.join(names)}{',' if len(names) == 1 else ''} = "
              + made.call(arguments + [f"s{i}" for i in range(len(scalars))]))
    for name, dtype in zip(names, made.results):
        output = case.output(shape, dtype)
        if store:
            store(output, name, dtype)
        else:
            case.line(f"{output}[...] = {name}")
    if made.hosted:
        case.checks.append(f"wanted = {made.call(inputs + scalars, host=True)}")
        for i, output in enumerate(case.outputs):
            case.expect(output, f"wanted[{i}]")


def tiled(case):
    """TMA into (swizzled) shared memory, statements on the tile, TMA or stores out of it. Blocks share the tiles."""
    dtype = case.choose("f32", "f16", "bf16", "f16")
    swizzle = case.choose(*SWIZZLES)
    width = 64 if swizzle is None else swizzle * 8 // BITS[dtype]
    tile = (64, width * case.choose(1, 1, 2) if width <= 32 else width)
    grid = (case.choose(1, 1, 2), case.choose(1, 1, 2))
    shape = (tile[0] * grid[0], tile[1] * grid[1])
    case.options.update(grid=str(grid), grid_names='("m", "n")')
    case.tag("grid" if grid != (1, 1) else "one block", "tma load", "commit_smem")
    x = case.input(shape, dtype, case.choose("edge", "plain"))
    buffer = case.shared(tile, dtype, transforms(case, dtype, swizzle))
    loaded = case.barrier()
    hosted = case.chance(0.6)
    made = program(case, [("a0", dtype)], tile, case.between(2, 6), case.choose(0, 0, 1), case.between(1, 2), hosted and grid == (1, 1),
                   (dtype, case.choose("f32", "i32", dtype), "i1"))
    where = f"ds(axis_index(\"m\") * {tile[0]}, {tile[0]}), ds(axis_index(\"n\") * {tile[1]}, {tile[1]})"
    case.line(f"copy_gmem_to_smem({x}.at[{where}], {buffer}, {loaded})")
    case.line(f"barrier_wait({loaded})")
    layout = case.choose("default", "WGMMA", "WGMMA_TRANSPOSED", "WGMMA_ACC_32BIT", "TILED")
    if layout == "default":
        case.line(f"a0 = {buffer}[...]")
    else:
        text = random_tiled(case, tile) if layout == "TILED" else layout
        case.line(f"a0 = load({buffer}, layout={text}, optimized=False)")
    case.tag(f"layout {layout}", "smem load")
    back = case.chance(0.7)
    grid_store = []

    def store(output, name, result):
        index = len(grid_store)
        grid_store.append(output)
        if back:
            sw = case.choose(*[s for s in SWIZZLES if s is None or tile[1] * BITS[result] % (s * 8) == 0])
            if layout == "TILED" and sw is not None:
                sw = None
            target = case.shared(tile, result, transforms(case, result, sw))
            case.line(f"{target}[...] = {name}")
            case.line("commit_smem()")
            case.line(f"copy_smem_to_gmem({target}, {output}.at[{where}])")
            case.tag("tma store", "smem store")
            case.line(f"wait_smem_to_gmem({index if case.chance(0.3) else 0})")
        else:
            case.line(f"{output}.at[{where}][...] = {name}")
            case.tag("gmem store")

    finish_tiled(case, made, shape, [x], store)
    if back:
        case.line("wait_smem_to_gmem(0)")
    case.tag("wait_smem_to_gmem")


def finish_tiled(case, made, shape, inputs, store):
    finish(case, made, shape, inputs, store)


def random_tiled(case, shape):
    """A TiledLayout without a name: distributes warps, lanes and vectors over rows and columns at random."""
    rows, columns = shape
    while True:
        warp_rows, lane_rows, vector = case.choose(1, 2, 4), case.choose(1, 2, 4, 8, 16, 32), case.choose(1, 2, 4)
        warp_columns, lane_columns = 4 // warp_rows, 32 // lane_rows
        inner = (lane_rows, lane_columns * vector)
        outer = (warp_rows * lane_rows, warp_columns * inner[1])
        # A layout has only one spelling, so it has no dimensions of size 1.
        if rows % outer[0] == 0 and columns % outer[1] == 0 and 1 not in (warp_rows, lane_rows, lane_columns, vector):
            break
    # Tiled: (…, warp rows, warp columns, lane rows, lane columns, vector).
    warps, lanes = [-5, -4], [-3, -2]
    if warp_rows == 4:
        warps = [-5]
    case.random.shuffle(warps)
    case.random.shuffle(lanes)
    case.tag("layout own TiledLayout")
    return (f"TiledLayout(Tiling({outer}, {inner}, ({vector},)), warp_dims={tuple(warps)}, "
            f"lane_dims={tuple(lanes)}, vector_dim=-1)")


def copies(case):
    """Slices of arrays of any rank by TMA, both ways, some of them over the array's edge; several barriers in flight."""
    dtype = case.choose("f32", "f16", "bf16", "i32")
    per16 = 128 // BITS[dtype]
    rank = case.between(1, 4)
    inner = per16 * case.choose(1, 2, 4, 8)
    shape = [case.between(1, 9) for _ in range(rank - 1)] + [inner * case.choose(1, 2, 3)]
    box = [case.between(1, min(size, 6)) for size in shape[:-1]] + [inner]
    dropped = [case.chance(0.3) for _ in box[:-1]] + [False]
    need = 1024 // BITS[dtype]  # a copy is a multiple of 128 bytes
    if math.prod(size for size, gone in zip(box, dropped) if not gone) % need:
        # If the innermost part fits, any number of rows does.
        box[-1] = inner = need
        shape[-1] = inner * case.choose(1, 2)
    number = case.between(1, 3)
    case.options["grid"] = "(1,)"
    case.tag(f"rank {rank}", "tma load", "tma store", "tma slice", "wait_smem_to_gmem")
    x = case.input(tuple(shape), dtype, "edge")
    out = case.output(tuple([number] + shape), dtype)
    kept = tuple(size for size, gone in zip(box, dropped) if not gone)
    tiles = [case.shared(kept, dtype) for _ in range(number)]
    loaded = case.barrier(1, number) if number > 1 else case.barrier()
    starts = []
    traced = case.chance(0.5)
    if traced:
        case.parameters.append("ns: GMEM((8,), i32)")
        case.arguments.append(("ns", f"array([{', '.join(str(case.between(0, 2)) for _ in range(8))}], i32)"))
        case.tag("tma dynamic start", "tma beyond the edge")
    for k in range(number):
        index = []
        for dim, (size, part, gone) in enumerate(zip(shape, box, dropped)):
            innermost = dim == len(shape) - 1
            start = case.between(0, size - part) if not gone else case.between(0, size - 1)
            if innermost:
                start -= start % per16  # the hardware allows no other start along the innermost dimension
            if traced and not gone and not innermost:
                index.append(f"ds({start} + ns[{case.between(0, 7)}], {part})")
            elif gone:
                index.append(str(start))
                case.tag("tma integer index")
            else:
                index.append(f"{start}:{start + part}")
        starts.append(", ".join(index))
        case.line(f"copy_gmem_to_smem({x}.at[{starts[-1]}], {tiles[k]}, {loaded}{f'.at[{k}]' if number > 1 else ''})")
    order = list(range(number))
    case.random.shuffle(order)
    grouped = case.chance(0.4)
    for k in order:
        case.line(f"barrier_wait({loaded}{f'.at[{k}]' if number > 1 else ''})")
        back = case.choose(k, k, case.between(0, number - 1))
        target = ", ".join([str(k)] + [s for s in starts[back].split(", ")]) if "ds(" not in starts[back] else None
        if target is None:
            target = f"{k}, {starts[back]}"
        case.line(f"copy_smem_to_gmem({tiles[k]}, {out}.at[{target}]{', commit_group=False' if grouped else ''})")
    if grouped:
        case.line("commit_smem_to_gmem_group()")
        case.tag("commit_group=False")
    case.line("wait_smem_to_gmem(0)")


def warpgroups(case):
    """Several warpgroups meet at barriers over rounds, take different branches, and swap rows through shared memory."""
    groups = case.between(2, 4)
    blocks = case.choose(1, 1, 2, 3)
    dtype = case.choose("f32", "i32", "f16")
    n = 128 * case.choose(1, 2)
    rounds = case.between(1, 4)
    shape = (blocks, groups, n)
    case.options.update(grid=f"({blocks},)", grid_names='("b",)', num_threads=groups, thread_name='"wg"')
    case.tag("several warpgroups", "warpgroup divergent if", "barrier parity", "smem load", "smem store", "grid" if blocks > 1 else "one block")
    x = case.input(shape, dtype, case.choose("edge", "small"))
    out = case.output(shape, dtype)
    buffer = case.shared((groups, n), dtype)
    full, empty = case.barrier(groups), case.barrier(groups)
    case.line("wg = axis_index(\"wg\")")
    case.line("b = axis_index(\"b\")")
    case.line(f"v = {x}[b, wg]")
    update = {"i32": ("v * 3 + wg", "v ^ {r}", "v - 7 * {r}", "(v >> 1) + {r}"),
              "f32": ("v + wg", "v * 0.5", "maximum(v, {r})", "v - {r}"),
              "f16": ("v + wg", "v * 0.5", "minimum(v, {r})", "v - {r}")}[dtype]
    case.line(f"for r in range({rounds}):")
    case.line(f"{buffer}[wg] = v", 2)
    case.line(f"barrier_arrive({full})", 2)
    case.line(f"barrier_wait({full})", 2)
    case.line(f"other = {buffer}[(wg + {case.between(1, groups - 1)}) % {groups}]", 2)
    case.line(f"barrier_arrive({empty})", 2)
    case.line(f"barrier_wait({empty})", 2)
    case.line(f"if wg {case.choose('==', '<', '>', '!=')} {case.between(0, groups - 1)}:", 2)
    case.line(f"v = other + {case.choose(*update).format(r='r')}", 3)
    case.line("else:", 2)
    if case.chance(0.5):
        case.line(f"if b + r {case.choose('==', '<')} {case.between(0, 2)}:", 3)
        case.line(f"v = other - ({case.choose(*update).format(r='r')})", 4)
        case.tag("flow nested")
    else:
        case.line(f"v = {case.choose('maximum', 'minimum')}(other, {case.choose(*update).format(r='r')})", 3)
    case.line(f"{out}[b, wg] = v")
    if case.chance(0.3):
        seen = case.output((blocks, groups), "i32")
        case.line(f"{seen}[b, wg] = b * 100 + wg")
        case.tag("scalar store")


def pipeline(case):
    """Steps through blocks of an array with several buffers in flight; one warpgroup, or a producer and consumers."""
    dtype = case.choose("f16", "bf16", "f32")
    swizzle = case.choose(*SWIZZLES)
    width = 32 if swizzle is None else swizzle * 8 // BITS[dtype]
    stages, steps = case.between(2, 4), case.between(2, 6)
    specialised = case.chance(0.5)
    consumers = case.between(1, 2) if specialised else 1
    x = case.input((consumers * 64, steps * width), dtype, "small")
    out = case.output((consumers * 64, width), "f32")
    tiles = case.shared((stages, consumers * 64, width), dtype,
                        "" if swizzle is None else transforms(case, dtype, swizzle))
    case.tag("pipeline", f"swizzle {swizzle}", "tma load", "smem load", "barrier array", "layout WGMMA", f"stages {stages}")
    full = case.barrier(1, stages)
    operation = case.choose("total + v", "maximum(total, v)", "total - v * 2", "total * 0.5 + v")
    if specialised:
        case.tag("pipeline specialised", "several warpgroups", "warpgroup divergent if")
        case.options.update(num_threads=consumers + 1, thread_name='"wg"')
        empty = case.barrier(consumers, stages)
        case.line("wg = axis_index(\"wg\")")
        case.line(f"if wg == {consumers}:")
        case.line(f"for step in range({steps}):", 2)
        case.line(f"slot = step % {stages}", 3)
        case.line(f"if step >= {stages}:", 3)
        case.line(f"barrier_wait({empty}.at[slot])", 4)
        case.line(f"copy_gmem_to_smem({x}.at[:, ds(step * {width}, {width})], {tiles}.at[slot], {full}.at[slot])", 3)
        case.line("else:")
        case.line(f"total = full((64, {width}), 0, f32)", 2)
        case.line(f"for step in range({steps}):", 2)
        case.line(f"slot = step % {stages}", 3)
        case.line(f"barrier_wait({full}.at[slot])", 3)
        case.line(f"v = load({tiles}.at[slot, ds(wg * 64, 64)], layout=WGMMA, optimized=False).astype(f32)", 3)
        case.line(f"total = {operation}", 3)
        case.line(f"barrier_arrive({empty}.at[slot])", 3)
        case.line(f"{out}[ds(wg * 64, 64), :] = total", 2)
    else:
        for k in range(min(stages - 1, steps)):
            case.line(f"copy_gmem_to_smem({x}.at[:, {k * width}:{(k + 1) * width}], {tiles}.at[{k}], {full}.at[{k}])")
        case.line(f"total = full((64, {width}), 0, f32)")
        case.line(f"for step in range({steps}):")
        case.line(f"slot = step % {stages}", 2)
        case.line(f"barrier_wait({full}.at[slot])", 2)
        case.line(f"v = load({tiles}.at[slot], layout=WGMMA, optimized=False).astype(f32)", 2)
        case.line(f"total = {operation}", 2)
        case.line("commit_smem()", 2)
        case.line(f"next = step + {stages - 1}", 2)
        case.line(f"if next < {steps}:", 2)
        case.line(f"copy_gmem_to_smem({x}.at[:, ds(next * {width}, {width})], {tiles}.at[next % {stages}], "
                  f"{full}.at[next % {stages}])", 3)
        case.line(f"{out}[...] = total")
    case.host.append(f"def steps_of(x):\n  total = zeros(({consumers * 64}, {width}), f32)\n  for step in range({steps}):\n"
                     f"    v = x[:, step * {width}:(step + 1) * {width}].astype(f32)\n    total = {operation}\n  return total")
    case.expect(out, f"steps_of({x})")


def wgmma(case):
    """One matrix product: dtypes, sizes, swizzles, transposed operands, A in registers, a continued accumulator."""
    dtype = case.choose("f16", "f16", "bf16", "bf16", "f8e4m3fn", "f8e5m2")
    narrow = BITS[dtype] == 8  # 8-bit operands lie along K
    total = case.choose("f32", "f16") if dtype != "bf16" else "f32"
    swizzle = case.choose(32, 64, 128)
    width = swizzle // 2
    m, n, k = case.choose(64, 64, 128), width * case.choose(1, 1, 2) if swizzle < 128 else 64, 128 if narrow else 64
    if case.chance(0.2) and swizzle == 32:
        n = 48
    at, bt, registers = case.chance(0.3) and not narrow, case.chance(0.4) or narrow, case.chance(0.3)
    if registers:
        at = False
    exact = case.chance(0.7)
    kind = "small" if exact else "plain"
    sw = transforms(case, dtype, swizzle)
    a = case.input((k, m) if at else (m, k), dtype, kind, "a")
    b = case.input((n, k) if bt else (k, n), dtype, kind, "b")
    out = case.output((m, n), total)  # the emulator sums like the hardware; the host only checks exact sums
    a_tile = case.shared((k, m) if at else (m, k), dtype, sw)
    b_tile = case.shared((n, k) if bt else (k, n), dtype, sw)
    loaded = case.barrier(2)
    acc = case.accumulator((m, n), total)
    case.tag("wgmma", f"wgmma {dtype} {total}", f"wgmma swizzle {swizzle}", "tma load", "wgmma exact" if exact else "wgmma rounded",
             *(["wgmma a transposed"] if at else []), *(["wgmma b transposed"] if bt else []),
             *(["wgmma a in registers"] if registers else []))
    case.line(f"copy_gmem_to_smem({a}, {a_tile}, {loaded})")
    case.line(f"copy_gmem_to_smem({b}, {b_tile}, {loaded})")
    case.line(f"barrier_wait({loaded})")
    start = case.choose(None, None, 3)
    if start is not None:
        case.line(f"{acc}[...] = {start}")
    times = case.choose(1, 1, 2, 3)
    left = f"{a_tile}[...]" if registers else f"{a_tile}.T" if at else a_tile
    depth = 1
    if times > 1:
        case.line(f"for i in range({times}):")
        case.tag("wgmma loop")
        depth = 2
    case.line(f"wgmma({acc}, {left}, {b_tile}{'.T' if bt else ''})", depth)
    case.line("wgmma_wait(0)" if times > 1 or case.chance(0.5) else "pass", depth)
    case.line(f"{out}[...] = {acc}[...]")
    if exact:
        left, right = f"a{'.T' if at else ''}.astype(f32)", f"b{'.T' if bt else ''}.astype(f32)"
        case.expect(out, f"(({left} @ {right}) * {times} + {start or 0}).astype({total})")


def conversions(case):
    """One or two conversions of every value at which a conversion may go wrong."""
    shape = (128 * case.choose(1, 2),)
    narrow = ("f8e4m3fn", "f8e5m2")
    everything = FLOATS + INTEGERS + narrow
    source = case.choose(*everything)
    x = case.input(shape, source, "edge")
    case.line(f"v = {x}[...]")
    for to in case.random.sample([d for d in everything if d != source], 4) + ["i1"]:
        case.tag("op astype", f"convert {source} {to}")
        text, result = f"v.astype({to})", to
        if to == "i1":
            if source in narrow:
                continue
            text, result = text + ".astype(i32)", "i32"
        elif case.chance(0.3):
            result = case.choose(*[d for d in ("f32", "f16", "bf16", "f64") if d != to])
            text += f".astype({result})"
            case.tag(f"convert {to} {result}")
        out = case.output(shape, result)
        case.line(f"{out}[...] = {text}")
        beyond = to in INTEGERS and source not in INTEGERS
        if beyond:
            # Beyond the range, the emulator has to agree with the hardware, and the host gives something else.
            case.tag("convert beyond the range")
        twice = source in ("i64", "u64") and to not in INTEGERS  # the host rounds to f64 first
        if not beyond and not twice and not (to in ("i64", "u64") and result != to):
            case.expect(out, text.replace("v.", f"{x}.", 1))


def approximate(case):
    """One approximate function, on arguments for which its error is specified."""
    shape = (128 * case.choose(1, 2, 4),)
    dtype = case.choose("f32", "f32", "f16", "bf16")
    x = case.input(shape, dtype, "positive")
    # Errors of ex2, lg2, sin, cos, tanh and rsqrt .approx in the PTX ISA, for arguments from 0.25 to 8.
    ulps = {"exp": {"ulps": 24}, "exp2": {"ulps": 4}, "log": {"absolute": 2.0 ** -19}, "log2": {"absolute": 2.0 ** -19},
            "sin": {"absolute": 2.0 ** -18}, "cos": {"absolute": 2.0 ** -18}, "tanh": {"ulps": 8192}, "rsqrt": {"ulps": 4},
            "sqrt": {"ulps": 4}}
    if dtype != "f32":
        absolute = {"absolute": 2.0 ** (-9 if dtype == "f16" else -6)}
        ulps = {name: absolute if "absolute" in t else {"ulps": 2} for name, t in ulps.items()}
    for name in case.random.sample(sorted(ulps), 4):
        out = case.output(shape, dtype, ulps[name])
        case.line(f"{out}[...] = {name}({x}[...], approx=True)")
        case.tag(f"approx {name}", "approximate")


def layouts(case):
    """Arrays loaded, converted and stored in layouts of all kinds, between global and shared memory, transposed too."""
    dtype = case.choose("f32", "f16", "bf16", "i32")
    rows, columns = case.choose((64, 16), (64, 64), (128, 16), (128, 32))
    x = case.input((rows, columns), dtype, "edge")
    kinds = ["WGMMA", "WGMMA_TRANSPOSED", "WGMMA_ACC_32BIT", "own", "own", "strided"]
    if rows == 128:
        kinds += ["TCGEN05", "TCGEN05_TRANSPOSED"] * 3
    kind = case.choose(*kinds)
    layout = {"own": lambda: random_tiled(case, (rows, columns)),
              "strided": lambda: f"WG_STRIDED(({rows}, {columns}), {case.choose(1, 2, 4)})"}.get(kind, lambda: kind)()
    case.tag(f"layout {kind}", "gmem load")
    case.line(f"v = load({x}, layout={layout}, optimized=False)")
    turns = {"WGMMA": "WGMMA_TRANSPOSED", "WGMMA_TRANSPOSED": "WGMMA", "TCGEN05": "TCGEN05_TRANSPOSED",
             "TCGEN05_TRANSPOSED": "TCGEN05"}
    if kind in turns and case.chance(0.9):
        kind = turns[kind]
        case.line(f"v = layout_cast(v, {kind})")
        case.tag(f"relayout to {kind}")
    turned = case.chance(0.5)
    if case.chance(0.6):
        tile = case.shared((columns, rows) if turned else (rows, columns), dtype)
        case.line(f"{tile}{'.T' if turned else ''}[...] = v")
        case.line("commit_smem()")
        case.tag("smem store", "smem load", *(["smem store transposed"] if turned else []))
        again = case.chance(0.5) and columns % 64 == 0
        shape = (columns, rows) if turned else (rows, columns)
        out = case.output(shape, dtype)
        case.line(f"{out}[...] = load({tile}, optimized=False)")
        case.expect(out, f"transpose({x})" if turned else x)
        if case.chance(0.5):
            out = case.output(shape[::-1], dtype)
            case.line(f"{out}[...] = load({tile}.T, optimized=False)")
            case.expect(out, x if turned else f"transpose({x})")
            case.tag("smem load transposed")
    else:
        out = case.output((rows, columns), dtype)
        case.line(f"{out}[...] = v")
        case.expect(out, x)
        case.tag("gmem store")


def broadcasts(case):
    """Rows and columns broadcast over an array; scalars from memory."""
    dtype = case.choose("f32", "f16", "bf16", "i32")
    rows, columns = case.choose((64, 32), (64, 64), (128, 16))
    x = case.input((rows, columns), dtype, "small")
    row, column = case.input((rows,), dtype, "small"), case.input((columns,), dtype, "small")
    out = case.output((rows, columns), dtype)
    case.line(f"v = load({x}, layout=WGMMA)")
    case.tag("broadcast_in_dim", "layout WGMMA_ROW", "layout WGMMA_COL", "layout WGMMA")
    first, second = case.choose("+", "-"), case.choose("+", "-")
    case.line(f"r = broadcast_in_dim(load({row}, layout=WGMMA_ROW), ({rows}, {columns}), (0,))")
    case.line(f"c = broadcast_in_dim(load({column}, layout=WGMMA_COL), ({rows}, {columns}), (1,))")
    case.line(f"s = {row}[{case.between(0, rows - 1)}]")
    case.line(f"{out}[...] = v {first} r {second} c")
    case.expect(out, f"{x} {first} reshape({row}, ({rows}, 1)) {second} reshape({column}, (1, {columns}))")
    out = case.output((rows, columns), dtype)
    case.line(f"{out}[...] = v * s")
    case.tag("scalar load")


def shapes(case):
    """Splits and joins arrays in registers, reshapes them, and bitcasts them to another dtype."""
    dtype = case.choose("f32", "f16", "bf16", "i32", "u8", "i16", "u32")
    rows, columns = 128, case.choose(32, 64)
    x = case.input((rows, columns), dtype, "edge")
    layout = case.choose("WGMMA", "WGMMA", "WGMMA_ACC_32BIT" if BITS[dtype] == 32 else "WGMMA")
    case.tag(f"layout {layout}", "gmem load")
    case.line(f"v = load({x}, layout={layout}, optimized=False)")
    cut = case.choose("rows", "columns")
    half = (64, columns) if cut == "rows" else (rows, columns // 2)
    first, second = ("[0:64]", "[64:128]") if cut == "rows" else (f"[:, 0:{half[1]}]", f"[:, {half[1]}:{columns}]")
    case.tag("register slice", f"register slice {cut}", "concatenate")
    out = case.output(half, dtype)
    case.line(f"{out}[...] = v{second}")
    case.expect(out, f"{x}{second}")
    out = case.output((rows, columns), dtype)
    case.line(f"{out}[...] = concatenate((v{second}, v{first}), axis={0 if cut == 'rows' else 1})")
    case.expect(f"{out}{first}", f"{x}{second}")
    case.expect(f"{out}{second}", f"{x}{first}")
    other = {"f32": "i32", "i32": "f32", "f16": "bf16", "bf16": "i16", "i16": "f16", "u8": "i8", "u32": "f32"}[dtype]
    out = case.output((rows, columns), other)
    case.line(f"{out}[...] = bitcast(v, {other})")
    case.tag("bitcast", f"bitcast {dtype} {other}")
    out = case.output((2, 64, columns), dtype)
    case.line(f"{out}[...] = reshape(v, (2, 64, {columns}))")
    case.expect(out, f"reshape({x}, (2, 64, {columns}))")
    case.tag("reshape")


def reductions(case):
    """Sums, products, extrema and means over axes, in all layouts. The results are broadcast over the array again."""
    rows, columns = case.choose((64, 16), (64, 32), (128, 16), (128, 32))
    dtype = case.choose("f32", "f16", "bf16", "i32", "u32", "f32")
    op = case.choose("sum", "max", "min", "min", "prod", "mean", "mean")
    if op == "mean" and dtype not in FLOATS:
        op = "sum"
    kind = case.choose("plain", "small", "edge") if op != "prod" else "small"
    shape = (rows, columns)
    layout = case.choose("WGMMA", "WGMMA_TRANSPOSED", "WGMMA_ACC_32BIT", "own", "strided", "TCGEN05" if rows == 128 else "WGMMA")
    if layout == "own":
        text = random_tiled(case, shape)
    elif layout == "strided":
        text = f"WG_STRIDED({shape}, {case.choose(1, 2)})"
    else:
        text = layout
    x = case.input(shape, dtype, kind)
    case.tag(f"reduce {op}", f"layout {layout}", "gmem load", f"reduce {dtype}")
    case.line(f"v = load({x}, layout={text}, optimized=False)")
    # Sums of small numbers and extrema are exact in any order.
    exact = op in ("max", "min") or (op == "sum" and (kind == "small" or dtype not in FLOATS))
    for axis in case.random.sample((0, 1, None), 2):
        case.tag(f"reduce axis {axis}")
        if axis is None:
            out = case.output((1,), dtype)
            case.line(f"{out}[0] = {op}(v)")
            if exact and dtype not in ("f16", "bf16", "u32", "i32"):
                case.expect(out, f"full((1,), {op}({x}), {dtype})")
        else:
            out = case.output((shape[1 - axis],), dtype)
            case.line(f"r = {op}(v, axis={axis})")
            case.line(f"{out}[...] = r")
            if exact:
                case.expect(out, f"{op}({x}, axis={axis})")
            if layout not in ("strided", "own") and case.chance(0.4):
                again = case.output(shape, dtype)
                case.line(f"{again}[...] = v - broadcast_in_dim(r, {shape}, ({1 - axis},))")
                case.tag("reduce and broadcast")


FAMILIES = [(34, pointwise), (12, tiled), (8, copies), (8, warpgroups), (7, pipeline), (8, wgmma), (8, conversions), (10, reductions), (5, shapes),
            (5, approximate), (12, layouts), (4, broadcasts)] + LAUNCH_FAMILIES
