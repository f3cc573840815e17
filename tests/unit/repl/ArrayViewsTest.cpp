// Slices, transposed and reshaped arrays are views: written through, as NumPy's are. And what must not be written.
#include "repl/kernel/pallas/Pallas.h"
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

std::string np(const std::string &code) {
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  return Snippets({}, moduleBuiltins(pallasModules(runtime)))
      .run("import numpy as np\nimport jax.numpy as jnp\na = np.arange(12).reshape(3, 4)\n" + code);
}

TEST(ArrayViews, AreWrittenThrough) {
  EXPECT_EQ(np("a[0][1] = 50\na[0].tolist()"), "[0, 50, 2, 3]");
  EXPECT_EQ(np("row = a[1]\nrow += 100\na[1].tolist()"), "[104, 105, 106, 107]");
  EXPECT_EQ(np("a.T[0] = 7\na[:, 0].tolist()"), "[7, 7, 7]");
  EXPECT_EQ(np("part = a[::2, 1:][:, ::-1]\npart[1, 0] = -1\na[2, 3], part.tolist()"),
            "(np.int64(-1), [[3, 2, 1], [-1, 10, 9]])");
  EXPECT_EQ(np("for row in a: row[0] = 1\na[:, 0].tolist()"), "[1, 1, 1]");
  EXPECT_EQ(np("x, y = np.split(a, [1])\ny[...] = 0\nx.sum(), a.sum()"), "(np.int64(6), np.int64(6))");
  EXPECT_EQ(np("a[:, None][0, 0, 1] = 9\na[0, 1]"), "np.int64(9)");
  EXPECT_EQ(np("e = a[0, ...][1, ...]\ne += 5\na[0, 1]"), "np.int64(6)");
  EXPECT_EQ(np("a.swapaxes(0, 1)[3, 0] = 8\na[0, 3]"), "np.int64(8)");
  EXPECT_EQ(np("a[0] = np.ones((1, 1, 4))\na[1, 0] = np.array([7])\na[:, [0]] = a[None, :, :1] + 1\na[:2].tolist()"),
            "[[2, 1, 1, 1], [8, 5, 6, 7]]");
  EXPECT_EQ(np("a[0] = np.ones((2, 4))"), "4:3: an array of shape (2, 4) does not broadcast to (4,)");
  // The language's own arrays, too.
  EXPECT_EQ(run("z = zeros((2, 2), i32)\nz[0][1] = 3\nr = z[1]\nr += 1\nz.tolist()"), "[[0, 3], [1, 1]]");
}

TEST(ArrayViews, SeeWhatIsWritten) {
  EXPECT_EQ(np("v = a[:2].T\nbefore = v.sum()\na[0, 0] = 90\nbefore, v.sum(), v[0, 0]"),
            "(np.int64(28), np.int64(118), np.int64(90))");
  EXPECT_EQ(np("v = a[1:]\nw = v[0]\nv[0, 0] = 70\nw[0], a[1, 0]"), "(np.int64(70), np.int64(70))");
  EXPECT_EQ(np("a[1:] = a[:-1]\na.tolist()"), "[[0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7]]");
}

