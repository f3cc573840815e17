// ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14.5.15-17): 8x8 matrices of 16-bit elements in all forms of sm_90, and
// sm_100's forms for 8-bit elements and for elements of 4 and 6 bits that are widened to bytes. All results are exact.
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/memory/Memory.h"
#include "core/gpu/emulator/sync/WarpSync.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

/// Gets the 16-byte rows whose addresses are in the first 8*count lanes. Returns false after a fault.
bool matrixRows(Warp &warp, const Instr &i, uint32_t mask, Access access, std::byte **rows) {
  if (!wholeWarp(warp, i, mask))
    return false;
  uint32_t lanes = i.listSize == 4 ? kAllLanes : (1u << (8 * i.listSize)) - 1;
  return resolveLanes(warp, i, lanes, 16, access, rows);
}

/// Transposes 8 x 8 elements of 16 bits in the order in which registers hold them: lane l has elements 2l and 2l + 1 of
/// the matrix, row by row.
void transpose(uint32_t *matrix) {
#if defined(__SSE2__)
  __m128i rows[8], next[8];
  for (int r = 0; r < 8; ++r)
    rows[r] = _mm_load_si128(reinterpret_cast<const __m128i *>(matrix + 4 * r));
  for (int step = 0; step < 3; ++step) { // three perfect shuffles of all 64 elements swap the halves of their indices
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
    alignas(32) uint32_t room[kLanes];
    uint32_t *matrix = mask == kAllLanes && !Transposed ? warp.reg<uint32_t>(slots[n]) : room;
    for (uint32_t r = 0; r < 8; ++r)
      std::memcpy(matrix + 4 * r, rows[8 * n + r], 16);
    if (Transposed)
      transpose(matrix);
    if (matrix == room)
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
    alignas(32) uint32_t room[kLanes];
    const uint32_t *matrix = warp.reg<uint32_t>(slots[n]);
    if (Transposed) {
      std::memcpy(room, matrix, sizeof room);
      transpose(room);
      matrix = room;
    }
    for (uint32_t r = 0; r < 8; ++r)
      std::memcpy(rows[8 * n + r], matrix + 4 * r, 16);
  }
  ++warp.block->effects;
  return settled(warp, i);
}

/// Widens sixteen elements of `kBits` bits (padded to 16 bytes) to one byte each. The value is in the low bits.
template <int kBits> void widenRow(const std::byte *row, uint8_t *out) {
  if (kBits == 8) {
    std::memcpy(out, row, 16);
    return;
  }
  for (uint32_t n = 0; n < 16; ++n) {
    uint32_t at = n * kBits;
    auto pair = static_cast<uint32_t>(row[at / 8]) | static_cast<uint32_t>(row[at / 8 + 1]) << 8;
    out[n] = static_cast<uint8_t>(pair >> at % 8 & ((1u << kBits) - 1));
  }
}

/// `.m8n16`: lane l has four elements of row l / 4. `.m16n16.trans`: lane l has the elements of four rows in column l /
/// 4. A second register has those in column l / 4 + 8.
template <int kBits, bool Transposed> Step loadBytes(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *rows[kLanes];
  if (!matrixRows(warp, i, mask, Access::Read, rows))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  uint32_t registers[4][kLanes];
  for (uint32_t first = 0; first < i.listSize; first += Transposed ? 2 : 1) {
    uint8_t bytes[16][16];
    for (uint32_t r = 0; r < (Transposed ? 16 : 8); ++r)
      widenRow<kBits>(rows[8 * first + r], bytes[r]);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint32_t four = lane % 4 * 4, line = lane / 4;
      for (uint32_t half = 0; half < (Transposed ? 2 : 1); ++half) {
        uint32_t word = 0;
        for (uint32_t b = 0; b < 4; ++b)
          word |= static_cast<uint32_t>(Transposed ? bytes[four + b][line + 8 * half] : bytes[line][four + b]) << 8 * b;
        registers[first + half][lane] = word;
      }
    }
  }
  for (uint32_t n = 0; n < i.listSize; ++n)
    commit(warp, slots[n], registers[n], mask);
  warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kSharedLatency);
  return Step::Next;
}

/// `.m16n8.trans`: lane l has elements 2 (l % 4) and 2 (l % 4) + 1 of rows l / 4 and l / 4 + 8. Rows are stored as
/// columns.
Step storeBytes(Warp &warp, const Instr &i, uint32_t mask) {
  std::byte *rows[kLanes];
  if (!matrixRows(warp, i, mask, Access::Write, rows))
    return Step::Fault;
  const uint32_t *slots = warp.block->grid->program->lists.data() + i.list;
  for (uint32_t n = 0; n < i.listSize; ++n) {
    const auto *registers = warp.reg<uint32_t>(slots[n]);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      for (uint32_t b = 0; b < 4; ++b)
        rows[8 * n + lane % 4 * 2 + b % 2][lane / 4 + b / 2 * 8] = static_cast<std::byte>(registers[lane] >> 8 * b);
  }
  ++warp.block->effects;
  return settled(warp, i);
}

/// The handlers of the forms for bytes; null if there is none for the modifiers.
template <bool IsLoad> Handler bytesForm(Modifiers &mods, std::string_view shape, bool transposed) {
  if (!IsLoad)
    return shape == "m16n8" && transposed && mods.take("b8") ? &storeBytes : nullptr;
  bool wide = shape == "m16n16";
  if (wide != transposed || shape == "m16n8")
    return nullptr;
  if (wide && mods.take("b8"))
    return &loadBytes<8, true>;
  if (!mods.take("b8x16"))
    return nullptr;
  if (mods.take("b6x16_p32"))
    return wide ? &loadBytes<6, true> : &loadBytes<6, false>;
  if (mods.take("b4x16_p64"))
    return wide ? &loadBytes<4, true> : &loadBytes<4, false>;
  return nullptr;
}

template <bool IsLoad> bool decodeMatrix(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (!mods.take("sync") || !mods.take("aligned"))
    return false;
  std::string_view shape = mods.takeOne({"m8n8", "m8n16", "m16n16", "m16n8"});
  std::string_view number = mods.takeOne({"x1", "x2", "x4"});
  bool transposed = mods.take("trans");
  bool isShared = !mods.takeOne({"shared", "shared::cta"}).empty();
  if (shape.empty() || number.empty())
    return false;
  // The type of the registers comes before that of memory.
  const std::string_view opcode = d.current().opcode;
  if (opcode.find("b8x16") > std::min(opcode.find("b6x16_p32"), opcode.find("b4x16_p64")))
    return false;
  if (shape != "m8n8") {
    i.run = bytesForm<IsLoad>(mods, shape, transposed);
    if (!i.run)
      return false;
  } else {
    if (mods.takeType().name != "b16")
      return false;
    i.run = IsLoad ? (transposed ? &loadMatrix<true> : &loadMatrix<false>)
                   : (transposed ? &storeMatrix<true> : &storeMatrix<false>);
  }
  if (!d.finish(mods, 2))
    return false;
  if (IsLoad)
    d.destList(d.operand(0), 32, i);
  else
    d.sourceList(d.operand(1), Type{}, i);
  if (d.failed())
    return false;
  auto matrices = static_cast<uint32_t>(number[1] - '0');
  if (shape == "m16n16" && matrices == 4)
    return false;
  if (i.listSize != (shape == "m16n16" ? 2 * matrices : matrices))
    return d.fail("the number of registers does not match the number of matrices");
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
