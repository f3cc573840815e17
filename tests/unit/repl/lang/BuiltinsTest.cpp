#include "repl/lang/values/ArrayNumbers.h"
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/ValueJson.h"
#include "tests/unit/repl/Snippets.h"

#include <bit>
#include <random>

namespace lanescope::repl {
namespace {

std::string json(const std::string &expression) {
  Evaluator evaluator(hostBuiltins());
  auto value = evaluator.evaluate(Source::make("t", expression));
  if (!value)
    return places(value.error());
  return *toJson(*value);
}

TEST(Builtins, PythonFunctions) {
  EXPECT_EQ(run("len('h\xC3\xA9'), min(3, 1), max([1, 5, 2]), max('bb', 'a', key=len), min([], default=0)"),
            "(2, 1, 5, 'bb', 0)");
  EXPECT_EQ(run("sorted([3, 1, 2], reverse=True), sorted(['b', 'A'], key=lambda s: s.lower()), list(reversed('ab'))"),
            "([3, 2, 1], ['A', 'b'], ['b', 'a'])");
  EXPECT_EQ(run("int('ff', 16), int(' 12 '), int(-3.7), float('1e3'), bool([]), str(1.5), tuple('ab')"),
            "(255, 12, -3, 1000.0, False, '1.5', ('a', 'b'))");
  EXPECT_EQ(
      run("dict(a=1), dict([('b', 2)]), list(zip('ab', [1, 2, 3])), list(enumerate('a', 5)), all([]), any([0, 2])"),
      "({'a': 1}, {'b': 2}, [('a', 1), ('b', 2)], [(5, 'a')], True, True)");
  EXPECT_EQ(run("range(5), static_range(1, 4), range(0, 6, 2)[1], len(range(10, 0, -3))"),
            "(range(0, 5), static_range(1, 4), 2, 4)");
  EXPECT_EQ(run("print(1, 'a', sep='-', end='!')"), "1-a!");
}

// Arrays of elements too large for an int keep their dtype and value.
TEST(Builtins, LargeUnsignedElements) {
  EXPECT_EQ(run("array([-1, 5], i64).astype(u64)[0]"), "array(18446744073709551615, dtype=u64)");
  EXPECT_EQ(run("array([-1, 5], i64).astype(u64)[1], max(array([-1, 5], i64).astype(u64))"),
            "(5, array(18446744073709551615, dtype=u64))");
  EXPECT_EQ(run("array([-2], i64).astype(u64)[0] < array([-1], i64).astype(u64)[0]"), "array(True, dtype=i1)");
  EXPECT_EQ(json("array([-1], i64).astype(u64)"), "[18446744073709551615]");
  EXPECT_NE(run("int(array([-1], i64).astype(u64)[0])").find("does not fit in 64 bits"), std::string::npos);
}

TEST(Builtins, StrMethods) {
  EXPECT_EQ(
      run("' a b '.strip(), 'a,b,,c'.split(','), ' x  y '.split(), '-'.join(['a', 'b']), 'aXbX'.replace('X', '')"),
      "('a b', ['a', 'b', '', 'c'], ['x', 'y'], 'a-b', 'ab')");
  EXPECT_EQ(
      run("'abc'.startswith('ab'), 'h\xC3\xA9llo'.find('l'), 'x'.center(5, '*'), '-7'.zfill(4), 'a=b'.partition('=')"),
      "(True, 2, '**x**', '-007', ('a', '=', 'b'))");
  EXPECT_EQ(run("'h\xC3\xA9llo'[1], 'abc'[::-1], 'abc'[-2:]"), "('\xC3\xA9', 'cba', 'bc')");
}

TEST(Builtins, ArgumentsAreChecked) {
  EXPECT_EQ(run("zeros('a')"), "1:7: `shape` of `zeros` must be an int or a tuple of ints, not str");
  EXPECT_EQ(run("zeros((2, -1))"), "1:7: `shape` of `zeros`: a size of -1 is negative");
  EXPECT_EQ(run("zeros(2, dtyp=f16)"), "1:10: `zeros` has no argument `dtyp`; did you mean `dtype`?");
  EXPECT_EQ(run("zeros(2, float)"), "1:10: `dtype` of `zeros` must be a dtype such as `f32`, not builtin");
  EXPECT_EQ(run("zeros()"), "1:1: `zeros` needs a value for `shape`");
  EXPECT_EQ(run("zeros(1, f32, 2)"), "1:15: `zeros` takes at most 2 positional arguments, but 3 are given");
  EXPECT_EQ(run("range(1.5)"), "1:7: a bound of `range` must be an int, not float");
  EXPECT_EQ(run("range(0, 5, 0)"), "1:13: the step of a range must not be 0");
}

TEST(Arrays, Arithmetic) {
  EXPECT_EQ(run("iota((2, 3)) * 2"), "array([[ 0,  2,  4],\n       [ 6,  8, 10]], dtype=i32)");
  EXPECT_EQ(run("(ones((2, 2), f16) * 0.1).dtype, (iota(3) / 2).dtype, (iota(3) + 1.5).dtype"), "(f16, f32, f32)");
  EXPECT_EQ(run("ones(1, f16).dtype, (ones(1, f16) + ones(1, bf16)).dtype, (iota(1) + ones(1, f16)).dtype, (iota(1, "
                "u8) + iota(1, i8)).dtype"),
            "(f16, f32, f16, i16)");
  // A Python scalar takes the array's dtype before the operation: 0.1 in f16 is 0.0999755859375.
  EXPECT_EQ(run("(full(1, 1.0, f16) * 0.1)[0]"), "0.0999755859375");
  EXPECT_EQ(run("full(1, 200, u8) + full(1, 100, u8)"), "array([44], dtype=u8)"); // integers wrap
  EXPECT_EQ(run("full(1, 1, u8) + 300"), "1:1: 300 does not fit in `u8`; convert the array with `astype` first");
  EXPECT_EQ(run("full(1, 1, u8) < 300"), "array([ True], dtype=i1)");
  EXPECT_EQ(run("ones((2, 3)) + ones((2, 2))"),
            "1:1: shapes (2, 3) and (2, 2) do not broadcast: dimension -1 is 3 in one and 2 in the other");
  EXPECT_EQ(run("ones((2, 1)) + iota(3)"), "array([[1., 2., 3.],\n       [1., 2., 3.]], dtype=f32)");
  EXPECT_EQ(run("ones(2, f8e5m2) + ones(2)"),
            "1:1: `f8e5m2` and `f32` do not mix by themselves; convert one with `astype`");
}

TEST(Arrays, RoundingIsOnceToTheDtype) {
  // 1 + 2^-11 lies halfway between two f16 numbers and goes to the even one; 1 + 2^-11 + 2^-20 goes up.
  EXPECT_EQ(run("a = full(1, 1.0, f16)\n(a + 0.00048828125)[0], full(1, 1.0004892349243164, f16)[0]"),
            "(1.0, 1.0009765625)");
}

TEST(Arrays, Matmul) {
  EXPECT_EQ(run("a = iota((2, 3), f32)\na @ a.T"), "array([[ 5., 14.],\n       [14., 50.]], dtype=f32)");
  EXPECT_EQ(run("ones((2, 3)) @ ones((2, 3))"),
            "1:1: `@` of shapes (2, 3) and (2, 3): the left one's columns (3) are not the right one's rows (2)");
}

TEST(Arrays, Indexing) {
  EXPECT_EQ(run("a = iota((3, 4))\na[1, 2], a[-1], a[:, 1], a[1:, ::2].shape, a[..., None].shape, a[::-1][0, 0]"),
            "(6, array([ 8,  9, 10, 11], dtype=i32), array([1, 5, 9], dtype=i32), (2, 2), (3, 4, 1), 8)");
  EXPECT_EQ(run("a = zeros((2, 3))\na[0] = 1\na[:, 2] = [7, 8]\na"),
            "array([[1., 1., 7.],\n       [0., 0., 8.]], dtype=f32)");
  EXPECT_EQ(run("iota((3, 4))[5]"), "1:14: index 5 is outside dimension 0 of size 3");
  EXPECT_EQ(run("iota((3, 4))[1, 2, 3]"), "1:14: there are 3 indices for an array of rank 2 (shape (3, 4))");
}

TEST(Arrays, Reductions) {
  EXPECT_EQ(run("a = iota((2, 3))\nsum(a), max(a, axis=0), a.mean(), a.sum(axis=1, keepdims=True).shape, min(a), any(a "
                "> 4), all(a >= 0)"),
            "(15, array([3, 4, 5], dtype=i32), 2.5, (2, 1), 0, True, True)");
  EXPECT_EQ(run("max(zeros(0))"), "1:1: an array of shape (0,) has no elements to reduce");
  EXPECT_EQ(run("sum(iota(3), axis=2)"), "1:19: `axis` of `sum`: there is no axis 2 in an array of shape (3,)");
  EXPECT_EQ(run("if zeros(2): pass"),
            "1:4: an array of shape (2,) is neither true nor false; use `all(…)` or `any(…)`");
}

TEST(Arrays, Shapes) {
  EXPECT_EQ(run("a = iota((2, 6))\nreshape(a, (3, -1)).shape, a.T.shape, transpose(a)[5, 1], a.reshape(4, 3).shape, "
                "a.flatten().shape"),
            "((3, 4), (6, 2), 11, (4, 3), (12,))");
  EXPECT_EQ(run("reshape(iota(6), (4, 2))"),
            "1:18: an array of shape (6,) has 6 elements, which do not fill the shape (4, 2)");
  EXPECT_EQ(run("astype(full(2, 3.7), i32), full(1, 300, i32).astype(u8)"),
            "(array([3, 3], dtype=i32), array([44], dtype=u8))");
}

TEST(Arrays, RandomIsTheSameEverywhere) {
  EXPECT_EQ(run("random(3, f32, seed=0)"), "array([ 0.01592118, -0.15516153, -0.24563733], dtype=f32)");
  EXPECT_EQ(run("x = random(4, i8, seed=1)\nall(x == random(4, i8, seed=1)), any(x != random(4, i8, seed=2))"),
            "(True, True)");
  EXPECT_EQ(run("x = random(10000, seed=3)\nmin(x) >= -1, max(x) < 1, abs(x.mean()) < 0.05"), "(True, True, True)");
}

TEST(Arrays, Printing) {
  EXPECT_EQ(run("zeros((100, 100), f16)"), R"(array([[0., 0., 0., ..., 0., 0., 0.],
       [0., 0., 0., ..., 0., 0., 0.],
       [0., 0., 0., ..., 0., 0., 0.],
       ...,
       [0., 0., 0., ..., 0., 0., 0.],
       [0., 0., 0., ..., 0., 0., 0.],
       [0., 0., 0., ..., 0., 0., 0.]], shape=(100, 100), dtype=f16))");
  EXPECT_EQ(run("full((), 1.5)"), "array(1.5, dtype=f32)");
  EXPECT_EQ(run("array([1e-9, 1.0])"), "array([1.e-09, 1.e+00], dtype=f32)");
  EXPECT_EQ(run("full(2, 0.1, f16)"), "array([0.1, 0.1], dtype=f16)");
  EXPECT_EQ(run("zeros((0, 1000000000))"), "array([], shape=(0, 1000000000), dtype=f32)");
}

