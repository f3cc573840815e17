// numpy.testing: comparisons that stop a program, with what differs.
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {
namespace {

std::string place(const Shape &shape, int64_t index) {
  Shape strides = layouts::contiguousStrides(shape);
  Shape out;
  for (size_t d = 0; d < shape.size(); ++d)
    out.push_back(index / strides[d] % shape[d]);
  return layouts::tupleText(out);
}

/// `_compare(actual, desired, rtol, atol, equal_nan, err_msg, exact)`
Result<Value> compare(Context &context, const BoundArguments &args) {
  Array actual = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy));
  Array desired = LANESCOPE_TRY(arrayArgument(args, 1, ArrayRules::Numpy));
  double relative = LANESCOPE_TRY(args.number(2)), absolute = LANESCOPE_TRY(args.number(3));
  bool nans = LANESCOPE_TRY(args.booleanOr(4, true));
  std::string told = LANESCOPE_TRY(args.text(5));
  auto fails = [&](std::string why) { return context.fail("assertion", told.empty() ? why : text(why, ": ", told)); };
  Shape shape = actual.shape;
  if (actual.shape != desired.shape && !actual.shape.empty() && !desired.shape.empty())
    return fails(
        text("the arrays have shapes ", layouts::tupleText(actual.shape), " and ", layouts::tupleText(desired.shape)));
  if (shape.empty())
    shape = desired.shape;
  actual = LANESCOPE_TRY(broadcastTo(actual, shape));
  desired = LANESCOPE_TRY(broadcastTo(desired, shape));
  int64_t wrong = 0, first = -1;
  double largest = 0, worst = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double x = actual.number(i), y = desired.number(i);
    bool same = x == y || (nans && std::isnan(x) && std::isnan(y)) ||
                (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= absolute + relative * std::abs(y));
    if (same)
      continue;
    ++wrong;
    if (first < 0)
      first = i;
    double away = std::abs(x - y);
    largest = std::max(largest, std::isnan(away) ? HUGE_VAL : away);
    if (y != 0)
      worst = std::max(worst, std::isnan(away) ? HUGE_VAL : away / std::abs(y));
  }
  if (wrong == 0)
    return Value();
  double share = 100.0 * static_cast<double>(wrong) / static_cast<double>(actual.size());
  return fails(text(wrong, " of ", actual.size(), " elements differ (", floatText(std::round(share * 100) / 100),
                    "%), the first at ", place(shape, first), ": ", floatText(actual.number(first)), " and ",
                    floatText(desired.number(first)), "; the largest difference is ", floatText(largest),
                    ", relative to the second ", floatText(worst), " (rtol=", floatText(relative),
                    ", atol=", floatText(absolute), ")"));
}

} // namespace

Builtins testingNatives() {
  return {{"_compare", "_compare(actual, desired, rtol, atol, equal_nan, err_msg, exact)", "", compare}};
}

} // namespace lanescope::repl
