#include "repl/lang/random/Distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace lanescope::repl::distributions {
namespace {

/// The ziggurat of exponential numbers (Marsaglia and Tsang): 256 strips of equal area under exp(-x), computed from the
/// inside out, which loses no digits. Strip i goes up to `width[i]` * 2^53; `height[i]` is the curve there; below
/// `inside[i]` * 2^-53 of its width it lies under the curve.
struct ExponentialZiggurat {
  static constexpr long double kEnd = 7.6971174701310497140446280481L;
  std::array<uint64_t, 256> inside;
  std::array<double, 256> width, height;

  ExponentialZiggurat() {
    const long double area = (kEnd + 1) * std::exp(-kEnd), lowest = area * std::exp(kEnd);
    std::array<long double, 256> edge{};
    for (size_t i = 1; i < 256; ++i) { // edge * (exp(-before) - exp(-edge)) == area, by Newton's method
      const long double top = std::exp(-edge[i - 1]);
      long double x = i == 1 ? 0.05L : 2 * edge[i - 1] - edge[i - 2];
      for (int round = 0; round < 60; ++round) {
        const long double curve = std::exp(-x), step = (x * (top - curve) - area) / (top - curve + x * curve);
        x -= step;
        if (std::abs(step) < 1e-21L * x)
          break;
      }
      edge[i] = x;
    }
    edge[255] = kEnd;
    for (size_t i = 0; i < 256; ++i) {
      const long double outer = i == 0 ? lowest : edge[i], inner = i == 0 ? kEnd : edge[i - 1];
      inside[i] = 2 * static_cast<uint64_t>(inner / outer * 0x1p52L);
      width[i] = static_cast<double>(outer * 0x1p-53L);
      height[i] = static_cast<double>(std::exp(-edge[i]));
    }
  }
};

double logGamma(double x) {
  if (x == 1 || x == 2)
    return 0;
  constexpr std::array kSeries = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                  -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                  6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                  -1.39243221690590e+00};
  const int64_t steps = x < 7 ? static_cast<int64_t>(7 - x) : 0;
  double far = x + static_cast<double>(steps);
  const double square = (1 / far) * (1 / far);
  double sum = kSeries.back();
  for (size_t i = kSeries.size() - 1; i-- > 0;) {
    sum *= square;
    sum += kSeries[i];
  }
  double out = sum / far + 0.5 * 1.8378770664093453 + (far - 0.5) * std::log(far) - far;
  for (int64_t i = 0; i < steps; ++i) {
    out -= std::log(far - 1);
    far -= 1;
  }
  return out;
}

int64_t poissonByProducts(NumpyStream &stream, double lambda) {
  const double least = std::exp(-lambda);
  double product = 1;
  for (int64_t count = 0;; ++count) {
    product *= stream.uniform();
    if (product <= least)
      return count;
  }
}

int64_t poissonByRejection(NumpyStream &stream, double lambda) {
  const double root = std::sqrt(lambda), logLambda = std::log(lambda);
  const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverseAlpha = 1.1239 + 1.1328 / (b - 3.4), certain = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.uniform() - 0.5, v = stream.uniform(), us = 0.5 - std::abs(u);
    const auto k = static_cast<int64_t>(std::floor((2 * a / us + b) * u + lambda + 0.43));
    if (us >= 0.07 && v <= certain)
      return k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    const auto count = static_cast<double>(k);
    if (std::log(v) + std::log(inverseAlpha) - std::log(a / (us * us) + b) <=
        -lambda + count * logLambda - logGamma(count + 1))
      return k;
  }
}

int64_t binomialByInversion(NumpyStream &stream, int64_t n, double p) {
  const double q = 1 - p, none = std::exp(static_cast<double>(n) * std::log1p(-p)), mean = static_cast<double>(n) * p;
  const auto bound = static_cast<int64_t>(std::min(static_cast<double>(n), mean + 10.0 * std::sqrt(mean * q + 1)));
  int64_t count = 0;
  double weight = none, u = stream.uniform();
  while (u > weight) {
    if (++count > bound) {
      count = 0;
      weight = none;
      u = stream.uniform();
    } else {
      u -= weight;
      weight = (static_cast<double>(n - count + 1) * p * weight) / (static_cast<double>(count) * q);
    }
  }
  return count;
}

