#include "core/gpu/ir/Dump.h"

#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/GpuDialects.h"
#include "core/gpu/ir/LayoutAttributes.h"
#include "core/gpu/ir/StatedTarget.h"
#include "core/ir/ElementTypes.h"
#include "core/ir/ModuleReader.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

namespace lanescope::core {
namespace {

std::string printed(mlir::Type type) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  type.print(stream);
  return out;
}

DumpValue describe(mlir::Type type) {
  using Place = DumpValue::Place;
  DumpValue value;
  value.type = printed(type);
  if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type)) {
    value.dtype = dtypeOf(shaped.getElementType());
    if (shaped.hasStaticShape())
      value.shape = shaped.getShape().vec();
  }
  if (auto memref = llvm::dyn_cast<mlir::MemRefType>(type)) {
    llvm::SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (mlir::succeeded(memref.getStridesAndOffset(strides, offset)) &&
        llvm::none_of(strides, mlir::ShapedType::isDynamic))
      value.strides.assign(strides.begin(), strides.end());
  }
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    value.place = vector.isScalable() ? Place::Other : Place::Registers;
  else if (auto memref = llvm::dyn_cast<mlir::MemRefType>(type))
    value.place = llvm::isa<mosaic_gpu::BarrierType>(memref.getElementType()) ? Place::Barrier
                  : isSharedMemory(memref)                                    ? Place::SharedMemory
                  : isTensorMemory(memref)                                    ? Place::TensorMemory
                  : isGlobalMemory(memref)                                    ? Place::GlobalMemory
                                                                              : Place::Other;
  return value;
}

/// The constant value, looking through casts of index types; nothing if the value is not a constant.
std::optional<int64_t> constantOf(mlir::Value value) {
  constexpr int kMostCasts = 8; // a limit, because a malformed module may contain a cycle
  for (int casts = 0; value && casts < kMostCasts; ++casts) {
    llvm::APInt constant;
    if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
      return constant.getSignificantBits() <= 64 ? std::optional(constant.getSExtValue()) : std::nullopt;
    mlir::Operation *op = value.getDefiningOp();
    if (!op || op->getName().getStringRef() != "arith.index_cast" || op->getNumOperands() != 1)
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

DumpKernel::Sizes constantsOf(const mlir::gpu::KernelDim3 &sizes) {
  return {constantOf(sizes.x), constantOf(sizes.y), constantOf(sizes.z)};
}

bool isWarpgroupLevel(mlir::Operation &op) {
  llvm::StringRef dialect = op.getName().getDialectNamespace();
  if (dialect == "mosaic_gpu" || dialect == "lanescope" || !op.isRegistered())
    return true;
  for (const char *name :
       {"in_layouts", "out_layouts", "in_transforms", "out_transforms", "in_tmem_layouts", "out_tmem_layouts"})
    if (op.hasAttr(name))
      return true;
  auto isArray = [](mlir::Type type) { return llvm::isa<mlir::VectorType>(type); };
  return llvm::any_of(op.getOperandTypes(), isArray) || llvm::any_of(op.getResultTypes(), isArray);
}

/// The operand that gives a region's argument its first value. A loop's bounds precede its arrays. The second region of
/// a `scf.while` takes the values that its condition passes on.
mlir::OpOperand *initialOf(mlir::BlockArgument argument) {
  mlir::Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (!parent || !argument.getOwner()->isEntryBlock())
    return nullptr;
  llvm::StringRef name = parent->getName().getStringRef();
  if (name == "scf.for")
    index = index == 0 ? parent->getNumOperands() : index + 2;
  else if (name == "scf.while" && argument.getOwner()->getParent()->getRegionNumber() == 1) {
    mlir::Region &before = parent->getRegion(0);
    if (before.empty() || before.front().empty())
      return nullptr;
    parent = &before.front().back();
    ++index; // skip the condition
  } else if (argument.getOwner()->getNumArguments() != parent->getNumOperands())
    return nullptr;
  return index < parent->getNumOperands() ? &parent->getOpOperand(index) : nullptr;
}

bool takesMemory(llvm::StringRef name) {
  return name == "mosaic_gpu.slice_smem" || name == "mosaic_gpu.slice_tmem" || name == "mosaic_gpu.tmem_alloc";
}

/// The operation that allocates a reference's memory, looking through views; null: there is none.
mlir::Operation *memoryBehind(mlir::Value value) {
  constexpr int kMostViews = 64; // a limit, because a malformed module may contain a cycle
  for (int views = 0; value && llvm::isa<mlir::MemRefType>(value.getType()) && views < kMostViews; ++views) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      mlir::OpOperand *initial = initialOf(argument);
      value = initial ? initial->get() : mlir::Value();
      continue;
    }
    mlir::Operation *op = value.getDefiningOp();
    if (!op || takesMemory(op->getName().getStringRef()))
      return op;
    value = op->getNumOperands() > 0 ? op->getOperand(0) : mlir::Value();
  }
  return nullptr;
}

