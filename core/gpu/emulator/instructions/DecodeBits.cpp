// Logic, shifts and bit fields of integers (PTX ISA 9.7.1, 9.7.8). All results are exact.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/Integers.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <bit>

namespace lanescope::core::emulator {

namespace {

constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };

template <auto F> Step predicateBinary(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t a = warp.predicate(i.a), b = warp.predicate(i.b);
  if (i.sub & 1)
    a = ~a;
  if (i.sub & 2)
    b = ~b;
  commitPredicate(warp, i.d, F(a, b), mask);
  return Step::Next;
}

template <auto F> bool decodeLogic(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.kind == TypeKind::Predicate && type.bits == 1) {
    if (!d.finish(mods, 3))
      return false;
    bool na = false, nb = false;
    i.d = d.predicateDest(d.operand(0));
    i.a = d.predicate(d.operand(1), na);
    i.b = d.predicate(d.operand(2), nb);
    i.sub = static_cast<uint8_t>(na | nb << 1);
    i.run = &predicateBinary<F>;
    return !d.failed();
  }
  if (type.kind != TypeKind::Bits || type.bits < 16)
    return false;
  i.run = unsigned2<F>(type.bits);
  return binaryOperands(d, mods, type, i);
}

bool decodeNot(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!d.finish(mods, 2))
    return false;
  if (type.kind == TypeKind::Predicate && type.bits == 1) {
    bool negated = false;
    i.d = d.predicateDest(d.operand(0));
    i.a = d.predicate(d.operand(1), negated);
    i.sub = negated;
    i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
      uint32_t a = warp.predicate(i.a);
      commitPredicate(warp, i.d, i.sub ? a : ~a, mask);
      return Step::Next;
    };
    return !d.failed();
  }
  if (type.kind != TypeKind::Bits || type.bits < 16)
    return false;
  i.run = unary1<[](auto a) { return ~a; }>(type.bits);
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  return !d.failed();
}

bool decodeCnot(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.kind != TypeKind::Bits || type.bits < 16)
    return false;
  i.run = unary1<[](auto a) { return static_cast<decltype(a)>(a == 0); }>(type.bits);
  return unaryOperands(d, mods, type, type.bits, i);
}

// Shift amounts are u32. If the amount is at least the width, the result is 0 (or the sign).
constexpr auto kShl = [](auto a, uint32_t n) {
  using T = decltype(a);
  using W = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  return static_cast<T>(n >= 8 * sizeof(T) ? W(0) : static_cast<W>(a) << (n & (8 * sizeof(W) - 1)));
};
constexpr auto kShr = [](auto a, uint32_t n) {
  using T = decltype(a);
  uint32_t most = 8 * sizeof(T) - 1;
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n > most ? most : n));
  else
    return static_cast<T>(n > most ? T(0) : static_cast<T>(a >> (n & most)));
};
template <auto F, class T> constexpr Handler shift() { return &binary<F, T, T, uint32_t>; }

bool decodeShift(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool left = mods.root() == "shl";
  Type type = mods.takeType();
  if (!type.isInteger() || type.packed || type.bits < 16)
    return false;
  bool sign = type.isSigned();
  if (left)
    i.run = type.bits == 16   ? shift<kShl, uint16_t>()
            : type.bits == 32 ? shift<kShl, uint32_t>()
                              : shift<kShl, uint64_t>();
  else if (sign)
    i.run = type.bits == 16   ? shift<kShr, int16_t>()
            : type.bits == 32 ? shift<kShr, int32_t>()
                              : shift<kShr, int64_t>();
  else
    i.run = type.bits == 16   ? shift<kShr, uint16_t>()
            : type.bits == 32 ? shift<kShr, uint32_t>()
                              : shift<kShr, uint64_t>();
  if (!d.finish(mods, 3))
    return false;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), 32);
  return !d.failed();
}

/// The upper (left) or lower (right) half of [b:a] shifted by c. c is clamped to 32, or taken modulo 32.
template <bool Left, bool Clamp>
constexpr auto kFunnel = [](uint32_t a, uint32_t b, uint32_t c) {
  c = Clamp ? std::min(c, 32u) : c & 31;
  uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  return static_cast<uint32_t>(Left ? (both << c) >> 32 : both >> c);
};
template <bool Left, bool Clamp> constexpr Handler funnel() {
  return &ternary<kFunnel<Left, Clamp>, uint32_t, uint32_t, uint32_t, uint32_t>;
}