/// p is at most a half and n * p above 30. The names are those of the paper.
int64_t binomialByRejection(NumpyStream &stream, int64_t n, double p) {
  const auto N = static_cast<double>(n);
  const double r = std::min(p, 1 - p), q = 1 - r, fm = N * r + r;
  const auto m = static_cast<int64_t>(std::floor(fm));
  const auto M = static_cast<double>(m);
  const double p1 = std::floor(2.195 * std::sqrt(N * r * q) - 4.6 * q) + 0.5;
  const double xm = M + 0.5, xl = xm - p1, xr = xm + p1, c = 0.134 + 20.5 / (15.3 + M);
  const double left = (fm - xl) / (fm - xl * r), laml = left * (1 + left / 2);
  const double right = (xr - fm) / (xr * q), lamr = right * (1 + right / 2);
  const double p2 = p1 * (1 + 2 * c), p3 = p2 + c / laml, p4 = p3 + c / lamr, nrq = N * r * q;
  for (;;) {
    const double u = stream.uniform() * p4;
    double v = stream.uniform();
    int64_t y = 0;
    if (u <= p1)
      return static_cast<int64_t>(std::floor(xm - p1 * v + u)); // the triangle lies under the curve
    if (u <= p2) {
      const double x = xl + (u - p1) / c;
      v = v * c + 1 - std::abs(M - x + 0.5) / p1;
      if (v > 1)
        continue;
      y = static_cast<int64_t>(std::floor(x));
    } else if (u <= p3) {
      if (v == 0 || (y = static_cast<int64_t>(std::floor(xl + std::log(v) / laml))) < 0)
        continue;
      v = v * (u - p2) * laml;
    } else {
      if (v == 0 || (y = static_cast<int64_t>(std::floor(xr - std::log(v) / lamr))) > n)
        continue;
      v = v * (u - p3) * lamr;
    }
    const int64_t away = std::abs(y - m);
    const auto k = static_cast<double>(away);
    if (away <= 20 || k >= nrq / 2 - 1) { // near the middle or far from it: the ratio of weights, step by step
      const double s = r / q, a = s * (N + 1);
      double ratio = 1;
      for (int64_t i = m + 1; i <= y; ++i)
        ratio *= a / static_cast<double>(i) - s;
      for (int64_t i = y + 1; i <= m; ++i)
        ratio /= a / static_cast<double>(i) - s;
      if (v <= ratio)
        return y;
      continue;
    }
    const double rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5);
    const double t = static_cast<double>(-away * away) / (2 * nrq), A = std::log(v);
    if (A < t - rho)
      return y;
    if (A > t + rho)
      continue;
    const auto Y = static_cast<double>(y);
    const double x1 = Y + 1, f1 = M + 1, z = N + 1 - M, w = N - Y + 1;
    auto stirling = [](double x) {
      const double x2 = x * x;
      return (13860. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
    };
    if (A <= xm * std::log(f1 / x1) + (static_cast<double>(n - m) + 0.5) * std::log(z / w) +
                 static_cast<double>(y - m) * std::log(w * r / (x1 * q)) + stirling(f1) + stirling(z) - stirling(x1) -
                 stirling(w))
      return y;
  }
}

