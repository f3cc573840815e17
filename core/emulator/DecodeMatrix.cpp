// ldmatrix, stmatrix (PTX ISA 9.7.14.5) and the decoding of wgmma (9.7.15), whose arithmetic is in Wgmma.cpp.
#include "core/emulator/CostModel.h"
#include "core/emulator/Decoder.h"
#include "core/emulator/Lanes.h"
#include "core/emulator/Memory.h"
#include "core/emulator/WarpSync.h"
#include "core/emulator/Wgmma.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

/// The 16-byte rows that the first 8*count lanes point at; false after a fault.
bool matrixRows(Warp &warp, const Instr &i, uint32_t mask, Access access, std::byte **rows) {
  if (!wholeWarp(warp, i, mask))
    return false;
  uint32_t lanes = i.listSize == 4 ? kAllLanes : (1u << (8 * i.listSize)) - 1;
  return resolveLanes(warp, i, lanes, 16, access, rows);
}

template <bool Transposed> Step loadMatrix(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *rows[kLanes];
  if (!matrixRows(warp, i, mask, Access::Read, rows))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (uint32_t n = 0; n < i.listSize; ++n) {
    alignas(32) uint32_t out[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (!Transposed) {
        std::memcpy(&out[l], rows[8 * n + l / 4] + 4 * (l % 4), 4);
      } else {
        uint16_t low, high;
        std::memcpy(&low, rows[8 * n + 2 * (l % 4)] + 2 * (l / 4), 2);
        std::memcpy(&high, rows[8 * n + 2 * (l % 4) + 1] + 2 * (l / 4), 2);
        out[l] = low | static_cast<uint32_t>(high) << 16;
      }
    }
    commit(warp, slots[n], out, mask);
  }
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kSharedLatency);
  return Step::Next;
}

template <bool Transposed> Step storeMatrix(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *rows[kLanes];
  if (!matrixRows(warp, i, mask, Access::Write, rows))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (uint32_t n = 0; n < i.listSize; ++n) {
    const uint32_t *a = warp.reg<uint32_t>(slots[n]);
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (!Transposed) {
        std::memcpy(rows[8 * n + l / 4] + 4 * (l % 4), &a[l], 4);
      } else {
        auto low = static_cast<uint16_t>(a[l]), high = static_cast<uint16_t>(a[l] >> 16);
        std::memcpy(rows[8 * n + 2 * (l % 4)] + 2 * (l / 4), &low, 2);
        std::memcpy(rows[8 * n + 2 * (l % 4) + 1] + 2 * (l / 4), &high, 2);
      }
    }
  }
  ++warp.block->effects;
  return Step::Next;
}

template <bool IsLoad> bool decodeMatrix(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("sync") || !mods.take("aligned") || !mods.take("m8n8"))
    return false;
  std::string_view number = mods.takeOne({"x1", "x2", "x4"});
  bool transposed = mods.take("trans");
  mods.takeOne({"shared", "shared::cta"});
  if (number.empty() || mods.takeType().name != "b16" || !d.finish(mods, 2))
    return false;
  if (IsLoad)
    d.destList(d.operand(0), 32, i);
  else
    d.sourceList(d.operand(1), Type{}, i);
  if (d.failed())
    return false;
  if (i.listSize != static_cast<uint32_t>(number[1] - '0'))
    return d.fail("the number of registers does not match the number of matrices");
  i.run = IsLoad ? (transposed ? &loadMatrix<true> : &loadMatrix<false>)
                 : (transposed ? &storeMatrix<true> : &storeMatrix<false>);
  i.load = IsLoad;
  i.cost = cost::kMemoryIssue;
  return d.address(d.operand(IsLoad ? 1 : 0), i, Space::Shared);
}

bool decodeWgmma(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (mods.take("fence")) {
    i.run = [](Warp &, const Instr &, uint32_t) { return Step::Next; };
    return mods.take("sync") && mods.take("aligned") && d.finish(mods, 0);
  }
  if (mods.take("commit_group")) {
    i.run = &commitWgmma;
    return mods.take("sync") && mods.take("aligned") && d.finish(mods, 0);
  }
  if (mods.take("wait_group")) {
    i.run = &waitWgmma;
    return mods.take("sync") && mods.take("aligned") && d.finish(mods, 1) && d.immediate(d.operand(0), i.imm);
  }
  if (!mods.take("mma_async") || !mods.take("sync") || !mods.take("aligned"))
    return false;
  uint32_t columns = 0;
  std::string shape;
  for (uint32_t n = 8; n <= 256 && columns == 0; n += 8)
    if (mods.take(shape = text("m64n", n, "k16")))
      columns = n;
  Type result = mods.takeType(), a = mods.takeType(), b = mods.takeType();
  bool half = a.isF16() && b.isF16(), brain = a.isBf16() && b.isBf16();
  if (columns == 0 || !(half || brain) || !(result.isF32() || (result.isF16() && half)))
    return false;
  bool aInRegisters = d.operandCount() > 1 && d.operand(1).kind == Operand::Kind::Vector;
  if (!d.finish(mods, aInRegisters ? 7 : 8))
    return false;
  // The list: the accumulator's registers, then A's.
  uint32_t registers = result.isF32() ? columns / 2 : columns / 4;
  if (!d.destList(d.operand(0), 32, i))
    return false;
  if (i.listSize != registers)
    return d.fail(text("the accumulator has ", i.listSize, " registers; this shape needs ", registers));
  WgmmaVariant variant;
  variant.columns = static_cast<uint16_t>(columns);
  variant.bf16 = brain;
  variant.halfResult = result.isF16();
  variant.aInRegisters = aInRegisters;
  if (aInRegisters) {
    Instr more;
    if (!d.sourceList(d.operand(1), Type{}, more))
      return false;
    if (more.listSize != 4)
      return d.fail("A takes four registers");
    i.listSize += more.listSize;
  } else {
    i.a = d.source(d.operand(1), 64);
  }
  i.b = d.source(d.operand(2), 64);
  bool negated = false;
  i.c = d.predicate(d.operand(3), negated);
  uint64_t scaleA = 0, scaleB = 0, transA = 0, transB = 0;
  if (!d.immediate(d.operand(4), scaleA) || !d.immediate(d.operand(5), scaleB) ||
      (!aInRegisters && !d.immediate(d.operand(6), transA)) || !d.immediate(d.operand(aInRegisters ? 6 : 7), transB))
    return false;
  variant.negateA = scaleA != 1;
  variant.negateB = scaleB != 1;
  variant.transposeA = transA != 0;
  variant.transposeB = transB != 0;
  i.imm = variant.pack();
  i.cost = static_cast<uint16_t>(cost::kAsyncIssue);
  i.run = &issueWgmma;
  d.approximate();
  return !negated && !d.failed();
}

} // namespace

const Family &matrixFamily() {
  static const Family family{
      {"ldmatrix", &decodeMatrix<true>}, {"stmatrix", &decodeMatrix<false>}, {"wgmma", &decodeWgmma}};
  return family;
}

} // namespace lanescope::core::emulator
