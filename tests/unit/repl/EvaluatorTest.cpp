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

TEST(Evaluator, Sets) {
  EXPECT_EQ(run("{3, 1, 3, *'ab'}, set(), {x % 3 for x in range(9)}, len({1, 1.0, True}), 2 in {1, 2}, bool(set())"),
            "({3, 1, 'a', 'b'}, set(), {0, 1, 2}, 1, True, False)");
  EXPECT_EQ(
      run("a, b = {1, 2, 3}, {3, 4}\na | b, a & b, a - b, a ^ b, a >= {1}, a < b, {1, 2} == {2, 1}, a.isdisjoint(b)"),
      "({1, 2, 3, 4}, {3}, {1, 2}, {1, 2, 4}, True, False, True, False)");
  EXPECT_EQ(run("a = b = {1}\na |= {2}\na.add(3)\na.discard(9)\na.update([4], (1,))\na -= {4}\nb, sorted(b, "
                "reverse=True), a is b"),
            "({1, 2, 3}, [3, 2, 1], True)");
  EXPECT_EQ(run("{frozenset([2, 1]): 5}[frozenset((1, 2))], [{1}] == [{1}], [{1}] == [{2}], {frozenset()}, "
                "isinstance({1}, set), {1}.union('a', [2])"),
            "(5, True, False, {frozenset()}, True, {1, 'a', 2})");
  EXPECT_EQ(run("{[1]}"), "1:1: `list` cannot be in a set; a tuple can");
  EXPECT_EQ(run("{{1}: 2}"), "1:2: `set` cannot be a dict's key");
  EXPECT_EQ(run("{1}.remove(2)"), "1:12: `item` of `remove`: the set does not contain it");
  EXPECT_EQ(run("frozenset([1]).add(2)"), "1:1: a frozenset does not change; `set(…)` makes one that does");
  EXPECT_EQ(run("{1} + {2}"), "1:1: `+` does not combine `set` and `set`");
  EXPECT_EQ(run("{1}.ad(2)"), "1:1: `set` has no attribute `ad`; did you mean `add`?");
  // A failing entry leaves it as it was.
  Snippets s;
  s.run("a = {1}");
  s.run("a.add(2)\na |= {3}\nassert False");
  EXPECT_EQ(s.run("a"), "{1}");
}

TEST(Evaluator, Match) {
  Snippets s;
  s.run("import math\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\n  y: int\n"
        "def f(v):\n"
        "  match v:\n"
        "    case 0 | -1: return 'small'\n"
        "    case None: return 'none'\n"
        "    case True: return 'true'\n"
        "    case math.pi: return 'pi'\n"
        "    case (math.pi, dtype): return dtype\n"
        "    case ('a', [b, *rest], _): return b, rest\n"
        "    case [first, *_, last] if first == last: return 'ring'\n"
        "    case [1, 2, *tail] as whole: return whole, tail\n"
        "    case P(x=0, y=y): return y\n"
        "    case str(text) | [str(text)]: return text\n"
        "    case int(): return 'int'\n"
        "    case x, y: return x * y\n"
        "    case _: return '?'\n");
  EXPECT_EQ(s.run("f(0), f(-1), f(None), f(True), f(math.pi), f((math.pi, f32)), f(('a', (1, 2, 3), 0)), f([7, 1, 7])"),
            "('small', 'small', 'none', 'true', 'pi', f32, (1, [2, 3]), 'ring')");
  EXPECT_EQ(s.run("f((1, 2, 3)), f(P(0, 5)), f('ab'), f(['ab']), f(12), f((3, 4)), f(P(1, 5)), f({}), f((1, 2))"),
            "(((1, 2, 3), [3]), 5, 'ab', 'ab', 'int', 12, '?', '?', ((1, 2), []))");
  EXPECT_EQ(s.run("f(0.0), f(1)"), "('small', 'int')");
  EXPECT_EQ(run("match 3:\n  case n if n > 5:\n    print('large')\n  case n:\n    print(n)"), "3");
  EXPECT_EQ(run("match = [1]\nmatch[0]: int = 2\nmatch, (lambda case: case)(3)"), "([2], 3)");
  EXPECT_EQ(run("class A:\n  pass\nmatch A():\n  case A(1):\n    pass"),
            "4:10: the parts of a class go by name in a pattern here, as `Point(x=0, y=y)`");
}

