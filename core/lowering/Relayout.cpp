#include "core/lowering/Relayout.h"

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

/// (lo, hi) of each lane and of its partner 4 lanes on: even rows send hi and keep lo, odd rows the other way round.
Value transposed(ThreadBuilder &t, Value pair, Value evenRow, int bits) {
  Value lo = t.extract(pair, 0), hi = t.extract(pair, 1);
  Type element = lo.getType(), integer = t.builder().getIntegerType(bits);
  Value sent = t.create<LLVM::SelectOp>(evenRow, hi, lo);
  Value received = t.shuffleXor(t.resize(t.create<LLVM::BitcastOp>(integer, sent), 32), 4);
  Value other = t.create<LLVM::BitcastOp>(element, t.resize(received, bits));
  return t.concatenate({t.create<LLVM::SelectOp>(evenRow, lo, other), t.create<LLVM::SelectOp>(evenRow, other, hi)});
}

} // namespace

bool canRelayout(const RegisterLayout &from, const RegisterLayout &to, int bitwidth) {
  if (from == to || std::holds_alternative<layouts::WGSplatFragLayout>(from))
    return true;
  return (isTransposition(from, to) && (bitwidth == 16 || bitwidth == 32)) || isPairSplit(from, to);
}

std::string supportedRelayouts() {
  return "WGMMA <-> WGMMA_TRANSPOSED and TCGEN05 <-> TCGEN05_TRANSPOSED (16 and 32 bits), WGMMA <-> WGMMA_ACC_32BIT, "
         "and a constant to anything";
}

FailureOr<RegisterArray> relayout(KernelLowering &k, Operation *op, const RegisterArray &from,
                                  const RegisterLayout &to) {
  ThreadBuilder &t = k.t;
  if (from.layout == to)
    return from;
  int bits = static_cast<int>(ThreadBuilder::elementOf(from.registers.front().getType()).getIntOrFloatBitWidth());
  if (!canRelayout(from.layout, to, bits)) {
    op->emitError(text("there is no conversion from `", layouts::jaxText(from.layout), "` to `", layouts::jaxText(to),
                       "` for ", bits, "-bit elements; there are: ", supportedRelayouts()));
    return failure();
  }
  RegisterArray result{to, from.shape, {}};
  if (isTransposition(from.layout, to)) {
    Value evenRow = t.compare(LLVM::ICmpPredicate::eq, t.bitAnd(t.divide(k.lane, 4), 1), 0);
    for (Value pair : from.registers)
      result.registers.push_back(transposed(t, pair, evenRow, bits));
    return result;
  }
  // WGMMA holds pairs in one register, WGMMA_ACC_32BIT as two: the same elements in the same order.
  if (KernelLowering::vectorLength(to) == 1) {
    for (Value pair : from.registers)
      for (int64_t i = 0; i < 2; ++i)
        result.registers.push_back(t.extract(pair, i));
  } else {
    for (size_t i = 0; i < from.registers.size(); i += 2)
      result.registers.push_back(t.concatenate({from.registers[i], from.registers[i + 1]}));
  }
  return result;
}

} // namespace lanescope::core
