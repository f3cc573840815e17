// The distributions of numpy.random.Generator as methods: parameters broadcast, each is checked, then drawn from in
// order.
#include "repl/lang/numpy/Generator.h"
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/random/Distributions.h"

#include <cmath>
#include <limits>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using Stream = NumpyStream;

/// What a parameter may be.
enum class Range : uint8_t { Any, NotNegative, Positive, Unit, UnitAboveZero, BelowOne, AboveOne, Count };

struct RangeRule {
  bool (*holds)(double);
  const char *text;
};
const RangeRule &ruleOf(Range range) {
  static constexpr RangeRule kRules[] = {
      {[](double x) { return !std::isnan(x); }, "is a number"},
      {[](double x) { return x >= 0; }, "is not negative"},
      {[](double x) { return x > 0; }, "is above 0"},
      {[](double x) { return x >= 0 && x <= 1; }, "is from 0 to 1"},
      {[](double x) { return x > 0 && x <= 1; }, "is above 0 and at most 1"},
      {[](double x) { return x >= 0 && x < 1; }, "is from 0 up to 1, 1 not included"},
      {[](double x) { return x > 1; }, "is above 1"},
      {[](double x) { return x >= 0 && x < 0x1p62 && std::floor(x) == x; }, "is an int above or equal to 0"},
  };
  return kRules[static_cast<size_t>(range)];
}

struct Distribution {
  std::string name, signature, doc; // the signature ends with `size=None`
  std::vector<Range> ranges;
  std::vector<double> defaults; // of the last parameters
  bool whole = false;           // ints, of i64
  double (*draw)(Stream &, const double *p) = nullptr;
  int64_t (*count)(Stream &, const double *p) = nullptr;
  /// What is wrong with parameters that are each in range; nothing where all is well.
  const char *(*check)(const double *p) = nullptr;
};

/// Whether `check` holds for every draw, then one draw for each element; a number alone where there is no size.
R drawFrom(C &context, const A &args, const Distribution &made) {
  const size_t count = made.ranges.size();
  const bool sized = args.has(count) && !args[count].value.isNone();
  Shape shape;
  std::vector<Array> parameters;
  for (size_t i = 0; i < count; ++i) {
    if (args.has(i)) {
      parameters.push_back(LANESCOPE_TRY(arrayArgument(args, i, ArrayRules::Numpy, Dtype::F64)));
    } else {
      parameters.push_back(Array::zeros(Dtype::F64, {}));
      parameters.back().setNumber(0, made.defaults[i + made.defaults.size() - count]);
    }
    for (int64_t k = 0; k < parameters[i].size(); ++k)
      if (const RangeRule &rule = ruleOf(made.ranges[i]); !rule.holds(parameters[i].number(k)))
        return args.wrongValue(i, text("each ", rule.text, ", not ", repr(Value(parameters[i].number(k)))));
    auto wider = broadcastShapes(shape, parameters[i].shape);
    if (!wider)
      return at(args[i].span, std::move(wider.error()));
    shape = std::move(*wider);
  }
  if (sized) {
    Shape wanted = LANESCOPE_TRY(args.shape(count));
    if (auto fits = broadcastTo(Array::zeros(Dtype::I1, shape), wanted); !fits)
      return at(args[count].span, std::move(fits.error()));
    shape = std::move(wanted);
  }
  const Dtype dtype = made.whole ? Dtype::I64 : Dtype::F64;
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  for (Array &parameter : parameters)
    parameter = LANESCOPE_TRY(broadcastTo(parameter, shape));
  Array out = Array::zeros(dtype, shape);
  std::vector<double> point(std::max<size_t>(count, 1));
  auto pointAt = [&](int64_t k) {
    for (size_t i = 0; i < count; ++i)
      point[i] = parameters[i].number(k);
    return point.data();
  };
  if (made.check)
    for (int64_t k = 0; k < out.size(); ++k)
      if (const char *wrong = made.check(pointAt(k)))
        return args.wrongValue(0, wrong);
  for (int64_t k = 0; k < out.size(); ++k) {
    if (k % 4096 == 0)
      LANESCOPE_CHECK(context.evaluator.poll(context.span));
    if (made.whole)
      out.setInteger(k, made.count(streamOf(args), pointAt(k)));
    else
      out.setNumber(k, made.draw(streamOf(args), pointAt(k)));
  }
  if (shape.empty() && !sized)
    return made.whole ? R(Value(out.integer(0))) : R(Value(out.number(0)));
  return Value(std::move(out), ArrayRules::Numpy);
}

