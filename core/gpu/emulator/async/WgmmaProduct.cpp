#include "core/gpu/emulator/async/WgmmaProduct.h"

#include "core/gpu/emulator/async/WgmmaChunks.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/numbers/HalfArrays.h"
#include "core/gpu/emulator/tensor/SparsePositions.h"
#include "core/gpu/emulator/tensor/TensorSum.h"
#include "core/gpu/emulator/tensor/WholeChain.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kTile = 8; // 8 x 8 sums fill one or two registers of the whole warp

/// The accumulator's registers, which are adjacent in the list: even and odd columns of rows 0 to 7, then even and odd
/// columns of rows 8 to 15.
const uint32_t *slotsOf(const Warp &warp, const WgmmaOp &op) {
  return warp.block->grid->program->lists.data() + op.instr->list;
}

/// Writes the rows of a sparse A to `to`, with zeros for the elements that are not stored.
template <class T> const T *spread(const WgmmaVariant &v, const uint8_t *positions, const T *stored, T *to) {
  std::fill_n(to, kTensorRows * v.depth(), T{});
  for (uint32_t row = 0; row < kTensorRows; ++row)
    for (uint32_t n = 0; n < v.stored(); ++n)
      to[row * v.depth() + positions[row * v.stored() + n]] = stored[row * v.stored() + n];
  return to;
}

/// A warp's 16 rows of A as f32, with `depth` values each.
const float *widenRows(const WgmmaVariant &v, const uint8_t *rows, const uint8_t *positions, float *left,
                       float *zeros) {
  widen(v.a, rows, kTensorRows * v.stored(), left);
  if (v.negateA != v.negateB)
    for (uint32_t n = 0; n < kTensorRows * v.stored(); ++n)
      left[n] = -left[n];
  return v.sparse ? spread(v, positions, left, zeros) : left;
}

/// Adds to f16 accumulators. One register holds two columns, with the even one in its lower half.
void addHalves(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const TensorRows &rows,
               const TensorColumns *columns) {
  const uint32_t *slots = slotsOf(warp, op);
  for (uint32_t tile = 0; tile < v.columns / kTile * 2; ++tile) {
    float sums[kTile * kTile] = {};
    auto *words = reinterpret_cast<uint16_t *>(warp.reg<uint32_t>(slots[tile]));
    if (op.accumulate)
      widenF16(words, sums, kTile * kTile);
    sumTile(TensorSum::ofWgmma(v.a, true), rows, tile % 2, columns[tile / 2], 0, v.depth(), sums);
    narrowF16(sums, words, kTile * kTile);
  }
}

