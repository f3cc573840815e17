#include "core/tpu/decode/Decode.h"

#include "core/ir/KernelModuleImpl.h"
#include "core/tpu/decode/AffineMaps.h"
#include "core/tpu/decode/TpuDecoder.h"
#include "core/tpu/ir/Tpu.h"
#include "layouts/support/Text.h"

#include "layouts/support/DiagnosticKind.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineMap.h"

#include <map>

namespace lanescope::core {
namespace sparsecore {
namespace {

constexpr DiagnosticKind kNotAKernel = "not-a-sparsecore-module";

class ModuleDecoder {
public:
  ModuleDecoder(mlir::ModuleOp module, const std::vector<SourceRef> &sources)
      : module_(module), tables_(program_, sources) {}

  Result<Program> run() {
    for (auto function : module_.getOps<mlir::func::FuncOp>()) {
      names_[function.getSymName().str()] = static_cast<uint32_t>(program_.functions.size());
      program_.functions.emplace_back();
    }
    uint32_t index = 0;
    for (auto function : module_.getOps<mlir::func::FuncOp>())
      decode(function, index++);
    if (program_.kernels().empty() && !hasErrors(problems_))
      problem(module_, "no function of this module has `tpu.core_type`, which says what runs it");
    if (hasErrors(problems_))
      return std::unexpected(std::move(problems_));
    return std::move(program_);
  }

private:
  void problem(mlir::Operation *op, std::string message) {
    problems_.push_back({Severity::Error, kNotAKernel, tables_.span(op->getLoc()), std::move(message), {}});
  }

  void decode(mlir::func::FuncOp op, uint32_t index) {
    Function function;
    function.name = op.getSymName().str();
    function.place = tables_.place(op.getLoc());
    if (op.isExternal())
      return problem(op, text("`", function.name, "` has no body"));
    FunctionDecoder decoder(tables_, function);
    for (mlir::BlockArgument argument : op.getArguments())
      function.arguments.push_back(decoder.define(argument));
    if (auto core = op->getAttrOfType<tpu::CoreTypeAttr>(tpu::kCoreType))
      describeKernel(op, function, core.getValue());
    decoder.decode(op.getBody());
    problems_.insert(problems_.end(), decoder.problems.begin(), decoder.problems.end());
    program_.functions[index] = std::move(function);
  }

  void describeKernel(mlir::func::FuncOp op, Function &function, tpu::CoreType core) {
    function.kernel = true;
    function.core = core == tpu::CoreType::ScScalarSubcore   ? CoreType::ScalarSubcore
                    : core == tpu::CoreType::ScVectorSubcore ? CoreType::VectorSubcore
                                                             : CoreType::TensorCore;
    if (auto bounds = op->getAttrOfType<mlir::DenseI64ArrayAttr>("iteration_bounds"))
      function.grid.assign(bounds.asArrayRef().begin(), bounds.asArrayRef().end());
    function.semantics.assign(function.grid.size(), Semantics::Arbitrary);
    if (auto semantics = op->getAttrOfType<mlir::ArrayAttr>("dimension_semantics"))
      for (size_t d = 0; d < semantics.size() && d < function.grid.size(); ++d)
        if (auto each = mlir::dyn_cast<tpu::DimensionSemanticsAttr>(semantics[d]))
          function.semantics[d] = semanticsOf(each.getValue());
    size_t gridArguments = 0, arguments = function.arguments.size();
    while (gridArguments < arguments && !function.values[function.arguments[gridArguments]].memref)
      ++gridArguments;
    if (gridArguments != function.grid.size())
      return problem(op, text("`", function.name, "` has ", gridArguments, " arguments before its references, and ",
                              "`iteration_bounds` has ", function.grid.size(), " dimensions"));
    function.gridArguments = static_cast<uint32_t>(gridArguments);
    auto scratch = op->getAttrOfType<mlir::IntegerAttr>("scratch_operands");
    size_t references = arguments - gridArguments;
    size_t scratchCount = scratch && scratch.getInt() > 0 ? static_cast<size_t>(scratch.getInt()) : 0;
    if (scratchCount > references)
      return problem(
          op, text("`", function.name, "` has ", references, " references, and `scratch_operands` is ", scratchCount));
    auto windows = op->getAttrOfType<mlir::ArrayAttr>("window_params");
    for (size_t k = 0; k < references; ++k) {
      unsigned argument = static_cast<unsigned>(gridArguments + k);
      Operand operand;
      operand.value = function.arguments[argument];
      if (!function.values[operand.value].memref)
        return problem(op, text("argument ", argument, " of `", function.name, "` is no reference"));
      operand.scratch = k >= references - scratchCount;
      operand.persistent = bool(op.getArgAttr(argument, "sc.persistent"));
      if (auto by = op.getArgAttrOfType<mlir::IntegerAttr>(argument, "sc.indexed_by"))
        operand.indexedBy = static_cast<int32_t>(by.getInt());
      if (auto dimension = op.getArgAttrOfType<mlir::IntegerAttr>(argument, "sc.indexed_dim"))
        operand.indexedDim = static_cast<int32_t>(dimension.getInt());
      const MemRefType &type = program_.memrefs[function.values[operand.value].type];
      for (int64_t size : type.shape)
        if (size == kDynamic)
          return problem(op, text("operand ", k, " of `", function.name, "` has no static shape"));
      if (!operand.scratch && windows && k < windows.size())
        describeWindow(op, operand, type, windows[k]);
      function.operands.push_back(std::move(operand));
    }
  }

