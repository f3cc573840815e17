#include "core/gpu/lowering/arrays/LayoutCast.h"

#include "core/gpu/lowering/arrays/Elementwise.h"
#include "core/gpu/lowering/thread/NarrowTypes.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

#include <array>

namespace lanescope::core {

using namespace mlir;
using layouts::RegisterLayout;
using layouts::TiledLayout;

namespace {

bool is(const RegisterLayout &layout, const TiledLayout &named) {
  auto *tiled = std::get_if<TiledLayout>(&layout);
  return tiled && *tiled == named;
}

bool isPair(const RegisterLayout &a, const RegisterLayout &b, const TiledLayout &one, const TiledLayout &other) {
  return (is(a, one) && is(b, other)) || (is(a, other) && is(b, one));
}

/// An 8x8 block spread over a warp as two-element registers, rows <-> columns: lanes 4 apart swap one element.
bool isTransposition(const RegisterLayout &from, const RegisterLayout &to) {
  namespace c = layouts::catalogue;
  return isPair(from, to, c::wgmma(), c::wgmmaTransposed()) || isPair(from, to, c::tcgen05(), c::tcgen05Transposed());
}

bool isPairSplit(const RegisterLayout &from, const RegisterLayout &to) {
  return isPair(from, to, layouts::catalogue::wgmma(), layouts::catalogue::wgmmaAcc32Bit());
}

/// How many column tiles of `to` one of `from` becomes: 2 or 4 for WGMMA_UPCAST_* on the way to WGMMA; 0: no such pair.
int upcastFactor(const RegisterLayout &from, const RegisterLayout &to, int bitwidth) {
  namespace c = layouts::catalogue;
  if (is(from, c::wgmmaUpcast2x()) && is(to, c::wgmma()))
    return bitwidth == 4 || bitwidth == 8 || bitwidth == 16 ? 2 : 0;
  if (is(from, c::wgmmaUpcast4x()) && bitwidth == 4)
    return is(to, c::wgmmaUpcast2x()) ? 2 : is(to, c::wgmma()) ? 4 : 0;
  return 0;
}

/// TMEM_NATIVE(n) of any n.
bool isNative(const RegisterLayout &layout) {
  auto *tiled = std::get_if<TiledLayout>(&layout);
  auto native = tiled ? layouts::catalogue::tmemNative(tiled->vectorLength()) : layouts::catalogue::tmemNative(1);
  return tiled && native && *tiled == *native;
}

Value bitcast(ThreadBuilder &t, Value value, Type type) {
  return value.getType() == type ? value : t.create<LLVM::BitcastOp>(type, value).getResult();
}

/// (lo, hi) of each lane and of its partner `lanes` on: those that `keep` lo send hi, the others the other way round.
std::pair<Value, Value> exchanged(ThreadBuilder &t, Value lo, Value hi, Value keep, int lanes) {
  Value other = shuffled(t, t.create<LLVM::SelectOp>(keep, hi, lo), lanes);
  return {t.create<LLVM::SelectOp>(keep, lo, other), t.create<LLVM::SelectOp>(keep, other, hi)};
}

/// The same for the bytes of a 32-bit register: one shuffle, then one byte permute.
Value permutedWithPartner(ThreadBuilder &t, Value word, Value selector, int lanes) {
  return permuteBytes(t, word, t.shuffleXor(word, lanes), selector);
}

/// Registers in the order (row tiles, column tiles, row halves): those of one column tile become those of several.
/// `split` gets `group` registers of neighbouring column tiles and gives group * 2 of them.
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

/// WGMMA_UPCAST_2X -> WGMMA: neighbouring lanes hold four columns each of two column tiles.
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

/// WGMMA_UPCAST_4X -> WGMMA_UPCAST_2X of 4-bit elements: lanes 2 apart swap halves of their eight.
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

/// Registers cut into shorter ones, or neighbours joined to longer ones, to `length` each: the same order of elements.
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

bool canRelayout(const RegisterLayout &from, const RegisterLayout &to, int bitwidth) {
  if (from == to || std::holds_alternative<layouts::WGSplatFragLayout>(from))
    return true;
  return (isTransposition(from, to) && (bitwidth == 16 || bitwidth == 32)) ||
         (isPairSplit(from, to) && bitwidth >= 8) || upcastFactor(from, to, bitwidth) != 0 ||
         (isNative(from) && isNative(to) &&
          (bitwidth >= 8 || (KernelLowering::vectorLength(from) > 1 && KernelLowering::vectorLength(to) > 1)));
}

std::string supportedRelayouts() {
  return "WGMMA <-> WGMMA_TRANSPOSED and TCGEN05 <-> TCGEN05_TRANSPOSED (16 and 32 bits), WGMMA <-> WGMMA_ACC_32BIT, "
         "WGMMA_UPCAST_2X -> WGMMA (4, 8 and 16 bits), WGMMA_UPCAST_4X -> WGMMA_UPCAST_2X and WGMMA (4 bits), "
         "tmem_native_layout(a) <-> tmem_native_layout(b), and a constant to anything";
}

FailureOr<RegisterArray> relayout(KernelLowering &k, Operation *op, const RegisterArray &from,
                                  const RegisterLayout &to) {
  ThreadBuilder &t = k.t;
  if (from.layout == to)
    return from;
  int bits = static_cast<int>(getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth());
  if (!canRelayout(from.layout, to, bits)) {
    op->emitError(text("there is no conversion from `", layouts::jaxText(from.layout), "` to `", layouts::jaxText(to),
                       "` for ", bits, "-bit elements; there are: ", supportedRelayouts()));
    return failure();
  }
  RegisterArray result{to, from.shape, {}};
  if (isTransposition(from.layout, to)) {
    Value evenRow = t.compare(LLVM::ICmpPredicate::eq, t.bitAnd(k.lane, 4), 0);
    Value selector;
    for (Value pair : from.registers) {
      if (bits == 16) { // the whole pair travels, and the halves are picked afterwards
        if (!selector)
          selector = t.create<LLVM::SelectOp>(evenRow, t.constant(0x5410), t.constant(0x3276));
        Value word = permutedWithPartner(t, bitcast(t, pair, t.i32()), selector, 4);
        result.registers.push_back(bitcast(t, word, pair.getType()));
      } else {
        auto [lo, hi] = exchanged(t, t.extract(pair, 0), t.extract(pair, 1), evenRow, 4);
        result.registers.push_back(t.concatenate({lo, hi}));
      }
    }
    return result;
  }
  if (int factor = upcastFactor(from.layout, to, bits)) {
    bool from4x = is(from.layout, layouts::catalogue::wgmmaUpcast4x());
    if (!from4x && bits == 4 && from.shape.back() % 32 != 0) {
      op->emitError(text("4-bit elements go from WGMMA_UPCAST_2X to WGMMA 32 columns at a time, but there are ",
                         from.shape.back()));
      return failure();
    }
    RegisterArray current = from;
    if (from4x)
      current = {layouts::catalogue::wgmmaUpcast2x(), from.shape, upcast4x(k, from)};
    if (!from4x || factor == 4)
      current.registers = upcast2x(k, current, bits);
    result.registers = std::move(current.registers);
    return result;
  }
  // WGMMA and WGMMA_ACC_32BIT, lengths of TMEM_NATIVE: the same elements in the same order.
  result.registers = recut(t, from.registers, KernelLowering::vectorLength(to) * (bits == 4 ? 1 : 2) / 2);
  return result;
}

} // namespace lanescope::core
