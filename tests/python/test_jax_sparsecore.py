"""Runs SparseCore kernels as the bridge for JAX does (lanescope/jax/sparsecore.py), but without JAX: a module that JAX
lowered, results, findings at lines of Python. tests/gpu/jax_suite.py --tpu runs JAX's own tests through the bridge if
JAX is installed.

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy."""

import contextlib
import io
import pathlib
import re
import sys
import types
import unittest

import numpy

from lanescope.jax.options import Options
from lanescope.jax.sparsecore import Kernel, SparseCores

MODULE = (pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".") / "samples/modules/gather.mlir").read_text()


def located(text, file="kernel.py"):
    """The module as JAX prints it with locations. Its line n comes from line 1000 + n of the file."""
    lines = [line for line in text.splitlines()]
    body = [f"{line} loc(#loc{n})" if line else line for n, line in enumerate(lines, 1)]
    return "\n".join([*body, *(f'#loc{n} = loc("{file}":{1000 + n}:0)' for n in range(1, len(lines) + 1))])


class Modules(unittest.TestCase):
    def setUp(self):
        rng = numpy.random.default_rng(0)
        self.table = rng.standard_normal((1024, 128)).astype("f4")
        self.rows = rng.integers(0, 1024, 16).astype("i4")
        text = "\n".join(line for line in MODULE.splitlines() if not line.startswith("//"))
        self.text = text

    def kernel(self, text, **named):
        return Kernel("gather", text, located(text), [(numpy.dtype("f4"), (16, 128))], named.get("aliases", {}), False)

    def call(self, kernel, inputs, **options):
        """(results, the reported text, faults)"""
        cores = object.__new__(SparseCores)
        cores.bridge = types.SimpleNamespace(options=Options(**options), count=iter(range(9)), faults=0)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            results = list(cores.call(kernel, inputs))
        return results, told.getvalue(), cores.bridge.faults

    def test_a_gather(self):
        results, told, faults = self.call(self.kernel(self.text), [self.table, self.rows])
        self.assertEqual((told, faults), ("", 0))
        self.assertTrue((results[0] == self.table[self.rows]).all())

    def test_a_missing_wait_is_told_at_its_line_and_the_program_goes_on(self):
        waits = [n for n, line in enumerate(self.text.splitlines()) if "wait_indirect_dma" in line or "wait_dma" in line]
        lines = self.text.splitlines()
        del lines[waits[0]]
        text = "\n".join(lines)
        results, told, faults = self.call(self.kernel(text), [self.table, self.rows])
        self.assertEqual(faults, 1)
        self.assertRegex(told, r"^kernel\.py:10\d\d: error: .* \[[a-z-]+\]")
        self.assertEqual(results[0].shape, (16, 128))
        with self.assertRaisesRegex(Exception, "at fault"):
            self.call(self.kernel(text), [self.table, self.rows], stop=True)

    def test_without_checks(self):
        results, told, faults = self.call(self.kernel(self.text), [self.table, self.rows], fast=True)
        self.assertEqual((told, faults), ("", 0))
        self.assertTrue((results[0] == self.table[self.rows]).all())

    def test_results_by_their_place(self):
        kernel = self.kernel(self.text, aliases={0: 1})
        answer = {"operands": [1], "outputs": [numpy.full((16, 128), 7, "f4")]}
        [result] = kernel.results([self.table, self.rows], answer)
        self.assertTrue((result == 7).all())
        [result] = self.kernel(self.text).results([self.table], {"operands": [], "outputs": []})
        self.assertFalse(result.any())

    def test_a_module_that_is_none(self):
        with self.assertRaises(Exception) as caught:
            self.call(self.kernel("module {"), [self.table, self.rows])
        self.assertTrue(re.search(r"gather\.mlir", str(caught.exception)))


if __name__ == "__main__":
    unittest.main()