void addIntegers(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, const uint8_t *rows, const uint8_t *positions,
                 const uint8_t *columns) {
  const uint32_t *slots = slotsOf(warp, op);
  int32_t left[16 * kMaxDepth], zeros[16 * kTensorDepth], b[kTensorDepth];
  const int32_t *a = left;
  uint32_t depth = v.depth();
  if (v.a != MatrixType::B1)
    widen(v.a, rows, 16 * v.stored(), left);
  if (v.sparse)
    a = spread(v, positions, left, zeros);
  for (uint32_t c = 0; c < v.columns; ++c) {
    const uint8_t *right = columns + c * v.columnBytes();
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

/// Reads packed rows with `operand.bytes` of K each. All of them must lie in shared memory.
void readRows(const Block &block, const WgmmaOperand &operand, uint8_t *out) {
  const std::byte *shared = block.shared.data();
  std::span<const uint32_t> chunks = chunksOf(operand);
  if (!operand.mnMajor) {
    for (size_t n = 0; n < chunks.size(); ++n)
      std::memcpy(out + n * kChunkBytes, shared + (chunks[n] - kSharedBase), kChunkBytes);
    return;
  }
  uint32_t groups = operand.count / 8u;
  for (uint32_t n = 0; n < chunks.size(); ++n) { // a chunk holds the elements of eight rows for one k
    uint32_t k = n / groups, first = n % groups * 8;
    for (uint32_t row = 0; row < 8; ++row)
      std::memcpy(out + (first + row) * operand.bytes + k * 2, shared + (chunks[n] - kSharedBase) + row * 2, 2);
  }
}

WgmmaOperand operandB(const WgmmaOp &op, const WgmmaVariant &v) {
  return {op.b, v.transposeB, 0, v.columns, static_cast<uint16_t>(v.columnBytes())};
}

/// The columns of an operand in shared memory. They are prepared once, and again when their bytes have changed.
class KnownColumns {
public:
  bool isOf(const WgmmaOperand &operand, MatrixType type) const { return operand_ == operand && type_ == type; }
  /// Switches to another operand, whose columns have not been read yet.
  void begin(const WgmmaOperand &operand, const WgmmaVariant &v) {
    operand_ = operand;
    type_ = v.b;
    columns_ = v.columns;
    depth_ = v.depth();
    known_ = false;
    std::span<const uint32_t> chunks = chunksOf(operand);
    chunks_.resize(chunks.size());
    uint32_t groups = columns_ / kTile;
    for (uint32_t n = 0; n < chunks.size(); ++n) // lines along N: groups of eight columns, for one k after another
      chunks_[operand.mnMajor ? n % groups * depth_ + n / groups : n] = chunks[n] - kSharedBase;
  }
  void read(const std::byte *shared) {
    if (known_ && isSame(shared))
      return;
    for (size_t n = 0; n < chunks_.size(); ++n)
      std::memcpy(raw_ + n * kChunkBytes, shared + chunks_[n], kChunkBytes);
    known_ = true;
    areWhole_ = arePrepared_ = false;
  }
  /// The columns as last read. whole() is for addWholeChain(), prepared() for sumFragments().
  const ChainColumns &whole() {
    if (!areWhole_) {
      alignas(64) float values[kMaxColumns * kMaxDepth];
      widen(type_, raw_, columns_ * depth_, values);
      whole_.prepare(type_, values, columns_, depth_, operand_.mnMajor);
      areWhole_ = true;
    }
    return whole_;
  }
  const TensorColumns *prepared() {
    if (!arePrepared_)
      prepare();
    arePrepared_ = true;
    return prepared_;
  }

  uint64_t usedAt = 0;

private:
  bool isSame(const std::byte *shared) const {
    uint64_t odd = 0;
    for (size_t n = 0; n < chunks_.size(); ++n) {
      uint64_t now[2], then[2];
      std::memcpy(now, shared + chunks_[n], kChunkBytes);
      std::memcpy(then, raw_ + n * kChunkBytes, kChunkBytes);
      odd |= (now[0] ^ then[0]) | (now[1] ^ then[1]);
    }
    return odd == 0;
  }
  void prepare() {
    if (operand_.mnMajor)
      widen(type_, raw_, columns_ * depth_, wide_);
    for (uint32_t c = 0; c < columns_; c += kTile) {
      float *out = wide_ + c * depth_;
      if (!operand_.mnMajor) {
        float block8[kTile * kTensorDepth];
        widen(type_, raw_ + c * operand_.bytes, kTile * depth_, block8);
        for (uint32_t k = 0; k < depth_; ++k)
          for (uint32_t e = 0; e < kTile; ++e)
            out[k * kTile + e] = block8[e * depth_ + k];
      }
      prepared_[c / kTile].prepare(type_, out, depth_);
    }
  }

  WgmmaOperand operand_; // 0 columns: no operand yet
  MatrixType type_ = MatrixType::F16;
  uint32_t columns_ = 0, depth_ = 0;
  bool known_ = false, areWhole_ = false, arePrepared_ = false;
  std::vector<uint32_t> chunks_; // the places of the columns' chunks in shared memory
  uint8_t raw_[kMaxColumns * kMaxColumnBytes];
  ChainColumns whole_;
  float wide_[kMaxColumns * kTensorDepth];
  TensorColumns prepared_[kMaxColumns / kTile];
};
constexpr size_t kMostSteps = 8; // a warp often issues this many wgmmas in sequence

KnownColumns &columnsOf(const Block &block, const WgmmaOp &op, const WgmmaVariant &v) {
  static thread_local std::vector<KnownColumns> known(kMostSteps);
  static thread_local uint64_t uses = 0;
  WgmmaOperand operand = operandB(op, v);
  auto found = std::ranges::find_if(known, [&](const KnownColumns &one) { return one.isOf(operand, v.b); });
  if (found == known.end()) {
    found = std::ranges::min_element(known, {}, &KnownColumns::usedAt);
    found->begin(operand, v);
  }
  found->usedAt = ++uses;
  found->read(block.shared.data());
  return *found;
}

/// Reads a fragment in registers. In every type, register r of lane l holds bytes 4*(l%4) + 16*(r/2) … +3 of row l/4 +
/// 8*(r%2).
void readRegisters(Warp &warp, const uint32_t *slots, uint8_t *out) {
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t row = 0; row < 8; ++row)
      std::memcpy(out + (row + 8 * (r & 1)) * kRowBytes + 16 * (r >> 1), warp.reg<uint32_t>(slots[r]) + 4 * row, 16);
}

/// The warp's 16 packed rows of A.
void readA(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v, uint8_t *out) {
  if (v.aInRegisters)
    readRegisters(warp, slotsOf(warp, op) + (op.instr->listSize - 4), out);
  else
    readRows(*warp.block, {op.a, v.transposeA, static_cast<uint16_t>(warp.id % 4 * 16), kTensorRows}, out);
}

/// Computes an operation that multiplyChain() cannot compute together with others.
void multiplyOne(Warp &warp, const WgmmaOp &op, const WgmmaVariant &v) {
  uint8_t positions[kTensorRows * kMaxDepth];
  if (uint32_t row = 0; v.sparse && !positionsOf(warp, *op.instr, v, positions, row))
    return; // the operation was a fault at its issue
  alignas(32) uint8_t rows[kTensorRows * kRowBytes];
  readA(warp, op, v, rows);
  if (v.result == MatrixResult::S32) {
    alignas(32) uint8_t columns[kMaxColumns * kMaxColumnBytes];
    readRows(*warp.block, operandB(op, v), columns);
    return addIntegers(warp, op, v, rows, positions, columns);
  }
  float left[kTensorRows * kMaxDepth], zeros[kTensorRows * kTensorDepth];
  TensorRows prepared(v.a, widenRows(v, rows, positions, left, zeros), v.depth());
  const TensorColumns *columns = columnsOf(*warp.block, op, v).prepared();
  if (v.result == MatrixResult::F16)
    return addHalves(warp, op, v, prepared, columns);
  float *registers[kMaxColumns / kTile * 4];
  for (uint32_t n = 0; n < v.columns / 2u; ++n)
    registers[n] = warp.reg<float>(slotsOf(warp, op)[n]);
  sumFragments(TensorSum::ofWgmma(v.a, false), prepared, columns, v.depth(), v.columns / kTile * 2, op.accumulate,
               registers);
}

/// True if `next` adds to the f32 accumulators that `op` writes.
bool continues(const Warp &warp, const WgmmaOp &op, const WgmmaOp &next) {
  return next.accumulate && op.instr->imm == next.instr->imm &&
         (op.instr == next.instr ||
          std::equal(slotsOf(warp, op), slotsOf(warp, op) + op.instr->listSize, slotsOf(warp, next)));
}

/// Computes consecutive operations with the same f32 accumulators. None of them may have a sparse A.
void multiplyChain(Warp &warp, std::span<const WgmmaOp> ops, const WgmmaVariant &v, KnownColumns *const *columns) {
  static thread_local ChainRows whole[kMostSteps];
  alignas(64) float left[kMostSteps][kTensorRows * kMaxDepth];
  ChainStep steps[kMostSteps];
  for (size_t n = 0; n < ops.size(); ++n) {
    alignas(32) uint8_t rows[kTensorRows * kRowBytes];
    readA(warp, ops[n], v, rows);
    whole[n].prepare(v.a, widenRows(v, rows, nullptr, left[n], nullptr), v.depth());
    steps[n] = {&whole[n], &columns[n]->whole(), ops[n].accumulate};
  }
  TensorSum rule = TensorSum::ofWgmma(v.a, false);
  uint32_t groups = v.columns / kTile;
  float *registers[kMaxColumns / kTile * 4];
  for (uint32_t n = 0; n < 4 * groups; ++n)
    registers[n] = warp.reg<float>(slotsOf(warp, ops[0])[n]);
  // Groups of eight columns that addWholeChain() cannot add: `count` groups from group `first` on.
  struct Rest {
    uint32_t first, count;
  } rest[kMaxColumns / kTile];
  uint32_t rests = 0;
  if (std::span all(steps, ops.size()); isWholeChain(rule, all))
    for (uint32_t group = 0; group < groups;) {
      uint32_t count = std::min(2u, groups - group);
      if (!addWholeChain(rule, all, group, count, registers + 4 * group))
        rest[rests++] = {group, count};
      group += count;
    }
  else
    rest[rests++] = {0, groups};
  for (size_t n = 0; n < ops.size() && rests > 0; ++n) {
    TensorRows rows(v.a, left[n], v.depth());
    for (const Rest &one : std::span(rest, rests))
      sumFragments(rule, rows, columns[n]->prepared() + one.first, v.depth(), 2 * one.count, ops[n].accumulate,
                   registers + 4 * one.first);
  }
}

} // namespace

