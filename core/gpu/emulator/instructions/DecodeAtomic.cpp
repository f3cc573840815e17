// atom and red (PTX ISA 9.7.13.5, 9.7.13.6) on global and shared memory, including vectors. Lanes execute in lane
// order. Each floating-point addition is exact. The order of additions across warps depends on the schedule.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace lanescope::core::emulator {

namespace {

template <class T, auto F> Step atomic(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *at[kLanes];
  if (!resolveLanes(warp, i, mask, sizeof(T), Access::Atomic, at))
    return Step::Fault;
  const T *b = i.b == kNone ? nullptr : warp.reg<T>(i.b);
  const T *c = i.c == kNone ? nullptr : warp.reg<T>(i.c);
  T *d = i.d == kNone ? nullptr : warp.reg<T>(i.d);
  bool changed = false; // a compare-and-swap that fails changes nothing, so no other warp can have waited for it
  forLanes(mask, [&](uint32_t l) {
    T old;
    std::memcpy(&old, at[l], sizeof old);
    T fresh = static_cast<T>(F(old, b[l], c ? c[l] : T{}));
    std::memcpy(at[l], &fresh, sizeof fresh);
    changed |= std::memcmp(&old, &fresh, sizeof fresh) != 0;
    if (d)
      d[l] = old;
  });
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kAtomicLatency);
  warp.block->effects += changed;
  warp.block->signals += changed;
  return settled(warp, i);
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

enum class HalfOp : uint8_t { Add, Min, Max };

template <class Format> uint16_t combineHalf(uint16_t old, uint16_t b, HalfOp op) {
  float x = Format::widen(old), y = Format::widen(b);
  if (op == HalfOp::Add)
    return Format::narrow(x + y);
  if (x != x || y != y) // a number wins over a NaN
    return x != x && y != y ? kNanF16 : x != x ? b : old;
  bool oldFirst = x != y ? x < y : (old & 0x8000) != 0; // -0 is less than +0
  return oldFirst == (op == HalfOp::Min) ? old : b;
}

// PTX ISA, `atom`: an addition of f32 in global memory flushes subnormals, one in shared memory does not.
constexpr auto kAddFloats = [](float old, float b, float) { return canonical(old + b); };
constexpr auto kAddFlushed = [](float old, float b, float) { return canonical(flushed(flushed(old) + flushed(b))); };

Step addGenericFloats(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t shared = 0;
  forLanes(mask, [&](uint32_t l) {
    uint64_t address = i.imm + (i.a == kNone ? 0 : warp.reg<uint64_t>(i.a)[l]);
    constexpr uint64_t kWindows = kSharedWindow | kLocalWindow | kParamWindow | kFunctionWindow;
    shared |= static_cast<uint32_t>((address & kWindows) == kSharedWindow) << l;
  });
  if (shared != 0)
    if (Step step = atomic<float, kAddFloats>(warp, i, shared); step != Step::Next || shared == mask)
      return step;
  return atomic<float, kAddFlushed>(warp, i, mask & ~shared);
}

Handler handlerFor(Type type, std::string_view op, Space space) {
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
    return space == Space::Global    ? &atomic<float, kAddFlushed>
           : space == Space::Generic ? &addGenericFloats
                                     : &atomic<float, kAddFloats>;
  if (type.isF64())
    return &atomic<double, [](double old, double b, double) { return old + b; }>;
  if (type.isF16())
    return &atomic<uint16_t,
                   [](uint16_t old, uint16_t b, uint16_t) { return combineHalf<F16Format>(old, b, HalfOp::Add); }>;
  if (type.isBf16())
    return &atomic<uint16_t,
                   [](uint16_t old, uint16_t b, uint16_t) { return combineHalf<Bf16Format>(old, b, HalfOp::Add); }>;
  if (type.isF16x2())
    return &atomic<uint32_t, [](uint32_t old, uint32_t b, uint32_t) { return addHalves<F16Format>(old, b); }>;
  if (type.isBf16x2())
    return &atomic<uint32_t, [](uint32_t old, uint32_t b, uint32_t) { return addHalves<Bf16Format>(old, b); }>;
  return nullptr;
}

// --- vectors: each element is updated atomically on its own --------------------------------------------------------

/// R: the type of a register in the list. The register holds the memory's bits. Halves are in registers of 16 or 32
/// bits.
template <class R, class Format> R combineRegister(R old, R b, HalfOp op) {
  if constexpr (std::is_same_v<Format, float>) {
    return std::bit_cast<R>(kAddFlushed(std::bit_cast<float>(old), std::bit_cast<float>(b), 0));
  } else {
    R out = 0;
    for (size_t n = 0; n < sizeof(R) / 2; ++n)
      out = static_cast<R>(out | static_cast<R>(combineHalf<Format>(static_cast<uint16_t>(old >> (16 * n)),
                                                                    static_cast<uint16_t>(b >> (16 * n)), op))
                                     << (16 * n));
    return out;
  }
}

/// The list has the registers for the old values (none for red), followed by those of the operands. access: the bytes
/// of the vector.
template <class R, class Format> Step atomicVector(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *at[kLanes];
  if (!resolveLanes(warp, i, mask, i.access, Access::Atomic, at))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  const uint32_t count = i.access / sizeof(R);
  bool keeps = i.listSize > count;
  forLanes(mask, [&](uint32_t l) {
    R old[8], b[8];
    for (uint32_t n = 0; n < count; ++n)
      b[n] = warp.reg<R>(slots[n + (keeps ? count : 0)])[l];
    std::memcpy(old, at[l], i.access);
    for (uint32_t n = 0; n < count; ++n) {
      R fresh = combineRegister<R, Format>(old[n], b[n], static_cast<HalfOp>(i.sub));
      std::memcpy(at[l] + n * sizeof(R), &fresh, sizeof(R));
    }
    for (uint32_t n = 0; n < count && keeps; ++n)
      warp.reg<R>(slots[n])[l] = old[n];
  });
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kAtomicLatency);
  ++warp.block->effects;
  ++warp.block->signals;
  return settled(warp, i);
}

