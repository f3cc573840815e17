// numpy.random's generators, default_rng(seed) and RandomState(seed): their uniform, normal and whole numbers, and what
// they choose and order.
#include "repl/lang/numpy/Generator.h"
#include "repl/lang/numpy/Numpy.h"
#include "repl/lang/values/ArrayViews.h"

#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// One number for each element; a number alone where there is no size.
template <typename Draw> R drawn(C &context, const A &args, size_t size, Dtype dtype, Draw draw) {
  Shape shape = LANESCOPE_TRY(sizeArgument(args, size));
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i)
    draw(out, i);
  bool alone = !args.has(size) || args[size].value.isNone();
  return alone && dtype == Dtype::F64 ? R(Value(out.number(0))) : R(Value(std::move(out), ArrayRules::Numpy));
}

/// The axis to choose or order along: RandomState has the first alone, and no `endpoint`, no `shuffle=` either.
bool isGenerator(const A &args) { return args.self->as<NumpyGenerator>() != nullptr; }
Result<int64_t> axisOf(const A &args, size_t index, size_t rank) {
  return isGenerator(args) ? axisArgument(args, index, 0, rank) : Result<int64_t>(0);
}

Result<Dtype> floatDtype(const A &args, size_t index) {
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, index, ArrayRules::Numpy)).value_or(Dtype::F64);
  if (dtype != Dtype::F64 && dtype != Dtype::F32)
    return args.wrongValue(index, text("random floats are made as f64 or f32, not ", layouts::name(dtype)));
  return dtype;
}

R random(C &context, const A &args) {
  Dtype dtype = LANESCOPE_TRY(floatDtype(args, 1));
  return drawn(context, args, 0, dtype, [&](Array &out, int64_t i) {
    out.setNumber(i, dtype == Dtype::F32 ? streamOf(args).uniform32() : streamOf(args).uniform());
  });
}

R standardNormal(C &context, const A &args) {
  Dtype dtype = LANESCOPE_TRY(floatDtype(args, 1));
  return drawn(context, args, 0, dtype, [&](Array &out, int64_t i) {
    out.setNumber(i, dtype == Dtype::F32 ? streamOf(args).normal32() : streamOf(args).normal());
  });
}

/// `first + factor * draw`, with operands that may be arrays.
template <typename Draw> R scaled(C &context, const A &args, Draw draw) {
  Array a = args.has(0) ? LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy)) : Array::zeros(Dtype::F64, {});
  Array b = Array::zeros(Dtype::F64, {});
  b.setNumber(0, 1);
  if (args.has(1))
    b = LANESCOPE_TRY(arrayArgument(args, 1, ArrayRules::Numpy));
  Shape shape = LANESCOPE_TRY(broadcastShapes(a.shape, b.shape));
  bool given = args.has(2) && !args[2].value.isNone();
  if (given) {
    Shape wanted = LANESCOPE_TRY(args.shape(2));
    LANESCOPE_CHECK(broadcastTo(Array::zeros(Dtype::I1, shape), wanted));
    shape = wanted;
  }
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, shape, context.span));
  Array out = Array::zeros(Dtype::F64, shape);
  a = LANESCOPE_TRY(broadcastTo(a, shape));
  b = LANESCOPE_TRY(broadcastTo(b, shape));
  for (int64_t i = 0; i < out.size(); ++i)
    out.setNumber(i, draw(a.number(i), b.number(i)));
  return shape.empty() && !given ? R(Value(out.number(0))) : R(Value(std::move(out), ArrayRules::Numpy));
}

R uniform(C &context, const A &args) {
  return scaled(context, args, [&](double low, double high) { return low + (high - low) * drawsOf(args).uniform(); });
}

R normal(C &context, const A &args) {
  return scaled(context, args, [&](double mean, double width) { return mean + width * drawsOf(args).normal(); });
}

/// A bound of `integers`: an int or an array of them; floats without a fraction count.
Result<Array> boundArgument(const A &args, size_t index) {
  Array given = LANESCOPE_TRY(arrayArgument(args, index, ArrayRules::Numpy));
  Array out = Array::zeros(Dtype::I64, given.shape);
  for (int64_t i = 0; i < given.size(); ++i) {
    if (double x = given.number(i); layouts::isFloat(given.dtype) && (std::floor(x) != x || std::abs(x) >= 9e18))
      return args.wrongType(index, "an int, or an array of them");
    out.setInteger(i, layouts::isFloat(given.dtype) ? static_cast<int64_t>(given.number(i)) : given.integer(i));
  }
  return out;
}

