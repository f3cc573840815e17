#include "core/gpu/lowering/arrays/LayoutCast.h"

#include "core/gpu/lowering/arrays/Elementwise.h"
#include "core/gpu/lowering/thread/NarrowTypes.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/RelayoutTable.h"

namespace lanescope::core {

using namespace mlir;
using layouts::Conversion;
using layouts::RegisterLayout;

namespace {

Value bitcast(ThreadBuilder &t, Value value, Type type) {
  return value.getType() == type ? value : t.create<LLVM::BitcastOp>(type, value).getResult();
}

/// Exchanges (lo, hi) between each lane and the lane `lanes` away: lanes with `keep` keep lo and send hi; the others
/// keep hi and send lo.
std::pair<Value, Value> exchanged(ThreadBuilder &t, Value lo, Value hi, Value keep, int lanes) {
  Value other = shuffled(t, t.create<LLVM::SelectOp>(keep, hi, lo), lanes);
  return {t.create<LLVM::SelectOp>(keep, lo, other), t.create<LLVM::SelectOp>(keep, other, hi)};
}

/// Gives each lane bytes of its own word and of the word of the lane `lanes` away, as the permute `selector` chooses
/// them.
Value permutedWithPartner(ThreadBuilder &t, Value word, Value selector, int lanes) {
  return permuteBytes(t, word, t.shuffleXor(word, lanes), selector);
}

/// Splits registers, which are in the order (row tiles, column tiles, row halves), so that one column tile becomes
/// several. `split` takes `group` registers of neighbouring column tiles and returns group * 2 of them.
std::vector<Value> splitColumns(const std::vector<Value> &registers, int64_t columns, int64_t group,
                                llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)> split) {
  constexpr int64_t kHalves = 2;
  std::vector<Value> out(registers.size() * 2);
  int64_t rows = static_cast<int64_t>(registers.size()) / (columns * kHalves);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; c += group)
      for (int64_t h = 0; h < kHalves; ++h) {
        SmallVector<Value> parts;
        for (int64_t g = 0; g < group; ++g)
          parts.push_back(registers[(r * columns + c + g) * kHalves + h]);
        for (auto [i, value] : llvm::enumerate(split(parts)))
          out[(r * columns * 2 + c * 2 + static_cast<int64_t>(i)) * kHalves + h] = value;
      }
  return out;
}

/// Transposes an 8x8 block that is spread over a warp as two-element registers: lanes 4 apart swap one element.
std::vector<Value> transpose(KernelLowering &k, const RegisterArray &from, int bits) {
  ThreadBuilder &t = k.t;
  std::vector<Value> out;
  Value evenRow = t.compare(LLVM::ICmpPredicate::eq, t.bitAnd(k.lane, 4), 0);
  Value selector;
  for (Value pair : from.registers) {
    if (bits == 16) { // a shuffle moves the whole pair, and the lane then selects one half
      if (!selector)
        selector = t.create<LLVM::SelectOp>(evenRow, t.constant(0x5410), t.constant(0x3276));
      Value word = permutedWithPartner(t, bitcast(t, pair, t.i32()), selector, 4);
      out.push_back(bitcast(t, word, pair.getType()));
    } else {
      auto [lo, hi] = exchanged(t, t.extract(pair, 0), t.extract(pair, 1), evenRow, 4);
      out.push_back(t.concatenate({lo, hi}));
    }
  }
  return out;
}

