#include "core/tpu/decode/TpuDecoder.h"

#include "core/ir/DiagnosticCollector.h"
#include "core/ir/ElementTypes.h"
#include "core/tpu/ir/Tpu.h"
#include "layouts/support/Text.h"

#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core::sparsecore {

bool elementOf(mlir::Type type, Element &element) {
  if (auto dtype = dtypeOf(type)) {
    bool isFloat = layouts::isFloat(*dtype);
    element = {isFloat ? Element::Kind::Float : Element::Kind::Integer, static_cast<uint8_t>(layouts::bitwidth(*dtype)),
               *dtype};
    return isFloat || layouts::isSignedInteger(*dtype) || *dtype == Dtype::I1;
  }
  if (type.isIndex()) {
    element = {Element::Kind::Index, 64, Dtype::I64};
    return true;
  }
  if (mlir::isa<tpu::SemaphoreType>(type)) {
    element = {Element::Kind::Semaphore, 32, Dtype::I32};
    return true;
  }
  if (mlir::isa<tpu::DMASemaphoreType>(type)) {
    element = {Element::Kind::DmaSemaphore, 32, Dtype::I32};
    return true;
  }
  return false;
}

static std::string typeText(mlir::Type type) {
  std::string out;
  llvm::raw_string_ostream(out) << type;
  return out;
}

bool Tables::scalarOrVector(mlir::Type type, uint32_t &index, std::string &problem) {
  auto [at, isNew] = types_.try_emplace(type, static_cast<uint32_t>(program.types.size()));
  index = at->second;
  if (!isNew)
    return true;
  Type made;
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  bool known = elementOf(vector ? vector.getElementType() : type, made.element) && !made.element.isSemaphore();
  constexpr int64_t kMostLanes = 1 << 16;
  if (vector) {
    made.vector = true;
    made.shape.assign(vector.getShape().begin(), vector.getShape().end());
    int64_t count = 1;
    for (int64_t size : made.shape)
      known = known && !__builtin_mul_overflow(count, size, &count) && count <= kMostLanes;
    known = known && !vector.isScalable();
    made.cells = static_cast<uint32_t>(count);
  }
  if (!known) {
    types_.erase(at);
    problem = lanescope::text("the emulator has no values of type `", typeText(type), "`");
    return false;
  }
  program.types.push_back(std::move(made));
  return true;
}

static std::optional<Space> spaceOf(mlir::MemRefType type) {
  if (!type.getMemorySpace())
    return Space::Any;
  auto space = tpu::memorySpaceOf(type);
  if (!space)
    return std::nullopt;
  switch (*space) {
  case tpu::MemorySpace::Any: return Space::Any;
  case tpu::MemorySpace::Vmem: return Space::Vmem;
  case tpu::MemorySpace::Smem: return Space::Smem;
  case tpu::MemorySpace::Hbm: return Space::Hbm;
  case tpu::MemorySpace::Cmem: return Space::Cmem;
  case tpu::MemorySpace::SemaphoreMem: return Space::SemaphoreMem;
  case tpu::MemorySpace::VmemShared: return Space::VmemShared;
  case tpu::MemorySpace::Host: return Space::Host;
  }
  return std::nullopt;
}

bool Tables::memref(mlir::MemRefType type, uint32_t &index, std::string &problem) {
  auto [at, isNew] = types_.try_emplace(type, static_cast<uint32_t>(program.memrefs.size()));
  index = at->second;
  if (!isNew)
    return true;
  MemRefType made;
  auto space = spaceOf(type);
  if (!elementOf(type.getElementType(), made.element) || !space || type.getShape().size() > kMostRank) {
    types_.erase(at);
    problem = lanescope::text("the emulator has no memory of type `", typeText(type), "`");
    return false;
  }
  made.space = *space;
  if (auto owner = tpu::ownerOf(type)) {
    made.ofCore = true;
    made.core = *owner == tpu::CoreType::ScScalarSubcore   ? CoreType::ScalarSubcore
                : *owner == tpu::CoreType::ScVectorSubcore ? CoreType::VectorSubcore
                                                           : CoreType::TensorCore;
  }
  for (int64_t size : type.getShape())
    made.shape.push_back(mlir::ShapedType::isDynamic(size) ? kDynamic : size);
  if (auto tiled = mlir::dyn_cast<tpu::TiledLayoutAttr>(type.getLayout()))
    made.layout = tpu::toLayout(tiled);
  program.memrefs.push_back(std::move(made));
  return true;
}

