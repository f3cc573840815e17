#include "core/gpu/lowering/thread/KernelLowering.h"

#include "core/gpu/ir/MosaicGpu.h"

#include "layouts/support/Text.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace lanescope::core {

using namespace mlir;

void KernelLowering::fenceAsyncShared() {
  if (gpu->tma)
    t.fenceAsyncShared();
}

LogicalResult KernelLowering::needsTma(Operation *op, StringRef what, StringRef instead) const {
  if (gpu->tma)
    return success();
  return op->emitError(text(std::string_view(what), " needs sm_90 or newer, and this kernel is for ", gpu->name, ": ",
                            std::string_view(instead)));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelLowering::scalar(Value value) {
  const Lowered &own = values.find(value)->second;
  if (auto *ref = std::get_if<Ref>(&own)) // a barrier's value is its address
    return t.address(ref->base, ref->computedOffset, ref->knownOffset);
  return std::get<Value>(own);
}
const RegisterArray &KernelLowering::array(Value value) const {
  return std::get<RegisterArray>(values.find(value)->second);
}
const Ref &KernelLowering::ref(Value value) const { return std::get<Ref>(values.find(value)->second); }
const TensorRef &KernelLowering::tensor(Value value) const { return std::get<TensorRef>(values.find(value)->second); }
bool KernelLowering::isArray(Value value) const { return isa<VectorType>(value.getType()); }

RegisterArray KernelLowering::array(Value value, const layouts::RegisterLayout &layout) {
  const RegisterArray &own = array(value);
  if (!own.isSplat() || std::holds_alternative<layouts::WGSplatFragLayout>(layout))
    return own;
  int64_t count = registerCount(layout, own.shape), length = vectorLength(layout);
  Value one = own.registers.front();
  if (cast<VectorType>(value.getType()).getElementTypeBitWidth() == 4) { // two per byte
    one = t.create<LLVM::OrOp>(t.bitAnd(one, 15), t.shiftLeft(one, 4));
    length = std::max<int64_t>(1, length / 2);
  }
  return {layout, own.shape, std::vector<Value>(count, t.splat(one, length))};
}

Type KernelLowering::registerElement(Type type) {
  if (isa<IndexType>(type))
    return t.i64();
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth() == 4 ? 8 : storageBits(integer);
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, width) ? IntegerType::get(type.getContext(), width) : Type();
  }
  if (isa<Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType, Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType>(
          type))
    return t.builder().getI8Type();
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ? type : Type();
}

int64_t KernelLowering::vectorLength(const layouts::RegisterLayout &layout) {
  if (auto *tiled = std::get_if<layouts::TiledLayout>(&layout))
    return tiled->vectorLength();
  if (auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout))
    return strided->vecSize();
  return 1;
}

int64_t KernelLowering::registerCount(const layouts::RegisterLayout &layout, const layouts::Shape &shape) {
  if (auto *tiled = std::get_if<layouts::TiledLayout>(&layout)) {
    auto registers = tiled->registersShape(shape);
    return registers ? layouts::elementCount(*registers) : 0;
  }
  if (auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout))
    return strided->registers();
  return 1;
}

Type KernelLowering::registerType(Type element, int64_t count) {
  Type own = registerElement(element);
  if (!own || element.isIndex() || element.getIntOrFloatBitWidth() != 4)
    return own ? ThreadBuilder::vectorOf(own, count) : Type();
  return count % 2 == 0 ? ThreadBuilder::vectorOf(own, count / 2) : Type();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Value KernelLowering::argumentPointer(int argument) {
  Value &pointer = argumentPointers[argument];
  if (!pointer) {
    OpBuilder::InsertionGuard guard(t.builder());
    t.builder().setInsertionPoint(prologueEnd);
    auto address = t.create<LLVM::GEPOp>(t.pointer(), t.builder().getI8Type(), parameters,
                                         ArrayRef<LLVM::GEPArg>{int32_t{1}}); // patched by finishParameters
    pointerFixups.emplace_back(address, argument);
    pointer = t.load(t.pointer(kGlobalSpace), address, 8);
  }
  return pointer;
}

static bool sameMap(const TensorMapSpec &a, const TensorMapSpec &b) {
  return a.buffer == b.buffer && a.dtype == b.dtype && a.shape == b.shape && a.stridesBytes == b.stridesBytes &&
         a.box == b.box && a.swizzle == b.swizzle && a.oobNan == b.oobNan && a.peer == b.peer;
}

Value KernelLowering::descriptorPointer(const TensorMapSpec &map) {
  for (size_t i = 0; i < tensorMaps.size(); ++i)
    if (sameMap(tensorMaps[i], map))
      return tensorMapPointers[i];
  OpBuilder::InsertionGuard guard(t.builder());
  t.builder().setInsertionPoint(prologueEnd);
  tensorMaps.push_back(map);
  tensorMaps.back().offset = static_cast<uint32_t>(kDescriptorBytes * (tensorMaps.size() - 1));
  tensorMapPointers.push_back(t.address(parameters, Value(), tensorMaps.back().offset));
  return tensorMapPointers.back();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void KernelLowering::warpgroupBarrier() {
  // Barrier 0 is the block's.
  if (inWarps)
    t.ptx("bar.warp.sync 0xffffffff;", "", {});
  else
    t.barrier(t.add(warpgroup, 1), layouts::kThreadsPerWarpgroup);
  unsyncedStores = false;
}

Block *KernelLowering::newBlock(TypeRange arguments) {
  Block *block = new Block();
  target.getBody().push_back(block);
  for (Type type : arguments)
    block->addArgument(type, t.location());
  return block;
}

void KernelLowering::branch(Block *to, ValueRange operands) { t.create<LLVM::BrOp>(operands, to); }

void KernelLowering::branchIf(Value condition, Block *then, ValueRange thenOperands, Block *otherwise,
                              ValueRange otherwiseOperands) {
  t.create<LLVM::CondBrOp>(condition, then, thenOperands, otherwise, otherwiseOperands);
}

void KernelLowering::when(Value condition, llvm::function_ref<void()> body) {
  Block *then = newBlock({}), *after = newBlock({});
  branchIf(condition, then, {}, after, {});
  enter(then);
  body();
  branch(after, {});
  enter(after);
}

LogicalResult KernelLowering::lower(Operation *op) {
  t.setLocation(op->getLoc());
  auto found = handlers_.find(op->getName().getStringRef());
  if (found == handlers_.end())
    return op->emitError() << "`" << op->getName() << "` is not supported in kernels yet";
  return found->second(*this, op);
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

} // namespace lanescope::core
