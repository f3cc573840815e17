#!/usr/bin/env python3
"""Kernels that upstream refuses. Our message has the same meaning, at the line that is marked `# here`.
Usage: errors.py LANESCOPE …"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = 'lanes = 16\nhbm = BlockSpec(memory_space=HBM)\nvmem = BlockSpec(memory_space=VMEM)\n'
FAILED = []


def expect(name, words, snippet, decorator="@sc_kernel(chip=\"7x\")", parameters="x: GMEM((lanes,), i32), o: Out((lanes,), i32)"):
    """Runs the body of a kernel, or a whole snippet if it has a decorator, and looks for `words` (a regular
    expression)."""
    text = HEAD + (snippet if "@sc_kernel" in snippet else
                   f"{decorator}\ndef k({parameters}):\n" + "".join(f"  {line}\n" for line in snippet.strip().splitlines())
                   + "ir(k)\n")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([LANESCOPE, "run", file.name], capture_output=True, text=True)
    marked = [i + 1 for i, line in enumerate(text.splitlines()) if "# here" in line]
    said = re.match(r"[^:]*:(\d+):\d+: error: (.*)", done.stderr)
    if done.returncode != 1 or not said:
        FAILED.append(f"{name}: no error, status {done.returncode}: {done.stderr[:200]}")
    elif not re.search(words, said[2]):
        FAILED.append(f"{name}: expected `{words}`, and it said: {said[2]}")
    elif marked and int(said[1]) not in marked:
        FAILED.append(f"{name}: the error is at line {said[1]}, not {marked}: {said[2]}")


# inventory: SC invalid_gather_1d_with_extra_transforms, invalid_gather_1d_with_indexed_destination
# inventory: SC invalid_gather_1d_memory_space, invalid_gather_1d_offsets_memory_space, invalid_gather_nd_indices
def test_gathers():
    copy = "@sc_kernel(chip=\"7x\", in_specs=[{0}, {1}], out_specs={2})"
    both = "x: GMEM((lanes,), i32), i: GMEM((lanes,), i32), o: Out((lanes,), i32)"
    expect("extra transforms", "cannot be any views following the indexer", "sync_copy(x.at[i].reshape(16), o) # here",
           copy.format("hbm", "vmem", "vmem"), both)
    expect("indexed destination", "only the source of a gather can be indexed", "sync_copy(x.at[i], o.at[i]) # here",
           copy.format("hbm", "vmem", "vmem"), both)
    expect("indexed source of a scatter", "only the destination of a scatter can be indexed",
           "sync_copy(x.at[i], o.at[i]) # here", copy.format("vmem", "vmem", "hbm"), both)
    expect("hbm to hbm", "from HBM to HBM is not supported", "sync_copy(x.at[i], o) # here", copy.format("hbm", "vmem", "hbm"), both)
    expect("offsets in hbm", "must be in VMEM, and `i` is in HBM", "sync_copy(x.at[i], o) # here", copy.format("hbm", "hbm", "vmem"), both)
    expect("offsets of two dimensions", "only 1D indices are supported", "sync_copy(x.at[i], o) # here",
           copy.format("hbm", "vmem", "vmem"), "x: GMEM((64, 8), i32), i: GMEM((2, 8), i32), o: Out((2, 8, 8), i32)")
    expect("i16 offsets", "only i32 indices", "sync_copy(x.at[i], o) # here", copy.format("hbm", "vmem", "vmem"),
           "x: GMEM((lanes,), i32), i: GMEM((lanes,), i16), o: Out((lanes,), i32)")
    expect("minor", "only indexing along the major", "sync_copy(x.at[:, i], o) # here", copy.format("hbm", "vmem", "vmem"),
           "x: GMEM((lanes, 16), i32), i: GMEM((lanes,), i32), o: Out((lanes, 16), i32)")
    expect("shape", "does not match the expected shape", "sync_copy(x.at[i], o) # here", copy.format("hbm", "vmem", "vmem"),
           "x: GMEM((64,), i32), i: GMEM((32,), i32), o: Out((16,), i32)")
    expect("add from hbm to hbm", "only supported between VMEM and HBM", "sync_copy(x, o, add=True) # here", copy.format("hbm", "vmem", "hbm"), both)
    expect("add without rows", "names the rows along the first dimension of its source", "sync_copy(x, o, add=True) # here",
           copy.format("hbm", "vmem", "vmem"), both)
    expect("add without rows to hbm", "names the rows along the first dimension of its destination", "sync_copy(x, o, add=True) # here",
           copy.format("vmem", "vmem", "hbm"), both)
    expect("remote gather", "to or from another device are not supported",
           "async_remote_copy(x.at[i], o, s.at[0], s.at[1], 1) # here",
           "@sc_kernel(chip=\"7x\", in_specs=[hbm, vmem], out_specs=vmem, scratch=[SemaphoreType.DMA((2,))])", both + ", s")
    expect("a copy that stays here", "waits for a copy to another device", "make_async_copy(x, o, s).wait_send() # here",
           "@sc_kernel(chip=\"7x\", in_specs=[hbm, vmem], out_specs=vmem, scratch=[SemaphoreType.DMA])", both + ", s")
    expect("ignored rows that are no number", "`ignored_value` of `Indices` must be an int", "sync_copy(x.at[Indices(i, ignored_value=1.5)], o) # here",
           copy.format("hbm", "vmem", "vmem"), both)
    expect("lanes by floats", "an i32, or one i32 for each lane", "o[...] = x[...][x[...].astype(f32)] # here", parameters="x: GMEM((lanes,), i32), o: Out((lanes,), i32)")
    expect("a part without a name", "`name` of `named_view` must be a str", "named_view(o, 3) # here", parameters="x: GMEM((lanes,), i32), o: Out((lanes,), i32)")


# inventory: SC load_gather_invalid_mask_dtype, store_scatter_invalid_mask_dtype
def test_masks():
    both = "x: GMEM((lanes,), i32), o: Out((lanes,), i32)"
    expect("load mask", "an array of truth values .this holds i32.", "o[...] = load_gather(x, [x[...]], mask=x[...]) # here", parameters=both)
    expect("store mask", "an array of truth values .this holds i32.", "store_scatter(o, [x[...]], x[...], mask=x[...]) # here", parameters=both)
    expect("number of indices", "number of indices, 1, does not match", "o[0] = load_gather(x, [x[0]]) # here",
           parameters="x: GMEM((2, lanes), i32), o: Out((2, lanes), i32)")
    expect("no indices", "must not be empty", "store_scatter(o, [], x[...]) # here", parameters=both)
    expect("mask shape", "must have the shape", "o[...] = load_expanded(x.at[ds(0, 8)], mask=x[...] > 0) # here", parameters=both)
    expect("value dtype", "same dtype", "addupdate(o, x[...].astype(f32)) # here", parameters=both)
    expect("ref dtype", "a reference to i32 or f32", "o[...] = load_gather(x, [x[...].astype(i32)]) # here",
           parameters="x: GMEM((lanes,), i16), o: Out((lanes,), i16)")


# inventory: SC 2d_vmem_column_write
def test_columns():
    expect("column", "integer indexing that follows a slice is not supported", "o[:, 1] = x[...] # here",
           parameters="x: GMEM((lanes,), i32), o: Out((lanes, lanes), i32)")


# inventory: SC scalar_load_vmem, scalar_load_hbm, scalar_store_vmem, scalar_store_hbm
def test_scalars():
    to_hbm = "@sc_kernel(chip=\"7x\", in_specs=hbm, out_specs=hbm)"
    expect("scalar load from VMEM", "scalars are loaded from SMEM only", "o[...] = broadcast_in_dim(x[0], (lanes,), ()) # here")
    expect("scalar load from HBM", "loading from HBM is not supported", "debug_print(\"x\", x[0]) # here", to_hbm)
    expect("scalar store to VMEM", "scalars are stored to SMEM only", "o[0] = 1 # here")
    expect("scalar store to HBM", "storing to HBM is not supported", "o[0] = 1 # here", to_hbm)
    expect("shared", "loading from VMEM_SHARED", "o[...] = s[...] # here", "@sc_kernel(chip=\"7x\", scratch=[VMEM_SHARED((16,), i32)])",
           "o: Out((lanes,), i32), s")
    expect("store to shared", "storing to VMEM_SHARED", "s[...] = 1 # here", "@sc_kernel(chip=\"7x\", scratch=[VMEM_SHARED((16,), i32)])",
           "o: Out((lanes,), i32), s")
    expect("vectors of SMEM", "only scalars are loaded from SMEM", "o[...] = s[...] # here", "@sc_kernel(chip=\"7x\", scratch=[SMEM((16,), i32)])",
           "o: Out((lanes,), i32), s")
    expect("vectors to SMEM", "only scalars are stored to SMEM", "s[...] = x[...] # here", "@sc_kernel(chip=\"7x\", scratch=[SMEM((16,), i32)])",
           "x: GMEM((lanes,), i32), o: Out((lanes,), i32), s")
    expect("strided load", "only supports slices with stride 1", "o[...] = x[0:32:2] # here", parameters="x: GMEM((32,), i32), o: Out((16,), i32)")
    expect("strided store", "only supports slices with stride 1", "o[0:32:2] = x[...] # here", parameters="x: GMEM((16,), i32), o: Out((32,), i32)")
    expect("shape", "only take i32 arrays of shapes .*, not \\(24,\\)", "o[...] = x[...] # here", parameters="x: GMEM((24,), i32), o: Out((24,), i32)")
    expect("dtype", "do not support f8e5m2", "o[...] = x[...] # here", parameters="x: GMEM((64,), f8e5m2), o: Out((64,), f8e5m2)")
    expect("bool", "do not support bool arrays", "s[...] = x[...] > 0 # here", "@sc_kernel(chip=\"7x\", scratch=[VMEM((16,), i1)])",
           "x: GMEM((lanes,), i32), o: Out((lanes,), i32), s")
    expect("16 bits", "only elements of 32 bits", "v = x[...][2] # here", parameters="x: GMEM((16,), i16), o: Out((16,), i16)")


# inventory: SC cumsum_2d_not_supported, population_count_invalid_reduce
def test_lanes():
    expect("cumsum of two dimensions", "must be rank 1", "o[...] = cumsum(x[...]) # here", parameters="x: GMEM((2, 8), i32), o: Out((2, 8), i32)")
    expect("cumsum backwards", "reverse=True is not supported", "o[...] = cumsum(x[...], reverse=True) # here")
    expect("cumsum along another axis", "must be rank 1|only axis is 0", "o[...] = cumsum(x[...], 1) # here")
    expect("gather that fills", "unsupported gather", "v = take(x[...], x[...], mode=\"fill\") # here")
    expect("gather that clips", "unsupported gather", "v = take_along_axis(x[...], x[...], 0, mode=\"clip\") # here")
    expect("gather of rows", "only arrays of one dimension", "v = take_along_axis(x[...], x[...], 1) # here", parameters="x: GMEM((2, 8), i32), o: Out((2, 8), i32)")
    expect("gather along no axis", "there is no axis 1", "v = take_along_axis(x[...], x[...], 1) # here")
    expect("reduce below 1", "reduce must be >= 1, not 0", "o[...] = all_reduce_population_count(x[...] > 0, reduce=0) # here")
    expect("reduce", "reduce=3 must divide", "o[...] = all_reduce_population_count(x[...] > 0, reduce=3) # here")
    expect("iota", "an iota of shape \\(32,\\) is not supported", "v = broadcasted_iota(i32, (32,), 0) # here")
    expect("iota of two dimensions", "an iota of shape \\(2, 8\\)", "v = broadcasted_iota(i32, (2, 8), 0) # here")
    expect("iota of floats", "counts with integers", "v = broadcasted_iota(f32, (16,), 0) # here")
    expect("sort dimension", "unsupported dimension 1", "v = sort(x[...], 1) # here")
    expect("sort keys", "multiple sort keys are not supported", "v = sort((x[...], x[...]), num_keys=2) # here")
    expect("sort shape", "unsupported shape for operand 0", "v = sort(x[...]) # here", parameters="x: GMEM((32,), i32), o: Out((32,), i32)")
    expect("rev", "dimension 1 is not reversed", "v = rev(x[...], 1) # here", parameters="x: GMEM((2, 8), i32), o: Out((2, 8), i32)")
    expect("gather of two dimensions", "only arrays of one dimension", "v = take(x[...], x[...]) # here", parameters="x: GMEM((2, 8), i32), o: Out((2, 8), i32)")
    expect("gather shape", "must have the same shape", "v = take(x[...], x[ds(0, 8)]) # here")
    expect("maximum of rows", "reduces arrays of one dimension", "v = max(x[...]) # here", parameters="x: GMEM((2, 8), i32), o: Out((2, 8), i32)")
    expect("bitcast", "is not divisible", "v = bitcast(s[...], i32) # here" if False else "v = bitcast(reshape(x[...], (16, 2)), i32) # here",
           parameters="x: GMEM((32,), i8), o: Out((32,), i8)")
    expect("u32 to f32", "does not convert u32 to f32", "v = x[...].astype(f32) # here", parameters="x: GMEM((16,), u32), o: Out((16,), u32)")
    expect("f32 to u32", "does not convert f32 to u32", "v = x[...].astype(u32) # here", parameters="x: GMEM((16,), f32), o: Out((16,), f32)")
    expect("ref bitcast", "one dimension keeps its width", "v = x.bitcast(i16)[...] # here")


# inventory: SC parallel_loop_disallows_ref_carries, parallel_loop_wrong_carry_return
def test_loops():
    expect("ref carried", "may not be refs", "parallel_loop(0, 1, carry=x)(lambda i, c: c) # here")
    expect("part of a ref carried", "may not be refs", "parallel_loop(0, 1, carry=x.at[ds(0, 8)])(lambda i, c: c) # here")
    expect("other structure", "should have the same structure", "parallel_loop(0, 1, carry=(0, x[...]))(lambda i, c: c[0]) # here")
    expect("unroll", "unrolled whole or not at all", "o[...] = fori_loop(0, 4, lambda i, c: c + 1, x[...], unroll=2) # here")
    expect("while of no truth value", "a function that gives a truth value", "v = while_loop(lambda v: v, lambda v: v, x[...]) # here")
    expect("while of another type", "keeps its type", "v = while_loop(lambda v: sum(v) < 1, lambda v: v.astype(f32), x[...]) # here")
    expect("while of another structure", "same structure", "v = while_loop(lambda c: c[0] < 1, lambda c: c[0], (0, x[...])) # here")
    expect("while of a ref", "may not be refs", "v = while_loop(lambda c: True, lambda c: c, x) # here")
    expect("select of no reference", "chooses among references", "v = select_ref(0, x, 1) # here")
    expect("select of others", "references of one type", "v = select_ref(0, x, o) # here", parameters="x: GMEM((16,), i32), o: Out((16,), f32)")
    expect("vectors on the scalar subcore", "works on vectors, and this kernel runs on the scalar subcore",
           "v = broadcasted_iota(i32, (16,), 0) # here", "@sc_kernel(chip=\"7x\", mesh=ScalarSubcoreMesh())")
    expect("prints of two values", "does not support multiple values", "debug_print(\"x\", x[...], x[...]) # here")
    expect("placeholders", "does not support placeholders", "debug_print(\"{}\", x[...]) # here")
    expect("collective scope", "does not support collective axes", "run_scoped(lambda s: None, VMEM((8,), i32), collective_axes=(\"core\",)) # here")


PAIRS = """v = VectorSubcoreMesh("core", "subcore", num_cores={v}){at_v}
s = ScalarSubcoreMesh("{axis}", num_cores={s}){at_s}
def f(x: GMEM((16,), i32), o: Out((16,), i32), m):
  pass