  static Semantics semanticsOf(tpu::DimensionSemantics semantics) {
    switch (semantics) {
    case tpu::DimensionSemantics::Parallel: return Semantics::Parallel;
    case tpu::DimensionSemantics::CoreParallel: return Semantics::CoreParallel;
    case tpu::DimensionSemantics::SubcoreParallel: return Semantics::SubcoreParallel;
    default: return Semantics::Arbitrary;
    }
  }

  void describeWindow(mlir::func::FuncOp op, Operand &operand, const MemRefType &type, mlir::Attribute attribute) {
    auto window = mlir::dyn_cast<mlir::DictionaryAttr>(attribute);
    if (!window || operand.persistent)
      return; // the whole array
    auto bounds = window.getAs<mlir::DenseI64ArrayAttr>("window_bounds");
    auto map = window.getAs<mlir::AffineMapAttr>("transform_indices");
    if (bounds)
      operand.window.assign(bounds.asArrayRef().begin(), bounds.asArrayRef().end());
    else if (map && !isZero(map.getValue()))
      operand.window = type.shape;
    else
      return;
    if (operand.window != type.shape)
      return problem(op, "`window_bounds` of another shape than the operand that they are for");
    if (auto symbol = window.getAs<mlir::FlatSymbolRefAttr>("transform_indices")) {
      auto found = names_.find(symbol.getValue().str());
      if (found == names_.end())
        return problem(op, text("there is no function `", symbol.getValue().str(), "`"));
      operand.transform = static_cast<int32_t>(found->second);
    } else if (map && !isZero(map.getValue())) {
      if (map.getValue().getNumSymbols() != 0 || map.getValue().getNumResults() != type.shape.size())
        return problem(op, text("a window of ", type.shape.size(), " dimensions whose map gives ",
                                map.getValue().getNumResults(), " indices, or has symbols"));
      std::string problemText;
      uint32_t indexType = 0;
      tables_.scalarOrVector(mlir::IndexType::get(op.getContext()), indexType, problemText);
      operand.transform = static_cast<int32_t>(program_.functions.size());
      program_.functions.push_back(
          functionOf(map.getValue(), "the window's map", indexType, tables_.place(op.getLoc())));
    }
  }

  static bool isZero(mlir::AffineMap map) {
    return llvm::all_of(map.getResults(), [](mlir::AffineExpr result) {
      auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(result);
      return constant && constant.getValue() == 0;
    });
  }

  mlir::ModuleOp module_;
  Program program_;
  Tables tables_;
  std::map<std::string, uint32_t> names_;
  Diagnostics problems_;
};

} // namespace
} // namespace sparsecore

Result<sparsecore::Program> decodeProgram(const KernelModule &module) {
  const KernelModule::Impl &impl = module.impl();
  return sparsecore::ModuleDecoder(*const_cast<KernelModule::Impl &>(impl).module, impl.sources).run();
}

} // namespace lanescope::core
