#include "core/gpu/emulator/async/WgmmaProduct.h"

#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/HalfArrays.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kTile = 8; // a tile of 8 x 8 sums is a register or two of the whole warp

/// f32 accumulators: lane 4r + c of two registers holds columns 2c and 2c + 1 of the tile's row r.
void readTile(const float *even, const float *odd, float *sums) {
  for (uint32_t n = 0; n < kLanes; ++n) {
    sums[2 * n] = even[n];
    sums[2 * n + 1] = odd[n];
  }
}
void writeTile(const float *sums, float *even, float *odd) {
  for (uint32_t n = 0; n < kLanes; ++n) {
    even[n] = sums[2 * n];
    odd[n] = sums[2 * n + 1];
  }
}

/// The rows of a sparse A with their zeros, in `to`.
template <class T> const T *spread(const WgmmaVariant &v, const uint8_t *positions, const T *stored, T *to) {
  std::fill_n(to, kTensorRows * v.depth(), T{});
  for (uint32_t row = 0; row < kTensorRows; ++row)
    for (uint32_t n = 0; n < v.stored(); ++n)
      to[row * v.depth() + positions[row * v.stored() + n]] = stored[row * v.stored() + n];
  return to;
}

/// f16 accumulators: both columns are in one register, the even one below.
void addFloats(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &b) {
  float left[kTensorRows * kMaxDepth], zeros[kTensorRows * kTensorDepth];
  uint32_t depth = v.depth();
  bool half = v.result == MatrixResult::F16;
  widen(v.a, rows, kTensorRows * v.stored(), left);
  if (v.negateA != v.negateB)
    for (uint32_t n = 0; n < kTensorRows * v.stored(); ++n)
      left[n] = -left[n];
  const float *given = v.sparse ? spread(v, b.positions, left, zeros) : left;
  TensorRows prepared(v.a, given, depth);
  TensorSum rule = TensorSum::ofWgmma(v.a, half);
  const uint32_t *slots = warp.block->grid->program->lists.data() + op.instr->list;
  for (uint32_t tile = 0; tile < v.columns / kTile * 2; ++tile) {
    float sums[kTile * kTile] = {};
    // The registers of a tile lie one after another: even and odd columns of rows 0 to 7, then of rows 8 to 15.
    if (half) {
      auto *words = reinterpret_cast<uint16_t *>(warp.reg<uint32_t>(slots[tile]));
      if (op.accumulate)
        widenF16(words, sums, kTile * kTile);
      sumTile(rule, prepared, tile % 2, b.prepared[tile / 2], 0, depth, sums);
      narrowF16(sums, words, kTile * kTile);
    } else {
      auto *even = warp.reg<float>(slots[tile * 2]), *odd = warp.reg<float>(slots[tile * 2 + 1]);
      if (op.accumulate)
        readTile(even, odd, sums);
      sumTile(rule, prepared, tile % 2, b.prepared[tile / 2], 0, depth, sums);
      writeTile(sums, even, odd);
    }
  }
}

void addIntegers(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &columns) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + op.instr->list;
  int32_t left[16 * kMaxDepth], zeros[16 * kTensorDepth], b[kTensorDepth];
  const int32_t *a = left;
  uint32_t depth = v.depth();
  if (v.a != MatrixType::B1)
    widen(v.a, rows, 16 * v.stored(), left);
  if (v.sparse)
    a = spread(v, columns.positions, left, zeros);
  for (uint32_t c = 0; c < v.columns; ++c) {
    const uint8_t *right = columns.bytes + c * v.columnBytes();
    if (v.a != MatrixType::B1)
      widen(v.b, right, depth, b);
    for (uint32_t row = 0; row < 16; ++row) {
      int64_t sum = 0;
      if (v.a == MatrixType::B1) {
        for (uint32_t k = 0; k < kRowBytes; ++k)
          sum += __builtin_popcount(rows[row * kRowBytes + k] & right[k]);
      } else {
        int32_t part = 0;
        for (uint32_t k = 0; k < depth; ++k)
          part += a[row * depth + k] * b[k];
        sum = part;
      }
      int32_t &value = warp.reg<int32_t>(slots[c / 8 * 4 + row / 8 * 2 + (c & 1)])[row % 8 * 4 + c % 8 / 2];
      if (op.accumulate)
        sum += value;
      value = static_cast<int32_t>(v.saturate ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    }
  }
}