std::vector<Distribution> continuous() {
  using namespace distributions;
  using enum Range;
  return {
      {.name = "exponential",
       .signature = "exponential(scale=1.0, size=None)",
       .doc = "Exponential floats.",
       .ranges = {NotNegative},
       .defaults = {1},
       .draw = [](Stream &s, const double *p) { return p[0] * exponential(s); }},
      {.name = "gamma",
       .signature = "gamma(shape, scale=1.0, size=None)",
       .doc = "Floats of the gamma distribution.",
       .ranges = {NotNegative, NotNegative},
       .defaults = {1},
       .draw = [](Stream &s, const double *p) { return p[1] * gamma(s, p[0]); }},
      {.name = "standard_gamma",
       .signature = "standard_gamma(shape, size=None)",
       .doc = "Floats of the gamma distribution of scale 1.",
       .ranges = {NotNegative},
       .draw = [](Stream &s, const double *p) { return gamma(s, p[0]); }},
      {.name = "beta",
       .signature = "beta(a, b, size=None)",
       .doc = "Floats of the beta distribution.",
       .ranges = {Positive, Positive},
       .draw = [](Stream &s, const double *p) { return beta(s, p[0], p[1]); }},
      {.name = "chisquare",
       .signature = "chisquare(df, size=None)",
       .doc = "Sums of `df` squares of normal floats.",
       .ranges = {Positive},
       .draw = [](Stream &s, const double *p) { return chisquare(s, p[0]); }},
      {.name = "noncentral_chisquare",
       .signature = "noncentral_chisquare(df, nonc, size=None)",
       .doc = "As chisquare, of floats whose mean is not 0.",
       .ranges = {Positive, NotNegative},
       .draw = [](Stream &s, const double *p) { return noncentralChisquare(s, p[0], p[1]); }},
      {.name = "f",
       .signature = "f(dfnum, dfden, size=None)",
       .doc = "Ratios of two mean squares.",
       .ranges = {Positive, Positive},
       .draw =
           [](Stream &s, const double *p) {
             const double above = chisquare(s, p[0]) * p[1], below = chisquare(s, p[1]) * p[0];
             return above / below;
           }},
      {.name = "noncentral_f",
       .signature = "noncentral_f(dfnum, dfden, nonc, size=None)",
       .doc = "As f, of floats whose mean is not 0.",
       .ranges = {Positive, Positive, NotNegative},
       .draw =
           [](Stream &s, const double *p) {
             const double above = noncentralChisquare(s, p[0], p[2]) * p[1];
             return above / (chisquare(s, p[1]) * p[0]);
           }},
      {.name = "laplace",
       .signature = "laplace(loc=0.0, scale=1.0, size=None)",
       .doc = "Floats of the Laplace distribution.",
       .ranges = {Any, NotNegative},
       .defaults = {0, 1},
       .draw = [](Stream &s, const double *p) { return laplace(s, p[0], p[1]); }},
      {.name = "gumbel",
       .signature = "gumbel(loc=0.0, scale=1.0, size=None)",
       .doc = "Floats of the Gumbel distribution.",
       .ranges = {Any, NotNegative},
       .defaults = {0, 1},
       .draw = [](Stream &s, const double *p) { return gumbel(s, p[0], p[1]); }},
      {.name = "logistic",
       .signature = "logistic(loc=0.0, scale=1.0, size=None)",
       .doc = "Floats of the logistic distribution.",
       .ranges = {Any, NotNegative},
       .defaults = {0, 1},
       .draw = [](Stream &s, const double *p) { return logistic(s, p[0], p[1]); }},
      {.name = "lognormal",
       .signature = "lognormal(mean=0.0, sigma=1.0, size=None)",
       .doc = "Powers of e with normal exponents.",
       .ranges = {Any, NotNegative},
       .defaults = {0, 1},
       .draw = [](Stream &s, const double *p) { return std::exp(p[0] + p[1] * s.normal()); }},
      {.name = "rayleigh",
       .signature = "rayleigh(scale=1.0, size=None)",
       .doc = "Lengths of two normal floats.",
       .ranges = {NotNegative},
       .defaults = {1},
       .draw = [](Stream &s, const double *p) { return p[0] * std::sqrt(2 * exponential(s)); }},
      {.name = "standard_cauchy",
       .signature = "standard_cauchy(size=None)",
       .doc = "Ratios of two normal floats.",
       .draw =
           [](Stream &s, const double *) {
             const double above = s.normal(), below = s.normal();
             return above / below;
           }},
      {.name = "standard_t",
       .signature = "standard_t(df, size=None)",
       .doc = "Floats of Student's distribution.",
       .ranges = {Positive},
       .draw =
           [](Stream &s, const double *p) {
             const double above = s.normal(), below = gamma(s, p[0] / 2);
             return std::sqrt(p[0] / 2) * above / std::sqrt(below);
           }},
      {.name = "pareto",
       .signature = "pareto(a, size=None)",
       .doc = "Floats of the Pareto II distribution.",
       .ranges = {Positive},
       .draw = [](Stream &s, const double *p) { return std::expm1(exponential(s) / p[0]); }},
      {.name = "power",
       .signature = "power(a, size=None)",
       .doc = "Floats below 1 with density a * x**(a - 1).",
       .ranges = {Positive},
       .draw = [](Stream &s, const double *p) { return std::pow(-std::expm1(-exponential(s)), 1 / p[0]); }},
      {.name = "weibull",
       .signature = "weibull(a, size=None)",
       .doc = "Floats of the Weibull distribution.",
       .ranges = {NotNegative},
       .draw = [](Stream &s, const double *p) { return p[0] == 0 ? 0 : std::pow(exponential(s), 1 / p[0]); }},
      {.name = "triangular",
       .signature = "triangular(left, mode, right, size=None)",
       .doc = "Floats from left to right, most at the mode.",
       .ranges = {Any, Any, Any},
       .draw = [](Stream &s, const double *p) { return triangular(s, p[0], p[1], p[2]); },
       .check = [](const double *p) -> const char * {
         return p[0] <= p[1] && p[1] <= p[2] && p[0] < p[2] ? nullptr
                                                            : "it takes left <= mode <= right, and left < right";
       }},
      {.name = "wald",
       .signature = "wald(mean, scale, size=None)",
       .doc = "Floats of the inverse normal distribution.",
       .ranges = {Positive, Positive},
       .draw = [](Stream &s, const double *p) { return wald(s, p[0], p[1]); }},
      {.name = "vonmises",
       .signature = "vonmises(mu, kappa, size=None)",
       .doc = "Angles around `mu`.",
       .ranges = {Any, NotNegative},
       .draw = [](Stream &s, const double *p) { return vonMises(s, p[0], p[1]); }},
  };
}

