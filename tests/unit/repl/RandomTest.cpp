// The streams of NumPy and JAX against published values.
#include "repl/kernel/pallas/Pallas.h"
#include "repl/lang/random/NumpyStream.h"
#include "repl/lang/random/Threefry.h"
#include "tests/unit/repl/Snippets.h"

#include "core/data/Files.h"

namespace lanescope::repl {
namespace {

// NumPy's own test data, numpy/random/tests/data/pcg64-testset-1.csv: the raw stream of seed 0xdeadbeaf.
TEST(NumpyStream, RawNumbers) {
  NumpyStream stream({0xdeadbeaf});
  for (uint64_t expected : {0x60d24054e17a0698ULL, 0xd5e79d89856e4f12ULL, 0xd254972fe64bd782ULL, 0xf1e3072a53c72571ULL,
                            0xd7c1d7393d4115c9ULL, 0x77b75928b763e1e2ULL, 0xee6dee05190f7909ULL, 0x15f7b1c51d7fa319ULL,
                            0x27e44105f26ac2d7ULL, 0x0cc0d88b29e5b415ULL, 0xe07b1a90c685e361ULL})
    EXPECT_EQ(stream.next64(), expected);
}

// Random123's known answers (kat_vectors): threefry2x32 with 20 rounds.
TEST(Threefry, KnownAnswers) {
  EXPECT_EQ(threefry({0, 0}, {0, 0}), (ThreefryPair{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(threefry({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}), (ThreefryPair{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(threefry({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}), (ThreefryPair{0xc4923a9c, 0x483df7a0}));
}

// Values of NumPy's documentation, of `np.random.default_rng`.
TEST(NumpyRandom, PublishedValues) {
  Snippets s;
  s.run("import numpy as np");
  EXPECT_EQ(s.run("np.random.default_rng(12345).random()"), "0.22733602246716966");
  EXPECT_EQ(s.run("np.random.default_rng(12345).integers(low=0, high=10, size=3).tolist()"), "[6, 2, 7]");
  EXPECT_EQ(
      s.run("print(np.random.default_rng(42).random((3, 3)))"),
      "[[0.77395605 0.43887844 0.85859792]\n [0.69736803 0.09417735 0.97562235]\n [0.7611397  0.78606431 0.12811363]]");
  EXPECT_EQ(s.run("print(np.random.default_rng(42).standard_normal(5))"),
            "[ 0.30471708 -1.03998411  0.7504512   0.94056472 -1.95103519]");
  EXPECT_EQ(s.run("print(np.random.default_rng(0).integers(0, 100, 5))"), "[85 63 51 26 30]");
}

TEST(NumpyRandom, FormsAndErrors) {
  Snippets s;
  s.run("import numpy as np\nr = lambda: np.random.default_rng(3)");
  EXPECT_EQ(s.run("r().uniform(2, 4, (5,)).shape, r().normal(size=3).dtype, r().random(2, dtype=np.float32).dtype"),
            "((5,), dtype('float64'), dtype('float32'))");
  EXPECT_EQ(s.run("sorted(r().permutation(6).tolist()), r().choice([5, 6, 7], size=(2, 2)).shape"),
            "([0, 1, 2, 3, 4, 5], (2, 2))");
  EXPECT_EQ(s.run("len(set(r().choice(20, 20, replace=False).tolist()))"), "20");
  EXPECT_EQ(s.run("r().integers(-3, 3, 100, dtype=np.int8).dtype, int(r().integers(5, 6))"), "(dtype('int8'), 5)");
  EXPECT_EQ(s.run("r().integers(5, 5)"), "1:17: `high` of `integers`: there is no integer from 5 up to 5");
  EXPECT_EQ(s.run("r().binomials(3, 0.5)"), "1:1: a Generator has no `binomials`; did you mean `binomial`?");
  EXPECT_EQ(s.run("r().binomial(3, 1.5)"), "1:17: `p` of `binomial`: each is from 0 to 1, not 1.5");
  EXPECT_EQ(s.run("r().gamma([1.0, -2.0])"), "1:11: `shape` of `gamma`: each is not negative, not -2.0");
  EXPECT_EQ(s.run("r().triangular(0, 5, 3)"),
            "1:16: `left` of `triangular`: it takes left <= mode <= right, and left < right");
  EXPECT_EQ(s.run("r().bytes(4)"), "1:1: `bytes` is not here: write `rng.integers(0, 256, n, dtype=np.uint8)`");
  EXPECT_EQ(s.run("r().integers([0, 5], [3, 5])"), "1:22: `high` of `integers`: there is no integer from 5 up to 5");
  EXPECT_EQ(s.run("np.random.default_rng(-1)"),
            "1:23: `seed` of `default_rng` must be an int above or equal to 0, or a list of them, not int");
}

/// What a program of tests/golden prints.
std::string printedBy(const std::string &file) {
  auto source = core::readSource(std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/" + file);
  if (!source)
    return render(source.error());
  std::string out;
  Evaluator evaluator(hostBuiltins(), {.print = [&](std::string_view text) { out += text; }});
  auto done = evaluator.run(*source);
  return done ? out : out + render(done.error());
}

// NumPy ran the program and printed the text: distributions, arrays of parameters, orders, choices.
// Values that NumPy's users know: what a seed gives with the functions of `np.random`.
TEST(NumpyRandom, LegacyValues) {
  Snippets s;
  s.run("import numpy as np\nnp.random.seed(0)");
  EXPECT_EQ(s.run("np.random.rand(3)"), "array([0.5488135 , 0.71518937, 0.60276338])");
  s.run("np.random.seed(0)");
  EXPECT_EQ(s.run("np.random.randn(5)"), "array([1.76405235, 0.40015721, 0.97873798, 2.2408932 , 1.86755799])");
  s.run("np.random.seed(0)");
  EXPECT_EQ(s.run("np.random.randint(0, 10, 5).tolist()"), "[5, 0, 3, 3, 7]");
  s.run("np.random.seed(0)");
  EXPECT_EQ(s.run("np.random.permutation(10).tolist()"), "[2, 8, 4, 9, 1, 6, 7, 3, 0, 5]");
  s.run("np.random.seed(42)");
  EXPECT_EQ(s.run("np.random.randint(0, 100, 5).tolist()"), "[51, 92, 14, 71, 60]");
  s.run("r = np.random.RandomState(42)");
  EXPECT_EQ(s.run("r.permutation(10).tolist()"), "[8, 1, 5, 0, 7, 2, 9, 4, 3, 6]");
  // One state for all of them, which a RandomState of one's own leaves alone.
  EXPECT_EQ(s.run("np.random.seed(1)\na = np.random.normal(2, 3, 4)\nr.seed(1)\nbool(np.all(a == 2 + 3 * r.randn(4)))"),
            "True");
  EXPECT_EQ(s.run("r.seed(5)\nx = np.arange(6)\nr.shuffle(x)\nr.seed(5)\n(x == r.permutation(6)).all().item()"),
            "True");
  EXPECT_EQ(s.run("r.seed(5)\na = r.choice(9, 4, replace=False)\nr.seed(5)\n(a == r.permutation(9)[:4]).all().item()"),
            "True");
  EXPECT_EQ(s.run("u = r.randint(0, 200, 1000, dtype=np.uint8)\nw = r.randint(-300, 300, 1000, dtype=np.int16)\n"
                  "u.dtype, w.dtype, 190 < int(u.max()) < 200, int(w.min()) < -290, int(w.max()) < 300"),
            "(dtype('uint8'), dtype('int16'), True, True, True)");
  EXPECT_EQ(s.run("isinstance(r.rand(), float), r.uniform(-1, 1, (2, 3)).shape, r"),
            "(True, (2, 3), RandomState(MT19937))");
  EXPECT_EQ(s.run("np.random.RandomState([0]).random_sample()"), "0.8444218515250481"); // as Python's random.seed(0)
  EXPECT_EQ(s.run("np.random.RandomState([1, -2])"),
            "1:23: `seed` of `RandomState`: a seed is an int from 0 to 2**32 - 1 here, or a list of them");
  EXPECT_EQ(s.run("r.integers(3)"),
            "1:1: a RandomState has no `integers`; it has seed, rand, randn, random_sample, random, "
            "standard_normal, normal, uniform, randint, permutation, shuffle, choice");
}

TEST(NumpyRandom, EveryDistributionToTheBit) {
  auto golden = core::readSource(std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/numpy_random.txt");
  ASSERT_TRUE(golden);
  EXPECT_EQ(printedBy("numpy_random.py"), (*golden)->text());
}

// Values that JAX's documentation prints, with the partitionable stream of its releases since 0.5.
Builtins jaxModules() {
  return moduleBuiltins(pallasModules(std::make_shared<KernelRuntime>(KernelOptions{.device = "none"})));
}

TEST(JaxRandom, PublishedValues) {
  Snippets s({}, jaxModules());
  s.run("from jax import random");
  EXPECT_EQ(s.run("print(random.normal(random.key(42)))"), "-0.028304616");
  EXPECT_EQ(s.run("random.uniform(random.key(0)).item()"), "0.9476670026779175");
  EXPECT_EQ(s.run("random.split(random.key(0)).tolist()"), "[[1797259609, 2579123966], [928981903, 3453687069]]");
}

TEST(JaxRandom, FormsAndErrors) {
  Snippets s({}, jaxModules());
  s.run("import jax\nk = jax.random.PRNGKey(7)");
  EXPECT_EQ(s.run("x = jax.random.randint(k, (1000,), -3, 4)\n(x.min().item(), x.max().item(), x.dtype)"),
            "(-3, 3, dtype('int32'))");
  EXPECT_EQ(s.run("sorted(jax.random.permutation(k, 7).tolist())"), "[0, 1, 2, 3, 4, 5, 6]");
  EXPECT_EQ(s.run("jax.random.bernoulli(k, 0.5, (4,)).dtype, jax.random.fold_in(k, 3).shape"), "(dtype('bool'), (2,))");
  EXPECT_EQ(s.run("jax.random.normal(k, (8,), 'bf16').dtype, jax.random.bits(k, (3,)).dtype"),
            "(dtype('bfloat16'), dtype('uint32'))");
  EXPECT_EQ(
      s.run(
          "x = jax.random.categorical(k, jax.numpy.zeros((3, 5)), shape=(4, 3))\n(x.shape, x.dtype, int(x.max()) < 5)"),
      "((4, 3), dtype('int32'), True)");
  EXPECT_EQ(s.run("[f(k, shape=(2,)).shape for f in (jax.random.gumbel, jax.random.laplace, jax.random.logistic, "
                  "jax.random.cauchy, jax.random.exponential, jax.random.rademacher, jax.random.maxwell)]"),
            "[(2,), (2,), (2,), (2,), (2,), (2,), (2,)]");
  EXPECT_EQ(
      s.run("g = jax.random.gamma(k, 3.0, (200,))\np = jax.random.poisson(k, jax.numpy.array([2.0, 50.0]), (100, 2))\n"
            "2.5 < float(g.mean()) < 3.5, 1.5 < float(p[:, 0].mean()) < 2.5, 45 < float(p[:, 1].mean()) < 55"),
      "(True, True, True)");
  EXPECT_EQ(s.run("x = jax.random.truncated_normal(k, -1, 2, (500,))\nfloat(x.min()) > -1, float(x.max()) < 2"),
            "(True, True)");
  s.run("import numpy as np\nimport jax.numpy as jnp\ncov = jnp.array([[4.0, 2.0], [2.0, 5.0]])\nmean = "
        "jnp.array([1.0, -3.0])");
  EXPECT_EQ(s.run("x = jax.random.multivariate_normal(k, mean, cov, (4, 3))\n"
                  "z = jax.random.normal(k, (4, 3, 2)) @ jnp.array([[2.0, 1.0], [0.0, 2.0]])\n"
                  "x.shape, bool(jnp.allclose(x, mean + z)), jax.random.multivariate_normal(k, mean, cov).shape"),
            "((4, 3, 2), True, (2,))");
  EXPECT_EQ(s.run("jax.random.multivariate_normal(k, mean, jnp.ones((3, 3)))").substr(0, 76),
            "1:1: ValueError: multivariate_normal requires cov.shape == (..., n, n) for n");
  EXPECT_EQ(s.run("jax.random.normal(3)"),
            "1:19: `key` of `normal` must be a key, as `jax.random.key(seed)` makes one, not int");
}

} // namespace
} // namespace lanescope::repl
