#include "core/gpu/lowering/lane/LaneOutline.h"

#include "core/gpu/ir/WrittenArguments.h"
#include "core/gpu/lowering/lane/HostCode.h"
#include "core/ir/ElementTypes.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

#include <map>
#include <set>

namespace lanescope::core {

namespace {

using namespace mlir;
using Kind = HostValue::Kind;

constexpr uint32_t kParameterAlign = 64;
constexpr int64_t kArrayAlign =
    256; // alignment of arrays on a device (jaxlib/mosaic/gpu/passes.h, kExpectedHbmAlignment)
constexpr int64_t kThreadsOfOperationsAlone = 128; // one warpgroup

class LaneOutliner {
public:
  LaneOutliner(ModuleOp module, LoweredKernel &result)
      : module_(module), result_(result), builder_(module.getContext()) {}

  FailureOr<gpu::GPUModuleOp> run() {
    SmallVector<gpu::LaunchOp> launches;
    module_.walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
    if (launches.size() > 1)
      return launches[1].emitError("a module with several launches cannot be compiled; this is the second one");
    if (launches.empty() && failed(wrap(launches)))
      return failure();
    gpu::LaunchOp launch = launches.front();
    auto host = dyn_cast<func::FuncOp>(launch->getParentOp());
    if (!host)
      return launch.emitError("this launch is not in a function's own block");
    auto followed = followHostCode(host);
    if (failed(followed))
      return failure();
    code_ = std::move(*followed);
    result_.name = (host.getSymName() + "_kernel").str();
    if (failed(readSizes(launch)) || failed(describeArguments(launch)))
      return failure();
    makeKernel(launch);
    if (failed(takeArguments(launch)) || failed(takeHostValues(host)))
      return failure();
    finish();
    return kernels_;
  }

private:
  /// Puts bare operations, as tests of JAX's lowering have them, into a launch.
  LogicalResult wrap(SmallVectorImpl<gpu::LaunchOp> &launches) {
    SmallVector<Operation *> body;
    for (Operation &op : *module_.getBody()) {
      if (isa<func::FuncOp>(op) && !op.getRegion(0).empty())
        return op.emitError("this function launches no kernel");
      if (!isa<SymbolOpInterface>(op))
        body.push_back(&op);
    }
    if (body.empty())
      return module_.emitError("this module has no kernel");
    Location at = module_.getLoc();
    builder_.setInsertionPointToEnd(module_.getBody());
    auto host = func::FuncOp::create(builder_, at, "kernel", builder_.getFunctionType({}, {}));
    builder_.setInsertionPointToStart(host.addEntryBlock());
    Value one = arith::ConstantIndexOp::create(builder_, at, 1);
    Value threads = arith::ConstantIndexOp::create(builder_, at, kThreadsOfOperationsAlone);
    auto launch = gpu::LaunchOp::create(builder_, at, one, one, one, threads, one, one);
    func::ReturnOp::create(builder_, at);
    Block &block = launch.getBody().front();
    for (Operation *op : body)
      op->moveBefore(&block, block.end());
    builder_.setInsertionPointToEnd(&block);
    gpu::TerminatorOp::create(builder_, at);
    launches.push_back(launch);
    return success();
  }

  FailureOr<uint32_t> size(gpu::LaunchOp launch, Value value) {
    HostValue known = code_.values.lookup(value);
    if (known.kind != Kind::Integer || known.number < 0 || known.number > UINT32_MAX)
      return launch.emitError("the launch's size is no constant");
    return static_cast<uint32_t>(known.number);
  }

  LogicalResult readSizes(gpu::LaunchOp launch) {
    auto read = [&](const gpu::KernelDim3 &from, std::array<uint32_t, 3> &to) {
      for (auto [value, into] : llvm::zip_equal(std::array{from.x, from.y, from.z}, to)) {
        auto known = size(launch, value);
        if (failed(known))
          return failure();
        into = *known;
      }
      return success();
    };
    Launch &out = result_.launch;
    out.entry = result_.name;
    if (failed(read(launch.getGridSizeOperandValues(), out.grid)) ||
        failed(read(launch.getBlockSizeOperandValues(), out.block)))
      return failure();
    if (auto cluster = launch.getClusterSizeOperandValues(); cluster && failed(read(*cluster, out.cluster)))
      return failure();
    if (Value bytes = launch.getDynamicSharedMemorySize()) {
      auto known = size(launch, bytes);
      if (failed(known))
        return failure();
      out.dynamicSmem = *known;
    }
    return success();
  }

