#!/usr/bin/env python3
"""Runs JAX's own tests of Pallas Mosaic GPU with Lanescope's stand-in for JAX, which traces kernels by running their
body, and runs them on the emulator.

  tests/python/standin_suite.py CHECKOUT [-o page.md] [--only RE] [--jobs N] [-v]

CHECKOUT is a folder of jax-ml/jax; the script reads only its test file. A test method passes if all of its cases pass.
Methods that make MLIR by hand, use JAX's own lowering, or read JAX's output are counted separately, because the
stand-in has nothing for them. Without a checkout the test is skipped (exit status 77)."""

import argparse
import ast
import collections
import concurrent.futures
import contextlib
import importlib.util
import json
import os
import pathlib
import re
import signal
import sys
import types
import unittest

FILE = "tests/pallas/mosaic_gpu_test.py"
SKIPPED = 77
ONE_TEST = 400  # seconds
# Names in a method that a stand-in for JAX does not have.
MLIR = {"ir", "arith_dialect", "gpu_dialect", "memref_dialect", "mgpu", "mgpu_lowering", "mgpu_pipeline", "mosaic_gpu_lib", "export",
        "_array_splat", "_get_linearized_cuda_grid_index", "jax_core", "make_jaxpr", "VerificationError", "as_text",
        "state_types"}  # fmt: skip
OUTPUT = {"capture_stdout", "capture_stderr"}


# --- the file's other imports ----------------------------------------------------------------------------------------


