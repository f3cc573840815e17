#include "core/gpu/ir/DumpKernel.h"

#include "core/gpu/ir/DeviceOps.h"
#include "core/gpu/ir/Lanescope.h"
#include "core/gpu/ir/MosaicGpuAsync.h"
#include "core/gpu/ir/MosaicGpuRegions.h"
#include "core/gpu/ir/ProductWaits.h"
#include "core/gpu/ir/WarpOps.h"
#include "core/gpu/ir/WrittenArguments.h"
#include "core/ir/ElementTypes.h"

#include "layouts/RegisterLayout.h"
#include "layouts/support/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <map>

namespace lanescope::core {

namespace {

using namespace mlir;

constexpr llvm::StringLiteral kGrid = "lanescope.grid";
constexpr llvm::StringLiteral kArgumentNumber = "mosaic_gpu.from_kernel_arg_idx";

class Outliner {
public:
  explicit Outliner(ModuleOp module) : module_(module), builder_(module.getContext()) {}

  LogicalResult run() {
    SmallVector<gpu::LaunchOp> launches;
    module_.walk([&](gpu::LaunchOp launch) { launches.push_back(launch); });
    if (isKernelOfOurs(module_))
      return success();
    if (launches.size() > 1)
      return launches[1].emitError("a module with several launches cannot be compiled; this is the second one");
    LogicalResult made = launches.empty() ? wrap() : outline(launches.front());
    if (failed(made))
      return failure();
    removeHostCode();
    describeArguments();
    return rewrite();
  }

private:
  static constexpr int64_t kThreads = layouts::kThreadsPerWarpgroup;

  void makeFunction(Location location, StringRef name, TypeRange arguments, ArrayRef<int64_t> grid,
                    std::optional<std::array<int64_t, 3>> cluster, int64_t warpgroups, int64_t smem) {
    builder_.setInsertionPointToEnd(module_.getBody());
    kernel_ = func::FuncOp::create(builder_, location, name, builder_.getFunctionType(arguments, {}));
    kernel_->setAttr(kGrid, builder_.getDenseI64ArrayAttr(grid));
    if (cluster)
      kernel_->setAttr("lanescope.cluster", builder_.getDenseI64ArrayAttr(*cluster));
    kernel_->setAttr("lanescope.num_warpgroups", builder_.getI64IntegerAttr(warpgroups));
    kernel_->setAttr("lanescope.smem_bytes", builder_.getI64IntegerAttr(smem));
    kernel_.addEntryBlock();
  }

  /// Puts bare operations, as a dialect's tests have them, into a kernel of one warpgroup.
  LogicalResult wrap() {
    SmallVector<Operation *> body;
    int64_t smem = 0;
    for (Operation &op : *module_.getBody()) {
      if (isa<func::FuncOp>(op) && !op.getRegion(0).empty())
        return op.emitError("this function launches no kernel");
      if (!isa<SymbolOpInterface>(op))
        body.push_back(&op);
      if (auto slice = dyn_cast<mosaic_gpu::SliceSmemOp>(op))
        if (auto type = cast<MemRefType>(slice.getResult().getType());
            type.hasStaticShape() && type.getElementType().isIntOrFloat())
          smem = std::max<int64_t>(smem, slice.getOffset() +
                                             type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8));
    }
    if (body.empty())
      return module_.emitError("this module has no kernel");
    makeFunction(module_.getLoc(), "kernel", {}, {1, 1, 1}, std::nullopt, 1, smem);
    Block &block = kernel_.getBody().front();
    for (Operation *op : body)
      op->moveBefore(&block, block.end());
    builder_.setInsertionPointToEnd(&block);
    func::ReturnOp::create(builder_, module_.getLoc());
    return success();
  }

  FailureOr<int64_t> constant(gpu::LaunchOp launch, Value value, StringRef what) {
    while (auto cast = value.getDefiningOp<UnrealizedConversionCastOp>())
      value = cast.getOperand(0);
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.getSExtValue();
    launch.emitError(text("the launch's ", what.str(), " is no constant"));
    return failure();
  }

