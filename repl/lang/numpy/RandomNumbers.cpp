// numpy.random.default_rng(seed) and the natives of jax.random over the streams of lang/random.
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/random/NumpyStream.h"
#include "repl/lang/random/Threefry.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

Result<Shape> sizeOf(const A &args, size_t index) {
  if (!args.has(index) || args[index].value.isNone())
    return Shape{};
  return args.shape(index);
}

//===------------------------------------ numpy -------------------------------------------------------------------===//

class Generator final : public Object {
public:
  explicit Generator(const std::vector<uint32_t> &seed) : stream(seed) {}
  NumpyStream stream;
  std::string typeName() const override { return "Generator"; }
  std::string repr() const override { return "Generator(PCG64)"; }
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
};

NumpyStream &streamOf(const A &args) { return args.self->as<Generator>()->stream; }

/// One number for each element; a number alone where there is no size.
template <typename Draw> R drawn(C &context, const A &args, size_t size, Dtype dtype, Draw draw) {
  Shape shape = LANESCOPE_TRY(sizeOf(args, size));
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i)
    draw(out, i);
  bool alone = !args.has(size) || args[size].value.isNone();
  return alone && dtype == Dtype::F64 ? R(Value(out.number(0))) : R(Value(std::move(out), ArrayRules::Numpy));
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
  return scaled(context, args, [&](double low, double high) { return low + (high - low) * streamOf(args).uniform(); });
}

R normal(C &context, const A &args) {
  return scaled(context, args, [&](double mean, double width) { return mean + width * streamOf(args).normal(); });
}

R integers(C &context, const A &args) {
  Value low = args[0].value.plain(), high = args.has(1) ? args[1].value.plain() : Value();
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 3, ArrayRules::Numpy)).value_or(Dtype::I64);
  if (layouts::isFloat(dtype) || layouts::bitwidth(dtype) == 4 || layouts::bitwidth(dtype) == 2)
    return args.wrongValue(3, text("random integers are of 8, 16, 32 or 64 bits, not ", layouts::name(dtype)));
  bool endpoint = LANESCOPE_TRY(args.booleanOr(4, false));
  if (args[0].value.asArray() && !args[0].value.asArray()->shape.empty())
    return args.wrongType(0, "an int; arrays of bounds are not supported");
  auto whole = [](const Value &value) -> std::optional<int64_t> {
    if (auto n = value.integer())
      return n;
    const double *x = value.asFloat();
    return x && std::floor(*x) == *x && std::abs(*x) < 9e18 ? std::optional(static_cast<int64_t>(*x)) : std::nullopt;
  };
  if (high.isNone())
    high = std::exchange(low, Value(0));
  auto first = whole(low), last = whole(high);
  if (!first || !last)
    return args.wrongType(first ? 1 : 0, "an int");
  int64_t end = endpoint ? *last : *last - 1;
  if (end < *first)
    return args.wrongValue(args.has(1) ? 1 : 0, text("there is no integer from ", *first, " up to ", *last));
  int bits = layouts::bitwidth(dtype);
  bool isSigned = layouts::isSignedInteger(dtype) && dtype != Dtype::I1;
  int64_t least = isSigned ? (bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1))) : 0;
  int64_t most = bits == 64 ? INT64_MAX : (int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
  if (*first < least || end > most)
    return args.wrongValue(0, text("the bounds are outside of ", layouts::name(dtype)));
  uint64_t range = static_cast<uint64_t>(end) - static_cast<uint64_t>(*first);
  NumpyStream &stream = streamOf(args);
  NumpyStream::Buffer buffer;
  return drawn(context, args, 2, dtype, [&](Array &out, int64_t i) {
    uint64_t away = bits == 64   ? stream.bounded64(range)
                    : bits == 32 ? stream.bounded32(static_cast<uint32_t>(range))
                    : bits == 16 ? stream.bounded16(static_cast<uint16_t>(range), buffer)
                    : bits == 8  ? stream.bounded8(static_cast<uint8_t>(range), buffer)
                    : range == 0 ? 0
                                 : uint64_t{stream.boolean(buffer)};
    out.setInteger(i, static_cast<int64_t>(static_cast<uint64_t>(*first) + away));
  });
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

std::vector<int64_t> counted(int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<int64_t>(i);
  return out;
}

std::vector<int64_t> shuffled(NumpyStream &stream, int64_t count) {
  std::vector<int64_t> order = counted(count);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[stream.interval(i)]);
  return order;
}