std::vector<Distribution> discrete() {
  using namespace distributions;
  using enum Range;
  return {
      {.name = "binomial",
       .signature = "binomial(n, p, size=None)",
       .doc = "How many of n trials succeed.",
       .ranges = {Count, Unit},
       .whole = true,
       .count = [](Stream &s, const double *p) { return binomial(s, static_cast<int64_t>(p[0]), p[1]); }},
      {.name = "negative_binomial",
       .signature = "negative_binomial(n, p, size=None)",
       .doc = "How many trials fail before n succeed.",
       .ranges = {Positive, UnitAboveZero},
       .whole = true,
       .count = [](Stream &s, const double *p) { return poisson(s, (1 - p[1]) / p[1] * gamma(s, p[0])); }},
      {.name = "poisson",
       .signature = "poisson(lam=1.0, size=None)",
       .doc = "How many events there are in an interval.",
       .ranges = {NotNegative},
       .defaults = {1},
       .whole = true,
       .count = [](Stream &s, const double *p) { return poisson(s, p[0]); },
       .check = [](const double *p) -> const char * { return p[0] < 9.2e18 ? nullptr : "`lam` is too large"; }},
      {.name = "geometric",
       .signature = "geometric(p, size=None)",
       .doc = "How many trials it takes to succeed.",
       .ranges = {UnitAboveZero},
       .whole = true,
       .count = [](Stream &s, const double *p) { return geometric(s, p[0]); }},
      {.name = "zipf",
       .signature = "zipf(a, size=None)",
       .doc = "Ints of the zeta distribution.",
       .ranges = {AboveOne},
       .whole = true,
       .count = [](Stream &s, const double *p) { return zipf(s, p[0]); }},
      {.name = "logseries",
       .signature = "logseries(p, size=None)",
       .doc = "Ints of the logarithmic series.",
       .ranges = {BelowOne},
       .whole = true,
       .count = [](Stream &s, const double *p) { return logSeries(s, p[0]); }},
      {.name = "hypergeometric",
       .signature = "hypergeometric(ngood, nbad, nsample, size=None)",
       .doc = "How many good ones are among `nsample` of all.",
       .ranges = {Count, Count, Count},
       .whole = true,
       .count =
           [](Stream &s, const double *p) {
             return hypergeometric(s, static_cast<int64_t>(p[0]), static_cast<int64_t>(p[1]),
                                   static_cast<int64_t>(p[2]));
           },
       .check = [](const double *p) -> const char * {
         return p[0] >= 1e9 || p[1] >= 1e9 ? "`ngood` and `nbad` are below 1000000000"
                : p[2] > p[0] + p[1]       ? "`nsample` is at most ngood + nbad"
                                           : nullptr;
       }},
  };
}

