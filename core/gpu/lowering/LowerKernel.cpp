// The kernel's function and parameter block, and the walk over its operations.
#include "core/gpu/lowering/LowerKernel.h"

#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/StatedTarget.h"
#include "core/gpu/lowering/copies/Tma.h"
#include "core/gpu/lowering/Handlers.h"
#include "core/gpu/lowering/lane/LaneConversion.h"
#include "core/gpu/lowering/thread/FunctionLocation.h"
#include "core/gpu/lowering/thread/KernelLowering.h"
#include "core/gpu/lowering/threads/Clusters.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

constexpr uint32_t kParameterAlign = 64;

//===----------------------------------------------------------------------===//
// The function and its parameter block
//===----------------------------------------------------------------------===//

/// Reads the target that the module is compiled for: our own attribute, which tells sm_90 from sm_90a, or JAX's
/// compute capability; without one, the default target.
LogicalResult KernelLowering::readTarget() {
  auto module = source->getParentOfType<ModuleOp>();
  if (auto name = module->getAttrOfType<StringAttr>("lanescope.target")) {
    gpu = findGpuTarget(name.getValue());
    return gpu ? success() : source.emitError(noGpuTargetText(name.getValue()));
  }
  auto stated = statedCapability(module);
  if (!stated)
    return success();
  gpu = findGpuTarget(stated->major, stated->minor);
  if (!gpu)
    return source.emitError(text("there is no code generation for compute capability ", stated->major, ".",
                                 stated->minor, "; the supported architectures are ", gpuTargetsText()));
  return success();
}

