#!/usr/bin/env python3
"""Tests the bridge for JAX programs (repl/python/lanescope/jax) without JAX: arrays as bytes; modules that JAX dumped,
compiled and run in this process and by a worker; arguments that alias each other; findings at lines of Python; kept
calls; errors. Tests that need JAX are in tests/gpu/bridge.py. Exit status 77: the package was not built.
Usage: bridge.py LANESCOPE LANESCOPE_WORKER SOURCE_DIR"""
import contextlib
import io
import json
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
import unittest.mock

LANESCOPE, WORKER, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
if not (LANESCOPE.parents[1] / "python").is_dir():  # a build with a sanitizer
    sys.exit(77)
sys.path.insert(0, str(LANESCOPE.parents[1] / "python"))
sys.dont_write_bytecode = True
from lanescope.jax import arrays, compiler, findings, gpus, options, worker  # noqa: E402
from lanescope.jax.bridge import Bridge, Kernel, KernelError, Module  # noqa: E402

DUMPS = ROOT / "tests" / "golden" / "jax_dumps"
GRID = [float(i % 97 - 48) for i in range(128 * 128)]
FENCE = "      nvvm.fence.proxy <async.shared>, space = <cta>\n"


def bridge(**more):
    return Bridge(options.Options(**more))


def remote(*words):
    """A bridge whose worker has the emulator instead of a GPU."""
    return bridge(worker=shlex.join([str(WORKER), "serve", "--device", "emulator", *words]))


def dump(name):
    return next((DUMPS / name).glob("*.before_layout_inference.txt")).read_text()


def floats(dtype, shape, values):
    return arrays.Array(dtype, shape, struct.pack(f"<{len(values)}{'e' if dtype == 'f16' else 'f'}", *values))


def values(array):
    return list(struct.unpack(f"<{array.size()}{'e' if array.dtype == 'f16' else 'f'}", array.data))


def located(module, places):
    """The module with locations on some lines: {part of a line: location}, as MLIR prints them."""
    out = ['#loc1 = loc("/home/me/kernel.py":12:3 to :20)', '#loc2 = loc("/usr/lib/python3/jax/_src/pallas/primitives.py":9:1)']
    for line in module.splitlines():
        out.append(line + next((f" loc({place})" for part, place in places.items() if part in line), ""))
    return "\n".join([*out, '#loc3 = loc("body"(#loc1))', '#loc4 = loc("/home/me/kernel.py":40:5)', "#loc5 = loc(callsite(#loc3 at #loc4))",
                      '#loc6 = loc("swap:"("jit(f)/swap"(callsite(#loc2 at #loc5))))', ""])


class Arrays(unittest.TestCase):
    def test_types_have_widths(self):
        self.assertEqual([arrays.BITS[arrays.NAMES[name]] for name in ("int4", "uint2", "bool", "float8_e4m3fn", "bfloat16", "float32", "int64", "float4_e2m1fn")],
                         [4, 2, 8, 8, 16, 32, 64, 4])

    def test_small_elements_are_packed(self):
        signed = arrays.Array("i4", (5,), bytes([1, 0xFE, 7, 0xF8, 0xFF]))
        self.assertEqual(arrays.to_device(signed), bytes([0xE1, 0x87, 0x0F]))
        self.assertEqual(arrays.from_device("i4", (5,), arrays.to_device(signed)), signed)
        pairs = arrays.Array("u2", (2, 3), bytes([3, 0, 1, 2, 3, 1]))
        self.assertEqual(arrays.to_device(pairs), bytes([3 | 1 << 4 | 2 << 6, 3 | 1 << 2]))
        self.assertEqual(arrays.from_device("u2", (2, 3), arrays.to_device(pairs)), pairs)

    def test_npy_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for array in (floats("f32", (2, 3), [1, 2, 3, 4, 5, 6]), arrays.Array("bf16", (), b"\x80\x3f"), arrays.Array("i4", (3,), b"\1\2\3"), arrays.zeros("u16", (0, 4))):
                file = pathlib.Path(folder) / "x.npy"
                arrays.save_npy(file, array)
                self.assertEqual(arrays.load_npy(file, array.dtype), array)
                said = subprocess.run([LANESCOPE, "eval", "--read", folder, f'load("{file}", {array.dtype})'], capture_output=True, text=True)
                self.assertEqual(said.returncode, 0, said.stderr)


