// Methods of host arrays.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayOps.h"

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

Value nestedLists(const Array &array, size_t dim, int64_t offset) {
  if (dim == array.shape.size())
    return scalarOf(array, offset);
  int64_t stride = layouts::contiguousStrides(array.shape)[dim];
  std::vector<Value> out;
  for (int64_t i = 0; i < array.shape[dim]; ++i)
    out.push_back(nestedLists(array, dim + 1, offset + i * stride));
  return Value::list(std::move(out));
}

Builtin reduction(std::string name, Reduction kind, std::string doc) {
  return {name, name + "(axis=None, keepdims=False)", doc, [kind](C &, const A &args) -> R {
            return reduce(kind, *args.self->asArray(), LANESCOPE_TRY(args.integersOr(0, {})),
                          LANESCOPE_TRY(args.booleanOr(1, false)));
          }};
}

} // namespace

const Builtins &arrayMethods() {
  static const Builtins kMethods = {
      {"astype", "astype(dtype)",
       "The elements converted: floats round to nearest even, floats to integers lose their fraction, integers wrap.",
       [](C &c, const A &args) -> R {
         Dtype dtype = LANESCOPE_TRY(args.dtype(0));
         LANESCOPE_CHECK(c.evaluator.reserveArray(dtype, args.self->asArray()->shape, args.call));
         return Value(LANESCOPE_TRY(cast(*args.self->asArray(), dtype)));
       }},
      {"transpose", "transpose(*axes)", "The array with its dimensions in the order `axes`; without it, reversed.",
       [](C &, const A &args) -> R {
         std::vector<int64_t> axes;
         for (const Arg &axis : args.rest()) {
           if (!axis.value.asInt())
             return error("type", axis.span, text("an axis must be an int, not ", axis.value.typeName()));
           axes.push_back(*axis.value.asInt());
         }
         return Value(LANESCOPE_TRY(transpose(*args.self->asArray(), std::move(axes))));
       }},
      {"reshape", "reshape(*shape)",
       "The elements in the same row-major order under another shape; one size may be -1.",
       [](C &, const A &args) -> R {
         std::vector<Value> parts;
         for (const Arg &part : args.rest()) {
           if (const auto *tuple = part.value.asTuple())
             parts.insert(parts.end(), tuple->begin(), tuple->end());
           else
             parts.push_back(part.value);
         }
         Shape shape;
         for (const Value &part : parts) {
           if (!part.asInt())
             return error("type", text("a shape is made of ints, not ", part.typeName()));
           shape.push_back(*part.asInt());
         }
         return Value(LANESCOPE_TRY(reshape(*args.self->asArray(), std::move(shape))));
       }},
      reduction("sum", Reduction::Sum, "The sum, over `axis` (an int or a tuple; all without it)."),
      reduction("max", Reduction::Max, "The largest element, over `axis`."),
      reduction("min", Reduction::Min, "The smallest element, over `axis`."),
      reduction("mean", Reduction::Mean, "The mean, over `axis`."),
      reduction("all", Reduction::All, "Whether every element is true, over `axis`."),
      reduction("any", Reduction::Any, "Whether some element is true, over `axis`."),
      {"copy", "copy()", "A new array with the same elements.",
       [](C &c, const A &args) -> R {
         LANESCOPE_CHECK(c.evaluator.reserveArray(args.self->asArray()->dtype, args.self->asArray()->shape, args.call));
         return Value(*args.self->asArray());
       }},
      {"flatten", "flatten()", "The elements as an array of rank 1.",
       [](C &, const A &args) -> R { return Value(LANESCOPE_TRY(reshape(*args.self->asArray(), {-1}))); }},
      {"item", "item()", "The only element of an array, as a number.",
       [](C &, const A &args) -> R {
         if (args.self->asArray()->size() != 1)
           return error("value", text("an array of shape ", layouts::tupleText(args.self->asArray()->shape),
                                      " has not one element"));
         return scalarOf(*args.self->asArray(), 0);
       }},
      {"tolist", "tolist()", "The elements as nested lists.",
       [](C &c, const A &args) -> R {
         LANESCOPE_CHECK(c.evaluator.reserveItems(args.self->asArray()->size(), args.call));
         return nestedLists(*args.self->asArray(), 0, 0);
       }},
  };
  return kMethods;
}

} // namespace lanescope::repl
