// The devices that run a kernel together: this device's place, and the names of others.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

#include <span>

namespace lanescope::repl {

/// The place of this device along axis number `axis` of the mesh.
core::IrValue deviceIndex(core::GpuBuilder &builder, const DeviceMesh &mesh, size_t axis);
/// Argument `index` as the number of a device. With `"mesh"` (argument `type`, or none): the places along the mesh's
/// axes, as one int if there is one axis, a tuple of all, or a dict of some, `{"x": 1}`, which keeps this device's own
/// place along the others. With `"logical"`: the number itself.
Result<core::IrValue> deviceArgument(GpuTracer &tracer, const BoundArguments &args, size_t index, size_t type);
/// Argument `index`, `collective_axes`, must name all axes of the mesh, for operations on all devices.
Result<void> checkAllDevices(GpuTracer &tracer, const BoundArguments &args, size_t index);

std::span<const GpuPrimitive> devicePrimitives(); // device_id

} // namespace lanescope::repl
