// Classes that inherit, their ways of Python's, and exceptions of the program's own.
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

TEST(Inheritance, MethodsFieldsAndSuper) {
  const std::string classes = "class A:\n  size = 64\n  twice = size * 2\n  def __init__(self, n):\n    self.n = n\n"
                              "  def area(self):\n    return self.n * self.size\n"
                              "class B(A):\n  size = 32\n  def __init__(self, n):\n    super().__init__(n + 1)\n"
                              "  def area(self):\n    return super().area() + 1\n"
                              "class C(B):\n  pass\n";
  EXPECT_EQ(run(classes + "A(2).area(), B(2).area(), C(2).area(), C.twice, C(1).n"), "(128, 97, 97, 128, 2)");
  EXPECT_EQ(run(classes + "isinstance(C(1), A), issubclass(C, B), isinstance(A(1), B), type(C(1)).__name__"),
            "(True, True, False, 'C')");
  EXPECT_EQ(run(classes + "C(1).missing"), "16:1: `C` has no attribute `missing`");
  // A diamond: the class behind comes after all that inherit it.
  EXPECT_EQ(
      run("class A:\n  def f(self):\n    return ['A']\nclass B(A):\n  def f(self):\n    return ['B'] + super().f()\n"
          "class C(A):\n  def f(self):\n    return ['C'] + super().f()\nclass D(B, C):\n  def f(self):\n"
          "    return ['D'] + super().f()\nD().f()"),
      "['D', 'B', 'C', 'A']");
  EXPECT_EQ(run("super()"), "1:1: `super()` stands in a method of a class");
}

TEST(Inheritance, PropertiesAndClassMethods) {
  EXPECT_EQ(
      run("class A:\n  @property\n  def label(self):\n    return 'a'\n  @classmethod\n  def make(cls):\n"
          "    return cls()\n  @staticmethod\n  def kind():\n    return 'k'\nclass B(A):\n  @property\n"
          "  def label(self):\n    return super().label + 'b'\nB.make().label, type(B.make()).__name__, B.kind()"),
      "('ab', 'B', 'k')");
  EXPECT_EQ(run("class A:\n  def __init__(self):\n    self._n = 1\n  @property\n  def n(self):\n    return self._n\n"
                "  @n.setter\n  def n(self, value):\n    self._n = value * 2\na = A()\na.n = 5\na.n"),
            "10");
  EXPECT_EQ(run("class A:\n  @property\n  def n(self):\n    return 1\nA().n = 2"),
            "5:1: property `n` of `A` has no setter");
}

TEST(Inheritance, Dataclasses) {
  const std::string classes = "from dataclasses import dataclass, field, asdict\n@dataclass\nclass Base:\n  x: int\n"
                              "  y: int = 2\n  def total(self):\n    return self.x + self.y\n@dataclass\n"
                              "class Child(Base):\n  z: int = 3\n  y: int = 5\n  def total(self):\n"
                              "    return super().total() + self.z\n";
  EXPECT_EQ(run(classes + "Child(1), Child(1, 2, 4).total(), Child(1) == Child(1), Base(1) == Child(1)"),
            "(Child(x=1, y=5, z=3), 7, True, False)");
  EXPECT_EQ(run(classes + "class Plain(Base):\n  pass\nPlain(4), Plain(1).total()"), "(Plain(x=4, y=2), 3)");
  EXPECT_EQ(run("from dataclasses import dataclass\n@dataclass(order=True)\nclass V:\n  x: int\n"
                "V(1) < V(2), max(V(1), V(3)).x if False else 3, sorted([V(3), V(1)])"),
            "(True, 3, [V(x=1), V(x=3)])");
  EXPECT_EQ(run("from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass F:\n  a: int = 1\n"
                "  b: list = field(default_factory=list, repr=False, compare=False)\n"
                "F(), F(2) == F(2, [1]), len({F(), F(1, [3])})"),
            "(F(a=1), True, 1)");
  EXPECT_EQ(run("import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass F:\n  a: int = 1\ntry:\n  F().a = 2\n"
                "except dataclasses.FrozenInstanceError as e:\n  print(type(e).__name__)"),
            "FrozenInstanceError");
  EXPECT_EQ(
      Snippets().kind("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass F:\n  a: int = 1\nF().a = 2"),
      "frozen");
  EXPECT_EQ(run(classes + "@dataclass\nclass Outer:\n  inner: Base\n  many: list\nasdict(Outer(Base(1), [Base(2)]))"),
            "{'inner': {'x': 1, 'y': 2}, 'many': [{'x': 2, 'y': 2}]}");
}

