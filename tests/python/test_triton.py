"""Tests `lanescope.triton` without Triton: calls its driver, launcher and backend as Triton 3.6 does (triton_like.py),
on PTX that Triton 3.6 made (tests/golden/triton) and on PTX in this file.

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy."""

import contextlib
import io
import json
import pathlib
import sys
import unittest
import unittest.mock
import warnings

import numpy

import triton_like

triton_like.install()

import lanescope  # noqa: E402
import lanescope.triton  # noqa: E402
from lanescope.triton import targets  # noqa: E402

GOLDEN = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".") / "tests/golden/triton"
POINTERS = {"x": "*fp32", "out": "*fp32"}


def entry(name, params, body, scratch=2, threads=32):
    """PTX in Triton's form: numbered parameters, then the parameters for scratch memory."""
    declared = ",\n".join(f"  .param {each} {name}_param_{n}" for n, each in enumerate([*params, *[".u64"] * scratch]))
    loads = "\n".join(f"  ld.param{'.b64' if '64' in each else '.b32'} %a{n}, [{name}_param_{n}];" if each in (".u64", ".f64") else "" for n, each in enumerate(params))
    registers = "".join(f".reg .b64 %a{n}; " for n, each in enumerate(params) if each in (".u64", ".f64"))
    return f""".version 8.6
.target sm_90a
.address_size 64
.visible .entry {name}(
{declared}
)
.reqntid {threads}
{{
  {registers}
  .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b16 %h<9>; .reg .pred %p<9>;
{loads}
{body}
  ret;
}}
"""


DOUBLE = entry("double", [".u64", ".u64"], """
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 32, %r1; mul.wide.u32 %d1, %r1, 4;
  add.s64 %d2, %a0, %d1; add.s64 %d3, %a1, %d1;
  ld.global.f32 %f1, [%d2]; add.f32 %f1, %f1, %f1; st.global.f32 [%d3], %f1;
""")  # fmt: skip


def double(**metadata):
    return triton_like.kernel("double", POINTERS, DOUBLE, {"num_warps": 1, **metadata})