  /// The parameter block: descriptors, then pointers.
  LogicalResult describeArguments(gpu::LaunchOp launch) {
    block_.align = kParameterAlign;
    for (auto [number, type] : code_.arguments) {
      if (!type.hasStaticShape())
        return launch.emitError(text("argument ", number, " has no static shape"));
      std::optional<Dtype> dtype = type.getElementType().isInteger(2) ? Dtype::U2 : dtypeOf(type.getElementType());
      if (!dtype)
        return launch.emitError() << "arrays of `" << type.getElementType() << "` are not supported as arguments yet";
      bufferOf_[number] = static_cast<uint32_t>(block_.buffers.size());
      BufferSpec buffer;
      buffer.dtype = *dtype;
      buffer.shape.assign(type.getShape().begin(), type.getShape().end());
      buffer.name = text("argument", number);
      block_.buffers.push_back(std::move(buffer));
    }
    return success();
  }

  void makeKernel(gpu::LaunchOp launch) {
    Location at = launch.getLoc();
    builder_.setInsertionPointToEnd(module_.getBody());
    kernels_ = gpu::GPUModuleOp::create(builder_, at, result_.name + "_module");
    builder_.setInsertionPointToStart(kernels_.getBody());
    parameterType_ = LLVM::LLVMPointerType::get(builder_.getContext());
    kernel_ = gpu::GPUFuncOp::create(builder_, at, result_.name, builder_.getFunctionType({parameterType_}, {}));
    kernel_->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder_.getUnitAttr());
    Block &entry = kernel_.getBody().front();
    Region &body = launch.getBody();
    // Moves the body's blocks; its first block becomes the function's.
    SmallVector<BlockArgument> arguments(body.getArguments().begin(), body.getArguments().end());
    builder_.setInsertionPointToStart(&entry);
    entry.getOperations().splice(entry.end(), body.front().getOperations());
    if (body.getBlocks().size() > 1)
      kernel_.getBody().getBlocks().splice(kernel_.getBody().end(), body.getBlocks(), std::next(body.begin()),
                                           body.end());
    kernel_.walk([&](gpu::TerminatorOp end) {
      OpBuilder at(end);
      gpu::ReturnOp::create(at, end.getLoc());
      end.erase();
    });
  }

  /// Replaces the arguments of the launch's body: places in the grid become operations, sizes become constants.
  LogicalResult takeArguments(gpu::LaunchOp launch) {
    builder_.setInsertionPointToStart(&kernel_.getBody().front());
    Location at = launch.getLoc();
    constexpr std::array kDimensions{gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
    const Launch &sizes = result_.launch;
    for (BlockArgument argument : launch.getBody().getArguments()) {
      if (argument.use_empty())
        continue;
      unsigned i = argument.getArgNumber(), d = i % 3;
      auto constant = [&](uint32_t size) -> Value { return arith::ConstantIndexOp::create(builder_, at, size); };
      Value value;
      switch (i / 3) {
      case 0: value = gpu::BlockIdOp::create(builder_, at, kDimensions[d]); break;
      case 1: value = gpu::ThreadIdOp::create(builder_, at, kDimensions[d]); break;
      case 2: value = constant(sizes.grid[d]); break;
      case 3: value = constant(sizes.block[d]); break;
      case 4: value = gpu::ClusterIdOp::create(builder_, at, kDimensions[d]); break;
      default: value = constant(sizes.cluster[d]); break;
      }
      argument.replaceAllUsesWith(value);
    }
    // The block's size is known, so it becomes a constant.
    kernel_.walk([&](gpu::BlockDimOp size) {
      OpBuilder here(size);
      auto d = static_cast<size_t>(size.getDimension());
      size.replaceAllUsesWith(arith::ConstantIndexOp::create(here, size.getLoc(), sizes.block[d]).getResult());
      size.erase();
    });
    return success();
  }

  //===--- host values that the body uses ---===//

  LogicalResult takeHostValues(func::FuncOp host) {
    SmallVector<OpOperand *> outside;
    kernel_.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (Region *region = operand.get().getParentRegion(); region && host.getBody().isAncestor(region))
          outside.push_back(&operand);
    });
    builder_.setInsertionPointToStart(&kernel_.getBody().front());
    for (OpOperand *operand : outside) {
      Value value = made(operand->get());
      if (!value)
        return operand->getOwner()->emitError("uses a value that the host computes");
      operand->set(value);
    }
    // The host passed the scratch memory by value, but the code uses its address.
    kernel_.walk([&](UnrealizedConversionCastOp cast) {
      if (cast.getNumOperands() == 1 && cast.getOperand(0).getType() == parameterType_ &&
          cast.getResult(0).getType() == parameterType_) {
        cast.getResult(0).replaceAllUsesWith(cast.getOperand(0));
        cast.erase();
      }
    });
    return success();
  }

