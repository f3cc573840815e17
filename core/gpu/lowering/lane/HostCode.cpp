#include "core/gpu/lowering/lane/HostCode.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/IR/Matchers.h"

namespace lanescope::core {

namespace {

using namespace mlir;
using Kind = HostValue::Kind;

constexpr size_t kAlignedPointer = 1; // field of a memref's descriptor: allocated, aligned, offset, sizes, strides

int64_t bytesOf(Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return static_cast<int64_t>(array.getNumElements()) * bytesOf(array.getElementType());
  return type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 : int64_t(kPointerBytes);
}

/// JAX's numbers of descriptor types (launch_context.py, `_tma_dma_type`), and the elements per byte.
struct DescriptorType {
  Dtype dtype;
  int64_t perByte = 1;
};
std::optional<DescriptorType> descriptorType(int64_t code) {
  switch (code) {
  case 0: return DescriptorType{Dtype::U8, 2};
  case 1: return DescriptorType{Dtype::U8};
  case 2: return DescriptorType{Dtype::U16};
  case 3: return DescriptorType{Dtype::U32};
  case 4: return DescriptorType{Dtype::U64};
  case 5: return DescriptorType{Dtype::F16};
  case 6: return DescriptorType{Dtype::F32};
  case 7: return DescriptorType{Dtype::BF16};
  case 8: return DescriptorType{Dtype::U8, 4};
  case 9: return DescriptorType{Dtype::I32};
  case 10: return DescriptorType{Dtype::I64};
  default: return std::nullopt;
  }
}

class Follower {
public:
  FailureOr<HostCode> run(func::FuncOp host) {
    if (host.getNumArguments() > 0) // the last argument; the one before it is the stream
      code_.values[host.getArguments().back()] = {.kind = Kind::Buffers};
    for (Operation &op : host.getBody().front())
      if (failed(follow(op)))
        return failure();
    return std::move(code_);
  }

private:
  using Place = std::pair<int64_t, int64_t>; // allocation, byte offset

  HostValue of(Value value) const { return code_.values.lookup(value); }
  void set(Value value, HostValue known) { code_.values[value] = std::move(known); }
  static HostValue number(int64_t value) { return {.kind = Kind::Integer, .number = value}; }

  LogicalResult follow(Operation &op) {
    APInt constant;
    if (op.getNumResults() == 1 && matchPattern(op.getResult(0), m_ConstantInt(&constant))) {
      if (constant.getSignificantBits() <= 64)
        set(op.getResult(0), number(constant.getSExtValue()));
      return success();
    }
    if (auto call = dyn_cast<func::CallOp>(op))
      return call.getCallee() == "mosaic_gpu_init_tma_desc" ? describe(call) : success();
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      if (HostValue to = of(store.getAddr()); to.kind == Kind::Memory)
        memory_[{to.index, to.number}] = of(store.getValue());
    } else if (op.getNumResults() == 1) {
      if (HostValue value = resultOf(op); value.kind != Kind::Unknown)
        set(op.getResult(0), std::move(value));
    } else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      setMetadata(metadata);
    }
    return success();
  }

  HostValue resultOf(Operation &op) {
    if (isa<LLVM::AllocaOp>(op))
      return {.kind = Kind::Memory, .index = allocations_++};
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return loaded(of(load.getAddr()), load.getResult().getType());
    if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      return moved(gep);
    if (auto insert = dyn_cast<LLVM::InsertValueOp>(op)) {
      HostValue whole = of(insert.getContainer());
      whole.kind = Kind::Aggregate;
      HostValue *part = &whole;
      for (int64_t i : insert.getPosition()) {
        if (part->parts.size() <= static_cast<size_t>(i))
          part->parts.resize(i + 1);
        part->kind = Kind::Aggregate;
        part = &part->parts[i];
      }
      *part = of(insert.getValue());
      return whole;
    }
    if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
      HostValue part = of(extract.getContainer());
      for (int64_t i : extract.getPosition())
        part = static_cast<size_t>(i) < part.parts.size() ? HostValue(part.parts[i]) : HostValue();
      return part;
    }
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
      return converted(cast);
    if (isa<memref::ExtractAlignedPointerAsIndexOp, arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, LLVM::IntToPtrOp, LLVM::PtrToIntOp, LLVM::ZExtOp, LLVM::SExtOp>(op))
      return of(op.getOperand(0));
    if (isa<ViewLikeOpInterface>(op) ||
        isa<memref::CastOp, memref::TransposeOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      return of(op.getOperand(0)); // the offset is in the result's type
    return computed(op);
  }

  /// Sums and products of known values.
  HostValue computed(Operation &op) {
    if (op.getNumOperands() != 2)
      return {};
    HostValue a = of(op.getOperand(0)), b = of(op.getOperand(1));
    bool add = isa<arith::AddIOp, LLVM::AddOp>(op), multiply = isa<arith::MulIOp, LLVM::MulOp>(op);
    if (add && a.kind == Kind::Integer)
      std::swap(a, b);
    if (b.kind != Kind::Integer || a.kind == Kind::Unknown)
      return {};
    if (multiply && a.kind != Kind::Integer)
      return {};
    bool overflows = add        ? __builtin_add_overflow(a.number, b.number, &a.number)
                     : multiply ? __builtin_mul_overflow(a.number, b.number, &a.number)
                                : true;
    return overflows ? HostValue() : a;
  }

