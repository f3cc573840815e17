// What the compiler, the emulator and the checks ask about a TPU's SparseCores, in one place.
//
//   const TpuTarget &target = *findTpuTarget("v5p");
//   target.sparseCores, target.lanes   ->  4, 8
//   target.vmemBytes                   ->  524288: of one vector subcore
//
// A SparseCore has one scalar subcore and `subcores` vector subcores. Source: jax-ml/jax, jax/_src/pallas/mosaic/
// sc_core.py and tpu_info.py.
#pragma once

#include "core/Target.h"

#include <cstdint>
#include <span>
#include <string>

namespace lanescope::core {

struct TpuTarget : Target {
  int sparseCores = 0;   // of one chip
  int subcores = 0;      // vector subcores of one SparseCore
  int lanes = 0;         // 32-bit elements of a vector register
  int64_t vmemBytes = 0; // of one vector subcore
};

/// What kernels are made for, the default first.
std::span<const TpuTarget> tpuTargets();
const TpuTarget &defaultTpuTarget();
/// By its name, "v5p", also as JAX's device kind, "TPU7x"; null where there is none.
const TpuTarget *findTpuTarget(std::string_view name);
/// "`7x`, `v5p`, … and `8t`".
std::string tpuTargetsText();
/// What is said to who asks for a chip that is none of these.
std::string noTpuTargetText(std::string_view name);

} // namespace lanescope::core