class Tensor:
    """The methods and attributes of a PyTorch tensor that Triton and the driver use."""

    class Storage:
        def __init__(self, memory):
            self.memory = memory

        def data_ptr(self):
            return self.memory.ctypes.data

        def nbytes(self):
            return self.memory.nbytes

    def __init__(self, memory, dtype=None, device="cpu"):
        self.memory, self.dtype, self.shape = memory, f"torch.{dtype or memory.dtype.name}", memory.shape
        self.device = type("Device", (), {"type": device.partition(":")[0], "__str__": lambda self: device})()

    def data_ptr(self):
        return self.memory.ctypes.data

    def untyped_storage(self):
        root = self.memory
        while root.base is not None:
            root = root.base
        return self.Storage(root)

    def stride(self):
        return tuple(each // self.memory.itemsize for each in self.memory.strides)

    def numel(self):
        return self.memory.size


class Launches(unittest.TestCase):
    def setUp(self):
        self.driver = self.enterContext(lanescope.triton.emulated(arch="sm_90a"))

    def test_numpys_arrays_are_changed_in_place(self):
        x, out = numpy.arange(64, dtype="f4"), numpy.zeros(64, "f4")
        double()[(2,)](x, out)
        self.assertTrue((out == x * 2).all())

    def test_tensors_are_changed_in_place(self):
        x, out = numpy.arange(64, dtype="f4"), numpy.zeros(64, "f4")
        double()[lambda bound: (bound["x"].numel() // 32,)](Tensor(x), Tensor(out))
        self.assertTrue((out == x * 2).all())

    def test_views_of_one_array_are_one_memory(self):
        x = numpy.arange(128, dtype="f4").reshape(2, 64)
        double()[(2,)](x[0], x[1])
        self.assertTrue((x[1] == x[0] * 2).all() and (x[0] == numpy.arange(64)).all())
        double()[(2,)](x[0], x[0])
        self.assertTrue((x[0] == x[1]).all())

    def test_a_view_reaches_its_whole_array_and_no_more(self):
        x, out = numpy.arange(64, dtype="f4"), numpy.zeros(64, "f4")
        double()[(1,)](x[32:], out)
        self.assertTrue((out[:32] == x[32:] * 2).all())
        with self.assertRaises(lanescope.Fault) as caught:
            double()[(2,)](x[32:], out)
        self.assertEqual(caught.exception.kind, "global-out-of-bounds")
        self.assertIn("`x`", str(caught.exception))

    def test_memory_that_begins_at_any_byte(self):
        raw = numpy.zeros(4 * 65 + 3, "u1")
        x, out = numpy.ones(32, "f4"), raw[12 - raw.ctypes.data % 8 :][: 4 * 32].view("f4")
        double()[(1,)](x, out)
        self.assertTrue((out == 2).all() and raw.sum() == out.view("u1").sum())

    def test_nothing_is_launched_on_no_blocks(self):
        double()[(0,)](numpy.ones(1, "f4"), out := numpy.zeros(1, "f4"))
        self.assertEqual(out[0], 0)

    def test_arrays_without_elements(self):
        x = numpy.ones(32, "f4")
        for empty in (numpy.zeros(0, "f4"), Tensor(numpy.zeros(0, "f4"))):
            with self.assertRaises(lanescope.Fault) as caught:
                double()[(1,)](empty, x)
            self.assertEqual(caught.exception.kind, "global-out-of-bounds")

    def test_sizes_that_are_numpys(self):
        x, out = numpy.ones(64, "f4"), numpy.zeros(64, "f4")
        double()[(numpy.int64(2), numpy.int32(1))](x, out)
        self.assertTrue((out == 2).all())

    def test_null_pointers(self):
        kernel = triton_like.kernel("guarded", {"x": "*fp32", "out": "*fp32"}, entry("guarded", [".u64", ".u64"], """
  mov.f32 %f1, 0f3F800000; setp.eq.u64 %p1, %a0, 0; @%p1 mov.f32 %f1, 0f40000000; st.global.f32 [%a1], %f1;
"""), {"num_warps": 1})  # fmt: skip
        out = numpy.zeros(1, "f4")
        kernel[(1,)](None, out)
        self.assertEqual(out[0], 2)
        kernel[(1,)](numpy.zeros(1, "f4"), out)
        self.assertEqual(out[0], 1)

    def test_scalars_of_all_kinds(self):
        kinds = {"a": "u1", "b": "i8", "c": "i16", "d": "i32", "e": "i64", "f": "u64", "g": "fp32", "h": "fp64", "k": "constexpr", "l": ("i32", "constexpr", "*fp64")}
        types = [".u8", ".s8", ".u16", ".u32", ".u64", ".u64", ".f32", ".f64", ".u32", ".u64"]
        loads = """
  ld.param.u8 %r1, [scalars_param_0]; cvt.rn.f64.u32 %g1, %r1;
  ld.param.s8 %r1, [scalars_param_1]; cvt.rn.f64.s32 %g2, %r1; add.f64 %g1, %g1, %g2;
  ld.param.s16 %r1, [scalars_param_2]; cvt.rn.f64.s32 %g2, %r1; add.f64 %g1, %g1, %g2;
  ld.param.s32 %r1, [scalars_param_3]; cvt.rn.f64.s32 %g2, %r1; add.f64 %g1, %g1, %g2;
  cvt.rn.f64.s64 %g2, %a4; add.f64 %g1, %g1, %g2; cvt.rn.f64.u64 %g2, %a5; add.f64 %g1, %g1, %g2;
  ld.param.f32 %f1, [scalars_param_6]; cvt.f64.f32 %g2, %f1; add.f64 %g1, %g1, %g2;
  ld.param.f64 %g2, [scalars_param_7]; add.f64 %g1, %g1, %g2;
  ld.param.s32 %r1, [scalars_param_8]; cvt.rn.f64.s32 %g2, %r1; add.f64 %g1, %g1, %g2;
  st.global.f64 [%a9], %g1;
"""
        kernel = triton_like.kernel("scalars", kinds, entry("scalars", types, loads), {"num_warps": 1})
        out = numpy.zeros(1)
        kernel[(1,)](True, -5, -300, -70000, -(1 << 33), (1 << 63) + 2048, 0.5, 0.25, "ignored", (7, 3, out))
        self.assertEqual(out[0], 1 - 5 - 300 - 70000 - (1 << 33) + ((1 << 63) + 2048) + 0.75 + 7)

    def test_arguments_that_became_constants_are_no_parameters(self):
        kernel = triton_like.kernel("double", {"x": "*fp32", "n": "i32", "out": "*fp32"}, DOUBLE, {"num_warps": 1}, {(1,): 1})
        x, out = numpy.ones(32, "f4"), numpy.zeros(32, "f4")
        kernel[(1,)](x, 1, out)
        self.assertTrue((out == 2).all())

    def test_scratch_memory(self):
        body = """
  ld.param.u64 %d1, [scratch_param_1]; ld.param.u64 %d2, [scratch_param_2]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d3, %r1, 8;
  add.s64 %d1, %d1, %d3; st.global.u32 [%d1], %r1; ld.global.u32 %r2, [%d1];
  setp.eq.u64 %p1, %d2, 0; @%p1 add.u32 %r2, %r2, 100;
  mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %a0, %d3; mov.u32 %r3, %tid.x; setp.eq.u32 %p2, %r3, 0; @%p2 st.global.u32 [%d3], %r2;
"""
        ptx = entry("scratch", [".u64"], body)
        out = numpy.zeros(4, "u4")
        triton_like.kernel("scratch", {"out": "*u32"}, ptx, {"num_warps": 1, "global_scratch_size": 8})[(4,)](out)
        self.assertEqual(out.tolist(), [100, 101, 102, 103])
        with self.assertRaises(lanescope.Fault):  # the last program writes beyond its 4 bytes
            triton_like.kernel("scratch", {"out": "*u32"}, ptx, {"num_warps": 1, "global_scratch_size": 4})[(4,)](out)

    def test_clusters_and_cooperative_launches(self):
        body = """
  mov.u32 %r1, %nctaid.x; mov.u32 %r2, %cluster_nctaid.x; mad.lo.u32 %r1, %r2, 1000, %r1; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 0;
  mov.u32 %r4, %ctaid.x; setp.eq.and.u32 %p1, %r4, 0, %p1; @%p1 st.global.u32 [%a0], %r1;
"""
        out = numpy.zeros(1, "u4")
        kernel = triton_like.kernel("where", {"out": "*u32"}, entry("where", [".u64"], body), {"num_warps": 1, "launch_cooperative_grid": True})
        kernel[(3,)](out, num_ctas=2)
        self.assertEqual(out[0], 2006)

    def test_hooks_get_the_launchs_metadata(self):
        told = []
        triton_like.JITFunction.enter, triton_like.JITFunction.leave = told.append, told.append
        self.addCleanup(setattr, triton_like.JITFunction, "enter", None)
        self.addCleanup(setattr, triton_like.JITFunction, "leave", None)
        double()[(1,)](numpy.ones(32, "f4"), numpy.ones(32, "f4"))
        self.assertEqual(told, [{"name": "double", "grid": (1,)}] * 2)

    def test_addresses_of_tensors_in_a_tensor(self):
        body = """
  mov.u32 %r1, %ctaid.x; mul.wide.u32 %d1, %r1, 8; add.s64 %d1, %a0, %d1; ld.global.u64 %d2, [%d1];
  mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, 4; add.s64 %d2, %d2, %d3; cvt.rn.f32.u32 %f1, %r1; st.global.f32 [%d2], %f1;
"""
        kernel = triton_like.kernel("table", {"table": "*i64"}, entry("table", [".u64"], body), {"num_warps": 1})
        for size in (64, 1 << 20):  # on the heap, and in its own pages
            arrays = [numpy.full(size, -1, "f4") for _ in range(3)]
            parts = [lanescope.triton.tensor(each[16:]) for each in arrays]
            table = numpy.array([each.data_ptr() for each in parts])
            before = table.copy()
            kernel[(3,)](table)
            for n, each in enumerate(arrays):
                self.assertTrue((each[16:48] == n).all() and (each[:16] == -1).all() and (each[48:] == -1).all())
            self.assertTrue((table == before).all())

    def test_a_read_only_table_of_addresses(self):
        body = """
  ld.global.u64 %d1, [%a0]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r1;
"""
        out = numpy.zeros(32, "i4")
        table = numpy.array([lanescope.triton.tensor(out).data_ptr()])
        before = table.copy()
        table.flags.writeable = False
        triton_like.kernel("table", {"table": "*i64"}, entry("table", [".u64"], body), {"num_warps": 1})[(1,)](table)
        self.assertTrue((out == range(32)).all() and table == before)
        writes = entry("writes", [".u64"], body + "  st.global.u64 [%a0], %a0;\n")
        with self.assertRaisesRegex(ValueError, "`writes` writes `table`"):
            triton_like.kernel("writes", {"table": "*i64"}, writes, {"num_warps": 1})[(1,)](table)

    def test_numbers_that_might_be_addresses_stay(self):
        kernel = triton_like.kernel("double", {"x": "*i64", "out": "*i64"}, DOUBLE, {"num_warps": 1})
        numbers = numpy.array([1 << 30, 1 << 41, -1, 12345, (1 << 46) + 3, 1 << 62] * 4)
        before = numbers.copy()
        kernel[(1,)](numbers, numpy.zeros(24, "i8"))
        self.assertTrue((numbers == before).all())

    def test_numbers_that_are_no_addresses_cost_no_search_for_tensors(self):
        kernel = triton_like.kernel("double", {"x": "*i64", "out": "*i64"}, DOUBLE, {"num_warps": 1})
        numbers = numpy.random.default_rng(0).integers(1 << 40, 1 << 42, 1 << 14)
        with unittest.mock.patch("lanescope.triton.memory._tensors", side_effect=AssertionError):
            kernel[(1,)](numbers, numpy.zeros(1 << 14, "i8"))

    def test_a_read_only_array_is_not_written(self):
        x, out = numpy.ones(32, "f4"), numpy.zeros(32, "f4")
        out.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "`double` writes `out`"):
            double()[(1,)](x, out)
        x.flags.writeable = False
        double()[(1,)](x, numpy.zeros(32, "f4"))

    def test_arguments_that_the_emulator_cannot_have(self):
        x = numpy.ones(32, "f4")
        with self.assertRaisesRegex(TypeError, "'>f4' are in the other order"):
            double()[(1,)](x.astype(">f4"), x)
        with self.assertRaisesRegex(TypeError, r"`out` is on cuda:1: pass `x.cpu\(\)`"):
            double()[(1,)](x, Tensor(x, device="cuda:1"))




def described(ptx_name, rows, columns, copy="2d {0, 0}"):
    """A kernel that copies a tile through TMA. `copy`: its rank and coordinates."""
    rank, at = copy.split(" ", 1)
    sizes = int(rank[0])
    between = "".join(f"  .param .u32 {ptx_name}_shape_{n},\n" for n in range(sizes)) + "".join(f"  .param .u64 {ptx_name}_stride_{n},\n" for n in range(sizes))
    return f""".version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 shared[];
.visible .entry {ptx_name}(
  .param .align 64 .b8 {ptx_name}_param_0[128],
{between}  .param .u64 {ptx_name}_out, .param .u64 {ptx_name}_scratch, .param .u64 {ptx_name}_profile
)
.reqntid 32
{{
  .reg .b64 %m, %o, %s, %x; .reg .b32 %a, %b, %t, %n, %v; .reg .pred %p, %q;
  ld.param.u64 %o, [{ptx_name}_out];
  mov.b64 %m, {ptx_name}_param_0; cvta.param.u64 %m, %m;
  mov.u32 %a, shared; add.u32 %b, %a, {rows * columns * 4}; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0;
  @%p mbarrier.init.shared.b64 [%b], 1;
  bar.sync 0;
  @%p mbarrier.arrive.expect_tx.shared.b64 _, [%b], {rows * columns * 4};
  @%p cp.async.bulk.tensor.{rank}.shared::cluster.global.mbarrier::complete_tx::bytes [%a], [%m, {at}], [%b];
W: mbarrier.try_wait.parity.shared.b64 %q, [%b], 0; @!%q bra W;
  mov.u32 %n, 0;
L: mad.lo.u32 %v, %n, 32, %t; mul.wide.u32 %s, %v, 4; add.u64 %s, %s, %o; mad.lo.u32 %v, %v, 4, %a; ld.shared.u32 %v, [%v];
  st.global.u32 [%s], %v; add.u32 %n, %n, 1; setp.lt.u32 %q, %n, {rows * columns // 32}; @%q bra L;
  ret;
}}
"""


class Descriptor:
    """Triton's TensorDescriptor."""

    def __init__(self, base, block_shape, padding="zero"):
        self.base, self.shape, self.strides, self.block_shape, self.padding = base, base.shape, base.stride(), block_shape, padding


class Descriptors(unittest.TestCase):
    def setUp(self):
        self.enterContext(lanescope.triton.emulated(arch="sm_90a"))
        meta = {"swizzle": 0, "elem_size": 4, "elem_type": 7, "block_size": [8, 8], "fp4_padded": False}
        metadata = {"num_warps": 1, "shared": 264, "tensordesc_meta": [meta]}
        self.kernel = triton_like.kernel("tile", {"source": "tensordesc<fp32[8, 8]>", "out": "*fp32"}, described("tile", 8, 8), metadata)

    def test_a_tile_of_a_larger_array(self):
        x, out = numpy.arange(256, dtype="f4").reshape(16, 16), numpy.zeros((8, 8), "f4")
        self.kernel[(1,)](Descriptor(lanescope.triton.tensor(x), [8, 8]), out)
        self.assertTrue((out == x[:8, :8]).all())

    def test_a_part_of_an_array_that_the_kernel_also_writes(self):
        x = numpy.arange(256, dtype="f4").reshape(16, 16)
        tile = x[8:, 4:12].copy()
        self.kernel[(1,)](Descriptor(lanescope.triton.tensor(x[8:, 4:12]), [8, 8]), x[:4])
        self.assertTrue((x[:4].reshape(8, 8) == tile).all())

    def test_what_lies_outside(self):
        x, out = numpy.ones((5, 8), "f4"), numpy.zeros((8, 8), "f4")
        self.kernel[(1,)](Descriptor(lanescope.triton.tensor(x), [8, 8]), out)
        self.assertTrue((out[:5] == 1).all() and (out[5:] == 0).all())
        self.kernel[(1,)](Descriptor(lanescope.triton.tensor(x), [8, 8], "nan"), out)
        self.assertTrue(numpy.isnan(out[5:]).all())

    def test_rules_of_tma_are_told(self):
        x = numpy.ones((16, 18), "f4")
        with self.assertRaisesRegex(lanescope.Error, "16"):
            self.kernel[(1,)](Descriptor(lanescope.triton.tensor(x), [8, 8]), numpy.zeros((8, 8), "f4"))

    def test_without_tma_they_are_pointers_sizes_and_strides(self):
        types = [".u64", *[".u64"] * 4, ".u8", *[".u32"] * 2, *[".u64"] * 2, ".u64"]
        body = """
  mul.lo.u64 %d1, %a1, 1000000; mad.lo.u64 %d1, %a2, 10000, %d1; mad.lo.u64 %d1, %a3, 100, %d1; add.u64 %d1, %d1, %a4;
  ld.param.u8 %d2, [pointers_param_5]; mad.lo.u64 %d1, %d2, 100000000, %d1; st.global.u64 [%a10], %d1; ld.global.f32 %f1, [%a0];
"""
        kernel = triton_like.kernel("pointers", {"source": "tensordesc<fp32[8, 8]>", "out": "*u64"}, entry("pointers", types, body), {"num_warps": 1})
        out = numpy.zeros(1, "u8")
        kernel[(1,)](Descriptor(lanescope.triton.tensor(numpy.ones((5, 8), "f4")), [8, 8], "nan"), out)
        self.assertEqual(out[0], 105080801)

    def test_ragged_descriptors(self):
        """They are larger than any memory: a row is `2^30 * (2^34 - stride) + y * stride + x * stride`, modulo 2^64."""
        x, out = numpy.arange(256, dtype="f4").reshape(32, 8), numpy.zeros((8, 8), "f4")
        huge, most, stride = 1 << 30, 0x7FFF0000, x.strides[0] // 4
        meta = {"swizzle": 0, "elem_size": 4, "elem_type": 7, "block_size": [1, 1, 8, 8], "fp4_padded": False}
        begin, size = 10, 5  # rows 10 to 14; the three rows after them are zeros
        ptx = described("ragged", 8, 8, f"4d {{0, {huge - size}, {begin + size}, {huge}}}")
        metadata = {"num_warps": 1, "shared": 264, "tensordesc_meta": [meta]}
        kernel = triton_like.kernel("ragged", {"source": "tensordesc<fp32[1, 1, 8, 8]>", "out": "*fp32"}, ptx, metadata)
        descriptor = Descriptor(lanescope.triton.tensor(x), [1, 1, 8, 8])
        descriptor.shape, descriptor.strides = [most, most, huge, 8], [(1 << 34) - stride, stride, stride, 1]
        kernel[(1,)](descriptor, out)
        self.assertTrue((out[:size] == x[begin : begin + size]).all() and not out[size:].any(), out)

    def test_descriptors_of_triton_3_7(self):
        types = [".u64", *[".u64"] * 4, ".u8", ".u8", *[".u32"] * 2, *[".u64"] * 2, ".u64"]
        body = "  ld.param.u8 %d1, [flags_param_5]; ld.param.u8 %d2, [flags_param_6]; mad.lo.u64 %d1, %d1, 10, %d2; st.global.u64 [%a11], %d1;"
        kernel = triton_like.kernel("flags", {"source": "tensordesc<fp32[8, 8]>", "out": "*u64"}, entry("flags", types, body), {"num_warps": 1})
        x, out = numpy.full((8, 8), 1.0001, "f4"), numpy.zeros(1, "u8")
        descriptor = Descriptor(lanescope.triton.tensor(x), [8, 8])
        descriptor.round_f32_to_tf32 = True
        kernel[(1,)](descriptor, out)
        self.assertEqual(out[0], 1)
        out = numpy.zeros((8, 8), "f4")
        self.kernel[(1,)](descriptor, out)
        self.assertTrue((out != x).all() and abs(out - x).max() < 1e-3)  # rounded to tf32


def recorded(name, arch, types_of):
    """A kernel of tests/gpu/triton_programs that Triton 3.6 compiled."""
    file = GOLDEN / f"{name}.{arch}.ptx"
    return triton_like.kernel(name, types_of, file.read_text(), json.loads(file.with_suffix(".json").read_text()))


def line_of(text):
    source = (GOLDEN / "../../gpu/triton_programs/faults.py").resolve().read_text()
    return next(n for n, line in enumerate(source.splitlines(), 1) if line.endswith(text))


class Recorded(unittest.TestCase):
    """Kernels that Triton 3.6 compiled."""

    def test_a_sum(self):
        x, y, out = numpy.arange(300, dtype="f4"), numpy.ones(300, "f4"), numpy.zeros(300, "f4")
        types_of = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
        with lanescope.triton.emulated(arch="sm_80"):
            recorded("add", "sm_80", types_of)[lambda bound: (-(-300 // bound["BLOCK"]),)](x, y, out, 300, BLOCK=128)
        self.assertTrue((out == x + 1).all())

    def test_products_of_tiles_that_descriptors_of_the_host_bring(self):
        rng = numpy.random.default_rng(0)
        a, b = rng.standard_normal((128, 192)).astype("f2"), rng.standard_normal((96, 192)).astype("f2")
        types_of = {"a": "tensordesc<fp16[64, 64]>", "b": "tensordesc<fp16[32, 64]>", "c": "tensordesc<fp16[64, 32]>", "M": "i32", "N": "i32", "K": "i32"}
        for arch in ("sm_90a", "sm_100a"):
            c = numpy.zeros((128, 96), "f2")
            arguments = [Descriptor(lanescope.triton.tensor(each), block) for each, block in ((a, [64, 64]), (b, [32, 64]), (c, [64, 32]))]
            with lanescope.triton.emulated(arch=arch):
                recorded("described", arch, types_of)[(2, 3)](*arguments, 128, 96, 192)
            numpy.testing.assert_allclose(c.astype("f4"), a.astype("f4") @ b.astype("f4").T, rtol=2e-2, atol=5e-2)

    def test_descriptors_that_the_kernel_makes(self):
        x = numpy.random.default_rng(0).standard_normal((60, 96)).astype("f4")
        for arch in ("sm_80", "sm_90a"):
            out = numpy.zeros((60, 96), "f4")
            with lanescope.triton.emulated(arch=arch):
                recorded("copy_described", arch, {"x": "*fp32", "out": "*fp32", "M": "i32", "N": "i32"})[(2, 3)](x, out, 60, 96)
            self.assertTrue((out == x * 2).all())

    def test_a_cooperative_launch(self):
        x, arrived, out = numpy.zeros((4, 128), "i4"), numpy.zeros(1, "i4"), numpy.zeros((4, 128), "i4")
        with lanescope.triton.emulated(arch="sm_90a"):
            recorded("meet", "sm_90a", {"x": "*i32", "arrived": "*i32", "out": "*i32"})[(4,)](x, arrived, out)
        rows = numpy.arange(4)[:, None] + numpy.arange(128)
        self.assertTrue((out == numpy.roll(rows, -1, 0)).all())

    def test_what_a_kernel_prints(self):
        with lanescope.triton.emulated(arch="sm_90a"), contextlib.redirect_stdout(io.StringIO()) as said:
            recorded("printing", "sm_90a", {"x": "*i64"})[(1,)](numpy.arange(64))
        self.assertEqual(set(said.getvalue().splitlines()), {f"pid (0, 0, 0) idx ({i:2}) value: {i}" for i in range(64)})

    def test_findings_are_at_python_lines(self):
        for name, types_of, arguments, kind, mark in (
            ("racing", {"out": "*i32"}, [numpy.zeros(128, "i4")], "race", "# race"),
            ("through_a_function", {"x": "*fp32", "out": "*fp32"}, [numpy.zeros(128, "f4"), numpy.zeros(128, "f4")], "global-out-of-bounds", "# inner"),
        ):  # fmt: skip
            with lanescope.triton.emulated(arch="sm_90a"), self.assertRaises(lanescope.Fault) as caught:
                recorded(name, "sm_90a", types_of)[(4,)](*arguments)
            place = caught.exception.findings[0].place
            self.assertEqual((caught.exception.kind, place["line"]), (kind, line_of(mark)))
            self.assertTrue(place["path"].endswith("triton_programs/faults.py"), place)


RACE = entry("race", [".u64"], "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%a0], %r1;")


class Findings(unittest.TestCase):
    def test_a_fault_is_raised_and_leaves_arrays_alone(self):
        out = numpy.full(1, 7, "u4")
        with lanescope.triton.emulated(arch="sm_90a"), self.assertRaises(lanescope.Fault) as caught:
            triton_like.kernel("race", {"out": "*u32"}, RACE, {"num_warps": 1})[(2,)](out)
        self.assertEqual((caught.exception.kind, out[0]), ("race", 7))

    def test_check_collects_them(self):
        with lanescope.triton.emulated(arch="sm_90a"):
            kernel = triton_like.kernel("race", {"out": "*u32"}, RACE, {"num_warps": 1})
            found = lanescope.check(lambda: kernel[(2,)](numpy.zeros(1, "u4")), seeds=2)
        self.assertEqual([each.kind for each in found.faults], ["race"])

    def test_a_hazard_is_a_warning_and_a_fault_where_checked_strictly(self):
        ptx = entry("again", [".u64"], """
  .reg .b32 %b; mov.u32 %b, shared; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%b], 1; bar.sync 0; @%p1 mbarrier.init.shared.b64 [%b], 1;
""").replace(".visible", ".shared .align 8 .b8 shared[8];\n.visible")  # fmt: skip
        with lanescope.triton.emulated(arch="sm_90a"):
            kernel = triton_like.kernel("again", {"out": "*u32"}, ptx, {"num_warps": 1})
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                kernel[(1,)](numpy.zeros(1, "u4"))
            self.assertIn(lanescope.HazardWarning, [each.category for each in told])
            with lanescope.checked(strict=True), self.assertRaises(lanescope.Fault):
                kernel[(1,)](numpy.zeros(1, "u4"))


class Driver(unittest.TestCase):
    def test_targets(self):
        for arch, capability in (("sm_80", 80), ("sm_89", 89), ("sm_90a", 90), ("sm_100a", 100), ("sm_120a", 120)):
            with lanescope.triton.emulated(arch=arch) as driver:
                self.assertEqual((driver.get_current_target().backend, driver.get_current_target().arch), ("cuda", capability))
                self.assertGreater(driver.utils.get_device_properties(0)["max_shared_mem"], 64 << 10)
        for arch in ("sm_80a", "sm_100f", "gfx942", "sm_1"):
            with self.assertRaisesRegex(ValueError, "sm_"):
                targets.target(arch)

    def test_kernels_are_compiled_for_each_architecture_once(self):
        kernel = double()
        for arch in ("sm_90a", "sm_100a", "sm_90a"):
            with lanescope.triton.emulated(arch=arch):
                kernel[(1,)](numpy.ones(32, "f4"), numpy.ones(32, "f4"))
        self.assertEqual(kernel.compiled, 2)

    def test_everything_is_as_before_afterwards(self):
        before = triton_like.driver._active, triton_like.backends["nvidia"], triton_like.JITFunction.run
        with self.assertRaises(ZeroDivisionError), lanescope.triton.emulated(arch="sm_80"):
            with lanescope.triton.emulated(arch="sm_90a"):
                self.assertEqual(triton_like.driver.active.get_current_target().arch, 90)
            self.assertEqual(triton_like.driver.active.get_current_target().arch, 80)
            1 / 0
        self.assertEqual(before, (triton_like.driver._active, triton_like.backends["nvidia"], triton_like.JITFunction.run))

    def test_nothing_stays_behind_where_it_cannot_begin(self):
        before = triton_like.driver._active, triton_like.backends["nvidia"], triton_like.JITFunction.run
        with unittest.mock.patch("lanescope.triton.installation._prune_configs", side_effect=AttributeError):
            with self.assertRaises(AttributeError):
                lanescope.triton.install(arch="sm_90a")
        self.assertEqual(before, (triton_like.driver._active, triton_like.backends["nvidia"], triton_like.JITFunction.run))

    def test_ptx_is_kept_as_text(self):
        with lanescope.triton.emulated(arch="sm_90a"):
            kernel = double()[(1,)](numpy.ones(32, "f4"), numpy.ones(32, "f4"))
            self.assertEqual(kernel.asm, {"ptx": DOUBLE})

    def test_the_first_configuration_that_fits_is_taken(self):
        tuned = triton_like.Autotuner(double(), [{"shared": 1 << 20}, {"num_stages": 2}, {"num_stages": 3}])
        x, out = numpy.ones(32, "f4"), numpy.zeros(32, "f4")
        with lanescope.triton.emulated(arch="sm_90a"):
            tuned[(1,)](x, out)
        self.assertEqual((tuned.best_config, tuned.timings[1][0], tuned.timings[2][0]), ({"num_stages": 2}, 0.0, float("inf")))
        self.assertTrue((out == 2).all())

    def test_the_cost_model_chooses(self):
        tuned = triton_like.Autotuner(double(), [{"num_stages": 2}, {"num_stages": 3}])
        with lanescope.triton.emulated(arch="sm_90a", autotune="model"):
            tuned[(1,)](numpy.ones(32, "f4"), numpy.zeros(32, "f4"))
        self.assertTrue(all(0 < each < 1 for each, *_ in tuned.timings), tuned.timings)
        with self.assertRaisesRegex(ValueError, "autotune"), lanescope.triton.emulated(autotune="best"):
            pass

    def test_do_bench_gives_the_cost_models_time(self):
        import triton.testing

        kernel = double()
        with lanescope.triton.emulated(arch="sm_90a"):
            run = lambda: kernel[(1,)](numpy.ones(32, "f4"), numpy.zeros(32, "f4"))  # noqa: E731
            time = triton.testing.do_bench(run)
            self.assertTrue(0 < time < 1)
            self.assertEqual(triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8]), [time] * 3)
            self.assertTrue(numpy.isnan(triton.testing.do_bench(lambda: None)))


if __name__ == "__main__":
    unittest.main()
