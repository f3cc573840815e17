// Conversions between element types: what the snippet language's `astype` and index arithmetic come to.
#include "core/lowering/Elementwise.h"

namespace lanescope::core {

using namespace mlir;

namespace {

LogicalResult named(KernelLowering &k, Operation *op, llvm::StringRef name) {
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) { return createNamed(k.t, name, type, in); });
}

template <const char *Name> LogicalResult convert(KernelLowering &k, Operation *op) { return named(k, op, Name); }

constexpr char kExtend[] = "llvm.fpext", kShorten[] = "llvm.fptrunc", kFromSigned[] = "llvm.sitofp",
               kFromUnsigned[] = "llvm.uitofp", kToSigned[] = "llvm.fptosi", kToUnsigned[] = "llvm.fptoui",
               kSignExtend[] = "llvm.sext", kZeroExtend[] = "llvm.zext", kTruncate[] = "llvm.trunc",
               kBitcast[] = "llvm.bitcast";

/// index is i64 here, so a cast widens, narrows or does nothing.
LogicalResult indexCast(KernelLowering &k, Operation *op) {
  bool isUnsigned = op->getName().getStringRef() == "arith.index_castui";
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) -> Value {
    unsigned from = ThreadBuilder::elementOf(in[0].getType()).getIntOrFloatBitWidth();
    unsigned to = ThreadBuilder::elementOf(type).getIntOrFloatBitWidth();
    if (from == to)
      return in[0];
    if (auto known = ThreadBuilder::knownInteger(in[0]); known && (!isUnsigned || *known >= 0))
      return k.t.integer(type, *known);
    return createNamed(k.t, from > to ? kTruncate : isUnsigned ? kZeroExtend : kSignExtend, type, in);
  });
}

} // namespace

void addConversions(HandlerTable &table) {
  table["arith.extf"] = convert<kExtend>;
  table["arith.truncf"] = convert<kShorten>;
  table["arith.sitofp"] = convert<kFromSigned>;
  table["arith.uitofp"] = convert<kFromUnsigned>;
  table["arith.fptosi"] = convert<kToSigned>;
  table["arith.fptoui"] = convert<kToUnsigned>;
  table["arith.extsi"] = convert<kSignExtend>;
  table["arith.extui"] = convert<kZeroExtend>;
  table["arith.trunci"] = convert<kTruncate>;
  table["arith.bitcast"] = convert<kBitcast>;
  table["arith.index_cast"] = indexCast;
  table["arith.index_castui"] = indexCast;
}

} // namespace lanescope::core
