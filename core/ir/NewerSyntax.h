// Modules of today's JAX spell an operation of MLIR's own dialects otherwise than MLIR 22 does. This goes both ways: a
// text that parses here, and a text as JAX would print it. Lines keep their numbers.
//
//   vector.extract_strided_slice %0 offsets = [2], sizes = [1], strides = [1] : vector<16xi32> to vector<1xi32>
//   <-> vector.extract_strided_slice %0 {offsets = [2], sizes = [1], strides = [1]} : vector<16xi32> to vector<1xi32>
//
// What differs in a GPU's modules is in core/gpu/ir/GpuDialects.h.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::core {

/// JAX's spelling to MLIR 22's; text that has it already stays as it is.
std::string withOlderSlices(std::string_view text);
/// MLIR 22's spelling to JAX's.
std::string withNewerSlices(std::string_view text);

} // namespace lanescope::core
