#include "core/emulator/WgmmaProduct.h"

#include "core/emulator/Lanes.h"
#include "core/emulator/NarrowFloat.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kTile = 8; // a tile of 8 x 8 sums is a register or two of the whole warp

using Four = double __attribute__((vector_size(32)));
using FourFloats = float __attribute__((vector_size(16)));

/// What one product works on. `left`: 16 rows of `depth` doubles.
struct Product {
  const double *left = nullptr;
  const float *right = nullptr; // Columns::wide
  uint32_t columns = 0, depth = 0;
  const uint32_t *slots = nullptr;
  std::byte *registers = nullptr;
  bool accumulate = false, halves = false;
};

[[gnu::always_inline]] inline void load(const float *from, Four &to) {
  FourFloats four;
  std::memcpy(&four, from, sizeof four);
  to = __builtin_convertvector(four, Four);
}

/// sum = four rows of `left` times 8 columns. The products are exact in binary64, so it does not matter whether they
/// are fused with the additions.
[[gnu::always_inline]] inline void multiplyRows(const double *left, const float *right, uint32_t depth, double *sum) {
  Four low[4] = {}, high[4] = {};
  for (uint32_t k = 0; k < depth; ++k) {
    Four b0, b1;
    load(right + k * kTile, b0);
    load(right + k * kTile + 4, b1);
    for (uint32_t r = 0; r < 4; ++r) {
      double one = left[r * depth + k];
      Four a = {one, one, one, one};
      low[r] += a * b0;
      high[r] += a * b1;
    }
  }
  for (uint32_t r = 0; r < 4; ++r) {
    std::memcpy(sum + r * kTile, &low[r], sizeof(Four));
    std::memcpy(sum + r * kTile + 4, &high[r], sizeof(Four));
  }
}

/// f32 accumulators: lane 4r + c of registers 0 and 1 holds columns 2c and 2c + 1 of the tile's row r.
[[gnu::always_inline]] inline void addTile(const double *sum, bool accumulate, float *even, float *odd) {
  for (uint32_t r = 0; r < kTile; ++r) {
    Four first, second;
    std::memcpy(&first, sum + r * kTile, sizeof first);
    std::memcpy(&second, sum + r * kTile + 4, sizeof second);
    for (uint32_t parity = 0; parity < 2; ++parity) {
      float *at = (parity ? odd : even) + 4 * r;
      Four part =
          parity ? Four{first[1], first[3], second[1], second[3]} : Four{first[0], first[2], second[0], second[2]};
      Four old = {};
      if (accumulate)
        load(at, old);
      FourFloats rounded = __builtin_convertvector(old + part, FourFloats);
      for (int c = 0; c < 4; ++c)
        rounded[c] = canonical(rounded[c]);
      std::memcpy(at, &rounded, sizeof rounded);
    }
  }
}

/// f16 accumulators: both columns are in one register, the even one below.
void addHalves(const double *sum, bool accumulate, uint32_t *to) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    uint32_t word = 0;
    for (uint32_t parity = 0; parity < 2; ++parity) {
      double old = accumulate ? static_cast<double>(widenF16(static_cast<uint16_t>(to[l] >> 16 * parity))) : 0.0;
      word |= static_cast<uint32_t>(narrowF16(toFloatOdd(addToOdd(old, sum[l / 4 * kTile + l % 4 * 2 + parity]))))
              << 16 * parity;
    }
    to[l] = word;
  }
}

[[gnu::always_inline]] inline void multiplyTiles(const Product &p) {
  for (uint32_t block = 0; block < p.columns / kTile; ++block) {
    const float *right = p.right + static_cast<size_t>(block) * p.depth * kTile;
    for (uint32_t half = 0; half < 2; ++half) {
      double sum[kTile * kTile];
      const double *left = p.left + half * kTile * p.depth;
      multiplyRows(left, right, p.depth, sum);
      multiplyRows(left + 4 * p.depth, right, p.depth, sum + 4 * kTile);
      if (p.halves) {
        addHalves(sum, p.accumulate, reinterpret_cast<uint32_t *>(p.registers + p.slots[block * 2 + half]));
      } else {
        const uint32_t *slots = p.slots + block * 4 + half * 2;
        addTile(sum, p.accumulate, reinterpret_cast<float *>(p.registers + slots[0]),
                reinterpret_cast<float *>(p.registers + slots[1]));
      }
    }
  }
}

#if defined(__x86_64__)
const bool kWide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

__attribute__((target("avx2,fma"))) void multiplyTilesWide(const Product &p) { multiplyTiles(p); }
#endif

void addFloats(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &b) {
  float values[16 * kMaxDepth];
  double left[16 * kMaxDepth];
  Product p;
  p.left = left;
  p.right = b.wide;
  p.columns = v.columns;
  p.depth = v.depth();
  p.slots = warp.block->grid->program->lists.data() + op.instr->list;
  p.registers = warp.regs;
  p.accumulate = op.accumulate;
  p.halves = v.result == MatrixResult::F16;
  widen(v.a, rows, 16 * p.depth, values);
  double sign = v.negateA != v.negateB ? -1.0 : 1.0;
  for (uint32_t n = 0; n < 16 * p.depth; ++n)
    left[n] = sign * static_cast<double>(values[n]);
#if defined(__x86_64__)
  if (kWide)
    return multiplyTilesWide(p);
#endif
  multiplyTiles(p);
}

