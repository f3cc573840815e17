// What JAX's MLIR spells otherwise than MLIR 22 in dialects of MLIR's own, which every target's modules have: entries
// of the reader's table, and some of them backwards, for a text as JAX prints it. Lines keep their numbers.
//
//   vector.extract_strided_slice %0 offsets = [2], sizes = [1], strides = [1] : vector<16xi32> to vector<1xi32>
//   <-> vector.extract_strided_slice %0 {offsets = [2], sizes = [1], strides = [1]} : vector<16xi32> to vector<1xi32>
//
// What differs in a GPU's modules alone is in core/gpu/ir/GpuDialects.h.
#pragma once

#include "core/ir/SyntaxDifferences.h"

#include <string>

namespace lanescope::core {

std::span<const SyntaxDifference> commonDifferences();
/// MLIR 22's spelling to JAX's.
std::string asJaxPrints(std::string_view text);

} // namespace lanescope::core
