// The host's part of `round`: Python's for numbers, NumPy's for arrays.
#include "layouts/support/Try.h"
#include "repl/lang/builtins/Builtins.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayOps.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// Rounds a number half to even, like Python's round.
R roundNumber(const A &args) {
  double x = LANESCOPE_TRY(args.number(0));
  if (args[0].value.integer() && !(args.has(1) && !args[1].value.isNone()))
    return Value(*args[0].value.integer());
  if (!args.has(1) || args[1].value.isNone()) {
    double rounded = std::nearbyint(x);
    if (!(std::abs(rounded) < 9.2e18))
      return args.wrongValue(0, Message("{} has no integer of 64 bits near it", floatText(x)));
    return Value(static_cast<int64_t>(rounded));
  }
  int64_t digits = LANESCOPE_TRY(args.integer(1));
  if (args[0].value.integer() && digits >= 0)
    return Value(*args[0].value.integer());
  if (digits > 300 || !std::isfinite(x))
    return Value(x);
  if (digits < 0) {
    double scale = std::pow(10.0, static_cast<double>(-std::max<int64_t>(digits, -300)));
    double rounded = std::nearbyint(x / scale) * scale;
    if (args[0].value.integer() && std::abs(rounded) < 9.2e18)
      return Value(static_cast<int64_t>(rounded));
    return Value(rounded);
  }
  // Rounds the decimal text, because that is exact and binary scaling is not.
  char buffer[700];
  auto [end, problem] =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed, static_cast<int>(digits));
  double out = x;
  if (problem == std::errc())
    std::from_chars(buffer, end, out);
  return Value(out);
}

/// Rounds an array in its dtype; integers stay unchanged.
R roundArray(C &context, const A &args, const Array &array, bool away) {
  LANESCOPE_CHECK(context.evaluator.reserveArray(array.dtype, array.shape, context.span));
  Array out = array;
  double scale =
      std::pow(10.0, static_cast<double>(std::clamp<int64_t>(LANESCOPE_TRY(args.integerOr(1, 0)), -300, 300)));
  for (int64_t i = 0; layouts::isFloat(out.dtype) && i < out.size(); ++i) {
    double x = array.number(i) * scale;
    out.setNumber(i, (away ? std::round(x) : std::nearbyint(x)) / scale);
  }
  return Value(std::move(out), args[0].value.arrayRules());
}

R round(C &context, const A &args) {
  std::string halves = args.has(2) ? LANESCOPE_TRY(args.text(2)) : "even";
  if (halves != "even" && halves != "away")
    return args.wrongValue(2, "halves go to `\"even\"` or `\"away\"` from zero");
  if (const Array *array = args[0].value.asArray())
    return roundArray(context, args, *array, halves == "away");
  const double *x = args[0].value.asFloat();
  if (halves == "away" && x && !args.has(1) && std::abs(*x) < 9.2e18)
    return Value(static_cast<int64_t>(std::round(*x)));
  return roundNumber(args);
}

} // namespace

Builtin roundFunction() { return hostFunction("round", round); }

} // namespace lanescope::repl
