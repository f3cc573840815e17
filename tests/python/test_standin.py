"""Tests Lanescope's stand-in for JAX: programs that import jax, in a Python without JAX.

  test_standin.py REPOSITORY

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy, and is skipped if JAX is installed."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import unittest.mock

SKIPPED = 77
try:
    import numpy as np
except ImportError:
    sys.exit(SKIPPED)
if importlib.util.find_spec("jax"):
    sys.exit(SKIPPED)

import lanescope  # noqa: E402
from lanescope import standin  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
STANDS_IN = "`pip install jax` runs this file whole"
IMPORTS = """
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
"""


def program(text, *arguments, options=()):
    """The finished process of a program with this text."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "program.py"
        file.write_text(textwrap.dedent(text))
        return subprocess.run([sys.executable, "-m", "lanescope", "run", *options, file, *arguments], capture_output=True, text=True)


class Programs(unittest.TestCase):
    def test_samples_give_their_right_results(self):
        for file in sorted([*(ROOT / "samples/pallas").glob("*.py"), *(ROOT / "kernels/pallas").glob("*.py")]):
            with self.subTest(file.name):
                done = subprocess.run([sys.executable, "-m", "lanescope", "run", file], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                self.assertIn(file.stem, done.stdout)

    def test_a_program_has_its_arguments_and_says_once_that_jax_is_not_there(self):
        done = program("import sys, jax, jax.numpy\nprint(sys.argv[1:])\nsys.exit(3)", "--size", "5")
        self.assertEqual((done.stdout, done.returncode), ("['--size', '5']\n", 3))
        self.assertEqual(done.stderr.count("stand-in"), 1)

    def test_a_program_without_jax_hears_nothing_of_it(self):
        done = program("import json\nprint(json.dumps([1]))")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("[1]\n", "", 0))

    def test_a_snippet_is_the_languages(self):
        done = program("x = ones((2, 2), f32)\nprint(sum(x))")
        self.assertEqual((done.stdout, done.returncode), ("4.0\n", 0))

    def test_the_program_hands_programs_to_python(self):
        lanescope_program = pathlib.Path(lanescope.__path__[0]).parents[1] / "bin" / "lanescope"
        if not lanescope_program.exists():
            self.skipTest("the program is not beside the package")

        def run(text, *words):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "program.py"
                file.write_text(text)
                words = [str(file) if word == "FILE" else word for word in words]
                return subprocess.run([lanescope_program, "run", *words], capture_output=True, text=True)

        done = run("import json\nprint(json.dumps({'a': 1}))", "FILE", "5")
        self.assertEqual((done.stdout, done.returncode), ('{"a": 1}\n', 0))
        done = run("import json\nprint(json.dumps({'a': 1}))", "FILE")
        self.assertEqual((done.stdout, done.returncode), ('{"a": 1}\n', 0))
        done = run("import sys\nprint(sys.argv[1:])\nsys.exit(4)", "FILE", "5", "--", "--size", "6")
        self.assertEqual((done.stdout, done.returncode), ("['5', '--size', '6']\n", 4))
        done = run("import sys\nprint(sys.version_info[0])", "--python", sys.executable, "FILE")
        self.assertEqual((done.stdout, done.returncode), ("3\n", 0))
        done = run("import sys", "--python", "/nowhere/python3", "FILE")
        self.assertEqual(done.returncode, 3)
        self.assertIn("--python", done.stderr)
        done = run("print(1)", "FILE", "5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("takes no arguments", done.stderr)
        done = run("import json", "FILE", "5", "--trace", "x.json")
        self.assertEqual(done.returncode, 2)
        done = run("import math\nprint(math.floor(2.5))", "FILE")
        self.assertEqual((done.stdout, done.returncode), ("2\n", 0))

    def test_a_fault_is_told_and_the_program_goes_on(self):
        text = IMPORTS + """
def body(x, o, tile):
  tile[...] = x[...] + 1
  plgpu.copy_smem_to_gmem(tile, o)
  plgpu.wait_smem_to_gmem(0)

out = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((128,), jnp.float32), scratch_types=[plgpu.SMEM((128,), jnp.float32)])(jnp.ones(128))
print(out.sum())
"""
        done = program(text)
        self.assertEqual((done.stdout, done.returncode), ("256.0\n", 1), done.stderr)
        self.assertIn("not fenced", done.stderr)
        self.assertIn("1 of 1 calls of kernels are at fault", done.stderr)
        self.assertIn("Fault", program(text, options=["--stop"]).stderr)

    def test_import_lanescope_changes_nothing_about_jax(self):
        done = subprocess.run([sys.executable, "-c", "import lanescope\nlanescope.f32\nimport jax"], capture_output=True, text=True)
        self.assertIn("ModuleNotFoundError: No module named 'jax'", done.stderr)

    def test_what_is_missing_says_so(self):
        for text in ("jax.pmap", "jax.numpy.fft", "jax.lax.conv", "jax.experimental.pallas.mosaic_gpu.nothing", "jax.random.multivariate"):
            done = program(f"import jax, jax.experimental.pallas.mosaic_gpu\n{text}")
            self.assertIn("AttributeError", done.stderr)
            self.assertIn(STANDS_IN, done.stderr)
            self.assertIn(text.rpartition(".")[2], done.stderr)
        self.assertIn(STANDS_IN, program("import jax.experimental.sparse").stderr)

    def test_an_error_names_the_users_line_and_columns(self):
        text = IMPORTS + "def body(x, o):\n  plgpu.copy_gmem_to_smem(x, o)\nplgpu.kernel(body, out_type=jax.ShapeDtypeStruct((8,), jnp.int32))(jnp.ones(8))\n"
        self.assertRegex(program(text).stderr, r"program\.py:9:\d+: error")


standin.install()
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from jax.experimental.pallas import mosaic_gpu as plgpu  # noqa: E402


def over(body, *operands, shape=None, dtype=jnp.float32, **options):
    """The result of a kernel with one output of the first operand's shape."""
    out = jax.ShapeDtypeStruct(operands[0].shape if shape is None else shape, dtype)
    return np.asarray(plgpu.kernel(body, out_type=out, **options)(*operands))


class Arrays(unittest.TestCase):
    def test_dtypes_meet_as_jaxs_do(self):
        ours = {standin_dtype.ours: name for name, standin_dtype in __import__("lanescope.standin.dtypes", fromlist=["SMALL"]).SMALL.items()}
        ours |= {"i1": "bool"} | {f"{kind}{bits}": f"{'u' * (kind == 'u')}int{bits}" for kind in "iu" for bits in (8, 16, 32)}
        ours |= {"f16": "float16", "f32": "float32"}
        checked = 0
        for line in (ROOT / "tests/golden/promotion.txt").read_text().splitlines():
            rules, *names, wanted = line.split()
            if rules != "jax" or not all(name in ours or name in ("1", "1.0") for name in names):
                continue
            values = [int(name) if name == "1" else float(name) if name == "1.0" else jnp.zeros((), ours[name]) for name in names]
            try:
                found = jnp.result_type(*values).name
            except TypeError:
                found = None
            self.assertEqual(found, ours.get(wanted), line)
            checked += 1
        self.assertGreater(checked, 200)

    def test_nothing_has_64_bits(self):
        for made in (jnp.arange(3), jnp.asarray(np.arange(3)), jnp.ones(2), jnp.asarray(np.ones(2)), jnp.arange(3) / 2, jnp.mean(jnp.arange(3))):
            self.assertEqual(made.dtype.itemsize, 4)

    def test_small_floats_round_once(self):
        x = jnp.asarray([1.0, 1.00390625, 3.0, 1e30], jnp.bfloat16)
        self.assertEqual(np.asarray(x, np.float32).tolist(), [1.0, 1.0, 3.0, float(np.float32(jnp.asarray(1e30, jnp.bfloat16)))])
        self.assertEqual((x + 1).dtype, jnp.bfloat16)
        eighth = jnp.asarray([0.3, 500.0, -1.0], jnp.float8_e4m3fn).astype(jnp.float32)
        self.assertEqual(float(eighth[0]), 0.3125)
        a, b = (jax.random.normal(jax.random.key(i), (64, 64), jnp.float16) for i in range(2))
        want = (np.asarray(a, np.float64) @ np.asarray(b, np.float64)).astype(np.float16)
        self.assertLess(np.mean(np.asarray(a @ b) != want), 0.01)

    def test_small_dtypes_are_those_of_ml_dtypes(self):
        fake = types.SimpleNamespace(bfloat16=np.dtype("V2"), int4=np.dtype("i1"))
        with unittest.mock.patch.dict(sys.modules, ml_dtypes=fake):
            lanescope._support._package.cache_clear()
            self.assertEqual((np.dtype(jnp.bfloat16), np.dtype(jnp.int4)), (np.dtype("V2"), np.dtype("i1")))
        lanescope._support._package.cache_clear()
        if importlib.util.find_spec("ml_dtypes") is None:
            with self.assertRaises(TypeError):  # NumPy replaces the message
                np.dtype(jnp.bfloat16)

    def test_arrays_do_not_change(self):
        x = jnp.zeros(3)
        with self.assertRaisesRegex(TypeError, "at.index..set"):
            x[0] = 1
        self.assertEqual(x.at[jnp.array([0, 0, 7])].add(1).tolist(), [2, 0, 0])
        source = np.zeros(3, "f4")
        kept = jnp.asarray(source)
        source[:] = 1
        self.assertEqual(kept.tolist(), [0, 0, 0])

    def test_outside_takes_the_nearest(self):
        self.assertEqual(jnp.arange(4)[jnp.array([9, -9, 1])].tolist(), [3, 0, 1])

    def test_trees(self):
        leaves, shape = jax.tree.flatten({"b": [1, None], "a": (2, 3)})
        self.assertEqual(leaves, [2, 3, 1])
        self.assertEqual(shape.unflatten(leaves), {"b": [1, None], "a": (2, 3)})
        self.assertEqual(jax.tree.map(lambda a, b: a + b, [1, 2], [3, 4]), [4, 6])

    def test_random_numbers_are_jaxs(self):
        self.assertAlmostEqual(float(jax.random.uniform(jax.random.key(0))), 0.947667, places=5)

    def test_loops_of_the_host(self):
        self.assertEqual(int(lax.fori_loop(0, 5, lambda i, x: x + i, 0)), 10)
        carry, rows = lax.scan(lambda c, x: (c + x, c), jnp.float32(0), jnp.arange(3.0))
        self.assertEqual((float(carry), rows.tolist()), (3.0, [0.0, 0.0, 1.0]))
        self.assertEqual(float(lax.cond(jnp.array(True), lambda x: x, lambda x: -x, 2.0)), 2.0)


class Kernels(unittest.TestCase):
    x = jnp.arange(256, dtype=jnp.float32).reshape(2, 128)

    def test_the_body_is_python(self):
        import dataclasses

        @dataclasses.dataclass
        class Scale:
            by: float

            def __call__(self, x):
                return x * self.by

        def rows():
            yield from range(2)

        seen = []

        def body(x, o, *, scale):
            try:
                o[5] = x[0]
            except Exception as problem:
                seen.append(type(problem))
            for row in rows():
                o[row] = scale(x[row])

        import functools

        np.testing.assert_array_equal(over(functools.partial(body, scale=Scale(2.0)), self.x), self.x * 2)
        self.assertEqual(len(seen), 1)

    def test_an_exception_of_the_body_comes_out(self):
        def body(x, o):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            over(body, self.x)

    def test_python_cannot_branch_on_a_value_of_the_kernel(self):
        def body(x, o):
            if pl.program_id(0) == 0:
                o[...] = x[...]

        with self.assertRaisesRegex(TypeError, "pl.when.*lax.cond"):
            over(body, self.x, grid=(2,), grid_names=("i",))

        def loops(x, o):
            for _ in range(pl.program_id(0)):
                o[...] = x[...]

        with self.assertRaises(TypeError):
            over(loops, self.x, grid=(2,), grid_names=("i",))

    def test_branches_and_loops_run_on_the_device(self):
        def body(x, o):
            i = lax.axis_index("i")

            @pl.when(i == 0)
            def _():
                o[0] = x[0] + 1

            @pl.when(i == 1)
            def _():
                total = lax.fori_loop(0, 3, lambda k, c: {"sum": c["sum"] + x[1], "n": c["n"] + k}, {"sum": jnp.zeros(128), "n": 0})
                sign = lax.cond(total["n"] == 3, lambda: jnp.float32(1), lambda: jnp.float32(-1))
                o[1] = total["sum"] * sign

        want = np.stack([np.asarray(self.x[0]) + 1, np.asarray(self.x[1]) * 3])
        np.testing.assert_array_equal(over(body, self.x, grid=(2,), grid_names=("i",)), want)

    def test_values_of_a_branch_or_loop_do_not_leave_it(self):
        def branch(x, o):
            t = x[0]

            @pl.when(lax.axis_index("i") == 0)
            def _():
                nonlocal t
                t = t + 1

            o[0] = t

        def loop(x, o):
            t = x[0]

            def step(_, total):
                nonlocal t
                t = t + x[1]
                return total + t

            o[0] = lax.fori_loop(0, 4, step, 0.0)  # 0.0 becomes an array: the body is traced again

        for body in (branch, loop):
            with self.assertRaisesRegex(Exception, "loop, branch or warp-level code, that is not being traced"):
                over(body, self.x, grid=(2,), grid_names=("i",))

    def test_numbers_of_rank_0_go_in_and_out(self):
        def body(x, n, o):
            o[...] = jnp.sum(x[...]) * n[...]

        self.assertEqual(over(body, self.x, jnp.float32(2), shape=()), float(self.x.sum()) * 2)

    def test_scratch_and_outputs_are_trees(self):
        def body(x, first, second, tile, barrier):
            plgpu.copy_gmem_to_smem(x, tile, barrier)
            plgpu.barrier_wait(barrier)
            first[...] = tile[...]
            second[...] = tile[...] * 2

        like = jax.ShapeDtypeStruct.like(self.x)
        a, b = plgpu.kernel(body, out_type=(like, like), scratch_types={"tile": plgpu.SMEM(self.x.shape, jnp.float32), "barrier": plgpu.Barrier()})(self.x)
        np.testing.assert_array_equal(a * 2, b)

    def test_sequential_dimensions_come_one_after_the_other(self):
        def body(x, o):
            o[...] = x[...] + pl.program_id(1)

        x = jnp.zeros((4, 256))
        call = pl.pallas_call(
            body, out_shape=jax.ShapeDtypeStruct.like(x), grid=(4, 2), in_specs=[pl.BlockSpec((1, 128), lambda i, j: (i, j))],
            out_specs=pl.BlockSpec((1, 128), lambda i, j: (i, j)),
            compiler_params=plgpu.CompilerParams(dimension_semantics=("parallel", "sequential"), max_concurrent_steps=2),
        )  # fmt: skip
        np.testing.assert_array_equal(call(x), np.repeat([[0.0, 1.0]], 4, 0).repeat(128, 1))

    def test_a_block_without_a_map_is_the_whole_array(self):
        def body(x, o):
            o[...] = x[...] * 3

        np.testing.assert_array_equal(pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct.like(self.x))(self.x), self.x * 3)

    def test_warps_run_a_kernel_of_their_own(self):
        def body(out):
            @pl.kernel(mesh=plgpu.WarpMesh(axis_name="warp"))
            def each(out):
                warp = jax.lax.axis_index("warp")
                pl.when(warp == 2)(lambda: out.__setitem__((2,), 7))

            each(out)

        out = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((4,), jnp.int32))()
        self.assertEqual(int(out[2]), 7)

    def test_words_of_jax_for_what_is_refused(self):
        row = jax.ShapeDtypeStruct((128,), jnp.float32)

        def assigns(x, o, union):
            union[...] = x[...]

        def loads(x, o):
            @plgpu.warp_map
            def _(warp):
                o[...] = x[...]

        def copies(x, o, tile, barrier):
            plgpu.copy_gmem_to_smem(x, tile, barrier, collective_axes=(("a", "b"),), leader_tracked=plgpu.CopyPartition.PARTITIONED(0))

        x = jnp.zeros(128)
        with self.assertRaisesRegex(ValueError, "can't be assigned to"):
            plgpu.kernel(assigns, out_type=row, scratch_types=[plgpu.RefUnion(plgpu.SMEM((128,), jnp.float32), [plgpu.SMEM((64,), jnp.float32)])])(x)
        with self.assertRaisesRegex(ValueError, "Can only load scalars"):
            plgpu.kernel(loads, out_type=row)(x)
        with self.assertRaisesRegex(ValueError, "Dim 0 is partitioned over an axis of size 2"):
            plgpu.kernel(copies, out_type=row, scratch_types=[plgpu.SMEM((32,), jnp.float32), plgpu.Barrier()], cluster=(2,),
                         cluster_names=(("a", "b"),))(x)  # fmt: skip

    def test_all_warps_have_arrived_where_a_barrier_is_tested(self):
        def body(o, barrier):
            o[0] = plgpu.barrier_test(barrier).astype(jnp.int32)
            plgpu.barrier_arrive(barrier)
            o[1] = plgpu.barrier_test(barrier).astype(jnp.int32)

        out = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2,), jnp.int32), scratch_types=[plgpu.Barrier()])()
        self.assertEqual(out.tolist(), [0, 1])

    def test_a_row_of_barriers_is_sliced(self):
        def body(x, o, tiles, barriers):
            last = barriers.at[1:4].at[2:]
            plgpu.copy_gmem_to_smem(x, tiles, last)
            plgpu.barrier_wait(barriers.at[3])
            o[...] = tiles[...]

        scratch = [plgpu.SMEM(self.x.shape, jnp.float32), plgpu.Barrier(num_barriers=4)]
        np.testing.assert_array_equal(over(body, self.x, scratch_types=scratch), self.x)

        def nothing(x, o, tiles, barriers):
            barriers.at[3:3]

        with self.assertRaisesRegex(TypeError, "holds a barrier at least"):
            over(nothing, self.x, scratch_types=scratch)

    def test_a_profile_is_written_to_its_folder(self):
        import json

        def body(x, o):
            with jax.named_scope("add"):
                o[...] = x[...] + 1

        with tempfile.TemporaryDirectory() as folder:
            params = plgpu.CompilerParams(profile_space=16, profile_dir=folder)
            np.testing.assert_array_equal(over(body, self.x, compiler_params=params), self.x + 1)
            (file,) = pathlib.Path(folder).iterdir()
            names = [event["name"] for event in json.loads(file.read_text())["traceEvents"]]
        self.assertEqual(names.count("add"), 2)

    def test_a_profile_that_no_block_has_room_for(self):
        params = plgpu.CompilerParams(profile_space=20_000, profile_dir="nowhere")
        with self.assertRaisesRegex(ValueError, "exceeds available shared memory: smem_bytes=320000"):
            over(lambda x, o: None, self.x, compiler_params=params)

    def test_layouts_that_meet_nowhere(self):
        def body(x, o):
            rows = plgpu.layout_cast(x[0], plgpu.Layout.WG_STRIDED((128,), vec_size=1))
            jax.lax.while_loop(lambda n: jnp.sum(n) < 1, lambda n: plgpu.layout_cast(jnp.zeros(128), plgpu.Layout.WGMMA.reduce(1)), rows)

        with self.assertRaisesRegex(ValueError, "has layout .*, when it should be"):
            over(body, self.x)

    def test_a_name_of_any_characters(self):
        kernel = plgpu.kernel(lambda x, o: o.__setitem__(..., x[...]), out_type=jax.typeof(self.x), name="copy(tile=(2, 128))")
        np.testing.assert_array_equal(kernel(self.x), self.x)

    def test_ends_of_a_copy_that_do_not_fit_are_a_value_error(self):
        def body(x, o, tile, barrier):
            plgpu.copy_gmem_to_smem(x, tile, barrier)

        with self.assertRaisesRegex(ValueError, r"Expected source shape to be \(4,\), but got \(2, 128\)"):
            over(body, self.x, scratch_types=[plgpu.SMEM((4,), jnp.float32), plgpu.Barrier()])

    def test_a_kernel_of_the_package_keeps_its_own_language(self):
        @lanescope.kernel(grid=(2,))
        def branches(x: lanescope.GMEM((2, 128), lanescope.f32), out: lanescope.Out((2, 128), lanescope.f32)):
            if lanescope.program_id(0) == 0:
                out[0] = x[0]
            else:
                out[1] = x[1] * 2

        np.testing.assert_array_equal(branches(self.x), np.asarray(self.x) * [[1], [2]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
