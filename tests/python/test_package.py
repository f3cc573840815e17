"""The package `lanescope` in CPython: layouts, arrays, kernels, findings, exceptions.

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy."""

import array
import contextlib
import ctypes
import gc
import inspect
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import numpy

import lanescope as ls
from lanescope._functions import Definition


def here(back=1):
    return sys._getframe(back).f_lineno


class Layouts(unittest.TestCase):
    def test_an_element_has_its_owner(self):
        owner = ls.owners(ls.WGMMA, (64, 8), (9, 2))
        self.assertEqual(owner, ls.WGMMA.owners((64, 8), (9, 2)))
        self.assertEqual((owner["warp"], owner["lane"], owner["register"], owner["vector"]), ([0], [5], [1], [0]))

    def test_any_notation_is_a_layout(self):
        for text in ("(8,4):(4,1)", "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"):
            layout = ls.layout(text)
            self.assertIn("(", repr(layout))
            self.assertIs(type(layout), ls.Value)

    def test_layouts_are_equal_by_content_and_keys_of_dicts(self):
        self.assertEqual(ls.layout(repr(ls.WGMMA)), ls.WGMMA)
        self.assertEqual({ls.WGMMA: 1}[ls.layout(repr(ls.WGMMA))], 1)
        self.assertNotEqual(ls.WGMMA, ls.WGMMA_ROW)

    def test_moving_between_layouts_has_a_cost(self):
        self.assertEqual(repr(ls.WGMMA.relayout(ls.WGMMA, (64, 64), ls.f32)), repr(ls.relayout(ls.WGMMA, ls.WGMMA, (64, 64), ls.f32)))

    def test_signatures_and_docstrings_are_the_languages(self):
        self.assertEqual(str(inspect.signature(ls.relayout)), "(layout, to, shape=None, dtype=None)")
        self.assertIn("shuffles", ls.relayout.__doc__)
        stubs = pathlib.Path(ls.__file__).with_name("__init__.pyi").read_text()
        compile(stubs, "__init__.pyi", "exec")
        self.assertIn("def relayout(layout: Any, to: Any, shape: Any = ..., dtype: Any = ...) -> Any:", stubs)
        self.assertIn("owners", dir(ls.WGMMA))
        self.assertIn("kernel", dir(ls))

    def test_the_version_is_the_projects(self):
        project = pathlib.Path(__file__).parents[2] / "CMakeLists.txt"
        self.assertIn(f"project(Lanescope VERSION {ls.__version__} ", project.read_text())

    def test_a_notebook_shows_a_page(self):
        page = ls.WGMMA._repr_html_()
        self.assertIn("<iframe", page)
        self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
        self.assertIsNone(ls.f32._repr_html_())


class Arrays(unittest.TestCase):
    def test_numpy_goes_in_and_comes_out(self):
        for dtype in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"):
            given = (numpy.arange(12) % 2).reshape(3, 4).astype(dtype)
            back = ls.transpose(given)
            self.assertIs(type(back), numpy.ndarray)
            self.assertEqual(back.dtype, given.dtype)
            numpy.testing.assert_array_equal(back, given.T)

    def test_arrays_that_do_not_lie_row_by_row(self):
        given = numpy.arange(24, dtype="f4").reshape(4, 6)[::2, ::3]
        numpy.testing.assert_array_equal(ls.transpose(given), given.T)
        numpy.testing.assert_array_equal(ls.transpose(numpy.asfortranarray(given)), given.T)

    def test_an_output_is_no_copy(self):
        out = ls.zeros((4, 4), ls.f32)
        self.assertFalse(out.flags.owndata)
        out[1, 2] = 7
        self.assertEqual(float(out.sum()), 7)

    def test_empty_and_rank_0(self):
        self.assertEqual(ls.zeros((0, 3), ls.f32).shape, (0, 3))
        self.assertEqual(float(ls.sum(numpy.array(2.5, "f4"))), 2.5)
        self.assertEqual(float(ls.maximum(numpy.float32(1.5), 2)), 2)

    def test_dtypes_of_numpy_are_ours(self):
        self.assertEqual(ls.zeros((2,), numpy.float16).dtype, numpy.float16)
        self.assertEqual(ls.zeros((2,), numpy.dtype("int8")).dtype, numpy.int8)

    def test_what_numpy_has_no_dtype_for_is_still_an_array(self):
        x = ls.astype(numpy.float32([1, 2.5]), ls.bf16)
        numpy.testing.assert_array_equal(numpy.asarray(x).astype("f4"), [1, 2.5])
        self.assertEqual(tuple(x.shape), (2,))

    def test_wrong_dtype_has_a_way_out(self):
        with self.assertRaisesRegex(TypeError, "astype"):
            ls.transpose(numpy.zeros((2, 2), "complex64"))


