#include "core/tpu/ir/TpuModule.h"

#include "core/ir/DiagnosticCollector.h"
#include "core/ir/ElementTypes.h"
#include "core/ir/KernelModuleImpl.h"
#include "core/tpu/ir/Tpu.h"
#include "core/tpu/ir/TpuContext.h"

#include "layouts/support/TerminalWidth.h"
#include "layouts/support/Text.h"
#include "layouts/support/Visible.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lanescope::core {
namespace {

std::string replaced(std::string words, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = words.find(from, at)) != std::string::npos; at += to.size())
    words.replace(at, from.size(), to);
  return words;
}

/// MLIR's text with memory spaces by name: `memref<16xi32, vmem>`.
std::string typeText(mlir::Type type) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  type.print(stream);
  auto reference = mlir::dyn_cast<mlir::MemRefType>(type);
  auto space = reference ? mlir::dyn_cast_or_null<tpu::MemorySpaceAttr>(reference.getMemorySpace()) : nullptr;
  if (!space)
    return out;
  std::string own(tpu::stringifyMemorySpace(space.getValue()));
  std::string owner = space.getCoreType() ? text(", ", std::string(tpu::stringifyCoreType(*space.getCoreType()))) : "";
  std::string of = space.getCoreType() ? text(" of ", std::string(tpu::stringifyCoreType(*space.getCoreType()))) : "";
  return replaced(std::move(out), text("#tpu.memory_space<", own, owner, ">"), own + of);
}

TpuValue describe(mlir::Type type) {
  TpuValue value;
  value.type = typeText(type);
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  if (shaped && shaped.hasStaticShape())
    value.shape = shaped.getShape().vec();
  if (shaped)
    value.dtype = dtypeOf(shaped.getElementType());
  if (auto reference = mlir::dyn_cast<mlir::MemRefType>(type)) {
    if (auto space = tpu::memorySpaceOf(reference))
      value.memory = tpu::stringifyMemorySpace(*space).str();
    if (auto tiled = mlir::dyn_cast<tpu::TiledLayoutAttr>(reference.getLayout()))
      value.layout = tpu::toLayout(tiled);
  }
  return value;
}

std::string coreText(mlir::Operation *function) {
  auto type = function->getAttrOfType<tpu::CoreTypeAttr>(tpu::kCoreType);
  if (!type)
    return "";
  switch (type.getValue()) {
  case tpu::CoreType::Tc: return "TensorCore";
  case tpu::CoreType::ScScalarSubcore: return "scalar subcore";
  case tpu::CoreType::ScVectorSubcore: return "vector subcore";
  }
  return "";
}

class ModuleData {
public:
  ModuleData(const SourceRef &source, KernelModule::Impl &impl) : impl_(impl) { out_.source = source; }

  TpuModule read() {
    for (mlir::Operation &op : impl_.module->getBody()->getOperations())
      if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
        readFunction(function);
    return std::move(out_);
  }

private:
  void readFunction(mlir::func::FuncOp function) {
    TpuFunction data;
    data.place = spanOf(function->getLoc(), impl_.sources);
    data.name = function.getSymName().str();
    data.core = coreText(function);
    if (auto bounds = function->getAttrOfType<mlir::DenseI64ArrayAttr>("iteration_bounds"))
      data.grid = bounds.asArrayRef().vec();
    if (auto semantics = function->getAttrOfType<mlir::ArrayAttr>("dimension_semantics"))
      for (auto entry : semantics.getAsRange<mlir::Attribute>())
        if (auto known = mlir::dyn_cast<tpu::DimensionSemanticsAttr>(entry))
          data.semantics.push_back(tpu::stringifyDimensionSemantics(known.getValue()).str());
    if (auto scratch = function->getAttrOfType<mlir::IntegerAttr>("scratch_operands"))
      data.scratch = scratch.getValue().getSExtValue();
    llvm::ArrayRef<mlir::Type> inputs = function.getArgumentTypes();
    for (mlir::Type type : inputs.drop_front(std::min(data.grid.size(), inputs.size())))
      data.operands.push_back(describe(type));
    out_.functions.push_back(std::move(data));
    for (mlir::Region &region : function->getRegions())
      readRegion(region, 0);
  }

  void readRegion(mlir::Region &region, int depth) {
    for (mlir::Block &block : region)
      for (mlir::Operation &op : block) {
        bool listed = !op.hasTrait<mlir::OpTrait::ConstantLike>() && !op.hasTrait<mlir::OpTrait::IsTerminator>();
        if (listed) {
          TpuOp data;
          data.place = spanOf(op.getLoc(), impl_.sources);
          data.name = op.getName().getStringRef().str();
          data.depth = depth;
          data.function = out_.functions.size() - 1;
          for (mlir::Type type : op.getOperandTypes())
            data.operands.push_back(describe(type));
          for (mlir::Type type : op.getResultTypes())
            data.results.push_back(describe(type));
          out_.ops.push_back(std::move(data));
        }
        for (mlir::Region &inner : op.getRegions())
          readRegion(inner, depth + 1);
      }
  }