/// log(k!), as a sum of logarithms up to 125 and by Stirling's series above.
double logFactorial(int64_t k) {
  static const std::array<double, 126> kSums = [] {
    std::array<double, 126> out{};
    long double sum = 0;
    for (size_t i = 1; i < out.size(); ++i)
      out[i] = static_cast<double>(sum += std::log(static_cast<long double>(i)));
    return out;
  }();
  if (k < static_cast<int64_t>(kSums.size()))
    return kSums[static_cast<size_t>(k)];
  const auto x = static_cast<double>(k);
  return (x + 0.5) * std::log(x) - x + (0.9189385332046728 + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

int64_t hypergeometricByDraws(NumpyStream &stream, int64_t good, int64_t bad, int64_t sample) {
  const int64_t total = good + bad;
  const bool complement = sample > total / 2;
  int64_t left = complement ? total - sample : sample, rest = total, restGood = good;
  while (left > 0 && restGood > 0 && rest > restGood) {
    --rest;
    restGood -= static_cast<int64_t>(stream.interval(static_cast<uint64_t>(rest))) < restGood;
    --left;
  }
  if (rest == restGood)
    restGood -= left;
  return complement ? restGood : good - restGood;
}

int64_t hypergeometricByRatio(NumpyStream &stream, int64_t good, int64_t bad, int64_t sample) {
  const int64_t total = good + bad, drawn = std::min(sample, total - sample);
  const int64_t fewer = std::min(good, bad), more = std::max(good, bad);
  const auto n = static_cast<double>(drawn), N = static_cast<double>(total);
  const double p = static_cast<double>(fewer) / N, q = static_cast<double>(more) / N;
  const double a = n * p + 0.5, c = std::sqrt(static_cast<double>(total - drawn) * n * p * q / (N - 1) + 0.5);
  const double h = 1.7155277699214135 * c + 0.8989161620588988; // 2 sqrt(2/e) c + 3 - 2 sqrt(3/e)
  auto weight = [&](int64_t k) {
    return logFactorial(k) + logFactorial(fewer - k) + logFactorial(drawn - k) + logFactorial(more - drawn + k);
  };
  const double top = weight(static_cast<int64_t>(
      std::floor(static_cast<double>(drawn + 1) * static_cast<double>(fewer + 1) / static_cast<double>(total + 2))));
  const double bound = std::min(static_cast<double>(std::min(drawn, fewer) + 1), std::floor(a + 16 * c));
  for (;;) {
    const double u = stream.uniform(), v = stream.uniform(), x = a + h * (v - 0.5) / u;
    if (!(x >= 0) || x >= bound)
      continue;
    auto k = static_cast<int64_t>(std::floor(x));
    const double t = top - weight(k);
    if (u * (4 - u) - 3 > t && (u * (u - t) >= 1 || 2 * std::log(u) > t))
      continue;
    if (good > bad)
      k = drawn - k;
    return drawn < sample ? good - k : k;
  }
}

} // namespace

double exponential(NumpyStream &stream) {
  static const ExponentialZiggurat kZiggurat;
  for (;;) {
    const uint64_t bits = stream.next64() >> 3, place = bits >> 8;
    const size_t strip = bits & 0xff;
    const double x = static_cast<double>(place) * kZiggurat.width[strip];
    if (place < (strip == 1 ? 0 : kZiggurat.inside[strip]))
      return x;
    if (strip == 0) // the tail
      return static_cast<double>(ExponentialZiggurat::kEnd) - std::log1p(-stream.uniform());
    const double above = kZiggurat.height[strip - 1] - kZiggurat.height[strip];
    if (above * stream.uniform() + kZiggurat.height[strip] < std::exp(-x))
      return x;
  }
}

double gamma(NumpyStream &stream, double shape) {
  if (shape == 1)
    return exponential(stream);
  if (shape == 0)
    return 0;
  if (shape < 1)
    for (;;) {
      const double u = stream.uniform(), v = exponential(stream);
      if (u <= 1 - shape) {
        const double x = std::pow(u, 1 / shape);
        if (x <= v)
          return x;
      } else {
        const double y = -std::log((1 - u) / shape), x = std::pow(1 - shape + shape * y, 1 / shape);
        if (x <= v + y)
          return x;
      }
    }
  const double b = shape - 1. / 3., c = 1 / std::sqrt(9 * b);
  for (;;) {
    double x = 0, v = 0;
    do {
      x = stream.normal();
      v = 1 + c * x;
    } while (v <= 0);
    v = v * v * v;
    const double u = stream.uniform();
    if (u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + b * (1 - v + std::log(v)))
      return b * v;
  }
}

double beta(NumpyStream &stream, double a, double b) {
  if (a > 1 || b > 1) {
    const double first = gamma(stream, a), second = gamma(stream, b);
    return first / (first + second);
  }
  if (a < 3e-103 && b < 3e-103) // nothing between 0 and 1 is likely enough to be seen
    return (a + b) * stream.uniform() < a ? 1 : 0;
  for (;;) { // Jöhnk
    const double u = stream.uniform(), v = stream.uniform(), x = std::pow(u, 1 / a), y = std::pow(v, 1 / b);
    if (x + y > 1 || u + v <= 0)
      continue;
    if (x > 0 && y > 0)
      return x / (x + y);
    const double apart = std::log(u) / a - std::log(v) / b;
    return apart > 0 ? std::exp(-std::log1p(std::exp(-apart))) : std::exp(apart - std::log1p(std::exp(apart)));
  }
}

double chisquare(NumpyStream &stream, double df) { return 2 * gamma(stream, df / 2); }

double noncentralChisquare(NumpyStream &stream, double df, double nonc) {
  if (nonc == 0)
    return chisquare(stream, df);
  if (df <= 1) {
    const int64_t i = poisson(stream, nonc / 2);
    return chisquare(stream, df + 2 * static_cast<double>(i));
  }
  const double chi = chisquare(stream, df - 1), n = stream.normal() + std::sqrt(nonc);
  return chi + n * n;
}

double laplace(NumpyStream &stream, double loc, double scale) {
  double u = 0;
  while (u == 0)
    u = stream.uniform();
  return u >= 0.5 ? loc - scale * std::log(2 - u - u) : loc + scale * std::log(u + u);
}

double gumbel(NumpyStream &stream, double loc, double scale) {
  double u = 1;
  while (u == 1)
    u = 1 - stream.uniform();
  return loc - scale * std::log(-std::log(u));
}

double logistic(NumpyStream &stream, double loc, double scale) {
  double u = 0;
  while (u == 0)
    u = stream.uniform();
  return loc + scale * std::log(u / (1 - u));
}

double triangular(NumpyStream &stream, double left, double mode, double right) {
  const double base = right - left, rising = mode - left, u = stream.uniform();
  return u <= rising / base ? left + std::sqrt(u * (rising * base))
                            : right - std::sqrt((1 - u) * ((right - mode) * base));
}

double wald(NumpyStream &stream, double mean, double scale) {
  double y = stream.normal();
  y = mean * y * y;
  const double d = 1 + std::sqrt(1 + 4 * scale / y), x = mean * (1 - 2 / d);
  return stream.uniform() <= mean / (mean + x) ? x : mean * mean / x;
}

double vonMises(NumpyStream &stream, double mu, double kappa) {
  constexpr double kPi = std::numbers::pi;
  if (kappa < 1e-8)
    return kPi * (2 * stream.uniform() - 1);
  if (kappa > 1e6) { // as good as normal
    double out = mu + std::sqrt(1 / kappa) * stream.normal();
    if (out < -kPi)
      out += 2 * kPi;
    return out > kPi ? out - 2 * kPi : out;
  }
  double s = 1 / kappa + kappa;
  if (kappa >= 1e-5) {
    const double r = 1 + std::sqrt(1 + 4 * kappa * kappa), rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    s = (1 + rho * rho) / (2 * rho);
  }
  double w = 0;
  for (;;) {
    const double z = std::cos(kPi * stream.uniform());
    w = (1 + s * z) / (s + z);
    const double y = kappa * (s - w), v = stream.uniform();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0)
      break;
  }
  double out = std::acos(w);
  if (stream.uniform() < 0.5)
    out = -out;
  out += mu;
  const double wrapped = std::fmod(std::abs(out) + kPi, 2 * kPi) - kPi;
  return out < 0 ? -wrapped : wrapped;
}

