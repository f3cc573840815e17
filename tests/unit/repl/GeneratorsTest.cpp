// Functions that yield.
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

TEST(Generators, Items) {
  EXPECT_EQ(run("def f():\n  yield 1\n  yield from [2, 3]\n  for i in range(2):\n    yield i * 10, i\n"
                "list(f()), next(f()), [x for x in f() if x != 1]"),
            "([1, 2, 3, (0, 0), (10, 1)], 1, [2, 3, (0, 0), (10, 1)])");
  // An item is made when it is asked for.
  EXPECT_EQ(run("def f():\n  for i in range(3):\n    print('make', i)\n    yield i\nfor x in f():\n  print('take', x)"),
            "make 0\ntake 0\nmake 1\ntake 1\nmake 2\ntake 2");
  EXPECT_EQ(run("import itertools\ndef count():\n  n = 0\n  while True:\n    yield n\n    n += 1\n"
                "[x for x, _ in zip(count(), 'abc')], list(itertools.islice(count(), 2, 4))"),
            "([0, 1, 2], [2, 3])");
  EXPECT_EQ(run("def f():\n  return\n  yield\nlist(f()), next(f(), 'end')"), "([], 'end')");
  EXPECT_EQ(run("yield 1"), "1:1: `yield` stands in a function");
}

TEST(Generators, NestedAndRecursive) {
  EXPECT_EQ(run("def walk(n):\n  if n > 0:\n    yield from walk(n - 1)\n    yield n\n    yield from walk(n - 1)\n"
                "list(walk(3)), sum(walk(6))"),
            "([1, 2, 1, 3, 1, 2, 1], 120)");
  EXPECT_EQ(run("def a():\n  for x in b():\n    yield x + 1\ndef b():\n  yield 1\n  yield 2\n"
                "p, q = a(), a()\nnext(p), next(q), next(q), next(p)"),
            "(2, 2, 3, 3)");
  EXPECT_EQ(
      run("class T:\n  def __init__(self, n):\n    self.n = n\n  def __iter__(self):\n    for i in range(self.n):\n"
          "      yield i\nlist(T(3))"),
      "[0, 1, 2]");
}

TEST(Generators, Errors) {
  EXPECT_EQ(run("def f():\n  yield 1\n  raise ValueError('late')\nit = f()\nprint(next(it))\ntry:\n  next(it)\n"
                "except ValueError as e:\n  print(e)\nprint(next(it, 'end'))"),
            "1\nlate\nend");
  EXPECT_EQ(run("def f():\n  try:\n    yield 1\n  finally:\n    print('left')\nfor x in f():\n  print(x)"), "1\nleft");
  EXPECT_EQ(run("def f():\n  next(g)\n  yield 1\ng = f()\nnext(g)").substr(0, 44),
            "2:3: generator `f` is running already");
  EXPECT_EQ(run("def f(n):\n  yield f(n + 1)\n  yield from f(n + 1)\nfor x in f(0):\n  pass").find("deep") !=
                std::string::npos,
            true);
}

// One that is given up in the middle gives back what it holds, also when the session ends.
TEST(Generators, GivenUp) {
  Snippets s;
  EXPECT_EQ(s.run("def f():\n  x = [1] * 1000\n  while True:\n    yield len(x)\nnext(f())"), "1000");
  EXPECT_EQ(s.run("kept = f()\nnext(kept)"), "1000");
  EXPECT_EQ(s.run("next(kept)"), "1000");
}

TEST(Generators, ContextManagers) {
  const std::string timed = "from contextlib import contextmanager\n@contextmanager\ndef timed(name):\n"
                            "  print('begin', name)\n  try:\n    yield 42\n  finally:\n    print('end', name)\n";
  EXPECT_EQ(run(timed + "with timed('x') as v:\n  print(v)"), "begin x\n42\nend x");
  EXPECT_EQ(
      run(timed + "try:\n  with timed('x'):\n    raise KeyError('k')\nexcept KeyError as e:\n  print('caught', e)"),
      "begin x\nend x\ncaught 'k'");
  EXPECT_EQ(
      run("from contextlib import contextmanager\n@contextmanager\ndef quiet():\n  try:\n    yield\n"
          "  except ValueError as e:\n    print('swallowed', e)\nwith quiet():\n  raise ValueError('v')\nprint('on')"),
      "swallowed v\non");
}

} // namespace
} // namespace lanescope::repl
