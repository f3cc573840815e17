// atom and red (PTX ISA 9.7.13.5, 9.7.13.6) on global and shared memory. Lanes are served in lane order; floating-point
// additions are exact each, their order across warps is the schedule's.
#include "core/emulator/CostModel.h"
#include "core/emulator/Decoder.h"
#include "core/emulator/Lanes.h"
#include "core/emulator/Memory.h"
#include "core/emulator/NarrowFloat.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

template <class T, auto F> Step atomic(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *at[kLanes];
  if (!resolveLanes(warp, i, mask, sizeof(T), Access::Atomic, at))
    return Step::Fault;
  const T *b = i.b == kNone ? nullptr : warp.reg<T>(i.b);
  const T *c = i.c == kNone ? nullptr : warp.reg<T>(i.c);
  T *d = i.d == kNone ? nullptr : warp.reg<T>(i.d);
  forLanes(mask, [&](uint32_t l) {
    T old;
    std::memcpy(&old, at[l], sizeof old);
    T fresh = static_cast<T>(F(old, b[l], c ? c[l] : T{}));
    std::memcpy(at[l], &fresh, sizeof fresh);
    if (d)
      d[l] = old;
  });
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kAtomicLatency);
  ++warp.block->effects;
  return Step::Next;
}

template <class T> constexpr auto kIncrement = [](T old, T b, T) { return old >= b ? T(0) : static_cast<T>(old + 1); };
template <class T>
constexpr auto kDecrement = [](T old, T b, T) { return old == 0 || old > b ? b : static_cast<T>(old - 1); };

template <class T> Handler integerOp(std::string_view op) {
  if (op == "add")
    return &atomic<T,
                   [](T old, T b, T) { return static_cast<T>(static_cast<uint64_t>(old) + static_cast<uint64_t>(b)); }>;
  if (op == "min")
    return &atomic<T, [](T old, T b, T) { return std::min(old, b); }>;
  if (op == "max")
    return &atomic<T, [](T old, T b, T) { return std::max(old, b); }>;
  if (op == "and")
    return &atomic<T, [](T old, T b, T) { return old & b; }>;
  if (op == "or")
    return &atomic<T, [](T old, T b, T) { return old | b; }>;
  if (op == "xor")
    return &atomic<T, [](T old, T b, T) { return old ^ b; }>;
  if (op == "exch")
    return &atomic<T, [](T, T b, T) { return b; }>;
  if (op == "cas")
    return &atomic<T, [](T old, T b, T c) { return old == b ? c : old; }>;
  if (op == "inc")
    return &atomic<T, kIncrement<T>>;
  if (op == "dec")
    return &atomic<T, kDecrement<T>>;
  return nullptr;
}

template <class Format> uint32_t addHalves(uint32_t a, uint32_t b) {
  auto half = [](uint32_t x, uint32_t y) -> uint32_t {
    return Format::narrow(Format::widen(static_cast<uint16_t>(x)) + Format::widen(static_cast<uint16_t>(y)));
  };
  return half(a, b) | half(a >> 16, b >> 16) << 16;
}

Handler handlerFor(Type type, std::string_view op) {
  if (type.isInteger() && !type.packed) {
    if (type.bits == 32)
      return type.isSigned() ? integerOp<int32_t>(op) : integerOp<uint32_t>(op);
    if (type.bits == 64)
      return type.isSigned() ? integerOp<int64_t>(op) : integerOp<uint64_t>(op);
    if (type.bits == 16 && op == "cas")
      return integerOp<uint16_t>(op);
    return nullptr;
  }
  if (op != "add")
    return nullptr;
  if (type.isF32())
    return &atomic<float, [](float old, float b, float) { return canonical(old + b); }>;
  if (type.isF64())
    return &atomic<double, [](double old, double b, double) { return old + b; }>;
  if (type.isF16x2())
    return &atomic<uint32_t, [](uint32_t old, uint32_t b, uint32_t) { return addHalves<F16Format>(old, b); }>;
  if (type.isBf16x2())
    return &atomic<uint32_t, [](uint32_t old, uint32_t b, uint32_t) { return addHalves<Bf16Format>(old, b); }>;
  return nullptr;
}

template <bool IsRed> bool decodeAtomic(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (IsRed && mods.take("async"))
    return false;
  while (!mods.takeOne({"relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys", "noftz"}).empty())
    ;
  Space space = takeSpace(mods);
  std::string_view op = mods.takeOne({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  Type type = mods.takeType();
  size_t first = IsRed ? 0 : 1;
  bool isCas = op == "cas";
  i.run = op.empty() ? nullptr : handlerFor(type, op);
  if (!i.run || (IsRed && (isCas || op == "exch")) || !d.finish(mods, first + (isCas ? 3 : 2)))
    return false;
  if (!IsRed)
    i.d = d.dest(d.operand(0), type.bits);
  i.b = d.source(d.operand(first + 1), type);
  if (isCas)
    i.c = d.source(d.operand(first + 2), type);
  i.cost = cost::kMemoryIssue * 2;
  i.load = !IsRed;
  d.program().communicates |= space == Space::Global || space == Space::Generic;
  return d.address(d.operand(first), i, space) && !d.failed();
}

} // namespace

const Family &atomicFamily() {
  static const Family family{{"atom", &decodeAtomic<false>}, {"red", &decodeAtomic<true>}};
  return family;
}

} // namespace lanescope::core::emulator
