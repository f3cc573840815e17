// Which values a GPU's kernels hold and compute with.
#pragma once

#include "layouts/Dtype.h"
#include "layouts/RegisterLayout.h"
#include "layouts/support/Diagnostic.h"

namespace lanescope::repl {

/// Dtypes that kernels hold in memory and registers: all but tf32 and f8e8m0fnu.
bool isKernelDtype(layouts::Dtype dtype);
Result<layouts::Dtype> kernelDtype(layouts::Dtype dtype, const Span &span);

/// Error for elements of 4 bits and floats of 8, which can be moved, converted and compared only.
Result<void> checkComputes(layouts::Dtype dtype, std::string_view what, const Span &span);
/// Error for f4e2m1fn and another dtype: sm_90a only moves it (and clears its signs).
Result<void> checkConverts(layouts::Dtype from, layouts::Dtype to, const Span &span);

/// Error for an array that the registers of a warpgroup cannot hold by far.
Result<void> checkRegisters(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span);
/// Error for a layout that an array of this shape (a scalar: an empty one) cannot have.
Result<void> checkLayout(const layouts::Shape &shape, const layouts::RegisterLayout &layout, const Span &span);

} // namespace lanescope::repl
