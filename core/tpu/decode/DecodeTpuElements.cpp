// arith, math: operations on one element after another.
#include "core/tpu/decode/TpuDecoder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/StringMap.h"

namespace lanescope::core::sparsecore {

static const llvm::StringMap<Elementwise> &operations() {
  static const llvm::StringMap<Elementwise> all = {
      {"arith.addi", Elementwise::AddInteger},
      {"arith.subi", Elementwise::SubInteger},
      {"arith.muli", Elementwise::MulInteger},
      {"arith.divsi", Elementwise::DivSigned},
      {"arith.divui", Elementwise::DivUnsigned},
      {"arith.ceildivsi", Elementwise::CeilDivSigned},
      {"arith.ceildivui", Elementwise::CeilDivUnsigned},
      {"arith.floordivsi", Elementwise::FloorDivSigned},
      {"arith.remsi", Elementwise::RemSigned},
      {"arith.remui", Elementwise::RemUnsigned},
      {"arith.andi", Elementwise::And},
      {"arith.ori", Elementwise::Or},
      {"arith.xori", Elementwise::Xor},
      {"arith.shli", Elementwise::ShiftLeft},
      {"arith.shrsi", Elementwise::ShiftRightSigned},
      {"arith.shrui", Elementwise::ShiftRightUnsigned},
      {"arith.maxsi", Elementwise::MaxSigned},
      {"arith.minsi", Elementwise::MinSigned},
      {"arith.maxui", Elementwise::MaxUnsigned},
      {"arith.minui", Elementwise::MinUnsigned},
      {"arith.cmpi", Elementwise::CompareInteger},
      {"arith.cmpf", Elementwise::CompareFloat},
      {"arith.select", Elementwise::Select},
      {"arith.addf", Elementwise::AddFloat},
      {"arith.subf", Elementwise::SubFloat},
      {"arith.mulf", Elementwise::MulFloat},
      {"arith.divf", Elementwise::DivFloat},
      {"arith.remf", Elementwise::RemFloat},
      {"arith.maximumf", Elementwise::MaximumFloat},
      {"arith.minimumf", Elementwise::MinimumFloat},
      {"arith.maxnumf", Elementwise::MaxNumFloat},
      {"arith.minnumf", Elementwise::MinNumFloat},
      {"arith.negf", Elementwise::NegateFloat},
      {"arith.extsi", Elementwise::ExtendSigned},
      {"arith.extui", Elementwise::ExtendUnsigned},
      {"arith.trunci", Elementwise::Truncate},
      {"arith.extf", Elementwise::ExtendFloat},
      {"arith.truncf", Elementwise::TruncateFloat},
      {"arith.fptosi", Elementwise::FloatToSigned},
      {"arith.fptoui", Elementwise::FloatToUnsigned},
      {"arith.sitofp", Elementwise::SignedToFloat},
      {"arith.uitofp", Elementwise::UnsignedToFloat},
      {"arith.index_cast", Elementwise::IndexCast},
      {"arith.index_castui", Elementwise::IndexCastUnsigned},
      {"math.absf", Elementwise::AbsoluteFloat},
      {"math.absi", Elementwise::AbsoluteInteger},
      {"math.ceil", Elementwise::CeilFloat},
      {"math.floor", Elementwise::FloorFloat},
      {"math.round", Elementwise::RoundFloat},
      {"math.roundeven", Elementwise::RoundEvenFloat},
      {"math.trunc", Elementwise::TruncFloat},
      {"math.exp", Elementwise::Exp},
      {"math.exp2", Elementwise::Exp2},
      {"math.expm1", Elementwise::ExpMinusOne},
      {"math.log", Elementwise::Log},
      {"math.log2", Elementwise::Log2},
      {"math.log1p", Elementwise::Log1p},
      {"math.sqrt", Elementwise::Sqrt},
      {"math.rsqrt", Elementwise::Rsqrt},
      {"math.sin", Elementwise::Sin},
      {"math.cos", Elementwise::Cos},
      {"math.tan", Elementwise::Tan},
      {"math.tanh", Elementwise::Tanh},
      {"math.erf", Elementwise::Erf},
      {"math.powf", Elementwise::Power},
      {"math.fpowi", Elementwise::IntegerPower},
      {"math.ipowi", Elementwise::IntegerPower},
      {"math.fma", Elementwise::FusedMultiplyAdd},
      {"math.ctlz", Elementwise::CountLeadingZeros},
      {"math.cttz", Elementwise::CountTrailingZeros},
      {"math.ctpop", Elementwise::CountOnes},
      {"math.copysign", Elementwise::CopySign},
      {"math.atan2", Elementwise::Atan2},
      {"math.isnan", Elementwise::IsNan},
      {"math.isinf", Elementwise::IsInf},
      {"math.isfinite", Elementwise::IsFinite},
      {"vector.fma", Elementwise::FusedMultiplyAdd},
  };
  return all;
}

static uint64_t bitsOf(mlir::Attribute value) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value)) {
    bool index = integer.getType().isIndex();
    return index ? static_cast<uint64_t>(integer.getValue().getSExtValue()) : integer.getValue().getZExtValue();
  }
  return mlir::cast<mlir::FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue();
}

bool FunctionDecoder::elementwise(mlir::Operation &op) {
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
    Instruction &made = emit(op, Op::Constant, {}, op.getResults());
    if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())) {
      if (dense.isSplat())
        made.data = {bitsOf(dense.getSplatValue<mlir::Attribute>())};
      else
        for (mlir::Attribute value : dense.getValues<mlir::Attribute>())
          made.data.push_back(bitsOf(value));
    } else if (mlir::isa<mlir::IntegerAttr, mlir::FloatAttr>(constant.getValue())) {
      made.data = {bitsOf(constant.getValue())};
    } else {
      fail(op, "the emulator does not have such a constant");
      made.data = {0};
    }
    if (made.data.empty())
      made.data = {0};
    return true;
  }
  if (mlir::isa<mlir::arith::BitcastOp>(op)) { // elements of the same width
    emit(op, Op::Copy, op.getOperands(), op.getResults());
    return true;
  }
  auto known = operations().find(op.getName().getStringRef());
  if (known == operations().end())
    return false;
  Instruction &made = emit(op, Op::Elementwise, op.getOperands(), op.getResults());
  made.sub = static_cast<uint8_t>(known->second);
  if (auto compare = mlir::dyn_cast<mlir::arith::CmpIOp>(op))
    made.mode = static_cast<int32_t>(compare.getPredicate());
  else if (auto compare = mlir::dyn_cast<mlir::arith::CmpFOp>(op))
    made.mode = static_cast<int32_t>(compare.getPredicate());
  return true;
}

} // namespace lanescope::core::sparsecore
