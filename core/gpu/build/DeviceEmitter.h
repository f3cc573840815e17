// The memory of other devices.
#pragma once

#include "core/gpu/build/GpuReferences.h"

namespace lanescope::core {

struct GpuBuilderImpl;

/// How a load from all devices' memory combines their values. For integers, the dtype's sign applies to minimum and
/// maximum; f32 has only Add.
enum class MultimemKind : uint8_t { Add, Minimum, Maximum, And, Or, Xor };

class DeviceEmitter {
public:
  IrValue deviceId();
  /// An argument on device `device` (i32); loads, stores, copies and signals access it there.
  IrRef onDevice(const IrRef &argument, const IrValue &device);
  /// The argument on all devices at once. Copies from shared memory, atomic stores, signals and storeToAll accept such
  /// a reference.
  IrRef onAllDevices(const IrRef &argument);
  /// Stores the value to `ref`, in global memory, on every device.
  void storeToAll(const IrValue &value, const IrRef &ref);
  /// Loads the combined values of all devices at `ref`.
  IrValue loadReduce(const IrRef &ref, MultimemKind kind);
  /// Orders earlier effects before later relaxed signals.
  void releaseFence();

protected:
  explicit DeviceEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