  /// Recreates a host value inside of the kernel; null if the value is not known.
  Value made(Value value) {
    if (Value known = inside_.lookupOrNull(value))
      return known;
    Value here = make(value);
    if (here)
      inside_.map(value, here);
    return here;
  }

  Value make(Value value) {
    HostValue known = code_.values.lookup(value);
    Operation *op = value.getDefiningOp();
    Location at = value.getLoc();
    if (known.kind == Kind::Bytes)
      return atOffset(at, scratchOffset(known.index, value.getType()));
    if (known.kind == Kind::Buffer && isa<LLVM::LLVMPointerType>(value.getType())) {
      Value pointer = argument(known.index, at);
      if (!pointer || known.number == 0)
        return pointer;
      return LLVM::GEPOp::create(builder_, at, parameterType_, builder_.getI8Type(), pointer,
                                 LLVM::GEPArg(static_cast<int32_t>(known.number)));
    }
    // Constants and the operations that build a memref's descriptor can be repeated inside of the kernel.
    bool repeatable = op && (op->hasTrait<OpTrait::ConstantLike>() ||
                             isa<LLVM::UndefOp, LLVM::PoisonOp, LLVM::InsertValueOp, LLVM::ExtractValueOp>(op) ||
                             (isa<UnrealizedConversionCastOp>(op) && isa<MemRefType>(value.getType())));
    if (known.kind == Kind::Integer && value.getType().isIntOrIndex())
      return arith::ConstantOp::create(builder_, at, builder_.getIntegerAttr(value.getType(), known.number));
    if (!repeatable)
      return {};
    IRMapping operands;
    for (Value operand : op->getOperands()) {
      Value here = made(operand);
      if (!here)
        return {};
      operands.map(operand, here);
    }
    return builder_.clone(*op, operands)->getResult(cast<OpResult>(value).getResultNumber());
  }

  Value atOffset(Location at, uint32_t offset) {
    return LLVM::GEPOp::create(builder_, at, parameterType_, builder_.getI8Type(), kernel_.getArgument(0),
                               LLVM::GEPArg(static_cast<int32_t>(offset)));
  }

  /// The pointer of an argument, by JAX's number, read from the block once. The pointer's place in the block is known
  /// only at the end.
  Value argument(int64_t number, Location at) {
    auto buffer = bufferOf_.find(number);
    if (buffer == bufferOf_.end())
      return {};
    Value &pointer = pointers_[buffer->second];
    if (!pointer) {
      Value address = atOffset(at, 0);
      addresses_.emplace_back(address.getDefiningOp<LLVM::GEPOp>(), buffer->second);
      pointer = LLVM::LoadOp::create(builder_, at, parameterType_, address, kPointerBytes, false, false, true);
      Value yes = LLVM::ConstantOp::create(builder_, at, builder_.getI1Type(), builder_.getBoolAttr(true));
      Value bytes =
          LLVM::ConstantOp::create(builder_, at, builder_.getI64Type(), builder_.getI64IntegerAttr(kArrayAlign));
      LLVM::AssumeOp::create(builder_, at, yes, LLVM::AssumeAlignTag(), pointer, bytes);
    }
    return pointer;
  }

