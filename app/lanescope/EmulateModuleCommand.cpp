// `lanescope emulate MODULE.mlir --inputs … -o DIR`: a SparseCore module with arrays from files.
#include "app/lanescope/Common.h"

#include "core/data/Files.h"
#include "core/tpu/decode/Decode.h"
#include "core/tpu/emulator/KernelOperands.h"
#include "core/tpu/emulator/TpuEmulator.h"
#include "core/tpu/ir/TpuContext.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Visible.h"

#include <filesystem>

namespace lanescope::app {

namespace {

namespace fs = std::filesystem;

/// The arrays in the files. If NumPy lacks an operand's type, the data in its file get the type of the operand.
Result<std::vector<core::Array>> loadInputs(const EmulateArguments &arguments,
                                            const core::sparsecore::Program &program) {
  size_t each = arguments.inputs.size() / arguments.devices;
  core::sparsecore::OperandPlan plan = core::sparsecore::planOperands(program, each);
  std::vector<core::Array> arrays;
  for (size_t k = 0; k < arguments.inputs.size(); ++k) {
    std::optional<core::Dtype> as;
    for (const auto &operand : plan.operands)
      if (operand.input >= 0 && static_cast<size_t>(operand.input) == k % std::max<size_t>(each, 1))
        as = operand.element.dtype;
    auto array = core::loadNpy(arguments.inputs[k]);
    if (!array && as) // the file contains raw bytes and does not name their type
      if (auto named = core::loadNpy(arguments.inputs[k], as))
        array = std::move(named);
    if (!array)
      return std::unexpected(array.error());
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

Result<void> save(const EmulateArguments &arguments, const core::RunResult &result) {
  size_t each = result.outputs.size() / arguments.devices;
  for (size_t k = 0; k < result.outputs.size(); ++k) {
    fs::path folder = arguments.output;
    if (arguments.devices > 1)
      folder /= text("device_", k / each);
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem)
      return error("unwritable-file",
                   Message("cannot make the folder `{path}`: {}", folder.string(), problem.message()));
    fs::path file = folder / text("out_", k % each, ".npy");
    LANESCOPE_CHECK(core::saveNpy(file, result.outputs[k]));
    say(text("wrote ", shownName(file.string()), "\n"));
  }
  return {};
}

Result<core::RunResult> runModule(const EmulateArguments &arguments, const SourceRef &source) {
  core::IrContext context = core::makeTpuContext();
  auto module = LANESCOPE_TRY(core::parseModule(context, source));
  auto program = LANESCOPE_TRY(core::decodeProgram(module));
  auto arrays = LANESCOPE_TRY(loadInputs(arguments, program));
  core::sparsecore::EmulatorOptions options;
  options.seed = arguments.emulation.seed;
  options.instant = arguments.emulation.fast;
  options.devices = arguments.devices;
  options.tensorCoreTiles = arguments.tensorCoreTiles;
  options.trace = !arguments.trace.empty();
  return core::sparsecore::emulate(program, arrays, options);
}

} // namespace

int runEmulateModule(const EmulateArguments &given, const SourceRef &source) {
  EmulateArguments arguments = given;
  std::erase(arguments.inputs, ""); // `--inputs` with nothing after it
  auto result = runModule(arguments, source);
  if (!result)
    return report(result.error());
  say(result->printed);
  int status = report(result->diagnostics);
  if (status == kDone && !arguments.output.empty())
    if (auto saved = save(arguments, *result); !saved)
      return report(saved.error());
  if (result->trace) {
    auto written = core::writeFile(arguments.trace, core::toChromeJson(*result->trace));
    if (!written)
      return report(written.error());
    say(text("wrote ", shownName(arguments.trace), "\n"));
  }
  say(text(result->note, "\n"));
  return status;
}

} // namespace lanescope::app
