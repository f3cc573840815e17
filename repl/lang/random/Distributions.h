// The distributions of numpy.random.Generator over its stream, to the bit: what each draws, in which order.
//
//   NumpyStream stream({42});
//   distributions::exponential(stream)    2.4042085966154724, as default_rng(42).standard_exponential()
//
// Parameters are in range; callers check them. Source: NumPy's numpy/random/src/distributions, and the papers that its
// comments name.
#pragma once

#include "repl/lang/random/NumpyStream.h"

namespace lanescope::repl::distributions {

double exponential(NumpyStream &stream);
/// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables"; below 1 by rejection.
double gamma(NumpyStream &stream, double shape);
double beta(NumpyStream &stream, double a, double b);
double chisquare(NumpyStream &stream, double df);
double noncentralChisquare(NumpyStream &stream, double df, double nonc);
double laplace(NumpyStream &stream, double loc, double scale);
double gumbel(NumpyStream &stream, double loc, double scale);
double logistic(NumpyStream &stream, double loc, double scale);
double triangular(NumpyStream &stream, double left, double mode, double right);
double wald(NumpyStream &stream, double mean, double scale);
double vonMises(NumpyStream &stream, double mu, double kappa);

/// Below 10 by products of uniform numbers; else Hörmann, "The transformed rejection method for generating Poisson
/// random variables".
int64_t poisson(NumpyStream &stream, double lambda);
/// Inversion up to a mean of 30; else Kachitvichyanukul and Schmeiser, "Binomial random variate generation" (BTPE).
int64_t binomial(NumpyStream &stream, int64_t n, double p);
int64_t geometric(NumpyStream &stream, double p);
int64_t zipf(NumpyStream &stream, double a);
int64_t logSeries(NumpyStream &stream, double p);
/// Draws one by one for few; else Stadlober, "The ratio of uniforms approach for generating discrete random variates".
int64_t hypergeometric(NumpyStream &stream, int64_t good, int64_t bad, int64_t sample);

} // namespace lanescope::repl::distributions