bool decodeFunnel(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view side = mods.takeOne({"l", "r"}), mode = mods.takeOne({"wrap", "clamp"});
  Type type = mods.takeType();
  if (side.empty() || mode.empty() || type.bits != 32 || !d.finish(mods, 4))
    return false;
  bool left = side == "l", clamp = mode == "clamp";
  i.run = left ? (clamp ? funnel<true, true>() : funnel<true, false>())
               : (clamp ? funnel<false, true>() : funnel<false, false>());
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return !d.failed();
}

// --- bit counting and fields ---------------------------------------------------------------------------------------

template <auto F> bool decodeCount(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.bits != 32 && type.bits != 64)
    return false;
  i.run = type.bits == 32 ? &unary<F, uint32_t, uint32_t> : &unary<F, uint32_t, uint64_t>;
  return unaryOperands(d, mods, type, 32, i);
}

bool decodeBrev(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.bits != 32 && type.bits != 64)
    return false;
  constexpr auto kReverse = [](auto a) {
    decltype(a) out = 0;
    for (size_t n = 0; n < 8 * sizeof(a); ++n)
      out |= (a >> n & 1) << (8 * sizeof(a) - 1 - n);
    return out;
  };
  i.run = type.bits == 32 ? &unary<kReverse, uint32_t, uint32_t> : &unary<kReverse, uint64_t, uint64_t>;
  return unaryOperands(d, mods, type, type.bits, i);
}

template <class T, bool ShiftAmount>
constexpr auto kFind = [](T a) {
  using U = Unsigned<T>;
  U bits = static_cast<U>(a);
  if (std::is_signed_v<T> && static_cast<std::make_signed_t<T>>(a) < 0)
    bits = ~bits;
  if (bits == 0)
    return kAllLanes;
  auto top = static_cast<uint32_t>(std::bit_width(bits) - 1);
  return ShiftAmount ? static_cast<uint32_t>(8 * sizeof(T) - 1) - top : top;
};

bool decodeBfind(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool shiftAmount = mods.take("shiftamt");
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.bits < 32 || type.packed)
    return false;
  auto pick = [&]<class T>(T) -> Handler {
    return shiftAmount ? &unary<kFind<T, true>, uint32_t, T> : &unary<kFind<T, false>, uint32_t, T>;
  };
  i.run = type.bits == 32 ? (type.isSigned() ? pick(int32_t{}) : pick(uint32_t{}))
                          : (type.isSigned() ? pick(int64_t{}) : pick(uint64_t{}));
  return unaryOperands(d, mods, type, 32, i);
}

template <class T>
constexpr auto kExtract = [](T a, uint32_t position, uint32_t length) {
  using U = Unsigned<T>;
  constexpr uint32_t kTop = 8 * sizeof(T) - 1;
  position &= 0xFF;
  length &= 0xFF;
  U bits = position > kTop ? U(0) : static_cast<U>(a) >> position;
  bool sign = false;
  if constexpr (std::is_signed_v<T>) {
    uint32_t at = position + length - 1 < kTop ? position + length - 1 : kTop;
    sign = length != 0 && (static_cast<U>(a) >> at & 1);
  }
  if (length <= kTop) {
    U keep = (U(1) << length) - 1;
    bits = sign ? bits | ~keep : bits & keep;
  }
  // Bits above the highest bit read as the sign.
  if (sign && position + length - 1 > kTop && position > 0)
    bits |= position > kTop ? ~U(0) : ~(~U(0) >> position);
  return bits;
};
template <class T> constexpr Handler extract() { return &ternary<kExtract<T>, Unsigned<T>, T, uint32_t, uint32_t>; }

bool decodeBfe(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!type.isInteger() || type.kind == TypeKind::Bits || type.bits < 32 || type.packed || !d.finish(mods, 4))
    return false;
  i.run = type.bits == 32 ? (type.isSigned() ? extract<int32_t>() : extract<uint32_t>())
                          : (type.isSigned() ? extract<int64_t>() : extract<uint64_t>());
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return !d.failed();
}

