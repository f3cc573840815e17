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

/// `x.name(…)` as NumPy's or JAX's function of that name, by the array's rules.
Builtin viaModule(std::string name, std::string signature, std::string doc) {
  return {name, signature, doc, [name, signature](C &context, const A &args) -> R {
            const Value *module =
                context.evaluator.builtin(args.self->arrayRules() == ArrayRules::Numpy ? "numpy" : "jax.numpy");
            Value function = LANESCOPE_TRY(context.evaluator.attribute(*module, name, args.call));
            auto parameters = Signature::parse(signature);
            Arguments all;
            all.positional.push_back({*args.self, args.call});
            for (size_t i = 0; i < parameters->parameters.size(); ++i)
              if (const Arg *given = args.get(i))
                all.keyword.push_back({parameters->parameters[i].name, given->span, given->value, given->span});
            return context.evaluator.call(function, all, args.call);
          }};
}

/// `parameters`: those behind `axis`, as NumPy orders them. Those that the language's own reductions lack are the
/// module's.
Builtin reduction(std::string name, Reduction kind, std::string parameters, std::string doc) {
  std::string signature = text(name, "(axis=None, ", parameters, ")");
  Builtin whole = viaModule(name, signature, doc);
  const auto &names = Signature::parse(signature)->parameters;
  const auto keep =
      static_cast<size_t>(std::ranges::find(names, "keepdims", &SignatureParameter::name) - names.begin());
  whole.call = [kind, keep, count = names.size(), full = whole.call](C &context, const A &args) -> R {
    for (size_t i = 1; i < count; ++i)
      if (i != keep && args.has(i) && !args[i].value.isNone())
        return full(context, args);
    return reduce(kind, *args.self, LANESCOPE_TRY(args.axes(0, args.self->asArray()->shape)),
                  LANESCOPE_TRY(args.booleanOr(keep, false)));
  };
  return whole;
}

} // namespace

Builtin functionMethod(std::string_view function) {
  const ArrayFunction *declared = arrayFunction(function);
  std::string name(function), signature(declared->signature);
  // The array is the first argument; of `max(*values, axis=None, keepdims=False, …)` what is left goes by position.
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
         const BuiltinValue *type = args[0].value.asBuiltin(); // `float` and `int`, as the array's rules have them
         bool python =
             type && args.self->arrayRules() != ArrayRules::Snippet && (type->name == "float" || type->name == "int");
         Dtype dtype = python ? (type->name == "float" ? Dtype::F64 : Dtype::I64) : LANESCOPE_TRY(args.dtype(0));
         if (args.self->arrayRules() == ArrayRules::Jax)
           dtype = narrowed(dtype);
         if (dtype == args.self->asArray()->dtype && args[1].value.asBool() && !*args[1].value.asBool())
           return *args.self;
         LANESCOPE_CHECK(c.evaluator.reserveArray(dtype, args.self->asArray()->shape, args.call));
         return Value(LANESCOPE_TRY(castUnder(*args.self->asArray(), dtype, args.self->arrayRules())));
       }},
      {"view", "view(dtype)",
       "The same bytes as elements of another dtype; the last dimension grows or shrinks where their size differs.",
       [](C &c, const A &args) -> R {
         const Array &x = *args.self->asArray();
         Array out = x;
         out.dtype = LANESCOPE_TRY(args.dtype(0));
         const int64_t from = layouts::bitwidth(x.dtype), to = layouts::bitwidth(out.dtype);
         if (from % 8 != 0 || to % 8 != 0 || x.dtype == Dtype::I1 || out.dtype == Dtype::I1)
           return args.wrongValue(0, "elements of whole bytes are viewed as such of whole bytes");
         if (from != to) {
           if (out.shape.empty() || out.shape.back() * from % to != 0)
             return args.wrongValue(0,
                                    text("a last dimension of ", out.shape.empty() ? 1 : out.shape.back(),
                                         " elements of ", from / 8, " bytes does not make whole elements of ", to / 8));
           out.shape.back() = out.shape.back() * from / to;
         }
         LANESCOPE_CHECK(c.evaluator.reserveArray(out.dtype, out.shape, args.call));
         Value viewed(std::move(out));
         viewed.asArrayData()->readOnly = true; // not written through
         return viewed;
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
             return error("type", axis.span, text("an axis must be an int, not ", axis.value.typeName()));
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
             return error("type", text("a shape is made of ints, not ", part.typeName()));
           shape.push_back(*size.asInt());
         }
         return reshaped(*args.self, std::move(shape));
       }},
      reduction("sum", Reduction::Sum, "dtype=None, out=None, keepdims=False, initial=None, where=None",
                "The sum, over `axis` (an int or a tuple; all without it)."),
      reduction("max", Reduction::Max, "out=None, keepdims=False, initial=None, where=None",
                "The largest element, over `axis`."),
      reduction("min", Reduction::Min, "out=None, keepdims=False, initial=None, where=None",
                "The smallest element, over `axis`."),
      reduction("mean", Reduction::Mean, "dtype=None, out=None, keepdims=False, where=None", "The mean, over `axis`."),
      reduction("all", Reduction::All, "out=None, keepdims=False, where=None",
                "Whether every element is true, over `axis`."),
      reduction("any", Reduction::Any, "out=None, keepdims=False, where=None",
                "Whether some element is true, over `axis`."),
      viaModule("std", "std(axis=None, ddof=0, keepdims=False)", "The root of the mean square distance from the mean."),
      viaModule("var", "var(axis=None, ddof=0, keepdims=False)", "The mean square distance from the mean."),
      viaModule("prod", "prod(axis=None, dtype=None, keepdims=False)", "The product, over `axis`."),
      viaModule("argmax", "argmax(axis=None, keepdims=False)", "The place of the largest element."),
      viaModule("argmin", "argmin(axis=None, keepdims=False)", "The place of the smallest element."),
      viaModule("argsort", "argsort(axis=-1)", "Where the elements stand, in order."),
      viaModule("cumsum", "cumsum(axis=None)", "Running sums."),
      viaModule("cumprod", "cumprod(axis=None)", "Running products."),
      viaModule("trace", "trace()", "The sum of the diagonal."),
      viaModule("diagonal", "diagonal()", "The diagonal of a matrix."),
      viaModule("clip", "clip(min=None, max=None)", "Each element, no smaller than min and no larger than max."),
      viaModule("squeeze", "squeeze(axis=None)", "Without dimensions of size 1."),
      viaModule("swapaxes", "swapaxes(axis1, axis2)", "With two dimensions exchanged."),
      viaModule("repeat", "repeat(repeats, axis=None)", "Each element several times."),
      viaModule("dot", "dot(b)", "The product with another array."),
      viaModule("take", "take(indices, axis=None)", "The elements at `indices`."),
      viaModule("nonzero", "nonzero()", "Where elements are not zero."),
      viaModule("round", "round(decimals=0)", "Rounded to so many decimals."),
      viaModule("ravel", "ravel()", "The elements as an array of rank 1."),
      {"block_until_ready", "block_until_ready()", "The array: a call of a kernel returns when it has run.",
       [](C &, const A &args) -> R { return *args.self; }},
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
      {"sort", "sort(axis=-1)", "The elements of each line along an axis in order, in place.",
       [sorted = viaModule("sort", "sort(axis=-1)", "")](C &c, const A &args) -> R {
         LANESCOPE_CHECK(mayWrite(*args.self));
         LANESCOPE_CHECK(c.evaluator.willChange(*args.self, args.call));
         overwrite(*args.self, *LANESCOPE_TRY(sorted.call(c, args)).asArray());
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
