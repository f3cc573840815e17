// Methods of host arrays.
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Methods.h"
#include "repl/lang/values/ArrayFunctions.h"
#include "repl/lang/values/ArrayViews.h"

#include <algorithm>

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

} // namespace

Builtin functionMethod(std::string_view function) {
  const ArrayFunction *declared = arrayFunction(function);
  std::string name(function), signature(declared->signature);
  // The array is the first argument. The remaining parameters of `max(*values, axis=None, keepdims=False, …)` become
  // positional.
  size_t open = signature.find('('), second = signature.find(", ");
  bool several = signature[open + 1] == '*';
  signature = several ? name + "(axis=None, keepdims=False)" : name + "(" + signature.substr(second + 2);
  return {.name = name,
          .signature = signature,
          .doc = std::string(declared->doc),
          .call = [name, parameters = Signature::parse(signature)](C &context, const A &args) -> R {
            Arguments all;
            all.positional.push_back({*args.self, args.call});
            for (size_t i = 0; i < parameters->parameters.size(); ++i)
              if (const Arg *given = args.get(i))
                all.keyword.push_back({parameters->parameters[i].name, given->span, given->value, given->span});
            return context.evaluator.call(*context.evaluator.builtin(name), all, args.call);
          }};
}

const Builtins &arrayMethods() {
  static const Builtins kMethods = {
      {"astype", "astype(dtype, copy=True)",
       "The elements converted: floats round to nearest even, floats to integers lose their fraction, integers wrap.",
       [](C &c, const A &args) -> R {
         Dtype dtype = LANESCOPE_TRY(args.dtype(0));
         if (args.self->arrayRules() == ArrayRules::Jax)
           dtype = narrowed(dtype);
         if (dtype == args.self->asArray()->dtype && args[1].value.asBool() && !*args[1].value.asBool())
           return *args.self;
         LANESCOPE_CHECK(c.evaluator.reserveArray(dtype, args.self->asArray()->shape, args.call));
         return Value(LANESCOPE_TRY(castUnder(*args.self->asArray(), dtype, args.self->arrayRules())));
       }},
      {"transpose", "transpose(*axes)", "The array with its dimensions in the order `axes`; without it, reversed.",
       [](C &, const A &args) -> R {
         std::vector<int64_t> axes;
         std::vector<Arg> given = args.rest();
         if (given.size() == 1 && (given[0].value.asTuple() || given[0].value.asList())) {
           Arg all = given[0];
           given.clear();
           for (const Value &axis : all.value.asTuple() ? *all.value.asTuple() : all.value.asList()->items)
             given.push_back({axis, all.span});
         }
         for (const Arg &axis : given) {
           if (!axis.value.asInt())
             return error("type", axis.span, Message("an axis must be an int, not {type}", axis.value.typeName()));
           axes.push_back(*axis.value.asInt());
         }
         return transposed(*args.self, std::move(axes));
       }},
      {"reshape", "reshape(*shape)",
       "The elements in the same row-major order under another shape; one size may be -1.",
       [](C &, const A &args) -> R {
         std::vector<Value> parts;
         for (const Arg &part : args.rest()) {
           if (const auto *tuple = part.value.asTuple())
             parts.insert(parts.end(), tuple->begin(), tuple->end());
           else if (const ListData *list = part.value.asList())
             parts.insert(parts.end(), list->items.begin(), list->items.end());
           else
             parts.push_back(part.value);
         }
         Shape shape;
         for (const Value &part : parts) {
           Value size = part.plain();
           if (!size.asInt())
             return error("type", Message("a shape is made of ints, not {type}", part.typeName()));
           shape.push_back(*size.asInt());
         }
         return reshaped(*args.self, std::move(shape));
       }},
      functionMethod("sum"),
      functionMethod("prod"),
      functionMethod("max"),
      functionMethod("min"),
      functionMethod("mean"),
      functionMethod("all"),
      functionMethod("any"),
      {"copy", "copy()", "A new array with the same elements.",
       [](C &c, const A &args) -> R {
         LANESCOPE_CHECK(c.evaluator.reserveArray(args.self->asArray()->dtype, args.self->asArray()->shape, args.call));
         return Value(*args.self->asArray());
       }},
      {"fill", "fill(value)", "Every element becomes `value`, in place.",
       [](C &c, const A &args) -> R {
         LANESCOPE_CHECK(mayWrite(*args.self));
         LANESCOPE_CHECK(c.evaluator.willChange(*args.self, args.call));
         LANESCOPE_CHECK(setItemOfArray(*args.self, Value::ellipsis(), args[0].value));
         return Value();
       }},
      {"flatten", "flatten()", "The elements as an array of rank 1.",
       [](C &, const A &args) -> R { return Value(LANESCOPE_TRY(reshape(*args.self->asArray(), {-1}))); }},
      {"item", "item(*index)", "The only element of an array, or that at an index, as a number.",
       [](C &, const A &args) -> R {
         if (!args.rest().empty()) {
           std::vector<Value> index;
           for (const Arg &part : args.rest())
             index.push_back(part.value.plain());
           Value flat = index.size() == 1 && index[0].asInt()
                            ? Value(LANESCOPE_TRY(reshape(*args.self->asArray(), {-1})))
                            : *args.self;
           Value one = LANESCOPE_TRY(itemOfArray(flat, index.size() == 1 ? index[0] : Value::tuple(index)));
           if (!one.asArray())
             return one;
           if (one.asArray()->size() != 1)
             return error("value", "the index chooses more than one element");
           return scalarOf(*one.asArray(), 0);
         }
         if (args.self->asArray()->size() != 1)
           return error("value", Message("an array of shape {shape} has not one element",
                                         layouts::tupleText(args.self->asArray()->shape)));
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
