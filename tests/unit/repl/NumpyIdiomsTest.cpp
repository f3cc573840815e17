// NumPy's and JAX's ways that reference implementations rely on. What is expected is what NumPy 2.5 and JAX 0.11.2
// print.
#include "repl/kernel/pallas/Pallas.h"
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

std::string withJax(std::string snippet) {
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  return Snippets({}, moduleBuiltins(pallasModules(runtime)))
      .run("import numpy as np\nimport jax, jax.numpy as jnp\n" + std::move(snippet));
}

TEST(NumpyIdioms, ListsCountAsArrays) {
  EXPECT_EQ(withJax("print(np.add([1, 2], [3, 4]), np.array([1, 2]) * [3, 4], [1, 2] + np.array([1, 1]), "
                    "np.array([1, 2]) == [1, 3], np.logical_and([1, 0], [1, 1]), np.logical_not([1, 0]))"),
            "[4 6] [3 8] [2 3] [ True False] [ True False] [False  True]");
  EXPECT_EQ(
      withJax("print(np.where([True, False], 1, 2), np.maximum([1, 5], [3, 2]), np.abs([-1, 2]), "
              "np.reshape([1, 2, 3, 4], (2, 2)).shape, np.searchsorted([1, 3], 2), np.sum([[1, 2], [3, 4]], axis=0))"),
      "[1 2] [3 5] [1 2] (2, 2) 1 [4 6]");
}

TEST(NumpyIdioms, FunctionsOfElementsAsFunctionsOfArrays) {
  EXPECT_EQ(
      withJax("x = np.zeros(4)\nnp.add.at(x, [1, 1, 3], [1.0, 2.0, 5.0])\n"
              "print(x, np.add.reduce([1, 2, 3]), np.maximum.accumulate([1, 3, 2]), np.multiply.outer([1, 2], [3, 4]), "
              "np.add.reduceat(np.arange(8.0), [0, 2, 5]))"),
      "[0. 3. 0. 5.] 6 [1 3 3] [[3 4]\n [6 8]] [ 1.  9. 18.]");
}

TEST(NumpyIdioms, WindowsBlocksAndChoices) {
  EXPECT_EQ(withJax("w = np.lib.stride_tricks.sliding_window_view(np.arange(5), 3)\nprint(w[1], w.shape, "
                    "np.lib.stride_tricks.sliding_window_view(np.zeros((3, 4, 2)), (2, 2), axis=(0, 1)).shape)"),
            "[1 2 3] (3, 3) (2, 3, 2, 2, 2)");
  EXPECT_EQ(withJax("print(np.block([[np.eye(2), np.ones((2, 1))], [np.zeros((1, 3))]]).tolist(), "
                    "np.select([np.array([1, 2]) > 1], [np.array([5, 6])], 0), np.full((2, 2), [1, 2]).tolist(), "
                    "np.delete([1, 2, 3], 1), np.insert([1, 2], 1, 5), np.mgrid[0:2, 0:3].shape)"),
            "[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]] [0 6] [[1, 2], [1, 2]] [1 3] [1 5 2] (2, 2, 3)");
  EXPECT_EQ(withJax("a = np.array([[3, 1, 2], [9, 7, 8]])\nb = np.zeros_like(a)\n"
                    "np.put_along_axis(b, np.argsort(a, axis=1), np.sort(a, axis=1), axis=1)\n"
                    "print((a == b).all(), np.unique([3, 1, 1], return_counts=True), np.unique([3, 1, 1], "
                    "return_inverse=True)[1])"),
            "True (array([1, 3]), array([2, 1])) [1 0 0]");
  EXPECT_EQ(withJax("m, e = np.frexp(np.array([8.0, 0.3]))\nprint(m, e, np.polyval([1, 2, 3], 2), "
                    "np.average([1.0, 2.0], weights=[3, 1]), np.bitwise_count(np.array([7, 8])), "
                    "np.unpackbits(np.array([5], np.uint8)))"),
            "[0.5 0.6] [ 4 -1] 11 1.25 [3 1] [0 0 0 0 0 1 0 1]");
}

TEST(NumpyIdioms, NumbersArePrintedAsTheirDtypesAre) {
  EXPECT_EQ(
      withJax("print(np.float32(1e6), np.float32(999999.0), np.float32(1234567.0), np.float16(1000), np.float16(999), "
              "np.float64(1e15), np.float32(1e-4), jnp.array(1e6))"),
      "1e+06 999999.0 1.234567e+06 1e+03 999.0 1000000000000000.0 1e-04 1e+06");
  EXPECT_EQ(withJax("print(np.array([1e6], np.float32), np.array([2048.0], np.float16), np.array([1e6]))"),
            "[1.e+06] [2.048e+03] [1000000.]");
  EXPECT_EQ(withJax("print(f'{np.float32(0.1)} {np.float32(1e6)} {np.float64(0.1)} {np.float32(0.1):.2f}')"),
            "0.10000000149011612 1000000.0 0.1 0.10");
  EXPECT_EQ(
      withJax("[v for v in jnp.arange(2.0)], jnp.float32(1.5), jnp.sum(jnp.ones(3))"),
      "([Array(0., dtype=float32), Array(1., dtype=float32)], Array(1.5, dtype=float32), Array(3., dtype=float32))");
  EXPECT_EQ(
      withJax(
          "print(np.float32, jnp.bfloat16, jnp.dtype(jnp.bfloat16), jnp.bfloat16.__name__, np.dtype(np.int8).name)"),
      "<class 'numpy.float32'> <class 'jax.numpy.bfloat16'> bfloat16 bfloat16 int8");
}

