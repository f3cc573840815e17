// `custom_primitive`: per-thread code on arrays. The code gets an array as its registers, by a cast, and returns arrays
// in the same way. It gets a reference as a memref. The code is copied unchanged. At the end, the passes for JAX's
// threads' code convert it to LLVM's dialect (../lane/LaneConversion.h).
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/MosaicGpuRegions.h"
#include "core/gpu/lowering/threads/ThreadCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lanescope::core {

using namespace mlir;

namespace {

class Primitive {
public:
  Primitive(KernelLowering &k, mosaic_gpu::CustomPrimitiveOp op) : k_(k), op_(op), builder_(k.t.builder()) {}

  LogicalResult run() {
    if (op_.getBody().empty())
      return op_.emitError("this primitive has no body");
    bool memory = llvm::any_of(op_.getOperandTypes(), llvm::IsaPred<MemRefType>);
    if (memory && k_.unsyncedStores)
      k_.warpgroupBarrier();
    Block &body = op_.getBody().front();
    unsigned layouts = 0;
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op_.getOperands()))
      if (failed(give(argument, operand, layouts)))
        return failure();
    for (Operation &inner : body.without_terminator())
      if (failed(copy(inner)))
        return failure();
    if (memory)
      k_.unsyncedStores = true; // the code may have written to shared memory
    k_.hasThreadCode = true;
    return takeResults(body.getTerminator());
  }