R standardExponential(C &context, const A &args) {
  if (args.has(1) && LANESCOPE_TRY(dtypeArgument(args, 1, ArrayRules::Numpy)).value_or(Dtype::F64) != Dtype::F64)
    return args.wrongValue(1, "these are f64 here; convert them with `.astype(np.float32)`");
  const std::string method = args.has(2) ? LANESCOPE_TRY(args.text(2)) : "zig";
  if (method != "zig" && method != "inv")
    return args.wrongValue(2, "the methods are \"zig\" and \"inv\"");
  const bool sized = args.has(0) && !args[0].value.isNone();
  Shape shape = sized ? LANESCOPE_TRY(args.shape(0)) : Shape{};
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, shape, context.span));
  Array out = Array::zeros(Dtype::F64, shape);
  for (int64_t i = 0; i < out.size(); ++i)
    out.setNumber(i, method == "zig" ? distributions::exponential(streamOf(args))
                                     : -std::log1p(-streamOf(args).uniform()));
  return sized ? R(Value(std::move(out), ArrayRules::Numpy)) : R(Value(out.number(0)));
}

/// The shape of `size` with one more dimension.
Result<Shape> rowsOf(const A &args, size_t index, int64_t width) {
  Shape shape;
  if (args.has(index) && !args[index].value.isNone())
    shape = LANESCOPE_TRY(args.shape(index));
  shape.push_back(width);
  return shape;
}

R multinomial(C &context, const A &args) {
  const int64_t n = LANESCOPE_TRY(args.integer(0));
  if (n < 0)
    return args.wrongValue(0, "a count is not negative");
  Array p = LANESCOPE_TRY(arrayArgument(args, 1, ArrayRules::Numpy, Dtype::F64));
  if (p.shape.size() != 1 || p.size() == 0)
    return args.wrongValue(1, "one row of probabilities is taken here");
  double sum = 0;
  for (int64_t i = 0; i < p.size(); ++i) {
    if (!(p.number(i) >= 0 && p.number(i) <= 1))
      return args.wrongValue(1, text("a probability is from 0 to 1, not ", repr(Value(p.number(i)))));
    sum += i + 1 < p.size() ? p.number(i) : 0;
  }
  if (sum > 1 + 1e-12)
    return args.wrongValue(1, text("the probabilities without the last add up to ", repr(Value(sum)), ", above 1"));
  Shape shape = LANESCOPE_TRY(rowsOf(args, 2, p.size()));
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::I64, shape, context.span));
  Array out = Array::zeros(Dtype::I64, shape);
  for (int64_t row = 0; row < out.size(); row += p.size()) {
    double rest = 1;
    int64_t left = n;
    for (int64_t i = 0; i + 1 < p.size() && left > 0; ++i) {
      const int64_t got = distributions::binomial(streamOf(args), left, p.number(i) / rest);
      out.setInteger(row + i, got);
      left -= got;
      rest -= p.number(i);
    }
    if (left > 0)
      out.setInteger(row + p.size() - 1, left);
  }
  return Value(std::move(out), ArrayRules::Numpy);
}