LogicalResult KernelLowering::readAttributes() {
  result.name = source.getSymName().str();
  if (failed(readTarget()))
    return failure();
  Launch &launch = result.launch;
  launch.entry = result.name;
  if (auto grid = source->getAttrOfType<DenseI64ArrayAttr>("lanescope.grid")) {
    if (grid.size() != 3)
      return source.emitError("`lanescope.grid` needs three sizes");
    for (int i = 0; i < 3; ++i)
      launch.grid[i] = static_cast<uint32_t>(grid[i]);
  }
  if (auto cluster = source->getAttrOfType<DenseI64ArrayAttr>("lanescope.cluster")) {
    if (cluster.size() != 3)
      return source.emitError("`lanescope.cluster` needs three sizes");
    for (int i = 0; i < 3; ++i)
      launch.cluster[i] = static_cast<uint32_t>(cluster[i]);
    for (int i = 0; i < 3; ++i)
      if (cluster[i] < 1 || launch.grid[i] % launch.cluster[i] != 0)
        return source.emitError(
            text("the grid's size ", launch.grid[i], " is not a multiple of the cluster's ", cluster[i]));
  }
  if (!gpu->tma && launch.clusterBlocks() > 1)
    return source.emitError(text("a cluster needs sm_90 or newer, and this kernel is for ", gpu->name,
                                 ": blocks there exchange data through global memory"));
  if (auto count = source->getAttrOfType<IntegerAttr>("lanescope.num_warpgroups"))
    warpgroups = static_cast<int>(count.getInt());
  if (warpgroups < 1 || warpgroups > 8)
    return source.emitError(
        text("a block has 1 to 8 warpgroups (1024 threads), but this kernel asks for ", warpgroups));
  launch.block = {static_cast<uint32_t>(warpgroups * layouts::kThreadsPerWarpgroup), 1, 1};
  if (auto bytes = source->getAttrOfType<IntegerAttr>("lanescope.smem_bytes"))
    userSmem = bytes.getInt();

  if (auto devices = source->getAttrOfType<IntegerAttr>("lanescope.devices")) {
    if (devices.getInt() < 1 || devices.getInt() > kMaxDevices)
      return source.emitError(text("a kernel runs on 1 to ", kMaxDevices, " devices, not on ", devices.getInt()));
    launch.devices = static_cast<uint32_t>(devices.getInt());
  }

  BytesParam block;
  block.align = kParameterAlign;
  auto arguments = source->getAttrOfType<ArrayAttr>("lanescope.arguments");
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !isGlobalMemory(memref) || !memref.hasStaticShape())
      return source.emitError(text("argument ", i, " must be an array in global memory with a static shape"));
    BufferSpec buffer;
    std::optional<Dtype> dtype = dtypeOf(memref.getElementType());
    buffer.shape.assign(memref.getShape().begin(), memref.getShape().end());
    if (arguments && i < arguments.size())
      if (auto entry = dyn_cast<DictionaryAttr>(arguments[i])) {
        if (auto name = entry.getAs<StringAttr>("name"))
          buffer.name = name.str();
        auto kind = entry.getAs<StringAttr>("kind");
        if (kind && (kind == "out" || kind == "inout"))
          result.outputs.push_back(static_cast<uint32_t>(i));
        if (auto named = entry.getAs<StringAttr>("dtype"))
          if (auto signedness = layouts::dtypeNamed(named.strref()))
            dtype = signedness;
      }
    if (!dtype)
      return source.emitError() << "arrays of `" << memref.getElementType() << "` are not supported as arguments yet";
    buffer.dtype = *dtype;
    block.buffers.push_back(std::move(buffer));
  }
  if (auto entries = source->getAttrOfType<IntegerAttr>("lanescope.profile_entries")) {
    profiler.entries = entries.getInt();
    if (profiler.entries < 4 || profiler.entries % 2 != 0)
      return source.emitError("`lanescope.profile_entries` must be even and at least 4");
    result.profiled = true;
    result.profile.entriesPerTrace = static_cast<uint32_t>(profiler.entries);
    result.profile.tracesPerBlock = static_cast<uint32_t>(warpgroups);
    result.profile.threadsPerTrace = layouts::kThreadsPerWarpgroup;
    BufferSpec buffer;
    buffer.dtype = Dtype::U32;
    buffer.shape = {int64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] * warpgroups * profiler.entries};
    buffer.name = "profile";
    block.buffers.push_back(std::move(buffer));
  }
  if (launch.devices)
    for (BufferSpec &buffer : block.buffers)
      buffer.shape.insert(buffer.shape.begin(), launch.devices);
  // The profiler's words follow the user's shared memory, 8-aligned.
  int64_t smemBytes = userSmem;
  if (result.profiled)
    smemBytes = (userSmem + 7) / 8 * 8 + warpgroups * profiler.entries * 4;
  if ((reductionBytes = findReductionBytes())) {
    reductionOffset = (smemBytes + 15) / 16 * 16;
    smemBytes = reductionOffset + warpgroups * reductionBytes;
  }
  launch.dynamicSmem = static_cast<uint32_t>(smemBytes);
  if (smemBytes > gpu->sharedBytesPerBlock)
    return source.emitError(text("the kernel needs ", smemBytes, " bytes of shared memory (", userSmem, " of its own, ",
                                 warpgroups * reductionBytes, " for reductions across warps), but a block on ",
                                 gpu->name, " has at most ", gpu->sharedBytesPerBlock));
  argumentPointers.resize(block.buffers.size() + (launch.devices ? 1 : 0)); // the metadata have a pointer, too
  launch.params.push_back(std::move(block));
  return success();
}

void KernelLowering::makeFunction() {
  MLIRContext *context = source.getContext();
  auto module = source->getParentOfType<ModuleOp>();
  OpBuilder &builder = t.builder();
  builder.setInsertionPointToEnd(module.getBody());
  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  auto sharedMemory = t.create<LLVM::GlobalOp>(bytes, /*isConstant=*/false, LLVM::Linkage::External, "lanescope_smem",
                                               Attribute(), /*alignment=*/1024, kSharedSpace);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {t.pointer()});
  std::string name = result.name;
  source.setSymName(name + "_warpgroup"); // removed at the end
  target = LLVM::LLVMFuncOp::create(builder, source.getLoc(), name, type);
  target->setLoc(functionLocation(source.getLoc(), source.getSymNameAttr()));
  target->setAttr("nvvm.kernel", builder.getUnitAttr());
  target->setAttr("nvvm.maxntid", builder.getDenseI32ArrayAttr({static_cast<int32_t>(result.launch.block[0]), 1, 1}));
  target->setAttr("nvvm.minctasm", builder.getI32IntegerAttr(1));

  Block *entry = target.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  parameters = entry->getArgument(0);
  smem = t.create<LLVM::AddressOfOp>(sharedMemory);
  Value tid = t.threadId();
  thread = t.bitAnd(tid, layouts::kThreadsPerWarpgroup - 1);
  lane = t.bitAnd(tid, layouts::kLanesPerWarp - 1);
  warp = t.bitAnd(t.shiftRight(tid, 5), layouts::kWarpsPerWarpgroup - 1);
  // All lanes of a warp have the same warp number; the shuffle makes this known to ptxas.
  Value warpOfBlock = t.uniform(t.shiftRight(tid, 5));
  warpgroup = warpgroups == 1 ? t.constant(0) : t.shiftRight(warpOfBlock, 2);
  uniformWarp = t.bitAnd(warpOfBlock, layouts::kWarpsPerWarpgroup - 1);
  Value first = t.compare(LLVM::ICmpPredicate::eq, uniformWarp, 0);
  firstWarp = warpgroups == 1 ? first : t.compare(LLVM::ICmpPredicate::eq, warpOfBlock, 0);
  electedOfWarp = gpu->tma ? t.electOne() : t.compare(LLVM::ICmpPredicate::eq, lane, 0); // `elect.sync` is new in sm_90
  elected = t.create<LLVM::AndOp>(electedOfWarp, first);
  prologueEnd = elected.getDefiningOp();
}