bool positionsOf(Warp &warp, const Instr &i, const WgmmaVariant &v, uint8_t *out, uint32_t &badRow) {
  SparseRow row{v.stored(), bitsOf(v.a) == 32 ? 4u : 2u, 1};
  uint32_t positions = 32 / row.fieldBits, first = warp.id % 4 * 16;
  const uint32_t *elements = warp.block->grid->program->lists.data() + i.d2 + warp.id % 4 * kLanes * positions;
  uint8_t fields[16 * kMaxDepth] = {};
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t p = 0; p < positions; ++p)
      if (uint32_t element = elements[lane * positions + p]; element != kNone)
        fields[element - first * row.stored] =
            static_cast<uint8_t>(warp.reg<uint32_t>(i.e)[lane] >> (p * row.fieldBits) & ((1u << row.fieldBits) - 1));
  for (badRow = 0; badRow < 16; ++badRow)
    if (!sparsePositions(row, fields + badRow * row.stored, true, out + badRow * row.stored))
      return false;
  return true;
}

void multiply(std::span<Warp *const> warps, std::span<const WgmmaOp> ops) {
  while (!ops.empty()) {
    WgmmaVariant v = WgmmaVariant::unpack(ops[0].instr->imm);
    size_t count = 1;
    if (v.result == MatrixResult::F32 && !v.sparse) {
      while (count < std::min(ops.size(), kMostSteps) && continues(*warps[0], ops[count - 1], ops[count]))
        ++count;
      KnownColumns *columns[kMostSteps];
      for (size_t n = 0; n < count; ++n)
        columns[n] = &columnsOf(*warps[0]->block, ops[n], v);
      for (Warp *warp : warps)
        multiplyChain(*warp, ops.first(count), v, columns);
    } else {
      for (Warp *warp : warps)
        multiplyOne(*warp, ops[0], v);
    }
    ops = ops.subspan(count);
  }
}

} // namespace lanescope::core::emulator
