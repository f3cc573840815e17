"""Tests forms of JAX's modules that occur in JAX's tests but rarely in its kernels (tests/golden/forms): compiles them,
emulates them with checks, and compares them with NumPy.

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy."""

import pathlib
import sys
import unittest

import numpy as np

from lanescope import Error, _native

GOLDEN = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".") / "tests/golden"
NAMES = {"float16": "f16", "float32": "f32", "int32": "i32", "int8": "i4"}


def run(text, *inputs, outputs):
    """The outputs of a module, whose run must have no findings."""
    arrays = [*inputs, *(np.zeros(shape, dtype) for shape, dtype in outputs)]
    module, info = _native.gpu_module("form.mlir", text, [])
    buffers = [(np.ascontiguousarray(each).reshape(-1).view(np.uint8), NAMES[each.dtype.name], each.shape) for each in arrays]
    answer = _native.run_gpu_module(module, buffers, 0, False, False, True, 60.0)
    assert not answer["findings"], answer["findings"][0]["text"]
    return [np.frombuffer(data, arrays[index].dtype).reshape(arrays[index].shape) for index, data in zip(info["outputs"], answer["outputs"])]


def form(name):
    return (GOLDEN / "forms" / f"{name}.mlir").read_text()


class Forms(unittest.TestCase):
    def setUp(self):
        self.x = np.random.default_rng(0).integers(-1000, 1000, (2, 64, 32)).astype(np.int32)

    def test_an_array_is_sent_to_another_block(self):
        [out] = run(form("send"), self.x, outputs=[(self.x.shape, np.int32)])
        self.assertTrue((out == self.x[::-1]).all())

    def test_an_array_is_combined_with_what_another_block_has(self):
        ops = {0: np.add, 1: np.minimum, 2: np.maximum, 3: np.bitwise_and, 4: np.bitwise_or, 5: np.bitwise_xor}
        for number, op in ops.items():
            with self.subTest(op=op.__name__):
                [out] = run(form("combine").replace("atomic_type = 0", f"atomic_type = {number}"), self.x, outputs=[(self.x.shape, np.int32)])
                self.assertTrue((out == op(10, self.x[::-1])).all())

    def test_floats_are_not_combined_on_the_way(self):
        text = form("combine").replace("i32, #gpu", "f32, #gpu").replace("x32xi32", "x32xf32").replace("dense<10>", "dense<10.0>")
        with self.assertRaisesRegex(Error, "combined with what is there as 32-bit integers, not as `f32`"):
            run(text, self.x.astype(np.float32), outputs=[(self.x.shape, np.float32)])

    def test_a_barrier_that_counts_for_each_copy_is_refused(self):
        text = form("send").replace("= mosaic_gpu.layout_cast x(%6 : vector<64x32xi32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], "
                                    "warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}", "= arith.constant dense<3> : vector<64x32xi32>")
        self.assertNotEqual(text, form("send"))
        with self.assertRaises(Error):
            run(text, self.x, outputs=[(self.x.shape, np.int32)])

    def test_dimensions_of_size_one_are_repeated(self):
        x = np.arange(128, dtype=np.float32).reshape(1, 128)
        [out] = run(form("stretch"), x, outputs=[((2, 4, 128), np.float32)])
        self.assertTrue((out == x).all())

    def test_arrays_are_taken_out_of_one_of_more_dimensions(self):
        """In JAX's form, before layout inference: the kernel doubles an array and exchanges its halves."""
        text = next((GOLDEN / "jax_dumps/tma_Warpgroup").glob("*.before_layout_inference.txt")).read_text()
        store = '      "mosaic_gpu.vector_store"(%56, %48)'
        swapped = """      %t = mosaic_gpu.layout_cast x(%56 : vector<128x128xf16>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
      %s = vector.shape_cast %t : vector<128x128xf16> to vector<2x64x128xf16>
      %a = vector.extract %s[1] : vector<64x128xf16> from vector<2x64x128xf16>
      %b = vector.extract %s[0] : vector<64x128xf16> from vector<2x64x128xf16>
      %r = mosaic_gpu.vector_concat(%a, %b : vector<64x128xf16>, vector<64x128xf16>) {dimension = 0 : i32} -> vector<128x128xf16>
"""
        self.assertIn(store, text)
        x = (np.arange(128 * 128) % 97).astype(np.float16).reshape(128, 128)
        [out] = run(text.replace(store, swapped + store.replace("%56", "%r")), x, outputs=[(x.shape, np.float16)])
        self.assertTrue((out == 2 * np.concatenate([x[64:], x[:64]])).all())

    def test_single_elements_of_four_bits(self):
        x = np.random.default_rng(1).integers(-8, 8, (4, 8)).astype(np.int8)
        [out] = run(form("nibbles"), x, outputs=[((3, 32), np.int32)])
        flat = x.reshape(-1).astype(np.int32)
        self.assertEqual(out[0, 1:].tolist(), flat[1:].tolist())
        self.assertEqual(out[0, 0], flat[-1])
        self.assertEqual(out[1].tolist(), (flat & 15).tolist())
        self.assertEqual(out[2].tolist(), ((flat & 15) < 5).astype(int).tolist())


if __name__ == "__main__":
    unittest.main()