TEST(Arrays, Closeness) {
  EXPECT_EQ(run("a = ones(4, f16)\nallclose(a, a * 1.0005), allclose(a, a * 1.1), max_error(a, a * 2), "
                "allclose(iota(3), iota(3) + 1)"),
            "(True, False, 1.0, False)");
  EXPECT_EQ(run("allclose(ones((2, 3)), ones(3))"), "1:1: shapes (2, 3) and (3,) differ");
}

TEST(Arrays, OnlyArrayFilesAreTouched) {
  EXPECT_EQ(run("save('/etc/passwd', ones(1))"), "1:6: `path` of `save`: only `.npy` files are written");
  EXPECT_EQ(run("load('/etc/passwd')"), "1:6: `path` of `load`: only `.npy` and `.npz` files are read");
  EXPECT_EQ(Snippets().kind("load('there-is-none.npy')"), "unreadable-file");
  EXPECT_EQ(Snippets().kind("save('../x.npy', ones(1))"), "file-access");
  EXPECT_EQ(Snippets().kind("save('a\\0.npy', ones(1))"), "file-access");
  EXPECT_EQ(Snippets().kind("load('/etc/x.npy')"), "file-access");
}

TEST(Layouts, ConstructorsReadBackWhatIsPrinted) {
  for (const char *name : {"WGMMA", "WGMMA_ROW", "WGMMA_COL", "WGMMA_TRANSPOSED", "TCGEN05",
                           "WGStridedFragLayout(shape=(128, 128), vec_size=4)", "WGSplatFragLayout(shape=(4,))",
                           "tmem_default_layout(2)"}) {
    std::string printed = run(name);
    EXPECT_EQ(run(printed), printed) << name;
    EXPECT_EQ(run(std::string("(") + printed + ") == (" + name + ")"), "True");
  }
  EXPECT_EQ(run("Tiling((64, 8), (8, 8)) == Tiling(tiles=((64, 8), (8, 8)))"), "True");
}

