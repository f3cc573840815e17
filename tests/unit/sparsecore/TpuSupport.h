// Shared by the tests of the SparseCore emulator: modules from text, runs, errors as text.
#pragma once

#include "core/ir/KernelModule.h"
#include "core/tpu/decode/Decode.h"
#include "core/tpu/emulator/TpuEmulator.h"
#include "core/tpu/ir/TpuContext.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lanescope::core::sparsecore::test {

inline std::string errorText(const Diagnostics &diagnostics) { return render(diagnostics); }

inline Result<Program> decoded(SourceRef source) {
  static IrContext context = makeTpuContext();
  auto module = parseModule(context, std::move(source));
  if (!module)
    return std::unexpected(module.error());
  return decodeProgram(*module);
}

inline Result<RunResult> run(const std::string &module, const std::vector<Array> &inputs,
                             const EmulatorOptions &options = {}) {
  auto program = decoded(Source::make("m.mlir", module));
  if (!program)
    return std::unexpected(program.error());
  return emulate(*program, inputs, options);
}

template <typename T> Array arrayOf(Dtype dtype, Shape shape, const std::vector<T> &values) {
  Array array = Array::zeros(dtype, std::move(shape));
  for (size_t k = 0; k < values.size(); ++k) {
    if constexpr (std::is_floating_point_v<T>)
      array.setNumber(static_cast<int64_t>(k), values[k]);
    else
      array.setInteger(static_cast<int64_t>(k), static_cast<int64_t>(values[k]));
  }
  return array;
}
inline Array ints(const std::vector<int64_t> &values) {
  return arrayOf(Dtype::I32, {static_cast<int64_t>(values.size())}, values);
}
inline std::vector<int64_t> integersOf(const Array &array) {
  std::vector<int64_t> out;
  for (int64_t k = 0; k < array.size(); ++k)
    out.push_back(array.integer(k));
  return out;
}

} // namespace lanescope::core::sparsecore::test