  KernelModule::Impl &impl_;
  TpuModule out_;
};

std::string lineOf(const Span &place) { return place.source ? text(place.source->lineColumn(place.begin).line) : ""; }

std::string types(const std::vector<TpuValue> &values) {
  std::vector<std::string> words;
  for (const TpuValue &value : values)
    words.push_back(value.type);
  return joined(words, ", ");
}

} // namespace

bool looksLikeTpuModule(std::string_view text) {
  for (std::string_view sign : {"#tpu.", "!tpu.", "\"tpu.", " tpu."})
    if (text.find(sign) != std::string_view::npos)
      return true;
  return false;
}

Result<TpuModule> readTpuModule(const SourceRef &source) {
  IrContext context = makeTpuContext();
  Result<KernelModule> module = parseModule(context, source);
  if (!module)
    return std::unexpected(std::move(module.error()));
  return ModuleData(source, module->impl()).read();
}

std::string tpuHeading(const TpuModule &module) {
  std::string out;
  for (const TpuFunction &function : module.functions) {
    if (function.core.empty())
      continue;
    out += text("kernel ", shownName(function.name), " for a ", function.core);
    if (!function.grid.empty())
      out += text(": grid ", joined(function.grid, " x "));
    if (!function.semantics.empty())
      out += text(" (", joined(function.semantics, ", "), ")");
    out += "\n";
    for (size_t i = 0; i < function.operands.size(); ++i) {
      bool scratch = static_cast<int64_t>(function.operands.size() - i) <= function.scratch;
      out += text("  ", scratch ? "scratch" : "operand", " ", i, ": ", function.operands[i].type, "\n");
    }
  }
  return out.empty() ? "no kernel: no function has a `tpu.core_type`\n" : out;
}

/// True if the listing has a heading for the function above operation `i`.
static bool headed(const TpuModule &module, size_t i) {
  return module.functions.size() > 1 && (i == 0 || module.ops[i - 1].function != module.ops[i].function);
}

std::vector<uint32_t> tpuListingLines(const TpuModule &module) {
  std::vector<uint32_t> lines{0};
  for (size_t i = 0; i < module.ops.size(); ++i) {
    if (headed(module, i))
      lines.push_back(0);
    const Span &place = module.ops[i].place;
    lines.push_back(place.source ? place.source->lineColumn(place.begin).line : 0);
  }
  return lines;
}

std::string tpuListing(const TpuModule &module) {
  int64_t nameWidth = 2, numberWidth = columnCount(text(module.ops.size())), lineWidth = 4;
  for (const TpuOp &op : module.ops)
    nameWidth = std::max(nameWidth, columnCount(shownName(op.name)) + int64_t{2} * op.depth);
  std::string out = text(padded("#", numberWidth, Aligned::Right), "  ", padded("line", lineWidth, Aligned::Right),
                         "  ", padded("op", nameWidth), "  types\n");
  for (size_t i = 0; i < module.ops.size(); ++i) {
    const TpuOp &op = module.ops[i];
    if (headed(module, i))
      out += text("in ", shownName(module.functions[op.function].name), ":\n");
    std::string name = std::string(2 * static_cast<size_t>(op.depth), ' ') + shownName(op.name);
    out += text(padded(text(i + 1), numberWidth, Aligned::Right), "  ",
                padded(lineOf(op.place), lineWidth, Aligned::Right), "  ", padded(name, nameWidth), "  (",
                types(op.operands), ")", op.results.empty() ? "" : text(" -> ", types(op.results)), "\n");
  }
  return out;
}

std::string tpuOpText(const TpuModule &module, size_t number) {
  const TpuOp &op = module.ops[number - 1];
  std::string out =
      text("op ", number, ", ", shownName(op.name), " in ", shownName(module.functions[op.function].name));
  if (op.place.source) {
    uint32_t line = op.place.source->lineColumn(op.place.begin).line;
    std::string_view words = op.place.source->lineText(line);
    words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
    out += text(", line ", line, "\n  ", shownLine(words));
  }
  out += "\n";
  for (auto [role, values] : {std::pair("operand", &op.operands), {"result", &op.results}})
    for (size_t i = 0; i < values->size(); ++i)
      out += text("  ", role, " ", i, ": ", (*values)[i].type, "\n");
  return out;
}

} // namespace lanescope::core