TEST(Layouts, Attributes) {
  EXPECT_EQ(run("WGMMA.tiling, WGMMA.warp_dims, WGMMA.vector_length, WGMMA.base_tile_shape, WGMMA.name"),
            "(Tiling(tiles=((64, 8), (16, 8), (8, 8), (2,))), (-7,), 2, (64, 8), 'WGMMA')");
  EXPECT_EQ(run("WGMMA.reduce(1) == WGMMA_ROW, WGMMA_ROW.lane_dims"), "(True, (-2, Replicated(times=4)))");
  EXPECT_EQ(run("layout('#mosaic_gpu.WGStridedFragLayout<[128, 8], 4>').vec_size"), "4");
}

TEST(Layouts, WrongOnesAreTold) {
  EXPECT_EQ(Snippets().kind("TiledLayout(3, (1,), (2,), 3)"), "type");
  EXPECT_NE(run("element_map(WGMMA, (63, 8))").find("1:20: "), std::string::npos) << run("element_map(WGMMA, (63, 8))");
  EXPECT_EQ(run("element_map(3, (64, 8))"),
            "1:13: `layout` of `element_map` must be a layout such as `WGMMA`, a layout's text or a smem_map, not int");
  EXPECT_EQ(run("smem_map((8, 64), f16, swizzle=5)"),
            "1:32: `swizzle` of `smem_map`: a swizzle is 32, 64 or 128 bytes, or None, not 5");
  EXPECT_EQ(run("owners(WGMMA, (64, 8), (64, 0))"), "1:24: `index` of `owners`: 64 is outside dimension 0 of size 64");
}