/// An atomic operation on a vector.
struct VectorAtomic {
  size_t count = 0;
  std::string_view op;
  Type type;
  Space space = Space::Generic;
  bool isRed = false, hint = false; // `red`, not `atom`; with a cache hint
};

bool decodeVector(Decoder &d, const Modifiers &mods, const VectorAtomic &atomic, Instr &i) {
  const auto &[count, op, type, space, isRed, hint] = atomic;
  size_t first = isRed ? 0 : 1;
  bool half = type.isF16() || type.isBf16() || type.isF16x2() || type.isBf16x2();
  if (!(half ? op == "add" || op == "min" || op == "max" : type.isF32() && op == "add") || count * type.bits > 128 ||
      (space != Space::Global && space != Space::Generic) || !d.finish(mods, first + 2 + hint))
    return false;
  bool wide = type.bits == 32, isF16 = type.kind == TypeKind::Float;
  i.run = type.isF32() ? &atomicVector<uint32_t, float>
          : wide       ? (isF16 ? &atomicVector<uint32_t, F16Format> : &atomicVector<uint32_t, Bf16Format>)
                       : (isF16 ? &atomicVector<uint16_t, F16Format> : &atomicVector<uint16_t, Bf16Format>);
  i.sub = static_cast<uint8_t>(op == "add" ? HalfOp::Add : op == "min" ? HalfOp::Min : HalfOp::Max);
  i.access = static_cast<uint8_t>(type.bits / 8 * count);
  Instr sources;
  if ((!isRed && !d.destList(d.operand(0), type.bits, i)) || !d.sourceList(d.operand(first + 1), type, sources))
    return false;
  if (sources.listSize != count || (!isRed && i.listSize != count))
    return d.fail("the number of registers does not match the vector size");
  if (isRed)
    i.list = sources.list;
  i.listSize += sources.listSize;
  i.cost = cost::kMemoryIssue * 2;
  i.load = !isRed;
  d.program().communicates = true;
  return d.address(d.operand(first), i, space) && !d.failed();
}

