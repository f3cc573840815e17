// Operations that move and combine the elements of vectors: the vector dialect, and tpu's own operations.
#include "core/tpu/decode/TpuDecoder.h"
#include "core/tpu/ir/Tpu.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lanescope::core::sparsecore {

static std::vector<int64_t> integers(mlir::ArrayAttr attribute) {
  std::vector<int64_t> out;
  for (mlir::Attribute each : attribute)
    out.push_back(mlir::cast<mlir::IntegerAttr>(each).getInt());
  return out;
}

/// The positions, with kDynamic for each position that is an operand.
static std::vector<int64_t> positions(llvm::ArrayRef<int64_t> given) {
  std::vector<int64_t> out;
  for (int64_t each : given)
    out.push_back(mlir::ShapedType::isDynamic(each) ? kDynamic : each);
  return out;
}

static std::optional<Elementwise> combining(mlir::vector::CombiningKind kind, bool isFloat) {
  using Kind = mlir::vector::CombiningKind;
  switch (kind) {
  case Kind::ADD: return isFloat ? Elementwise::AddFloat : Elementwise::AddInteger;
  case Kind::MUL: return isFloat ? Elementwise::MulFloat : Elementwise::MulInteger;
  case Kind::MINUI: return Elementwise::MinUnsigned;
  case Kind::MINSI: return Elementwise::MinSigned;
  case Kind::MINNUMF: return Elementwise::MinNumFloat;
  case Kind::MAXUI: return Elementwise::MaxUnsigned;
  case Kind::MAXSI: return Elementwise::MaxSigned;
  case Kind::MAXNUMF: return Elementwise::MaxNumFloat;
  case Kind::AND: return Elementwise::And;
  case Kind::OR: return Elementwise::Or;
  case Kind::XOR: return Elementwise::Xor;
  case Kind::MINIMUMF: return Elementwise::MinimumFloat;
  case Kind::MAXIMUMF: return Elementwise::MaximumFloat;
  }
  return std::nullopt;
}

static bool isFloat(mlir::Type type) { return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type)); }

bool FunctionDecoder::vectors(mlir::Operation &op) {
  auto plain = [&](Op code) -> Instruction & { return emit(op, code, op.getOperands(), op.getResults()); };
  if (mlir::isa<mlir::vector::BroadcastOp>(op))
    plain(Op::Broadcast);
  else if (mlir::isa<mlir::vector::ShapeCastOp, tpu::AssumeMultipleOp>(op))
    plain(Op::Copy);
  else if (mlir::isa<mlir::vector::BitCastOp>(op))
    plain(Op::Bitcast);
  else if (mlir::isa<tpu::BitcastOp>(op))
    plain(Op::BitcastRows);
  else if (auto extract = mlir::dyn_cast<mlir::vector::ExtractOp>(op))
    plain(Op::Extract).numbers = positions(extract.getStaticPosition());
  else if (auto insert = mlir::dyn_cast<mlir::vector::InsertOp>(op))
    plain(Op::Insert).numbers = positions(insert.getStaticPosition());
  else if (auto slice = mlir::dyn_cast<mlir::vector::ExtractStridedSliceOp>(op)) {
    std::vector<int64_t> numbers = integers(slice.getOffsets()), strides = integers(slice.getStrides());
    numbers.insert(numbers.end(), strides.begin(), strides.end());
    plain(Op::ExtractSlice).numbers = std::move(numbers);
  } else if (auto slice = mlir::dyn_cast<mlir::vector::InsertStridedSliceOp>(op)) {
    std::vector<int64_t> numbers = integers(slice.getOffsets()), strides = integers(slice.getStrides());
    numbers.insert(numbers.end(), strides.begin(), strides.end());
    plain(Op::InsertSlice).numbers = std::move(numbers);
  } else if (auto transpose = mlir::dyn_cast<mlir::vector::TransposeOp>(op))
    plain(Op::Transpose).numbers.assign(transpose.getPermutation().begin(), transpose.getPermutation().end());
  else if (auto shuffle = mlir::dyn_cast<mlir::vector::ShuffleOp>(op)) {
    // The shuffle selects rows of the first dimension.
    auto result = shuffle.getResultVectorType();
    int64_t row = result.getNumElements() / std::max<int64_t>(result.getDimSize(0), 1);
    Instruction &made = plain(Op::Rearrange);
    for (int64_t from : shuffle.getMask())
      for (int64_t k = 0; k < row; ++k)
        made.numbers.push_back(from < 0 ? -1 : from * row + k);
  } else if (auto reduce = mlir::dyn_cast<mlir::vector::MultiDimReductionOp>(op)) {
    auto kind = combining(reduce.getKind(), isFloat(reduce.getSource().getType()));
    Instruction &made = plain(Op::Reduce);
    made.sub = static_cast<uint8_t>(kind.value_or(Elementwise::AddInteger));
    made.numbers.assign(reduce.getReductionDims().begin(), reduce.getReductionDims().end());
  } else if (auto reduce = mlir::dyn_cast<mlir::vector::ReductionOp>(op)) {
    auto kind = combining(reduce.getKind(), isFloat(reduce.getVector().getType()));
    Instruction &made = plain(Op::Reduce);
    made.sub = static_cast<uint8_t>(kind.value_or(Elementwise::AddInteger));
    made.numbers = {0};
  } else
    return false;
  return true;
}

