// Conversions between element types, for the snippet language's `astype` and index arithmetic.
#include "core/gpu/lowering/arrays/Elementwise.h"
#include "core/gpu/lowering/thread/NarrowTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace lanescope::core {

using namespace mlir;

namespace {

constexpr char kExtend[] = "llvm.fpext", kShorten[] = "llvm.fptrunc", kFromSigned[] = "llvm.sitofp",
               kFromUnsigned[] = "llvm.uitofp", kToSigned[] = "llvm.fptosi", kToUnsigned[] = "llvm.fptoui",
               kSignExtend[] = "llvm.sext", kZeroExtend[] = "llvm.zext", kTruncate[] = "llvm.trunc";

bool isNibble(Type element) { return element.isInteger(4); }
bool isNarrowFloat(Type element) { return isa<Float8E4M3FNType, Float8E5M2Type>(element); }

/// One register of an array or a scalar, converted from `from` to `to`; `type` is the result's register.
Value converted(ThreadBuilder &t, llvm::StringRef name, Value x, Type from, Type to, Type type) {
  bool fromSigned = name == kFromSigned || name == kSignExtend;
  // Number of elements in the register, counted on the side that has no packed elements.
  int64_t count = ThreadBuilder::countOf(isNibble(to) ? x.getType() : type);
  if (isNibble(from)) {
    if (isNarrowFloat(to) && count > 1 && isa<Float8E4M3FNType>(to))
      return nibblesToE4M3(t, x, count, fromSigned);
    if ((to.isF16() || to.isBF16()) && count > 1)
      return nibblesToHalf(t, x, count, fromSigned, to);
    x = widenNibbles(t, x, count, fromSigned);
    from = t.builder().getI8Type();
    if (to.isInteger(8))
      return x;
  }
  if (isNarrowFloat(from) && isa<FloatType>(to)) {
    if (isNarrowFloat(to))
      return toNarrowFloat(t, fromNarrowFloat(t, x, from, t.builder().getF16Type()), to);
    Type through = to.isF16() ? to : t.f32();
    x = fromNarrowFloat(t, x, from, through);
    return to == through ? x
           : to.isBF16() ? t.create<LLVM::FPTruncOp>(type, x).getResult()
                         : t.create<LLVM::FPExtOp>(type, x).getResult();
  }
  Type single = ThreadBuilder::vectorOf(t.f32(), count);
  if (isNarrowFloat(from)) { // the target is an integer
    x = fromNarrowFloat(t, x, from, t.f32());
    from = t.f32();
  }
  if (isNarrowFloat(to)) {
    if (isa<IntegerType>(from))
      x = createNamed(t, name, single, x);
    else if (from.isBF16())
      x = t.create<LLVM::FPExtOp>(single, x);
    else if (from.isF64())
      x = t.create<LLVM::FPTruncOp>(single, x);
    return toNarrowFloat(t, x, to);
  }
  if (isNibble(to)) {
    Type bytes = ThreadBuilder::vectorOf(t.builder().getI8Type(), count);
    return packNibbles(t, x.getType() == bytes ? x : createNamed(t, name, bytes, x));
  }
  if (name == kFromSigned && from.isInteger(8) && to.isBF16() && count % 2 == 0)
    return bytesToBf16(t, x);
  return createNamed(t, name, type, x);
}

bool isF4(Type element) { return isa<Float4E2M1FNType>(element); }
bool isF6(Type element) { return isa<Float6E2M3FNType, Float6E3M2FNType>(element); }
bool isE8M0(Type element) { return isa<Float8E8M0FNUType>(element); }

/// Floats of 16, 32 or 64 bits -> f32.
Value toSingle(ThreadBuilder &t, Value x, Type from) {
  Type single = ThreadBuilder::vectorOf(t.f32(), ThreadBuilder::countOf(x.getType()));
  if (from.isF32())
    return x;
  return from.isF64() ? t.create<LLVM::FPTruncOp>(single, x).getResult()
                      : t.create<LLVM::FPExtOp>(single, x).getResult();
}

/// True for floats that convert only from and to f16, bf16 and f32.
bool isNarrowest(Type element) { return isF4(element) || isF6(element) || isE8M0(element); }

/// Like converted(), if one of the types is one of the narrowest floats.
Value convertedNarrowest(ThreadBuilder &t, llvm::StringRef name, Value x, Type from, Type to, Type type,
                         bool towardsZero) {
  if (isF4(from)) {
    x = fromF4(t, x, ThreadBuilder::countOf(type));
    from = t.builder().getF16Type();
  } else if (isF6(from)) {
    x = fromF6(t, x, from);
    from = t.builder().getF16Type();
  } else if (isE8M0(from)) {
    x = fromE8M0(t, x);
    from = t.builder().getBF16Type();
  }
  if (isNarrowest(to)) {
    if (!isa<FloatType>(from)) {
      int64_t count = ThreadBuilder::countOf(isNibble(from) ? type : x.getType());
      x = converted(t, name, x, from, t.f32(), ThreadBuilder::vectorOf(t.f32(), count));
    } else {
      x = isNarrowFloat(from) ? fromNarrowFloat(t, x, from, t.f32()) : toSingle(t, x, from);
    }
    return isF4(to) ? toF4(t, x) : isF6(to) ? toF6(t, x, to) : toE8M0(t, x, towardsZero);
  }
  if (from == to)
    return x;
  if (!isa<FloatType>(to)) // towards zero, by way of f32, which represents every value of the type
    return converted(t, name, toSingle(t, x, from), t.f32(), to, type);
  x = toSingle(t, x, from);
  if (to.isF32())
    return x;
  if (isNarrowFloat(to))
    return toNarrowFloat(t, x, to);
  return to.isF64() ? t.create<LLVM::FPExtOp>(type, x).getResult() : t.create<LLVM::FPTruncOp>(type, x).getResult();
}

template <const char *Name> LogicalResult convert(KernelLowering &k, Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType()), to = getElementTypeOrSelf(op->getResult(0).getType());
  if (from.isInteger(6)) // the bits of a 6-bit float, which lie in a byte already
    return elementwise(k, op, [&](ArrayRef<Value> in, Type) { return in[0]; });
  if (to.isInteger(6))
    return elementwise(k, op, [&](ArrayRef<Value> in, Type type) -> Value {
      return k.t.create<LLVM::AndOp>(in[0], k.t.integer(type, 0x3f));
    });
  bool narrowest = isNarrowest(from) || isNarrowest(to);
  if (narrowest && !k.gpu->narrowFloats)
    return op->emitError() << "conversions between `" << from << "` and `" << to << "` need "
                           << targetWith(&GpuTarget::narrowFloats, *k.gpu).name;
  if (narrowest && (isF4(from) || isNibble(from)) && (isF4(to) || isNibble(to)))
    return op->emitError() << "`" << from << "` is converted to `" << to << "` by way of f32";
  auto shorten = dyn_cast<arith::TruncFOp>(op);
  bool towardsZero = shorten && shorten.getRoundingmode() == arith::RoundingMode::toward_zero;
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) {
    return narrowest ? convertedNarrowest(k.t, Name, in[0], from, to, type, towardsZero)
                     : converted(k.t, Name, in[0], from, to, type);
  });
}

/// Registers hold 4-bit types and narrow floats as bytes already.
LogicalResult bitcast(KernelLowering &k, Operation *op) {
  return elementwise(k, op, [&](ArrayRef<Value> in, Type type) -> Value {
    return in[0].getType() == type ? in[0] : k.t.create<LLVM::BitcastOp>(type, in[0]).getResult();
  });
}

/// index is i64 in this lowering, so a cast widens, narrows or does nothing.
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
  table["arith.bitcast"] = bitcast;
  table["arith.index_cast"] = indexCast;
  table["arith.index_castui"] = indexCast;
}

} // namespace lanescope::core
