// Imports, classes, exceptions, and the modules of Python and NumPy.
#include "repl/kernel/pallas/Pallas.h"
#include "repl/lang/values/DtypeNames.h"
#include "tests/unit/repl/Snippets.h"

#include "core/data/Files.h"

#include <sstream>

namespace lanescope::repl {
namespace {

/// The result of a snippet where there are JAX's modules.
std::string withJax(std::string snippet) {
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  return Snippets({}, moduleBuiltins(pallasModules(runtime))).run(std::move(snippet));
}

TEST(Imports, Forms) {
  EXPECT_EQ(run("import math\nmath.sqrt(4), math.ceil(7 / 2), math.prod([2, 3])"), "(2.0, 4, 6)");
  EXPECT_EQ(run("import numpy as np, functools\nfrom itertools import (product, chain as joined)\n"
                "len(product([1, 2], 'ab')), list(joined([1], [2])), np.pi"),
            "(4, [1, 2], 3.141592653589793)");
  EXPECT_EQ(withJax("import jax.numpy\njax.numpy, jax.numpy.zeros(2).dtype"),
            "(<module 'jax.numpy'>, dtype('float32'))");
  EXPECT_EQ(run("from __future__ import annotations\n1"), "1");
  EXPECT_EQ(run("def f():\n  import math\n  return math.pi > 3\nf()"), "True");
}

TEST(Imports, TheProgramsEnd) {
  EXPECT_EQ(run("import sys\nprint(sys.argv[1:], sys.version_info >= (3, 10))\nsys.exit()\nprint('never')"), "[] True");
  EXPECT_EQ(run("import sys\ndef main():\n  print(1)\n  return 0\nif __name__ == '__main__':\n  sys.exit(main())"),
            "1");
  EXPECT_EQ(run("import sys\nsys.exit(3)"), "2:1: SystemExit: 3");
  EXPECT_EQ(run("raise SystemExit('no device')"), "1:1: SystemExit: no device");
  EXPECT_EQ(run("import sys\ntry:\n  sys.exit(2)\nexcept Exception:\n  print('never')\nexcept BaseException as e:\n"
                "  print(e.code)"),
            "2");
  // What it made stays.
  Snippets s;
  s.run("import sys\nx = 5\nsys.exit(0)");
  EXPECT_EQ(s.run("x"), "5");
}

TEST(Imports, IteratorsWithoutAnEnd) {
  EXPECT_EQ(run("import itertools\nids = itertools.count(10, 5)\nprint(next(ids), [next(ids) for _ in range(2)])\n"
                "print([c for _, c in zip(range(3), itertools.cycle('ab'))], list(zip('ab', itertools.repeat(0))))\n"
                "print(list(itertools.islice(itertools.count(), 2, 8, 3)), next(i for i in itertools.count() if i * i "
                "> 50))\n"
                "print(list(itertools.takewhile(lambda v: v < 3, itertools.count())), list(itertools.dropwhile(lambda "
                "v: v < 3, range(5))))\n"
                "both = itertools.chain([1], itertools.count(7))\nprint(next(both), next(both), next(both))\n"
                "print([(k, list(g)) for k, g in itertools.groupby([1, 1, 2])], list(itertools.cycle([])), "
                "list(itertools.chain()))"),
            "10 [15, 20]\n['a', 'b', 'a'] [('a', 0), ('b', 0)]\n[2, 5] 8\n[0, 1, 2] [3, 4]\n1 7 8\n[(1, [1, 1]), (2, "
            "[2])] [] []");
}

TEST(Imports, WhatIsSaidBesideTheOutput) {
  std::string told = run("import sys\nprint('out', file=sys.stdout)\nprint('beside', 1, file=sys.stderr)");
  EXPECT_TRUE(told.starts_with("out\n")) << told;
  EXPECT_NE(told.find("3:1: note: beside 1"), std::string::npos) << told;
  told = run("import logging\nlogging.basicConfig(level=logging.INFO)\nlog = logging.getLogger('a')\n"
             "log.debug('less')\nlog.info('n=%d', 3)\nprint(log.isEnabledFor(logging.DEBUG))");
  EXPECT_NE(told.find("note: n=3"), std::string::npos) << told;
  EXPECT_EQ(told.find("less"), std::string::npos) << told;
}

TEST(Imports, FieldsOfClasses) {
  EXPECT_EQ(run("from dataclasses import dataclass, fields, asdict\nfrom typing import ClassVar, "
                "NamedTuple\n@dataclass\nclass A:\n"
                "  x: int\n  y: int = 2\n  count: ClassVar[int] = 7\n"
                "class N(NamedTuple):\n  a: int\n"
                "a = A(1)\n[f.name for f in fields(a)], asdict(a), A.count, a.count, a, N(1)._fields, sorted(vars(a))"),
            "(['x', 'y'], {'x': 1, 'y': 2}, 7, 7, A(x=1, y=2), ('a',), ['x', 'y'])");
  EXPECT_EQ(run("class S:\n  def __init__(self, n):\n    self.n = n\n  def __len__(self):\n    return self.n\n"
                "class B:\n  def __bool__(self):\n    return False\n  def __len__(self):\n    return 3\n"
                "bool(S(0)), bool(S(2)), not B(), 'yes' if B() else 'no', type(3).__name__, type(2.0).__name__"),
            "(False, True, True, 'no', 'int', 'float')");
}

TEST(Imports, CopiesNamespacesAndWarnings) {
  EXPECT_EQ(
      run("import copy\na = [1, {'k': [2]}]\nb, c = copy.copy(a), copy.deepcopy(a)\na[1]['k'].append(3)\na.append(4)\n"
          "print(b, c)"),
      "[1, {'k': [2, 3]}] [1, {'k': [2]}]");
  EXPECT_EQ(run("import copy\nclass A:\n  pass\ncopy.copy(A())"),
            "4:1: NotImplementedError: lists, tuples, dicts, sets and arrays are copied here; `dataclasses.replace(x)` "
            "makes another instance");
  EXPECT_EQ(run("import types, warnings\nwarnings.simplefilter('ignore')\nwarnings.warn('old')\n"
                "types.SimpleNamespace(block=64).block"),
            "test.py:3:1: note: warning: old\n  warnings.warn('old')\n  ^~~~~~~~~~~~~~~~~~~~\n64");
}

TEST(Imports, Refused) {
  EXPECT_EQ(run("import torch"),
            "1:8: there is no module `torch` here; arrays here are NumPy's and JAX's: `import numpy "
            "as np`, `import jax.numpy as jnp`");
  EXPECT_EQ(run("import pathlib"),
            "1:8: there is no module `pathlib` here, for a snippet does not reach the host system: what needs it is a "
            "program of Python, for `python3`; "
            "`load` and `save` read and write arrays here");
  EXPECT_EQ(run("import nunpy"), "1:8: there is no module `nunpy` here; did you mean `numpy`?");
  EXPECT_EQ(run("from math import sqrd"), "1:18: `math` has no `sqrd` here; did you mean `sqrt`?");
  EXPECT_EQ(run("from . import x"),
            "1:6: a relative import names a file beside this one, and files are not imported here");
  EXPECT_EQ(run("from math import *"), "1:18: name what is taken from `math`, or import it whole");
  EXPECT_EQ(Snippets().kind("import torch"), "import");
}

// Files beside the program are its modules, each read once.
TEST(Imports, FilesBesideTheProgram) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "lanescope_file_modules";
  std::filesystem::create_directories(folder / "parts");
  auto write = [&](const char *name, std::string_view code) { ASSERT_TRUE(core::writeFile(folder / name, code)); };
  write("tiles.py", "import other\nSIZE = 64\nseen = []\nclass Tile:\n  rows: int = SIZE\ndef twice(x):\n"
                    "  return other.plus(x, x)\nif __name__ == '__main__':\n  assert False\n");
  write("other.py", "import tiles\ndef plus(a, b):\n  return a + b + tiles.SIZE - 64\n");
  write("parts/deep.py", "name = __name__\n");
  write("wrong.py", "x = 1\ny = unknown\n");
  write("matmul_mgpu.py", "def kernel():\n  return 'of JAX'\n");
  auto run = [&](const std::string &code) {
    std::string out;
    Builtins table = hostBuiltins();
    for (Builtin &module :
         moduleBuiltins(pallasModules(std::make_shared<KernelRuntime>(KernelOptions{.device = "none"}))))
      table.push_back(std::move(module));
    Evaluator evaluator(std::move(table), {.print = [&](std::string_view text) { out += text; }});
    auto done = evaluator.run(Source::make((folder / "main.py").string(), code));
    return done ? out : render(done.error());
  };
  auto expectPart = [](const std::string &said, std::string_view part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  EXPECT_EQ(run("import tiles\nfrom tiles import twice, SIZE as n\nimport parts.deep as deep\ntiles.seen.append(1)\n"
                "import tiles as again\nprint(tiles.Tile.rows, twice(4), n, deep.name, again.seen)\n"),
            "64 8 64 parts.deep [1]\n");
  expectPart(run("import wrong\n"), "wrong.py:2:5: error: name `unknown` is not defined");
  expectPart(run("from tiles import twise\n"), "`tiles` has no `twise`; did you mean `twice`?");
  expectPart(run("import parts.deep\n"), "`import parts.deep as deep`");
  expectPart(run("import missing\n"), "there is no module `missing` here");
  EXPECT_EQ(run("from jax.experimental.pallas.ops.gpu import matmul_mgpu\nprint(matmul_mgpu.kernel())\n"), "of JAX\n");
  expectPart(run("from jax.experimental.pallas.ops.gpu import absent_mgpu\n"),
             "`jax.experimental.pallas.ops.gpu.absent_mgpu` is a file of JAX's; put its "
             "`absent_mgpu.py` beside this one");
  // One evaluator, as a window keeps it while files are edited.
  std::string out;
  Evaluator evaluator(hostBuiltins(), {.print = [&](std::string_view text) { out += text; }});
  const SourceRef main = Source::make((folder / "main.py").string(), "import size\nprint(size.n)\n");
  for (const char *text : {"n = 1\n", "n = 2\n"}) {
    write("size.py", text);
    ASSERT_TRUE(evaluator.run(main));
  }
  EXPECT_EQ(out, "1\n2\n");
  std::filesystem::remove_all(folder);
}

TEST(Classes, Dataclasses) {
  Snippets s;
  s.run("from dataclasses import dataclass, field, replace\n@dataclass(frozen=True)\nclass Ring:\n  slots: int = 2\n"
        "  width: int = 256\n  @property\n  def size(self):\n    return self.slots * self.width\n  def grown(self, "
        "by=1):\n"
        "    return replace(self, slots=self.slots + by)\n");
  EXPECT_EQ(s.run("Ring(), Ring(3).size, Ring(width=1).grown(by=2), Ring() == Ring(2, 256), {Ring(): 1}[Ring()]"),
            "(Ring(slots=2, width=256), 768, Ring(slots=4, width=1), True, 1)");
  EXPECT_EQ(s.run("Ring(slot=3)"), "1:6: `Ring` has no field `slot`; did you mean `slots`?");
  EXPECT_EQ(s.run("Ring(1, 2, 3)"), "1:12: `Ring` takes 2 arguments, but 3 are given");
  EXPECT_EQ(s.run("r = Ring()\nr.slots = 5"),
            "2:1: `Ring` is frozen; `dataclasses.replace(x, slots=…)` gives a changed one");
  EXPECT_EQ(s.run("Ring().slotz"), "1:1: `Ring` has no attribute `slotz`; did you mean `slots`?");
  EXPECT_EQ(s.run("@dataclass\nclass Bag:\n  items: list = field(default_factory=list)\n  n: int = 0\n"
                  "  def __post_init__(self):\n    self.n = len(self.items)\nb = Bag([1, 2])\nb.n, Bag().items"),
            "(2, [])");
  EXPECT_EQ(s.run("@dataclass\nclass Bad:\n  items: list = []\n"),
            "3:3: a list or dict would be shared by all of `Bad`; write `field(default_factory=list)`");
}

TEST(Classes, SayThemselvesWhatTheyPrintAs) {
  const std::string type = "class Ring:\n  def __init__(self, n):\n    self.n = n\n"
                           "  def __repr__(self):\n    return f'Ring({self.n})'\n";
  EXPECT_EQ(run(type + "r = Ring(3)\nprint(r, [r], f'{r}', f'{r!r}', str(r), repr(r))"),
            "Ring(3) [Ring(3)] Ring(3) Ring(3) Ring(3) Ring(3)");
  EXPECT_EQ(run(type + "  def __str__(self):\n    return 'ring'\nprint(Ring(3), [Ring(3)])"), "ring [Ring(3)]");
  // Text of a value cannot fail: what is wrong stands in it.
  EXPECT_EQ(run("class A:\n  def __repr__(self):\n    return 3\nprint(A())"),
            "<A object: __repr__ gives `int`, not `str`>");
  EXPECT_EQ(run("class A:\n  def __repr__(self):\n    return self.b\nprint(A())").substr(0, 30),
            "<A object: __repr__ fails: `A`");
  EXPECT_NE(run("class A:\n  def __repr__(self):\n    return repr(self)\nprint(A())").find("A("), std::string::npos);
}

TEST(Classes, PlainNamedTuplesAndInheritance) {
  EXPECT_EQ(run("class Counter:\n  def __init__(self, n):\n    self.n = n\n  def __call__(self):\n    self.n += 1\n"
                "    return self.n\nc = Counter(3)\nc()\nc(), c.n"),
            "4\n(5, 5)");
  EXPECT_EQ(run("from typing import NamedTuple\nclass P(NamedTuple):\n  x: int\n  y: int = 2\na, b = P(1)\n"
                "a, b, P(1)[1], len(P(4)), P(4)._replace(y=5)"),
            "(1, 2, 2, 2, P(x=4, y=5))");
  EXPECT_EQ(run("class B(list):\n  pass\n"),
            "1:9: a class inherits from classes of the program, exceptions, `Enum` and `NamedTuple` here, not from "
            "`list`; put one into a field of the other");
  EXPECT_EQ(run("class A:\n  if True:\n    x = 1\n"),
            "2:3: a class holds fields, `name: type = value`, and methods, nothing else");
  EXPECT_EQ(run("isinstance(1, int), isinstance('a', (int, str)), type(2.5).__name__ if hasattr(type(2.5), '__name__') "
                "else 'float', callable(len), getattr([1], 'none', 7)"),
            "(True, True, 'float', True, 7)");
}

// Functions that kernels have, on the host too.
TEST(Numpy, FunctionsOfTheLanguage) {
  EXPECT_EQ(run("sign(-2.5), sign(3), sign(array([-1.0, 0.0, 4.0])).tolist(), ceil(1.2), where(array([1, 0]) > 0, 1, "
                "2).tolist()"),
            "(-1.0, 1, [-1.0, 0.0, 1.0], 2.0, [1, 2])");
  EXPECT_EQ(run("round(gelu(1.0), 6), logistic(0.0), gelu(zeros(2, f16)).dtype"), "(0.841192, 0.5, f16)");
}

// Nothing contains itself, and depth is no danger.
TEST(Classes, DeepAndCircular) {
  Snippets s;
  s.run("from dataclasses import dataclass\n@dataclass\nclass Box:\n  inner: object = None\n");
  EXPECT_EQ(s.run("a = Box()\na.inner = a"), "2:11: an instance of `Box` cannot contain itself");
  EXPECT_EQ(s.run("a = Box([])\na.inner.append(a)"), "2:16: a list cannot contain itself");
  EXPECT_EQ(s.run("a = Box()\nfor i in range(200000):\n  a = Box(a)\nlen(repr(a)) < 1000"), "True");
  EXPECT_EQ(s.run("a = 0"), "");
  EXPECT_EQ(s.run("Box.inner = 3"), "1:1: `inner` of class `Box` is set in the class, not from outside");
}

// A failing entry leaves objects as they were.
TEST(Classes, UndoneWithTheEntry) {
  Snippets s;
  s.run("class Box:\n  def __init__(self):\n    self.n = 1\nb = Box()");
  s.run("b.n = 2\nassert False");
  EXPECT_EQ(s.run("b.n"), "1");
}

TEST(Exceptions, RaisedAndCaught) {
  EXPECT_EQ(run("try:\n  raise ValueError(f'no {3}')\nexcept (TypeError, ValueError) as e:\n  print(e, repr(e))"),
            "no 3 ValueError('no 3')");
  EXPECT_EQ(run("try:\n  [1][5]\nexcept IndexError as e:\n  print('index')\nelse:\n  print('fine')\nfinally:\n  "
                "print('end')"),
            "index\nend");
  EXPECT_EQ(run("try:\n  1 + 'a'\nexcept KeyError:\n  pass").substr(0, 4), "2:3:");
  EXPECT_EQ(run("class E(ValueError):\n  pass\ntry:\n  raise E('x')\nexcept ValueError as e:\n  print(type(e).__name__ "
                "if False else e)"),
            "x");
  EXPECT_EQ(run("try:\n  raise KeyError\nexcept KeyError:\n  raise"), "2:3: KeyError");
  EXPECT_EQ(run("def f():\n  try:\n    return 1\n  finally:\n    print('left')\nf()"), "left\n1");
  EXPECT_EQ(run("raise ValueError('bad')"), "1:1: ValueError: bad");
  EXPECT_EQ(run("raise 3"), "1:7: `raise` takes an exception such as `ValueError(\"…\")`, not `int`");
  EXPECT_EQ(run("raise"), "1:1: `raise` alone stands in an `except` block: it raises what that handles");
  EXPECT_EQ(run("try:\n  pass\nexcept 3:\n  pass"), "");
  EXPECT_EQ(Snippets().kind("raise ValueError('bad')"), "raised");
}

TEST(Statements, NonlocalAndAnnotations) {
  EXPECT_EQ(run("def f():\n  n = 1\n  def g():\n    nonlocal n\n    n += 1\n  g()\n  g()\n  return n\nf()"), "3");
  EXPECT_EQ(run("n = 1\ndef f():\n  global n\n  n = 5\nf()\nn"), "5");
  EXPECT_EQ(run("x: int = 3\ny: float\nx"), "3");
  EXPECT_EQ(run("def f(a, /, b, *, c=1) -> int:\n  return a + b + c\nf(1, 2, c=3), list(x * x for x in [1, 2])"),
            "(6, [1, 4])");
  EXPECT_EQ(run("from typing import Optional\nShape = tuple[int, ...]\nMaybe = int | None\nO = Optional[list[int]]\n1"),
            "1");
  EXPECT_EQ(run("if __name__ == '__main__':\n  print('main')"), "main");
}

TEST(Functools, PartialReduceWraps) {
  EXPECT_EQ(run("import functools\nf = functools.partial(lambda a, b, c=0: (a, b, c), 1, c=5)\n"
                "f(2), f(2, c=3), f.args, functools.reduce(lambda a, b: a * b, [1, 2, 3])"),
            "((1, 2, 5), (1, 2, 3), (1,), 6)");
  EXPECT_EQ(run("import functools\ndef twice(f):\n  @functools.wraps(f)\n  def g(x):\n    return f(f(x))\n  return g\n"
                "@twice\ndef add(x):\n  return x + 1\nadd(1)"),
            "3");
}

//===------------------------------------ numpy -------------------------------------------------------------------===//

/// `expression` after `import numpy as np, jax.numpy as jnp`.
std::string np(const std::string &expression) {
  return withJax("import numpy as np\nimport jax.numpy as jnp\n" + expression);
}

// NumPy's promotion (NEP 50, "Promotion of NumPy dtypes"), and JAX's ("Type promotion semantics").
TEST(Numpy, Promotion) {
  struct Case {
    const char *a, *b, *numpy, *jax;
  };
  for (const Case &c : std::vector<Case>{
           {"int8", "int8", "int8", "int8"},
           {"int8", "uint8", "int16", "int16"},
           {"int32", "uint32", "int64", "int32"},
           {"int32", "float16", "float64", "float16"},
           {"int16", "float16", "float32", "float16"},
           {"int8", "float16", "float16", "float16"},
           {"int32", "float32", "float64", "float32"},
           {"int16", "float32", "float32", "float32"},
           {"bool_", "float16", "float16", "float16"},
           {"bool_", "int8", "int8", "int8"},
           {"float16", "float32", "float32", "float32"},
           {"uint8", "float16", "float16", "float16"},
           {"uint16", "int16", "int32", "int32"},
           {"float32", "float32", "float32", "float32"},
       }) {
    std::string sum = text("print((m.ones(2, m.", c.a, ") + m.ones(2, m.", c.b, ")).dtype)");
    EXPECT_EQ(run("import numpy as m\n" + sum), c.numpy) << c.a << " " << c.b;
    EXPECT_EQ(withJax("import jax.numpy as m\n" + sum), c.jax) << c.a << " " << c.b;
  }
  EXPECT_EQ(np("np.arange(3).dtype, (np.arange(3) / 2).dtype, (np.ones(2, np.int8) * 1.5).dtype"),
            "(dtype('int64'), dtype('float64'), dtype('float64'))");
  EXPECT_EQ(np("jnp.arange(3).dtype, (jnp.arange(3) / 2).dtype, (jnp.ones(2, jnp.int8) * 1.5).dtype"),
            "(dtype('int32'), dtype('float32'), dtype('float32'))");
  EXPECT_EQ(np("(np.float32(2) * np.ones(2, np.float16)).dtype, (np.ones(2, np.float16) * 2.0).dtype"),
            "(dtype('float32'), dtype('float16'))");
  EXPECT_EQ(np("(jnp.ones(2, jnp.float16) * np.float64(2)).dtype, (np.ones(2) + jnp.ones(2)).dtype"),
            "(dtype('float32'), dtype('float32'))");
  EXPECT_EQ(np("np.ones(2, bool).sum().dtype, np.ones(3, np.int8).sum().dtype, np.arange(4).mean().dtype"),
            "(dtype('int64'), dtype('int64'), dtype('float64'))");
  EXPECT_EQ(np("jnp.asarray(np.ones(2)).dtype, np.asarray(jnp.ones(2)).dtype, np.sqrt(np.arange(3)).dtype"),
            "(dtype('float32'), dtype('float32'), dtype('float64'))");
}

// Every pair of dtypes, and each with Python's numbers: `rules a b dtype` in tests/golden/promotion.txt, of NumPy
// itself and of the lattice in JAX's documentation.
TEST(Numpy, PromotionOfAllPairs) {
  auto golden = core::readSource(std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/promotion.txt");
  ASSERT_TRUE(golden);
  auto runtime = std::make_shared<KernelRuntime>(KernelOptions{.device = "none"});
  Snippets s({}, moduleBuiltins(pallasModules(runtime)));
  s.run("import numpy\nimport jax.numpy as jax");
  std::istringstream lines{std::string((*golden)->text())};
  int count = 0;
  for (std::string rules, a, b, wanted; lines >> rules >> a >> b >> wanted; ++count) {
    bool number = b.starts_with("1");
    std::string got = s.run(
        text("print((", rules, ".ones(2, ", a, ") + ", number ? b : text(rules, ".ones(2, ", b, ")"), ").dtype)"));
    if (wanted == "error")
      EXPECT_NE(got.find("do not mix"), got.npos) << rules << " " << a << " " << b << ": " << got;
    else
      EXPECT_EQ(got, numpyName(layouts::dtypeNamed(wanted).value())) << rules << " " << a << " " << b;
  }
  EXPECT_GT(count, 400);
}

TEST(Numpy, Functions) {
  EXPECT_EQ(np("np.tril(np.ones((2, 2), bool)).tolist(), np.where(np.arange(3) > 1, 1, -1).tolist()"),
            "([[True, False], [True, True]], [-1, -1, 1])");
  EXPECT_NE(np("np.einsum('...ijk->...', np.ones((2, 3)))").find("names at least 3 dimensions"), std::string::npos);
  EXPECT_EQ(np("np.einsum('ij,kj->ik', np.arange(4).reshape(2, 2), np.arange(4).reshape(2, 2)).tolist()"),
            "[[1, 3], [3, 13]]");
  EXPECT_EQ(
      np("np.einsum('ii', np.arange(9).reshape(3, 3)).item(), np.einsum('...ij->...i', np.ones((2, 2, 3))).tolist()"),
      "(12, [[3.0, 3.0], [3.0, 3.0]])");
  EXPECT_EQ(np("x = np.arange(12).reshape(3, 4)\nx[np.arange(3), [0, 1, 2]].tolist(), x[x > 8].tolist(), x[[0, -1], "
               "1:3].tolist(), "
               "x[:, None].shape, x[..., 0].tolist()"),
            "([0, 5, 10], [9, 10, 11], [[1, 2], [9, 10]], (3, 1, 4), [0, 4, 8])");
  EXPECT_EQ(np("np.concatenate([np.zeros(1), [1, 2]]).tolist(), np.stack([np.arange(2)] * 2, axis=1).tolist(), "
               "np.split(np.arange(4), 2)[1].tolist(), np.tile([1, 2], 2).tolist(), np.repeat([1, 2], 2).tolist()"),
            "([0.0, 1.0, 2.0], [[0, 0], [1, 1]], [2, 3], [1, 2, 1, 2], [1, 1, 2, 2])");
  EXPECT_EQ(np("np.argmax([3, 9, 2]).item(), np.argsort([3, 1, 2]).tolist(), np.cumsum([1, 2, 3]).tolist(), "
               "np.unique([2, 1, 2]).tolist(), np.roll(np.arange(3), 1).tolist(), np.pad([1], 1).tolist()"),
            "(1, [1, 2, 0], [1, 3, 6], [1, 2], [2, 0, 1], [0, 1, 0])");
  EXPECT_EQ(np("np.var([1.0, 3.0]).item(), np.std(np.array([[1.0, 3.0]]), axis=1).tolist(), np.linalg.norm([3.0, "
               "4.0]).item()"),
            "(1.0, [1.0], 5.0)");
  EXPECT_EQ(
      np("float(np.finfo(np.float32).eps) == 2**-23, np.iinfo(np.int8).max, np.issubdtype(np.float16, np.floating)"),
      "(True, 127, True)");
  EXPECT_EQ(np("jnp.zeros(3).at[1].set(5).at[0].add(2).tolist(), (np.ones((2, 3, 4)) @ np.ones((4, 5))).shape, "
               "(np.ones(3) @ np.ones(3)).item()"),
            "([2.0, 5.0, 0.0], (2, 3, 5), 3.0)");
}

TEST(Numpy, ProductsAndTypes) {
  EXPECT_EQ(np("a = jnp.ones((2, 3), jnp.bfloat16)\njnp.dot(a, a.T).dtype, jnp.matmul(a, a.T, "
               "preferred_element_type=jnp.float32).dtype, np.matmul(np.ones((2, 2)), np.ones(2)).tolist()"),
            "(dtype('bfloat16'), dtype('float32'), [2.0, 2.0])");
  EXPECT_EQ(np("import jax\nx = np.ones(2)\nisinstance(x, np.ndarray), isinstance(jnp.asarray(x), jax.Array), "
               "isinstance(x, jax.Array), isinstance(3, np.ndarray), isinstance(jnp.ones(1), jnp.ndarray)"),
            "(True, True, False, False, True)");
}

TEST(Numpy, Testing) {
  EXPECT_EQ(np("np.testing.assert_allclose([1.0], [1.0 + 1e-9])"), "");
  EXPECT_EQ(
      np("np.testing.assert_allclose(np.ones(3), np.array([1, 2, 1]), rtol=1e-3)"),
      "3:1: 1 of 3 elements differ (33.33%), the first at (1,): 1.0 and 2.0; the largest difference is 1.0, relative "
      "to the second 0.5 (rtol=0.001, atol=0.0)");
  EXPECT_EQ(np("np.testing.assert_array_equal(np.ones(3), np.ones((3, 1)))"),
            "3:1: the arrays have shapes (3,) and (3, 1)");
}

TEST(Numpy, DtypesByName) {
  EXPECT_EQ(
      np("x = jnp.ones(2)\nx.dtype == 'float32', 'bfloat16' == jnp.bfloat16, x.dtype != 'float32', x.dtype == 'float', "
         "x.dtype == 'no', np.ones(2).astype('float16').dtype"),
      "(True, True, False, False, False, dtype('float16'))");
}

// Reductions take NumPy's parameters by position and by name.
TEST(Numpy, Reductions) {
  EXPECT_EQ(
      np("x = np.arange(6.0).reshape(2, 3)\nnp.sum(x, 0).tolist(), np.max(x, 1).tolist(), np.any(x > 4, 1).tolist(), "
         "np.sum(x, 1, np.float32).dtype, x.sum(axis=1, dtype=np.float32).dtype, np.min(x, initial=-1).item()"),
      "([3.0, 5.0, 7.0], [2.0, 5.0], [False, True], dtype('float32'), dtype('float32'), -1.0)");
  EXPECT_EQ(
      np("x = jnp.arange(6.0).reshape(2, 3)\njnp.sum(x, -1, keepdims=True).tolist(), jnp.mean(x, where=x > 2).item(), "
         "x.max(1, initial=3).tolist()"),
      "([[3.0], [12.0]], 4.0, [3.0, 5.0])");
  EXPECT_EQ(np("np.sum(np.ones(2), out=3)").substr(0, 40), "3:1: NotImplementedError: there is no `o");
  EXPECT_EQ(np("x = np.arange(4.0)\nnp.pad(x, 2, mode='edge').tolist(), np.pad(x, 2, mode='reflect').tolist(), "
               "np.pad(x, 1, mode='wrap').tolist()"),
            "([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0], [2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 2.0, 1.0], [3.0, 0.0, 1.0, 2.0, "
            "3.0, 0.0])");
  EXPECT_EQ(np("np.convolve([1, 2, 3], [0, 1, 0.5]).tolist(), np.histogram([1, 2, 1], bins=2)[0].tolist(), "
               "np.linalg.solve(np.array([[2.0, 1.0], [1.0, 1.0]]), np.array([3.0, 2.0])).tolist(), "
               "np.linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]])).tolist()"),
            "([0.0, 1.0, 2.5, 4.0, 1.5], [2, 1], [1.0, 1.0], [[2.0, 0.0], [1.0, 2.0]])");
}

TEST(Numpy, SizesOfElements) {
  EXPECT_EQ(np("a = np.ones((2, 3), np.float16)\na.itemsize, np.ones(1).itemsize, np.diff([1, 4, 9]).tolist()"),
            "(2, 8, [3, 5])");
}

// `//` goes with `%`, and integers by zero are 0.
TEST(Numpy, FlooredQuotients) {
  EXPECT_EQ(np("a = np.array([1.0, -7.0, 7.0, 3.0, 0.0, 1.0])\nb = np.array([0.1, 2.0, np.inf, -3.0, -2.0, 0.0])\n"
               "(a // b).tolist(), (a % b)[:5].tolist()"),
            "([9.0, -4.0, 0.0, -1.0, -0.0, inf], [0.09999999999999995, 1.0, 7.0, -0.0, -0.0])");
  EXPECT_EQ(np("(np.array([5, -5]) // 0).tolist(), (np.array([5, -5]) % np.array([0, 3])).tolist()"),
            "([0, 0], [0, 1])");
  EXPECT_EQ(run("iota((2,), i32) // 0"), "1:1: division by zero in element 0");
}

TEST(Numpy, UnknownNames) {
  EXPECT_EQ(np("np.concatenat([])"), "3:1: `numpy` has no `concatenat` here; did you mean `concatenate`?");
  EXPECT_EQ(np("np.random.poisson(3)"),
            "3:1: `numpy.random` has no `poisson` here; `np.random.default_rng(seed).poisson(lam, size)`");
}

} // namespace
} // namespace lanescope::repl