class Runs(unittest.TestCase):
    def test_a_dump_runs(self):
        made = bridge()
        self.addCleanup(made.close)
        kernel = Kernel(Module("k", dump("tma_Warpgroup")), (1,), {})
        for _ in range(2):
            [out] = made.call(kernel, [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
            self.assertEqual(values(out), [2 * value for value in GRID])
        self.assertEqual(len(made.compiler.known), 1)

    def test_a_worker_runs_it(self):
        made = remote()
        self.addCleanup(made.close)
        kernel = Kernel(Module("k", dump("tma_Warpgroup")), (1,), {})
        [out] = made.call(kernel, [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
        self.assertEqual(values(out), [2 * value for value in GRID])

    def test_a_product_runs(self):
        made = bridge(fast=True)
        self.addCleanup(made.close)
        a, b = [float(i % 5 - 2) for i in range(64 * 64)], [float(i % 7 - 3) for i in range(64 * 128)]
        [out] = made.call(Kernel(Module("k", dump("wgmma_Warpgroup")), (2,), {}),
                          [floats("f16", (64, 64), a), floats("f16", (64, 128), b)], [("f32", (64, 128))])
        self.assertEqual(values(out), [sum(a[64 * m + k] * b[128 * k + n] for k in range(64)) for m in range(64) for n in range(128)])

    def test_a_module_in_lane_form_runs(self):
        made = bridge()
        self.addCleanup(made.close)
        [out] = made.call(Kernel(Module("tma", (ROOT / "tests/golden/lane/tma.mlir").read_text()), (1,), {}),
                          [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
        self.assertEqual(values(out), [2 * value for value in GRID])

    def test_an_output_in_the_place_of_an_input(self):
        for module in (dump("tma_Warpgroup"), (ROOT / "tests/golden/lane/tma.mlir").read_text()):
            made = bridge()
            self.addCleanup(made.close)
            kernel = Kernel(Module("k", module), (1,), {1: 0})
            [out] = made.call(kernel, [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
            self.assertEqual(values(out), [2 * value for value in GRID])
            self.assertEqual(len(made.compile(kernel).buffers), 1)

    def test_what_a_kernel_leaves_alone(self):
        made = bridge()
        self.addCleanup(made.close)
        x = floats("f16", (128, 128), GRID)
        results = made.call(Kernel(Module("k", dump("tma_Warpgroup")), (1, 2, 0), {}), [x], [("f16", (128, 128)), ("f32", (2,)), ("f16", (128, 128))])
        self.assertEqual(results[1], arrays.zeros("f32", (2,)))
        self.assertEqual(results[2], x)

    def test_findings_name_lines_of_python(self):
        for made in (bridge(stop=True), remote()):
            with self.subTest(device=type(made.device).__name__):
                self.findings_name_lines_of_python(made)

    def findings_name_lines_of_python(self, made):
        self.addCleanup(made.close)
        text = dump("tma_Warpgroup").replace(FENCE, "")
        module = Module("k", text, located(text, {"mosaic_gpu.vector_store": "#loc6", "mosaic_gpu.async_store": "#loc4"}))
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaisesRegex(KernelError, "kernel `k` is at fault.*missing-proxy-fence"):
            made.call(Kernel(module, (1,), {}), [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
        self.assertRegex(said.getvalue(), r"/home/me/kernel\.py:40: error: `cp\.async\.bulk.*\[missing-proxy-fence\]")
        self.assertRegex(said.getvalue(), r"/home/me/kernel\.py:12: note: warp 0 wrote it here, with `st\.shared")
        self.assertNotIn(".ptx:", said.getvalue())
        # The next call still works.
        self.assertTrue(made.call(Kernel(Module("k", dump("tma_Warpgroup")), (1,), {}), [floats("f16", (128, 128), GRID)], [("f16", (128, 128))]))

    def test_findings_without_locations_name_the_kernel(self):
        made = bridge()
        self.addCleanup(made.close)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            [out] = made.call(Kernel(Module("k", dump("tma_Warpgroup").replace(FENCE, "")), (1,), {}), [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
        self.assertRegex(said.getvalue(), r'^kernel k: error: .*\n  note: module\.mlir:\d+:\d+: `"mosaic_gpu\.async_store"')
        self.assertEqual(made.faults, 1)
        self.assertEqual(values(out), [2 * value for value in GRID])  # a result that a GPU may give

    def test_fast_looks_for_no_races(self):
        made = bridge(fast=True)
        self.addCleanup(made.close)
        [out] = made.call(Kernel(Module("k", dump("tma_Warpgroup").replace(FENCE, "")), (1,), {}), [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
        self.assertEqual(values(out), [2 * value for value in GRID])


class Golden(unittest.TestCase):
    """Calls that the bridge kept on a machine with JAX 0.11.2, with an H200's results: our own kernels in Warpgroup and
    Lane semantics, in JAX's form before layout inference and as each thread's code. Some work in place."""

    def test_kept_calls_give_what_the_gpu_gave(self):
        made = bridge()
        self.addCleanup(made.close)
        with tempfile.TemporaryDirectory() as folder, tarfile.open(ROOT / "tests/golden/jax_calls.tar.xz") as tar:
            tar.extractall(folder, filter="data")
            packages = sorted(pathlib.Path(folder).iterdir())
            self.assertGreater(len(packages), 10)
            for package, text in ((package, text) for package in packages for text in ("before.mlir", "lowered.mlir")):
                if (package / text).exists():
                    with self.subTest(package=package.name, text=text):
                        self.run_kept(made, package, text)
        self.assertEqual(made.faults, 0)

    def run_kept(self, made, package, text):
        launch = json.loads((package / "launch.json").read_text())
        files = [file for file in json.loads((package / "results.json").read_text()) if file]
        named = {compiler.argument_number(buffer): buffer for buffer in compiler.buffers_of(launch)}
        inputs = [self.kept_array(package, named[number]) if number in named else arrays.zeros("i8", (0,)) for number in range(max(named) + 1)]
        numbers = [int(file.split(".")[0].removeprefix("argument")) for file in files]
        kinds = [(named[number]["dtype"], tuple(named[number]["shape"])) for number in numbers]
        kernel = Kernel(Module(package.stem, (package / text).read_text()), tuple(numbers), {})
        for got, file, kind in zip(made.call(kernel, inputs, kinds), files, kinds):
            want = arrays.load_npy(package / "expected" / file, kind[0])
            if got.data != want.data:  # elementary functions and sums of floats
                self.assertIn(got.dtype, ("f16", "f32"))
                for a, b in zip(values(got), values(want)):
                    self.assertLessEqual(abs(a - b), (2e-3 if got.dtype == "f16" else 2e-7) * max(1, abs(b)))

    def kept_array(self, package, buffer):
        return arrays.load_npy(package / buffer["data"], buffer["dtype"]) if "data" in buffer else arrays.zeros(buffer["dtype"], tuple(buffer["shape"]))


class Locations(unittest.TestCase):
    def test_innermost_first_without_the_library(self):
        lines = findings.module_lines(located("a\nb", {"a": "#loc6"}))
        self.assertEqual(lines[0], [("/home/me/kernel.py", 12), ("/home/me/kernel.py", 40)])
        self.assertEqual(lines[1], [])

    def test_a_circle_of_aliases_ends(self):
        self.assertEqual(findings.module_lines("#loc1 = loc(#loc2)\n#loc2 = loc(#loc1)\nx loc(#loc1)"), [[]])

    def test_texts_that_do_not_fit(self):
        self.assertEqual(compiler.Compiler().compile(dump("tma_Warpgroup"), "a").lines, [])
        self.assertEqual(findings.Places([], "\t.loc 1 2 3\n").of("k.ptx:1:1: `x`"), [])
        self.assertEqual(findings.Places([["k.py", 1]], "").of("k.ptx:99:1: `x`"), [])


def launch_of(package):
    return json.loads((package / "launch.json").read_text())


class Kept(unittest.TestCase):
    def test_others_read_the_packages(self):
        with tempfile.TemporaryDirectory() as folder:
            made = bridge(capture=folder)
            self.addCleanup(made.close)
            text, after = dump("tma_Warpgroup"), next((DUMPS / "tma_Warpgroup").glob("*.after_layout_inference.txt")).read_text()
            module = Module("k", text, before=located(text, {"mosaic_gpu.vector_store": "#loc6"}), after=after, lowered="lowered")
            for _ in range(2):
                made.call(Kernel(module, (1, 5), {}), [floats("f16", (128, 128), GRID)], [("f16", (128, 128)), ("i32", (1,))])
            packages = sorted(pathlib.Path(folder).iterdir())
            self.assertEqual([each.name for each in packages], ["k_0.lspkg", "k_1.lspkg"])
            self.assertEqual(len(compiler.buffers_of(launch_of(packages[0]))), 2)
            self.assertEqual((packages[0] / "results.json").read_text(), '["argument1.out.npy", null]\n')
            for command, expected in (([LANESCOPE, "open", packages[0]], r"our inference chooses the same layouts"),
                                      ([LANESCOPE, "check", folder], r"0 faults, 0 hazards, 0 notes in \d+ runs"),
                                      ([WORKER, "run", *packages, "-o", f"{folder}/results", "--device", "emulator"], r"2 passed, 0 failed")):
                done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, expected)


    def test_modules_are_kept_as_they_were_run(self):
        with tempfile.TemporaryDirectory() as folder:
            made = bridge(capture=folder)
            self.addCleanup(made.close)
            text = dump("tma_Warpgroup")
            made.call(Kernel(Module("k", text, before=text), (1,), {1: 0}), [floats("f16", (128, 128), GRID)], [("f16", (128, 128))])
            [package] = pathlib.Path(folder).iterdir()
            again = made.compiler.compile((package / "before.mlir").read_text())
            self.assertEqual(again.launch, launch_of(package) | {"params": again.launch["params"]})
            self.assertEqual(len(again.buffers), 1)


class Errors(unittest.TestCase):
    def call(self, made, text, *inputs, aliases=None):
        self.addCleanup(made.close)
        return made.call(Kernel(Module("k", text), (1,), aliases or {}), list(inputs), [("f16", (128, 128))])

    def test_a_module_that_is_none(self):
        with self.assertRaisesRegex(KernelError, r"(?s)kernel `k` cannot be compiled:\nmodule\.mlir:1:\d+: error"):
            self.call(bridge(), "module {")

    def test_programs_that_are_not_there(self):
        for missing in (dict(device="gpu", lanescope_worker="/nowhere/worker"), dict(worker="exit 3"), dict(worker="echo hello from the login shell")):
            with self.assertRaises(worker.WorkerError):
                self.call(bridge(**missing), dump("tma_Warpgroup"), floats("f16", (128, 128), GRID))

    def test_an_array_of_another_shape_or_type(self):
        for array in (floats("f16", (64, 256), GRID), floats("f32", (128, 128), GRID)):
            with self.assertRaisesRegex(KernelError, r"argument 0 of kernel `k` is f16 of shape \(128, 128\), not"):
                self.call(bridge(), dump("tma_Warpgroup"), array)

    def test_an_argument_that_the_kernel_does_not_use(self):
        [out] = self.call(bridge(), dump("tma_Warpgroup"), floats("f16", (128, 128), GRID), aliases={7: 0})
        self.assertEqual(values(out), [2 * value for value in GRID])

    def test_an_argument_that_is_read_otherwise(self):
        text = dump("tma_Warpgroup").replace("mosaic_gpu.from_kernel_arg_idx = 1 : i32, ", "")
        with self.assertRaisesRegex(KernelError, "argument 1 is to be in the place of argument 0, and is not read"):
            self.call(bridge(), text, floats("f16", (128, 128), GRID), aliases={1: 0})

    def test_references_of_different_types(self):
        text = re.sub(r"memref<128x128xf16> \{mosaic_gpu\.from_kernel_arg_idx = 1", "memref<64x256xf16> {mosaic_gpu.from_kernel_arg_idx = 1", dump("tma_Warpgroup"))
        text = text.replace("(memref<128x128xf16, #gpu.address_space<workgroup>>, memref<128x128xf16>, i32, i32)", "(memref<128x128xf16, #gpu.address_space<workgroup>>, memref<64x256xf16>, i32, i32)")
        with self.assertRaisesRegex(KernelError, "references of argument 0 are of different types"):
            self.call(bridge(), text, floats("f16", (128, 128), GRID), aliases={1: 0})

    def test_a_worker_that_dies_is_started_anew(self):
        made = remote()
        x = floats("f16", (128, 128), GRID)
        self.call(made, dump("tma_Warpgroup"), x)
        made.device.worker.process.kill()
        with self.assertRaisesRegex(worker.WorkerError, "gone|Broken pipe"):
            self.call(made, dump("tma_Warpgroup"), x)
        self.assertEqual(values(self.call(made, dump("tma_Warpgroup"), x)[0]), [2 * value for value in GRID])


class Pretended(unittest.TestCase):
    def test_the_gpu_that_a_program_sees(self):
        class Device:
            device_kind = "cpu"

        asked, device, lib = [], Device(), types.ModuleType("jax._src.lib")
        jax = types.SimpleNamespace(devices=lambda backend=None: [device],
                                    local_devices=lambda process_index=None, backend=None: asked.append(backend) or [device],
                                    device_count=lambda backend=None: asked.append(backend) or 1, local_device_count=lambda backend=None: 1)
        lib.cuda_versions, source = None, types.ModuleType("jax._src")
        source.lib = lib
        with unittest.mock.patch.dict(sys.modules, {"jax": types.ModuleType("jax"), "jax._src": source, "jax._src.lib": lib}):
            gpus.pretend(jax, "b200")
        self.assertEqual((device.device_kind, device.core_count, device.compute_capability), ("NVIDIA B200", 148, "10.0"))
        self.assertEqual(jax.devices("gpu"), [device])
        self.assertEqual(jax.local_devices(backend="cuda") + jax.local_devices(0, "gpu") + jax.local_devices(backend="tpu"), [device] * 3)
        self.assertEqual(jax.device_count("gpu"), 1)
        self.assertEqual(asked, ["cpu", "cpu", "tpu", "cpu"])
        self.assertEqual(jax.default_backend(), "gpu")
        self.assertEqual(lib.cuda_versions.cuda_runtime_get_version(), 13000)


class CommandLine(unittest.TestCase):
    def said(self, *words):
        done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stderr

    def test_options_of_the_programs(self):
        module = next((DUMPS / "tma_Warpgroup").glob("*.before_layout_inference.txt"))
        for words in ((ROOT / "samples/kernels/double.py", "--emit", "package"), (module, "--emit", "ptx"), (module, "--emit", "package", "--inputs", "x.npy")):
            self.assertEqual(self.said(LANESCOPE, "compile", *words, "--no-arrays")[0], 2, words)
        self.assertEqual(self.said(WORKER, "serve", "--device", "emulator", "--fast", "--seed", "3")[0], 0)
        status, error = self.said(WORKER, "serve", "--device", "emulator", "--seed", "many")
        self.assertEqual(status, 2)
        self.assertIn("`--seed` takes a whole number", error)

    def test_the_worker_of_this_machine(self):
        self.assertEqual(options.Options(device="gpu", lanescope_worker="w --x").worker_command(), ["w", "--x", "serve", "--device", "gpu"])

    def test_options_end_at_the_program(self):
        read, program = options.parse(["--fast", "--seed", "3", "my.py", "--fast", "x"])
        self.assertEqual((read.fast, read.seed, program), (True, 3, ["my.py", "--fast", "x"]))
        self.assertEqual(options.parse(["-m", "package.module", "-v"])[1], ["-m", "package.module", "-v"])
        self.assertEqual(options.Options(worker="ssh gpu1 w").worker_command()[-1], "exec ssh gpu1 w")

    def run_program(self, text, *arguments):
        """Runs the program in the system's Python, which has NumPy, with the built package."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "my.py")
            path.write_text(text)
            return subprocess.run(["/usr/bin/python3", "-I", "-c", f"import sys; sys.path.insert(0, {str(LANESCOPE.parents[1] / 'python')!r}); "
                                   f"sys.argv = ['lanescope', 'run', {str(path)!r}, *{arguments!r}]; "
                                   "from lanescope.__main__ import main; sys.exit(main())"], capture_output=True, text=True)

    def test_a_program_runs_as_python_runs_it(self):
        done = self.run_program("import sys\nprint(__name__, sys.argv[1:], 'jax' in sys.modules)\nsys.exit(3)", "--size", "4")
        self.assertEqual((done.stdout, done.returncode), ("__main__ ['--size', '4'] False\n", 3), done.stderr)

    def test_without_jax(self):
        done = self.run_program("import jax\nprint(jax.numpy.arange(3) + 1)")
        self.assertEqual((done.stdout, done.returncode), ("[1 2 3]\n", 0), done.stderr)
        self.assertIn("Lanescope's stand-in", done.stderr)
        done = self.run_program("import jax\njax.no_such_name")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('my.py", line 2', done.stderr)
        self.assertIn("`pip install jax` runs this file whole", done.stderr)

    def test_importing_jax_brings_the_kernels_here(self):
        """The hook acts once, when the package's own code has run."""
        from lanescope.jax.imports import OnImport

        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "pretended_jax.py").write_text("ready = True")
            sys.path.insert(0, folder)
            seen = []
            OnImport("pretended_jax", lambda: seen.append(sys.modules["pretended_jax"].ready))
            import pretended_jax  # noqa: F401
            sys.path.remove(folder)
        self.assertEqual(seen, [True])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