R integers(C &context, const A &args) {
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 3, ArrayRules::Numpy)).value_or(Dtype::I64);
  if (layouts::isFloat(dtype) || layouts::bitwidth(dtype) == 4 || layouts::bitwidth(dtype) == 2)
    return args.wrongValue(3, text("random integers are of 8, 16, 32 or 64 bits, not ", layouts::name(dtype)));
  const bool endpoint = isGenerator(args) && LANESCOPE_TRY(args.booleanOr(4, false));
  const bool two = args.has(1) && !args[1].value.isNone();
  Array low = two ? LANESCOPE_TRY(boundArgument(args, 0)) : Array::zeros(Dtype::I64, {});
  Array high = LANESCOPE_TRY(boundArgument(args, two ? 1 : 0));
  auto shape = broadcastShapes(low.shape, high.shape);
  if (!shape)
    return at(args[1].span, std::move(shape.error()));
  if (args.has(2) && !args[2].value.isNone()) {
    Shape wanted = LANESCOPE_TRY(args.shape(2));
    if (auto fits = broadcastTo(Array::zeros(Dtype::I1, *shape), wanted); !fits)
      return at(args[2].span, std::move(fits.error()));
    shape = wanted;
  }
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::I64, *shape, context.span));
  low = LANESCOPE_TRY(broadcastTo(low, *shape));
  high = LANESCOPE_TRY(broadcastTo(high, *shape));
  const int bits = layouts::bitwidth(dtype);
  const bool isSigned = layouts::isSignedInteger(dtype) && dtype != Dtype::I1;
  const int64_t least = isSigned ? (bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1))) : 0;
  const int64_t most = bits == 64 ? INT64_MAX : (int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
  for (int64_t i = 0; i < low.size(); ++i) {
    const int64_t first = low.integer(i), last = high.integer(i);
    if (last < first || (!endpoint && last == first))
      return args.wrongValue(two ? 1 : 0, text("there is no integer from ", first, " up to ", last));
    if (first < least || (endpoint ? last : last - 1) > most)
      return args.wrongValue(0, text("the bounds are outside of ", layouts::name(dtype)));
  }
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, *shape, context.span));
  Array out = Array::zeros(dtype, *shape);
  RandomStream &stream = drawsOf(args);
  RandomStream::Buffer buffer;
  for (int64_t i = 0; i < out.size(); ++i) {
    const auto first = static_cast<uint64_t>(low.integer(i));
    const uint64_t range = static_cast<uint64_t>(high.integer(i)) - (endpoint ? 0 : 1) - first;
    const uint64_t away = bits == 64   ? stream.bounded64(range)
                          : bits == 32 ? stream.bounded32(static_cast<uint32_t>(range))
                          : bits == 16 ? stream.bounded16(static_cast<uint16_t>(range), buffer)
                          : bits == 8  ? stream.bounded8(static_cast<uint8_t>(range), buffer)
                          : range == 0 ? 0
                                       : uint64_t{stream.boolean(buffer)};
    out.setInteger(i, static_cast<int64_t>(first + away));
  }
  return Value(std::move(out), ArrayRules::Numpy);
}

Array rowsOf(const Array &x, const std::vector<int64_t> &order) {
  Array out = Array::zeros(x.dtype, x.shape);
  out.shape[0] = static_cast<int64_t>(order.size());
  size_t row = x.shape[0] == 0 ? 0 : x.bytes.size() / static_cast<size_t>(x.shape[0]);
  out.bytes.resize(row * order.size());
  for (size_t i = 0; i < order.size(); ++i)
    std::copy_n(x.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(order[i]) * row), row,
                out.bytes.begin() + static_cast<std::ptrdiff_t>(i * row));
  return out;
}