void KernelLowering::finishParameters() {
  auto &block = std::get<BytesParam>(result.launch.params.front());
  uint32_t firstPointer = static_cast<uint32_t>(kDescriptorBytes * tensorMaps.size());
  block.tensorMaps = tensorMaps;
  for (uint32_t i = 0; i < block.buffers.size(); ++i)
    block.pointers.push_back({firstPointer + 8 * i, i});
  block.size = std::max<uint32_t>(8, firstPointer + 8 * static_cast<uint32_t>(argumentPointers.size()));
  if (result.launch.devices)
    block.metadata = firstPointer + 8 * static_cast<uint32_t>(block.buffers.size());
  for (auto [address, argument] : pointerFixups)
    address.setRawConstantIndices({static_cast<int32_t>(firstPointer + 8 * argument)});

  OpBuilder &builder = t.builder();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), block.size);
  target.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(type));
  target.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(kParameterAlign));
  target.setArgAttr(0, "nvvm.grid_constant", builder.getUnitAttr());
}

LogicalResult KernelLowering::run() {
  if (!llvm::hasSingleElement(source.getBody()) || source.getNumResults() != 0)
    return source.emitError("a kernel has one block and returns nothing");
  if (failed(readAttributes()))
    return failure();
  fencesReads = readsWhatCopiesFill(source);
  makeFunction();
  for (auto [i, argument] : llvm::enumerate(source.getArguments())) {
    auto type = cast<MemRefType>(argument.getType());
    Ref global;
    global.element = type.getElementType();
    global.elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
    global.packing = elementsPerByte(type.getElementType());
    layouts::Shape shape(type.getShape().begin(), type.getShape().end());
    layouts::Shape strides = layouts::contiguousStrides(shape);
    for (size_t d = 0; d < shape.size(); ++d)
      global.dims.push_back({{shape[d]}, {strides[d]}});
    global.argument = static_cast<int>(i);
    if (!argument.use_empty())
      global.base = argumentPointer(global.argument);
    set(argument, std::move(global));
  }
  if (result.profiled)
    profilerBegin();
  if (failed(lowerBlock(source.getBody().front())))
    return failure();
  t.setLocation(source.getBody().front().getTerminator()->getLoc());
  if (result.profiled)
    profilerEnd();
  // A block's shared memory is freed when it ends, so no block may end while others can still access it.
  if (clusterSize(*this) > 1)
    clusterBarrier(t, /*relaxed=*/false);
  t.create<LLVM::ReturnOp>(ValueRange());
  finishParameters();
  source.erase();
  return success();
}

LogicalResult lowerKernel(ModuleOp module, LoweredKernel &result) {
  auto kernels = llvm::to_vector(module.getOps<func::FuncOp>());
  if (kernels.size() != 1)
    return module.emitError(text("a module holds one kernel, but this one has ", kernels.size(), " functions"));
  OpBuilder builder(module.getContext());
  KernelLowering lowering(kernels.front(), builder, handlers(), result);
  if (failed(lowering.run()))
    return failure();
  return lowering.hasThreadCode ? convertThreadCode(module) : success();
}

} // namespace lanescope::core