// As NumPy's: where strides reach the elements in their order.
TEST(ArrayViews, Reshaped) {
  EXPECT_EQ(np("f = a.ravel()\nf[3] = 1000\na[0, 3]"), "np.int64(1000)");
  EXPECT_EQ(np("f = a[0, ::2].ravel()\nf[0] = 5\na[0, 0], f.tolist()"), "(np.int64(0), [5, 2])");
  EXPECT_EQ(np("f = a.astype(np.int64, copy=False)\nf[0, 0] = 5\ng = a.astype(np.int64)\ng[0, 0] = 6\na[0, 0]"),
            "np.int64(5)");
  EXPECT_EQ(np("g = a.T.ravel()\ng[0] = 5\na[0, 0], g[:3].tolist()"), "(np.int64(0), [5, 4, 8])");
  EXPECT_EQ(np("w = np.zeros((2, 3, 4))\nv = w[:, :, :2].reshape(2, 3, 2, 1)\nv[1, 2, 1, 0] = 3\nw[1, 2, 1]"),
            "np.float64(3.0)");
  EXPECT_EQ(np("w = np.zeros((2, 3, 4))\nv = w[:, 1:2].reshape(8)\nv[7] = 3\nw[1, 1, 3], v.sum()"),
            "(np.float64(0.0), np.float64(3.0))"); // the rows are not evenly apart: a copy
  EXPECT_EQ(np("w = np.zeros((4, 3, 2))\nv = w[::2].reshape(2, 6)\nv[1, 5] = 3\nw[2, 2, 1]"), "np.float64(3.0)");
  EXPECT_EQ(np("w = np.zeros((4, 6))\nv = w[:, ::2].reshape(2, 2, 3, 1)\nv[1, 0, 2, 0] = 3\nw[2, 4]"),
            "np.float64(3.0)");
  EXPECT_EQ(np("w = np.zeros((1, 3))\nv = w.squeeze()\nv[1] = 2\nw.tolist()"), "[[0.0, 2.0, 0.0]]");
  EXPECT_EQ(np("np.zeros((0, 3)).reshape(3, 0).shape, np.ones(()).reshape(1, 1).tolist()"), "((3, 0), [[1.0]])");
}

// What NumPy copies is a copy.
TEST(ArrayViews, Copies) {
  EXPECT_EQ(np("b = a[[0, 1]]\nb[0] = 9\nc = a[a > 5]\nc += 1\nd = a.flatten()\nd[0] = 9\n"
               "e = np.array(a)\ne[0] = 9\nf = a.copy()\nf += 1\na.tolist()"),
            "[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]");
  EXPECT_EQ(np("s = a[0, 1]\nt = s\ns += 1\ns, t, a[0, 1]"), "(np.int64(2), np.int64(1), np.int64(1))");
}

TEST(ArrayViews, InPlace) {
  EXPECT_EQ(np("b = a\nb *= 2\na is b, a[0, 1]"), "(True, np.int64(2))");
  EXPECT_EQ(np("def bump(x):\n  x += 1\nbump(a[0])\na[0].tolist()"), "[1, 2, 3, 4]");
  EXPECT_EQ(np("a[[0, 2]] += 1\na[a > 9] *= 0\na.tolist()"), "[[1, 2, 3, 4], [4, 5, 6, 7], [9, 0, 0, 0]]");
  EXPECT_EQ(np("b = np.asarray(a)\nb[0, 0] = 3\na[0, 0], np.asarray(a, np.float32) is a"), "(np.int64(3), False)");
  EXPECT_EQ(np("p = np.array([3, 1, 2])\np[::-1].sort()\np.tolist()"), "[3, 2, 1]");
  EXPECT_EQ(np("a[1].fill(4)\nnp.copyto(a[2], 5)\nnp.fill_diagonal(a, 0)\na.tolist()"),
            "[[0, 1, 2, 3], [4, 0, 4, 4], [5, 5, 0, 5]]");
  EXPECT_EQ(np("k = np.arange(9)\nnp.random.default_rng(0).shuffle(k[3:])\nk[:3].tolist(), sorted(k.tolist())"),
            "([0, 1, 2], [0, 1, 2, 3, 4, 5, 6, 7, 8])");
  // JAX's do not change: the name is bound to another array.
  EXPECT_EQ(np("j = jnp.zeros(3)\nk = j\nj += 1\nk.tolist(), j.tolist()"), "([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])");
}

// A failing entry leaves nothing behind, in the array or its views.
TEST(ArrayViews, AreUndone) {
  Snippets session;
  session.run("z = zeros((2, 2), i32)\nrow = z[0]\nt = row.tolist()");
  session.run("row += 1\nz[1] = 5\nunknown");
  EXPECT_EQ(session.run("z.tolist(), row.tolist()"), "([[0, 0], [0, 0]], [0, 0])");
}