  LogicalResult outline(gpu::LaunchOp launch) {
    auto host = launch->getParentOfType<func::FuncOp>();
    if (!host)
      return launch.emitError("this launch is in no function");
    SmallVector<int64_t, 12> sizes;
    gpu::KernelDim3 grid = launch.getGridSizeOperandValues(), block = launch.getBlockSizeOperandValues();
    SmallVector<Value, 12> given{grid.x, grid.y, grid.z, block.x, block.y, block.z};
    if (auto cluster = launch.getClusterSizeOperandValues())
      given.append({cluster->x, cluster->y, cluster->z});
    if (Value smem = launch.getDynamicSharedMemorySize())
      given.push_back(smem);
    for (Value value : given) {
      auto size = constant(launch, value, "size");
      if (failed(size))
        return failure();
      sizes.push_back(*size);
    }
    if (sizes[3] % kThreads != 0 || sizes[4] != 1 || sizes[5] != 1)
      return launch.emitError(text("a block of ", sizes[3], " x ", sizes[4], " x ", sizes[5],
                                   " threads is not one of whole warpgroups along x"));
    bool clustered = launch.getClusterSizeOperandValues().has_value();
    std::optional<std::array<int64_t, 3>> cluster;
    if (clustered)
      cluster = {sizes[6], sizes[7], sizes[8]};
    int64_t smem = launch.getDynamicSharedMemorySize() ? sizes.back() : 0;

    // The references that the host makes from each argument, by the argument's number. One argument may have several,
    // because an output may use the memory of an input.
    std::map<int64_t, SmallVector<Value, 1>> arguments;
    host.walk([&](UnrealizedConversionCastOp cast) {
      if (auto number = cast->getAttrOfType<IntegerAttr>(kArgumentNumber);
          number && cast.getNumResults() == 1 && isa<MemRefType>(cast.getResult(0).getType()) &&
          !launch->isAncestor(cast))
        arguments[number.getInt()].push_back(cast.getResult(0));
    });
    auto metadata = collectiveMetadata(host, launch);
    if (failed(metadata))
      return failure();
    // The metadata has the addresses of all arguments by their numbers, including those that the kernel does not use.
    for (int64_t number = 0; number < metadata->arguments; ++number)
      arguments.try_emplace(number);
    SmallVector<Type> types;
    for (const auto &[number, values] : arguments) {
      if (values.empty())
        types.push_back(MemRefType::get({1}, builder_.getI32Type()));
      for (Value value : values)
        if (value.getType() != values.front().getType())
          return launch.emitError() << text("the references of argument ", number, " are of different types, ")
                                    << values.front().getType() << " and " << value.getType();
      if (!values.empty())
        types.push_back(values.front().getType());
      numbers_.push_back(number);
    }
    makeFunction(launch.getLoc(), (host.getSymName() + "_kernel").str(), types, ArrayRef(sizes).take_front(3), cluster,
                 sizes[3] / kThreads, smem);
    Block &entry = kernel_.getBody().front();
    IRMapping inside;
    for (auto [argument, given] : llvm::zip_equal(entry.getArguments(), arguments))
      for (Value value : given.second)
        inside.map(value, argument);
    entry.getOperations().splice(entry.end(), launch.getBody().front().getOperations());
    if (metadata->words) {
      kernel_->setAttr("lanescope.devices", builder_.getI64IntegerAttr(metadata->devices));
      builder_.setInsertionPointToStart(&entry);
      inside.map(metadata->words,
                 statements::CollectiveMetadataOp::create(builder_, launch.getLoc(), metadata->words.getType()));
    }
    if (failed(takeSizes(launch, entry, sizes)))
      return failure();
    return takeHostValues(host, entry, inside);
  }

  /// How a kernel on several devices gets the other devices' addresses.
  struct Metadata {
    Value words; // the host's reference to the metadata; null: there is none
    int64_t devices = 0, arguments = 0;
  };