TEST(Evaluator, MatchOfDicts) {
  Snippets s;
  s.run("import math\n"
        "def f(v):\n"
        "  match v:\n"
        "    case {'op': 'add', 'of': (a, b)}: return a + b\n"
        "    case {'op': 'neg' | 'minus', 'of': x, **rest}: return -x, rest\n"
        "    case {math.pi: int(n), -1: m} as whole: return n, m, len(whole)\n"
        "    case {'op': {'name': str(name)}}: return name\n"
        "    case {**every} if len(every) > 2: return every\n"
        "    case {}: return 'a dict'\n"
        "    case _: return '?'\n");
  EXPECT_EQ(
      s.run(
          "f({'op': 'add', 'of': [1, 2], 'also': 3}), f({'of': 5, 'op': 'minus', 'k': 1}), f({'op': 'neg', 'of': 2})"),
      "(3, (-5, {'k': 1}), (-2, {}))");
  EXPECT_EQ(
      s.run("f({math.pi: 3, -1: 'm'}), f({'op': {'name': 'dot', 'k': 0}}), f({1: 1, 2: 2, 3: 3}), f({1: 1}), f([])"),
      "((3, 'm', 2), 'dot', {1: 1, 2: 2, 3: 3}, 'a dict', '?')");
  EXPECT_EQ(run("match {'a': 1}:\n  case {'a': 1, 'a': 1}:\n    pass"),
            "2:17: the key 'a' stands in the pattern already");
}

TEST(Evaluator, IteratorsGiveAnItemOnce) {
  EXPECT_EQ(run("it = iter([1, 2, 3])\nnext(it), list(it), list(it), next(it, 'none')"), "(1, [2, 3], [], 'none')");
  EXPECT_EQ(run("it = iter('abcd')\nlist(zip(it, it)), zip()"), "([('a', 'b'), ('c', 'd')], <zip object>)");
  EXPECT_EQ(run("it = reversed([1, 2, 3, 4])\nfor v in it:\n  if v == 3:\n    break\n[*it]"), "[2, 1]");
  // Made when they are asked for.
  EXPECT_EQ(
      run("def f(x):\n  print('f', x)\n  return x > 1\nm = map(f, [1, 2, 3])\nprint('first')\nprint(any(m))\nlist(m)"),
      "first\nf 1\nf 2\nTrue\nf 3\n[True]");
  EXPECT_EQ(run("g = (x * x for x in [1, 2, 3] if x != 2)\na = next(g)\na, sum(g), list(g), g"),
            "(1, 9, [], <generator object>)");
  EXPECT_EQ(run("rows = [[1, 2], [3]]\ng = (x for row in rows for x in row)\nnext(g), list(g)"), "(1, [2, 3])");
  EXPECT_EQ(run("e = enumerate('ab', 1)\na, b = e\na, b, next(filter(None, [0, 5]))"), "((1, 'a'), (2, 'b'), 5)");
  EXPECT_EQ(run("n = [3]\ndef less():\n  n[0] -= 1\n  return n[0]\nlist(iter(less, 0))"), "[2, 1]");
  EXPECT_EQ(run("try:\n  next(iter([]))\nexcept StopIteration:\n  print('stop')"), "stop");
}