  HostValue loaded(const HostValue &from, Type type) {
    if (from.kind == Kind::Buffers && isa<LLVM::LLVMPointerType>(type) && from.number % kPointerBytes == 0)
      return {.kind = Kind::Buffer, .index = from.number / kPointerBytes};
    if (from.kind != Kind::Memory)
      return {};
    if (isa<LLVM::LLVMArrayType>(type))
      return {.kind = Kind::Bytes, .index = from.index};
    auto found = memory_.find({from.index, from.number});
    return found == memory_.end() ? HostValue() : found->second;
  }

  HostValue moved(LLVM::GEPOp gep) {
    HostValue pointer = of(gep.getBase());
    Type type = gep.getElemType();
    bool first = true;
    for (auto index : gep.getIndices()) {
      std::optional<int64_t> steps;
      if (auto attribute = dyn_cast<IntegerAttr>(index))
        steps = attribute.getInt();
      else if (HostValue known = of(cast<Value>(index)); known.kind == Kind::Integer)
        steps = known.number;
      if (!first) {
        auto array = dyn_cast<LLVM::LLVMArrayType>(type);
        if (!array)
          return {};
        type = array.getElementType();
      }
      first = false;
      int64_t bytes = 0;
      if (!steps || __builtin_mul_overflow(*steps, bytesOf(type), &bytes) ||
          __builtin_add_overflow(pointer.number, bytes, &pointer.number))
        return {};
    }
    return pointer;
  }

  /// A memref is represented by the pointer in its descriptor.
  HostValue converted(UnrealizedConversionCastOp cast) {
    if (cast.getNumOperands() != 1)
      return {};
    HostValue given = of(cast.getOperand(0));
    auto type = dyn_cast<MemRefType>(cast.getResult(0).getType());
    if (!type)
      return given;
    HostValue pointer = given.kind == Kind::Aggregate && given.parts.size() > kAlignedPointer
                            ? given.parts[kAlignedPointer]
                            : HostValue();
    if (pointer.kind == Kind::Buffer)
      code_.arguments.try_emplace(pointer.index, type);
    return pointer;
  }

  void setMetadata(memref::ExtractStridedMetadataOp op) {
    auto type = cast<MemRefType>(op.getSource().getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return;
    set(op.getBaseBuffer(), of(op.getSource()));
    auto give = [&](Value value, int64_t known) {
      if (!ShapedType::isDynamic(known))
        set(value, number(known));
    };
    give(op.getOffset(), offset);
    for (auto [value, size] : llvm::zip_equal(op.getSizes(), type.getShape()))
      give(value, size);
    for (auto [value, stride] : llvm::zip_equal(op.getStrides(), strides))
      give(value, stride);
  }

  FailureOr<Shape> array(func::CallOp call, unsigned argument, int64_t count) {
    HostValue at = of(call.getOperand(argument));
    Shape numbers;
    for (int64_t i = 0; i < count; ++i) {
      auto found = memory_.find({at.index, at.number + i * 8});
      if (at.kind != Kind::Memory || found == memory_.end() || found->second.kind != Kind::Integer)
        return call.emitError("makes a TMA descriptor of numbers that are not known before the run");
      numbers.push_back(found->second.number);
    }
    return numbers;
  }

  /// mosaic_gpu_init_tma_desc(descriptor, base, type, rank, sizes, strides, swizzle, window):
  /// jaxlib/mosaic/gpu/runtime.cc.
  LogicalResult describe(func::CallOp call) {
    constexpr unsigned kArguments = 8;
    if (call.getNumOperands() != kArguments)
      return call.emitError(
          text("makes a TMA descriptor of ", call.getNumOperands(), " arguments; ", kArguments, " are known"));
    HostValue to = of(call.getOperand(0)), base = of(call.getOperand(1)), code = of(call.getOperand(2)),
              rank = of(call.getOperand(3)), swizzle = of(call.getOperand(6));
    if (base.kind != Kind::Buffer || base.number != 0)
      return call.emitError("makes a TMA descriptor of memory that is no argument of the kernel from its start on");
    if (to.kind != Kind::Memory || code.kind != Kind::Integer || rank.kind != Kind::Integer ||
        swizzle.kind != Kind::Integer)
      return call.emitError("makes a TMA descriptor of numbers that are not known before the run");
    auto type = descriptorType(code.number);
    if (!type || rank.number < 1 || rank.number > 5)
      return call.emitError(
          text("makes a TMA descriptor of type ", code.number, " and rank ", rank.number, ", which there is not"));
    auto sizes = array(call, 4, rank.number), strides = array(call, 5, rank.number), box = array(call, 7, rank.number);
    if (failed(sizes) || failed(strides) || failed(box))
      return failure();
    TensorMapSpec map;
    map.buffer = static_cast<uint32_t>(base.index);
    map.dtype = type->dtype;
    map.shape = *sizes;
    map.box = *box;
    // Elements narrower than a byte become bytes; the last dimension is the contiguous one.
    map.shape.back() /= type->perByte;
    map.box.back() /= type->perByte;
    for (int64_t i = 0; i + 1 < rank.number; ++i)
      map.stridesBytes.push_back((*strides)[i] / type->perByte * layouts::hostBytes(type->dtype));
    constexpr int64_t kNoSwizzle = 16;
    map.swizzle = swizzle.number == kNoSwizzle ? 0 : static_cast<int>(swizzle.number);
    code_.descriptors[{to.index, to.number}] = std::move(map);
    return success();
  }

  HostCode code_;
  std::map<Place, HostValue> memory_;
  int64_t allocations_ = 0;
};

} // namespace

FailureOr<HostCode> followHostCode(func::FuncOp host) { return Follower().run(host); }

} // namespace lanescope::core
