#include "core/gpu/emulator/numbers/Reduce.h"

#include "core/data/Numeric.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

using layouts::Dtype;

template <class T, class F> void each(std::byte *to, const std::byte *from, size_t bytes, F f) {
  for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, to + at, sizeof a);
    std::memcpy(&b, from + at, sizeof b);
    a = static_cast<T>(f(a, b));
    std::memcpy(to + at, &a, sizeof a);
  }
}

template <class T> void integers(ReduceOp op, std::byte *to, const std::byte *from, size_t bytes) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case ReduceOp::Add: each<U>(to, from, bytes, [](U a, U b) { return a + b; }); break;
  case ReduceOp::Min: each<T>(to, from, bytes, [](T a, T b) { return std::min(a, b); }); break;
  case ReduceOp::Max: each<T>(to, from, bytes, [](T a, T b) { return std::max(a, b); }); break;
  case ReduceOp::And: each<U>(to, from, bytes, [](U a, U b) { return a & b; }); break;
  case ReduceOp::Or: each<U>(to, from, bytes, [](U a, U b) { return a | b; }); break;
  case ReduceOp::Xor: each<U>(to, from, bytes, [](U a, U b) { return a ^ b; }); break;
  case ReduceOp::Inc: each<U>(to, from, bytes, [](U a, U b) { return a >= b ? 0 : a + 1; }); break;
  case ReduceOp::Dec: each<U>(to, from, bytes, [](U a, U b) { return a == 0 || a > b ? b : a - 1; }); break;
  case ReduceOp::None: break;
  }
}

template <class Format> void halves(ReduceOp op, std::byte *to, const std::byte *from, size_t bytes) {
  each<uint16_t>(to, from, bytes, [op](uint16_t a, uint16_t b) {
    float x = Format::widen(a), y = Format::widen(b);
    if (op == ReduceOp::Add)
      return Format::narrow(x + y);
    if (x != x || y != y)
      return x != x && y != y ? kNanF16 : x != x ? b : a;
    return (x < y) == (op == ReduceOp::Min) ? a : b;
  });
}

} // namespace

bool canReduce(ReduceOp op, Dtype dtype) {
  bool counts = op == ReduceOp::Inc || op == ReduceOp::Dec;
  switch (dtype) {
  case Dtype::U32: return op != ReduceOp::None;
  case Dtype::I32:
  case Dtype::I64:
  case Dtype::U64: return op != ReduceOp::None && !counts;
  case Dtype::F16:
  case Dtype::BF16: return op == ReduceOp::Add || op == ReduceOp::Min || op == ReduceOp::Max;
  case Dtype::F32:
  case Dtype::F64: return op == ReduceOp::Add;
  default: return false;
  }
}

void reduceInto(ReduceOp op, Dtype dtype, std::byte *to, const std::byte *from, size_t bytes) {
  switch (dtype) {
  case Dtype::I32: integers<int32_t>(op, to, from, bytes); break;
  case Dtype::U32: integers<uint32_t>(op, to, from, bytes); break;
  case Dtype::I64: integers<int64_t>(op, to, from, bytes); break;
  case Dtype::U64: integers<uint64_t>(op, to, from, bytes); break;
  case Dtype::F16: halves<F16Format>(op, to, from, bytes); break;
  case Dtype::BF16: halves<Bf16Format>(op, to, from, bytes); break;
  case Dtype::F32: each<float>(to, from, bytes, [](float a, float b) { return canonical(a + b); }); break;
  case Dtype::F64: each<double>(to, from, bytes, [](double a, double b) { return a + b; }); break;
  default: break;
  }
}

namespace {

/// Reduces through f32; `round` rounds each step.
template <class F>
void reduceFloats(ReduceOp op, Dtype dtype, std::span<const std::byte *const> copies, std::byte *out, size_t bytes,
                  F round) {
  auto size = static_cast<size_t>(layouts::hostBytes(dtype));
  for (size_t at = 0; at + size <= bytes; at += size) {
    float sum = 0;
    for (size_t n = 0; n < copies.size(); ++n) {
      uint32_t bits = 0;
      std::memcpy(&bits, copies[n] + at, size);
      auto one = static_cast<float>(decodeFloat(dtype, bits));
      if (n == 0)
        sum = one;
      else if (op == ReduceOp::Add)
        sum = round(sum + one);
      else if (sum != sum || (op == ReduceOp::Min ? one < sum : one > sum)) // a number wins over NaN
        sum = one;
    }
    uint32_t bits = encodeFloat(dtype, static_cast<double>(sum));
    std::memcpy(out + at, &bits, size);
  }
}

} // namespace

void reduceAll(ReduceOp op, Dtype dtype, bool wide, std::span<const std::byte *const> copies, std::byte *out,
               size_t bytes) {
  if (wide)
    return reduceFloats(op, dtype, copies, out, bytes, [](float v) { return v; });
  if (!canReduce(op, dtype))
    return reduceFloats(op, dtype, copies, out, bytes, [](float v) { return widenF16(narrowF16(v)); });
  std::memcpy(out, copies[0], bytes);
  for (const std::byte *copy : copies.subspan(1))
    reduceInto(op, dtype, out, copy, bytes);
}

} // namespace lanescope::core::emulator
