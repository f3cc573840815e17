#include "core/gpu/ir/TensorProducts.h"

#include "core/gpu/ir/ElementTypes.h"
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/ProductQueries.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;
using layouts::kTmemCellBits;
using layouts::kTmemLanes;
using layouts::Shape;
using mosaic_gpu::Tcgen05MMAOp;
namespace catalogue = layouts::catalogue;

namespace {

MemRefType memrefOf(Value ref) { return cast<MemRefType>(ref.getType()); }
Shape shapeOf(Value ref) { return memrefOf(ref).getShape().vec(); }

class Checker {
public:
  explicit Checker(Tcgen05MMAOp op) : op_(op) {}

  FailureOr<TensorProduct> run() {
    if (failed(places()) || failed(shapes()) || failed(types()) || failed(rows()) || failed(columns()) ||
        failed(scales()) || failed(metadata()))
      return failure();
    return p_;
  }

private:
  template <typename... Parts> LogicalResult fail(Parts &&...parts) {
    return op_.emitError(text(std::forward<Parts>(parts)...));
  }

  LogicalResult place(Value ref, bool tensor, bool shared, std::string_view what) {
    if (!ref)
      return success();
    MemRefType type = memrefOf(ref);
    bool fits = (tensor && isTensorMemory(type)) || (shared && isSharedMemory(type));
    if (!fits)
      return fail(what, " of `tcgen05_mma` is in ", tensor ? "tensor" : "", tensor && shared ? " or " : "",
                  shared ? "shared" : "", " memory");
    if (type.getRank() != 2 || !type.hasStaticShape())
      return fail(what, " of `tcgen05_mma` has two dimensions, not ", type.getRank());
    if (!type.getElementType().isIntOrFloat())
      return fail(what, " of `tcgen05_mma` has no numbers");
    return success();
  }

  LogicalResult places() {
    if (failed(place(op_.getAccumulator(), true, false, "the accumulator")) ||
        failed(place(op_.getA(), true, true, "the left operand")) ||
        failed(place(op_.getB(), false, true, "the right operand")) ||
        failed(place(op_.getAScale(), true, false, "the left scale")) ||
        failed(place(op_.getBScale(), true, false, "the right scale")) ||
        failed(place(op_.getASparseMetadata(), true, false, "the sparsity metadata")))
      return failure();
    if (!op_.getAScale() != !op_.getBScale())
      return fail("`tcgen05_mma` takes scales of both operands, or of neither");
    p_.collective = op_.getCollective();
    p_.sparse = static_cast<bool>(op_.getASparseMetadata());
    p_.leftInTensor = isTensorMemory(memrefOf(op_.getA()));
    if (op_.getAScale() && p_.sparse && p_.leftInTensor)
      return fail("block-scaled and sparse `tcgen05_mma` takes the left operand from shared memory");
    return success();
  }

  LogicalResult shapes() {
    Shape a = shapeOf(op_.getA()), b = shapeOf(op_.getB()), sum = shapeOf(op_.getAccumulator());
    p_.m = a[0], p_.n = b[1], p_.k = b[0];
    int64_t depth = p_.sparse ? 2 * a[1] : a[1];
    if (depth != p_.k)
      return fail("`tcgen05_mma` multiplies along one K, but the left operand has ", depth,
                  p_.sparse ? " (twice its columns, as it is sparse)" : "", " and the right one ", p_.k);
    Shape wanted{p_.m, p_.n * p_.ctas()};
    if (sum != wanted)
      return fail("the accumulator of this `tcgen05_mma` has the shape ", layouts::tupleText(wanted),
                  p_.collective ? " (the columns of both blocks)" : "", ", not ", layouts::tupleText(sum));
    return success();
  }

  std::optional<layouts::Dtype> dtype(Value ref, llvm::StringRef unsignedMark = "") {
    Type element = memrefOf(ref).getElementType();
    if (!unsignedMark.empty() && element.isSignlessInteger() && op_->hasAttr(unsignedMark))
      element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
    return dtypeOf(element);
  }

