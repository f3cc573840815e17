"""Large arrays of Python. A call reads them where they lie, never changes them, and does not read them afterwards.

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy."""

import gc
import sys
import threading
import unittest

SKIPPED = 77
try:
    import numpy
except ImportError:
    sys.exit(SKIPPED)

import lanescope as ls

COUNT = 1 << 19  # 2 MiB of f32


@ls.kernel(grid=(COUNT // 4096,), num_threads=1)
def double(x: ls.GMEM((COUNT,), ls.f32), out: ls.Out((COUNT,), ls.f32)):
    rows = ls.ds(ls.program_id(0) * 4096, 4096)
    out[rows] = x[rows] * 2


@ls.kernel(grid=(1,), num_threads=1)
def first(x: ls.GMEM((COUNT,), ls.f32), y: ls.GMEM((COUNT,), ls.f32), out: ls.Out((128,), ls.f32)):
    out[...] = x[ls.ds(0, 128)] + y[ls.ds(COUNT - 128, 128)]


ELEMENTWISE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {{
  .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .f32 %f<3>;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 256, %r1;
  mul.wide.u32 %d3, %r1, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.f32 %f1, [%d4]; add.f32 %f2, %f1, 0f3f800000;
  st.global.f32 [{target}], %f2;
  ret;
}}
"""


def ones(dtype="f4"):
    return numpy.ones(COUNT, dtype)


class Kernels(unittest.TestCase):
    def test_arguments_stay_and_results_are_new(self):
        x = numpy.arange(COUNT, dtype="f4")
        y = double(x)
        self.assertFalse(numpy.shares_memory(x, y))
        numpy.testing.assert_array_equal(x, numpy.arange(COUNT, dtype="f4"))
        numpy.testing.assert_array_equal(y, 2 * x)
        y[:] = 0
        self.assertEqual(x[1], 1)

    def test_the_next_call_sees_what_the_program_changed(self):
        x = ones()
        for i in range(1, 4):
            x[:] = i
            self.assertEqual(float(double(x)[COUNT - 1]), 2 * i)

    def test_arrays_that_lie_otherwise(self):
        whole = numpy.arange(2 * COUNT + 1, dtype="f4")
        for x in (whole[1 : COUNT + 1], whole[: 2 * COUNT : 2], whole[COUNT - 1 :: -1]):
            numpy.testing.assert_array_equal(double(x), 2 * x)

    def test_one_array_as_two_arguments(self):
        x = numpy.arange(COUNT, dtype="f4")
        numpy.testing.assert_array_equal(first(x, x), x[:128] + x[-128:])

    def test_read_only_arrays(self):
        x = ones()
        x.flags.writeable = False
        self.assertEqual(float(double(x)[5]), 2)

    def test_other_seeds_see_the_same(self):
        x = ones()
        self.assertEqual([*ls.check(double, x, seeds=3)], [])
        self.assertTrue((x == 1).all())

    def test_an_array_is_released_after_the_call(self):
        x = bytearray(ones().tobytes())
        view = memoryview(x).cast("f")
        double(numpy.frombuffer(x, "f4"))
        view.release()
        gc.collect()
        x.append(0)  # fails while anything exports the bytes

    def test_an_error_releases_it_too(self):
        x = bytearray(numpy.ones(COUNT + 1, "f4").tobytes())
        with self.assertRaises(ls.Error):
            double(numpy.frombuffer(x, "f4"))
        gc.collect()
        x.append(0)

    def test_several_threads(self):
        out = [None] * 4

        def work(i):
            out[i] = float(double(numpy.full(COUNT, i, "f4"))[-1])

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(out))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(out, [0, 2, 4, 6])


class Functions(unittest.TestCase):
    def test_a_result_that_is_the_argument_is_a_copy(self):
        x = ones()
        for function in (lambda x: ls.reshape(x, (COUNT,)), lambda x: ls.astype(x, ls.f32), lambda x: ls.broadcast_to(x, (COUNT,))):
            y = function(x)
            self.assertFalse(numpy.shares_memory(x, y))
            x[0] = 5
            self.assertEqual(float(y[0]), 1)
            y[1] = 7
            self.assertEqual(float(x[1]), 1)
            x[0] = 1

    def test_a_value_that_outlives_the_call(self):
        x = ones()
        narrow = ls.astype(x, ls.bf16)
        kept = ls.reshape(narrow, (2, COUNT // 2))
        x[:] = 3
        self.assertEqual(float(numpy.asarray(kept).astype("f4")[1, 1]), 1)

    def test_a_run_that_is_kept(self):
        x = ones()
        result = ls.run(double, x)
        x[:] = 3
        self.assertEqual(float(result.outputs[0][9]), 2)


class Ptx(unittest.TestCase):
    def launch(self, target, *arrays):
        return ls.ptx(ELEMENTWISE.format(target=target)).launch(COUNT // 256, 256, *arrays)

    def test_an_array_that_is_only_read(self):
        x, y = ones(), numpy.zeros(COUNT, "f4")
        launched = self.launch("%d5", x, y)
        self.assertIs(launched.arrays[0], x)
        self.assertTrue((y == 2).all() and (x == 1).all())

    def test_a_read_only_array_that_the_kernel_writes(self):
        x = ones()
        x.flags.writeable = False
        launched = self.launch("%d4", x, ones())
        self.assertTrue((x == 1).all())
        self.assertTrue((launched.arrays[0] == 2).all())

    def test_an_array_that_the_kernel_writes(self):
        x = ones()
        self.launch("%d4", x, ones())
        self.assertTrue((x == 2).all())

    def test_a_fault_changes_nothing(self):
        x = ones()
        with self.assertRaises(ls.Fault):
            ls.ptx(ELEMENTWISE.format(target="%d4")).launch(COUNT // 256 + 1, 256, x, ones())
        self.assertTrue((x == 1).all())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
