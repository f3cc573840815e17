// The modules of JAX and Pallas: jax, jax.lax, jax.experimental.pallas and its mosaic_gpu, over the kernel language.
//
//   plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((m, n), jnp.float32), grid=(4,), grid_names=("m",))(a, b)
//
// makes a Kernel (launch/Launches.h) of a call's operands: their shapes and dtypes are the parameters' types.
#pragma once

#include "repl/kernel/launch/Launches.h"
#include "repl/lang/modules/Modules.h"

#include <memory>
#include <vector>

namespace lanescope::repl {

std::vector<ModuleSpec> pallasModules(std::shared_ptr<KernelRuntime> runtime);

/// `plgpu.kernel`
Builtin pallasKernelBuiltin(std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