Array arrayOfInts(const std::vector<int64_t> &values) {
  Array out = Array::zeros(Dtype::I64, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    out.setInteger(static_cast<int64_t>(i), values[i]);
  return out;
}

R permutation(C &context, const A &args) {
  if (auto n = args[0].value.plain().integer()) {
    if (*n < 0)
      return args.wrongValue(0, "a count is not negative");
    LANESCOPE_CHECK(context.evaluator.reserveItems(*n, context.span));
    return Value(arrayOfInts(shuffled(streamOf(args), *n)), ArrayRules::Numpy);
  }
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy));
  return Value(rowsOf(x, shuffled(streamOf(args), x.shape[0])), ArrayRules::Numpy);
}

R shuffle(C &context, const A &args) {
  LANESCOPE_CHECK(context.evaluator.willChange(args[0].value, args[0].span));
  if (ListData *list = args[0].value.asList()) {
    std::vector<Value> items = list->items;
    std::vector<int64_t> order = shuffled(streamOf(args), static_cast<int64_t>(items.size()));
    for (size_t i = 0; i < items.size(); ++i)
      list->items[i] = items[static_cast<size_t>(order[i])];
    return Value();
  }
  ArrayData *data = args[0].value.asArrayData();
  if (!data || data->array.shape.empty())
    return args.wrongType(0, "an array or a list");
  data->array = rowsOf(data->array, shuffled(streamOf(args), data->array.shape[0]));
  return Value();
}

/// Without repetition: Floyd's algorithm where few are chosen of many, else the end of a shuffle, as NumPy chooses.
std::vector<int64_t> distinct(NumpyStream &stream, int64_t population, int64_t count, bool shuffles) {
  auto shuffleFrom = [&](std::vector<int64_t> &values, size_t first) {
    for (size_t i = values.size(); i-- > first;)
      std::swap(values[i], values[stream.bounded64(i)]);
  };
  if (population > 10000 && count > population / (shuffles ? 50 : 20)) {
    std::vector<int64_t> all = counted(population);
    shuffleFrom(all, static_cast<size_t>(std::max<int64_t>(population - count, 1)));
    return {all.end() - count, all.end()};
  }
  std::vector<int64_t> out;
  for (int64_t j = population - count; j < population; ++j) {
    auto value = static_cast<int64_t>(stream.bounded64(static_cast<uint64_t>(j)));
    out.push_back(std::ranges::find(out, value) == out.end() ? value : j);
  }
  if (shuffles)
    shuffleFrom(out, 1);
  return out;
}

R choice(C &context, const A &args) {
  NumpyStream &stream = streamOf(args);
  std::optional<Array> from;
  int64_t population = 0;
  if (auto n = args[0].value.plain().integer()) {
    population = *n;
  } else {
    from = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Numpy));
    population = from->shape[0];
  }
  if (population <= 0)
    return args.wrongValue(0, "there is nothing to choose from");
  bool alone = !args.has(1) || args[1].value.isNone();
  Shape shape = LANESCOPE_TRY(sizeOf(args, 1));
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
    places = distinct(stream, population, count, LANESCOPE_TRY(args.booleanOr(4, true)));
  }
  Array chosen = from ? rowsOf(*from, places) : arrayOfInts(places);
  chosen.shape.erase(chosen.shape.begin());
  chosen.shape.insert(chosen.shape.begin(), shape.begin(), shape.end());
  return alone && !from ? R(Value(chosen.integer(0))) : R(Value(std::move(chosen), ArrayRules::Numpy));
}

const Builtins &generatorMethods() {
  static const Builtins kMethods = {
      {"random", "random(size=None, dtype=f64)", "Floats in [0, 1).", random},
      {"standard_normal", "standard_normal(size=None, dtype=f64)", "Normal floats of mean 0 and width 1.",
       standardNormal},
      {"normal", "normal(loc=0.0, scale=1.0, size=None)", "Normal floats.", normal},
      {"uniform", "uniform(low=0.0, high=1.0, size=None)", "Floats in [low, high).", uniform},
      {"integers", "integers(low, high=None, size=None, dtype=i64, endpoint=False)", "Integers in [low, high).",
       integers},
      {"permutation", "permutation(x, axis=0)", "The ints below x, or the rows of x, in a random order.", permutation},
      {"shuffle", "shuffle(x, axis=0)", "Puts the rows of x in a random order.", shuffle},
      {"choice", "choice(a, size=None, replace=True, p=None, shuffle=True)", "Some of the ints below a, or rows of a.",
       choice},
  };
  return kMethods;
}