Span Tables::span(mlir::Location location) const { return spanOf(location, sources_); }

uint32_t Tables::place(mlir::Location location) {
  auto [at, isNew] = places_.try_emplace(location, static_cast<uint32_t>(program.places.size()));
  if (isNew)
    program.places.push_back(span(location));
  return at->second;
}

uint32_t Tables::text(llvm::StringRef text) {
  auto [at, isNew] = texts_.try_emplace(text.str(), static_cast<uint32_t>(program.texts.size()));
  if (isNew)
    program.texts.push_back(text.str());
  return at->second;
}

void FunctionDecoder::fail(mlir::Operation &op, Message message) {
  problems.push_back(diagnosed(Severity::Error, "unknown-operation", tables_.span(op.getLoc()), std::move(message)));
}

uint32_t FunctionDecoder::define(mlir::Value value) {
  Value made;
  std::string problem;
  auto memref = mlir::dyn_cast<mlir::MemRefType>(value.getType());
  made.memref = bool(memref);
  bool known =
      memref ? tables_.memref(memref, made.type, problem) : tables_.scalarOrVector(value.getType(), made.type, problem);
  if (!known) {
    problems.push_back({Severity::Error, "unknown-operation", tables_.span(value.getLoc()), problem, {}});
    made.type = 0; // no code runs from here on
    made.cells = 1;
  } else if (!memref) {
    made.cells = tables_.program.types[made.type].cells;
  }
  made.at = memref ? function_.slots : function_.cells;
  (memref ? function_.slots : function_.cells) += memref ? 1 : made.cells;
  uint32_t index = static_cast<uint32_t>(function_.values.size());
  function_.values.push_back(made);
  values_[value] = index;
  return index;
}

uint32_t FunctionDecoder::use(mlir::Value value) {
  auto at = values_.find(value);
  return at == values_.end() ? define(value) : at->second;
}

uint32_t FunctionDecoder::temporary(uint32_t like) {
  Value made = function_.values[like];
  made.at = made.memref ? function_.slots : function_.cells;
  (made.memref ? function_.slots : function_.cells) += made.memref ? 1 : made.cells;
  function_.values.push_back(made);
  return static_cast<uint32_t>(function_.values.size() - 1);
}

Instruction &FunctionDecoder::emit(mlir::Operation &op, Op code, mlir::ValueRange operands, mlir::ValueRange results) {
  Instruction instruction;
  instruction.op = code;
  instruction.place = tables_.place(op.getLoc());
  for (mlir::Value operand : operands)
    instruction.operands.push_back(use(operand));
  for (mlir::Value result : results)
    instruction.results.push_back(define(result));
  function_.code.push_back(std::move(instruction));
  return function_.code.back();
}

void FunctionDecoder::operation(mlir::Operation &op) {
  if (control(op) || elementwise(op) || vectors(op) || lanes(op) || memory(op) || synchronisation(op) || logs(op))
    return;
  fail(op, Message("the emulator has no `{}`", op.getName().getStringRef().str()));
  for (mlir::Value result : op.getResults())
    define(result);
}

void FunctionDecoder::block(mlir::Block &block) {
  for (mlir::Operation &op : block.without_terminator())
    operation(op);
}

void FunctionDecoder::decode(mlir::Region &body) {
  constexpr uint32_t kMostCells = 1 << 24;
  branches(body);
  if (function_.cells > kMostCells)
    problems.push_back({Severity::Error,
                        "unknown-operation",
                        tables_.program.places[function_.place],
                        "a function with more values than the emulator keeps",
                        {}});
}

} // namespace lanescope::core::sparsecore