class Missing:
    """An internal name of JAX. A test that uses it is skipped."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}")

    def __call__(self, *_, **__):
        raise unittest.SkipTest(f"needs {self._name}")

    def __mro_entries__(self, _):
        return ()


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    made.__getattr__ = lambda member: Missing(f"{name}.{member}")
    sys.modules[name] = made
    parent, _, own = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], own, made)
    return made


def cases(*parameters, named=False):
    def decorate(function):
        several = len(parameters) == 1 and not named and isinstance(parameters[0], (list, types.GeneratorType))
        function.cases = [*parameters[0]] if several else [*parameters]
        function.named = named
        return function

    return decorate


def product(*groups, **axes):
    import itertools

    def decorate(function):
        every = [dict(zip(axes, values)) for values in itertools.product(*axes.values())] or [{}]
        for group in groups:
            every = [one | dict(other) for one in every for other in group]
        function.cases, function.named = every, False
        return function

    return decorate


class Cases(type):
    """Makes one method for each case of a method with cases."""

    def __new__(mcs, name, bases, namespace):
        for key, function in list(namespace.items()):
            if not hasattr(function, "cases"):
                continue
            del namespace[key]
            for i, case in enumerate(function.cases):
                label, given = f"{key}_{i}", case
                if function.named:
                    if isinstance(case, dict):
                        given = dict(case)
                        label = f"{key}_{given.pop('testcase_name')}"
                    else:
                        label, given = f"{key}_{case[0]}", case[1:]

                def method(self, function=function, given=given):
                    return function(self, **given) if isinstance(given, dict) else function(self, *(given if isinstance(given, (tuple, list)) else (given,)))

                method.origin = key
                method.__dict__.update({k: v for k, v in function.__dict__.items() if k not in ("cases", "named")})
                namespace[label] = method
        return super().__new__(mcs, name, bases, namespace)


class Arch:
    version = (9, 0)


@contextlib.contextmanager
def set_env(**values):
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def same(*_, **__):
    """A decorator with arguments that changes nothing."""
    return lambda function: function


class JaxTestCase(unittest.TestCase, metaclass=Cases):
    def enter_context(self, context):
        return self.enterContext(context)

    def assertAllClose(self, x, y, *, atol=None, rtol=None, **_):
        import numpy as np

        np.testing.assert_allclose(np.asarray(x), np.asarray(y), atol=atol or 1e-6, rtol=rtol or 1e-5)

    def assertArraysEqual(self, x, y, **_):
        import numpy as np

        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))

    @contextlib.contextmanager
    def _outputs(self):
        raise unittest.SkipTest("reads what JAX prints")
        yield

    def assertStartsWith(self, text, start):
        self.assertTrue(text.startswith(start), f"{text!r} does not start with {start!r}")

    def assertLen(self, items, count):
        self.assertEqual(len(items), count)

    def assertEmpty(self, items):
        self.assertEqual(len(items), 0)

    @contextlib.contextmanager
    def subTest(self, *_, **__):
        yield


class CudaArchSpecificTest:
    def skip_unless_sm90a(self):
        if Arch.version != (9, 0):
            self.skipTest("for sm_90a")

    def skip_unless_tcgen05(self):
        if Arch.version < (10, 0):
            self.skipTest("for Blackwell")

    def skip_unless_sm80_or_newer(self):
        pass

    def skip_unless_tcgen05_int8(self):
        self.skip_unless_tcgen05()


def install():
    """Installs stand-ins for the other modules that the file imports, and for JAX's internal modules."""
    def at_least(text):
        return Arch.version >= tuple(map(int, text.split(".")))

    generator = Cases
    parameterized = types.SimpleNamespace(TestGeneratorMetaclass=generator, TestCase=JaxTestCase, parameters=cases, product=product,
                                          named_parameters=lambda *each: cases(*(each[0] if len(each) == 1 and not isinstance(each[0], (dict, tuple)) else each), named=True))  # fmt: skip
    module("absl")
    module("absl.testing", parameterized=parameterized, absltest=types.SimpleNamespace(main=unittest.main, TestCase=unittest.TestCase))
    import jax
    import jax._src.pallas.core
    import jax.experimental.mosaic.gpu
    import jax.experimental.pallas.mosaic_gpu as plgpu

    sys.modules["jax"].export = module("jax.export")
    module("jax._src.config", enable_x64=Missing("x64"))
    module("jax._src.core")
    module("jax._src.state")
    module("jax._src.state.types")
    module("jax._src.lib.mlir")
    module("jax._src.lib.mlir.ir")
    module("jax._src.lib.mlir.dialects", arith=Missing("arith"), gpu=Missing("gpu"), memref=Missing("memref"))
    module("jax._src.lib.mosaic_gpu")
    module("jax._src.pallas.mosaic")
    module("jax._src.pallas.mosaic.error_handling", VerificationError=type("VerificationError", (Exception,), {}))
    core = module("jax._src.pallas.mosaic_gpu.core")
    core.__dict__.update({name: getattr(plgpu, name) for name in dir(plgpu)})
    module("jax._src.pallas.mosaic_gpu", core=core)
    module("jax._src.pallas.mosaic_gpu.lowering")
    module("jax._src.pallas.mosaic_gpu.pipeline")
    limit = contextlib.contextmanager(lambda *_: (yield))
    module("jax.experimental.mosaic.gpu", core=types.SimpleNamespace(artificial_shared_memory_limit=limit), LoweringSemantics=plgpu.LoweringSemantics)
    module("jax._src.test_util", JaxTestCase=JaxTestCase, CudaArchSpecificTest=CudaArchSpecificTest, set_env=set_env, _SMEM_SIZE_BOUND_FOR_TESTS=227 << 10,
           thread_unsafe_test=same, skip_under_pytest=same, test_device_matches=lambda kinds: bool({"cuda", "gpu"} & set(kinds)),
           is_cuda_compute_capability_at_least=at_least, is_cuda_version_at_least=lambda *_: True, is_device_cuda=lambda: True,
           jaxlib_version=lambda: (0, 11, 2), get_cuda_nonportable_max_cluster_size=lambda: 16, with_config=same,
           capture_stdout=lambda: JaxTestCase._outputs(None),
           is_cuda_compute_capability_equal=lambda text: Arch.version == tuple(map(int, text.split("."))))  # fmt: skip
    del jax


