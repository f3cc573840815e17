#!/usr/bin/env python3
"""Gives malformed inputs to the command line. Each must give a diagnostic with a place, never a crash or no message.
Usage: run.py LANESCOPE REPOSITORY [--dumps N]
`--dumps`: the number of damaged dumps of JAX (30)."""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PLACE = re.compile(rb"^[^\n]*?:\d+:\d+: (error|warning): \S", re.M)


def truncations(text, count):
    """Prefixes of a valid snippet that end inside a bracket, a string or a block."""
    cuts = [len(text) * (i + 1) // (count + 1) for i in range(count)]
    return [text[:cut].rstrip() + "\n(" for cut in cuts]


KERNEL = '''@kernel(grid=(1,), num_threads=1, scratch=[SMEM((128, 128), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128))), Barrier()])
def k(x: GMEM((128, 128), f16), out: Out((128, 128), f16), tile, loaded):
  %s
y = run(k, random((128, 128), f16, seed=0))
'''

EXPRESSIONS = [
    # truncated
    "1 +", "(1, 2", "[1, 2", "{1: 2", "f(", "x[", "'abc", '"abc', "'''abc", "f'{1", "f'{'", "lambda", "lambda x", "1 if 2",
    "1 if 2 else", "not", "-", "a.", "a.1", "[x for", "[x for x in", "[x for x in y if", "Tiling((64, 8)", "TiledLayout(",
    "element_map(WGMMA,", "WGMMA.", "1 <", "1 and", "*", "**{}", "...)", ")", "]", "}", "1 2", "x = 1", "x := 1", ":", ",", "@",
    # not in the language
    "import sys", "__import__('os')", "open('/etc/passwd')", "exec('1')", "eval('1')", "class A: pass", "yield 1", "await x",
    "match x:\n  case", "match x:\n  case [*a, *b]: pass", "match x:\n  case A(b=1, 2): pass", "match x:\n  pass", "{1, [2]}", "{1, ",
    "async def f(): pass", "try: pass", "raise x", "global x", "nonlocal x", "().__class__.__bases__",
    # names and types
    "undefined_name", "1 + 'a'", "'a' * 'b'", "[] + ()", "len(1)", "len()", "len(1, 2)", "abs('x')", "min()", "max(1)", "range('a')",
    "int('x')", "float('y')", "1 / 0", "1 // 0", "1 % 0", "1.0 / 0", "(1, 2)[5]", "[1][9]", "{}['a']", "'abc'[10]", "1[0]",
    "(1).foo", "'a'.nope()", "None + 1", "1()", "sorted(1)", "zip(1)", "f16('x')", "dict(1)", "tuple(1)", "enumerate(1)", "sum('ab')",
    # layouts without thread places or without elements
    "notation(layout('(_8:_2,_16)'), 'jax', (64, 64))", "notation(layout('(_8:_2,_16)'), 'tirx', (64, 64))",
    "explain(layout('(_8:_2,_16)'), (64, 64), (0, 0))", "owners(SCALES_LAYOUT(), (0, 0), (0, 0))",
    "left_inverse('(3,6):(8,8)')", "layout('(4,\u03b2):(1,4)')", "view('WGMMA', shape=(64, 64), select=(99, 99))",
    # shapes and arrays
    "zeros((2, 3), f32) + zeros((4, 5), f32)", "zeros((2, 3), f32) @ zeros((2, 3), f32)", "reshape(zeros((2, 3), f32), (4, 5))",
    "zeros((-1, 2), f32)", "zeros((2, 3), 'f99')", "zeros('a', f32)", "zeros((2,), WGMMA)", "zeros((2, 3), f32)[5]", "zeros((2, 3), f32)[0, 0, 0]",
    "transpose(zeros((2, 3), f32), (0, 0))", "sum(zeros((2, 3), f32), axis=7)", "load('no such file.npy')", "random((2, 2), f32, seed='a')",
    "full((2, 2), 'x', f32)", "allclose(zeros((2,), f32), zeros((3,), f32))", "iota(f32, (2, 2), 5)", "arange('a')", "astype(zeros((2,), f32), 7)",
    # functions that kernels have too
    "clamp('a', 1, 2)", "clamp(1, 2)", "bitcast(zeros((2,)), f64)", "bitcast(1.5, i16)", "shift_left(1.5, 1)", "div(1, 0)", "rem(zeros((2,), i32), 0)",
    "div(True, True)", "trunc_div(1.5, 2)", "round(1.5, digits='a')", "round(zeros((2,)), halves=3)", "clz(1.5)", "clz(99999999999)", "where('a', 1, 2)",
    "sign('a')", "abs(WGMMA)", "atan2(1)", "maximum(zeros((2,)), zeros((3,)))", "maximum(zeros((2,), u8), 300)", "astype('a', f32)",
    "broadcast_to(1.0, (100000, 100000, 100000))", "broadcast_to(zeros((3,)), (2,))", "broadcast_in_dim(zeros((2,)), (3,), (0,))",
    "broadcast_in_dim(1, (-1,), ())", "broadcast_in_dim(zeros((2,)), (2,), (0,), layout=WGMMA)", "broadcasted_iota(f32, (), 0)",
    "broadcasted_iota(f32, (999999999, 999999999), 0)", "concatenate(3)", "concatenate([])", "concatenate([zeros((2,)), zeros((2, 2))])",
    "sum(zeros((2, 3)), axis=(0, 0))", "sum(zeros((2, 3)), axis=(0, 'a'))", "sum(zeros((2, 3)), dtype='f99')", "sum(['a'], start='b')", "max(key=1)",
    "max([1], axis=0)", "max(zeros((0,)))", "prod('a')", "mean([1])", "any(3)", "optimization_barrier()", "wgmma()", "help(1, 2)", "tl.load(1)", "cute.copy",
    "threadIdx.x", "plgpu.wgma", "help wgmma", "show 'x'", "zeros(3, 4)",
    # layouts
    "Tiling(())", "Tiling((8, 8), (4, 4, 4))", "Tiling((0,))", "Tiling((-8, 8))", "Tiling('a')", "Tiling((64, 8), (7,))[0]",
    "TiledLayout(tiling=Tiling((64, 8), (16, 8), (8, 8), (2,)), warp_dims=(-7, -7), lane_dims=(-3, -2), vector_dim=-1)",
    "TiledLayout(tiling=Tiling((64, 8), (16, 8), (8, 8), (2,)), warp_dims=(7,), lane_dims=(-3, -2), vector_dim=-1)",
    "TiledLayout(tiling=Tiling((64, 8), (16, 8), (8, 8), (2,)), warp_dims=(-70,), lane_dims=(-3, -2), vector_dim=-1)",
    "TiledLayout(tiling=Tiling((64, 8), (16, 8), (8, 8), (2,)), warp_dims=(-7,), lane_dims=(-3,), vector_dim=-1)",
    "TiledLayout(tiling=Tiling((64, 8), (16, 8), (8, 8), (2,)), warp_dims=(-7,), lane_dims=(-3, -2))", "TiledLayout(1, 2, 3, 4)",
    "WGStridedFragLayout(shape=(7,), vec_size=2)", "WGStridedFragLayout(shape=(128,), vec_size=0)", "WGSplatFragLayout(shape=(-1,))", "Replicated(times=0)",
    "Replicated('a')", "element_map(WGMMA, (63, 8))", "element_map(WGMMA, (64,))", "element_map(WGMMA, (64, -8))", "element_map(WGMMA, 'a')",
    "element_map(1, (64, 8))", "element_map(WGMMA)", "owners(WGMMA, (64, 8), (64, 0))", "owners(WGMMA, (64, 8), (0,))",
    "elements(WGMMA, (64, 8), warp=9)", "layout('nonsense')", "layout('')", "layout('#mosaic_gpu.TiledLayout<[[64, 8]')",
    "layout('TiledLayout(tiling=Tiling(tiles=((64, 8),')", "layout('#mosaic_gpu.WGStridedFragLayout<[7], 2>')", "layout(7)",
    "layout('#tpu.tiled')", "layout('#tpu.tiled<')", "layout('#tpu.tiled<(8,128)')", "layout('#tpu.tiled<(8,128),[2')", "layout('#tpu.tiled<(8,128),[1]>')",
    "layout('#tpu.tiled<(0,128),[2,1]>')", "layout('#tpu.tiled<(8,128)(3,1),[2,1]>')", "layout('#tpu.tiled<(8,128)(2,4,64),[2,1]>')", "layout('#tpu.tiled<(),[1]>')",
    "layout('#tpu.tiled<(8,128),[2,-1]>')", "layout('#tpu.tiled<(99999999999999999999),[1]>')", "layout('#tpu.tiled<(4611686018427387904,4),[1,1]>')",
    "layout('#tpu.tiled<" + "(1)" * 5000 + ",[1]>')", "element_map(layout('#tpu.tiled<(8,128),[2,1]>'), (16,))", "element_map(layout('#tpu.tiled<(8,128),[2,1]>'), (10**9, 10**9))",
    "show(layout('#tpu.tiled<(8,128),[99999999999,1]>'), shape=(16, 256))", "notation(WGMMA, 'tpu', (64, 64))", "TiledMemoryLayout((8, 128))",
    "TiledMemoryLayout((8, 128), strides=(2, 1), shape=(16, 256))", "TiledMemoryLayout('a', strides=(1,))", "TiledMemoryLayout(((8, 'b'),), strides=(1, 1))",
    "TiledMemoryLayout((8, 128), shape=(128,))", "TiledMemoryLayout((-8,), strides=(1,))",
    "tmem_default_layout(3)", "tmem_default_layout('a')", "smem_map((8, 8), f16, tiling=(8, 64), swizzle=99)", "smem_map((12, 64), f16)",
    "smem_map((8, 64), f16, swizzle='a')", "smem_map('a', f16)", "show(WGMMA, shape=(63, 8))", "show(WGMMA, shape='x')",
    # sizes
    "9" * 5000, "1e999999", "0x" + "f" * 4000, "-" * 3000 + "1", "(" * 3000, "[" * 3000 + "]" * 3000, "(" * 3000 + "1" + ")" * 3000, "1" + "+1(" * 2000,
    "zeros((1000000, 1000000, 1000000), f32)", "zeros((10**18, 10**18), f32)", "[0] * 10**15", "'a' * 10**15", "10 ** 100000",
    "element_map(WGMMA, (64 * 10**9, 8 * 10**9))", "list(range(10**15))", "2 ** 63", "9223372036854775807 + 1", "1 << 100", "'%d' % 'x'", "'%s' % (1, 2)", "'%(a)s' % 1", "'{}'.format()", "'{'.format(1)",
    "Tiling(" + "(1,), " * 5000 + "(0,))", "layout('" + "(" * 5000 + "')", "layout('#mosaic_gpu.TiledLayout<" + "[" * 5000 + "')",
    "layout('#mosaic_gpu.WGStridedFragLayout<[99999999999999999999999], 2>')", "not " * 3000 + "1", "lambda: " * 2000 + "1", "a" * 100000 + " +",
]

FILES = {
    "utf8.py": b"x = '\xff\xfe'\n", "nul.py": b"x = 1\0 + 2\n", "latin.py": b"# caf\xe9\nx = 1\n", "tabs.py": b"if 1:\n\tx = 1\n        y = (\n",
    "dedent.py": b"if 1:\n    x = 1\n  y = 2\n", "noblock.py": b"if 1:\nx = 1\n", "deep.py": b"".join(b" " * i + b"if 1:\n" for i in range(400)),
    "bom.py": b"\xef\xbb\xbfx = (\n", "colon.py": b"def f()\n  return 1\n", "decorator.py": b"@nope\ndef f(): pass\n", "return.py": b"return 1\n",
    "break.py": b"break\n", "assert.py": b"assert 1 == 2, 'no'\n", "recurse.py": b"def f(n):\n  return f(n + 1)\nf(0)\n",
    "unpack.py": b"a, b = 1, 2, 3\n", "args.py": b"def f(a, b): pass\nf(1)\n", "kwargs.py": b"def f(a): pass\nf(b=1)\n", "twice.py": b"def f(a, a): pass\n",
    "assign.py": b"1 = 2\n", "del.py": b"del nothing\n", "binary.py": bytes(range(256)) * 16,
}

# Programs in the names of NumPy, JAX and Pallas, each with one mistake.
PREFIXED = [
    "jax.new_ref('a')", "jax.new_ref(jnp.ones(2))[5]", "jax.new_ref(jnp.ones(2)).at[0]", "r = jax.new_ref(jnp.ones(2)); r['a'] = 1", "jax.freeze(3)",
    "jax.ShapeDtypeStruct('a', f32)", "jax.ShapeDtypeStruct((-1,), f32)", "jax.ShapeDtypeStruct((1,), 'f99')", "jnp.sum('a')", "jnp.clip()", "jnp.split(jnp.ones(3), 2)",
    "jnp.squeeze(jnp.ones(3), 0)", "jnp.expand_dims(jnp.ones(3), 9)", "jnp.stack([])", "np.max(np.ones((0,)))", "np.sum(np.ones(2), 5)",
    "lax.fori_loop(0, 3, 5, 1)", "lax.switch(9, [])", "lax.select_n(1)", "lax.axis_index('x')", "lax.cond(1, 2, 3)",
    "pl.run_state(3)(jnp.ones(2))", "pl.when(1)(2)", "pl.loop(0, 'a')(len)", "plgpu.ACC.init(3)", "plgpu.SMEM(jnp.ones(2), 1)", "plgpu.kernel(3)", "plgpu.CompilerParams(1, 2, 3, 4, 5, 6)",
    "plgpu.kernel(lambda o: None, out_type=jax.ShapeDtypeStruct((0,), jnp.float32))()", "math.sqrt('a')", "math.floor(float('inf'))", "math.gcd(0, 'a')", "math.isqrt(-1)",
    "@dataclass\nclass A:\n  x: int = 1\n  y: int\n", "@dataclass\nclass A:\n  x: list = []\n", "dataclass(3)", "field(1)", "replace(3)", "isinstance(1, 2)",
]

BODIES = [
    "copy_gmem_to_smem(x)", "copy_gmem_to_smem(x, tile, loaded, collective_axes='nowhere')", "copy_gmem_to_smem(tile, x, loaded)", "copy_gmem_to_smem(x.at[0:64], tile, loaded)",
    "copy_gmem_to_smem(x, tile, x)", "copy_gmem_to_smem(1, 2, 3)", "copy_smem_to_gmem(tile, x.at[0])", "copy_smem_to_gmem(tile, 1)",
    "barrier_wait(tile)", "barrier_wait(1)", "barrier_arrive()", "wait_smem_to_gmem('a')", "wait_smem_to_gmem(-1)", "tile[...] = 'a'",
    "tile[...] = tile[0:64]", "tile[200, 0]", "tile[0, 0, 0]", "tile[...] + x", "out[...] = undefined", "load(tile, layout=WGStridedFragLayout(shape=(64, 64), vec_size=2))",
    "load(tile, layout=7)", "out[...] = x[...].astype('f99')", "out[...] = exp()", "out[...] = exp('a')", "out[...] = select(1, 2)",
    "broadcasted_iota(f32, (7, 7), 0, layout=WGMMA)", "broadcasted_iota(f32, (64, 8), 9)", "axis_index('nowhere')", "axis_index(3)",
    "with region(7): pass", "with 7: pass", "print_layout(1)", "debug_print(1)", "for i in range(tile): pass", "return 1",
    "tile[...] = layout_cast(tile[...], WGStridedFragLayout(shape=(64, 64), vec_size=2))", "if tile[...]: pass", "x[0, 0] = 1 +", "loaded[7]", "tile.T.T.Q", "out[...] = x[ds(0, 999)]",
    "a = load(x, layout=WGMMA); b = load(tile, layout=TCGEN05); out[...] = a + b", "inline_ptx('x')", "print(x", "set_max_registers(1)",
    "for i in range(8, unroll=-1): pass", "for i in range(8, unroll='a'): pass", "for i in range(2 ** 31 - 1, unroll=2 ** 30): pass", "axis_index(())", "axis_size((1, 2))",
    "acc = run_scoped(lambda a: a, ACC((64, 64), f32)); out[...] = acc[3]", "acc = run_scoped(lambda a: a, ACC((64, 64), f32)); acc.at[:, 3:9]",
    "BlockSpec((1,), 3, pipeline_mode=Buffered(2))", "emit_pipeline(3, grid=(2,), in_specs=[BlockSpec((64, 128), lambda i: (i, 0))])(x)",
    "emit_pipeline_warp_specialized(len, grid=(2,), memory_registers=40, wg_axis='wg', num_compute_wgs=1, pipeline_state=7).get_allocations()",
    "emit_pipeline_warp_specialized(len, grid=(2,), memory_registers=40, wg_axis='wg', num_compute_wgs=1, in_specs=((((), None),),))(x)",
    "PipelinePipeline.HALT", "PipelinePipeline()",
]

# Mistakes for a SparseCore module: a text of the module, and its replacement.
DAMAGES = [
    ("memory_space<hbm>", "memory_space<mars>"), ("memory_space<hbm>", "memory_space<hbm"), ("#tpu.memory_space<vmem>", "#tpu.memory"),
    ("!tpu.dma_semaphore", "!tpu.samaphore"), ("!tpu.dma_semaphore", "!tpu."), ("(8,128),[4,2,1]", "(8,128),[4,2]"), ("(8,128)(2,1)", "(8,128)(3,1)"),
    ("(8,128)(2,1)", "(8,128"), ("(8,128)", "(0,128)"), ("[4,2,1]", "[4,2,99999999999999999999]"), ("sc_vector_subcore", "sc_scalar_subcore"),
    ("sc_vector_subcore", "tc"), ("core_parallel", "cores"), ("tpu.enqueue_dma", "tpu.enqueue"), ("tpu.enqueue_dma", "tqu.enqueue_dma"), ("target(", "("),
    ("target_semaphore(", "semaphore("), ("%arg5", "%nobody"), ("strides = array<i32>", "strides = array<i32: 1>"), ("strides = array<i32>", "strides = 7"),
    ("vector<16xi32>,", "vector<16xi32"), ("vector<16xi32>", "vector<0xi32>"), ("vector<16xi32>", "vector<-1xi32>"), ("vector<16xi1>", "vector<8xi1>"),
    ("pack_format<interleaved>", "pack_format<woven>"), ("positions = array<i32: 0, 1>", "positions = array<i32: 0, 2>"), ("<max>", "<most>"),
    ("reduction_kind<find_first_set>", "reduction_kind<9>"), ("in [0]", "in [7]"), ("in 0 :", "in 9 :"), ("barrier_id(%c0)", "barrier_id(%c1_i32)"),
    ("tpu.yield %29 : vector<16xi32>", ""), ("tpu.yield %29 : vector<16xi32>", "tpu.yield"), ("strided<[8, 1], offset: ?>", "strided<[4, 1], offset: ?>"),
    ("memref<4xf32, strided<[1], offset: ?>", "memref<5xf32, strided<[1], offset: ?>"), ("16x8xf32", "16x?xf32"), ("64x8xf32", "64x8xf64"), ("{add = true}", "{add = 3}"),
    ("return", "retorn"), ("module {", "module"), ("affine_map<(d0, d1) -> (0, 0)>", "affine_map<(d0, d1) -> (0, 0"), ("level = 10 : i32", "level"), ("\"gather\"", "\"gather"),
    ("{priority = 1 : i32}", "{priority = 9 : i32}"), ("offsets = [2]", "offsets = [22]"), ("array<i64: 16>", "array<i64: 16, 2>"), ("<%2>", "<>"), ("tpu.core_id", "tpu.core"),
    ("func.func @scalar", "func.func @kernel"), ("%arg0: i32", "%arg0: " + "tuple<" * 300 + "i32" + ">" * 300), ("\n", "\xff\n"), ("i32", "i99999999999"),
]


def damaged(text):
    """Modules that are cut off or have one mistake. None of them may be accepted."""
    for before, after in DAMAGES:
        yield text.replace(before, after, 1)
    for cut in range(1, 40):
        yield text[:len(text) * cut // 40]


TRACES = {
    "empty.json": b"", "truncated.json": b'{"traceEvents": [{"name": "a", "ph": "B", "ts": 1', "array.json": b"[1, 2, 3]", "string.json": b'"hello"',
    "nokey.json": b"{}", "wrongtype.json": b'{"traceEvents": 7}', "wrongph.json": b'{"traceEvents": [{"name": 1, "ph": 2, "ts": "x", "pid": [], "tid": {}}]}',
    "nots.json": b'{"traceEvents": [{"name": "a", "ph": "B", "pid": 1, "tid": 1}]}', "deep.json": b"[" * 100000, "bad.json.gz": b"\x1f\x8b\x08garbage",
    "utf8.json": b'{"traceEvents": \xff\xfe}', "nan.json": b'{"traceEvents": [{"name": "a", "ph": "B", "ts": NaN, "pid": 1, "tid": 1}]}',
    "huge.json": b'{"traceEvents": [{"name": "a", "ph": "B", "ts": 1e999, "pid": 1, "tid": 1}]}',
}

SHOWS = [
    ["nonsense", "--shape", "64x8"], ["WGMMA", "--shape", "63x8"], ["WGMMA", "--shape", "64"], ["TiledLayout(", "--shape", "64x8"],
    ["", "--shape", "64x8"], ["#mosaic_gpu.TiledLayout<[[64", "--shape", "64x8"], ["WGMMA +", "--shape", "64x8"], ["1", "--shape", "64x8"],
    ["\udcff\udcfe", "--shape", "64x8"], ["WGMMA", "--shape", "64x99999999999999999999"], ["(" * 3000, "--shape", "64x8"],
    ["WGMMA", "--shape", "64000000x800000"],
]
OPERATIONS = ["vector_load", "async_load", "wgmma", "slice_smem", "with_transforms", "arrive_expect_tx", "addf", "alloca", "extractvalue"]


def damaged_dumps(dumps, count, seed):
    """(name, text) of JAX's dumps that are cut off, mixed, of another version, or nested very deeply."""
    generator = random.Random(seed)
    for index in range(count):
        text, other = generator.choice(dumps), generator.choice(dumps)
        way = index % 10
        if way == 0:
            text = text[:generator.randrange(len(text))]
        elif way == 1:  # the head of one dump and the tail of another
            text = text[:generator.randrange(len(text))] + other[generator.randrange(len(other)):]
        elif way == 2:  # lines in another order
            lines = text.splitlines()
            first, second = generator.randrange(len(lines)), generator.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            text = "\n".join(lines)
        elif way == 3:  # operations of an unknown version
            name = generator.choice(OPERATIONS)
            text = text.replace(name, name + "_v2")
        elif way == 4:  # other bytes
            at = [generator.randrange(len(text)) for _ in range(20)]
            text = "".join(generator.choice("<>(){}[]\"#%!:,x0") if i in at else c for i, c in enumerate(text))
        elif way == 5:  # numbers that fit nothing
            text = re.sub(r"\b128\b", lambda m: generator.choice(["128", "0", "-1", "99999999999999999999", "127"]), text)
        elif way == 6:  # other types
            text = text.replace(generator.choice(["f16", "f32", "i32", "memref", "vector"]), generator.choice(["f8E4M3FN", "i4", "tensor", "index"]))
        elif way == 7:  # nesting
            text = text.replace("return", "scf.if %t {" * generator.randrange(100, 5000) + "return", 1)
        elif way == 8:  # a line left out
            lines = text.splitlines()
            del lines[generator.randrange(len(lines))]
            text = "\n".join(lines)
        else:  # invalid attributes
            text = re.sub(r"\[8, 64\]|array<i64: [^>]*>|<128 : i32>", lambda m: generator.choice([m[0], "<[]>", "[0, 0]", "1", "array<i64>"]), text)
        yield f"dump{index}.mlir", text


# Mistakes in the command line itself: exit status 2 and a message without a place.
USAGE = [
    ["show", "WGMMA", "--shape", "axb"], ["show", "WGMMA", "--shape", "64x8", "--dtype", "f99"], ["show", "WGMMA", "--shape", "64x8", "-o", "x.nope"],
    ["show"], ["nonsense"], ["eval"], ["run"], ["run", "a.py", "b.py", "c.py"], ["compile", "x.py", "--emit", "nope"], ["trace"], ["show", "WGMMA", "--nope"],
    ["run", "x.py", "--device", "toaster"], ["compile", "samples/kernels/double.py", "--emit", "ast", "--dump", "stages"],
    ["compile", "samples/kernels/double.py", "--emit", "cubin", "--links"],
]


def cases(folder, repository, dump_count):
    good = (repository / "samples/kernels/double.py").read_text()
    for expression in EXPRESSIONS:
        yield "eval", ["eval", expression], True
    for shape in SHOWS:
        yield "show", ["show", *shape], True
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
        yield "run", ["run", str(folder / name)], True
    for index, program in enumerate(PREFIXED):
        path = folder / f"program{index}.py"
        path.write_text(program.replace("; ", "\n") + "\n")
        yield "run", ["run", str(path), "--device", "emulator"], True
    for index, text in enumerate(truncations(good, 20)):
        path = folder / f"truncated{index}.py"
        path.write_text(text)
        yield "run" if index % 2 else "compile", ["run", str(path)] if index % 2 else ["compile", str(path), "--emit", "ptx"], True
    for index, body in enumerate(BODIES):
        path = folder / f"body{index}.py"
        path.write_text(KERNEL % body.replace("; ", "\n  "))
        yield "compile" if index % 2 else "run", ["compile", str(path), "--emit", "ptx"] if index % 2 else ["run", str(path), "--device", "emulator"], True
    module = (repository / "tests/fuzz/corpus/tpu_module/every_op.mlir").read_text()
    for index, text in enumerate(damaged(module)):
        path = folder / f"module{index}.mlir"
        path.write_bytes(text.encode("latin-1"))
        yield "open", ["open", str(path)] + (["--emit", "ir"] if index % 2 else []), True
    for name, content in TRACES.items():
        (folder / name).write_bytes(content)
        yield "trace", ["trace", str(folder / name), "--summary"], True
    dumps = [path.read_text() for path in sorted((repository / "tests/lit/ir/Inputs").glob("*.mlir"))]
    for name, text in damaged_dumps(dumps, dump_count, seed=14):
        (folder / name).write_text(text)
        yield "open", ["open", str(folder / name)], None
    for arguments in USAGE:
        yield "usage", arguments, False


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    dump_count = int(sys.argv[4]) if sys.argv[3:4] == ["--dumps"] else 30
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:allow_user_poisoning=0:allocator_may_return_null=1", HOME=tempfile.gettempdir())
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, arguments, wants_place in cases(pathlib.Path(folder), repository, dump_count):
            command = [lanescope] + [a.encode("utf-8", "surrogateescape") for a in arguments]
            try:
                result = subprocess.run(command, capture_output=True, timeout=60, env=environment, stdin=subprocess.DEVNULL)
                status, stderr = result.returncode, result.stderr
            except subprocess.TimeoutExpired:
                status, stderr = "no answer in 60 s", b""
            problem = None
            if wants_place is None and status == 0:  # the remaining dump still opens
                problem = None if result.stdout else "nothing is shown"
            elif status not in ((1,) if wants_place is not False else (1, 2)):
                problem = f"exit status {status}"
            elif b"Sanitizer" in stderr or b"runtime error" in stderr or b"Assertion" in stderr:
                problem = "crash"
            elif wants_place is not False and not PLACE.search(stderr):
                problem = "no place in the message"
            elif not stderr.strip():
                problem = "no message"
            if problem:
                failed += 1
                shown = " ".join(a if len(a) < 100 else a[:100] + "…" for a in arguments).encode("utf-8", "replace").decode()
                print(f"FAILED ({problem}): lanescope {shown}\n{stderr[:600].decode(errors='replace')}")
            else:
                passed += 1
    print(f"malformed: {passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
