// mov with packing and unpacking, special registers, addresses of variables; cvta, isspacep (PTX ISA 9.7.9).
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

template <class T> Step move(Warp &warp, const Instr &i, uint32_t mask) {
  commit(warp, i.d, warp.reg<T>(i.a), mask);
  return Step::Next;
}

Step movePredicate(Warp &warp, const Instr &i, uint32_t mask) {
  uint32_t p = warp.predicate(i.a);
  commitPredicate(warp, i.d, i.sub ? ~p : p, mask);
  return Step::Next;
}

/// Bits: the size of a part. The part's register may be wider.
template <class Whole, class Part, size_t Bits = 8 * sizeof(Part)>
Step unpack(Warp &warp, const Instr &i, uint32_t mask) {
  constexpr int kParts = 8 * sizeof(Whole) / Bits;
  constexpr auto kMask = static_cast<Part>((uint64_t{1} << Bits) - 1);
  alignas(32) Whole whole[kLanes];
  std::memcpy(whole, warp.reg<Whole>(i.a), sizeof whole);
  alignas(32) Part out[kLanes];
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (int part = 0; part < kParts; ++part) {
    for (int l = 0; l < kLanes; ++l)
      out[l] = static_cast<Part>(whole[l] >> (Bits * static_cast<size_t>(part))) & kMask;
    commit(warp, slots[part], out, mask);
  }
  return Step::Next;
}

template <class Whole, class Part, size_t Bits = 8 * sizeof(Part)>
Step pack(Warp &warp, const Instr &i, uint32_t mask) {
  constexpr int kParts = 8 * sizeof(Whole) / Bits;
  constexpr auto kMask = static_cast<Part>((uint64_t{1} << Bits) - 1);
  alignas(32) Whole out[kLanes] = {};
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (int part = 0; part < kParts; ++part) {
    const Part *a = warp.reg<Part>(slots[part]);
    for (int l = 0; l < kLanes; ++l)
      out[l] |= static_cast<Whole>(static_cast<Whole>(a[l] & kMask) << (Bits * static_cast<size_t>(part)));
  }
  commit(warp, i.d, out, mask);
  return Step::Next;
}

/// list: the two slots of the destination, then the two slots of the source.
Step moveWide(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  alignas(32) uint64_t both[2][kLanes]; // the destination may be one of the sources
  for (int part = 0; part < 2; ++part)
    std::memcpy(both[part], warp.reg<uint64_t>(slots[2 + part]), sizeof both[part]);
  for (int part = 0; part < 2; ++part)
    commit(warp, slots[part], both[part], mask);
  return Step::Next;
}

/// list: the four registers, then the two slots of the whole.
template <bool Packs> Step moveFour(Warp &warp, const Instr &i, uint32_t mask) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  alignas(32) uint32_t parts[4][kLanes];
  alignas(32) uint64_t both[2][kLanes];
  if constexpr (Packs) {
    for (int l = 0; l < kLanes; ++l)
      for (int half = 0; half < 2; ++half)
        both[half][l] = warp.reg<uint32_t>(slots[2 * half])[l] |
                        static_cast<uint64_t>(warp.reg<uint32_t>(slots[2 * half + 1])[l]) << 32;
    for (int half = 0; half < 2; ++half)
      commit(warp, slots[4 + half], both[half], mask);
  } else {
    for (int l = 0; l < kLanes; ++l)
      for (int part = 0; part < 4; ++part)
        parts[part][l] = static_cast<uint32_t>(warp.reg<uint64_t>(slots[4 + part / 2])[l] >> (part % 2 * 32));
    for (int part = 0; part < 4; ++part)
      commit(warp, slots[part], parts[part], mask);
  }
  return Step::Next;
}

bool decodeMoveFour(Decoder &d, Instr &i, bool packs) {
  if (packs ? !d.sourceList(d.operand(1), Type{TypeKind::Bits, 32, false, "b"}, i) : !d.destList(d.operand(0), 32, i))
    return false;
  i.run = packs ? &moveFour<true> : &moveFour<false>;
  return d.addWide(d.operand(packs ? 0 : 1), packs, i);
}