class DumpReader {
public:
  explicit DumpReader(const SourceRef &source) : source_(source), reader_(makeMlirContext(), source, gpuDialects()) {}

  Result<Dump> run() {
    if (auto read = reader_.read(); !read)
      return std::unexpected(std::move(read.error()));
    dump_.source = source_;
    if (auto module = reader_.module())
      readModule(module);
    for (mlir::Operation &op : reader_.block())
      op.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *inner) { read(*inner); });
    if (dump_.ops.empty())
      return error(
          "not-a-dump", {source_, 0, 0},
          "there is no warpgroup-level operation here; a Mosaic GPU dump made with warpgroup semantics is expected");
    return std::move(dump_);
  }

private:
  void readModule(mlir::ModuleOp module) {
    dump_.module = module.getSymName().value_or("").str();
    if (auto stated = statedCapability(module))
      dump_.arch = text("sm_", stated->major, stated->minor);
  }

  void read(mlir::Operation &op) {
    llvm::StringRef name = op.getName().getStringRef();
    if (name == "scf.for" || name == "scf.while")
      dump_.loops.push_back(reader_.spanOf(op));
    if (auto launch = llvm::dyn_cast<mlir::gpu::LaunchOp>(op))
      readLaunch(launch);
    else if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op))
      readFunction(function);
    if (isWarpgroupLevel(op))
      readOp(op);
  }

  void readLaunch(mlir::gpu::LaunchOp launch) {
    DumpKernel kernel;
    kernel.span = reader_.spanOf(*launch);
    if (auto function = launch->getParentOfType<mlir::func::FuncOp>())
      kernel.name = function.getSymName().str();
    kernel.grid = constantsOf(launch.getGridSizeOperandValues());
    kernel.block = constantsOf(launch.getBlockSizeOperandValues());
    if (auto cluster = launch.getClusterSizeOperandValues())
      kernel.cluster = constantsOf(*cluster);
    mlir::Value bytes = launch.getDynamicSharedMemorySize();
    kernel.dynamicSmem = bytes ? constantOf(bytes) : 0;
    dump_.kernels.push_back(std::move(kernel));
  }

  void readFunction(mlir::func::FuncOp function) {
    auto grid = function->getAttrOfType<mlir::DenseI64ArrayAttr>("lanescope.grid");
    if (!grid)
      return;
    DumpKernel kernel;
    kernel.span = reader_.spanOf(*function);
    kernel.name = function.getSymName().str();
    for (size_t i = 0; i < kernel.grid.size(); ++i)
      kernel.grid[i] = static_cast<int64_t>(i) < grid.size() ? grid[i] : 1;
    if (auto warpgroups = function->getAttrOfType<mlir::IntegerAttr>("lanescope.num_warpgroups");
        warpgroups && warpgroups.getType().isInteger(64) && warpgroups.getInt() > 0 && warpgroups.getInt() <= 8)
      kernel.block = {warpgroups.getInt() * layouts::kThreadsPerWarpgroup, 1, 1};
    if (auto bytes = function->getAttrOfType<mlir::IntegerAttr>("lanescope.smem_bytes");
        bytes && bytes.getType().isInteger(64))
      kernel.dynamicSmem = bytes.getInt();
    dump_.kernels.push_back(std::move(kernel));
  }

  void readOp(mlir::Operation &op) {
    DumpOp &read = dump_.ops.emplace_back();
    read.span = reader_.spanOf(op);
    read.nameSpan = reader_.nameSpanOf(op);
    read.name = op.getName().getStringRef().str();
    read.known = op.isRegistered();
    read.place = reader_.origin(op);
    numbers_[&op] = dump_.ops.size() - 1;
    for (mlir::Value operand : op.getOperands()) {
      DumpValue &value = read.operands.emplace_back(describe(operand.getType()));
      value.source = sourceOf(operand);
      value.memory = numberOf(memoryBehind(operand));
    }
    for (mlir::Value result : op.getResults()) {
      DumpValue &value = read.results.emplace_back(describe(result.getType()));
      value.memory = numberOf(memoryBehind(result));
    }
    if (read.name == "mosaic_gpu.slice_smem" || read.name == "mosaic_gpu.slice_tmem")
      if (auto offset = op.getAttrOfType<mlir::IntegerAttr>("offset"); offset && offset.getType().isInteger(32))
        read.offset = offset.getInt();
    // Dumps from before inference: take the layouts that the operation itself states.
    if (auto cast = llvm::dyn_cast<mosaic_gpu::LayoutCastOp>(op))
      read.results.front().layout = toLayout(cast.getNewLayout());
    if (auto fixed = llvm::dyn_cast<mosaic_gpu::WithTransformsOp>(op))
      give(read, "transforms", fixed.getTransforms(), read.results.front());
    assignLayouts(op, read, "in_layouts", read.operands);
    assignLayouts(op, read, "out_layouts", read.results);
    assignTransforms(op, read, "in_transforms", read.operands);
    assignTransforms(op, read, "out_transforms", read.results);
    assignTensorLayouts(op, read, "in_tmem_layouts", read.operands);
    assignTensorLayouts(op, read, "out_tmem_layouts", read.results);
  }

  std::optional<size_t> numberOf(mlir::Operation *op) const {
    auto found = numbers_.find(op);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<DumpSource> sourceOf(mlir::Value value) const {
    DumpSource source;
    std::optional<size_t> op;
    if (auto result = llvm::dyn_cast<mlir::OpResult>(value)) {
      op = numberOf(result.getOwner());
      source.index = result.getResultNumber();
    } else if (mlir::OpOperand *initial = initialOf(llvm::cast<mlir::BlockArgument>(value))) {
      op = numberOf(initial->getOwner());
      source.result = false, source.index = initial->getOperandNumber();
    }
    if (!op)
      return std::nullopt;
    source.op = *op;
    return source;
  }

  /// Assigns the attribute's entries, in order, to the values in `place`.
  template <typename Give>
  void assign(mlir::Operation &op, const DumpOp &read, const char *name, DumpValue::Place place,
              std::vector<DumpValue> &values, const Give &give) {
    mlir::Attribute attribute = op.getAttr(name);
    if (!attribute)
      return;
    auto entries = llvm::dyn_cast<mlir::ArrayAttr>(attribute);
    if (!entries)
      return warn(read, text("`", name, "` is not an array"));
    dump_.hasLayouts |= !entries.empty();
    size_t used = 0, places = 0;
    for (DumpValue &value : values) {
      if (value.place != place)
        continue;
      ++places;
      if (used < entries.size())
        give(entries[used++], value);
    }
    if (places != entries.size())
      warn(read, text("`", name, "` has ", counted(entries.size(), "entry", "entries"), " for ", places,
                      place == DumpValue::Place::Registers      ? " array"
                      : place == DumpValue::Place::SharedMemory ? " shared-memory reference"
                                                                : " reference to tensor memory",
                      places == 1 ? "" : "s"));
  }

  void assignLayouts(mlir::Operation &op, const DumpOp &read, const char *name, std::vector<DumpValue> &values) {
    assign(op, read, name, DumpValue::Place::Registers, values, [&](mlir::Attribute entry, DumpValue &value) {
      value.layout = toLayout(entry);
      if (!value.layout)
        return warn(read, text("`", name, "` has an entry that is no register layout"));
      if (auto fits = layouts::checkApplies(*value.layout, value.shape); !fits)
        for (const Diagnostic &problem : fits.error())
          warn(read, problem.message);
    });
  }

  void assignTensorLayouts(mlir::Operation &op, const DumpOp &read, const char *name, std::vector<DumpValue> &values) {
    assign(op, read, name, DumpValue::Place::TensorMemory, values, [&](mlir::Attribute entry, DumpValue &value) {
      value.tensorLayout = toTmemLayout(entry);
      if (!value.tensorLayout)
        return warn(read, text("`", name, "` has an entry that is no layout of tensor memory"));
      int bits = value.dtype ? layouts::bitwidth(*value.dtype) : layouts::kTmemCellBits;
      if (auto fits = value.tensorLayout->checkType(value.shape, bits); !fits)
        warn(read, fits.error().front().message);
    });
  }

  void assignTransforms(mlir::Operation &op, const DumpOp &read, const char *name, std::vector<DumpValue> &values) {
    assign(op, read, name, DumpValue::Place::SharedMemory, values,
           [&](mlir::Attribute entry, DumpValue &value) { give(read, name, entry, value); });
  }

  void give(const DumpOp &read, const char *name, mlir::Attribute entry, DumpValue &value) {
    auto array = llvm::dyn_cast<mlir::ArrayAttr>(entry);
    if (!array)
      return warn(read, text("`", name, "` has an entry that is no array of transforms"));
    auto transforms = toTransforms(array);
    if (!transforms) {
      for (const Diagnostic &problem : transforms.error())
        warn(read, problem.message);
      return;
    }
    value.transforms = std::move(*transforms);
  }

  void warn(const DumpOp &read, std::string message) {
    dump_.warnings.push_back({Severity::Warning, "dump-layout", read.nameSpan, std::move(message), {}});
  }

  SourceRef source_;
  ModuleReader reader_;
  Dump dump_;
  llvm::DenseMap<mlir::Operation *, size_t> numbers_; // index of each operation in the list
};

} // namespace

Result<Dump> readDump(const SourceRef &source) { return DumpReader(source).run(); }

} // namespace lanescope::core