Array arrayOfInts(const std::vector<int64_t> &values) {
  Array out = Array::zeros(Dtype::I64, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    out.setInteger(static_cast<int64_t>(i), values[i]);
  return out;
}

/// x with `axis` brought to the front.
Result<Array> axisFirst(const Array &x, int64_t axis) {
  std::vector<int64_t> order{axis};
  for (int64_t i = 0; i < static_cast<int64_t>(x.shape.size()); ++i)
    if (i != axis)
      order.push_back(i);
  return transpose(x, order);
}
Result<Array> axisBack(const Array &x, int64_t axis) {
  std::vector<int64_t> order;
  for (int64_t i = 1; i < static_cast<int64_t>(x.shape.size()); ++i)
    order.push_back(i);
  order.insert(order.begin() + axis, 0);
  return transpose(x, order);
}

/// What lies along an axis, in a random order: whole rows.
Result<Array> inRandomOrder(RandomStream &stream, const Array &x, int64_t axis) {
  Array rows = LANESCOPE_TRY(axisFirst(x, axis));
  return axisBack(rowsOf(rows, stream.shuffled(rows.shape[0])), axis);
}

R permutation(C &context, const A &args) {
  if (auto n = args[0].value.plain().integer()) {
    if (*n < 0)
      return args.wrongValue(0, "a count is not negative");
    LANESCOPE_CHECK(context.evaluator.reserveItems(*n, context.span));
    return Value(arrayOfInts(drawsOf(args).shuffled(*n)), ArrayRules::Numpy);
  }
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy));
  int64_t axis = LANESCOPE_TRY(axisOf(args, 1, x.shape.size()));
  return Value(LANESCOPE_TRY(inRandomOrder(drawsOf(args), x, axis)), ArrayRules::Numpy);
}

R shuffle(C &context, const A &args) {
  if (auto may = mayWrite(args[0].value); !may)
    return at(args[0].span, std::move(may.error()));
  LANESCOPE_CHECK(context.evaluator.willChange(args[0].value, args[0].span));
  if (ListData *list = args[0].value.asList()) {
    std::vector<Value> items = list->items;
    std::vector<int64_t> order = drawsOf(args).shuffled(static_cast<int64_t>(items.size()));
    for (size_t i = 0; i < items.size(); ++i)
      list->items[i] = items[static_cast<size_t>(order[i])];
    return Value();
  }
  const Array *array = args[0].value.asArray();
  if (!array || array->shape.empty())
    return args.wrongType(0, "an array or a list");
  int64_t axis = LANESCOPE_TRY(axisOf(args, 1, array->shape.size()));
  overwrite(args[0].value, LANESCOPE_TRY(inRandomOrder(drawsOf(args), *array, axis)));
  return Value();
}

/// Each line along an axis in an order of its own; without an axis, all elements.
R permuted(C &context, const A &args) {
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy));
  RandomStream &stream = drawsOf(args);
  const bool flat = !args.has(1) || args[1].value.isNone();
  const Shape shape = x.shape;
  const int64_t axis = flat ? 0 : LANESCOPE_TRY(axisArgument(args, 1, 0, shape.size()));
  LANESCOPE_CHECK(context.evaluator.reserveArray(x.dtype, shape, context.span));
  Array lines = flat ? x : LANESCOPE_TRY(axisFirst(x, axis));
  const int64_t length = flat ? x.size() : lines.shape[0], count = length == 0 ? 0 : x.size() / length;
  Array out = Array::zeros(x.dtype, lines.shape);
  for (int64_t line = 0; line < count; ++line) {
    std::vector<int64_t> order = stream.shuffled(length);
    for (int64_t i = 0; i < length; ++i)
      setElement(out, i * count + line, elementOf(lines, order[static_cast<size_t>(i)] * count + line));
  }
  return Value(flat ? std::move(out) : LANESCOPE_TRY(axisBack(out, axis)), ArrayRules::Numpy);
}