TEST(Layouts, Owners) {
  EXPECT_EQ(run("owners(WGMMA, (64, 8), (9, 2))"),
            "{'thread': [5], 'warp': [0], 'lane': [5], 'register': [1], 'vector': [0]}");
  EXPECT_EQ(run("len(owners(WGMMA_ROW, (64,), 0)['lane'])"), "4");
  EXPECT_EQ(run("owners(tmem_default_layout(2), (128, 64), (3, 11), f16)"), "{'lane': [3], 'column': [5], 'sub': [1]}");
  EXPECT_EQ(run("elements(WGMMA, (64, 8), warp=0, lane=5)['element']"), "[(1, 2), (1, 3), (9, 2), (9, 3)]");
}

/// AMD's warps have 64 threads: tables, filters, steps and descriptions count in 64. Row 37 of 64 is row 5 of the
/// second warp's tile, in that warp's lanes from 32 on (see WarpSizeTest of the layouts).
TEST(Layouts, WarpsOf64Threads) {
  const std::string mfma = "m = layout('#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], "
                           "isTransposed = false}>')\n";
  EXPECT_EQ(run(mfma + "owners(m, (64, 32), (37, 9))"),
            "{'thread': [105], 'warp': [1], 'lane': [41], 'register': [1], 'vector': [0]}");
  EXPECT_EQ(run(mfma + "elements(m, (64, 32), warp=1, lane=41, register=1)['element']"), "[(37, 9)]");
  EXPECT_EQ(run(mfma + "len(elements(m, (64, 32), lane=40)['element'])"), "32"); // 16 in each warp
  EXPECT_EQ(run(mfma + "len(elements(m, (64, 32), lane=63)['element'])"), "32");
  EXPECT_EQ(run(mfma + "elements(m, (64, 32), lane=64)"), "2:28: `lane` of `elements`: 64 is not between 0 and 63");
  EXPECT_EQ(run(mfma + "elements(m, (64, 32), warp=2)"), "2:28: `warp` of `elements`: 2 is not between 0 and 1");
  EXPECT_EQ(run("elements(WGMMA, (64, 8), lane=32)"), "1:31: `lane` of `elements`: 32 is not between 0 and 31");
  EXPECT_EQ(run(mfma + "e = element_map(m, (64, 32))\ne.threads, e.threads_per_warp"), "(128, 64)");
  EXPECT_EQ(run("element_map(WGMMA, (64, 8)).threads_per_warp"), "32");
  EXPECT_EQ(run(mfma + "explain(m, (64, 32), (37, 9))['value'][-1]"), "'thread 105 (warp 1, lane 41) value 1'");
  EXPECT_EQ(run(mfma + "relayout(m, WGMMA, (64, 32), f32)"),
            "2:1: the instructions of a relayout are counted for NVIDIA's warps of 32 threads; this layout's have 64");
}

