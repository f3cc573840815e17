// The prefixes of JAX and Pallas, `jnp.`, `lax.`, `pl.`, `plgpu.`, on top of the kernel language.
//
//   plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((m, n), jnp.float32), grid=(4,), grid_names=("m",))(a, b)
//
// makes a Kernel (launch/Launches.h) from a call's operands: their shapes and dtypes are the parameters' types.
#pragma once

#include "repl/kernel/launch/ArgumentSpec.h"
#include "repl/kernel/launch/Launches.h"
#include "repl/kernel/pallas/ShardMap.h"
#include "repl/lang/prefixes/Prefixes.h"

#include <memory>
#include <vector>

namespace lanescope::repl {

/// True while the body of a Pallas kernel is being traced. Python's loops in it run while tracing, as in JAX.
using PallasTracing = std::shared_ptr<bool>;

std::vector<PrefixSpec> pallasPrefixes(std::shared_ptr<KernelRuntime> runtime,
                                       PallasTracing tracing = std::make_shared<bool>(false));

/// The builtin `plgpu.kernel`.
Builtin pallasKernelBuiltin(std::shared_ptr<KernelRuntime> runtime, PallasTracing tracing, CurrentShards shards);

/// The builtin for `pl.kernel` over a mesh of subcores: a kernel of SparseCores whose bodies are called while it is
/// traced.
Builtin subcoreKernelBuiltin(std::shared_ptr<KernelRuntime> runtime, CurrentShards shards);

/// The specification of an array that a kernel takes or returns, from the value's `shape` and `dtype`. Error: the value
/// lacks them.
Result<std::shared_ptr<ArgumentSpec>> arraySpecOf(Context &context, const Value &value, core::ArgumentKind kind,
                                                  const Span &span);

/// `range` for Pallas, made from the host's. In a Pallas kernel, its loops in the user's own text are unrolled;
/// `lax.fori_loop` and `pl.loop` make loops on the device.
Builtin pallasRange(Builtin host, PallasTracing tracing);

} // namespace lanescope::repl
