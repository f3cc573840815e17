#include "repl/lsp/KernelWords.h"

#include "repl/kernel/gpu/launch/GpuPrimitives.h"
#include "repl/kernel/gpu/launch/KernelFunction.h"

namespace lanescope::repl::lsp {

namespace {

bool inGpuKernel(const Document &document, uint32_t offset) {
  Evaluator &evaluator = document.known->session->evaluator();
  std::vector<ValueFact> values = document.values(); // only kernels of GPUs have such facts
  for (const FunctionStmt *function : functionsOf(*document.snippet)) {
    if (offset < function->range.begin || offset > function->range.end)
      continue;
    const Value *value = evaluator.lookup(function->function.name);
    if (value && value->as<KernelFunction>())
      return true;
    auto inside = [&](const ValueFact &fact) {
      return fact.place.begin >= function->range.begin && fact.place.begin < function->range.end;
    };
    if (std::ranges::any_of(values, inside))
      return true;
  }
  return false;
}

} // namespace

std::optional<CalleeWords> kernelFunctionAt(const Document &document, uint32_t offset, std::string_view name) {
  static const Builtins kFunctions = [] {
    BuiltinTable table;
    gpuPrimitives().addTo(table);
    return std::move(table).take();
  }();
  auto found = std::ranges::find(kFunctions, name, &Builtin::name);
  if (found == kFunctions.end() || found->signature.empty() || !inGpuKernel(document, offset))
    return std::nullopt;
  return CalleeWords{found->signature, found->doc};
}

} // namespace lanescope::repl::lsp