int64_t poisson(NumpyStream &stream, double lambda) {
  if (lambda == 0)
    return 0;
  return lambda >= 10 ? poissonByRejection(stream, lambda) : poissonByProducts(stream, lambda);
}

int64_t binomial(NumpyStream &stream, int64_t n, double p) {
  if (n == 0 || p == 0)
    return 0;
  const double rarer = p <= 0.5 ? p : 1 - p;
  const int64_t count = rarer * static_cast<double>(n) <= 30.0 ? binomialByInversion(stream, n, rarer)
                                                               : binomialByRejection(stream, n, rarer);
  return p <= 0.5 ? count : n - count;
}

int64_t geometric(NumpyStream &stream, double p) {
  if (p < 0.333333333333333333333333) {
    const double z = std::ceil(-exponential(stream) / std::log1p(-p));
    return z >= 0x1p63 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(z);
  }
  const double u = stream.uniform();
  double sum = p, weight = p;
  int64_t count = 1;
  for (; u > sum; ++count) {
    weight *= 1 - p;
    sum += weight;
  }
  return count;
}

int64_t zipf(NumpyStream &stream, double a) {
  if (a >= 1025) // anything but 1 is less likely than 3e-309
    return 1;
  constexpr auto kMost = static_cast<double>(std::numeric_limits<int64_t>::max());
  const double power = a - 1, b = std::pow(2.0, power), least = std::pow(kMost, -power);
  for (;;) {
    const double unit = stream.uniform(), u = unit * least + (1 - unit), v = stream.uniform();
    const double x = std::floor(std::pow(u, -1 / power));
    if (x > kMost || x < 1)
      continue;
    const double t = std::pow(1 + 1 / x, power);
    if (v * x * (t - 1) / (b - 1) <= t / b)
      return x >= 0x1p63 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(x);
  }
}

int64_t logSeries(NumpyStream &stream, double p) {
  const double r = std::log1p(-p);
  for (;;) {
    const double v = stream.uniform();
    if (v >= p)
      return 1;
    const double q = -std::expm1(r * stream.uniform());
    if (v > q * q)
      return v >= q ? 1 : 2;
    const auto out = static_cast<int64_t>(std::floor(1 + std::log(v) / std::log(q)));
    if (out >= 1 && v != 0)
      return out;
  }
}

int64_t hypergeometric(NumpyStream &stream, int64_t good, int64_t bad, int64_t sample) {
  return sample >= 10 && sample <= good + bad - 10 ? hypergeometricByRatio(stream, good, bad, sample)
                                                   : hypergeometricByDraws(stream, good, bad, sample);
}

} // namespace lanescope::repl::distributions
