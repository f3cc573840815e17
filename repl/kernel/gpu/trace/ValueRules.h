// The values that a GPU's kernels can hold and compute with.
#pragma once

#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/Dtype.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::repl {

/// True for dtypes that kernels hold in memory: all but tf32.
bool isKernelDtype(layouts::Dtype dtype);
Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span);

/// Error for elements of 4 bits and floats of 8 bits. Kernels can only move, convert and compare them.
Result<void> checkComputes(const core::GpuTarget &target, layouts::Dtype dtype, std::string_view what,
                           const Span &span);
/// Error for a conversion between another dtype and 6-bit and 4-bit floats or f8e8m0fnu on sm_90a, which can only move
/// these (and clear the signs of f4e2m1fn).
Result<void> checkConverts(const core::GpuTarget &target, layouts::Dtype from, layouts::Dtype to, const Span &span);

/// Error for an array that is far too large for the registers of a warpgroup, or whose dtype is u2, which can only be
/// copied.
Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span);
/// Error for a layout that an array of this shape cannot have; the shape of a scalar is empty.
Result<void> checkLayout(const layouts::Shape &shape, const layouts::RegisterLayout &layout, const Span &span);

} // namespace lanescope::repl
