// Elementwise operations, conversions and reductions. Integers are signless in IR; the code here selects operations by
// signedness.
#include "core/build/BuilderImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

namespace lanescope::core {

using layouts::Dtype;
using namespace mlir;

namespace {

/// The value of an integer constant operation, for division by powers of two.
std::optional<int64_t> constantInteger(Value value) {
  TypedAttr attribute;
  if (auto repeated = value.getDefiningOp<vector::BroadcastOp>()) // a scalar repeated over a shape
    value = repeated.getSource();
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    attribute = constant.getValue();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<TypedAttr>();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute))
    return integer.getValue().getSExtValue();
  return std::nullopt;
}

std::optional<int64_t> exactLog2(std::optional<int64_t> value) {
  if (!value || *value <= 0 || (*value & (*value - 1)) != 0)
    return std::nullopt;
  return __builtin_ctzll(static_cast<uint64_t>(*value));
}

arith::CmpFPredicate floatPredicate(CompareKind kind) {
  switch (kind) {
  case CompareKind::Equal: return arith::CmpFPredicate::OEQ;
  case CompareKind::NotEqual: return arith::CmpFPredicate::UNE; // NaN differs from everything
  case CompareKind::Less: return arith::CmpFPredicate::OLT;
  case CompareKind::LessEqual: return arith::CmpFPredicate::OLE;
  case CompareKind::Greater: return arith::CmpFPredicate::OGT;
  case CompareKind::GreaterEqual: return arith::CmpFPredicate::OGE;
  }
  return arith::CmpFPredicate::OEQ;
}

arith::CmpIPredicate integerPredicate(CompareKind kind, bool isSigned) {
  switch (kind) {
  case CompareKind::Equal: return arith::CmpIPredicate::eq;
  case CompareKind::NotEqual: return arith::CmpIPredicate::ne;
  case CompareKind::Less: return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case CompareKind::LessEqual: return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case CompareKind::Greater: return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  case CompareKind::GreaterEqual: return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  }
  return arith::CmpIPredicate::eq;
}

/// i1 counts as unsigned: True is 1.
bool isSigned(Dtype dtype) { return layouts::isSignedInteger(dtype) && dtype != Dtype::I1; }

} // namespace

