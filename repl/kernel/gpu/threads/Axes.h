// Places of blocks and warpgroups: the axes of grid and cluster by name.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

#include <array>
#include <optional>
#include <string_view>

namespace lanescope::repl {

/// Argument `index`, a cluster axis's name or a tuple of names, as dimensions of the cluster (0: x). Error for a name
/// that is no axis of the cluster, or given twice.
Result<std::vector<int64_t>> clusterAxes(GpuTracer &tracer, const BoundArguments &args, size_t index);
/// The same for one name, with the error at `span`.
Result<int64_t> clusterAxis(const AxisNames &axes, const std::string &name, const Span &span);
/// The block that keyword arguments name, `x=1`, by the cluster's axes (see GpuBuilder::inBlock). `what`: the
/// function.
Result<std::array<std::optional<core::IrValue>, 3>> blockPlace(GpuTracer &tracer, const Context &context,
                                                               const BoundArguments &args, std::string_view what);

/// Which axis of the GPU's grid (0: x) holds dimension `dim` of the kernel's: the last is x, those before the last two
/// share z.
size_t gridAxisOf(const AxisNames &axes, size_t dim);
/// The index along dimension `dim` of the kernel's grid, of a place along that axis.
core::IrValue gridIndexIn(GpuTracer &tracer, core::IrValue place, size_t dim);

} // namespace lanescope::repl
