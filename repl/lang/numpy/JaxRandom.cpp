// The natives of jax.random: keys and their bits, and the numbers that jax.random.py makes others of.
#include "repl/lang/numpy/Numpy.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/random/Threefry.h"

#include <algorithm>
#include <cmath>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

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
  Shape shape = LANESCOPE_TRY(sizeArgument(args, 1));
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
Result<Array> uniformFloats(const ThreefryPair &key, const Shape &shape, Dtype dtype, const Array &low,
                            const Array &high) {
  int mantissa = 0;
  switch (dtype) {
  case Dtype::F32: mantissa = 23; break;
  case Dtype::F16: mantissa = 10; break;
  case Dtype::BF16: mantissa = 7; break;
  default: return error("value", text("random floats are f32, f16 or bf16, not ", layouts::name(dtype)));
  }
  int width = mantissa < 8 ? 8 : layouts::bitwidth(dtype);
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    const double start = roundedTo(dtype, low.number(low.shape.empty() ? 0 : i));
    const double span = roundedTo(dtype, roundedTo(dtype, high.number(high.shape.empty() ? 0 : i)) - start);
    uint32_t random = threefryBits(key, static_cast<uint64_t>(i));
    if (width < 32)
      random &= (uint32_t{1} << width) - 1;
    double unit = std::ldexp(static_cast<double>(random >> (width - mantissa)), -mantissa);
    out.setNumber(i, std::max(start, roundedTo(dtype, roundedTo(dtype, unit * span) + start)));
  }
  return out;
}

/// A bound: a number, or an array spread over `shape`.
Result<Array> boundArgument(const A &args, size_t index, double fallback, const Shape &shape) {
  if (!args.has(index)) {
    Array out = Array::zeros(Dtype::F64, {});
    out.setNumber(0, fallback);
    return out;
  }
  Array out = LANESCOPE_TRY(arrayArgument(args, index, ArrayRules::Jax));
  if (out.shape.empty())
    return out;
  auto wide = broadcastTo(out, shape);
  return wide ? std::move(wide) : at(args[index].span, std::move(wide.error()));
}

R uniformKey(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = LANESCOPE_TRY(sizeArgument(args, 1));
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 2, ArrayRules::Jax)).value_or(Dtype::F32);
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array least = LANESCOPE_TRY(boundArgument(args, 3, 0, shape)), most = LANESCOPE_TRY(boundArgument(args, 4, 1, shape));
  auto out = uniformFloats(key, shape, dtype, least, most);
  if (!out)
    return at(args.has(2) ? args[2].span : args.call, std::move(out.error()));
  return Value(std::move(*out), ArrayRules::Jax);
}

R normalKey(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = LANESCOPE_TRY(sizeArgument(args, 1));
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 2, ArrayRules::Jax)).value_or(Dtype::F32);
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  double low = dtype == Dtype::F32   ? -0x1.fffffep-1 // the first number above -1
               : dtype == Dtype::F16 ? -0x1.ffcp-1
                                     : -0x1.fep-1;
  Array least = Array::zeros(Dtype::F64, {}), most = least;
  least.setNumber(0, low);
  most.setNumber(0, 1);
  auto out = uniformFloats(key, shape, dtype, least, most);
  if (!out)
    return at(args.has(2) ? args[2].span : args.call, std::move(out.error()));
  double root = roundedTo(dtype, std::sqrt(2.0));
  for (int64_t i = 0; i < out->size(); ++i)
    out->setNumber(i, root * roundedTo(dtype, inverseErf(static_cast<float>(out->number(i)))));
  return Value(std::move(*out), ArrayRules::Jax);
}

R erfInv(C &, const A &args) {
  Array x = LANESCOPE_TRY(arrayArgument(args, 0, ArrayRules::Jax));
  return Value(mapFloat(x, [](double one) { return inverseErf(static_cast<float>(one)); }), ArrayRules::Jax);
}

R randint(C &context, const A &args) {
  ThreefryPair key = LANESCOPE_TRY(keyArgument(args, 0));
  Shape shape = LANESCOPE_TRY(sizeArgument(args, 1));
  Array lows = LANESCOPE_TRY(boundArgument(args, 2, 0, shape)), highs = LANESCOPE_TRY(boundArgument(args, 3, 0, shape));
  Dtype dtype = LANESCOPE_TRY(dtypeArgument(args, 4, ArrayRules::Jax)).value_or(Dtype::I32);
  const int width = layouts::bitwidth(dtype);
  if (layouts::isFloat(dtype) || width < 8)
    return args.wrongValue(4, text("random integers are of 8, 16 or 32 bits, not ", layouts::name(dtype)));
  const bool isSigned = layouts::isSignedInteger(dtype);
  const int64_t least = isSigned ? -(int64_t{1} << (width - 1)) : 0;
  const int64_t most = (int64_t{1} << (isSigned ? width - 1 : width)) - 1;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  auto bound = [](const Array &x, int64_t i) {
    const int64_t at = x.shape.empty() ? 0 : i;
    return layouts::isFloat(x.dtype) ? static_cast<int64_t>(x.number(at)) : x.integer(at);
  };
  ThreefryPair first = threefrySplit(key, 0), second = threefrySplit(key, 1);
  LANESCOPE_CHECK(context.evaluator.reserveArray(dtype, shape, context.span));
  Array out = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t end = bound(highs, i), low = std::clamp(bound(lows, i), least, most);
    const int64_t high = std::clamp(end, least, most);
    uint64_t span = high <= low ? 1 : static_cast<uint64_t>(high - low) & mask;
    if (end > most && high > low) // the whole range, up to the last
      span = (span + 1) & mask;
    auto rest = [&](uint64_t value) { return span == 0 ? value : value % span; };
    uint64_t multiplier = rest(uint64_t{1} << (width / 2));
    multiplier = rest((multiplier * multiplier) & mask);
    const uint64_t higher = threefryBits(first, static_cast<uint64_t>(i)) & mask;
    const uint64_t lower = threefryBits(second, static_cast<uint64_t>(i)) & mask;
    const uint64_t away = rest(((rest(higher) * multiplier & mask) + rest(lower)) & mask);
    out.setInteger(i, low + static_cast<int64_t>(away));
  }
  return Value(std::move(out), ArrayRules::Jax);
}

} // namespace

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
      {"_erf_inv", "_erf_inv(x)", "", erfInv},
      {"randint", "randint(key, shape, minval, maxval, dtype=i32)", "Integers in [minval, maxval).", randint},
  };
}

} // namespace lanescope::repl