R dirichlet(C &context, const A &args) {
  Array alpha = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy, Dtype::F64));
  const int64_t width = alpha.size();
  if (alpha.shape.size() != 1 || width == 0)
    return args.wrongValue(0, "one row of parameters is taken");
  double most = 0;
  std::vector<double> behind(static_cast<size_t>(width)); // sums from the right
  double sum = 0;
  for (int64_t i = width; i-- > 0;) {
    if (!(alpha.number(i) >= 0))
      return args.wrongValue(0, text("each is not negative, not ", repr(Value(alpha.number(i)))));
    most = std::max(most, alpha.number(i));
    behind[static_cast<size_t>(i)] = sum += alpha.number(i);
  }
  Shape shape = LANESCOPE_TRY(rowsOf(args, 1, width));
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, shape, context.span));
  Array out = Array::zeros(Dtype::F64, shape);
  NumpyStream &stream = streamOf(args);
  for (int64_t row = 0; row < out.size() && sum > 0; row += width) {
    if (most < 0.1) { // sums of such gammas may all be 0: break a stick instead
      double rest = 1;
      int64_t i = 0;
      for (; i + 1 < width; ++i) {
        const double next = behind[static_cast<size_t>(i + 1)];
        const double part = next == 0              ? 1
                            : alpha.number(i) == 0 ? 0
                                                   : distributions::beta(stream, alpha.number(i), next);
        out.setNumber(row + i, rest * part);
        rest *= 1 - part;
        if (next == 0)
          break;
      }
      out.setNumber(row + width - 1, i + 1 < width ? out.number(row + width - 1) : rest);
      continue;
    }
    double total = 0;
    for (int64_t i = 0; i < width; ++i) {
      out.setNumber(row + i, distributions::gamma(stream, alpha.number(i)));
      total = total + out.number(row + i);
    }
    const double scale = 1 / total;
    for (int64_t i = 0; i < width; ++i)
      out.setNumber(row + i, out.number(row + i) * scale);
  }
  return Value(std::move(out), ArrayRules::Numpy);
}

/// One that is not here, with what to write instead.
Builtin leftOut(std::string name, std::string instead) {
  std::string signature = name + "(*arguments, **named)";
  return {name, signature, "Not here: " + instead, [name, instead](C &context, const A &) -> R {
            return context.fail("unsupported", text("`", name, "` is not here: ", instead));
          }};
}

} // namespace

Builtins distributionMethods() {
  Builtins out = {
      {"standard_exponential", "standard_exponential(size=None, dtype=f64, method=\"zig\")",
       "Exponential floats of scale 1.", standardExponential},
      {"multinomial", "multinomial(n, pvals, size=None)", "How many of n fall to each of several outcomes.",
       multinomial},
      {"dirichlet", "dirichlet(alpha, size=None)", "Rows of floats that add up to 1.", dirichlet},
      leftOut("multivariate_normal", "write `mean + rng.standard_normal((n, d)) @ factor.T` with factor @ factor.T the "
                                     "covariance"),
      leftOut("bytes", "write `rng.integers(0, 256, n, dtype=np.uint8)`"),
      leftOut("spawn", "make one generator of each seed: `np.random.default_rng([seed, i])`"),
      leftOut("multivariate_hypergeometric", "draw one after the other with `hypergeometric`"),
  };
  for (std::vector<Distribution> table : {continuous(), discrete()})
    for (Distribution &one : table) {
      Builtin method{one.name, one.signature, one.doc, nullptr};
      method.call = [one = std::move(one)](C &context, const A &args) { return drawFrom(context, args, one); };
      out.push_back(std::move(method));
    }
  return out;
}

} // namespace lanescope::repl