  LogicalResult types() {
    auto a = dtype(op_.getA(), "lanescope.unsigned_a"), b = dtype(op_.getB(), "lanescope.unsigned_b");
    auto d = dtype(op_.getAccumulator());
    if (!a || !b || !d)
      return fail("`tcgen05_mma` does not multiply elements of such a type");
    auto isByteFloat = [](layouts::Dtype each) {
      return each == layouts::Dtype::F8E4M3FN || each == layouts::Dtype::F8E5M2;
    };
    auto isByte = [](layouts::Dtype each) { return each == layouts::Dtype::I8 || each == layouts::Dtype::U8; };
    if (a != b && !(isByteFloat(*a) && isByteFloat(*b)) && !(isByte(*a) && isByte(*b)))
      return fail("`tcgen05_mma` multiplies operands of one type, or two of 8-bit floats, not ", layouts::name(*a),
                  " and ", layouts::name(*b));
    bool scaled = static_cast<bool>(op_.getAScale());
    p_.bits = layouts::bitwidth(*a);
    bool narrow = layouts::isFloat(*a) && p_.bits <= 8;
    if (scaled && !narrow)
      return fail("`tcgen05_mma` scales blocks of 4- and 8-bit floats, not of ", layouts::name(*a));
    if (!scaled && p_.bits == 4)
      return fail("`tcgen05_mma` of ", layouts::name(*a), " needs `a_scale` and `b_scale`");
    layouts::MatrixQuery query = tcgen05Query(*a, scaled);
    query.ctas = p_.ctas();
    query.sparse = p_.sparse;
    query.a = layouts::multiplicandNamed(*a);
    query.b = layouts::multiplicandNamed(*b);
    query.d = layouts::accumulatorNamed(*d);
    query.productK = p_.k;
    auto rows = layouts::chooseMatrixInstructions(query);
    if (!rows)
      return fail(rows.error().message);
    p_.instruction = rows->front();
    p_.a = *query.a->type, p_.b = *query.b->type, p_.d = *query.d->type;
    return success();
  }

  LogicalResult rows() {
    if (p_.m != kTmemLanes && p_.m != kTmemLanes / 2)
      return fail("`tcgen05_mma` has 64 or 128 rows in a block, not ", p_.m);
    if (p_.m == kTmemLanes)
      return success();
    if (p_.leftInTensor)
      return fail("`tcgen05_mma` with the left operand in tensor memory has 128 rows, not 64");
    if (op_.getAScale() && !p_.collective)
      return fail("block-scaled `tcgen05_mma` of one block has 128 rows, not 64");
    if (p_.sparse)
      return fail("sparse `tcgen05_mma` has 128 rows, not 64");
    return success();
  }

  LogicalResult columns() {
    constexpr int64_t kMostOfPair = 128, kMost = 512, kMostAtOnce = 256;
    int64_t unit = (p_.collective ? 16 : 8) * (p_.d == layouts::MatrixType::S32 ? 2 : 1);
    if (p_.sparse)
      unit = p_.collective && p_.d == layouts::MatrixType::S32 ? 32 : 16;
    unit *= p_.laneGroups();
    if (p_.n % unit != 0)
      return fail("the right operand of this `tcgen05_mma` has a multiple of ", unit, " columns",
                  p_.collective ? " in each block" : "", ", not ", p_.n);
    if (p_.collective && p_.n > kMostOfPair)
      return fail("the right operand of a collective `tcgen05_mma` has at most ", kMostOfPair,
                  " columns in each block, not ", p_.n);
    if (p_.n > kMostAtOnce && p_.n != kMost)
      return fail("the right operand of `tcgen05_mma` has at most ", kMostAtOnce, " columns, or ", kMost, ", not ",
                  p_.n);
    if (p_.n > kMostAtOnce && (op_.getAScale() || p_.sparse))
      return fail("a scaled or sparse `tcgen05_mma` has at most ", kMostAtOnce, " columns, not ", p_.n);
    return success();
  }