Result<Value> Generator::attribute(Context &context, const std::string &name) {
  for (const Builtin &method : generatorMethods())
    if (method.name == name)
      return BuiltinValue::make(method, Value(shared_from_this()));
  return context.fail("no-attribute", text("a Generator has no `", name, "` here; it has ", joined(members(), ", ")));
}

std::vector<std::string> Generator::members() const {
  std::vector<std::string> out;
  for (const Builtin &method : generatorMethods())
    out.push_back(method.name);
  return out;
}

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
  else if (args[0].value.as<Generator>())
    return args[0].value;
  else if (const auto *several = args[0].value.asList() ? &args[0].value.asList()->items : args[0].value.asTuple()) {
    for (const Value &one : *several)
      if (!take(one))
        return args.wrongType(0, "an int above or equal to 0, or a list of them");
  } else if (!take(args[0].value))
    return args.wrongType(0, "an int above or equal to 0, or a list of them");
  return Value(std::make_shared<Generator>(words));
}

//===------------------------------------ jax.random --------------------------------------------------------------===//

Result<ThreefryPair> keyArgument(const A &args, size_t index) {
  const Array *key = args[index].value.asArray();
  if (!key || key->dtype != Dtype::U32 || key->shape != Shape{2})
    return args.wrongType(index, "a key, as `jax.random.key(seed)` makes one");
  return ThreefryPair{static_cast<uint32_t>(key->integer(0)), static_cast<uint32_t>(key->integer(1))};
}

Array keyArray(const std::vector<ThreefryPair> &keys, Shape shape) {
  shape.push_back(2);
  Array out = Array::zeros(Dtype::U32, std::move(shape));
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t half : {0, 1})
      out.setInteger(static_cast<int64_t>(2 * i + half), keys[i][half]);
  return out;
}

R makeKey(C &, const A &args) {
  int64_t seed = LANESCOPE_TRY(args.integer(0));
  // Without 64-bit integers JAX takes the seed's low 32 bits; negative ones fill the high word as int32 does.
  auto low = static_cast<uint32_t>(seed);
  return Value(keyArray({{0, low}}, {}), ArrayRules::Jax);
}

R split(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = args.has(1) ? LANESCOPE_TRY(args.shape(1)) : Shape{2};
  LANESCOPE_CHECK(context.evaluator.reserveArray(Dtype::U64, shape, context.span));
  std::vector<ThreefryPair> keys;
  for (int64_t i = 0; i < layouts::elementCount(shape); ++i)
    keys.push_back(threefrySplit(key, static_cast<uint64_t>(i)));
  return Value(keyArray(keys, std::move(shape)), ArrayRules::Jax);
}

R foldIn(C &, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  auto data = static_cast<uint32_t>(LANESCOPE_TRY(args.integer(1)));
  return Value(keyArray({threefry(key, {0, data})}, {}), ArrayRules::Jax);
}

R bits(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = LANESCOPE_TRY(sizeOf(args, 1));
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 2, ArrayRules::Jax)).value_or(Dtype::U32);
  if (!layouts::isUnsignedInteger(dtype) || layouts::bitwidth(dtype) < 8)
    return args.wrongValue(2, "bits are of u8, u16 or u32");
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i)
    out.setInteger(i, threefryBits(key, static_cast<uint64_t>(i)));
  return Value(std::move(out), ArrayRules::Jax);
}

/// Rounds to the dtype, as each operation of JAX does.
double roundedTo(Dtype dtype, double value) {
  Array one = Array::zeros(dtype, {});
  one.setNumber(0, value);
  return one.number(0);
}

/// Uniform floats of the key's bits: random mantissas of 1, less 1, over [low, high).
Result<Array> uniformFloats(const ThreefryPair &key, const Shape &shape, Dtype dtype, double low, double high) {
  int mantissa = 0;
  switch (dtype) {
  case Dtype::F32: mantissa = 23; break;
  case Dtype::F16: mantissa = 10; break;
  case Dtype::BF16: mantissa = 7; break;
  default: return error("value", text("random floats are f32, f16 or bf16, not ", layouts::name(dtype)));
  }
  int width = mantissa < 8 ? 8 : layouts::bitwidth(dtype);
  Array out = Array::zeros(dtype, shape);
  double start = roundedTo(dtype, low), span = roundedTo(dtype, roundedTo(dtype, high) - start);
  for (int64_t i = 0; i < out.size(); ++i) {
    uint32_t random = threefryBits(key, static_cast<uint64_t>(i));
    if (width < 32)
      random &= (uint32_t{1} << width) - 1;
    double unit = std::ldexp(static_cast<double>(random >> (width - mantissa)), -mantissa);
    out.setNumber(i, std::max(start, roundedTo(dtype, roundedTo(dtype, unit * span) + start)));
  }
  return out;
}

