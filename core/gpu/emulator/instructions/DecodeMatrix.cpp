// ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14.5.15-17): 8x8 matrices of 16-bit elements, all that sm_90 has. Exact.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/WarpSync.h"

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

/// 8 x 8 elements of 16 bits, row by row, as registers hold them: lane l has elements 2l and 2l + 1.
void transpose(uint32_t *matrix) {
#if defined(__SSE2__)
  __m128i rows[8], next[8];
  for (int r = 0; r < 8; ++r)
    rows[r] = _mm_load_si128(reinterpret_cast<const __m128i *>(matrix + 4 * r));
  for (int step = 0; step < 3;
       ++step) { // a perfect shuffle of all 64 elements, three times, swaps their indices' halves
    for (int r = 0; r < 4; ++r) {
      next[2 * r] = _mm_unpacklo_epi16(rows[r], rows[r + 4]);
      next[2 * r + 1] = _mm_unpackhi_epi16(rows[r], rows[r + 4]);
    }
    std::copy_n(next, 8, rows);
  }
  for (int r = 0; r < 8; ++r)
    _mm_store_si128(reinterpret_cast<__m128i *>(matrix + 4 * r), rows[r]);
#else
  uint16_t in[64], out[64];
  std::memcpy(in, matrix, sizeof in);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      out[8 * r + c] = in[8 * c + r];
  std::memcpy(matrix, out, sizeof out);
#endif
}

template <bool Transposed> Step loadMatrix(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *rows[kLanes];
  if (!matrixRows(warp, i, mask, Access::Read, rows))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (uint32_t n = 0; n < i.listSize; ++n) {
    alignas(32) uint32_t matrix[kLanes];
    for (uint32_t r = 0; r < 8; ++r)
      std::memcpy(matrix + 4 * r, rows[8 * n + r], 16);
    if (Transposed)
      transpose(matrix);
    commit(warp, slots[n], matrix, mask);
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
    alignas(32) uint32_t matrix[kLanes];
    std::memcpy(matrix, warp.reg<uint32_t>(slots[n]), sizeof matrix);
    if (Transposed)
      transpose(matrix);
    for (uint32_t r = 0; r < 8; ++r)
      std::memcpy(rows[8 * n + r], matrix + 4 * r, 16);
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

Step transposeMatrix(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  alignas(32) uint32_t out[kLanes];
  std::memcpy(out, warp.reg<uint32_t>(i.a), sizeof out);
  transpose(out);
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