static uint8_t kindOf(tpu::ReductionKind kind) {
  switch (kind) {
  case tpu::ReductionKind::Sum: return static_cast<uint8_t>(ReductionKind::Sum);
  case tpu::ReductionKind::Max: return static_cast<uint8_t>(ReductionKind::Max);
  case tpu::ReductionKind::Min: return static_cast<uint8_t>(ReductionKind::Min);
  case tpu::ReductionKind::ArgMax: return static_cast<uint8_t>(ReductionKind::ArgMax);
  case tpu::ReductionKind::ArgMin: return static_cast<uint8_t>(ReductionKind::ArgMin);
  case tpu::ReductionKind::FindFirstSet: return static_cast<uint8_t>(ReductionKind::FindFirstSet);
  }
  return 0;
}
static uint8_t formatOf(tpu::PackFormat format) {
  return static_cast<uint8_t>(format == tpu::PackFormat::Compressed ? PackFormat::Compressed : PackFormat::Interleaved);
}

bool FunctionDecoder::lanes(mlir::Operation &op) {
  auto plain = [&](Op code) -> Instruction & { return emit(op, code, op.getOperands(), op.getResults()); };
  if (auto iota = mlir::dyn_cast<tpu::IotaOp>(op))
    plain(Op::Iota).numbers.assign(iota.getDimensions().begin(), iota.getDimensions().end());
  else if (auto concatenate = mlir::dyn_cast<tpu::ConcatenateOp>(op))
    plain(Op::Concatenate).mode = static_cast<int32_t>(concatenate.getDimension());
  else if (auto gather = mlir::dyn_cast<tpu::DynamicGatherOp>(op))
    plain(Op::DynamicGather).numbers.assign(gather.getDimensions().begin(), gather.getDimensions().end());
  else if (auto scan = mlir::dyn_cast<tpu::ScanOp>(op)) {
    Instruction &made = plain(Op::Scan);
    made.sub = kindOf(scan.getKind());
    auto rank = mlir::cast<mlir::VectorType>(scan.getInput().getType()).getRank();
    made.mode = static_cast<int32_t>(scan.getDimension().value_or(static_cast<uint64_t>(rank) - 1));
  } else if (mlir::isa<tpu::ScanCountOp>(op))
    plain(Op::ScanCount);
  else if (auto sort = mlir::dyn_cast<tpu::SortOp>(op))
    plain(Op::Sort).flag = sort.getDescending();
  else if (auto reduce = mlir::dyn_cast<tpu::AllReduceOp>(op)) {
    Instruction &made = plain(Op::AllReduce);
    made.sub = kindOf(reduce.getKind());
    made.mode = static_cast<int32_t>(reduce.getDim());
  } else if (auto pack = mlir::dyn_cast<tpu::PackSubelementsOp>(op)) {
    Instruction &made = plain(Op::Pack);
    made.sub = formatOf(pack.getPackFormat());
    made.numbers.assign(pack.getPositions().begin(), pack.getPositions().end());
    made.flag = pack.getUnsignedIntegers();
  } else if (auto unpack = mlir::dyn_cast<tpu::UnpackSubelementsOp>(op)) {
    Instruction &made = plain(Op::Unpack);
    made.sub = formatOf(unpack.getPackFormat());
    made.mode = static_cast<int32_t>(unpack.getIndex());
    made.flag = unpack.getUnsignedIntegers();
  } else
    return false;
  return true;
}

} // namespace lanescope::core::sparsecore