IrValue KernelBuilder::binary(BinaryKind kind, const IrValue &left, const IrValue &right) {
  assert(left.dtype == right.dtype && left.shape == right.shape && "the caller has made them agree");
  bool half = left.dtype == Dtype::F16 || left.dtype == Dtype::BF16;
  if (half && (kind == BinaryKind::Atan2 || kind == BinaryKind::Remainder || kind == BinaryKind::Modulo))
    return cast(binary(kind, cast(left, Dtype::F32), cast(right, Dtype::F32)), left.dtype);
  Value a = unwrap(left), b = unwrap(right);
  bool floats = layouts::isFloat(left.dtype), sign = isSigned(left.dtype);
  auto zero = [&] { return unwrap(constant(left.dtype, left.shape, int64_t{0})); };
  // Python rounds quotients down; the hardware rounds them towards zero. They differ if the remainder is not zero and
  // its sign is not the divisor's.
  auto crosses = [&](Value remainder) -> Value {
    Value inexact = impl_->create<arith::CmpIOp>(arith::CmpIPredicate::ne, remainder, zero());
    Value remainderSign = impl_->create<arith::CmpIOp>(arith::CmpIPredicate::slt, remainder, zero());
    Value divisorSign = impl_->create<arith::CmpIOp>(arith::CmpIPredicate::slt, b, zero());
    Value differ = impl_->create<arith::XOrIOp>(remainderSign, divisorSign);
    return impl_->create<arith::AndIOp>(inexact, differ);
  };
  Value result;
  switch (kind) {
  case BinaryKind::Add:
    result = floats ? impl_->create<arith::AddFOp>(a, b).getResult() : impl_->create<arith::AddIOp>(a, b);
    break;
  case BinaryKind::Subtract:
    result = floats ? impl_->create<arith::SubFOp>(a, b).getResult() : impl_->create<arith::SubIOp>(a, b);
    break;
  case BinaryKind::Multiply:
    result = floats ? impl_->create<arith::MulFOp>(a, b).getResult() : impl_->create<arith::MulIOp>(a, b);
    break;
  case BinaryKind::Divide:
    assert(floats && "integers are divided as floats");
    result = impl_->create<arith::DivFOp>(a, b);
    break;
  case BinaryKind::FloorDivide:
    if (floats) {
      result = unwrap(math(MathKind::Floor, binary(BinaryKind::Divide, left, right), false));
    } else if (!sign) {
      result = impl_->create<arith::DivUIOp>(a, b);
    } else if (auto shift = exactLog2(constantInteger(b))) {
      result = impl_->create<arith::ShRSIOp>(a, unwrap(constant(left.dtype, left.shape, *shift)));
    } else {
      Value quotient = impl_->create<arith::DivSIOp>(a, b);
      Value down = crosses(impl_->create<arith::RemSIOp>(a, b));
      Value lower = impl_->create<arith::SubIOp>(quotient, unwrap(constant(left.dtype, left.shape, int64_t{1})));
      result = impl_->create<arith::SelectOp>(down, lower, quotient);
    }
    break;
  case BinaryKind::Modulo:
    if (floats) { // floor modulo: C's remainder, plus the divisor if the signs differ
      Value remainder = impl_->create<arith::RemFOp>(a, b);
      Value none = unwrap(constant(left.dtype, left.shape, int64_t{0}));
      auto below = [&](Value x) -> Value { return impl_->create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, none); };
      Value inexact = impl_->create<arith::CmpFOp>(arith::CmpFPredicate::UNE, remainder, none);
      Value differ = impl_->create<arith::XOrIOp>(below(remainder), below(b));
      Value moved = impl_->create<arith::AddFOp>(remainder, b);
      result = impl_->create<arith::SelectOp>(impl_->create<arith::AndIOp>(inexact, differ), moved, remainder);
    } else if (!sign) {
      result = impl_->create<arith::RemUIOp>(a, b);
    } else if (exactLog2(constantInteger(b))) {
      result = impl_->create<arith::AndIOp>(a, unwrap(constant(left.dtype, left.shape, *constantInteger(b) - 1)));
    } else {
      Value remainder = impl_->create<arith::RemSIOp>(a, b);
      Value down = crosses(remainder);
      result = impl_->create<arith::SelectOp>(down, impl_->create<arith::AddIOp>(remainder, b).getResult(), remainder);
    }
    break;
  case BinaryKind::And: result = impl_->create<arith::AndIOp>(a, b); break;
  case BinaryKind::Or: result = impl_->create<arith::OrIOp>(a, b); break;
  case BinaryKind::Xor: result = impl_->create<arith::XOrIOp>(a, b); break;
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight: {
    if (impl_->plainShifts) {
      result = kind == BinaryKind::ShiftLeft ? impl_->create<arith::ShLIOp>(a, b).getResult()
               : sign                        ? impl_->create<arith::ShRSIOp>(a, b).getResult()
                                             : impl_->create<arith::ShRUIOp>(a, b).getResult();
      break;
    }
    // MLIR leaves shifts by the width or more undefined. Here all bits are shifted out, as on the host.
    bool isLeft = kind == BinaryKind::ShiftLeft;
    int64_t width = layouts::bitwidth(left.dtype);
    auto known = constantInteger(b);
    bool inside = known && *known >= 0 && *known < width;
    if (sign && !isLeft) {
      Value most = unwrap(constant(left.dtype, left.shape, width - 1));
      result = impl_->create<arith::ShRSIOp>(a, inside ? b : impl_->create<arith::MinUIOp>(b, most).getResult());
      break;
    }
    result = isLeft ? impl_->create<arith::ShLIOp>(a, b).getResult() : impl_->create<arith::ShRUIOp>(a, b);
    if (!inside) {
      Value size = unwrap(constant(left.dtype, left.shape, width));
      Value fits = impl_->create<arith::CmpIOp>(arith::CmpIPredicate::ult, b, size);
      result = impl_->create<arith::SelectOp>(fits, result, zero());
    }
    break;
  }
  case BinaryKind::Maximum:
    result = floats ? impl_->create<arith::MaximumFOp>(a, b).getResult()
             : sign ? impl_->create<arith::MaxSIOp>(a, b).getResult()
                    : impl_->create<arith::MaxUIOp>(a, b);
    break;
  case BinaryKind::Minimum:
    result = floats ? impl_->create<arith::MinimumFOp>(a, b).getResult()
             : sign ? impl_->create<arith::MinSIOp>(a, b).getResult()
                    : impl_->create<arith::MinUIOp>(a, b);
    break;
  case BinaryKind::Remainder:
    result = floats ? impl_->create<arith::RemFOp>(a, b).getResult()
             : sign ? impl_->create<arith::RemSIOp>(a, b).getResult()
                    : impl_->create<arith::RemUIOp>(a, b);
    break;
  case BinaryKind::TruncatingDivide:
    result = sign ? impl_->create<arith::DivSIOp>(a, b).getResult() : impl_->create<arith::DivUIOp>(a, b);
    break;
  case BinaryKind::Atan2: result = impl_->create<math::Atan2Op>(a, b); break;
  case BinaryKind::CopySign: result = impl_->create<math::CopySignOp>(a, b); break;
  }
  return wrapLike(result, left);
}

