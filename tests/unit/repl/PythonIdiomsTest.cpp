// Python's builtins and modules as host code of programs uses them.
#include "tests/unit/repl/Snippets.h"

namespace lanescope::repl {
namespace {

TEST(Collections, CounterDefaultdictDeque) {
  EXPECT_EQ(run("from collections import Counter\nc = Counter('abca')\nc['z'] += 2\nc.update(['b', 'b'])\n"
                "c, c['none'], c.most_common(1), c.total(), 'none' in c, Counter()"),
            "(Counter({'b': 3, 'a': 2, 'z': 2, 'c': 1}), 0, [('b', 3)], 8, False, Counter())");
  EXPECT_EQ(run("from collections import defaultdict\nd = defaultdict(list)\nd['a'].append(1)\nlen(d['b'])\n"
                "n = defaultdict(lambda: defaultdict(int))\nn[1][2] += 3\n"
                "print(dict(d), 'c' in d, d.get('q'), {k: dict(v) for k, v in n.items()}, d)"),
            "0\n{'a': [1], 'b': []} False None {1: {2: 3}} defaultdict(<class 'list'>, {'a': [1], 'b': []})");
  EXPECT_EQ(
      run("from collections import deque, OrderedDict\nq = deque([1, 2, 3], maxlen=3)\nq.append(4)\nq.appendleft(0)\n"
          "q.rotate(1)\nprint(q, q.popleft(), q[0], len(q), 2 in q, bool(deque()), OrderedDict(a=1))"),
      "deque([0, 2], maxlen=3) 3 0 2 True False {'a': 1}");
  EXPECT_EQ(run("d = {}\nd.update(a=1)\nd.update([('b', 2)], c=3)\nd, d.popitem(), dict.fromkeys('xy', 0)"),
            "({'a': 1, 'b': 2}, ('c', 3), {'x': 0, 'y': 0})");
}

TEST(Functools, WhatIsRemembered) {
  EXPECT_EQ(run("import functools\n@functools.lru_cache(maxsize=None)\ndef fib(n):\n"
                "  return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(80), fib.cache_info().misses, fib.__name__"),
            "(23416728348467685, 81, 'fib')");
  EXPECT_EQ(run("import functools\n@functools.cache\ndef f(x, *, k=1):\n  print('made', x, k)\n  return x\n"
                "f(1)\nf(1)\nf(1, k=2)\nf(1.0)\nf.cache_clear()\nf(1)"),
            "made 1 1\n1\n1\nmade 1 2\n1\nmade 1.0 1\n1.0\nmade 1 1\n1");
  EXPECT_EQ(run("import functools\n@functools.cache\ndef f(x):\n  return x\nf([1])").substr(0, 40),
            "5:3: an argument of a function that is c");
  EXPECT_EQ(
      run("import functools\ndef deco(f):\n  @functools.wraps(f)\n  def inner(*a):\n    return f(*a)\n  return inner\n"
          "@deco\ndef named():\n  return 1\nnamed.__name__, named(), len.__name__, (lambda: 0).__name__"),
      "('named', 1, 'len', '<lambda>')");
  EXPECT_EQ(run("import functools\nsorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a))"), "[3, 2, 1]");
}

TEST(Python, Builtins) {
  EXPECT_EQ(run("hex(255), bin(-5), oct(8), chr(97), ord('z'), ascii('é'), pow(3, 100, 7), (300).bit_length(), "
                "(7).bit_count(), (2.0).is_integer(), hash(3)"),
            "('0xff', '-0b101', '0o10', 'a', 122, \"'\\\\xe9'\", 4, 9, 3, True, 3)");
  EXPECT_EQ(run("'a,b,c'.rsplit(',', 1), ' a  b '.rsplit(), 'aXb'.swapcase(), list(map(str.upper, 'ab')), "
                "sorted('bA', key=str.lower)"),
            "(['a,b', 'c'], ['a', 'b'], 'AxB', ['A', 'B'], ['A', 'b'])");
  EXPECT_EQ(run("print(type(1), type('a'), type([]), int, type(range(3)), isinstance(int, type), slice(1, 5, 2).stop)"),
            "<class 'int'> <class 'str'> <class 'list'> <class 'int'> <class 'range'> True 5");
  EXPECT_EQ(run("'''What it does.'''\nlen(__doc__)"), "'What it does.'\n13");
  EXPECT_EQ(run("import itertools, operator, math\nprint(list(itertools.chain.from_iterable([[1], [2]])), "
                "list(itertools.compress('abc', [1, 0, 1])), list(itertools.combinations_with_replacement('ab', 2)), "
                "operator.xor(5, 3), operator.methodcaller('upper')('a'), math.fsum([0.1] * 10), math.frexp(8.0))"),
            "[1, 2] ['a', 'c'] [('a', 'a'), ('a', 'b'), ('b', 'b')] 6 A 1.0 (0.5, 4)");
}

TEST(Python, ArgumentsHaveTheirDefaults) {
  EXPECT_EQ(run("import argparse\np = argparse.ArgumentParser(description='d')\np.add_argument('--size-m', type=int, "
                "default='64')\np.add_argument('-v', '--verbose', action='store_true')\na = p.parse_args()\n"
                "a.size_m, a.verbose, a"),
            "(64, False, Namespace(size_m=64, verbose=False))");
  EXPECT_EQ(run("import argparse\np = argparse.ArgumentParser()\np.add_argument('path')\np.parse_args()"),
            "4:1: ValueError: the following arguments are required: path");
}

// To the bit what Python's give.
TEST(Python, RandomNumbers) {
  EXPECT_EQ(
      run("import random\nrandom.seed(0)\nprint(random.random(), random.randint(1, 10), random.choice([1, 2, 3]), "
          "random.sample(range(10), 3))"),
      "0.8444218515250481 7 1 [4, 8, 7]");
  EXPECT_EQ(run("import random\nr = random.Random(3)\nx = list(range(5))\nr.shuffle(x)\n"
                "print(x, r.gauss(0, 1), r.uniform(1, 2), r.choices('ab', k=3), r.choices('ab', [1, 3], k=3), "
                "r.randrange(10))"),
            "[0, 2, 3, 4, 1] -0.25915453769343405 1.0131679915548741 ['b', 'a', 'a'] ['b', 'b', 'b'] 7");
  EXPECT_EQ(run("import random\nrandom.seed(123456789012)\nprint(random.random(), random.sample(range(1000), 4))"),
            "0.37701448538609916 [21, 269, 143, 427]");
}

TEST(Python, WarningsAreNoOutput) {
  EXPECT_EQ(run("import warnings\nwith warnings.catch_warnings():\n  warnings.simplefilter('ignore')\nprint('out')"),
            "out");
}

} // namespace
} // namespace lanescope::repl
