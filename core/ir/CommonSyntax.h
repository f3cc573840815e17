// Spellings in which JAX's MLIR differs from MLIR 22, for MLIR's own dialects, which every target's modules use. The
// reader uses all of them. The printer applies some of them backwards, to print a text as JAX does. Neither changes the
// number of a line.
//
//   vector.extract_strided_slice %0 offsets = [2], sizes = [1], strides = [1] : vector<16xi32> to vector<1xi32>
//   <-> vector.extract_strided_slice %0 {offsets = [2], sizes = [1], strides = [1]} : vector<16xi32> to vector<1xi32>
//
// The differences that only a GPU's modules have are in core/gpu/ir/GpuDialects.h.
#pragma once

#include "core/ir/SyntaxDifferences.h"

#include <string>

namespace lanescope::core {

std::span<const SyntaxDifference> commonDifferences();
/// Converts MLIR 22's spelling to JAX's.
std::string asJaxPrints(std::string_view text);

} // namespace lanescope::core