IrValue KernelBuilder::reduce(ReduceKind kind, const IrValue &value, const std::vector<int64_t> &axes) {
  using vector::CombiningKind;
  bool floats = layouts::isFloat(value.dtype), sign = isSigned(value.dtype);
  layouts::Shape shape;
  for (size_t d = 0; d < value.shape.size(); ++d)
    if (!llvm::is_contained(axes, static_cast<int64_t>(d)))
      shape.push_back(value.shape[d]);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  int bits = layouts::bitwidth(value.dtype);
  int64_t greatest = sign ? static_cast<int64_t>(~uint64_t{0} >> (65 - bits)) : -1, least = sign ? ~greatest : 0;
  CombiningKind combining = CombiningKind::ADD;
  IrValue start; // the neutral element
  switch (kind) {
  case ReduceKind::Sum: start = constant(value.dtype, shape, int64_t{0}); break;
  case ReduceKind::Product:
    combining = CombiningKind::MUL;
    start = constant(value.dtype, shape, int64_t{1});
    break;
  case ReduceKind::Maximum:
    combining = floats ? CombiningKind::MAXIMUMF : sign ? CombiningKind::MAXSI : CombiningKind::MAXUI;
    start = floats ? constant(value.dtype, shape, -kInfinity) : constant(value.dtype, shape, least);
    break;
  case ReduceKind::Minimum:
    combining = floats ? CombiningKind::MINIMUMF : sign ? CombiningKind::MINSI : CombiningKind::MINUI;
    start = floats ? constant(value.dtype, shape, kInfinity) : constant(value.dtype, shape, greatest);
    break;
  }
  Value result = impl_->create<vector::MultiDimReductionOp>(impl_->type(value.dtype, shape), combining, unwrap(value),
                                                            unwrap(start), axes);
  return wrap(result, value.dtype, shape);
}

IrValue KernelBuilder::bitcast(const IrValue &value, Dtype dtype) {
  assert(layouts::bitwidth(value.dtype) == layouts::bitwidth(dtype) && "the caller has checked the widths");
  mlir::Type type = impl_->type(dtype, value.shape);
  Value from = unwrap(value);
  if (type == from.getType())
    return wrap(from, dtype, value.shape);
  // A 6-bit float takes a byte, of which its bits are the lower ones.
  mlir::Type six = mlir::IntegerType::get(type.getContext(), 6);
  auto isSix = [](mlir::Type each) { return mlir::getElementTypeOrSelf(each).getIntOrFloatBitWidth() == 6; };
  auto withElement = [&](mlir::Type element) -> mlir::Type {
    auto array = dyn_cast<mlir::ShapedType>(type);
    return array ? mlir::Type(array.clone(element)) : element;
  };
  if (isSix(from.getType())) {
    from = impl_->create<arith::BitcastOp>(withElement(six), from);
    if (!isSix(type))
      from = impl_->create<arith::ExtUIOp>(withElement(mlir::IntegerType::get(type.getContext(), 8)), from);
  } else if (isSix(type)) {
    if (isa<mlir::FloatType>(mlir::getElementTypeOrSelf(from.getType())))
      from = impl_->create<arith::BitcastOp>(withElement(mlir::IntegerType::get(type.getContext(), 8)), from);
    from = impl_->create<arith::TruncIOp>(withElement(six), from);
  }
  return wrap(type == from.getType() ? from : impl_->create<arith::BitcastOp>(type, from).getResult(), dtype,
              value.shape);
}

IrValue KernelBuilder::compare(CompareKind kind, const IrValue &left, const IrValue &right) {
  assert(left.dtype == right.dtype && left.shape == right.shape && "the caller has made them agree");
  Value a = unwrap(left), b = unwrap(right);
  Value result = layouts::isFloat(left.dtype)
                     ? impl_->create<arith::CmpFOp>(floatPredicate(kind), a, b).getResult()
                     : impl_->create<arith::CmpIOp>(integerPredicate(kind, isSigned(left.dtype)), a, b).getResult();
  return wrap(result, Dtype::I1, left.shape);
}

IrValue KernelBuilder::negate(const IrValue &value) {
  if (layouts::isFloat(value.dtype))
    return wrapLike(impl_->create<arith::NegFOp>(unwrap(value)), value);
  Value zero = unwrap(constant(value.dtype, value.shape, int64_t{0}));
  return wrapLike(impl_->create<arith::SubIOp>(zero, unwrap(value)), value);
}

IrValue KernelBuilder::bitwiseNot(const IrValue &value) {
  Value ones = impl_->create<arith::ConstantOp>(impl_->constantAttribute(value.dtype, value.shape, int64_t{-1}));
  return wrapLike(impl_->create<arith::XOrIOp>(unwrap(value), ones), value);
}