R uniformKey(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = LANESCOPE_TRY(sizeOf(args, 1));
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 2, ArrayRules::Jax)).value_or(Dtype::F32);
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  auto out = uniformFloats(key, shape, dtype, LANESCOPE_TRY(args.numberOr(3, 0)), LANESCOPE_TRY(args.numberOr(4, 1)));
  if (!out)
    return at(args.has(2) ? args[2].span : args.call, std::move(out.error()));
  return Value(std::move(*out), ArrayRules::Jax);
}

R normalKey(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = LANESCOPE_TRY(sizeOf(args, 1));
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 2, ArrayRules::Jax)).value_or(Dtype::F32);
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  double low = dtype == Dtype::F32   ? -0x1.fffffep-1 // the first number above -1
               : dtype == Dtype::F16 ? -0x1.ffcp-1
                                     : -0x1.fep-1;
  auto out = uniformFloats(key, shape, dtype, low, 1);
  if (!out)
    return at(args.has(2) ? args[2].span : args.call, std::move(out.error()));
  double root = roundedTo(dtype, std::sqrt(2.0));
  for (int64_t i = 0; i < out->size(); ++i)
    out->setNumber(i, root * roundedTo(dtype, inverseErf(static_cast<float>(out->number(i)))));
  return Value(std::move(*out), ArrayRules::Jax);
}

R randint(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = LANESCOPE_TRY(sizeOf(args, 1));
  int64_t low = LANESCOPE_TRY(args.integer(2)), high = LANESCOPE_TRY(args.integer(3));
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 4, ArrayRules::Jax)).value_or(Dtype::I32);
  int width = layouts::bitwidth(dtype);
  if (layouts::isFloat(dtype) || width < 8)
    return args.wrongValue(4, text("random integers are of 8, 16 or 32 bits, not ", layouts::name(dtype)));
  bool isSigned = layouts::isSignedInteger(dtype);
  int64_t least = isSigned ? -(int64_t{1} << (width - 1)) : 0;
  int64_t most = (int64_t{1} << (isSigned ? width - 1 : width)) - 1;
  bool above = high > most; // the whole range, up to the last
  low = std::clamp(low, least, most);
  high = std::clamp(high, least, most);
  uint64_t mask = (uint64_t{1} << width) - 1;
  uint64_t span = high <= low ? 1 : static_cast<uint64_t>(high - low) & mask;
  if (above && high > low)
    span = (span + 1) & mask;
  auto rest = [&](uint64_t value) { return span == 0 ? value : value % span; };
  uint64_t multiplier = rest(uint64_t{1} << (width / 2));
  multiplier = rest((multiplier * multiplier) & mask);
  ThreefryPair first = threefrySplit(key, 0), second = threefrySplit(key, 1);
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    uint64_t higher = threefryBits(first, static_cast<uint64_t>(i)) & mask;
    uint64_t lower = threefryBits(second, static_cast<uint64_t>(i)) & mask;
    uint64_t away = rest(((rest(higher) * multiplier & mask) + rest(lower)) & mask);
    out.setInteger(i, low + static_cast<int64_t>(away));
  }
  return Value(std::move(out), ArrayRules::Jax);
}

} // namespace

Builtins numpyRandomNatives() {
  return {{"default_rng", "default_rng(seed=None)",
           "A generator of random numbers, the same as NumPy's for a seed. Without a seed, that of 0.", defaultRng}};
}

Builtins jaxRandomNatives() {
  return {
      {"key", "key(seed, *, impl=None)", "A key of JAX's random numbers.", makeKey},
      {"PRNGKey", "PRNGKey(seed, *, impl=None)", "A key of JAX's random numbers.", makeKey},
      {"split", "split(key, num=2)", "New keys of a key.", split},
      {"fold_in", "fold_in(key, data)", "A new key of a key and a number.", foldIn},
      {"bits", "bits(key, shape=(), dtype=u32)", "Random bits.", bits},
      {"uniform", "uniform(key, shape=(), dtype=f32, minval=0.0, maxval=1.0)", "Floats in [minval, maxval).",
       uniformKey},
      {"normal", "normal(key, shape=(), dtype=f32)", "Normal floats of mean 0 and width 1.", normalKey},
      {"randint", "randint(key, shape, minval, maxval, dtype=i32)", "Integers in [minval, maxval).", randint},
  };
}

} // namespace lanescope::repl
