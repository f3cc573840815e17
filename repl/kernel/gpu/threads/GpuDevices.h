// The devices that run a kernel together: this device's place, and arguments that name other devices.
#pragma once

#include "repl/kernel/gpu/trace/GpuTracer.h"

#include <span>

namespace lanescope::repl {

/// The place of this device along axis number `axis` of the mesh.
core::IrValue deviceIndex(core::GpuBuilder &builder, const DeviceMesh &mesh, size_t axis);
/// Argument `index` as the number of a device. Argument `type` says in which form it is given. `"mesh"`, the default:
/// the places along the mesh's axes, as one int if there is one axis, as a tuple of all places, or as a dict of some,
/// `{"x": 1}`. Along axes that the dict does not name, the device has the place of this one. `"logical"`: the number
/// itself.
Result<core::IrValue> deviceArgument(GpuTracer &tracer, const BoundArguments &args, size_t index, size_t type);
/// Error unless argument `index`, `collective_axes`, names all axes of the mesh, as operations on all devices require.
Result<void> checkAllDevices(GpuTracer &tracer, const BoundArguments &args, size_t index);

std::span<const GpuPrimitive> devicePrimitives(); // device_id

} // namespace lanescope::repl