  LogicalResult scales() {
    if (!op_.getAScale())
      return success();
    auto a = dtype(op_.getAScale()), b = dtype(op_.getBScale());
    if (a != b)
      return fail("both scales of `tcgen05_mma` are of one type");
    bool fine = a == layouts::Dtype::F8E8M0FNU || (a == layouts::Dtype::F8E4M3FN && p_.bits == 4);
    if (!fine)
      return fail("the scales of this `tcgen05_mma` are f8e8m0fnu", p_.bits == 4 ? " or f8e4m3fn" : "");
    Shape left = shapeOf(op_.getAScale()), right = shapeOf(op_.getBScale());
    if (left[1] == 0 || p_.k % left[1] != 0)
      return fail("the scales of `tcgen05_mma` divide K, which is ", p_.k, ", into blocks, not into ", left[1]);
    int64_t block = p_.k / left[1], dense = p_.sparse ? block / 2 : block;
    bool exponents = a == layouts::Dtype::F8E8M0FNU;
    if (p_.bits == 8 ? dense != 32 : exponents ? dense != 16 && dense != 32 : dense != 16)
      return fail("a scale of this `tcgen05_mma` is for ", p_.sparse ? "twice " : "",
                  p_.bits == 8 ? "32"
                  : exponents  ? "16 or 32"
                               : "16",
                  " elements of K, not for ", block);
    layouts::MatrixType type = exponents ? layouts::MatrixType::UE8M0 : layouts::MatrixType::UE4M3;
    p_.scale = layouts::BlockScale{p_.bits == 8 ? 1 : dense == 32 ? 2 : 4, static_cast<int>(block), type};
    if (left != Shape{kTmemLanes, left[1]})
      return fail("the left scales of `tcgen05_mma` have the shape ", layouts::tupleText(Shape{kTmemLanes, left[1]}),
                  ", not ", layouts::tupleText(left));
    if (right[1] != left[1] || right[0] % kTmemLanes != 0 || right[0] < p_.n * p_.ctas())
      return fail("the right scales of this `tcgen05_mma` have ", left[1], " columns and at least ", p_.n * p_.ctas(),
                  " rows, a multiple of ", kTmemLanes, ", not the shape ", layouts::tupleText(right));
    return success();
  }

  LogicalResult metadata() {
    if (!p_.sparse)
      return success();
    constexpr int64_t kBits = 2;
    MemRefType type = memrefOf(op_.getASparseMetadata());
    if (!type.getElementType().isInteger(kBits))
      return fail("the sparsity metadata of `tcgen05_mma` is u2");
    Shape wanted{p_.m, 2 * p_.k / p_.sparseGroup()};
    if (shapeOf(op_.getASparseMetadata()) != wanted)
      return fail("the sparsity metadata of this `tcgen05_mma` has the shape ", layouts::tupleText(wanted), ", not ",
                  layouts::tupleText(shapeOf(op_.getASparseMetadata())));
    return success();
  }

  Tcgen05MMAOp op_;
  TensorProduct p_;
};

} // namespace

FailureOr<TensorProduct> tensorProduct(Tcgen05MMAOp op) { return Checker(op).run(); }

void tensorProductRules(Tcgen05MMAOp op, LayoutRules &rules) {
  bool collective = op.getCollective();
  if (auto own = catalogue::inferTmem(shapeOf(op.getAccumulator()), collective))
    rules.oneOf(op.getAccumulatorMutable(), {*own}, "the accumulator of `tcgen05_mma`");
  int bits = static_cast<int>(memrefOf(op.getA()).getElementTypeBitWidth());
  if (isTensorMemory(memrefOf(op.getA())))
    if (auto own = catalogue::inferTmem(shapeOf(op.getA()), collective, kTmemCellBits / bits))
      rules.oneOf(op.getAMutable(), {*own}, "the left operand of `tcgen05_mma`");
  bool halves = collective && memrefOf(op.getA()).getDimSize(0) == kTmemLanes / 2;
  for (mlir::OpOperand &scale : op.getAScaleMutable())
    rules.oneOf(scale, {catalogue::scales()}, "the left scales of `tcgen05_mma`");
  for (mlir::OpOperand &scale : op.getBScaleMutable())
    rules.oneOf(scale, {halves ? catalogue::bScalesM64Collective() : catalogue::scales()},
                "the right scales of `tcgen05_mma`");
  for (mlir::OpOperand &metadata : op.getASparseMetadataMutable())
    rules.oneOf(metadata, {catalogue::sparseMeta()}, "the sparsity metadata of `tcgen05_mma`");
}

} // namespace lanescope::core
