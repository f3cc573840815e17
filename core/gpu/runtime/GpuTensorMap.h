// Encodes a launch's TMA descriptor with the driver.
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "core/gpu/runtime/CudaApi.h"

namespace lanescope::core {

/// The descriptor of the array at `address`. `kernel`: names it in an error. Errors: "tensor-map" if the driver refuses
/// it, "gpu" if the driver lacks the function.
Result<cuda::TensorMap> encodeTensorMap(const cuda::Api &api, const TensorMapSpec &map, cuda::DevicePointer address,
                                        const std::string &kernel);

} // namespace lanescope::core