TEST(Inheritance, AbstractMethods) {
  const std::string shape = "import abc\nclass Shape(abc.ABC):\n  @abc.abstractmethod\n  def area(self):\n    ...\n"
                            "  @property\n  @abc.abstractmethod\n  def name(self):\n    ...\n";
  EXPECT_EQ(run(shape + "class S(Shape):\n  name = 's'\n  def area(self):\n    return 4\nS().area(), S().name"),
            "(4, 's')");
  EXPECT_EQ(run(shape + "Shape()"), "10:1: `Shape` is abstract: its method `area` is still to be written");
  EXPECT_EQ(run(shape + "class S(Shape):\n  def area(self):\n    return 4\nS()"),
            "13:1: `S` is abstract: its method `name` is still to be written");
}

TEST(Inheritance, ItemsSignsAndMembership) {
  EXPECT_EQ(
      run("class G:\n  def __init__(self):\n    self.d = {}\n  def __setitem__(self, k, v):\n    self.d[k] = v\n"
          "  def __getitem__(self, k):\n    return self.d[k]\n  def __contains__(self, k):\n    return k in self.d\n"
          "  def __neg__(self):\n    return 'neg'\n  def __lt__(self, other):\n    return len(self.d) < len(other.d)\n"
          "g = G()\ng[3] = 4\ng[3], 3 in g, 4 in g, -g, sorted([g, G()])[1] is g"),
      "(4, True, False, 'neg', True)");
  EXPECT_EQ(
      run("class It:\n  def __init__(self):\n    self.n = 0\n  def __iter__(self):\n    return self\n"
          "  def __next__(self):\n    self.n += 1\n    if self.n > 3:\n      raise StopIteration\n    return self.n\n"
          "list(It())"),
      "[1, 2, 3]");
}

TEST(Inheritance, ExceptionsOfTheProgram) {
  const std::string error = "class E(ValueError):\n  def __init__(self, name, *, code):\n"
                            "    super().__init__(f'{name} failed')\n    self.code = code\n"
                            "  def hint(self):\n    return self.code * 2\n";
  EXPECT_EQ(run(error + "try:\n  raise E('x', code=4)\nexcept ValueError as e:\n"
                        "  print(e, e.code, e.hint(), type(e).__name__, e.args, isinstance(e, E))"),
            "x failed 4 8 E ('x failed',) True");
  EXPECT_EQ(run(error + "raise E('x', code=4)"), "7:1: E: x failed");
  EXPECT_EQ(run("class E(Exception):\n  def __str__(self):\n    return f'<{self.args[0]}>'\ntry:\n  raise E(3)\n"
                "except E as e:\n  print(e, repr(e))"),
            "<3> E(3)");
  EXPECT_EQ(
      run("try:\n  try:\n    raise ValueError('in')\n  except ValueError as e:\n    raise RuntimeError('out') from e\n"
          "except RuntimeError as e:\n  print(e, repr(e.__cause__))"),
      "out ValueError('in')");
}

// What programs print of the errors that they catch.
TEST(Exceptions, TellWhatPythonsTell) {
  EXPECT_EQ(run("try:\n  assert 1 == 2, 'sizes'\nexcept AssertionError as e:\n  print(e)"), "sizes");
  EXPECT_EQ(run("try:\n  assert False\nexcept AssertionError as e:\n  print(repr(str(e)), e.args)"), "'' ()");
  EXPECT_EQ(run("assert 1 == 2, 'sizes'"), "1:8: assertion `1 == 2` does not hold: sizes");
  EXPECT_EQ(run("try:\n  {'ab': 1}['abc']\nexcept KeyError as e:\n  print(e)"), "'abc'");
}

TEST(Exceptions, EndWithBlocks) {
  const std::string manager =
      "class M:\n  def __init__(self):\n    self.log = []\n  def __enter__(self):\n    return self\n"
      "  def __exit__(self, kind, value, traceback):\n"
      "    self.log.append(kind.__name__ if kind else None)\n    return kind is KeyError\n";
  EXPECT_EQ(run(manager + "m = M()\nwith m:\n  raise KeyError('k')\nwith m:\n  pass\ntry:\n  with m:\n    1 // 0\n"
                          "except ZeroDivisionError:\n  pass\nm.log"),
            "['KeyError', None, 'ZeroDivisionError']");
  EXPECT_EQ(
      run("import contextlib\nwith contextlib.suppress(KeyError):\n  {}['a']\nwith contextlib.nullcontext(3) as v:\n"
          "  print(v)"),
      "3");
  EXPECT_EQ(run("import numpy as np\nwith np.testing.assert_raises(ValueError):\n  np.arange(3).reshape(2, 2)\n"
                "with np.testing.assert_raises(ValueError):\n  pass")
                .substr(0, 30),
            "4:6: AssertionError: <class 'V");
}

} // namespace
} // namespace lanescope::repl