# --- the methods -----------------------------------------------------------------------------------------------------


def methods_of(path):
    """(class, method, the need that a stand-in cannot meet) for each test method of the file."""
    out = []
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and each.name.startswith("test"):
                names = {x.id for x in ast.walk(each) if isinstance(x, ast.Name)} | {x.attr for x in ast.walk(each) if isinstance(x, ast.Attribute)}
                out.append((node.name, each.name, "output" if names & OUTPUT else "MLIR" if names & MLIR else ""))
    return out


def run_method(loaded, class_name, method):
    """The outcomes of a method's cases: a list of (name, "ok" | "skip" | "fail", message)."""
    from lanescope.standin.kernels import Runs

    kind = getattr(loaded, class_name)
    names = [n for n in dir(kind) if n == method or getattr(getattr(kind, n), "origin", None) == method]
    out = []
    for name in names:
        result = unittest.TestResult()
        Runs.faults = 0
        kind(name).run(result)
        if result.failures or result.errors:
            out.append((name, "fail", (result.failures + result.errors)[0][1]))
        elif result.skipped:
            out.append((name, "skip", result.skipped[0][1]))
        else:
            out.append((name, "ok" if not Runs.faults else "fault", ""))
    return out


def in_child_with(configure, run, method):
    """The result of `run` in a separate process, which may hang or crash."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(ONE_TEST)
        sys.stdout = sys.stderr = open(os.devnull, "w")
        try:
            configure()
            outcomes = run()
        except BaseException as problem:  # noqa: BLE001
            outcomes = [(method, "fail", repr(problem))]
        with os.fdopen(write, "w") as pipe:
            json.dump(outcomes, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else [(method, "fail", "the process ended, or took too long")]


def in_child(loaded, class_name, method, capability=None):
    """The outcomes of a method's cases. Cases for another GPU run on that GPU."""
    if capability is None:
        outcomes = in_child(loaded, class_name, method, (10, 0) if "TCGen05" in class_name else (9, 0))
        return in_child(loaded, class_name, method, (10, 0)) if verdict(outcomes) == "skip" and "TCGen05" not in class_name else outcomes

    def configure():
        import lanescope

        Arch.version = capability
        lanescope.configure(arch="sm_100a" if Arch.version == (10, 0) else "sm_90a", device="emulator", timeout=60)

    return in_child_with(configure, lambda: run_method(loaded, class_name, method), method)


def load(path, name):
    """Loads the test file as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def verdict(outcomes):
    kinds = {kind for _, kind, _ in outcomes}
    return "fail" if "fail" in kinds else "fault" if "fault" in kinds else "ok" if "ok" in kinds else "skip"


def cause(outcomes):
    text = next((message for _, kind, message in outcomes if kind == "fail"), "")
    lines = [line for line in text.strip().splitlines() if line.strip() and not set(line.strip()) <= set("^~ ")]
    errors = [line for line in lines if re.match(r"\S*(Error|Exception|Warning|Skip)\b.*:", line) or "error:" in line]
    return (errors or lines or [""])[-1 if not errors else 0].strip()[:400]


SECTION = """## Mosaic GPU

`{file}` of jax-ml/jax, on CPython without JAX, without a GPU: kernels traced by running their body, on the emulator with
checks. A method passes where all of its cases do. "With a fault": the results are right, and the checker tells of an order that the PTX ISA does
not promise, or of memory that is read before it is written. Apart are methods that make MLIR by hand or look into JAX's own lowering ({mlir}), and
those that read what JAX prints ({output}). `tests/python/standin_suite.py CHECKOUT -o docs/jax-suite.md` writes this section.