TEST(Evaluator, IteratorsMistakes) {
  EXPECT_EQ(run("next(iter([]))"), "1:1: the iterator has no more items; `next(it, default)` gives something then");
  EXPECT_EQ(Snippets().kind("next(iter([]))"), "no-item");
  EXPECT_EQ(run("next([1])"),
            "1:6: `iterator` of `next`: a `list` is no iterator; `iter(…)` makes one of what can be looped over");
  EXPECT_EQ(run("list(zip([1], [1, 2], strict=True))"), "1:6: argument 2 of `zip` is longer than those before it");
  EXPECT_EQ(run("list(zip([1, 2], [1], strict=True))"), "1:6: argument 2 of `zip` is shorter than those before it");
  EXPECT_EQ(run("it = iter([1])\nfor _ in range(1000):\n  it = map(str, it)"),
            "3:8: more than 100 iterators stand on each other; make a list between");
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

TEST(Evaluator, FieldsOfStrFormat) {
  EXPECT_EQ(run("'{} {:>5.2f} {!r}'.format(1, 3.14159, 'x')"), "\"1  3.14 'x'\"");
  EXPECT_EQ(run("'{1}-{0}-{1}'.format('a', 'b')"), "'b-a-b'");
  EXPECT_EQ(run("'{name:{w}}|{{}}'.format(name='ab', w=4)"), "'ab  |{}'");
  EXPECT_EQ(run("'{0[1]} {d[k]} {t.shape}'.format([1, 2], d={'k': 3}, t=zeros((2, 3)))"), "'2 3 (2, 3)'");
  EXPECT_EQ(run("'{:,} {:.1%} {:#x}'.format(1234567, 0.25, 255)"), "'1,234,567 25.0% 0xff'");
  EXPECT_EQ(run("'{} {}'.format(1)"), "1:1: the format's field `{1}` has no value: 1 given");
  EXPECT_EQ(run("'{nam}'.format(name=1)"),
            "1:1: the format's field `{nam}` has no value; give one, as `nam=…`; did you mean `name`?");
  EXPECT_EQ(run("'{} {0}'.format(1)"), "1:1: the format mixes `{}` with numbered fields, as `{0}`");
  EXPECT_EQ(run("'{'.format(1)"), "1:1: a `{` of the format is never closed; a brace as text is written `{{`");
  EXPECT_EQ(run("'}'.format(1)"), "1:1: a single `}` in the format; a brace as text is written `}}`");
  EXPECT_EQ(run("'{:{:{}}}'.format(1, 2, 3)"),
            "1:1: the fields of a format nest too deep: one may be in another's specification");
}

TEST(Evaluator, PercentFormats) {
  EXPECT_EQ(run("'%d of %s' % (3, 'x')"), "'3 of x'");
  EXPECT_EQ(run("'%.3f|%8.2e|%g' % (3.14159, 12345.678, 0.5)"), "'3.142|1.23e+04|0.5'");
  EXPECT_EQ(run("'%5d|%-5d|%05d|%+d|% d|%.3d|%6.3d' % (42, 42, -42, 42, 42, 7, -7)"),
            "'   42|42   |-0042|+42| 42|007|  -007'");
  EXPECT_EQ(run("'%x %X %#x %o' % (255, 255, 255, 8)"), "'ff FF 0xff 10'");
  EXPECT_EQ(run("'%5s|%-5s|%.1s|%r|%c%c' % ('ab', 'ab', 'ab', 'ab', 'q', 65)"), "\"   ab|ab   |a|'ab'|qA\"");
  EXPECT_EQ(run("'%(a)s %(b).1f%%' % {'a': 1, 'b': 2.25, 'c': 0}"), "'1 2.2%'");
  EXPECT_EQ(run("'%*d|%.*f' % (4, 7, 1, 2.55)"), "'   7|2.5'");
  EXPECT_EQ(run("'%d %i' % (2.9, True)"), "'2 1'");
  EXPECT_EQ(run("'%s' % [1, 2]"), "'[1, 2]'");
  EXPECT_EQ(run("x = zeros((2,))\n'%s' % x == f'{x}'"), "True");
  EXPECT_EQ(run("s = 'n=%d'\ns %= 3\ns"), "'n=3'");
  EXPECT_EQ(run("'%d %d' % 1"), "1:1: the format has more `%` than values: 1 given; a `%` as text is written `%%`");
  EXPECT_EQ(run("'%d' % (1, 2)"), "1:1: the format has fewer `%` than there are values");
  EXPECT_EQ(run("'%d' % 'a'"), "1:1: `%d` takes an int or a float, not `str`");
  EXPECT_EQ(run("'%y' % 1"), "1:1: `%y` is not a format; there are %s %r %d %x %o %e %f %g %c, and a `%` as text is "
                             "written `%%`");
  EXPECT_EQ(run("'50%' % ()"), "1:1: the format ends within a `%`; a `%` as text is written `%%`");
  EXPECT_EQ(run("'%99999999d' % 1"),
            "1:1: `>99999999d` is not a format: a width or precision is a number of at most 10000");
}

TEST(Evaluator, LoopsWithElse) {
  EXPECT_EQ(run("for i in range(3):\n  if i == 5: break\nelse:\n  print('none')"), "none");
  EXPECT_EQ(run("for i in [1, 2]:\n  if i == 2: break\nelse:\n  print('none')\ni"), "2");
  EXPECT_EQ(run("n = 2\nwhile n:\n  n -= 1\nelse:\n  n = 'done'\nn"), "'done'");
  EXPECT_EQ(run("while True:\n  break\nelse:\n  print('never')\n1"), "1");
  EXPECT_EQ(run("for i in range(3):\n  for j in ():\n    pass\n  else:\n    break\ni"), "0"); // the outer one's
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
  limits.sessionBytes = 1; // anything is too much once it is looked at
  EXPECT_EQ(Snippets(limits).kind("x = []\nwhile True: x.append('a' * 1000000)"), "out-of-memory");
}

TEST(Limits, RecursionIsAnError) {
  Limits limits;
  limits.stackBytes = 6 << 20; // frames are larger under sanitizers
  EXPECT_EQ(Snippets(limits).run("def f(n): return f(n + 1)\nf(0)"), "1:18: calls nest more than 400 deep");
  // With deep expressions around the call, the stack is what runs out first.
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

TEST(Limits, RingsOfFunctionsDoNotLeak) { // the sanitized build looks
  EXPECT_EQ(run("def f():\n  xs = []\n  def g(): return xs\n  xs.append(g)\n  return g\nf() is None"), "False");
}

} // namespace
} // namespace lanescope::repl
