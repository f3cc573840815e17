#include "repl/workbench/ModuleFile.h"

#include "core/tpu/decode/Decode.h"
#include "core/tpu/emulator/KernelOperands.h"
#include "core/tpu/emulator/TpuEmulator.h"
#include "core/tpu/ir/TpuContext.h"
#include "core/tpu/ir/TpuModule.h"
#include "repl/workbench/CodePages.h"

#include <algorithm>
#include <iterator>

namespace lanescope::repl {

namespace {

constexpr double kMostSeconds = 1;         // limit for the run, in seconds
constexpr int64_t kMostElements = 1 << 24; // limit for the elements of all arrays together

std::shared_ptr<const core::Trace> traceOnZeros(const SourceRef &source) {
  core::IrContext context = core::makeTpuContext();
  auto module = core::parseModule(context, source);
  if (!module)
    return nullptr;
  auto program = core::decodeProgram(*module);
  if (!program)
    return nullptr;
  std::vector<core::Array> zeros;
  for (const auto &operand : core::sparsecore::planOperands(*program, size_t{0}).operands) {
    Result<int64_t> count = layouts::checkedElementCount(operand.shape);
    if (!count || *count > kMostElements)
      return nullptr;
    zeros.push_back(core::Array::zeros(operand.element.dtype, operand.shape));
  }
  core::sparsecore::EmulatorOptions options;
  options.trace = true;
  options.timeoutSeconds = kMostSeconds;
  auto result = core::sparsecore::emulate(*program, zeros, options);
  if (!result || hasErrors(result->diagnostics) || !result->trace)
    return nullptr;
  return std::make_shared<const core::Trace>(*std::move(result->trace));
}

std::optional<viz::ViewSpec> firstTiles(const core::TpuModule &module) {
  for (const core::TpuOp &op : module.ops)
    for (const core::TpuValue &value : op.results)
      if (value.layout && value.dtype) {
        viz::ViewSpec spec;
        spec.layout = value.layout->text();
        spec.shape = value.shape;
        spec.dtype = value.dtype;
        spec.view = viz::View::Grid;
        return spec;
      }
  return std::nullopt;
}

} // namespace

ModuleFile openModuleFile(const SourceRef &source, const std::string &title) {
  ModuleFile file{.code = {.title = title, .pages = {{"module", source->text(), {}}}}};
  auto module = core::readTpuModule(source);
  if (!module) {
    file.problems = std::move(module.error());
    for (const Diagnostic &problem : file.problems)
      if (problem.span.source == source)
        file.code.pages.front().markedLines.push_back(source->lineColumn(problem.span.begin).line);
    return file;
  }
  file.words = core::tpuHeading(*module);
  std::vector<uint32_t> lines(static_cast<size_t>(std::ranges::count(file.words, '\n')), 0);
  std::ranges::copy(core::tpuListingLines(*module), std::back_inserter(lines));
  file.code = codeOfListing(title, source, "operations", file.words + core::tpuListing(*module), lines);
  file.tiles = firstTiles(*module);
  file.trace = traceOnZeros(source);
  if (file.trace)
    file.words += "The trace is that of a run on zeros, timed by a model of the machine.\n";
  return file;
}

} // namespace lanescope::repl
