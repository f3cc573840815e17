// The places of blocks and warpgroups: axes of grid and cluster by name.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

#include <array>
#include <optional>
#include <string_view>

namespace lanescope::repl {

/// Argument `index`, a cluster axis's name or a tuple of names, as dimensions of the cluster (0: x). Error: a name that
/// is not an axis of the cluster, or that is given twice.
Result<std::vector<int64_t>> clusterAxes(GpuTracer &tracer, const BoundArguments &args, size_t index);
/// The dimension of the cluster (0: x) that has this name. Error, at `span`: the cluster has no axis of the name.
Result<int64_t> clusterAxis(const AxisNames &axes, const std::string &name, const Span &span);
/// The block that keyword arguments name by the cluster's axes, `x=1` (see GpuBuilder::inBlock). `what`: the function's
/// name.
Result<std::array<std::optional<core::IrValue>, 3>> blockPlace(GpuTracer &tracer, const Context &context,
                                                               const BoundArguments &args, std::string_view what);

/// The axis of the GPU's grid (0: x) that holds dimension `dim` of the kernel's grid: the last dimension is x, the one
/// before it y, and all others share z.
size_t gridAxisOf(const AxisNames &axes, size_t dim);
/// The index along dimension `dim` of the kernel's grid, from a block's place along the GPU's axis that holds the
/// dimension.
core::IrValue gridIndexIn(GpuTracer &tracer, core::IrValue place, size_t dim);

} // namespace lanescope::repl
