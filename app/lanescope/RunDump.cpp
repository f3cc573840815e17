// `lanescope run` of a module that JAX dumped: compiled by us, run on a device, its outputs saved or shown.
#include "app/lanescope/RunDump.h"

#include "app/lanescope/Common.h"
#include "core/gpu/codegen/Compiler.h"
#include "core/gpu/ir/DumpModule.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <random>

namespace lanescope::app {
namespace {

/// Small numbers, so that sums of products stay exact in few bits.
core::Array randomArray(const core::BufferSpec &buffer, uint32_t seed) {
  core::Array array = core::Array::zeros(buffer.dtype, buffer.shape);
  std::mt19937 generator(seed);
  constexpr int kSteps = 8; // of 1/4, from -1 on
  for (int64_t i = 0; i < array.size(); ++i) {
    auto step = static_cast<int>(generator() % (kSteps + 1));
    if (layouts::isFloat(buffer.dtype))
      array.setNumber(i, step * 0.25 - 1);
    else
      array.setInteger(i, step);
  }
  return array;
}

/// The file's array. A dump does not say whether integers have a sign: one of that width will do.
Result<core::Array> inputArray(const std::string &file, layouts::Dtype dtype) {
  auto array = core::loadNpy(file, dtype);
  if (array || !layouts::isInteger(dtype))
    return array;
  auto plain = core::loadNpy(file);
  if (!plain || !layouts::isInteger(plain->dtype) || layouts::hostBytes(plain->dtype) != layouts::hostBytes(dtype))
    return array;
  plain->dtype = dtype;
  return plain;
}

/// "argument3" is number 3: JAX leaves out those that the kernel does not use.
size_t numberOf(const core::BufferSpec &buffer) {
  constexpr std::string_view kPrefix = "argument";
  return parseInteger<size_t>(std::string_view(buffer.name).substr(std::min(kPrefix.size(), buffer.name.size())))
      .value_or(0);
}

/// Arrays for the kernel's arguments: from files in the order of JAX's, else random ones; zeros where it only writes.
Result<std::vector<core::Array>> arraysFor(const core::CompiledKernel &kernel, const std::vector<std::string> &files,
                                           const SourceRef &source) {
  std::vector<core::Array> arrays;
  std::vector<const core::BufferSpec *> buffers = kernel.buffers();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const core::BufferSpec &buffer = *buffers[i];
    bool written = std::ranges::find(kernel.outputs, static_cast<uint32_t>(i)) != kernel.outputs.end();
    size_t number = numberOf(buffer);
    if (number < files.size()) {
      auto array = inputArray(files[number], buffer.dtype);
      if (!array)
        return std::unexpected(std::move(array.error()));
      if (array->shape != buffer.shape || array->dtype != buffer.dtype)
        return error("shape-mismatch", {source, 0, 0},
                     text("input ", number, " of this kernel is ", layouts::name(buffer.dtype), " of shape ",
                          layouts::tupleText(buffer.shape), ", but ", files[number], " holds ",
                          layouts::name(array->dtype), " of shape ", layouts::tupleText(array->shape)));
      arrays.push_back(std::move(*array));
    } else {
      arrays.push_back(written ? core::Array::zeros(buffer.dtype, buffer.shape)
                               : randomArray(buffer, static_cast<uint32_t>(number)));
    }
  }
  return arrays;
}

} // namespace

bool isDumpName(const std::string &file) {
  std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".mlir" || extension == ".txt";
}

int runDump(const RunArguments &arguments, const SourceRef &source, core::Device &device) {
  core::Compiler compiler;
  auto dumped = core::readDumpKernel(compiler.context(), source);
  if (!dumped)
    return report(dumped.error());
  core::CompileOptions options;
  options.arch = arguments.archGiven || dumped->arch.empty() ? arguments.arch : dumped->arch;
  core::KernelStages stages = compiler.compile(std::move(dumped->module), options);
  int status = report(stages.diagnostics);
  if (!stages.kernel)
    return std::max<int>(status, kInputAtFault);
  auto inputs = arraysFor(*stages.kernel, arguments.inputs, source);
  if (!inputs)
    return report(inputs.error());
  core::RunOptions run;
  run.emulation = arguments.emulation;
  auto result = device.run(*stages.kernel, *inputs, run);
  if (!result)
    return report(result.error());
  std::cout << result->printed;
  status = report(result->diagnostics);
  if (!arguments.output.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(arguments.output, problem); // where it cannot, saving says so
  }
  for (size_t i = 0; i < result->outputs.size(); ++i) {
    const core::Array &output = result->outputs[i];
    std::cout << "output " << i << ": " << layouts::name(output.dtype) << " of shape "
              << layouts::tupleText(output.shape);
    if (!arguments.output.empty()) {
      std::filesystem::path file = std::filesystem::path(arguments.output) / text("out_", i, ".npy");
      if (auto saved = core::saveNpy(file, output); !saved)
        return report(saved.error());
      std::cout << ", wrote " << file.string();
    }
    std::cout << "\n";
  }
  if (!result->note.empty())
    std::cout << result->note << "\n";
  return status;
}

} // namespace lanescope::app