void addIntegers(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &columns) {
  const uint32_t *slots = warp.block->grid->program->lists.data() + op.instr->list;
  int32_t a[16 * kMaxDepth], b[kMaxDepth];
  if (v.a != MatrixType::B1)
    widen(v.a, rows, 16 * kMaxDepth, a);
  for (uint32_t c = 0; c < v.columns; ++c) {
    const uint8_t *right = columns.bytes + c * kRowBytes;
    if (v.a != MatrixType::B1)
      widen(v.b, right, kMaxDepth, b);
    for (uint32_t row = 0; row < 16; ++row) {
      int64_t sum = 0;
      if (v.a == MatrixType::B1) {
        for (uint32_t k = 0; k < kRowBytes; ++k)
          sum += __builtin_popcount(rows[row * kRowBytes + k] & right[k]);
      } else {
        int32_t part = 0;
        for (uint32_t k = 0; k < kMaxDepth; ++k)
          part += a[row * kMaxDepth + k] * b[k];
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
void readChunks(const Block &block, SharedMatrix matrix, uint32_t first, uint32_t count, uint8_t *out) {
  const std::byte *shared = block.shared.data();
  for (uint32_t mn = 0; mn < count; mn += 8)
    for (uint32_t k = 0; k < 16; ++k, out += 16)
      std::memcpy(out, shared + (matrix.address((first + mn) * 2, k) - kSharedBase), 16);
}

/// Columns that were widened before.
struct Widened {
  uint32_t bytes = 0; // 0: none
  MatrixType type = MatrixType::F16;
  bool inChunks = false;
  uint8_t raw[kMaxColumns * kRowBytes];
  float wide[kMaxColumns * kMaxDepth];
};
constexpr size_t kMostWidened = 8; // a warp often issues as many in a row

} // namespace

void readRows(const Block &block, SharedMatrix matrix, uint32_t first, uint32_t count, uint8_t *out) {
  if (!matrix.mnMajor) {
    const std::byte *shared = block.shared.data();
    for (uint32_t mn = 0; mn < count; ++mn)
      for (uint32_t half = 0; half < 2; ++half)
        std::memcpy(out + mn * kRowBytes + half * 16, shared + (matrix.address(half * 16, first + mn) - kSharedBase),
                    16);
    return;
  }
  uint8_t chunks[kMaxColumns * kRowBytes];
  readChunks(block, matrix, first, count, chunks);
  for (uint32_t mn = 0; mn < count; ++mn)
    for (uint32_t k = 0; k < 16; ++k)
      std::memcpy(out + mn * kRowBytes + k * 2, chunks + (mn / 8 * 16 + k) * 16 + mn % 8 * 2, 2);
}

Columns readColumns(const Block &block, const SharedMatrix &matrix, const WgmmaVariant &v) {
  alignas(32) static thread_local uint8_t raw[kMaxColumns * kRowBytes];
  if (v.result == MatrixResult::S32) {
    readRows(block, matrix, 0, v.columns, raw);
    return {raw, nullptr};
  }
  if (matrix.mnMajor)
    readChunks(block, matrix, 0, v.columns, raw);
  else
    readRows(block, matrix, 0, v.columns, raw);
  static thread_local std::vector<Widened> known(kMostWidened);
  uint32_t bytes = v.columns * kRowBytes, depth = v.depth();
  Widened &found = known[(matrix.start >> 5 ^ matrix.start >> 8) % kMostWidened];
  if (found.bytes == bytes && found.type == v.b && found.inChunks == matrix.mnMajor &&
      std::memcmp(found.raw, raw, bytes) == 0)
    return {raw, found.wide};
  found.bytes = bytes;
  found.type = v.b;
  found.inChunks = matrix.mnMajor;
  std::memcpy(found.raw, raw, bytes);
  if (matrix.mnMajor) {
    widen(v.b, raw, v.columns * depth, found.wide);
    return {raw, found.wide};
  }
  float block8[kTile * kMaxDepth];
  for (uint32_t c = 0; c < v.columns; c += kTile) {
    widen(v.b, raw + c * kRowBytes, kTile * depth, block8);
    float *out = found.wide + c * depth;
    for (uint32_t k = 0; k < depth; ++k)
      for (uint32_t e = 0; e < kTile; ++e)
        out[k * kTile + e] = block8[e * depth + k];
  }
  return {raw, found.wide};
}

void addProduct(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const Columns &b) {
  if (v.result == MatrixResult::S32)
    addIntegers(warp, op, v, rows, b);
  else
    addFloats(warp, op, v, rows, b);
}

} // namespace lanescope::core::emulator