private:
  Location at() { return op_.getLoc(); }

  LogicalResult give(BlockArgument argument, Value operand, unsigned &layouts) {
    if (isa<VectorType>(operand.getType())) {
      auto layout = toLayout(op_.getInLayouts()[layouts++]);
      if (!layout)
        return op_.emitError("`in_layouts` has an entry that is no layout");
      arrays_[argument] = k_.array(operand, *layout);
    } else if (auto type = dyn_cast<MemRefType>(operand.getType());
               type && !isa<mosaic_gpu::BarrierType>(type.getElementType())) {
      auto held = k_.values.find(operand);
      if (held != k_.values.end() && std::holds_alternative<Value>(held->second) && type.getRank() == 0) {
        inside_.map(argument, described(std::get<Value>(held->second), type, {}, 0)); // a variable of the thread
        return success();
      }
      if (held == k_.values.end() || !std::holds_alternative<Ref>(held->second))
        return op_.emitError() << "per-thread code on arrays that takes a `" << type
                               << "` is not supported in kernels yet";
      references_.insert(argument);
      auto whole = reference(k_.ref(operand), type);
      if (succeeded(whole))
        inside_.map(argument, *whole);
      outside_[argument] = operand;
    } else if (isa<MemRefType>(operand.getType())) {
      return op_.emitError("per-thread code on arrays that takes barriers is not supported in kernels yet");
    } else {
      inside_.map(argument, k_.scalar(operand));
    }
    return success();
  }

  LogicalResult copy(Operation &inner) {
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(inner)) {
      if (cast.getNumOperands() == 1 && arrays_.contains(cast.getOperand(0)))
        return takeApart(cast, arrays_[cast.getOperand(0)]);
      if (cast.getNumOperands() == 1 && references_.contains(cast.getOperand(0)) &&
          isa<MemRefType>(cast.getResult(0).getType()))
        return retype(cast);
      if (cast.getNumResults() == 1 && cast->hasAttr("layout"))
        return putTogether(cast);
    }
    for (Value operand : inner.getOperands())
      if (!inside_.contains(operand))
        return inner.emitError() << "`" << inner.getName()
                                 << "` in per-thread code uses an array, or memory with transforms, as a whole";
    builder_.clone(inner, inside_);
    return success();
  }

  //===--- registers ---===//

  /// Reinterprets the bits of `value` as another type of the same size.
  Value as(Value value, Type type) {
    if (value.getType() == type)
      return value;
    auto vector = dyn_cast<VectorType>(type), own = dyn_cast<VectorType>(value.getType());
    if (vector && !own) {
      own = VectorType::get({1}, value.getType());
      value = vector::BroadcastOp::create(builder_, at(), own, value);
    }
    if (vector)
      return own == vector ? value : vector::BitCastOp::create(builder_, at(), vector, value).getResult();
    if (own) {
      value = vector::ExtractOp::create(builder_, at(), value, ArrayRef<int64_t>{0});
      own = {};
    }
    return value.getType() == type ? value : arith::BitcastOp::create(builder_, at(), type, value).getResult();
  }

  LogicalResult takeApart(UnrealizedConversionCastOp cast, const RegisterArray &array) {
    if (cast.getNumResults() != array.registers.size())
      return cast.emitError() << "takes " << cast.getNumResults() << " registers of an array that has "
                              << array.registers.size() << " in a thread";
    for (auto [result, held] : llvm::zip_equal(cast.getResults(), array.registers))
      inside_.map(result, as(held, result.getType()));
    return success();
  }

  LogicalResult putTogether(UnrealizedConversionCastOp cast) {
    auto layout = toLayout(cast->getAttr("layout"));
    auto type = dyn_cast<VectorType>(cast.getResult(0).getType());
    if (!layout || !type)
      return cast.emitError("makes an array of registers in no layout");
    RegisterArray array{*layout, type.getShape().vec(), {}};
    Type held = k_.registerType(type.getElementType(), *layout);
    size_t count = array.isSplat() ? 1 : k_.registerCount(*layout, array.shape);
    if (!held || cast.getNumOperands() != count)
      return cast.emitError() << "makes an array of " << cast.getNumOperands() << " registers that has " << count
                              << " in a thread";
    for (Value operand : cast.getOperands())
      array.registers.push_back(as(inside_.lookup(operand), held));
    arrays_[cast.getResult(0)] = std::move(array);
    return success();
  }

  LogicalResult takeResults(Operation *end) {
    for (auto [result, given] : llvm::zip_equal(op_.getResults(), end->getOperands())) {
      if (auto array = arrays_.find(given); array != arrays_.end())
        k_.set(result, array->second);
      else if (isa<VectorType>(result.getType()))
        return end->emitError("gives an array that is not made of registers");
      else
        k_.set(result, inside_.lookup(given));
    }
    return success();
  }

  //===--- references ---===//

  /// The sub-dimensions of a reference from its largest stride to the smallest, without those of one element.
  static SmallVector<std::pair<int64_t, int64_t>> pieces(const Ref &ref) {
    SmallVector<std::pair<int64_t, int64_t>> all; // stride, size
    for (const RefDim &dim : ref.dims)
      for (auto [size, stride] : llvm::zip_equal(dim.sizes, dim.strides))
        if (size != 1)
          all.emplace_back(stride, size);
    llvm::sort(all, std::greater<>());
    return all;
  }

  /// Makes a memref of that type from `ref`; the type's layout must match the reference's.
  FailureOr<Value> reference(const Ref &ref, MemRefType type) {
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (!type.hasStaticShape() || failed(type.getStridesAndOffset(strides, offset)) || ref.packing != 1 ||
        llvm::is_contained(strides, ShapedType::kDynamic))
      return failure();
    SmallVector<std::pair<int64_t, int64_t>> wanted;
    for (auto [stride, size] : llvm::zip_equal(strides, type.getShape()))
      if (size != 1)
        wanted.emplace_back(stride, size);
    llvm::sort(wanted, std::greater<>());
    if (wanted != pieces(ref))
      return failure();
    ThreadBuilder &t = k_.t;
    int64_t before = ShapedType::isDynamic(offset) ? 0 : offset * ref.elementBytes;
    Value start = t.address(ref.base, ref.computedOffset, ref.knownOffset - before);
    if (!ref.shared)
      start = t.create<LLVM::AddrSpaceCastOp>(t.pointer(), start);
    return described(start, type, strides, ShapedType::isDynamic(offset) ? 0 : offset);
  }

  /// Makes a memref from MLIR's descriptor of a reference.
  Value described(Value start, MemRefType type, ArrayRef<int64_t> strides, int64_t offset) {
    ThreadBuilder &t = k_.t;
    SmallVector<Type> fields{start.getType(), start.getType(), t.i64()};
    Type sizes = LLVM::LLVMArrayType::get(t.i64(), type.getRank());
    if (type.getRank() > 0)
      fields.append({sizes, sizes});
    Value all = t.undefined(LLVM::LLVMStructType::getLiteral(t.context(), fields));
    auto put = [&](Value field, ArrayRef<int64_t> place) { all = t.create<LLVM::InsertValueOp>(all, field, place); };
    put(start, {0});
    put(start, {1});
    put(t.wideConstant(offset), {2});
    for (int64_t d = 0; d < type.getRank(); ++d) {
      put(t.wideConstant(type.getDimSize(d)), {3, d});
      put(t.wideConstant(strides[d]), {4, d});
    }
    return t.create<UnrealizedConversionCastOp>(TypeRange(type), ValueRange(all)).getResult(0);
  }

  /// Reinterprets a reference with transforms as a memref whose type has the tiles' dimensions.
  LogicalResult retype(UnrealizedConversionCastOp cast) {
    auto made = reference(k_.ref(outside_[cast.getOperand(0)]), mlir::cast<MemRefType>(cast.getResult(0).getType()));
    if (failed(made))
      return cast.emitError("the memory's tiles are not those of this type");
    inside_.map(cast.getResult(0), *made);
    return success();
  }

  KernelLowering &k_;
  mosaic_gpu::CustomPrimitiveOp op_;
  OpBuilder &builder_;
  IRMapping inside_;
  llvm::DenseMap<Value, RegisterArray> arrays_;
  llvm::DenseSet<Value> references_;
  llvm::DenseMap<Value, Value> outside_; // the code's references -> the references outside
};

LogicalResult customPrimitive(KernelLowering &k, Operation *op) {
  return Primitive(k, mlir::cast<mosaic_gpu::CustomPrimitiveOp>(op)).run();
}

} // namespace

void addCustomPrimitives(HandlerTable &table) { table["mosaic_gpu.custom_primitive"] = customPrimitive; }

} // namespace lanescope::core
