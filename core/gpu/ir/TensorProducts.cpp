#include "core/gpu/ir/TensorProducts.h"

#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/ProductQueries.h"
#include "core/gpu/ir/TensorRules.h"
#include "core/ir/ElementTypes.h"

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
    if (failed(places()) || failed(rules()))
      return failure();
    return p_;
  }

private:
  template <typename... Parts> LogicalResult fail(Parts &&...parts) {
    return op_.emitError(text(std::forward<Parts>(parts)...));
  }

  enum class In : uint8_t { Tensor, Shared, Either };

  LogicalResult place(Value ref, In in, std::string_view what) {
    if (!ref)
      return success();
    MemRefType type = memrefOf(ref);
    bool tensor = in != In::Shared, shared = in != In::Tensor;
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
    if (failed(place(op_.getAccumulator(), In::Tensor, "the accumulator")) ||
        failed(place(op_.getA(), In::Either, "the left operand")) ||
        failed(place(op_.getB(), In::Shared, "the right operand")) ||
        failed(place(op_.getAScale(), In::Tensor, "the left scale")) ||
        failed(place(op_.getBScale(), In::Tensor, "the right scale")) ||
        failed(place(op_.getASparseMetadata(), In::Tensor, "the sparsity metadata")))
      return failure();
    p_.collective = op_.getCollective();
    p_.sparse = static_cast<bool>(op_.getASparseMetadata());
    p_.leftInTensor = isTensorMemory(memrefOf(op_.getA()));
    return success();
  }

  std::optional<layouts::Dtype> dtype(Value ref, llvm::StringRef unsignedMark = "") {
    Type element = memrefOf(ref).getElementType();
    bool isMetadata = ref == op_.getASparseMetadata();
    if (element.isSignlessInteger() && (isMetadata || (!unsignedMark.empty() && op_->hasAttr(unsignedMark))))
      element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
    return dtypeOf(element);
  }

  FailureOr<Tcgen05Operand> operand(Value ref, std::string name, llvm::StringRef unsignedMark = "") {
    auto type = dtype(ref, unsignedMark);
    if (!type)
      return fail("`tcgen05_mma` does not multiply elements of such a type");
    Tcgen05Operand made{std::move(name), *type, shapeOf(ref)};
    made.inTensor = isTensorMemory(memrefOf(ref));
    return made;
  }

  /// Checks all rules of TensorRules.h, which cover everything except the operands' places.
  LogicalResult rules() {
    auto acc = operand(op_.getAccumulator(), "accumulator");
    auto a = operand(op_.getA(), "a", "lanescope.unsigned_a"), b = operand(op_.getB(), "b", "lanescope.unsigned_b");
    if (failed(acc) || failed(a) || failed(b))
      return failure();
    Tcgen05Product product{.acc = *acc, .a = *a, .b = *b};
    for (auto [ref, into, name] : {std::tuple(op_.getAScale(), &product.aScale, "a_scale"),
                                   {op_.getBScale(), &product.bScale, "b_scale"},
                                   {op_.getASparseMetadata(), &product.metadata, "a_sparse_metadata"}})
      if (ref) {
        auto made = operand(ref, name);
        if (failed(made))
          return failure();
        *into = *made;
      }
    product.collective = p_.collective;
    if (auto problem = checkTcgen05(product))
      return fail("in this `tcgen05_mma` ", problem->message);
    fill(product);
    return success();
  }

  void fill(const Tcgen05Product &product) {
    p_.m = product.a.shape[0], p_.n = product.b.shape[1], p_.k = product.b.shape[0];
    p_.bits = layouts::bitwidth(product.a.dtype);
    p_.sparseGroup = sparseGroup(product.a.dtype);
    layouts::MatrixQuery query = tcgen05Query(product.a.dtype, product.aScale.has_value());
    query.ctas = p_.ctas();
    query.sparse = p_.sparse;
    query.a = layouts::multiplicandNamed(product.a.dtype);
    query.b = layouts::multiplicandNamed(product.b.dtype);
    query.d = layouts::accumulatorNamed(product.acc.dtype);
    query.productK = p_.k;
    auto rows = layouts::chooseMatrixInstructions(query);
    assert(rows && "the rules ask the same table");
    p_.instruction = rows->front();
    p_.a = *query.a->type, p_.b = *query.b->type, p_.d = *query.d->type;
    if (!product.aScale)
      return;
    bool exponents = product.aScale->dtype == layouts::Dtype::F8E8M0FNU;
    int64_t block = p_.k / product.aScale->shape[1], dense = p_.sparse ? block / 2 : block;
    p_.scale = layouts::BlockScale{p_.bits == 8  ? 1
                                   : dense == 32 ? 2
                                                 : 4,
                                   static_cast<int>(block),
                                   exponents ? layouts::MatrixType::UE8M0 : layouts::MatrixType::UE4M3};
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
  for (mlir::OpOperand &scale : op.getAScaleMutable())
    rules.oneOf(scale, {catalogue::scales()}, "the left scales of `tcgen05_mma`");
  for (mlir::OpOperand &scale : op.getBScaleMutable())
    rules.oneOf(scale, {catalogue::bScales(memrefOf(op.getA()).getDimSize(0), collective)},
                "the right scales of `tcgen05_mma`");
  for (mlir::OpOperand &metadata : op.getASparseMetadataMutable())
    rules.oneOf(metadata, {catalogue::sparseMeta()}, "the sparsity metadata of `tcgen05_mma`");
}

} // namespace lanescope::core
