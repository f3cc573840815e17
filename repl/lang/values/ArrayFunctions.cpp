#include "repl/lang/values/ArrayFunctions.h"

#include "layouts/support/Try.h"

#include <algorithm>
#include <cassert>

namespace lanescope::repl {

namespace {

using Kind = ArrayFunction::Kind;

#define LANESCOPE_OF_FLOATS(name, doc)                                                                                 \
  {name, name "(x, approx=False)",                                                                                     \
   doc                                                                                                                 \
   "\n\nWorks on each element; integers become f32 first. In a kernel `approx=True` allows the hardware's fast form; " \
   "the host computes in f64 and rounds once.",                                                                        \
   Kind::Elements}

constexpr ArrayFunction kFunctions[] = {
    LANESCOPE_OF_FLOATS("exp", "e to the power of x."),
    LANESCOPE_OF_FLOATS("exp2", "2 to the power of x."),
    LANESCOPE_OF_FLOATS("log", "The natural logarithm."),
    LANESCOPE_OF_FLOATS("log2", "The logarithm to base 2."),
    LANESCOPE_OF_FLOATS("sin", "The sine, of radians."),
    LANESCOPE_OF_FLOATS("cos", "The cosine, of radians."),
    LANESCOPE_OF_FLOATS("tanh", "The hyperbolic tangent."),
    LANESCOPE_OF_FLOATS("sqrt", "The square root."),
    LANESCOPE_OF_FLOATS("rsqrt", "One over the square root."),
    LANESCOPE_OF_FLOATS("erf", "The error function."),
    LANESCOPE_OF_FLOATS("logistic", "1 / (1 + exp(-x)), the sigmoid."),
    LANESCOPE_OF_FLOATS("gelu", "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))), the usual approximation of "
                                "the Gaussian error linear unit."),
    {"floor", "floor(x)", "The largest whole number that is not above each element, as a float."},
    {"ceil", "ceil(x)", "The smallest whole number that is not below each element, as a float."},
    {"round", "round(x, digits=None, halves=\"even\")",
     "The nearest whole number of each element; halves go to the even one, or with `halves=\"away\"` away from "
     "zero.\n\n"
     "For a number the result is an int; with `digits`, it is the nearest number with that many decimals. In a kernel "
     "floats are rounded to whole "
     "numbers only."},
    {"abs", "abs(x)", "The magnitude of a number or of each element."},
    {"sign", "sign(x)", "The sign of each element, -1, 0 or 1, in its dtype; NaN for NaN."},
    {"maximum", "maximum(x, y)", "The larger of the two, element by element; NaN if one of them is NaN."},
    {"minimum", "minimum(x, y)", "The smaller of the two, element by element; NaN if one of them is NaN."},
    {"clamp", "clamp(low, x, high)",
     "`x`, but at least `low` and at most `high`, element by element. Shapes broadcast."},
    {"select", "select(condition, x, y)", "`x` where the condition holds, `y` elsewhere, element by element."},
    {"where", "where(condition, x, y)", "`x` where the condition holds, `y` elsewhere, element by element."},
    {"atan2", "atan2(y, x)", "The angle of the point (x, y), in radians from -pi to pi."},
    {"copysign", "copysign(x, sign)", "The magnitude of `x` with the sign of `sign`."},
    {"fmod", "fmod(x, y)", "The remainder with the sign of `x`, as C's fmod."},
    {"div", "div(x, y)", "The quotient; of integers rounded towards zero, where `x // y` rounds down."},
    {"rem", "rem(x, y)", "The remainder with the sign of `x`, where `x % y` has that of `y`."},
    {"trunc_div", "trunc_div(x, y)", "The quotient of integers rounded towards zero, as C's `/`."},
    {"clz", "clz(x)", "How many of each integer's highest bits are zero; all of them for 0."},
    {"shift_left", "shift_left(x, count)", "The same as `x << count`."},
    {"shift_right_logical", "shift_right_logical(x, count)",
     "Each integer's bits moved right, zeros coming from the left, for signed ones too; 0 from as many as there are."},
    {"shift_right_arithmetic", "shift_right_arithmetic(x, count)",
     "Each integer's bits moved right, copies of the highest bit coming from the left, for unsigned ones too."},
    {"astype", "astype(x, dtype)",
     "The elements converted; the same as `x.astype(dtype)`.\n\nFloats round to nearest even, floats to integers lose "
     "their fraction, integers wrap."},
    {"bitcast", "bitcast(x, dtype)", "The same bits read as another dtype of the same width."},

    {"sum", "sum(x, axis=None, dtype=None, keepdims=False, start=0)",
     "The sum of an array over `axis` (an int or a tuple, negative ones from the end; all without it), in its dtype or "
     "`dtype`; or of a collection, as Python's `sum(items, start)`.\n\nThe host sums floats in f64 and rounds once.",
     Kind::Reduction},
    {"prod", "prod(x, axis=None, dtype=None, keepdims=False)",
     "The product of an array over `axis` (an int or a tuple, negative ones from the end; all without it).",
     Kind::Reduction},
    {"mean", "mean(x, axis=None, dtype=None, keepdims=False)",
     "The mean of an array over `axis` (an int or a tuple, negative ones from the end; all without it); of integers "
     "f32.",
     Kind::Reduction},
    {"max", "max(*values, axis=None, keepdims=False, key=None, default=None)",
     "The largest element of an array over `axis` (an int or a tuple, negative ones from the end; all without it), NaN "
     "if one of them is NaN; or the largest of several values, or of a collection.\n\nFor several arrays of a kernel, "
     "it works element by element, as `maximum` does.",
     Kind::Reduction},
    {"min", "min(*values, axis=None, keepdims=False, key=None, default=None)",
     "The smallest element of an array over `axis` (an int or a tuple, negative ones from the end; all without it), "
     "NaN if one of them is NaN; or the smallest of several values, or of a collection.\n\nFor several arrays of a "
     "kernel, it works element by element, as `minimum` does.",
     Kind::Reduction},
    {"any", "any(x, axis=None, keepdims=False)",
     "True if an element over `axis` (an int or a tuple; all without it), or an item of a collection, is true.",
     Kind::Reduction},
    {"all", "all(x, axis=None, keepdims=False)",
     "True if every element over `axis` (an int or a tuple; all without it), or every item of a collection, is true.",
     Kind::Reduction},

    {"reshape", "reshape(x, shape)",
     "The elements in the same row-major order under another shape; one size may be -1.\n\nIn a kernel no element may "
     "change its thread.",
     Kind::Shape},
    {"broadcast_to", "broadcast_to(x, shape)",
     "The array repeated along dimensions of size 1 and new leading ones, as `+` would have it.", Kind::Shape},
    {"broadcast_in_dim", "broadcast_in_dim(x, shape, broadcast_dimensions, layout=None)",
     "Repeats an array: its dimension i becomes dimension `broadcast_dimensions[i]` of the result.\n\n`layout` is for "
     "arrays of kernels.",
     Kind::Shape},
    {"broadcasted_iota", "broadcasted_iota(dtype, shape, dimension, layout=None)",
     "0, 1, 2, … along a dimension, constant along the others.\n\n`layout` is for arrays of kernels.", Kind::Shape},
    {"concatenate", "concatenate(arrays, axis=0, dtype=None)",
     "Arrays one after the other along `axis`; in a kernel those of one layout.", Kind::Shape},
    {"optimization_barrier", "optimization_barrier(*values)",
     "The same values; a kernel's compiler neither moves nor merges anything across.", Kind::Elements},
};

#undef LANESCOPE_OF_FLOATS

} // namespace

std::span<const ArrayFunction> arrayFunctions() { return kFunctions; }

const ArrayFunction *arrayFunction(std::string_view name) {
  const auto *found = std::ranges::find(kFunctions, name, &ArrayFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

Builtin hostFunction(std::string_view name, BuiltinCall call) {
  const ArrayFunction *declared = arrayFunction(name);
  assert(declared && "a function that both sides have is declared in ArrayFunctions.cpp");
  return {.name = std::string(declared->name),
          .signature = std::string(declared->signature),
          .doc = std::string(declared->doc),
          .call = std::move(call),
          .group = "arrays",
          .worksIn = WorksIn::Host};
}

Result<void> checkBroadcastDimensions(const BoundArguments &args, const layouts::Shape &from,
                                      const layouts::Shape &shape, const std::vector<int64_t> &dims) {
  if (dims.size() != from.size())
    return args.wrongValue(2, Message("expected one dimension for each of the operand's {count}, got {other_count}",
                                      from.size(), dims.size()));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= static_cast<int64_t>(shape.size()))
      return args.wrongValue(
          2, Message("there is no dimension {dimension} in the shape {shape}", dims[i], layouts::tupleText(shape)));
    if (i > 0 && dims[i] <= dims[i - 1])
      return args.wrongValue(2, "the dimensions must increase");
    int64_t target = shape[static_cast<size_t>(dims[i])];
    if (from[i] != 1 && from[i] != target)
      return args.wrongValue(
          2, Message("a dimension of size {size} cannot be spread over one of size {other_size}", from[i], target));
  }
  return {};
}

Result<int64_t> dimensionArgument(const BoundArguments &args, size_t index, const layouts::Shape &shape) {
  int64_t dimension = LANESCOPE_TRY(args.integer(index));
  auto rank = static_cast<int64_t>(shape.size());
  if (dimension < -rank || dimension >= rank)
    return args.wrongValue(
        index, Message("there is no dimension {dimension} in the shape {shape}", dimension, layouts::tupleText(shape)));
  return dimension < 0 ? dimension + rank : dimension;
}

} // namespace lanescope::repl