template <class T> Step insertBits(Warp &warp, const Instr &i, uint32_t mask) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const uint32_t *position = warp.reg<uint32_t>(i.c), *length = warp.reg<uint32_t>(i.e);
  constexpr uint32_t kBits = 8 * sizeof(T);
  alignas(32) T out[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    uint32_t p = position[l] & 0xFF, n = length[l] & 0xFF;
    T keep = n >= kBits ? ~T(0) : (T(1) << n) - 1;
    T field = p >= kBits ? T(0) : keep << p;
    out[l] = p >= kBits ? b[l] : (b[l] & ~field) | ((a[l] << p) & field);
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeBfi(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (type.kind != TypeKind::Bits || type.bits < 32 || !d.finish(mods, 5))
    return false;
  i.run = type.bits == 32 ? &insertBits<uint32_t> : &insertBits<uint64_t>;
  i.d = d.dest(d.operand(0), type);
  i.a = d.source(d.operand(1), type);
  i.b = d.source(d.operand(2), type);
  i.c = d.source(d.operand(3), 32);
  i.e = d.source(d.operand(4), 32);
  return !d.failed();
}

enum Lop3Sub : uint8_t { kLop3Bool = 3, kLop3Negated = 4 }; // and 1, or 2, xor 3: the operation with the predicate

Step lop3(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b), *c = warp.reg<uint32_t>(i.c);
  alignas(32) uint32_t out[kLanes] = {};
  for (uint32_t term = 0; term < 8; ++term) {
    if (!(i.imm >> term & 1))
      continue;
    uint32_t na = term & 4 ? 0 : kAllLanes, nb = term & 2 ? 0 : kAllLanes, nc = term & 1 ? 0 : kAllLanes;
    for (int l = 0; l < kLanes; ++l)
      out[l] |= (a[l] ^ na) & (b[l] ^ nb) & (c[l] ^ nc);
  }
  if (i.sub) {
    uint32_t some = 0, q = warp.predicate(i.e);
    for (int l = 0; l < kLanes; ++l)
      some |= static_cast<uint32_t>(out[l] != 0) << l;
    if (i.sub & kLop3Negated)
      q = ~q;
    uint32_t op = i.sub & kLop3Bool;
    commitPredicate(warp, i.d2, op == 1 ? some & q : op == 2 ? some | q : some ^ q, mask);
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

/// lop3.b32 d, a, b, c, lut; lop3.op.b32 d|p, a, b, c, lut, q, where p is (d != 0) op q.
bool decodeLop3(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view op = mods.takeOne({"and", "or", "xor"});
  Type type = mods.takeType();
  if (type.bits != 32 || !d.finish(mods, op.empty() ? 5 : 6))
    return false;
  i.run = &lop3;
  const Operand &to = d.operand(0);
  if (!op.empty()) {
    if (to.kind != Operand::Kind::Pair)
      return d.fail("`lop3` with a predicate writes a pair `d|p`");
    i.d2 = d.predicateDest(to.parts[1]);
    bool negated = false;
    i.e = d.predicate(d.operand(5), negated);
    i.sub = static_cast<uint8_t>((op == "and" ? 1 : op == "or" ? 2 : 3) | (negated ? kLop3Negated : 0));
  }
  i.d = d.dest(op.empty() ? to : to.parts[0], 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return d.immediate(d.operand(4), i.imm) && !d.failed();
}

/// Finds the n-th set bit of a, beginning with bit b. n is c. If n is negative, the search goes downwards. If n is 0,
/// only bit b itself counts. The result is all ones if there is no such bit.
constexpr auto kFindNth = [](uint32_t a, uint32_t b, int32_t n) -> uint32_t {
  if (n == 0)
    return b < 32 && (a >> b & 1) ? b : kAllLanes;
  int64_t left = n < 0 ? -static_cast<int64_t>(n) : n;
  for (int64_t at = b; at >= 0 && at < 32; at += n > 0 ? 1 : -1)
    if ((a >> at & 1) && --left == 0)
      return static_cast<uint32_t>(at);
  return kAllLanes;
};

bool decodeFns(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.takeType().bits != 32 || !d.finish(mods, 4))
    return false;
  i.run = &ternary<kFindNth, uint32_t, uint32_t, uint32_t, int32_t>;
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return !d.failed();
}

/// A mask of b ones that begins at bit a.
template <bool Clamp>
constexpr auto kBitMask = [](uint32_t a, uint32_t b) {
  uint32_t at = a & 31, width = b & 31;
  uint32_t from = Clamp && a >= 32 ? 0 : kAllLanes << at;
  uint32_t beyond = at + width >= 32 || (Clamp && b >= 32) ? 0 : kAllLanes << (at + width);
  return from & ~beyond;
};
/// The lowest b bits of a, zero-extended or sign-extended.
template <bool Clamp, bool Signed>
constexpr auto kExtend = [](uint32_t a, uint32_t b) {
  uint32_t width = b & 31, above = Clamp && b >= 32 ? 0 : kAllLanes << width;
  bool sign = Signed && width != 0 && (a >> (width - 1) & 1);
  return sign ? a | above : a & ~above;
};

bool decodeBmsk(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"clamp", "wrap"});
  Type type = mods.takeType();
  if (mode.empty() || type.kind != TypeKind::Bits || type.bits != 32)
    return false;
  i.run = mode == "clamp" ? &binary<kBitMask<true>, uint32_t, uint32_t, uint32_t>
                          : &binary<kBitMask<false>, uint32_t, uint32_t, uint32_t>;
  return binaryOperands(d, mods, type, i);
}