def g({parameters}):{at_g}
  pass
k = mpmd_map([({first}, f), ({second}, g)], scratch=[{scratch}], chip="{chip}"){at_k}
ir(k){at_ir}
# @sc_kernel
"""


def pairs(**given):
    fields = {"v": 2, "s": 2, "axis": "core", "parameters": "x, o, m", "first": "v", "second": "s", "scratch": "VMEM_SHARED((16,), i32)",
              "chip": "7x", "at_v": "", "at_s": "", "at_g": "", "at_k": "", "at_ir": ""}
    return PAIRS.format(**{**fields, **given})


# inventory: SC mpmd_map_sparsecore_availability_check
def test_functions_side_by_side():
    expect("chip", "no TPU `v4` with SparseCores", pairs(chip="v4", at_k=" # here"))
    expect("other cores", "same core axis name and number of cores", pairs(s=1, at_s=" # here"))
    expect("other axis", "same core axis name and number of cores", pairs(axis="x", at_s=" # here"))
    expect("twice", "two functions for vector subcores", pairs(second="VectorSubcoreMesh()", at_k=" # here"))
    expect("too many cores", "the mesh has 3 cores", pairs(v=3, s=3, at_v=" # here"))
    expect("parameters", "`g` has 2 parameters, and `f`", pairs(parameters="x, o", at_g=" # here"))
    expect("kinds", "another kind than in `f`", pairs(parameters="x: Out((16,), i32), o, m", at_g=" # here"))
    expect("whose", "say whose memory `m` is", pairs(scratch="VMEM((16,), i32)", at_k=" # here"))
    expect("not theirs", "have no VMEM of their own", pairs(scratch="VMEM((16,), i32) @ s", at_k=" # here"))
    expect("no mesh", "a list of pairs", pairs(first="1", at_k=" # here"))
    kernel = "@sc_kernel\ndef k(x: GMEM((16,), i32), o: Out((16,), i32)):\n  o[...] = x[...]\n"
    expect("uneven shards", "not divided into 3 equal parts", kernel + "shard_map(k, 3)(zeros((16,), i32)) # here\n")
    expect("no devices", "1 to 64 devices", kernel + "shard_map(k, 0) # here\n")
    expect("shards of a function", "a kernel of a SparseCore", "# @sc_kernel\nshard_map(print, 2) # here\n")
    expect("semaphores", "an i32 array of what each counts",
           "@sc_kernel(core=\"scalar\", in_specs=[BlockSpec(memory_space=SemaphoreType.DMA)]) # here\ndef k(s: GMEM((1,), f32)):\n  pass\nir(k)\n")
    expect("another subcore's", "another kind of subcore", "pass",
           "@sc_kernel(mesh=VectorSubcoreMesh(), scratch=[SMEM((8,), i32) @ ScalarSubcoreMesh()]) # here", "m")


# The padding of a TensorCore's tiles needs memory too. The error has figures, and the line of the memory that is too
# much.
def test_room():
    kernel = """@sc_kernel(chip="v6e", use_tc_tiling_on_sc={tiled}, mesh=VectorSubcoreMesh(num_cores=1),
           scratch=[VMEM((256, 16), i32), # first
                    VMEM(({rows}, 16), i32)]) # here