/// Atomics of 128 bits, which use pairs of registers. The list has the pairs of the old value, of the operand and, for
/// cas, of the new value.
template <bool Compares> Step atomicWide(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *at[kLanes];
  if (!resolveLanes(warp, i, mask, i.access, Access::Atomic, at))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  forLanes(mask, [&](uint32_t l) {
    auto valueOf = [&](size_t n) {
      return std::array{warp.reg<uint64_t>(slots[2 * n])[l], warp.reg<uint64_t>(slots[2 * n + 1])[l]};
    };
    std::array<uint64_t, 2> old, operand = valueOf(1);
    std::memcpy(old.data(), at[l], sizeof old);
    if (!Compares)
      std::memcpy(at[l], operand.data(), sizeof operand);
    else if (old == operand)
      std::memcpy(at[l], valueOf(2).data(), sizeof old);
    for (size_t n = 0; n < 2; ++n)
      warp.reg<uint64_t>(slots[n])[l] = old[n];
  });
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kAtomicLatency);
  ++warp.block->effects;
  ++warp.block->signals;
  return settled(warp, i);
}

bool decodeWideAtomic(Decoder &d, const Modifiers &mods, std::string_view op, Space space, bool hint, Instr &i) {
  bool compares = op == "cas";
  if ((op != "exch" && !compares) || !d.finish(mods, (compares ? 4 : 3) + hint))
    return false;
  Operand old = d.operand(0);
  if (old.kind == Operand::Kind::Sink) {
    i.list = static_cast<uint32_t>(d.program().lists.size());
    for (int n = 0; n < 2; ++n)
      d.program().lists.push_back(d.scratch(64));
    i.listSize = 2;
  } else if (!d.addWide(old, true, i)) {
    return false;
  }
  if (!d.addWide(d.operand(2), false, i) || (compares && !d.addWide(d.operand(3), false, i)))
    return false;
  i.access = 16;
  i.cost = cost::kMemoryIssue * 2;
  i.load = true;
  i.run = compares ? &atomicWide<true> : &atomicWide<false>;
  d.program().communicates |= space == Space::Global || space == Space::Generic;
  return d.address(d.operand(1), i, space) && !d.failed();
}

template <bool IsRed> bool decodeAtomic(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool isAsync = mods.has({"async"});
  if (isAsync && (!IsRed || !takeAsyncRelease(d, mods)))
    return false;
  i.acquires = mods.has({"acquire", "acq_rel"});
  if (IsRed && i.acquires) // red reads nothing, so it cannot acquire
    return false;
  i.system = mods.has({"sys"});
  i.narrow = mods.has({"cta", "cluster"});
  i.inBlock = mods.has({"cta"});
  i.releases = !mods.takeOne({"release", "acq_rel"}).empty();
  while (!mods.takeOne({"relaxed", "acquire", "cta", "cluster", "gpu", "sys", "noftz"}).empty())
    ;
  Space space = takeSpace(mods);
  std::string_view op = mods.takeOne({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  bool hint = mods.take("L2::cache_hint");
  std::string_view vector = mods.takeOne({"v2", "v4", "v8"});
  Type type = mods.takeType();
  if (!vector.empty())
    return decodeVector(d, mods, {static_cast<size_t>(vector[1] - '0'), op, type, space, IsRed, hint}, i);
  if (!IsRed && type.bits == 128)
    return decodeWideAtomic(d, mods, op, space, hint, i);
  size_t first = IsRed ? 0 : 1;
  bool isCas = op == "cas";
  if (isAsync && !(type.isInteger() && (type.bits == 32 || (type.bits == 64 && op == "add"))))
    return false;
  i.run = op.empty() ? nullptr : handlerFor(type, op, space);
  if (!i.run || (IsRed && (isCas || op == "exch")) || !d.finish(mods, first + (isCas ? 3 : 2) + hint))
    return false;
  if (!IsRed)
    i.d = d.dest(d.operand(0), type);
  i.b = d.source(d.operand(first + 1), type);
  if (isCas)
    i.c = d.source(d.operand(first + 2), type);
  i.access = type.bits / 8;
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