bool decodeSzext(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"clamp", "wrap"});
  Type type = mods.takeType();
  if (mode.empty() || !type.isInteger() || type.kind == TypeKind::Bits || type.bits != 32 || type.packed)
    return false;
  auto pick = [&]<bool Signed>() -> Handler {
    return mode == "clamp" ? &binary<kExtend<true, Signed>, uint32_t, uint32_t, uint32_t>
                           : &binary<kExtend<false, Signed>, uint32_t, uint32_t, uint32_t>;
  };
  i.run = type.isSigned() ? pick.template operator()<true>() : pick.template operator()<false>();
  return binaryOperands(d, mods, type, i);
}

constexpr auto kPermute = [](uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t out = 0;
  for (int n = 0; n < 4; ++n) {
    uint32_t pick = selector >> (4 * n) & 0xF;
    auto byte = static_cast<uint32_t>(bytes >> (8 * (pick & 7)) & 0xFF);
    if (pick & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    out |= byte << (8 * n);
  }
  return out;
};
// The six modes select by the two low bits of c (PTX ISA 9.7.8.7, table of prmt modes).
constexpr uint32_t kF4e[4] = {0x3210, 0x4321, 0x5432, 0x6543}, kB4e[4] = {0x5670, 0x6701, 0x7012, 0x0123},
                   kRc8[4] = {0x0000, 0x1111, 0x2222, 0x3333}, kEcl[4] = {0x3210, 0x3211, 0x3222, 0x3333},
                   kEcr[4] = {0x0000, 0x1110, 0x2210, 0x3210}, kRc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
template <auto Table> constexpr Handler permuteMode() {
  return &ternary<[](uint32_t a, uint32_t b, uint32_t c) { return kPermute(a, b, (*Table)[c & 3]); }, uint32_t,
                  uint32_t, uint32_t, uint32_t>;
}

bool decodePrmt(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view mode = mods.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  Type type = mods.takeType();
  if (type.bits != 32 || !d.finish(mods, 4))
    return false;
  i.run = mode.empty()    ? &ternary<kPermute, uint32_t, uint32_t, uint32_t, uint32_t>
          : mode == "f4e" ? permuteMode<&kF4e>()
          : mode == "b4e" ? permuteMode<&kB4e>()
          : mode == "rc8" ? permuteMode<&kRc8>()
          : mode == "ecl" ? permuteMode<&kEcl>()
          : mode == "ecr" ? permuteMode<&kEcr>()
                          : permuteMode<&kRc16>();
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.b = d.source(d.operand(2), 32);
  i.c = d.source(d.operand(3), 32);
  return !d.failed();
}

} // namespace

const Family &bitsFamily() {
  static const Family family{
      {"and", &decodeLogic<kAnd>},
      {"or", &decodeLogic<kOr>},
      {"xor", &decodeLogic<kXor>},
      {"not", &decodeNot},
      {"cnot", &decodeCnot},
      {"shl", &decodeShift},
      {"shr", &decodeShift},
      {"shf", &decodeFunnel},
      {"brev", &decodeBrev},
      {"bfind", &decodeBfind},
      {"bfe", &decodeBfe},
      {"bfi", &decodeBfi},
      {"bmsk", &decodeBmsk},
      {"szext", &decodeSzext},
      {"fns", &decodeFns},
      {"lop3", &decodeLop3},
      {"prmt", &decodePrmt},
      {"popc", &decodeCount<[](auto a) { return static_cast<uint32_t>(std::popcount(a)); }>},
      {"clz", &decodeCount<[](auto a) { return static_cast<uint32_t>(std::countl_zero(a)); }>},
  };
  return family;
}

} // namespace lanescope::core::emulator