bool decodeMov(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Type type = mods.takeType();
  if (!d.finish(mods, 2))
    return false;
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (type.kind == TypeKind::Predicate && type.bits == 1) {
    bool negated = false;
    i.d = d.predicateDest(to);
    i.a = d.predicate(from, negated);
    i.sub = negated;
    i.run = &movePredicate;
    return !d.failed();
  }
  if (type.bits == 128) {
    auto isFour = [](const Operand &one) { return one.kind == Operand::Kind::Vector && one.parts.size() == 4; };
    if (isFour(to) != isFour(from))
      return decodeMoveFour(d, i, isFour(from));
    i.run = &moveWide;
    return d.addWide(to, true, i) && d.addWide(from, false, i);
  }
  if (type.bits < 16)
    return false;
  bool unpacking = to.kind == Operand::Kind::Vector, packing = from.kind == Operand::Kind::Vector;
  if ((unpacking || packing) && type.kind != TypeKind::Bits)
    return d.fail(Message("`{instruction}` cannot take registers apart or put them together; `mov.b{}` does",
                          d.current().opcode, int{type.bits}));
  if (unpacking && std::ranges::all_of(to.parts, [](const Operand &part) { return part.kind == Operand::Kind::Sink; }))
    return d.fail("`mov` writes nothing here: each destination is `_`");
  if (unpacking || packing) {
    size_t parts = unpacking ? to.parts.size() : from.parts.size();
    if (parts == 0 || (unpacking && packing) || type.bits % parts != 0 || type.bits / parts < 8 || parts == 1 ||
        (type.bits == 64 && parts == 8))
      return d.fail("`mov` packs two or four registers of at least 8 bits");
    auto width = static_cast<uint8_t>(type.bits / parts);
    if (width == 8) { // 8-bit registers have 16 bits here
      if (unpacking) {
        for (const Operand &part : to.parts)
          if (part.kind == Operand::Kind::Name && !d.isByteRegister(part))
            return d.fail(Message("`{name}` takes 8 bits here, so it must be declared `.b8`", part.name));
        i.a = d.source(from, type);
        d.destList(to, 16, i);
        i.run = type.bits == 32 ? &unpack<uint32_t, uint16_t, 8> : &unpack<uint16_t, uint16_t, 8>;
      } else {
        i.d = d.dest(to, type);
        d.sourceList(from, Type{TypeKind::Bits, 16, false, "b"}, i);
        i.run = type.bits == 32 ? &pack<uint32_t, uint16_t, 8> : &pack<uint16_t, uint16_t, 8>;
      }
      return !d.failed();
    }
    if (unpacking) {
      i.a = d.source(from, type);
      d.destList(to, width, i);
      i.run = type.bits == 32 ? &unpack<uint32_t, uint16_t>
              : width == 32   ? &unpack<uint64_t, uint32_t>
                              : &unpack<uint64_t, uint16_t>;
    } else {
      i.d = d.dest(to, type);
      d.sourceList(from, Type{TypeKind::Bits, width, false, "b"}, i);
      i.run = type.bits == 32 ? &pack<uint32_t, uint16_t>
              : width == 32   ? &pack<uint64_t, uint32_t>
                              : &pack<uint64_t, uint16_t>;
    }
    return !d.failed();
  }
  i.d = d.dest(to, type);
  i.a = d.source(from, type);
  i.run = type.bits == 16 ? &move<uint16_t> : type.bits == 32 ? &move<uint32_t> : &move<uint64_t>;
  return !d.failed();
}

constexpr uint64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster: return kSharedWindow;
  case Space::Local: return kLocalWindow;
  case Space::Param: return kParamWindow;
  default: return 0; // global and constant addresses are already generic
  }
}

bool decodeCvta(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  bool to = mods.take("to");
  Space space = takeSpace(mods);
  Type type = mods.takeType();
  if (space == Space::Generic || type.bits != 64 || !d.finish(mods, 2))
    return false;
  i.d = d.dest(d.operand(0), 64);
  i.a = d.source(d.operand(1), type);
  i.imm = to ? 0 - windowOf(space) : windowOf(space);
  i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
    const uint64_t *a = warp.reg<uint64_t>(i.a);
    alignas(32) uint64_t out[kLanes];
    for (int l = 0; l < kLanes; ++l)
      out[l] = a[l] + i.imm;
    commit(warp, i.d, out, mask);
    return Step::Next;
  };
  return !d.failed();
}

bool decodeIsspacep(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  Space space = takeSpace(mods);
  if (space == Space::Generic || !d.finish(mods, 2))
    return false;
  i.d = d.predicateDest(d.operand(0));
  i.a = d.source(d.operand(1), 64);
  i.imm = windowOf(space) >> 56;
  i.sub = space == Space::Shared; // only the executing block's part of the window
  i.run = [](Warp &warp, const Instr &i, uint32_t mask) {
    const uint64_t *a = warp.reg<uint64_t>(i.a);
    alignas(32) uint8_t flags[kLanes];
    uint64_t own = warp.block->clusterRank + kRankBias;
    for (int l = 0; l < kLanes; ++l) {
      uint64_t rank = a[l] >> kRankShift & ((1ull << (56 - kRankShift)) - 1);
      flags[l] = (a[l] >> 56) == i.imm && (!i.sub || rank == 0 || rank == own);
    }
    commitPredicate(warp, i.d, packBits(flags), mask);
    return Step::Next;
  };
  return !d.failed();
}

} // namespace

const Family &moveFamily() {
  static const Family family{{"mov", &decodeMov}, {"cvta", &decodeCvta}, {"isspacep", &decodeIsspacep}};
  return family;
}

} // namespace lanescope::core::emulator
