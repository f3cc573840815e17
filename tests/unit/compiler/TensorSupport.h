// Test kernels on tensor memory: products of two matrices, built with GpuBuilder and compiled for sm_100a.
//
//   Product product{.dtype = Dtype::F16, .n = 64};
//   std::string ptx = *compiled(product);              also assembled if ptxas is installed
#pragma once

#include "core/gpu/build/GpuBuilder.h"
#include "core/gpu/codegen/Compiler.h"

#include <string>

namespace lanescope::core::testing {

/// out[m, n] = a @ b by one tcgen05_mma, from global memory and back. Each block of a pair computes its own rows.
struct Product {
  layouts::Dtype dtype = layouts::Dtype::F16, other = dtype, sum = layouts::Dtype::F32;
  int64_t m = 128, n = 64, k = 64;
  int swizzleA = 128, swizzleB = 128;
  bool transposeA = false, transposeB = true; // a is stored (k, m); b is stored (n, k)
  bool leftInTensor = false, accumulate = false, computedAccumulate = false;
  std::optional<layouts::Dtype> scale = std::nullopt;
  int64_t block = 32; // elements of K per scale
  bool sparse = false;
  bool collective = false; // m and n are the sizes of one block
};

/// The module of such a kernel, or the errors of the builder and of the verifier.
Result<KernelModule> moduleOf(const Product &product);
/// The compiled kernel, or the errors of the compiler and, if it is installed, of ptxas.
Result<CompiledKernel> compiled(const Product &product);
Result<CompiledKernel> compiled(KernelModule module, std::string_view arch = "sm_100a");
/// Runs the kernel on the emulator, whose checker must report nothing. Empty if that fails.
std::vector<Array> ran(const CompiledKernel &kernel, const std::vector<Array> &inputs);
/// Compiles the product and runs it with small numbers on the emulator, whose checker must report nothing. The result
/// must be exact.
void expectProduct(const Product &product);
/// The message of the only error.
std::string refusal(const Product &product);

} // namespace lanescope::core::testing
