#include "core/gpu/emulator/async/WgmmaProduct.h"

#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/HalfArrays.h"

#include <algorithm>
#include <optional>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kTile = 8; // a tile of 8 x 8 sums is a register or two of the whole warp

/// The rows of a sparse A with their zeros, in `to`.
template <class T> const T *spread(const WgmmaVariant &v, const uint8_t *positions, const T *stored, T *to) {
  std::fill_n(to, kTensorRows * v.depth(), T{});
  for (uint32_t row = 0; row < kTensorRows; ++row)
    for (uint32_t n = 0; n < v.stored(); ++n)
      to[row * v.depth() + positions[row * v.stored() + n]] = stored[row * v.stored() + n];
  return to;
}

/// Of f16 accumulators both columns are in one register, the even one below.
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
  uint32_t tiles = v.columns / kTile * 2;
  // The registers of a tile lie one after another: even and odd columns of rows 0 to 7, then of rows 8 to 15.
  if (!half) {
    float *registers[kMaxColumns / kTile * 4];
    for (uint32_t n = 0; n < 2 * tiles; ++n)
      registers[n] = warp.reg<float>(slots[n]);
    return sumFragments(rule, prepared, b.prepared, depth, tiles, op.accumulate, registers);
  }
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    float sums[kTile * kTile] = {};
    auto *words = reinterpret_cast<uint16_t *>(warp.reg<uint32_t>(slots[tile]));
    if (op.accumulate)
      widenF16(words, sums, kTile * kTile);
    sumTile(rule, prepared, tile % 2, b.prepared[tile / 2], 0, depth, sums);
    narrowF16(sums, words, kTile * kTile);
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

constexpr uint32_t kChunk = 16; // bytes that lie together

/// Elements along K are 16 bits, as in all types whose lines may run along M or N: chunks of 8 columns, k by k.
void readChunks(const Block &block, SharedMatrix matrix, uint32_t first, uint32_t count, uint32_t depth, uint8_t *out) {
  const std::byte *shared = block.shared.data();
  for (uint32_t mn = 0; mn < count; mn += 8)
    for (uint32_t k = 0; k < depth; ++k, out += kChunk)
      std::memcpy(out, shared + (matrix.address((first + mn) * 2, k) - kSharedBase), kChunk);
}

/// Columns of an operand in shared memory as they were when last multiplied by, widened.
class Widened {
public:
  bool isOf(const SharedMatrix &matrix, const WgmmaVariant &v) const {
    return matrix_ == matrix && type_ == v.b && columns_ == v.columns && depth_ == v.depth() &&
           bytes_ == v.columns * v.columnBytes();
  }
  /// Another operand's from now on, of which nothing is known yet.
  void begin(const SharedMatrix &matrix, const WgmmaVariant &v) {
    matrix_ = matrix;
    type_ = v.b;
    columns_ = v.columns;
    depth_ = v.depth();
    bytes_ = v.columns * v.columnBytes();
    known_ = false;
    chunks_.clear();
    if (matrix.mnMajor)
      for (uint32_t mn = 0; mn < columns_; mn += 8)
        for (uint32_t k = 0; k < depth_; ++k)
          chunks_.push_back(matrix.address(mn * 2, k) - kSharedBase);
    else
      for (uint32_t mn = 0; mn < columns_; ++mn)
        for (uint32_t at = 0; at < v.columnBytes(); at += kChunk)
          chunks_.push_back(matrix.address(at, mn) - kSharedBase);
  }
  const TensorColumns *columns(const std::byte *shared) {
    if (!known_ || !isSame(shared))
      widenAll(shared);
    return prepared_;
  }

private:
  bool isSame(const std::byte *shared) const {
    uint64_t odd = 0;
    for (size_t n = 0; n < chunks_.size(); ++n) {
      uint64_t now[2], then[2];
      std::memcpy(now, shared + chunks_[n], kChunk);
      std::memcpy(then, raw_ + n * kChunk, kChunk);
      odd |= (now[0] ^ then[0]) | (now[1] ^ then[1]);
    }
    return odd == 0;
  }
  void widenAll(const std::byte *shared) {
    for (size_t n = 0; n < chunks_.size(); ++n)
      std::memcpy(raw_ + n * kChunk, shared + chunks_[n], kChunk);
    if (matrix_->mnMajor)
      widen(type_, raw_, columns_ * depth_, wide_);
    for (uint32_t c = 0; c < columns_; c += kTile) {
      float *out = wide_ + c * depth_;
      if (!matrix_->mnMajor) {
        float block8[kTile * kTensorDepth];
        widen(type_, raw_ + c * (bytes_ / columns_), kTile * depth_, block8);
        for (uint32_t k = 0; k < depth_; ++k)
          for (uint32_t e = 0; e < kTile; ++e)
            out[k * kTile + e] = block8[e * depth_ + k];
      }
      prepared_[c / kTile].prepare(type_, out, depth_);
    }
    known_ = true;
  }

  std::optional<SharedMatrix> matrix_;
  MatrixType type_ = MatrixType::F16;
  uint32_t columns_ = 0, depth_ = 0, bytes_ = 0;
  bool known_ = false;
  std::vector<uint32_t> chunks_; // where they are in shared memory
  uint8_t raw_[kMaxColumns * kMaxColumnBytes];
  float wide_[kMaxColumns * kTensorDepth];
  TensorColumns prepared_[kMaxColumns / kTile];
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
  if (v.result == MatrixResult::S32) {
    alignas(32) static thread_local uint8_t raw[kMaxColumns * kMaxColumnBytes];
    readRows(block, matrix, 0, v.columns, raw, v.columnBytes());
    return {raw, nullptr};
  }
  static thread_local std::vector<Widened> known(kMostWidened);
  static thread_local size_t oldest = 0;
  auto found = std::ranges::find_if(known, [&](const Widened &one) { return one.isOf(matrix, v); });
  if (found == known.end()) {
    found = known.begin() + static_cast<long>(oldest);
    oldest = (oldest + 1) % kMostWidened;
    found->begin(matrix, v);
  }
  return {nullptr, found->columns(block.shared.data())};
}

void addProduct(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &b) {
  if (v.result == MatrixResult::S32)
    addIntegers(warp, op, v, rows, b);
  else
    addFloats(warp, op, v, rows, b);
}

} // namespace lanescope::core::emulator
