// Kernels on tensor memory for tests: products of two matrices through GpuBuilder, compiled for sm_100a.
//
//   Product product{.dtype = Dtype::F16, .n = 64};
//   std::string ptx = *compiled(product);              assembled too, where ptxas is installed
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "core/gpu/codegen/Compiler.h"

#include <string>

namespace lanescope::core::testing {

/// out[m, n] = a @ b by one tcgen05_mma, from global memory and back; of a pair of blocks each its rows.
struct Product {
  layouts::Dtype dtype = layouts::Dtype::F16, other = dtype, sum = layouts::Dtype::F32;
  int64_t m = 128, n = 64, k = 64;
  int swizzleA = 128, swizzleB = 128;
  bool transposeA = false, transposeB = true; // stored (k, m); stored (n, k)
  bool leftInTensor = false, accumulate = false, computedAccumulate = false;
  std::optional<layouts::Dtype> scale = std::nullopt;
  int64_t block = 32; // of K, for a scale
  bool sparse = false;
  bool collective = false; // m and n are one block's
};

/// The module of such a kernel; errors of the builder and of the verifier.
Result<KernelModule> moduleOf(const Product &product);
/// The kernel; what the compiler and, where it is installed, ptxas refuse are errors.
Result<CompiledKernel> compiled(const Product &product);
Result<CompiledKernel> compiled(KernelModule module, std::string_view arch = "sm_100a");
/// Runs the kernel on the emulator, whose checker has nothing to say; empty where that fails.
std::vector<Array> ran(const CompiledKernel &kernel, const std::vector<Array> &inputs);
/// Compiles the product and runs it on the emulator, whose checker has nothing to say, with small numbers; the result
/// is what it should be, exactly.
void expectProduct(const Product &product);
/// What the only error says.
std::string refusal(const Product &product);

} // namespace lanescope::core::testing
