#include "tests/unit/repl/Snippets.h"

#include <thread>

namespace lanescope::repl {
namespace {

TEST(Evaluator, IntegersAsInPython) {
  EXPECT_EQ(run("7 // -2, 7 % -2, -7 // 2, -7 % 2, 2 ** 10, 2 ** -1, 7 / 2"), "(-4, -1, -4, 1, 1024, 0.5, 3.5)");
  EXPECT_EQ(run("5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, -9 >> 1"), "(1, 7, 6, -6, 16, -5)");
  EXPECT_EQ(run("True + True, True & False, not 3"), "(2, False, False)");
  EXPECT_EQ(run("-2 ** 2, 2 ** 3 ** 2, 10 - 3 - 2"), "(-4, 512, 5)");
}

TEST(Evaluator, IntegerOverflowIsAnError) {
  EXPECT_EQ(run("x = 2 ** 62\nx * 2"),
            "2:1: 4611686018427387904 * 2 does not fit in 64 bits; with a float operand the result is rounded instead");
  EXPECT_EQ(run("9223372036854775807 + 1").substr(0, 27), "1:1: 9223372036854775807 + ");
  EXPECT_EQ(run("-9223372036854775807 - 1"), "-9223372036854775808");
  EXPECT_EQ(Snippets().kind("(-9223372036854775807 - 1) // -1"), "integer-overflow");
  EXPECT_EQ(run("(-9223372036854775807 - 1) % -1"), "0");
  EXPECT_EQ(Snippets().kind("1 << 63"), "integer-overflow");
  EXPECT_EQ(Snippets().kind("1 << 1000"), "integer-overflow");
  EXPECT_EQ(run("1 / 0"), "1:1: division by zero");
}

TEST(Evaluator, Floats) {
  EXPECT_EQ(run("0.1 + 0.2, 1e16, 1e-5, 1.0, 123456789.0, -0.0, float('inf')"),
            "(0.30000000000000004, 1e+16, 1e-05, 1.0, 123456789.0, -0.0, inf)");
  EXPECT_EQ(run("-7.5 % 2, -7.5 // 2, round(2.5), round(3.5), round(2.675, 2)"), "(0.5, -4.0, 2, 4, 2.67)");
}

TEST(Evaluator, ComparisonsChain) {
  EXPECT_EQ(run("1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True, 'a' < 'b', [1, 2] < [1, 3], (1,) == [1]"),
            "(True, False, True, True, True, False)");
  EXPECT_EQ(run("2 in [1, 2], 'b' in 'abc', 3 not in (1, 2), 1 in {1: 2}, 4 in range(0, 10, 2), None is None"),
            "(True, True, True, True, True, True)");
  EXPECT_EQ(run("1 < 'a'"), "1:1: `int` and `str` have no order");
  // The middle operand is evaluated once.
  EXPECT_EQ(run("n = [0]\ndef f():\n  n[0] += 1\n  return 2\n1 < f() < 3\nn"), "True\n[1]");
}

TEST(Evaluator, BooleanOperatorsGiveAnOperand) {
  EXPECT_EQ(run("0 or 'x', 1 and 'y', '' or [] or 3, None and 1 / 0"), "('x', 'y', 3, None)");
  EXPECT_EQ(run("'a' if 1 > 2 else 'b'"), "'b'");
}

TEST(Evaluator, Unpacking) {
  EXPECT_EQ(run("a, b = 1, 2\na, b = b, a\na, b"), "(2, 1)");
  EXPECT_EQ(run("first, *middle, last = range(5)\nfirst, middle, last"), "(0, [1, 2, 3], 4)");
  EXPECT_EQ(run("(a, b), c = [1, 2], 3\na + b + c"), "6");
  EXPECT_EQ(run("a = b = [1]\na is b"), "True");
  EXPECT_EQ(run("a, b = 1, 2, 3"), "1:1: expected 2 values to unpack, found 3");
  EXPECT_EQ(run("a, b = 5"), "1:8: `int` cannot be iterated over");
  EXPECT_EQ(run("[*range(3), *'ab']"), "[0, 1, 2, 'a', 'b']");
}

TEST(Evaluator, Dataclasses) {
  Snippets s;
  s.run("@dataclass\nclass P:\n  \"\"\"A point.\"\"\"\n  x: int\n  y: int = 2\n  tags: list = "
        "field(default_factory=list, repr=False)\n"
        "  ORIGIN = 0\n  def sum(self, more=0):\n    return self.x + self.y + more\n  @property\n  def twice(self):\n  "
        "  return 2 * self.x\n"
        "@dataclass(frozen=True, order=True)\nclass Q:\n  a: int\n  b: int = 0\n");
  EXPECT_EQ(
      s.run("p = P(1)\np, p.sum(), p.sum(more=3), p.twice, P.ORIGIN, p == P(1, 2), p == P(2), P.__name__, P.__doc__"),
      "(P(x=1, y=2), 3, 6, 2, 0, True, False, 'P', 'A point.')");
  EXPECT_EQ(
      s.run("p.x = 5\np.tags.append(1)\np.x, P(1).tags, replace(p, y=7).y, isinstance(p, P), isinstance(3, (P, int))"),
      "(5, [], 7, True, True)");
  EXPECT_EQ(s.run("Q(1) < Q(1, 2), {Q(1): 'one'}[Q(1, 0)], sorted([Q(2), Q(1)])"),
            "(True, 'one', [Q(a=1, b=0), Q(a=2, b=0)])");
  EXPECT_EQ(s.run("Q(1).a = 2"), "1:1: `Q` is frozen; `replace(x, a=…)` gives a changed one");
  EXPECT_EQ(s.kind("Q(1).a = 2"), "frozen");
  EXPECT_EQ(s.run("P()"), "1:1: `P` needs a value for `x`");
  EXPECT_EQ(s.run("P(1, z=2)"), "1:6: `P` has no field `z`");
  EXPECT_EQ(s.run("P(1).sun()"), "1:1: `P` has no attribute `sun`; did you mean `sum`?");
  EXPECT_EQ(s.run("p.tags = [p]"), "1:10: an instance of `P` cannot contain itself");
  // A failing entry leaves an instance unchanged.
  s.run("p.x = 9\nassert False");
  EXPECT_EQ(s.run("p.x"), "5");
  EXPECT_EQ(s.run("@dataclass\nclass R:\n  n: int\n  def __post_init__(self):\n    self.n = self.n + 1\nR(1)"),
            "R(n=2)");
  // Two classes of one name are two classes.
  EXPECT_EQ(s.run("former = R\n@dataclass\nclass R:\n  n: int\nformer == R, R == R, isinstance(R(1), former)"),
            "(False, True, False)");
}

// Python that files may contain and snippets may not: each error gives the place and the alternative.
TEST(Evaluator, PythonThatSnippetsDoNotHave) {
  const std::string out = " is Python, which snippets and kernels do not have; a file with imports has it around its "
                          "kernels (`lanescope run FILE`)";
  EXPECT_EQ(run("try:\n  x = 1\nexcept ValueError:\n  pass\nfinally:\n  pass"), "1:1: `try`" + out);
  EXPECT_EQ(run("raise ValueError('x')"), "1:1: `raise`" + out);
  EXPECT_EQ(run("def f():\n  yield 1"), "2:3: `yield`" + out);
  EXPECT_EQ(run("def f():\n  x = yield 1"), "2:7: `yield`" + out);
  EXPECT_EQ(run("async def f():\n  pass"), "1:1: `async`" + out);
  EXPECT_EQ(run("match x:\n  case 1:\n    pass"), "1:1: `match`" + out);
  EXPECT_EQ(run("match (1, 2):\n  case 1:\n    pass"), "1:1: `match`" + out);
  EXPECT_EQ(run("class A:\n  pass"), "1:7: a class without `@dataclass`" + out);
  EXPECT_EQ(run("class A(B):\n  pass"), "1:9: a class that inherits" + out);
  EXPECT_EQ(run("@dataclass\nclass A:\n  def __add__(self, o):\n    return 1"), "3:7: a method `__add__`" + out);
  EXPECT_EQ(run("def f[T](x):\n  pass"), "1:6: a type parameter" + out);
  EXPECT_EQ(run("super()"), "1:1: `super`" + out);
  EXPECT_EQ(run("{1, 2}"), "1:1: a set" + out);
  EXPECT_EQ(run("{x for x in 'ab'}"), "1:1: a set" + out);
  EXPECT_EQ(run("set([1])"), "1:1: `set`" + out);
  EXPECT_EQ(run("'%d' % 1"), "1:1: `%` fills no text here; write an f-string: `f\"{x:.2f}\"`");
  EXPECT_EQ(run("ValueError"), "1:1: `ValueError`" + out);
  EXPECT_EQ(run("functools.partial"), "1:1: `functools`" + out);
  EXPECT_EQ(run("import torch").substr(0, 8), "1:8: sni");
  EXPECT_EQ(run("match = [1]\nmatch[0]: int = 2\nmatch, (lambda case: case)(3)"), "([2], 3)");
  EXPECT_EQ(run("def match(x):\n  return x\nmatch(3)"), "3");
}

TEST(Evaluator, IteratorsGiveAnItemOnce) {
  EXPECT_EQ(run("it = iter([1, 2, 3])\nnext(it), list(it), list(it), next(it, 'none')"), "(1, [2, 3], [], 'none')");
  EXPECT_EQ(run("it = iter('abcd')\nlist(zip(it, it)), zip()"), "([('a', 'b'), ('c', 'd')], <zip object>)");
  EXPECT_EQ(run("it = reversed([1, 2, 3, 4])\nfor v in it:\n  if v == 3:\n    break\n[*it]"), "[2, 1]");
  // Items are computed when they are requested.
  EXPECT_EQ(
      run("def f(x):\n  print('f', x)\n  return x > 1\nm = map(f, [1, 2, 3])\nprint('first')\nprint(any(m))\nlist(m)"),
      "first\nf 1\nf 2\nTrue\nf 3\n[True]");
  EXPECT_EQ(run("g = (x * x for x in [1, 2, 3] if x != 2)\na = next(g)\na, sum(g), list(g), g"),
            "(1, 9, [], <iterator object>)");
  EXPECT_EQ(run("rows = [[1, 2], [3]]\ng = (x for row in rows for x in row)\nnext(g), list(g)"), "(1, [2, 3])");
  EXPECT_EQ(run("e = enumerate('ab', 1)\na, b = e\na, b, next(filter(None, [0, 5]))"), "((1, 'a'), (2, 'b'), 5)");
  EXPECT_EQ(run("n = [3]\ndef less():\n  n[0] -= 1\n  return n[0]\nlist(iter(less, 0))"), "[2, 1]");
}

TEST(Evaluator, IteratorsMistakes) {
  EXPECT_EQ(run("next(iter([]))"), "1:1: the iterator has no more items; `next(it, default)` gives something then");
  EXPECT_EQ(Snippets().kind("next(iter([]))"), "no-item");
  EXPECT_EQ(run("next([1])"),
            "1:6: `iterator` of `next`: a `list` is no iterator; `iter(…)` makes one of what can be looped over");
  EXPECT_EQ(run("list(zip([1], [1, 2], strict=True))"), "1:6: argument 2 of `zip` is longer than those before it");
  EXPECT_EQ(run("list(zip([1, 2], [1], strict=True))"), "1:6: argument 2 of `zip` is shorter than those before it");
  EXPECT_EQ(run("it = iter([1])\nfor _ in range(1000):\n  it = map(str, it)"),
            "3:8: more than 100 iterators take items from each other; make a list of one of them");
}

TEST(Evaluator, ListsAreShared) {
  EXPECT_EQ(run("a = [1]\nb = a\nb.append(2)\na += [3]\na, b is a"), "([1, 2, 3], True)");
  EXPECT_EQ(run("a = [1, 2, 3, 4]\na[1:3] = [9]\na[::2], a[-1], a[5:]"), "([1, 4], 4, [])");
  EXPECT_EQ(run("d = {'a': 1}\nd['b'] = 2\ndel d['a']\nd | {'c': 3}"), "{'b': 2, 'c': 3}");
  EXPECT_EQ(run("(1, 2)[0] = 3"), "1:1: items of `tuple` cannot be assigned to; tuples cannot be changed, lists can");
}

TEST(Evaluator, Comprehensions) {
  EXPECT_EQ(run("[i * j for i in range(4) if i % 2 for j in range(2)]"), "[0, 1, 0, 3]");
  EXPECT_EQ(run("{k: v for k, v in enumerate('ab')}"), "{0: 'a', 1: 'b'}");
  EXPECT_EQ(run("i = 7\n[i for i in range(3)]\ni"), "[0, 1, 2]\n7");
  EXPECT_EQ(run("sum(i * i for i in range(4))"), "14");
}

TEST(Evaluator, Functions) {
  EXPECT_EQ(
      run("def f(a, b=2, *rest, c, d=4, **more):\n  return a, b, rest, c, d, more\nf(1, c=3), f(1, 2, 3, 4, c=5, e=6)"),
      "((1, 2, (), 3, 4, {}), (1, 2, (3, 4), 5, 4, {'e': 6}))");
  EXPECT_EQ(run("def f():\n  pass\nf() is None"), "True");
  EXPECT_EQ(run("def f(x):\n  return x\nf(*[1]), f(**{'x': 2})"), "(1, 2)");
  EXPECT_EQ(run("def f(x): return x\nf()"), "2:1: `f` needs a value for `x`");
  EXPECT_EQ(run("def f(x): return x\nf(1, 2)"), "2:6: `f` takes 1 positional argument, but 2 are given");
  EXPECT_EQ(run("def f(size): return size\nf(sise=1)"), "2:3: `f` has no parameter `sise`; did you mean `size`?");
  EXPECT_EQ(run("3(4)"), "1:1: `int` cannot be called");
}

TEST(Evaluator, Closures) {
  EXPECT_EQ(run("def adder(n):\n  def add(x):\n    return x + n\n  return add\nadder(2)(3)"), "5");
  EXPECT_EQ(run("fs = [lambda: i for i in range(3)]\n[f() for f in fs]"), "[2, 2, 2]"); // late binding, as in Python
  EXPECT_EQ(run("x = 1\ndef f():\n  y = x\n  x = 2\nf()").substr(0, 47),
            "3:7: `x` has no value here: the function binds ");
  EXPECT_EQ(run("def even(n): return True if n == 0 else odd(n - 1)\ndef odd(n): return False if n == 0 else even(n - "
                "1)\neven(10)"),
            "True");
}

TEST(Evaluator, Loops) {
  EXPECT_EQ(run("for i in range(10):\n  if i == 2: continue\n  if i == 4: break\n  print(i)\ni"), "0\n1\n3\n4");
  EXPECT_EQ(run("n = 27\nsteps = 0\nwhile n != 1:\n  n = n // 2 if n % 2 == 0 else 3 * n + 1\n  steps += 1\nsteps"),
            "111");
  EXPECT_EQ(run("def f():\n  for i in range(5):\n    while True:\n      return i\nf()"), "0");
}

TEST(Evaluator, FormattedStrings) {
  EXPECT_EQ(run("x = 3.14159\nf'{x:.2f}|{x:10.3f}|{42:>5}|{42:05d}|{255:#x}|{1234567:,}|{0.25:.0%}'"),
            "'3.14|     3.142|   42|00042|0xff|1,234,567|25%'");
  EXPECT_EQ(run("s = 'a'\nw = 4\nf'{s!r:>{w}}{{}}{s:*^5}'"), "\" 'a'{}**a**\"");
  EXPECT_EQ(run("y = [1]\nf'{y=} {1 + 1 = }'"), "'y=[1] 1 + 1 = 2'");
  EXPECT_EQ(run("f'{1:q}'"), "1:4: `q` is not a format: `q` is not understood");
  EXPECT_EQ(run("f'{1:99999999}'"),
            "1:4: `99999999` is not a format: a width or precision is a number of at most 10000");
}

TEST(Evaluator, LoopsWithElse) {
  EXPECT_EQ(run("for i in range(3):\n  if i == 5: break\nelse:\n  print('none')"), "none");
  EXPECT_EQ(run("for i in [1, 2]:\n  if i == 2: break\nelse:\n  print('none')\ni"), "2");
  EXPECT_EQ(run("n = 2\nwhile n:\n  n -= 1\nelse:\n  n = 'done'\nn"), "'done'");
  EXPECT_EQ(run("while True:\n  break\nelse:\n  print('never')\n1"), "1");
  EXPECT_EQ(run("for i in range(3):\n  for j in ():\n    pass\n  else:\n    break\ni"), "0"); // breaks the outer loop
}

TEST(Evaluator, Assertions) {
  EXPECT_EQ(run("assert 1 == 2"), "1:8: assertion `1 == 2` does not hold");
  EXPECT_EQ(run("assert 1 == 2, f'got {1}'"), "1:8: assertion `1 == 2` does not hold: got 1");
}

TEST(Evaluator, UnknownNames) {
  EXPECT_EQ(run("zeross(3)"), "1:1: name `zeross` is not defined; did you mean `zeros`?");
  EXPECT_EQ(run("'a'.uper()"), "1:5: `str` has no attribute `uper`; did you mean `upper`?");
  EXPECT_EQ(run("{'shape': 1}['shap']"), "1:14: the dict has no key 'shap'; did you mean 'shape'?");
  EXPECT_EQ(run("x = 1\ndel x\nx"), "3:1: name `x` is not defined");
}

TEST(Evaluator, ErrorsNameTheCallsThatLedToThem) {
  Evaluator evaluator(hostBuiltins());
  auto done = evaluator.run(Source::make("t.py", "def f(x):\n  return 1 / x\ndef g():\n  return f(0)\ng()\n"));
  ASSERT_FALSE(done);
  EXPECT_EQ(render(done.error()), R"(t.py:2:10: error: division by zero
    return 1 / x
           ^~~~~
t.py:4:10: note: in the call of `f` here
    return f(0)
           ^~~~
t.py:5:1: note: in the call of `g` here
  g()
  ^~~
)");
}

// --- a failing entry leaves no trace ---------------------------------------------------------------------------------

TEST(Rollback, NamesListsDictsAndArrays) {
  Snippets session;
  EXPECT_EQ(session.run("x = [1]\nd = {'k': [5]}\na = zeros(2)\nkeep = x"), "");
  EXPECT_EQ(session.run("x.append(2)\nd['k'].append(6)\nd['new'] = 1\na[0] = 9\ny = 3\ndel keep\nx = 4\n1 / 0"),
            "8:1: division by zero");
  EXPECT_EQ(session.run("x, d, a, keep is x"), "([1], {'k': [5]}, array([0., 0.], dtype=f32), True)");
  EXPECT_EQ(session.kind("y"), "unknown-name");
}

TEST(Rollback, ASyntaxErrorRunsNothing) {
  Snippets session;
  EXPECT_EQ(session.run("x = 1\ny = (\n"), "2:5: `(` is never closed");
  EXPECT_EQ(session.kind("x"), "unknown-name");
}

TEST(Rollback, SortingByAFailingKey) {
  Snippets session;
  session.run("x = [3, 0, 1]");
  EXPECT_EQ(session.run("x.sort(key=lambda v: 1 / v)"), "1:22: division by zero");
  EXPECT_EQ(session.run("x"), "[3, 0, 1]");
}

// --- limits ----------------------------------------------------------------------------------------------------------

TEST(Limits, SizesAreCheckedBeforeTheMemoryIsTaken) {
  EXPECT_EQ(Snippets().kind("[0] * 10**12"), "too-large");
  EXPECT_EQ(Snippets().kind("'a' * 10**12"), "too-large");
  EXPECT_EQ(Snippets().kind("'ab' * 9223372036854775807"), "too-large");
  EXPECT_EQ(Snippets().kind("list(range(10**15))"), "too-large");
  EXPECT_EQ(Snippets().kind("[i for i in range(10**15)]"), "too-large");
  EXPECT_EQ(Snippets().kind("''.ljust(10**12)"), "too-large");
  EXPECT_EQ(Snippets().kind("zeros((2**15, 2**15))"), "too-large");
  EXPECT_EQ(Snippets().kind("zeros((2**62, 2**62))"), "value");
  EXPECT_EQ(Snippets().kind("ones((2**15, 1)) + ones((1, 2**15))"), "too-large");
  EXPECT_EQ(Snippets().kind("x = 'a' * 2**20\nwhile True: x = x + x"), "too-large");
}

TEST(Limits, ArraysWithoutElementsOfHugeDimensions) {
  EXPECT_EQ(run("zeros((0, 9)).shape"), "(0, 9)");
  for (const char *shape : {"(0, 100000, 1000000)", "(1000000, 0, 100000)", "[i * i for i in range(12)]"})
    EXPECT_NE(run(std::string("zeros(") + shape + ")").find("has no elements, and its other dimensions are too large"),
              std::string::npos)
        << run(std::string("zeros(") + shape + ")");
}

TEST(Limits, MemoryOfTheSession) {
  Limits limits;
  limits.sessionBytes = 1; // the first check of the memory finds too much
  EXPECT_EQ(Snippets(limits).kind("x = []\nwhile True: x.append('a' * 1000000)"), "out-of-memory");
}

TEST(Limits, RecursionIsAnError) {
  Limits limits;
  limits.stackBytes = 6 << 20; // frames are larger under sanitizers
  EXPECT_EQ(Snippets(limits).run("def f(n): return f(n + 1)\nf(0)"), "1:18: calls nest more than 400 deep");
  // With deep expressions around the call, the stack is exhausted first.
  std::string nested = "def f(n): return " + std::string(40, '(') + "-" + "f(n + 1)" + std::string(40, ')') + "\nf(0)";
  limits = {};
  limits.callDepth = 1'000'000;
  EXPECT_EQ(Snippets(limits).kind(nested), "recursion");
}

TEST(Limits, StepsAndInterruption) {
  Limits limits;
  limits.steps = 1000;
  EXPECT_EQ(Snippets(limits).kind("while True: pass"), "too-long");
  Snippets session;
  session.run("x = 1");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    session.evaluator.interrupt();
  });
  EXPECT_EQ(session.kind("x = 2\nwhile True: pass"), "interrupted");
  other.join();
  EXPECT_EQ(session.run("x"), "1");
}

TEST(Limits, DeepAndSharedStructures) {
  EXPECT_EQ(run("x = []\nfor i in range(50000): x = [x]\nlen(x)"), "1"); // destroyed without recursion
  EXPECT_EQ(run("x = ()\nfor i in range(50000): x = (x,)\nlen(repr(x)) < 1000"), "True");
  EXPECT_EQ(run("f = lambda: 0\nfor i in range(20000): f = (lambda g: lambda: g)(f)\nf is None"), "False");
  EXPECT_EQ(run("x = []\nx.append(x)"), "2:10: a list cannot contain itself");
  EXPECT_EQ(run("x = {}\ny = [x]\nx['y'] = y"), "3:10: a dict cannot contain itself");
  EXPECT_EQ(Snippets().kind("x = [1]\nfor i in range(40): x = [x, x]\nlen(repr(x)) > 0"), "");
}

TEST(Limits, RingsOfFunctionsDoNotLeak) { // the sanitized build checks for leaks
  EXPECT_EQ(run("def f():\n  xs = []\n  def g(): return xs\n  xs.append(g)\n  return g\nf() is None"), "False");
}

} // namespace
} // namespace lanescope::repl
