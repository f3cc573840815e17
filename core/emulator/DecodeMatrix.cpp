// ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14.5.15-17): 8x8 matrices of 16-bit elements, all that sm_90 has. Exact.
#include "core/emulator/CostModel.h"
#include "core/emulator/Decoder.h"
#include "core/emulator/Lanes.h"
#include "core/emulator/Memory.h"
#include "core/emulator/WarpSync.h"

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
  bool isShared = !mods.takeOne({"shared", "shared::cta"}).empty();
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
  return d.address(d.operand(IsLoad ? 1 : 0), i, isShared ? Space::Shared : Space::Generic);
}

/// Row r's elements 2c and 2c+1 are in lane 4r + c, before and after.
Step transposeMatrix(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  const uint32_t *a = warp.reg<uint32_t>(i.a);
  alignas(32) uint32_t out[kLanes];
  auto element = [&](uint32_t row, uint32_t column) { return a[4 * row + column / 2] >> (16 * (column & 1)) & 0xFFFF; };
  for (uint32_t l = 0; l < kLanes; ++l)
    out[l] = element(2 * (l % 4), l / 4) | element(2 * (l % 4) + 1, l / 4) << 16;
  commit(warp, i.d, out, mask);
  return Step::Next;
}

bool decodeMovmatrix(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("sync") || !mods.take("aligned") || !mods.take("m8n8") || !mods.take("trans") ||
      mods.takeType().name != "b16" || !d.finish(mods, 2))
    return false;
  i.d = d.dest(d.operand(0), 32);
  i.a = d.source(d.operand(1), 32);
  i.cost = cost::kShuffle;
  i.run = &transposeMatrix;
  return !d.failed();
}

} // namespace

const Family &matrixFamily() {
  static const Family family{
      {"ldmatrix", &decodeMatrix<true>}, {"stmatrix", &decodeMatrix<false>}, {"movmatrix", &decodeMovmatrix}};
  return family;
}

} // namespace lanescope::core::emulator
