#include "core/gpu/codegen/DumpProgram.h"

#include "core/data/Files.h"
#include "core/gpu/inference/DumpKernels.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <random>

namespace lanescope::core {

namespace {

/// Small numbers, so that sums of products are exact in few bits.
Array randomArray(const BufferSpec &buffer, uint32_t seed) {
  Array array = Array::zeros(buffer.dtype, buffer.shape);
  std::mt19937 generator(seed);
  constexpr int kSteps = 8; // quarters, from -1 on
  for (int64_t i = 0; i < array.size(); ++i) {
    auto step = static_cast<int>(generator() % (kSteps + 1));
    if (layouts::isFloat(buffer.dtype))
      array.setNumber(i, step * 0.25 - 1);
    else
      array.setInteger(i, step);
  }
  return array;
}

/// A dump does not say if integers are signed, so either kind of the right width is accepted.
Array withSignOf(Array array, layouts::Dtype dtype) {
  if (layouts::isInteger(dtype) && layouts::isInteger(array.dtype) &&
      layouts::hostBytes(array.dtype) == layouts::hostBytes(dtype))
    array.dtype = dtype;
  return array;
}

/// Loads the array from the file.
Result<Array> inputArray(const std::string &file, layouts::Dtype dtype) {
  auto array = loadNpy(file, dtype);
  if (array || !layouts::isInteger(dtype))
    return array;
  auto plain = loadNpy(file);
  if (!plain || withSignOf(*plain, dtype).dtype != dtype)
    return array;
  return withSignOf(*std::move(plain), dtype);
}

/// The number of JAX's argument: 3 for "argument3". It can differ from the buffer's position, because dumps omit
/// arguments that the kernel does not use. Our kernels' buffers have their own names.
size_t numberOf(const BufferSpec &buffer, size_t position) {
  constexpr std::string_view kPrefix = "argument";
  std::string_view name = buffer.name;
  return name.starts_with(kPrefix) ? parseInteger<size_t>(name.substr(kPrefix.size())).value_or(position) : position;
}

/// `given(number, buffer)` returns the array for JAX's argument of that number, and its name.
template <typename Given>
Result<std::vector<Array>> inputsFrom(const CompiledKernel &kernel, size_t count, const SourceRef &source,
                                      const Given &given) {
  std::vector<Array> arrays;
  std::vector<const BufferSpec *> buffers = kernel.buffers();
  size_t known = 0; // the number of JAX's arguments, as far as the kernel's buffers show it
  for (size_t i = 0; i < buffers.size(); ++i)
    known = std::max(known, numberOf(*buffers[i], i) + 1);
  if (count > known)
    return error("arguments", {source, 0, 0},
                 Message("{count} inputs are given, but this kernel has {}", count, counted(known, "argument")));
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &buffer = *buffers[i];
    bool written = std::ranges::find(kernel.outputs, static_cast<uint32_t>(i)) != kernel.outputs.end();
    size_t number = numberOf(buffer, i);
    if (number >= count) {
      arrays.push_back(written ? Array::zeros(buffer.dtype, buffer.shape)
                               : randomArray(buffer, static_cast<uint32_t>(number)));
      continue;
    }
    std::pair<Array, std::string> array = LANESCOPE_TRY(given(number, buffer.dtype));
    if (array.first.shape != buffer.shape || array.first.dtype != buffer.dtype)
      return error(
          "shape-mismatch", {source, 0, 0},
          Message(
              "input {} of this kernel is {dtype} of shape {shape}, but {} holds {other_dtype} of shape {other_shape}",
              number, layouts::name(buffer.dtype), layouts::tupleText(buffer.shape), array.second,
              layouts::name(array.first.dtype), layouts::tupleText(array.first.shape)));
    arrays.push_back(std::move(array.first));
  }
  return arrays;
}

} // namespace

Result<KernelStages> compileDump(Compiler &compiler, const SourceRef &source, const DumpOptions &options) {
  auto dumped = LANESCOPE_TRY(readDumpKernel(compiler.context(), source, options.arch));
  CompileOptions compile{.until = options.until, .keepTexts = options.keepTexts};
  if (!options.arch.empty())
    compile.arch = options.arch;
  else if (!dumped.arch.empty())
    compile.arch = dumped.arch;
  return compiler.compile(std::move(dumped.module), compile);
}

Result<std::vector<Array>> dumpInputs(const CompiledKernel &kernel, std::span<const std::string> files,
                                      const SourceRef &source) {
  auto fromFile = [&](size_t number, layouts::Dtype dtype) -> Result<std::pair<Array, std::string>> {
    return std::pair(LANESCOPE_TRY(inputArray(files[number], dtype)), files[number]);
  };
  return inputsFrom(kernel, files.size(), source, fromFile);
}

Result<std::vector<Array>> dumpInputs(const CompiledKernel &kernel, std::span<const Array> given,
                                      const SourceRef &source) {
  auto array = [&](size_t number, layouts::Dtype dtype) -> Result<std::pair<Array, std::string>> {
    return std::pair(withSignOf(given[number], dtype), std::string("the array"));
  };
  return inputsFrom(kernel, given.size(), source, array);
}

} // namespace lanescope::core
