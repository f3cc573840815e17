#!/usr/bin/env python3
"""Runs JAX's own tests of Pallas on SparseCore with Lanescope's stand-in for JAX, which traces kernels by running their
body, and runs them on the emulator.

  tests/python/sparsecore_suite.py CHECKOUT [-o page.md] [--only RE] [--jobs N] [-v]

CHECKOUT is a folder of jax-ml/jax; the script reads only its test file. A test method passes if all of its cases pass,
in its own class and in the class that keeps arrays in a TensorCore's tiles. Methods that use JAX's own lowering, or
read JAX's output, are counted separately. Without a checkout the test is skipped (exit status 77)."""

import argparse
import collections
import concurrent.futures
import contextlib
import importlib
import inspect
import os
import pathlib
import random
import re
import sys
import types
import unittest

import standin_suite as common

FILE = "tests/pallas/tpu_sparsecore_pallas_test.py"
EXAMPLES = 12  # the number of examples of a test with random data
TILED = "WithTCTiling"
# Names in a method that a stand-in for JAX does not have.
INSIDE = {"mock_sc_scalar_subcore_mesh", "compile"}


class Chip:
    name = "7x"


# --- the file's other imports ----------------------------------------------------------------------------------------


class Data:
    """Draws of `hypothesis.strategies.data()`."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def draw(self, strategy, label=None):
        return strategy(self.random)


class Rejected(Exception):
    """The test rejects an example."""


def assume(condition):
    if not condition:
        raise Rejected


def given(*strategies):
    def decorate(test):
        drawn = list(inspect.signature(test).parameters)[-len(strategies) :]

        def run(self, **named):
            for seed in range(EXAMPLES):
                values = [Data(seed) if each is None else each(random.Random(seed)) for each in strategies]
                with contextlib.suppress(Rejected):
                    test(self, **dict(zip(drawn, values)), **named)

        run.__dict__.update(test.__dict__)
        run.__name__ = test.__name__
        return run

    return decorate


def lists(elements, min_size=0, max_size=8):
    return lambda rng: [elements(rng) for _ in range(rng.randint(min_size, max_size))]


def hypothesis_modules():
    settings = types.SimpleNamespace(default=types.SimpleNamespace(suppress_health_check=()))

    class Settings:
        default = settings.default

        def __new__(cls, **_):
            return lambda test: test

    strategies = common.module("hypothesis.strategies", data=lambda: None, lists=lists, sampled_from=lambda items: lambda rng: rng.choice(list(items)),
                               integers=lambda low, high: lambda rng: rng.randint(low, high))  # fmt: skip
    common.module("hypothesis", given=given, assume=assume, settings=Settings, HealthCheck=types.SimpleNamespace(filter_too_much=0),
                  strategies=strategies)  # fmt: skip


class TestCase(common.JaxTestCase):
    pass


def install():
    """Installs stand-ins for the other modules that the file imports, and for JAX's internal modules."""
    from lanescope.standin.finder import MODULES

    common.install()
    hypothesis_modules()
    own = [name for name in MODULES if name.startswith(("jax._src.pallas.m", "jax._src.state", "jax.core", "jax.memory"))]
    for name in own:
        sys.modules.pop(name, None)
    for name in own:  # the stand-in's own internal names are not missing
        parent, _, member = name.rpartition(".")
        setattr(sys.modules[parent], member, importlib.import_module(name))
    import jax

    common.module("jax._src.hypothesis_test_util", setup_hypothesis=lambda: None, hypothesis_is_thread_safe=lambda: True)
    util = sys.modules["jax._src.test_util"]
    util.JaxTestCase = TestCase
    util.is_device_tpu = lambda version=None, variant="": version is None or Chip.name == f"v{version}{variant}"
    util.is_device_tpu_at_least = lambda version: int(re.search(r"\d+", Chip.name)[0]) >= version
    util.is_cloud_tpu = lambda: False
    util.thread_unsafe_test_class = common.same
    util.create_mesh = lambda shape, names, **_: jax.make_mesh(shape, names)
    util.test_device_matches = lambda kinds: "tpu" in kinds


# --- the methods -----------------------------------------------------------------------------------------------------


def needs_of(method):
    return "inside" if method[2] == "MLIR" or method[0].endswith("LoweringErrorTest") else method[2]


def on_chip(loaded, class_name, method, chip):
    def configure():
        import lanescope
        from lanescope import standin

        Chip.name = standin.chip = chip
        lanescope.configure(device="emulator", timeout=60)

    return common.in_child_with(configure, lambda: common.run_method(loaded, class_name, method), method)


def outcomes_of(loaded, class_name, method):
    """Runs all cases on a chip with 16 lanes, or on one with 8 lanes if they are for that."""
    out = []
    for name in (class_name, class_name + TILED):
        if hasattr(loaded, name):
            found = on_chip(loaded, name, method, "7x")
            out += on_chip(loaded, name, method, "v5p") if common.verdict(found) == "skip" else found
    return out


SECTION = """## SparseCore

`{file}`, the same way: kernels of `pl.kernel` and `pl.core_map` over meshes of subcores, on the emulator of a TPU 7x, and of a v5p where a
test wants its 8 lanes. A method passes where all of its cases do, with arrays row by row and in a TensorCore's tiles. "With a fault":
the results are right, and the checker tells of memory that is read before it is written, or of semaphores that a kernel leaves
counting. Apart are methods that look into JAX's own lowering ({inside}), and those that read what JAX prints ({output}).
`tests/python/sparsecore_suite.py CHECKOUT -o docs/jax-suite.md` writes this section.

{table}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", default="")
    parser.add_argument("--file", default=FILE, help="another of JAX's SparseCore tests")
    parser.add_argument("--only", default="", metavar="RE")
    parser.add_argument("--all", action="store_true", help="those that look inside or read output too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=int, default=0, help="fail where fewer methods pass")
    parser.add_argument("-o", dest="output", default="", metavar="PAGE", help="write the section of docs/jax-suite.md")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    path = pathlib.Path(os.environ.get("JAX_CHECKOUT", options.checkout)) / options.file
    if not path.is_file():
        print(f"skipped: no checkout of jax-ml/jax with {options.file} is given")
        return common.SKIPPED
    from lanescope import standin

    standin.install()
    install()
    loaded = common.load(path, path.stem)
    chosen = [each for each in common.methods_of(path) if re.search(options.only, ".".join(each[:2]))]
    needs = collections.Counter(map(needs_of, chosen))
    chosen = [each for each in chosen if options.all or not needs_of(each)]
    found = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for each, outcomes in zip(chosen, pool.map(lambda each: outcomes_of(loaded, *each[:2]), chosen)):
            found[each] = outcomes
            common.tell(each, outcomes, options.v)
    counts = collections.Counter(map(common.verdict, found.values()))
    passed = counts["ok"] + counts["fault"]
    print(f"{len(chosen)} methods: {passed} pass, {counts['fault']} of them with a fault that the checker tells of their kernels; "
          f"{counts['fail']} fail, {counts['skip']} are skipped by themselves; apart: {needs['inside']} look inside, {needs['output']} read output")  # fmt: skip
    if options.output:
        section = SECTION.format(file=FILE, inside=needs["inside"], output=needs["output"], table=common.table(found))
        common.write_section(options.output, section)
    return 1 if passed < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