@ls.kernel(grid=(1,))
def double(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
    out[...] = x[...] * 2


def make_scaled(factor, dtype):
    def scaled_by(value):
        return value * factor

    @ls.kernel(grid=(1,))
    def scaled(x: ls.GMEM((128,), dtype), out: ls.Out((128,), dtype)):
        out[...] = scaled_by(x[...])

    return scaled


@ls.kernel(grid=(1,), scratch=[ls.SMEM((128,), ls.f32), ls.Barrier()])
def hasty(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32), tile, loaded):
    ls.copy_gmem_to_smem(x, tile, loaded)
    out[...] = tile[...]


factor = steps = later = 1


class Kernels(unittest.TestCase):
    def test_a_kernel_gives_its_output(self):
        x = numpy.arange(128, dtype="f4")
        numpy.testing.assert_array_equal(double(x), x * 2)

    def test_names_around_it(self):
        x = numpy.arange(128, dtype="f4")
        numpy.testing.assert_array_equal(make_scaled(3.0, ls.f32)(x), x * 3)
        numpy.testing.assert_array_equal(make_scaled(0.5, ls.f16)(x.astype("f2")), x * 0.5)

    def test_a_name_that_changes_makes_another_kernel(self):
        factor = 2.0

        @ls.kernel(grid=(1,))
        def times(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
            out[...] = x[...] * factor

        x = numpy.arange(128, dtype="f4")
        numpy.testing.assert_array_equal(times(x), x * 2)
        factor = 5.0
        numpy.testing.assert_array_equal(times(x), x * 5)

    def test_only_names_from_outside_are_converted(self):
        def function(x: ls.f32, out=factor):
            twin = [x for x in steps]
            out[...] = twin[0] + (lambda twin: twin + later)(1)

        self.assertEqual(Definition(function).names, {"ls", "factor", "steps", "later"})

    def test_a_lambda_is_traced_by_running_it(self):
        step = lambda value: value + 1

        @ls.kernel(grid=(1,))
        def plus(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
            out[...] = step(x[...])

        x = numpy.arange(128, dtype="f4")
        numpy.testing.assert_array_equal(plus(x), x + 1)

    def test_run_gives_a_result(self):
        result = ls.run(double, numpy.ones(128, "f4"), device="emulator")
        self.assertEqual(float(result.outputs[0].sum()), 256)
        self.assertIn(".visible .entry double", str(ls.ptx(double)))

    def test_the_place_of_an_error_in_a_kernel_is_its_line(self):
        @ls.kernel(grid=(1,))
        def wrong(x: ls.GMEM((128,), ls.f32), out: ls.Out((64,), ls.f32)):
            out[...] = x[...] * 2; line = None  # fmt: skip

        with self.assertRaises(ls.Error) as raised:
            wrong(numpy.ones(128, "f4"))
        place = raised.exception.findings[0].place
        self.assertEqual(place["path"], __file__)
        self.assertEqual(place["line"], Kernels.test_the_place_of_an_error_in_a_kernel_is_its_line.__code__.co_firstlineno + 3)
        self.assertGreater(place["column"], 8)

    def test_check_finds_a_missing_wait(self):
        found = ls.check(hasty, numpy.ones(128, "f4"))
        self.assertTrue(found, str(found))
        self.assertEqual({(each.kind, each.place["path"], each.line) for each in found.faults},
                         {("copy-not-awaited", __file__, hasty.__wrapped__.__code__.co_firstlineno + 3)})
        self.assertFalse(ls.check(double, numpy.ones(128, "f4"), seeds=2))

    def test_checked_fails_a_test_with_the_finding(self):
        with self.assertRaises(ls.Fault) as raised, ls.checked():
            hasty(numpy.ones(128, "f4"))
        self.assertIn("out[...] = tile[...]", str(raised.exception))


SAXPY = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a) {
  .reg .b32 %r<2>; .reg .b64 %d<6>; .reg .f32 %f<5>;
  ld.param.u64 %d1, [y]; ld.param.u64 %d2, [x]; ld.param.f32 %f1, [a];
  mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;
  add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.f32 %f2, [%d4]; ld.global.f32 %f3, [%d5];
  fma.rn.f32 %f4, %f1, %f3, %f2;
  st.global.f32 [%d4], %f4;
  ret;
}
"""


class Arguments(unittest.TestCase):
    """Valid and invalid arguments of a kernel."""

    @staticmethod
    def double():
        @ls.kernel(grid=(1,))
        def double(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
            out[...] = x[...] * 2

        return double

    def test_arrays_of_any_strides_and_kinds(self):
        double, numbers = self.double(), numpy.arange(256, dtype="f4")
        odd = numpy.frombuffer(b"\0" + numbers[:128].tobytes(), "u1")[1:].view("f4")  # not aligned
        for given in (numbers[::2], numbers[:128][::-1], numpy.broadcast_to(numpy.float32(7), (128,)), odd, numbers[:128].astype(">f4"),
                      array.array("f", range(128)), memoryview(numbers[:128]), (ctypes.c_float * 128)(*range(128))):  # fmt: skip
            with self.subTest(type(given)):
                numpy.testing.assert_array_equal(double(given), 2 * numpy.asarray(given, "f4"))

    def test_what_does_not_fit_is_pythons_kind_of_error(self):
        double, ones = self.double(), numpy.ones(128, "f4")
        cases = [
            (TypeError, lambda: double(ones.astype("f8")), r"has dtype f32, and the array has dtype f64; convert it with `.astype\(f32\)`"),
            (TypeError, lambda: double(ones.astype("c8")), "complex64"),
            (TypeError, lambda: double([1.0] * 128), "must be an array, not `list`"),
            (TypeError, lambda: double(None), "must be an array, not `NoneType`"),
            (TypeError, lambda: double(), "needs a value for `x`"),
            (TypeError, lambda: double(ones, ones), "takes 1 argument, but 2 are given"),
            (TypeError, lambda: double(y=ones), "takes no argument `y`"),
            (ValueError, lambda: double(ones[:64]), r"shape \(64,\); dimension 0 must be 128"),
            (ValueError, lambda: double(ones[None]), r"shape \(1, 128\)"),
            (ValueError, lambda: double(ones[:0]), "no empty arrays"),
            (ValueError, lambda: ls.layout("(("), "expected a layout"),
            (ValueError, lambda: ls.owners(ls.WGMMA, (63, 8), (0, 0)), "63 is not a multiple of 64"),
        ]
        for kind, call, message in cases:
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                call()


class Pages(unittest.TestCase):
    """Pages that notebooks show."""

    @staticmethod
    def double():
        @ls.kernel(grid=(1,))
        def double(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
            out[...] = x[...] * 2

        return double

    def test_a_kernel_shows_its_text_and_stages(self):
        double = self.double()
        self.assertIsNone(double._repr_html_())  # not called yet, so not compiled
        double(numpy.ones(128, "f4"))
        page = double._repr_html_()
        self.assertIn("out[...] = x[...] * 2", page)
        self.assertIn(".visible .entry double", page)

    def test_show_prints_the_definition_and_each_stage(self):
        double = self.double()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            ls.show(double)
        text = out.getvalue()
        self.assertRegex(text, r"--- snippet ---\n *def double\(.*\n *out\[\.\.\.\] = x\[\.\.\.\] \* 2\n")
        for stage in ("ir", "laid-out", "nvvm", "llvm", "ptx"):
            self.assertIn(f"--- {stage} ---", text)

    def test_findings_are_a_table(self):
        @ls.kernel(grid=(1,), scratch=[ls.SMEM((128,), ls.f32), ls.Barrier()])
        def hasty(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32), tile, loaded):
            ls.copy_gmem_to_smem(x, tile, loaded)
            out[...] = tile[...] + (tile[...] < 1).astype(ls.f32)

        page = ls.check(hasty, numpy.ones(128, "f4"))._repr_html_()
        self.assertIn("copy-not-awaited", page)
        self.assertRegex(page, r"<pre.*&lt; 1")  # the escaped line
        self.assertIn("copy_gmem_to_smem", page)  # a note's line
        self.assertEqual(ls.check(self.double(), numpy.ones(128, "f4"))._repr_html_(), "<div>no findings</div>")


class Ptx(unittest.TestCase):
    def test_a_launch_changes_its_arrays(self):
        y, x = numpy.ones(64, "f4"), numpy.arange(64, dtype="f4")
        launched = ls.ptx(SAXPY).launch(1, 64, y, x, 2.0)
        numpy.testing.assert_array_equal(y, 1 + 2 * x)
        numpy.testing.assert_array_equal(launched.arrays[0], y)
        self.assertIn("exact", launched.note)

    def test_a_fault_is_raised_and_changes_nothing(self):
        y = numpy.ones(32, "f4")
        with self.assertRaisesRegex(ls.Fault, "reads 4 bytes at byte 128"):
            ls.ptx(SAXPY).launch(1, 64, y, numpy.ones(64, "f4"), 2.0)
        self.assertEqual(float(y.sum()), 32)

    def test_what_does_not_fit_the_entry(self):
        y = numpy.ones(64, "f4")
        with self.assertRaisesRegex(ls.Error, "3 parameters, but 2"):
            ls.ptx(SAXPY).launch(1, 64, y, y)
        with self.assertRaisesRegex(ls.Error, "no `.entry`"):
            ls.ptx(SAXPY).launch(1, 64, y, y, 1.0, entry="other")
        with self.assertRaisesRegex(ls.Error, "takes arrays, numbers"):
            ls.ptx(SAXPY).launch(1, 64, y, "x", 1.0)
        with self.assertRaisesRegex(ValueError, "positive"):
            ls.ptx(SAXPY).launch(0, 64, y, y, 1.0)

    def test_of_a_kernel(self):
        self.assertIn(".visible .entry double", str(ls.ptx(double, numpy.ones(128, "f4"))))


class Exceptions(unittest.TestCase):
    def test_an_argument_is_pointed_at(self):
        with self.assertRaises(ls.Error) as raised:
            ls.owners(ls.WGMMA,
                      (64, 8),
                      "nothing")  # fmt: skip
        place = raised.exception.findings[0].place
        self.assertEqual((place["path"], place["line"], place["column"]), (__file__, here() - 2, 23))

    def test_they_are_pythons_kinds(self):
        with self.assertRaises(TypeError):
            ls.zeros("x", ls.f32)
        with self.assertRaises(AttributeError):
            ls.no_such_name
        self.assertFalse(hasattr(ls.WGMMA, "no_such_name"))
        with self.assertRaises(OverflowError):
            ls.zeros((1 << 70,), ls.f32)

    def test_an_exception_of_a_callback_comes_out_as_it_was(self):
        class Mine(Exception):
            pass

        def fails(value):
            raise Mine("here")

        trampoline = lambda value: fails(value)

        @ls.kernel(grid=(1,))
        def calls(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
            out[...] = trampoline(x[...])

        with self.assertRaisesRegex(Mine, "here"):
            calls(numpy.ones(128, "f4"))

    def test_a_list_in_itself_is_refused(self):
        ring = []
        ring.append(ring)
        with self.assertRaises(RecursionError):
            ls.print(ring)


class Processes(unittest.TestCase):
    def run_python(self, text, **more):
        return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=120, **more)

    def test_importing_is_quick_and_changes_nothing(self):
        done = self.run_python("""
            import sys
            before = set(sys.modules)
            import lanescope
            assert "lanescope._native" not in sys.modules
            assert "numpy" not in sys.modules
            try:
                import jax
            except ImportError:
                print("no jax")
            else:
                print("no jax" if "lanescope" not in jax.__file__ else "ours")
        """)
        self.assertEqual(done.stdout.strip(), "no jax", done.stderr)

    def test_without_numpy(self):
        done = self.run_python("""
            import sys
            sys.modules["numpy"] = None
            import lanescope as ls
            print(ls.WGMMA.owners((64, 8), (9, 2)))
            x = ls.zeros((4,), ls.f32)
            print(len(x), bytes(memoryview(x)) == bytes(16))
        """)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith("4 True\n"), done.stdout)

    def test_ctrl_c_stops_a_kernel(self):
        program = textwrap.dedent("""
            import lanescope as ls, numpy, signal
            @ls.kernel(grid=(1 << 20,))
            def long(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
                out[...] = x[...] * 2
            ls.configure(device="emulator", timeout=1000)
            x = numpy.ones(128, "f4")
            try:
                print("go", flush=True)
                long(x)
            except KeyboardInterrupt:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                print("stopped", flush=True)
        """)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "long.py")
            path.write_text(program)
            process = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "go\n")
            process.send_signal(signal.SIGINT)  # the call ends, at any point
            out, error = process.communicate(timeout=60)
            self.assertEqual(out, "stopped\n", error)

    def test_other_threads_run_meanwhile(self):
        turns = 0
        done = threading.Event()

        @ls.kernel(grid=(1 << 16,))
        def long(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
            out[...] = x[...] * 2

        def work():
            try:
                long(numpy.ones(128, "f4"))  # one call that takes about a second
            finally:
                done.set()

        former = ls.configure(device="emulator")
        self.addCleanup(lambda: ls.configure(**former))
        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            turns += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(turns, 1)

    def test_output_is_sys_stdout(self):
        import contextlib
        import io

        with contextlib.redirect_stdout(io.StringIO()) as out:
            ls.print("seen")
            ls.show(ls.WGMMA, (64, 8))
        self.assertTrue(out.getvalue().startswith("seen\n"))
        self.assertGreater(len(out.getvalue()), 100)

    def test_calls_leak_nothing(self):
        x = numpy.ones(128, "f4")

        def resident():
            gc.collect()
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(300):
            double(x)
        before = resident()
        for _ in range(1000):
            double(x)
        self.assertLess(resident() - before, 8 << 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
