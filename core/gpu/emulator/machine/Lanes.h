// Makes handlers from lane functions. `binary<[](auto a, auto b) { return a + b; }, uint32_t, uint32_t, uint32_t>` is a
// Handler that adds 32 lanes. A handler computes the results of all lanes, which lets the compiler vectorise it. If all
// lanes are active, the results go directly into the register. Otherwise they go into an array, from which the active
// lanes are copied. Lane functions must therefore accept any input (no division by zero).
#pragma once

#include "core/gpu/emulator/machine/Warp.h"

#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lanescope::core::emulator {

inline constexpr int kLanes = 32;

/// Put this before a loop over lanes that writes a register. The rows of two registers are either the same or disjoint,
/// so lanes do not depend on each other and the loop vectorises.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // lane functions that call others stay as they are
#define LANESCOPE_OVER_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANESCOPE_OVER_LANES _Pragma("GCC ivdep")
#endif

/// An element in memory that need not be aligned.
template <class T> struct __attribute__((packed, may_alias)) Unaligned {
  T value;
};

template <class D> inline void commit(Warp &warp, uint32_t slot, const D *out, uint32_t mask) {
  D *d = warp.reg<D>(slot);
  if (mask == kAllLanes) [[likely]] {
    std::memcpy(d, out, sizeof(D) * kLanes);
  } else {
    for (int l = 0; l < kLanes; ++l)
      if (mask >> l & 1)
        d[l] = out[l];
  }
}

inline void commitPredicate(Warp &warp, uint32_t slot, uint32_t bits, uint32_t mask) {
  uint32_t &p = warp.predicate(slot);
  p = (p & ~mask) | (bits & mask);
}

/// Packs 32 bytes of 0 or 1 into a lane mask.
inline uint32_t packBits(const uint8_t *flags) {
#if defined(__SSE2__)
  __m128i zero = _mm_setzero_si128();
  __m128i low = _mm_load_si128(reinterpret_cast<const __m128i *>(flags));
  __m128i high = _mm_load_si128(reinterpret_cast<const __m128i *>(flags + 16));
  uint32_t lowZero = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(low, zero)));
  uint32_t highZero = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(high, zero)));
  return ~(lowZero | highZero << 16);
#else
  uint32_t bits = 0;
  for (int l = 0; l < kLanes; ++l)
    bits |= static_cast<uint32_t>(flags[l] != 0) << l;
  return bits;
#endif
}

template <auto F, class D, class A> Step unary(Warp &warp, const Instr &i, uint32_t mask) {
  const A *a = warp.reg<A>(i.a);
  alignas(32) D room[kLanes];
  D *out = mask == kAllLanes ? warp.reg<D>(i.d) : room;
  LANESCOPE_OVER_LANES
  for (int l = 0; l < kLanes; ++l)
    out[l] = static_cast<D>(F(a[l]));
  if (mask != kAllLanes)
    commit(warp, i.d, out, mask);
  return Step::Next;
}

template <auto F, class D, class A, class B> Step binary(Warp &warp, const Instr &i, uint32_t mask) {
  const A *a = warp.reg<A>(i.a);
  const B *b = warp.reg<B>(i.b);
  alignas(32) D room[kLanes];
  D *out = mask == kAllLanes ? warp.reg<D>(i.d) : room;
  LANESCOPE_OVER_LANES
  for (int l = 0; l < kLanes; ++l)
    out[l] = static_cast<D>(F(a[l], b[l]));
  if (mask != kAllLanes)
    commit(warp, i.d, out, mask);
  return Step::Next;
}

template <auto F, class D, class A, class B, class C> Step ternary(Warp &warp, const Instr &i, uint32_t mask) {
  const A *a = warp.reg<A>(i.a);
  const B *b = warp.reg<B>(i.b);
  const C *c = warp.reg<C>(i.c);
  alignas(32) D room[kLanes];
  D *out = mask == kAllLanes ? warp.reg<D>(i.d) : room;
  LANESCOPE_OVER_LANES
  for (int l = 0; l < kLanes; ++l)
    out[l] = static_cast<D>(F(a[l], b[l], c[l]));
  if (mask != kAllLanes)
    commit(warp, i.d, out, mask);
  return Step::Next;
}

/// Calls `visit` with each lane of the mask, lowest first.
template <class F> inline void forLanes(uint32_t mask, F visit) {
  while (mask) {
    visit(static_cast<uint32_t>(__builtin_ctz(mask)));
    mask &= mask - 1;
  }
}

/// The addresses of all lanes, for an instruction with an address operand.
inline void addressesOf(Warp &warp, const Instr &i, uint64_t *out) {
  if (i.a == kNone) {
    for (int l = 0; l < kLanes; ++l)
      out[l] = i.imm;
  } else if (i.wideAddress) {
    const uint64_t *base = warp.reg<uint64_t>(i.a);
    for (int l = 0; l < kLanes; ++l)
      out[l] = base[l] + i.imm;
  } else {
    const uint32_t *base = warp.reg<uint32_t>(i.a);
    for (int l = 0; l < kLanes; ++l)
      out[l] = static_cast<uint32_t>(base[l] + static_cast<uint32_t>(i.imm));
  }
}

/// The value in one lane of an address operand, for instructions that have several.
inline uint64_t addressIn(Warp &warp, const AddressRef &ref, uint32_t lane) {
  if (ref.slot == kNone)
    return ref.offset;
  if (ref.wide)
    return warp.reg<uint64_t>(ref.slot)[lane] + ref.offset;
  return static_cast<uint32_t>(warp.reg<uint32_t>(ref.slot)[lane] + static_cast<uint32_t>(ref.offset));
}

} // namespace lanescope::core::emulator
