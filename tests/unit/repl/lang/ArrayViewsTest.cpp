// Slices, transposed and reshaped arrays are views: writes go through them, as in NumPy. Also what must not be written.
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

std::string np(const std::string &code) { return Snippets().run("a = arange(12).reshape(3, 4)\n" + code); }

TEST(ArrayViews, AreWrittenThrough) {
  EXPECT_EQ(np("a[0][1] = 50\na[0].tolist()"), "[0, 50, 2, 3]");
  EXPECT_EQ(np("row = a[1]\nrow += 100\na[1].tolist()"), "[104, 105, 106, 107]");
  EXPECT_EQ(np("a.T[0] = 7\na[:, 0].tolist()"), "[7, 7, 7]");
  EXPECT_EQ(np("part = a[::2, 1:][:, ::-1]\npart[1, 0] = -1\na[2, 3], part.tolist()"),
            "(-1, [[3, 2, 1], [-1, 10, 9]])");
  EXPECT_EQ(np("for row in a: row[0] = 1\na[:, 0].tolist()"), "[1, 1, 1]");
  EXPECT_EQ(np("a[:, None][0, 0, 1] = 9\na[0, 1]"), "9");
  EXPECT_EQ(np("e = a[0, ...][1, ...]\ne += 5\na[0, 1]"), "6");
  EXPECT_EQ(np("a[0] = ones((1, 1, 4))\na[1, 0] = array([7])\na[:, [0]] = a[None, :, :1] + 1\na[:2].tolist()"),
            "[[2, 1, 1, 1], [8, 5, 6, 7]]");
  EXPECT_EQ(np("a[0] = ones((2, 4))"), "2:3: an array of shape (2, 4) does not broadcast to (4,)");
  EXPECT_EQ(run("z = zeros((2, 2), i32)\nz[0][1] = 3\nr = z[1]\nr += 1\nz.tolist()"), "[[0, 3], [1, 1]]");
}

TEST(ArrayViews, SeeWhatIsWritten) {
  EXPECT_EQ(np("v = a[:2].T\nbefore = v.sum()\na[0, 0] = 90\nbefore, v.sum(), v[0, 0]"), "(28, 118, 90)");
  EXPECT_EQ(np("v = a[1:]\nw = v[0]\nv[0, 0] = 70\nw[0], a[1, 0]"), "(70, 70)");
  EXPECT_EQ(np("a[1:] = a[:-1]\na.tolist()"), "[[0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7]]");
}

// A reshaped array is a view if strides reach its elements in order.
TEST(ArrayViews, Reshaped) {
  EXPECT_EQ(np("f = a.astype(i32, copy=False)\nf[0, 0] = 5\ng = a.astype(i32)\ng[0, 0] = 6\na[0, 0]"), "5");
  EXPECT_EQ(np("w = zeros((2, 3, 4))\nv = w[:, :, :2].reshape(2, 3, 2, 1)\nv[1, 2, 1, 0] = 3\nw[1, 2, 1]"), "3.0");
  EXPECT_EQ(np("w = zeros((2, 3, 4))\nv = w[:, 1:2].reshape(8)\nv[7] = 3\nw[1, 1, 3], v.sum()"),
            "(0.0, 3.0)"); // the rows are not evenly spaced, so reshape copies
  EXPECT_EQ(np("w = zeros((4, 3, 2))\nv = w[::2].reshape(2, 6)\nv[1, 5] = 3\nw[2, 2, 1]"), "3.0");
  EXPECT_EQ(np("w = zeros((4, 6))\nv = w[:, ::2].reshape(2, 2, 3, 1)\nv[1, 0, 2, 0] = 3\nw[2, 4]"), "3.0");
  EXPECT_EQ(np("zeros((0, 3)).reshape(3, 0).shape, ones(()).reshape(1, 1).tolist()"), "((3, 0), [[1.0]])");
}

// A write to a copy leaves the original as it was.
TEST(ArrayViews, Copies) {
  EXPECT_EQ(np("b = a[[0, 1]]\nb[0] = 9\nc = a[a > 5]\nc += 1\nd = a.flatten()\nd[0] = 9\n"
               "e = array(a)\ne[0] = 9\nf = a.copy()\nf += 1\na.tolist()"),
            "[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]");
  EXPECT_EQ(np("s = a[0, 1]\nt = s\ns += 1\ns, t, a[0, 1]"), "(2, 1, 1)");
}

TEST(ArrayViews, InPlace) {
  EXPECT_EQ(np("b = a\nb *= 2\na is b, a[0, 1]"), "(True, 2)");
  EXPECT_EQ(np("def bump(x):\n  x += 1\nbump(a[0])\na[0].tolist()"), "[1, 2, 3, 4]");
  EXPECT_EQ(np("a[[0, 2]] += 1\na[a > 9] *= 0\na.tolist()"), "[[1, 2, 3, 4], [4, 5, 6, 7], [9, 0, 0, 0]]");
}

// A failing entry changes neither the array nor its views.
TEST(ArrayViews, AreUndone) {
  Snippets session;
  session.run("z = zeros((2, 2), i32)\nrow = z[0]\nt = row.tolist()");
  session.run("row += 1\nz[1] = 5\nunknown");
  EXPECT_EQ(session.run("z.tolist(), row.tolist()"), "([[0, 0], [0, 0]], [0, 0])");
}

TEST(ArrayViews, Refused) {
  EXPECT_EQ(np("a += 0.5"),
            "2:1: `+=` keeps the array's dtype `i32`, and the result is of `f32`; write `x = x + …`, or "
            "convert with `astype` first");
  EXPECT_EQ(np("a[0] += a"), "2:1: `+=` keeps the array's shape (4,); the result has (3, 4)");
  EXPECT_EQ(np("a.T[5] = 1"), "2:5: index 5 is outside dimension 0 of size 4");
}

} // namespace
} // namespace lanescope::repl
