// A TMA descriptor of a launch as the driver encodes it.
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "core/gpu/runtime/CudaApi.h"

namespace lanescope::core {

/// Over the array at `address`. `kernel`: its words in an error. Errors: "tensor-map" where the driver refuses it,
/// "gpu" where it has none.
Result<cuda::TensorMap> encodeTensorMap(const cuda::Api &api, const TensorMapSpec &map, cuda::DevicePointer address,
                                        const std::string &kernel);

} // namespace lanescope::core