def k(o: Out((8, 16), i32), a, b):
  pass
k()
"""
    expect("scratch", "needs 262656 bytes of VMEM with this \\(\\(257, 16\\) elements of i32 in tiles of \\(1, 128\\), 131584 bytes\\), and a vector subcore has 262144",
           kernel.format(tiled=True, rows=257))
    expect("more than all", "\\(513, 16\\) elements of i32 in tiles of \\(1, 128\\), 262656 bytes, which vmem cannot hold: a vector subcore has 262144",
           kernel.format(tiled=True, rows=513))
    expect("without tiles", "\\(5000, 16\\) elements of i32, 320000 bytes, which vmem cannot hold", kernel.format(tiled=False, rows=5000))


# inventory: SC sparsecore_availability_check
def test_kernels():
    expect("axis twice", "`i` is named twice", "@sc_kernel(grid=(2, 2), grid_names=(\"i\", \"i\")) # here\ndef k():\n  pass\n")
    expect("name", "letters, digits and `_`", "@sc_kernel(name=\"a b\") # here\ndef k():\n  pass\n")
    expect("stage", "is lowered to `ir` and no further", "@sc_kernel\ndef k(x: GMEM((16,), i32)):\n  pass\nptx(k) # here\n")
    expect("chip", "v4", "@sc_kernel(chip=\"v4\") # here\ndef k():\n  pass\n")
    expect("too many cores", "the mesh has 3 cores, and 7x has 2 SparseCores", "pass", "@sc_kernel(chip=\"7x\", mesh=VectorSubcoreMesh(num_cores=3)) # here")
    expect("too many subcores", "17 subcores", "pass", "@sc_kernel(chip=\"7x\", mesh=VectorSubcoreMesh(num_subcores=17)) # here")
    expect("semantics with a mesh", "a mesh says which subcores run the body", "@sc_kernel(mesh=VectorSubcoreMesh(), dimension_semantics=(\"parallel\",)) # here\ndef k():\n  pass\n")
    expect("squeezed block", "unsupported block dimension type", "pass", "@sc_kernel(grid=(2,), in_specs=[BlockSpec((None, 8), lambda i: (i, 0))]) # here",
           "x: GMEM((2, 8), i32), o: Out((2, 8), i32)")
    expect("element block", "unsupported block dimension type", "pass", "@sc_kernel(grid=(2,), in_specs=[BlockSpec((Element(8),), lambda i: i)]) # here")
    expect("last dimension", "must be a multiple of 8", "pass", "@sc_kernel(in_specs=[BlockSpec((8, 12))]) # here", "x: GMEM((8, 12), i32), o: Out((8,), i32)")
    expect("length of semantics", "2 entries", "pass", "@sc_kernel(grid=(2,), dimension_semantics=(\"parallel\", \"parallel\")) # here")
    expect("tiles", "must not exceed", "@sc_kernel(scratch=[VMEM((8,), i32, tiling=[(2, 4)])]) # here\ndef k(s):\n  pass\n")
    expect("tiled scratch", "not supported as a scratch operand", "pass", "@sc_kernel(scratch=[VMEM((8, 8), i32, tiling=[(2, 4)])]) # here", "s")
    expect("indexed_by alone", "must both be set or both unset", "@sc_kernel(in_specs=[BlockSpec((8,), indexed_by=1)]) # here\ndef k(x: GMEM((8,), i32)):\n  pass\n")
    expect("a call in a kernel", "cannot be called inside a kernel",
           "@sc_kernel\ndef a(x: GMEM((16,), i32)):\n  pass\n@sc_kernel\ndef b(x: GMEM((16,), i32)):\n  a(x) # here\nir(b)\n")
    expect("another target's function", "for kernels of a GPU", "commit_smem() # here")


def main():
    global LANESCOPE
    LANESCOPE = sys.argv[1]
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
    print("\n".join(FAILED) or "every error says what it should")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