R choice(C &context, const A &args) {
  RandomStream &stream = drawsOf(args);
  std::optional<Array> from; // its axis first
  int64_t population = 0, axis = 0;
  if (auto n = args[0].value.plain().integer()) {
    population = *n;
  } else {
    from = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy));
    axis = LANESCOPE_TRY(axisOf(args, 4, from->shape.size()));
    from = LANESCOPE_TRY(axisFirst(*from, axis));
    population = from->shape[0];
  }
  if (population <= 0)
    return args.wrongValue(0, "there is nothing to choose from");
  bool alone = !args.has(1) || args[1].value.isNone();
  Shape shape = LANESCOPE_TRY(sizeArgument(args, 1));
  int64_t count = layouts::elementCount(shape);
  LANESCOPE_CHECK(context.evaluator.reserveItems(count, context.span));
  std::vector<int64_t> places;
  if (args.has(3) && !args[3].value.isNone()) {
    if (!LANESCOPE_TRY(args.booleanOr(2, true)))
      return args.wrongValue(3, "with probabilities, elements are chosen with repetition here");
    Array p = LANESCOPE_TRY(arrayArgument(args, 3, ArrayRules::Numpy, Dtype::F64));
    if (p.size() != population)
      return args.wrongValue(3, text("there are ", p.size(), " probabilities for ", population, " elements"));
    std::vector<double> bounds;
    double total = 0;
    for (int64_t i = 0; i < p.size(); ++i)
      bounds.push_back(total += p.number(i));
    for (double &bound : bounds)
      bound /= total;
    for (int64_t i = 0; i < count; ++i)
      places.push_back(std::ranges::upper_bound(bounds, stream.uniform()) - bounds.begin());
  } else if (LANESCOPE_TRY(args.booleanOr(2, true))) {
    for (int64_t i = 0; i < count; ++i)
      places.push_back(static_cast<int64_t>(stream.bounded64(static_cast<uint64_t>(population - 1))));
  } else {
    if (count > population)
      return args.wrongValue(1, text(count, " different ones of ", population, " cannot be chosen"));
    places = stream.distinct(population, count, !isGenerator(args) || LANESCOPE_TRY(args.booleanOr(5, true)));
  }
  if (from && axis > 0 && shape.size() != 1)
    return args.wrongValue(4, "along an axis but the first, `size` is one number");
  Array chosen = from ? rowsOf(*from, places) : arrayOfInts(places);
  if (axis > 0)
    return Value(LANESCOPE_TRY(axisBack(chosen, axis)), ArrayRules::Numpy);
  chosen.shape.erase(chosen.shape.begin());
  chosen.shape.insert(chosen.shape.begin(), shape.begin(), shape.end());
  return alone && !from ? R(Value(chosen.integer(0))) : R(Value(std::move(chosen), ArrayRules::Numpy));
}

//===------------------------------------ what RandomState has of its own -----------------------------------------===//

template <double (RandomStream::*next)()> R ofSize(C &context, const A &args) {
  return drawn(context, args, 0, Dtype::F64, [&](Array &out, int64_t i) { out.setNumber(i, (drawsOf(args).*next)()); });
}

/// Sizes one by one, `rand(3, 4)`.
template <double (RandomStream::*next)()> R ofSizes(C &context, const A &args) {
  Shape shape;
  for (const Arg &size : args.rest()) {
    auto n = size.value.plain().integer();
    if (!n || *n < 0)
      return error("type", size.span,
                   text("`", args.function, "` takes its sizes one by one, as `", args.function, "(3, 4)`"));
    shape.push_back(*n);
  }
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::F64, shape, context.span));
  Array out = Array::zeros(Dtype::F64, shape);
  for (int64_t i = 0; i < out.size(); ++i)
    out.setNumber(i, (drawsOf(args).*next)());
  return shape.empty() ? R(Value(out.number(0))) : R(Value(std::move(out), ArrayRules::Numpy));
}

Result<LegacyStream> seedArgument(const A &args) {
  if (!args.has(0) || args[0].value.isNone())
    return LegacyStream(0);
  auto word = [](const Value &value) -> std::optional<uint32_t> {
    auto n = value.plain().integer();
    return n && *n >= 0 && *n <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*n)) : std::nullopt;
  };
  const auto *several = args[0].value.asList() ? &args[0].value.asList()->items : args[0].value.asTuple();
  std::vector<uint32_t> key;
  for (const Value &one : several ? *several : std::vector{args[0].value}) {
    auto n = word(one);
    if (!n)
      return args.wrongValue(0, "a seed is an int from 0 to 2**32 - 1 here, or a list of them");
    key.push_back(*n);
  }
  if (key.empty())
    return args.wrongValue(0, "it is empty");
  return several ? LegacyStream(std::span<const uint32_t>(key)) : LegacyStream(key[0]);
}

R reseed(C &, const A &args) {
  args.self->as<RandomState>()->stream = LANESCOPE_TRY(seedArgument(args));
  return Value();
}

const Builtins &randomStateMethods() {
  static const Builtins kMethods = {
      {"seed", "seed(seed=None)", "Begins the numbers of that seed; without one, those of 0.", reseed},
      {"rand", "rand(*sizes)", "Floats in [0, 1): `rand(3, 4)`.", ofSizes<&RandomStream::uniform>},
      {"randn", "randn(*sizes)", "Normal floats of mean 0 and width 1: `randn(3, 4)`.", ofSizes<&RandomStream::normal>},
      {"random_sample", "random_sample(size=None)", "Floats in [0, 1).", ofSize<&RandomStream::uniform>},
      {"random", "random(size=None)", "Floats in [0, 1).", ofSize<&RandomStream::uniform>},
      {"standard_normal", "standard_normal(size=None)", "Normal floats of mean 0 and width 1.",
       ofSize<&RandomStream::normal>},
      {"normal", "normal(loc=0.0, scale=1.0, size=None)", "Normal floats.", normal},
      {"uniform", "uniform(low=0.0, high=1.0, size=None)", "Floats in [low, high).", uniform},
      {"randint", "randint(low, high=None, size=None, dtype=i64)", "Integers in [low, high).", integers},
      {"permutation", "permutation(x)", "The ints below x, or the rows of x, in a random order.", permutation},
      {"shuffle", "shuffle(x)", "Puts the rows of x in a random order.", shuffle},
      {"choice", "choice(a, size=None, replace=True, p=None)", "Some of the ints below a, or rows of a.", choice},
  };
  return kMethods;
}