  /// Reads the metadata: four words, then for each argument its address on every device and the address of its
  /// multicast object.
  FailureOr<Metadata> collectiveMetadata(func::FuncOp host, gpu::LaunchOp launch) {
    auto symmetric = module_->getAttrOfType<DenseElementsAttr>("mosaic_gpu.symmetric_memory_args");
    Metadata found;
    if (!module_->hasAttr("mosaic_gpu.collective_metadata_used") || !symmetric)
      return found;
    host.walk([&](UnrealizedConversionCastOp cast) {
      auto type = cast.getNumResults() == 1 ? dyn_cast<MemRefType>(cast.getResult(0).getType()) : MemRefType();
      if (type && type.getRank() == 1 && type.getElementType().isInteger(64) && !cast->hasAttr(kArgumentNumber) &&
          !launch->isAncestor(cast))
        found.words = cast.getResult(0);
    });
    if (!found.words)
      return launch.emitError("the module says that it uses the collective metadata, and has no reference to it");
    constexpr int64_t kHeaderWords = 4;
    int64_t words = cast<MemRefType>(found.words.getType()).getDimSize(0);
    found.arguments = symmetric.getNumElements();
    symmetric_.assign(symmetric.getValues<bool>().begin(), symmetric.getValues<bool>().end());
    found.devices = (words - kHeaderWords) / found.arguments - 1;
    if (found.devices < 1 || words != kHeaderWords + found.arguments * (found.devices + 1))
      return launch.emitError(text("collective metadata of ", words, " words is not that of ", found.arguments,
                                   " arguments: four words, and for each argument one more than there are devices"));
    return found;
  }