{table}"""


def table(found):
    """The table of classes, and the methods that fail."""
    rows, failed = [], []
    classes = list(dict.fromkeys(each[0] for each in found))
    results = {each: verdict(outcomes) for each, outcomes in found.items()}
    for name in [*classes, "all"]:
        mine = collections.Counter(result for each, result in results.items() if name in (each[0], "all"))
        rows.append(f"| {name} | {sum(mine.values())} | {mine['ok'] + mine['fault']} | {mine['fault']} | {mine['fail']} | {mine['skip']} |")
    for (name, method, _), outcomes in found.items():
        if verdict(outcomes) == "fail":
            good = sum(kind in ("ok", "fault") for _, kind, _ in outcomes)
            failed.append(f"- {name}.{method}" + (f" ({good} of {len(outcomes)} cases pass)" if good else ""))
    head = "| class | methods | pass | of them with a fault | fail | skipped by themselves |\n|---|---|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n" + ("\nThose that fail:\n\n" + "\n".join(failed) + "\n" if failed else "")


def write_section(path, section):
    """Replaces the page's section with the same heading, or appends the section."""
    heading = section.partition("\n")[0]
    before, *sections = re.split(r"(?m)^(?=## )", pathlib.Path(path).read_text())
    parts = [before, *[each for each in sections if not each.startswith(heading + "\n")]]
    at = next((i for i, each in enumerate(sections, 1) if each.startswith(heading + "\n")), len(parts))
    parts.insert(at, section)
    pathlib.Path(path).write_text("\n".join(each.rstrip("\n") + "\n" for each in parts))


def tell(each, outcomes, verbose):
    """Prints a line for a method that does not pass or, if `verbose`, for every method."""
    result = verdict(outcomes)
    if verbose or result in ("fail", "fault"):
        good = sum(kind in ("ok", "fault") for _, kind, _ in outcomes)
        print(f"{result:4} {each[0]}.{each[1]} ({good}/{len(outcomes)}) {cause(outcomes) or (outcomes and outcomes[0][2])}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", default="")
    parser.add_argument("--only", default="", metavar="RE")
    parser.add_argument("--classes", default="own", choices=("own", "wg"), help="each method in its own class, or in its copy with warpgroup semantics")
    parser.add_argument("--all", action="store_true", help="those that need MLIR or output too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=int, default=0, help="fail where fewer methods pass")
    parser.add_argument("-o", dest="output", default="", metavar="PAGE", help="write the table of docs/jax-suite.md")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    options.checkout = os.environ.get("JAX_CHECKOUT", options.checkout)
    path = pathlib.Path(options.checkout) / FILE
    if not options.checkout or not path.exists():
        print(f"skipped: no checkout of jax-ml/jax with {FILE} is given")
        return SKIPPED
    from lanescope import standin

    standin.install()
    install()
    loaded = load(path, "mosaic_gpu_test")
    chosen = [each for each in methods_of(path) if re.search(options.only, ".".join(each[:2]))]
    needs = collections.Counter(need for _, _, need in chosen)
    chosen = [each for each in chosen if options.all or not each[2]]
    found = {}

    def one(each):
        name, method, _ = each
        if options.classes == "wg":
            name = name.removesuffix("Test") + "WGTest"
            name = name if hasattr(loaded, name) else each[0]
        return each, in_child(loaded, name, method)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for each, outcomes in pool.map(one, chosen):
            found[each] = outcomes
            tell(each, outcomes, options.v)
    counts = collections.Counter(map(verdict, found.values()))
    passed = counts["ok"] + counts["fault"]
    print(f"{len(chosen)} methods: {passed} pass, {counts['fault']} of them with a fault that the checker tells of their kernels; "
          f"{counts['fail']} fail, {counts['skip']} are skipped by themselves; apart: {needs['MLIR']} make MLIR, {needs['output']} read output")  # fmt: skip
    if options.output:
        write_section(options.output, SECTION.format(file=FILE, mlir=needs["MLIR"], output=needs["output"], table=table(found)))
    return 1 if passed < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