const Builtins &generatorMethods() {
  static const Builtins kMethods = [] {
    Builtins out = {
        {"random", "random(size=None, dtype=f64)", "Floats in [0, 1).", random},
        {"standard_normal", "standard_normal(size=None, dtype=f64)", "Normal floats of mean 0 and width 1.",
         standardNormal},
        {"normal", "normal(loc=0.0, scale=1.0, size=None)", "Normal floats.", normal},
        {"uniform", "uniform(low=0.0, high=1.0, size=None)", "Floats in [low, high).", uniform},
        {"integers", "integers(low, high=None, size=None, dtype=i64, endpoint=False)", "Integers in [low, high).",
         integers},
        {"permutation", "permutation(x, axis=0)", "The ints below x, or the rows of x, in a random order.",
         permutation},
        {"shuffle", "shuffle(x, axis=0)", "Puts the rows of x in a random order.", shuffle},
        {"permuted", "permuted(x, *, axis=None)",
         "Each line of x along an axis in a random order of its own; without an axis, all elements.", permuted},
        {"choice", "choice(a, size=None, replace=True, p=None, axis=0, shuffle=True)",
         "Some of the ints below a, or rows of a.", choice},
    };
    for (Builtin &method : distributionMethods())
      out.push_back(std::move(method));
    return out;
  }();
  return kMethods;
}

} // namespace

Result<Value> RandomSource::attribute(Context &context, const std::string &name) {
  for (const Builtin &method : methods())
    if (method.name == name)
      return BuiltinValue::make(method, Value(shared_from_this()));
  if (std::string near(layouts::nearest(name, members())); !near.empty())
    return context.fail("no-attribute", text("a ", typeName(), " has no `", name, "`; did you mean `", near, "`?"));
  return context.fail("no-attribute", text("a ", typeName(), " has no `", name, "`; it has ", joined(members(), ", ")));
}

std::vector<std::string> RandomSource::members() const {
  std::vector<std::string> out;
  for (const Builtin &method : methods())
    out.push_back(method.name);
  return out;
}

const Builtins &NumpyGenerator::methods() const { return generatorMethods(); }
const Builtins &RandomState::methods() const { return randomStateMethods(); }

namespace {

R defaultRng(C &, const A &args) {
  std::vector<uint32_t> words;
  auto take = [&](const Value &value) {
    auto n = value.plain().integer();
    if (!n || *n < 0)
      return false;
    words.push_back(static_cast<uint32_t>(*n));
    if (*n > UINT32_MAX)
      words.push_back(static_cast<uint32_t>(*n >> 32));
    return true;
  };
  if (!args.has(0) ||
      args[0].value.isNone()) // without a seed, the same numbers each time: nothing here is left to chance
    words.push_back(0);
  else if (args[0].value.as<NumpyGenerator>())
    return args[0].value;
  else if (const auto *several = args[0].value.asList() ? &args[0].value.asList()->items : args[0].value.asTuple()) {
    for (const Value &one : *several)
      if (!take(one))
        return args.wrongType(0, "an int above or equal to 0, or a list of them");
  } else if (!take(args[0].value))
    return args.wrongType(0, "an int above or equal to 0, or a list of them");
  return Value(std::make_shared<NumpyGenerator>(words));
}

} // namespace

Builtins numpyRandomNatives() {
  return {{"default_rng", "default_rng(seed=None)",
           "A generator of random numbers, the same as NumPy's for a seed. Without a seed, that of 0.", defaultRng},
          {"RandomState", "RandomState(seed=None)",
           "NumPy's older generator (MT19937), whose functions `np.random.seed`, `rand`, `randn`, … are. Without a "
           "seed, that of 0.",
           [](C &, const A &args) -> R {
             return Value(std::make_shared<RandomState>(LANESCOPE_TRY(seedArgument(args))));
           }}};
}

} // namespace lanescope::repl