/// Elements along K are 16 bits, as in all types whose lines may run along M or N: chunks of 8 columns, k by k.
void readChunks(const Block &block, SharedMatrix matrix, uint32_t first, uint32_t count, uint32_t depth, uint8_t *out) {
  const std::byte *shared = block.shared.data();
  for (uint32_t mn = 0; mn < count; mn += 8)
    for (uint32_t k = 0; k < depth; ++k, out += 16)
      std::memcpy(out, shared + (matrix.address((first + mn) * 2, k) - kSharedBase), 16);
}

/// Columns that were widened before.
struct Widened {
  uint32_t bytes = 0; // 0: none
  MatrixType type = MatrixType::F16;
  bool inChunks = false;
  uint32_t depth = 0;
  uint8_t raw[kMaxColumns * kMaxColumnBytes];
  float wide[kMaxColumns * kTensorDepth];
  TensorColumns prepared[kMaxColumns / kTile];
};
constexpr size_t kMostWidened = 8; // a warp often issues as many in a row

} // namespace

void readRows(const Block &block, SharedMatrix matrix, uint32_t first, uint32_t count, uint8_t *out, uint32_t bytes) {
  if (!matrix.mnMajor) {
    const std::byte *shared = block.shared.data();
    for (uint32_t mn = 0; mn < count; ++mn)
      for (uint32_t at = 0; at < bytes; at += 16)
        std::memcpy(out + mn * bytes + at, shared + (matrix.address(at, first + mn) - kSharedBase), 16);
    return;
  }
  uint8_t chunks[kMaxColumns * kRowBytes];
  readChunks(block, matrix, first, count, 16, chunks);
  for (uint32_t mn = 0; mn < count; ++mn)
    for (uint32_t k = 0; k < 16; ++k)
      std::memcpy(out + mn * kRowBytes + k * 2, chunks + (mn / 8 * 16 + k) * 16 + mn % 8 * 2, 2);
}

Columns readColumns(const Block &block, const SharedMatrix &matrix, const WgmmaVariant &v) {
  alignas(32) static thread_local uint8_t raw[kMaxColumns * kMaxColumnBytes];
  if (v.result == MatrixResult::S32) {
    readRows(block, matrix, 0, v.columns, raw, v.columnBytes());
    return {raw, nullptr};
  }
  if (matrix.mnMajor)
    readChunks(block, matrix, 0, v.columns, v.depth(), raw);
  else
    readRows(block, matrix, 0, v.columns, raw, v.columnBytes());
  static thread_local std::vector<Widened> known(kMostWidened);
  uint32_t bytes = v.columns * v.columnBytes(), depth = v.depth();
  Widened &found = known[(matrix.start >> 5 ^ matrix.start >> 8) % kMostWidened];
  if (found.bytes == bytes && found.type == v.b && found.inChunks == matrix.mnMajor && found.depth == depth &&
      std::memcmp(found.raw, raw, bytes) == 0)
    return {raw, found.prepared};
  found.bytes = bytes;
  found.type = v.b;
  found.inChunks = matrix.mnMajor;
  found.depth = depth;
  std::memcpy(found.raw, raw, bytes);
  if (matrix.mnMajor)
    widen(v.b, raw, v.columns * depth, found.wide);
  for (uint32_t c = 0; c < v.columns; c += kTile) {
    float *out = found.wide + c * depth;
    if (!matrix.mnMajor) {
      float block8[kTile * kTensorDepth];
      widen(v.b, raw + c * v.columnBytes(), kTile * depth, block8);
      for (uint32_t k = 0; k < depth; ++k)
        for (uint32_t e = 0; e < kTile; ++e)
          out[k * kTile + e] = block8[e * depth + k];
    }
    found.prepared[c / kTile].prepare(v.b, out, depth);
  }
  return {raw, found.prepared};
}

void addProduct(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &b) {
  if (v.result == MatrixResult::S32)
    addIntegers(warp, op, v, rows, b);
  else
    addFloats(warp, op, v, rows, b);
}

} // namespace lanescope::core::emulator