  /// Replaces the arguments of the launch's body: places in the grid become operations, sizes become constants.
  LogicalResult takeSizes(gpu::LaunchOp launch, Block &entry, ArrayRef<int64_t> sizes) {
    builder_.setInsertionPointToStart(&entry);
    constexpr std::array kDimensions{gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
    for (BlockArgument argument : launch.getBody().getArguments()) {
      if (argument.use_empty())
        continue;
      unsigned i = argument.getArgNumber(), dimension = i % 3;
      Location at = launch.getLoc();
      Value value;
      switch (i / 3) { // ids of blocks and threads, sizes of the grid and of blocks, then those of clusters
      case 0: value = gpu::BlockIdOp::create(builder_, at, kDimensions[dimension]); break;
      case 1: value = gpu::ThreadIdOp::create(builder_, at, kDimensions[dimension]); break;
      case 2:
      case 3: value = arith::ConstantIndexOp::create(builder_, at, sizes[i - 6]); break;
      default: return launch.emitError("the kernel uses its cluster's place as an argument of the launch");
      }
      argument.replaceAllUsesWith(value);
    }
    return success();
  }

  /// Recreates the host's constants inside of the kernel; the host's references become the kernel's arguments.
  LogicalResult takeHostValues(func::FuncOp host, Block &entry, IRMapping &inside) {
    SmallVector<OpOperand *> outside;
    for (Operation &op : entry)
      op.walk([&](Operation *each) {
        for (OpOperand &operand : each->getOpOperands())
          if (operand.get().getParentRegion()->isAncestor(&host.getBody()))
            outside.push_back(&operand);
      });
    builder_.setInsertionPointToStart(&entry);
    for (OpOperand *operand : outside) {
      Value value = operand->get();
      if (!inside.contains(value)) {
        Operation *made = value.getDefiningOp();
        if (!made || !made->hasTrait<OpTrait::ConstantLike>())
          return operand->getOwner()->emitError(
              isa<UnrealizedConversionCastOp>(operand->getOwner()) && isa<LLVM::LLVMArrayType>(value.getType())
                  ? "takes TMA descriptors that JAX makes after layout inference; this dump does not have them"
                  : "uses a value that the host computes");
        builder_.clone(*made, inside);
      }
      operand->set(inside.lookup(value));
    }
    return success();
  }

  void removeHostCode() {
    for (Operation &op : llvm::make_early_inc_range(*module_.getBody()))
      if (&op != kernel_)
        op.erase();
  }

  void describeArguments() {
    SmallVector<Attribute> entries;
    for (BlockArgument argument : kernel_.getArguments()) {
      bool read = llvm::any_of(argument.getUsers(), [](Operation *user) {
        return isa<mosaic_gpu::AsyncLoadOp, mosaic_gpu::VectorLoadOp, memref::LoadOp>(user);
      });
      bool written = isWritten(argument, PointerKind::Memory);
      bool byPeers = !written && argument.getArgNumber() < symmetric_.size() && symmetric_[argument.getArgNumber()];
      StringRef kind = byPeers || (written && read) ? "inout" : written ? "out" : "in";
      SmallVector<NamedAttribute> entry{
          builder_.getNamedAttr("kind", builder_.getStringAttr(kind)),
          builder_.getNamedAttr("name", builder_.getStringAttr(text("argument", numbers_[argument.getArgNumber()])))};
      if (auto dtype = argumentDtype(cast<MemRefType>(argument.getType()).getElementType()))
        entry.push_back(builder_.getNamedAttr("dtype", builder_.getStringAttr(layouts::name(*dtype))));
      entries.push_back(builder_.getDictionaryAttr(entry));
    }
    kernel_->setAttr("lanescope.arguments", builder_.getArrayAttr(entries));
  }

  /// Integers without a sign count as signed, except those of two bits, which hold metadata.
  static std::optional<layouts::Dtype> argumentDtype(Type type) {
    return type.isInteger(2) ? layouts::Dtype::U2 : dtypeOf(type);
  }

  //===--- statements that our kernels write differently ---===//

  LogicalResult rewrite() {
    Block &entry = kernel_.getBody().front();
    if (auto end = dyn_cast<gpu::TerminatorOp>(entry.back())) {
      builder_.setInsertionPoint(end);
      func::ReturnOp::create(builder_, end.getLoc());
      end.erase();
    }
    bool fine = true;
    kernel_.walk([&](Operation *op) { fine &= succeeded(rewrite(op)); });
    if (fine)
      passAccumulators(kernel_);
    return success(fine);
  }

  LogicalResult rewrite(Operation *op) {
    builder_.setInsertionPoint(op);
    if (auto map = dyn_cast<mosaic_gpu::WarpMapOp>(op)) {
      auto warps = statements::WarpsOp::create(builder_, op->getLoc());
      Block &body = map.getBody().front();
      for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), map.getOperands()))
        argument.replaceAllUsesWith(operand);
      body.eraseArguments(0, body.getNumArguments());
      warps.getBody().takeBody(map.getBody());
      op->erase();
    } else if (auto primitive = dyn_cast<mosaic_gpu::CustomPrimitiveOp>(op)) {
      if (primitive.getBody().empty())
        return op->emitError("this primitive has no body");
      if (usesArrays(primitive))
        return success();
      Block &body = primitive.getBody().front();
      for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands()))
        argument.replaceAllUsesWith(operand);
      Operation *end = body.getTerminator();
      op->replaceAllUsesWith(end->getOperands());
      end->erase();
      op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
      op->erase();
    } else if (auto call = dyn_cast<LLVM::CallOp>(op)) {
      StringRef callee = call.getCallee().value_or("a pointer");
      // JAX queries the device's number in each kernel of a mesh. If nothing uses the result, the mesh has only one
      // device, because an access to another device would call the library again.
      if (callee == "nvshmem_my_pe" && op->use_empty()) {
        op->erase();
        return success();
      }
      return op->emitError(
          text("calls `", callee.str(), "`, which is in a library; a module of several devices does not say how many ",
               "they are: run the Pallas file that it comes from, whose mesh does (`lanescope run FILE.py`)"));
    } else if (auto slice = dyn_cast<mosaic_gpu::SliceSmemOp>(op)) {
      keepTransforms(slice);
    } else if (auto reduction = dyn_cast<vector::ReductionOp>(op)) {
      return reduceAll(reduction);
    }
    return success();
  }

  /// True if the code uses arrays. Code on registers stays as it is, because its vectors belong to a single thread.
  static bool usesArrays(mosaic_gpu::CustomPrimitiveOp primitive) {
    auto isArray = [](Type type) { return isa<VectorType>(type); };
    auto hasArrays = [&](Operation *op) {
      return llvm::any_of(op->getOperandTypes(), isArray) || llvm::any_of(op->getResultTypes(), isArray);
    };
    return primitive
        ->walk([&](Operation *op) { return hasArrays(op) ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  /// Adds the transforms that inference chose for the reference to its slice, as a kernel's source states them.
  void keepTransforms(mosaic_gpu::SliceSmemOp slice) {
    auto given = slice->getAttrOfType<ArrayAttr>("out_transforms");
    auto chosen = given && given.size() == 1 ? dyn_cast<ArrayAttr>(given[0]) : ArrayAttr();
    if (!chosen)
      return;
    slice->removeAttr("out_transforms");
    builder_.setInsertionPointAfter(slice);
    auto stated = mosaic_gpu::WithTransformsOp::create(builder_, slice.getLoc(), slice.getResult().getType(),
                                                       slice.getResult(), chosen);
    slice.getResult().replaceAllUsesExcept(stated.getResult(), stated);
  }

  /// Reduces all elements: over the array's only axis, starting at the operation's neutral element.
  LogicalResult reduceAll(vector::ReductionOp op) {
    Type type = op.getDest().getType();
    Value start = op.getAcc();
    if (!start) {
      auto kind = neutral(op.getKind(), type);
      if (!kind)
        return op.emitError("this reduction of all elements is not supported in kernels yet");
      start = arith::ConstantOp::create(builder_, op.getLoc(), kind);
    }
    auto all = vector::MultiDimReductionOp::create(builder_, op.getLoc(), op.getKind(), op.getVector(), start,
                                                   ArrayRef<int64_t>{0});
    op.replaceAllUsesWith(all.getDest());
    op.erase();
    return success();
  }

  TypedAttr neutral(vector::CombiningKind kind, Type type) {
    using Kind = vector::CombiningKind;
    if (auto real = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = real.getFloatSemantics();
      if (kind == Kind::ADD)
        return FloatAttr::get(type, 0.0);
      if (kind == Kind::MAXIMUMF || kind == Kind::MAXNUMF)
        return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
      if (kind == Kind::MINIMUMF || kind == Kind::MINNUMF)
        return FloatAttr::get(type, APFloat::getInf(semantics));
      return {};
    }
    auto integer = dyn_cast<IntegerType>(type);
    if (!integer)
      return {};
    unsigned bits = integer.getWidth();
    switch (kind) {
    case Kind::ADD:
    case Kind::OR:
    case Kind::XOR:
    case Kind::MAXUI: return IntegerAttr::get(type, 0);
    case Kind::AND:
    case Kind::MINUI: return IntegerAttr::get(type, APInt::getMaxValue(bits));
    case Kind::MAXSI: return IntegerAttr::get(type, APInt::getSignedMinValue(bits));
    case Kind::MINSI: return IntegerAttr::get(type, APInt::getSignedMaxValue(bits));
    default: return {};
    }
  }

  ModuleOp module_;
  OpBuilder builder_;
  func::FuncOp kernel_;
  SmallVector<int64_t> numbers_; // JAX's numbers of the kernel's arguments
  SmallVector<bool> symmetric_;  // with several devices: true if other devices can access the argument and write it
};

} // namespace

bool isKernelOfOurs(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) { return function->hasAttr(kGrid); });
}

LogicalResult makeKernelOfDump(ModuleOp module) { return Outliner(module).run(); }

} // namespace lanescope::core