/// WGMMA_UPCAST_2X -> WGMMA: neighbouring lanes each hold four columns of two column tiles.
std::vector<Value> upcast2x(KernelLowering &k, const RegisterArray &from, int bits) {
  ThreadBuilder &t = k.t;
  Value even = t.compare(LLVM::ICmpPredicate::eq, t.bitAnd(k.lane, 1), 0);
  int64_t columns = from.shape.back() / 16;
  auto choose = [&](uint32_t one, uint32_t other) {
    return t.create<LLVM::SelectOp>(even, t.constant(one), t.constant(other)).getResult();
  };
  if (bits == 16)
    return splitColumns(from.registers, columns, 1, [&](ArrayRef<Value> in) -> SmallVector<Value> {
      auto [lo, hi] = exchanged(t, t.slice(in[0], 0, 2), t.slice(in[0], 2, 2), even, 1);
      return {lo, hi};
    });
  Type bytes = ThreadBuilder::vectorOf(t.builder().getI8Type(), 4);
  Value selector = bits == 8 ? choose(0x5410, 0x3276) : choose(0x6240, 0x3715);
  return splitColumns(from.registers, columns, bits == 8 ? 1 : 2, [&](ArrayRef<Value> in) -> SmallVector<Value> {
    Value word = bitcast(t, t.concatenate(in), t.i32());
    Value moved = bitcast(t, permutedWithPartner(t, word, selector, 1), bytes);
    if (bits == 8)
      return {t.slice(moved, 0, 2), t.slice(moved, 2, 2)};
    return {t.extract(moved, 0), t.extract(moved, 1), t.extract(moved, 2), t.extract(moved, 3)};
  });
}

/// WGMMA_UPCAST_4X -> WGMMA_UPCAST_2X for 4-bit elements: lanes 2 apart swap halves of their eight elements.
std::vector<Value> upcast4x(KernelLowering &k, const RegisterArray &from) {
  ThreadBuilder &t = k.t;
  Value lower = t.compare(LLVM::ICmpPredicate::eq, t.bitAnd(k.lane, 2), 0);
  Value selector = t.create<LLVM::SelectOp>(lower, t.constant(0x5410), t.constant(0x3276));
  Type bytes = ThreadBuilder::vectorOf(t.builder().getI8Type(), 4);
  return splitColumns(from.registers, from.shape.back() / 32, 1, [&](ArrayRef<Value> in) -> SmallVector<Value> {
    Value moved = bitcast(t, permutedWithPartner(t, bitcast(t, in[0], t.i32()), selector, 2), bytes);
    return {t.slice(moved, 0, 2), t.slice(moved, 2, 2)};
  });
}

/// Splits or joins registers to `length` elements each; the order of elements does not change.
std::vector<Value> recut(ThreadBuilder &t, const std::vector<Value> &registers, int64_t length) {
  int64_t own = ThreadBuilder::countOf(registers.front().getType());
  std::vector<Value> out;
  if (length <= own) {
    for (Value reg : registers)
      for (int64_t i = 0; i < own; i += length)
        out.push_back(t.slice(reg, i, length));
  } else {
    for (size_t i = 0; i < registers.size(); i += length / own)
      out.push_back(t.concatenate(ArrayRef(registers).slice(i, length / own)));
  }
  return out;
}

} // namespace

FailureOr<RegisterArray> relayout(KernelLowering &k, Operation *op, const RegisterArray &from,
                                  const RegisterLayout &to) {
  int bits = storageBits(getElementTypeOrSelf(op->getOperand(0).getType()));
  auto conversion = layouts::conversion(from.layout, to, from.shape, bits);
  if (!conversion)
    return op->emitError(conversion.error().front().message);
  RegisterArray result{to, from.shape, {}};
  switch (*conversion) {
  case Conversion::Nothing: return from;
  case Conversion::Renaming: result.registers = from.registers; break;
  case Conversion::Constant: return k.array(op->getOperand(0), to);
  case Conversion::Transposition: result.registers = transpose(k, from, bits); break;
  case Conversion::PairSplit:
  case Conversion::Recut: // the same elements in the same order
    result.registers = recut(k.t, from.registers, KernelLowering::vectorLength(to) * (bits == 4 ? 1 : 2) / 2);
    break;
  case Conversion::Upcast2x: result.registers = upcast2x(k, from, bits); break;
  case Conversion::Upcast4xTo2x: result.registers = upcast4x(k, from); break;
  case Conversion::Upcast4x:
    result.registers = upcast2x(k, {layouts::catalogue::wgmmaUpcast2x(), from.shape, upcast4x(k, from)}, bits);
    break;
  }
  return result;
}

} // namespace lanescope::core