TEST(ArrayViews, Refused) {
  EXPECT_EQ(np("a += 0.5"),
            "4:1: `+=` keeps the array's dtype `i64`, and the result is of `f64`; write `x = x + …`, or "
            "convert with `astype` first");
  EXPECT_EQ(np("a[0] += a"), "4:1: `+=` keeps the array's shape (4,); the result has (3, 4)");
  const std::string readOnly = "this array is read-only: its elements are another array's, repeated or read as another "
                               "dtype; write to a copy: `x = x.copy()`";
  EXPECT_EQ(np("np.broadcast_to(a[0], (2, 4))[0] = 1"), "4:1: " + readOnly);
  EXPECT_EQ(np("u = a.view(np.uint64)\nu[0] += 1"), "5:1: " + readOnly);
  EXPECT_EQ(np("np.random.default_rng(0).shuffle(jnp.zeros(3))"),
            "4:34: JAX's arrays do not change; write `x = x.at[index].set(value)`");
  EXPECT_EQ(np("jnp.zeros(3)[0] = 1"), "4:1: JAX's arrays do not change; write `x = x.at[index].set(value)`");
  EXPECT_EQ(np("a.T[5] = 1"), "4:5: index 5 is outside dimension 0 of size 4");
}

// str() and repr() as the libraries have them.
TEST(ArrayTexts, OfNumpyAndJax) {
  EXPECT_EQ(np("print(a)"), "[[ 0  1  2  3]\n [ 4  5  6  7]\n [ 8  9 10 11]]");
  EXPECT_EQ(np("np.arange(3) / 2, np.zeros(2, np.float32), np.float32(1.1), jnp.ones(2), np.array([True, True])"),
            "(array([0. , 0.5, 1. ]), array([0., 0.], dtype=float32), np.float32(1.1), Array([1., 1.], dtype=float32), "
            "array([ True,  True]))");
  EXPECT_EQ(np("print(np.array([16777.1, 0.5]), np.array([1.1, 1.25e10], np.float32), np.array([np.nan, 1, -np.inf]))"),
            "[1.67771e+04 5.00000e-01] [1.10e+00 1.25e+10] [ nan   1. -inf]");
  EXPECT_EQ(np("print(jnp.arange(4, dtype=jnp.bfloat16) * 0.3)"), "[0 0.300781 0.601562 0.902344]");
  EXPECT_EQ(np("np.zeros((0, 3)), jnp.zeros(0)"),
            "(array([], shape=(0, 3), dtype=float64), Array([], shape=(0,), dtype=float32))");
  EXPECT_EQ(np("np.arange(2000)"), "array([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))");
  EXPECT_EQ(np("print(np.arange(30) * 1.5)"),
            "[ 0.   1.5  3.   4.5  6.   7.5  9.  10.5 12.  13.5 15.  16.5 18.  19.5\n"
            " 21.  22.5 24.  25.5 27.  28.5 30.  31.5 33.  34.5 36.  37.5 39.  40.5\n 42.  43.5]");
  EXPECT_EQ(np("np.arange(12, dtype=np.float32) * 1.1"),
            "array([ 0.       ,  1.1      ,  2.2      ,  3.3000002,  4.4      ,\n"
            "        5.5      ,  6.6000004,  7.7000003,  8.8      ,  9.900001 ,\n"
            "       11.       , 12.1      ], dtype=float32)");
  EXPECT_EQ(
      np("x = np.zeros(3, np.float16)\nprint(x.dtype, x.dtype.name, f'{x.dtype}', x.dtype == np.float16)\nx.dtype"),
      "float16 float16 float16 True\ndtype('float16')");
}

} // namespace
} // namespace lanescope::repl