TEST(Json, Values) {
  EXPECT_EQ(json("{'a': [1, 2.5, None, True], 'b': ('x', f16)}"), R"({"a":[1,2.5,null,true],"b":["x","f16"]})");
  EXPECT_EQ(json("iota((2, 2))"), "[[0,1],[2,3]]");
  EXPECT_EQ(json("float('inf')"), "\"inf\"");
  EXPECT_EQ(json("element_map(WGMMA, (64, 8))").substr(0, 30), R"({"layout":"TiledLayout(tiling=)");
  EXPECT_EQ(json("smem_map((8, 64), f16)").substr(0, 30), R"({"bytes":2,"shape":[8,64],"til)");
}

TEST(Help, EveryBuiltinHasAUsefulOne) {
  for (const Builtin &builtin : hostBuiltins()) {
    EXPECT_FALSE(builtin.doc.empty()) << builtin.name;
    EXPECT_NE(builtin.group, "other") << builtin.name;
    if (!builtin.call)
      continue;
    EXPECT_TRUE(builtin.signature.starts_with(builtin.name + "(")) << builtin.signature;
    EXPECT_EQ(run("help(" + builtin.name + ")"),
              builtin.signature + "\n\n" + builtin.doc + "\n\n" + whereItWorks(builtin));
  }
  EXPECT_EQ(run("help()").substr(0, 42), "help(name) describes one name, and whether");
}

/// Casts of whole arrays convert many elements at once; each element gets the value that it gets alone.
TEST(Builtins, CastsOfWholeArraysAreThoseOfTheirElements) {
  using enum Dtype;
  std::mt19937 random(3);
  for (Dtype from : {F64, F32, TF32, F16, BF16, F8E4M3FN, F8E5M2, I32}) {
    Array array = Array::zeros(from, {1300});
    for (std::byte &byte : array.bytes)
      byte = static_cast<std::byte>(random());
    std::vector<double> numbers(700);
    readNumbers(array, 600, numbers);
    for (size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(std::bit_cast<uint64_t>(numbers[i]), std::bit_cast<uint64_t>(array.number(600 + int64_t(i))));
    for (Dtype to : {F64, F32, TF32, F16, BF16, F8E4M3FN}) {
      auto whole = cast(array, to);
      ASSERT_TRUE(whole);
      Array alone = Array::zeros(to, array.shape);
      for (int64_t i = 0; i < array.size(); ++i)
        setElement(alone, i, elementOf(array, i));
      EXPECT_EQ(whole->bytes, alone.bytes) << layouts::name(from) << " to " << layouts::name(to);
    }
  }
}

} // namespace
} // namespace lanescope::repl
