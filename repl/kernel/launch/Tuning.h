// `tune` finds the fastest configuration of a kernel on this machine; `tuned` looks up earlier results.
//
//   found = tune(lambda group, stages: make_matmul(f16, group=group, stages=stages),
//                dict(group=[8, 16], stages=[3, 4]), [a, b])
//   found.best          ->  {'group': 16, 'stages': 4}
//   tuned("matmul", (M, N, K), {(4096, 4096, 4096): dict(group=16)})
#pragma once

#include "repl/kernel/launch/Launches.h"

namespace lanescope::repl {

/// The builtins `tune` and `tuned`.
Builtins tuningBuiltins(std::shared_ptr<KernelRuntime> runtime);

} // namespace lanescope::repl