IrValue KernelBuilder::absolute(const IrValue &value) {
  if (layouts::isFloat(value.dtype))
    return wrapLike(impl_->create<math::AbsFOp>(unwrap(value)), value);
  return isSigned(value.dtype) ? wrapLike(impl_->create<math::AbsIOp>(unwrap(value)), value) : value;
}

IrValue KernelBuilder::leadingZeros(const IrValue &value) {
  return wrapLike(impl_->create<math::CountLeadingZerosOp>(unwrap(value)), value);
}

IrValue KernelBuilder::math(MathKind kind, const IrValue &value, bool approximate) {
  if (value.dtype == Dtype::F16 || value.dtype == Dtype::BF16)
    return cast(math(kind, cast(value, Dtype::F32), approximate), value.dtype);
  auto flags = approximate ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  Value x = unwrap(value), result;
  switch (kind) {
  case MathKind::Exp: result = impl_->create<math::ExpOp>(x, flags); break;
  case MathKind::Exp2: result = impl_->create<math::Exp2Op>(x, flags); break;
  case MathKind::Log: result = impl_->create<math::LogOp>(x, flags); break;
  case MathKind::Log2: result = impl_->create<math::Log2Op>(x, flags); break;
  case MathKind::Sin: result = impl_->create<math::SinOp>(x, flags); break;
  case MathKind::Cos: result = impl_->create<math::CosOp>(x, flags); break;
  case MathKind::Tanh: result = impl_->create<math::TanhOp>(x, flags); break;
  case MathKind::Rsqrt: result = impl_->create<math::RsqrtOp>(x, flags); break;
  case MathKind::Sqrt: result = impl_->create<math::SqrtOp>(x, flags); break;
  case MathKind::Floor: result = impl_->create<math::FloorOp>(x); break;
  case MathKind::Ceil: result = impl_->create<math::CeilOp>(x); break;
  case MathKind::Round: result = impl_->create<math::RoundOp>(x); break;
  case MathKind::RoundEven: result = impl_->create<math::RoundEvenOp>(x); break;
  case MathKind::Erf: result = impl_->create<math::ErfOp>(x, flags); break;
  }
  return wrapLike(result, value);
}

IrValue KernelBuilder::select(const IrValue &condition, const IrValue &whenTrue, const IrValue &whenFalse) {
  return wrapLike(impl_->create<arith::SelectOp>(unwrap(condition), unwrap(whenTrue), unwrap(whenFalse)), whenTrue);
}

IrValue KernelBuilder::cast(const IrValue &value, Dtype dtype) {
  if (value.dtype == dtype)
    return value;
  if (dtype == Dtype::I1) {
    bool narrow =
        layouts::bitwidth(value.dtype) < 16 && (layouts::isFloat(value.dtype) || layouts::bitwidth(value.dtype) == 4);
    IrValue comparable = narrow ? cast(value, layouts::isFloat(value.dtype) ? Dtype::F32 : Dtype::I8) : value;
    return compare(CompareKind::NotEqual, comparable, constant(comparable.dtype, value.shape, int64_t{0}));
  }
  Value from = unwrap(value);
  mlir::Type type = impl_->type(dtype, value.shape);
  int fromBits = layouts::bitwidth(value.dtype), bits = layouts::bitwidth(dtype);
  if (fromBits == 4 && bits == 4 && (layouts::isFloat(value.dtype) || layouts::isFloat(dtype)))
    return cast(cast(value, Dtype::F32), dtype);
  bool fromFloat = layouts::isFloat(value.dtype), toFloat = layouts::isFloat(dtype);
  Value result;
  if (fromFloat && toFloat) {
    if (fromBits == bits) // f16 <-> bf16, f8 <-> f8: neither type contains the other
      return cast(cast(value, Dtype::F32), dtype);
    result = bits > fromBits ? impl_->create<arith::ExtFOp>(type, from).getResult()
                             : impl_->create<arith::TruncFOp>(type, from).getResult();
  } else if (toFloat) {
    result = isSigned(value.dtype) ? impl_->create<arith::SIToFPOp>(type, from).getResult()
                                   : impl_->create<arith::UIToFPOp>(type, from).getResult();
  } else if (fromFloat) {
    result = isSigned(dtype) ? impl_->create<arith::FPToSIOp>(type, from).getResult()
                             : impl_->create<arith::FPToUIOp>(type, from).getResult();
  } else if (bits == fromBits) {
    return wrap(from, dtype, value.shape); // signed and unsigned integers have the same bits
  } else if (bits < fromBits) {
    result = impl_->create<arith::TruncIOp>(type, from);
  } else {
    result = isSigned(value.dtype) ? impl_->create<arith::ExtSIOp>(type, from).getResult()
                                   : impl_->create<arith::ExtUIOp>(type, from).getResult();
  }
  return wrap(result, dtype, value.shape);
}

} // namespace lanescope::core