TEST(NumpyIdioms, PrintOptions) {
  EXPECT_EQ(
      withJax("with np.printoptions(precision=3, suppress=True):\n  print(np.array([1.23456, 1e-9]))\n"
              "with np.printoptions(threshold=5, edgeitems=2):\n  print(np.arange(10))\nprint(np.array([1 / 3]))"),
      "[1.235 0.   ]\n[0 1 ... 8 9]\n[0.33333333]");
  EXPECT_EQ(withJax("np.set_printoptions(precision=4)\nprint(np.array([1.23456789]))"), "[1.2346]");
  EXPECT_EQ(withJax("print(np.array([1.23456789]))"), "[1.23456789]"); // another session's
}

TEST(NumpyIdioms, NumbersAreInstancesAndKeys) {
  EXPECT_EQ(
      withJax(
          "print(isinstance(np.float64(1), float), isinstance(np.float32(1), float), "
          "isinstance(np.float32(1), np.floating), isinstance(np.int64(1), np.integer), isinstance(1.0, np.floating))"),
      "True False True True False");
  EXPECT_EQ(withJax("d = {3: 'x'}\nprint(d[np.int64(3)], np.int64(3) in {3}, [np.int64(1), np.float32(2)] == [1, 2], "
                    "(jnp.int32(4),) == (4,))"),
            "x True True True");
}

TEST(JaxIdioms, IndicesThatOccurTwiceCountTwice) {
  EXPECT_EQ(
      withJax("x = jnp.zeros(4)\nprint(x.at[jnp.array([0, 0, 2])].add(1.0), x.at[jnp.array([1, "
              "1])].add(jnp.array([1.0, 2.0])), "
              "jnp.ones(2).at[jnp.array([0, 0])].multiply(3.0), x.at[jnp.array([1, 1])].max(jnp.array([5.0, 2.0])), "
              "jnp.zeros((2, 2), jnp.int32).at[jnp.array([0, 0]), jnp.array([1, 1])].add(1).tolist())"),
      "[2. 0. 1. 0.] [0. 3. 0. 0.] [9. 1.] [0. 5. 0. 0.] [[0, 2], [0, 0]]");
  EXPECT_EQ(withJax("print(jax.ops.segment_sum(jnp.arange(4.0), jnp.array([0, 0, 1, 7]), num_segments=2))"), "[1. 2.]");
  EXPECT_EQ(withJax("x = jnp.arange(3.0)\nprint(x.at[7].get(mode='fill', fill_value=-1), x.at[jnp.array([0, "
                    "9])].set(5.0, mode='drop'), "
                    "x.at[jnp.array([0, 9])].get(mode='clip'), x.at[1].apply(jnp.negative))"),
            "-1.0 [5. 1. 2.] [0. 2.] [ 0. -1.  2.]");
}

TEST(JaxIdioms, Conversions) {
  // What rounds beyond the largest float of 8 bits is NaN or infinite; integers that do not fit are the nearest.
  EXPECT_EQ(withJax("print(jnp.array([464.0, 465.0, -1e9]).astype(jnp.float8_e4m3fn), jnp.array([61439.0, "
                    "61440.0]).astype(jnp.float8_e5m2))"),
            "[448 nan nan] [57344 inf]");
  EXPECT_EQ(withJax("print(jnp.array([300.7, -5.5, jnp.nan]).astype(jnp.uint8), jnp.array([1e10]).astype(jnp.int32), "
                    "jnp.array([7.9, -9.0]).astype(jnp.int4))"),
            "[255   0   0] [2147483647] [7 -8]");
  EXPECT_EQ(withJax("print(jax.lax.shift_right_logical(-1, 28))"), "15");
}

TEST(JaxIdioms, TreesAreInTheOrderOfTheirKeys) {
  EXPECT_EQ(
      withJax(
          "print(jax.tree.leaves({'b': 1, 'a': 2, 10: 3} if False else {'b': 1, 'a': 2}), "
          "jax.tree.map(lambda x: x, {'b': 1, 'a': 2}), jax.tree.leaves({10: 'x', 9: 'y'}), jax.tree.all([True, 1]))"),
      "[2, 1] {'a': 2, 'b': 1} ['y', 'x'] True");
  EXPECT_EQ(withJax("c, ys = jax.lax.scan(lambda c, x: (c + x['a'], {'s': c, 'b': x['b']}), 0.0, {'a': "
                    "jnp.arange(3.0), 'b': jnp.ones(3)})\n"
                    "print(c, ys['s'], ys['b'])"),
            "3.0 [0. 0. 1.] [1. 1. 1.]");
  EXPECT_EQ(withJax("jax.eval_shape(lambda x: x.T @ x, jax.ShapeDtypeStruct((2, 3), jnp.float32))"),
            "ShapeDtypeStruct(shape=(3, 3), dtype=float32)");
}

TEST(JaxIdioms, PartsOfArrays) {
  EXPECT_EQ(
      withJax("from jax import lax\nx = jnp.arange(6).reshape(2, 3)\nprint(lax.slice(x, (0, 1), (2, 3)).tolist(), "
              "lax.slice_in_dim(x, 1, 3, axis=1).tolist(), lax.index_in_dim(x, 1, 0, keepdims=False), "
              "lax.pad(jnp.ones(2), 0.0, [(1, 1, 1)]), lax.dynamic_slice(x, (1, 1), (1, 2)), jax.__version__)"),
      "[[1, 2], [4, 5]] [[1, 2], [4, 5]] [3 4 5] [0. 1. 0. 1. 0.] [[4 5]] 0.11.2");
}

} // namespace
} // namespace lanescope::repl