  uint32_t scratchOffset(int64_t allocation, Type type) {
    auto [place, fresh] = scratch_.try_emplace(allocation, block_.size);
    if (fresh)
      block_.size = (block_.size + static_cast<uint32_t>(cast<LLVM::LLVMArrayType>(type).getNumElements()) +
                     kParameterAlign - 1) /
                    kParameterAlign * kParameterAlign;
    return place->second;
  }

  //===--- the rest of the launch description ---===//

  void finish() {
    for (auto &[place, map] : code_.descriptors) {
      auto scratch = scratch_.find(place.first);
      auto buffer = bufferOf_.find(map.buffer);
      if (scratch == scratch_.end() || buffer == bufferOf_.end())
        continue;
      map.offset = scratch->second + static_cast<uint32_t>(place.second);
      map.buffer = buffer->second;
      block_.tensorMaps.push_back(map);
    }
    uint32_t firstPointer = block_.size;
    for (uint32_t i = 0; i < block_.buffers.size(); ++i)
      block_.pointers.push_back({firstPointer + kPointerBytes * i, i});
    block_.size = std::max(kPointerBytes, firstPointer + kPointerBytes * static_cast<uint32_t>(block_.buffers.size()));
    for (auto [address, buffer] : addresses_)
      address.setRawConstantIndices({static_cast<int32_t>(firstPointer + kPointerBytes * buffer)});
    findOutputs();
    result_.launch.params.push_back(std::move(block_));
    for (Operation &op : llvm::make_early_inc_range(*module_.getBody())) {
      bool used =
          isa<SymbolOpInterface>(op) && !isa<func::FuncOp>(op) && !SymbolTable::symbolKnownUseEmpty(&op, kernels_);
      if (used)
        op.moveBefore(kernels_.getBody(), kernels_.getBody()->begin());
      else if (&op != kernels_)
        op.erase();
    }
  }

  void findOutputs() {
    std::set<uint32_t> written;
    for (auto [buffer, pointer] : pointers_)
      if (isWritten(pointer, PointerKind::Memory))
        written.insert(buffer);
    // A descriptor is identified by its place in the parameter block.
    kernel_.walk([&](LLVM::GEPOp gep) {
      auto at = offsetInBlock(gep);
      for (const TensorMapSpec &map : block_.tensorMaps)
        if (at && map.offset == *at && !written.contains(map.buffer) && isWritten(gep, PointerKind::Descriptor))
          written.insert(map.buffer);
    });
    result_.outputs.assign(written.begin(), written.end());
  }

  /// The offset in the parameter block to which the instruction points, if it is known.
  std::optional<int64_t> offsetInBlock(LLVM::GEPOp gep) {
    int64_t offset = 0;
    for (Value at = gep; at != kernel_.getArgument(0);) {
      auto step = at.getDefiningOp<LLVM::GEPOp>();
      if (!step || !step.getElemType().isInteger(8) || !step.getDynamicIndices().empty() ||
          step.getRawConstantIndices().size() != 1)
        return std::nullopt;
      offset += step.getRawConstantIndices()[0];
      at = step.getBase();
    }
    return offset;
  }

  ModuleOp module_;
  LoweredKernel &result_;
  OpBuilder builder_;
  HostCode code_;
  gpu::GPUModuleOp kernels_;
  gpu::GPUFuncOp kernel_;
  Type parameterType_;
  BytesParam block_;
  std::map<int64_t, uint32_t> bufferOf_; // keyed by JAX's number
  std::map<uint32_t, Value> pointers_;   // keyed by the buffer's number
  std::vector<std::pair<LLVM::GEPOp, uint32_t>> addresses_;
  std::map<int64_t, uint32_t> scratch_; // the host's allocation -> its offset in the block
  IRMapping inside_;
};

} // namespace

FailureOr<gpu::GPUModuleOp> outlineLanes(ModuleOp module, LoweredKernel &result) {
  return LaneOutliner(module, result).run();
}

} // namespace lanescope::core
